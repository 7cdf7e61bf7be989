"""That a run's noise is public: what that means, and the way to a run whose noise is secret."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.records import RunRecord
from privgraph_workbench.forms import again
from privgraph_workbench.serving import shell
from privgraph_workbench.words import statements


def badge(record: RunRecord) -> None:
    """That the run's noise is public, as a mark beside its state; nothing where its noise is secret."""
    if record.statement is not None and has_public_noise(record.statement):
        st.badge(
            "public noise: as run, protects nobody", color="red", icon=":material/key_off:",
            help=statements.PUBLIC_NOISE,
        )  # fmt: skip


def way(record: RunRecord) -> None:
    """The way to the same run with secret noise; nothing where its noise is secret."""
    if record.statement is not None and has_public_noise(record.statement):
        st.page_link(
            shell.page("train"), label="Train it again with secret noise", icon=":material/key:",
            query_params=again.address(record), help=statements.PUBLIC_NOISE,
        )  # fmt: skip


def details(record: RunRecord, said: Sequence[str], table: str = "") -> None:
    """What a verdict rests on (`said`, and a `table`, as Markdown), and what public noise means, folded below
    it."""
    if record.statement is not None and has_public_noise(record.statement):
        said = (*said, f"**Public noise**: {statements.PUBLIC_NOISE}")
    if shown := [one for one in ("\n".join(f"- {one}" for one in said if one), table) if one]:
        with st.expander("Details: what ε allows, and what this rests on" if table else "Details"):
            for one in shown:
                st.markdown(one)
