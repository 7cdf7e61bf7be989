"""That a run's noise is public: what that means, and the way to a run whose noise is secret."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.records import RunRecord
from privgraph_workbench.forms import again
from privgraph_workbench.serving import shell
from privgraph_workbench.words import statements


def way(record: RunRecord) -> None:
    """The way to the same run with secret noise; nothing where its noise is secret."""
    if record.statement is not None and has_public_noise(record.statement):
        st.page_link(
            shell.page("train"), label="Train it again with secret noise", icon=":material/key:",
            query_params=again.address(record), help=statements.PUBLIC_NOISE,
        )  # fmt: skip


def details(record: RunRecord, said: Sequence[str]) -> None:
    """What a verdict rests on (`said`, as Markdown), and what public noise means, folded below it."""
    if record.statement is not None and has_public_noise(record.statement):
        said = (*said, f"**Public noise**: {statements.PUBLIC_NOISE}")
    if lines := [f"- {one}" for one in said if one]:
        with st.expander("Details"):
            st.markdown("\n".join(lines))
