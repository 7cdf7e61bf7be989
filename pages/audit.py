"""The address of audits in earlier versions: the page Attacks at the worst case."""

import streamlit as st

from privgraph_workbench.serving import shell

asked = {name: value for name, value in st.query_params.to_dict().items() if name != "store"}
st.switch_page(shell.page("attacks"), query_params={**asked, "who": "worst-case"})
