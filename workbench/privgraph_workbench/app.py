"""The entry of the browser application: one gate, one list of pages."""

import streamlit as st

from privgraph_workbench.serving import shell

st.set_page_config(page_title="privgraph", page_icon="🕸️", layout="wide")
shell.tidy()
shell.ask_who()
shell.run()
