"""A run's graph that is not on this machine: why nothing can be played on it yet, and how it gets here."""

from __future__ import annotations

import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.options import UnknownName
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import datasets
from privgraph_workbench.jobs import downloads
from privgraph_workbench.views.parts import fetching
from privgraph_workbench.words import markup

ATTACK, AUDIT = "an attack trains models like this run on it", "this audit trains on it"
"""What the graph is needed for."""


def away(record: RunRecord, needed: str = ATTACK) -> str:
    """Why nothing can be played on the run's graph here now, in a few words, where it is not on this machine;
    else ""."""
    try:
        spec = dataset(record.spec.dataset)
    except (UnknownName, DataError) as error:
        return markup.sentence(error)
    if datasets.unavailable(spec) is None:
        return ""
    how = "be downloaded" if downloads.possible(spec) else "be put on this computer"
    return f"{spec.title} must {how} first: {needed}."


def fetch(record: RunRecord, needed: str = ATTACK, place: str = "") -> bool:
    """What is missing, and the button that fetches it; where there is none, which files and where. Whether
    anything is missing. `place` tells two such buttons of one page apart."""
    if not (why := away(record, needed)):
        return False
    st.caption(f":material/folder_off: {markup.literal(why)}")
    try:
        spec = dataset(record.spec.dataset)
    except (UnknownName, DataError):
        return True
    if downloads.possible(spec):
        fetching.offer(spec, place)
    else:
        with st.expander("Which files, and where"):
            st.caption(markup.sentence(datasets.unavailable(spec) or ""))
    return True
