"""A graph whose files are not on this machine: what is missing, and a download where that can be."""

from __future__ import annotations

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph_workbench.facts import datasets
from privgraph_workbench.jobs import downloads
from privgraph_workbench.words import markup

POLL_SECONDS = 1.0


def show(spec: DatasetSpec, reason: str) -> None:
    """Why it cannot be loaded, with the button that fetches it and how far that is."""
    st.info(markup.sentence(reason), icon="📁")
    if downloads.possible(spec):
        offer(spec)


def offer(spec: DatasetSpec) -> None:
    """The button that fetches it and, once it is pressed, how far that is."""
    current = downloads.state(spec)
    under_way = current is not None and not current.over
    if not under_way and st.button("Download it now", key=f"download.{spec.name}", icon=":material/download:"):
        downloads.start(spec)
        under_way = True
    st.fragment(_downloading, run_every=POLL_SECONDS if under_way else None)(spec)


def _downloading(spec: DatasetSpec) -> None:
    current = downloads.state(spec)
    if current is None:
        return
    if current.error:
        st.error(markup.sentence(current.error))
    elif not current.over:
        st.progress(
            current.share,
            text=f"{markup.literal(current.stage)}: {current.done / 1e6:,.1f} of {current.total / 1e6:,.1f} MB",
        )
    elif datasets.unavailable(spec) is None:
        st.rerun()
