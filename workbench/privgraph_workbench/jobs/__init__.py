"""What happens in other processes, and is watched from pages. No Streamlit, no torch."""
