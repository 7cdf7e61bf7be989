"""What is known without a run: prices, plans, data sets and their sizes. No Streamlit, no torch."""
