"""That a run's noise is public: what that means, and the way to a run whose noise is secret."""

from __future__ import annotations

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench.forms import again
from privgraph_workbench.serving import shell
from privgraph_workbench.words import statements


def show(record: RunRecord) -> None:
    """Nothing where the noise of the run is secret."""
    if record.statement is None or not statements.noise_is_public(record.statement):
        return
    st.markdown(f"{statements.PROTECTS_NOBODY} {statements.PUBLIC_NOISE}")
    st.page_link(
        shell.page("train"), label="Train it again with secret noise", icon=":material/key:",
        query_params=again.address(record),
    )  # fmt: skip
