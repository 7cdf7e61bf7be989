"""A graph whose files are not on this machine: what is missing, and a download where that can be."""

from __future__ import annotations

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph_workbench.jobs import downloads
from privgraph_workbench.words import markup

POLL_SECONDS = 1.0


def show(spec: DatasetSpec, reason: str) -> None:
    """Why it cannot be loaded, with the button that fetches it and how far that is."""
    st.info(markup.sentence(reason), icon="📁")
    if downloads.possible(spec):
        offer(spec)


def offer(spec: DatasetSpec, place: str = "") -> None:
    """The button that fetches it and, once it is pressed, how far that is; why it failed is said to those who
    have watched it, until they put that away. `place` tells two such buttons of one page apart."""
    current = downloads.state(spec)
    under_way = current is not None and not current.over
    if not under_way and st.button("Download it now", key=f"download.{spec.name}{place}", icon=":material/download:"):
        current, under_way = downloads.start(spec), True
    watched = f"download.watched.{spec.name}"
    seen = st.session_state.get(watched) is current
    if under_way:
        st.session_state[watched] = current
        st.fragment(_downloading, run_every=POLL_SECONDS)(spec)
    elif current is not None and current.error and seen:
        _failed(spec, current, watched, place)


def _downloading(spec: DatasetSpec) -> None:
    """How far it is; the whole page is drawn anew when it is over."""
    current = downloads.state(spec)
    if current is None or current.over:
        st.rerun()
    st.progress(
        current.share,
        text=f"{markup.literal(current.stage)}: {current.done / 1e6:,.1f} of {current.total / 1e6:,.1f} MB",
    )


def _failed(spec: DatasetSpec, download: downloads.Download, watched: str, place: str) -> None:
    """That it came to nothing, with its own words folded away."""
    title = markup.literal(spec.title)
    said = (
        f"**The download of {title} failed.**"
        if download.connected
        else f"**No connection.** The server that has {title} could not be reached."
    )
    st.error(said, icon=":material/cloud_off:")
    with st.expander("Details"):
        st.caption(markup.sentence(download.error))
    st.button(
        "Dismiss", key=f"dismiss.{spec.name}{place}", type="tertiary", icon=":material/close:",
        on_click=st.session_state.pop, args=(watched, None),
    )  # fmt: skip
