"""Parts that several pages share."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from privgraph.data.catalogue import dataset as known_dataset
from privgraph.data.spec import DatasetSpec
from privgraph.options import UnknownName
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench import shell, words
from privgraph_workbench.figures.answers import EVALUATOR_BADGE, PRIVATE_BADGE
from privgraph_workbench.figures.common import method_title, privacy
from privgraph_workbench.figures.ensembles import DEPENDENT_BADGE

MOST_REFUSED = 3
STATES = {
    "queued": ("waiting", "gray", "It waits until a worker is free."),
    "running": ("running", "blue", "A worker trains it now."),
    "stopping": ("stopping", "orange", "It was asked to stop, and will at its next step."),
    "done": ("done", "green", "It ran to its end."),
    "stopped": ("stopped", "orange", "Somebody stopped it; what it had stored is kept."),
    "failed": ("failed", "red", "It ended with an error."),
    "lost": ("lost", "red", "Its worker died; what it had stored is kept."),
}


def state_word(state: str) -> str:
    """A state as people read it; one of another version as it is."""
    return STATES[state][0] if state in STATES else state


def readable(records: Sequence[RunRecord]) -> list[RunRecord]:
    """The runs that this version can read; of the others it is said why not, and where they can be deleted."""
    refused = [record for record in records if record.unreadable]
    for record in refused[:MOST_REFUSED]:
        unreadable(record)
    if len(refused) > MOST_REFUSED:
        st.warning(f"{len(refused) - MOST_REFUSED} more runs cannot be read by this version.")
    return [record for record in records if not record.unreadable]


def unreadable(record: RunRecord) -> None:
    """Why a run cannot be read, and the way to delete it."""
    st.warning(sentence(record.unreadable), icon=":material/unknown_document:")
    st.page_link(
        shell.page("runs"),
        label="Choose it on the Runs page, to delete it",
        icon=":material/delete:",
        query_params={"chosen": record.id},
    )


def fold(label: str, key: str, *, icon: str | None = None, opened: bool = False) -> ExpanderContainer:
    """A part of a page that need not be made before somebody asks for it: `open` says whether it is wanted."""
    return st.expander(label, key=f"fold.{key}", icon=icon, expanded=opened, on_change="rerun")


def theme() -> str:
    """light or dark, as the reader sees the page."""
    return "dark" if st.context.theme.type == "dark" else "light"


def badge(record: RunRecord) -> None:
    """The run's state as a coloured word."""
    word, colour, meaning = STATES.get(record.state, (record.state, "gray", "This version does not know this state."))
    st.badge(words.literal(word), color=colour, help=meaning)  # type: ignore[arg-type]


def badges(*, private: bool = False, evaluator: bool = False, dependent: bool = False) -> None:
    """What must be known of the numbers below, as coloured words in a row."""
    with st.container(horizontal=True):
        if dependent:
            st.badge("data-dependent", color="orange", icon=":material/warning:", help=DEPENDENT_BADGE)
        if private:
            st.badge("private", color="red", icon=":material/lock:", help=PRIVATE_BADGE)
        if evaluator:
            st.badge("evaluator only", color="orange", icon=":material/visibility:", help=EVALUATOR_BADGE)


def name(record: RunRecord) -> str:
    """A run in a few words of Markdown, for its owner: what was run, and its seed."""
    return words.literal(plain_name(record))


def plain_name(record: RunRecord) -> str:
    """The same as plain text: method and graph by the titles that people know them by."""
    method = method_title(record.spec.method)
    return f"{method} on {graph_title(record)}, {privacy(record)}, seed {record.spec.seed}"


def graph_title(record: RunRecord) -> str:
    """The run's graph with its options, by its title."""
    return GraphId.of(record.spec).words(data_title(record.spec.dataset))


def data_title(dataset: str) -> str:
    """What people call a graph; its name where nobody knows it."""
    try:
        return known_dataset(dataset).title
    except UnknownName:
        return "an upload that is gone" if dataset.startswith("upload:") else dataset


def link(page: str, **query: str) -> str:
    """The full address of a page of this app, for copying."""
    here = urlsplit(st.context.url or "http://localhost/")
    return urlunsplit((here.scheme, here.netloc, f"/{page}", urlencode(query), ""))


def sentence(error: Exception | str) -> str:
    """An error's message, or another plain text, as a sentence in Markdown."""
    return words.sentence(error)


def about(spec: DatasetSpec) -> str:
    """A graph in a line of Markdown: its title, and what it is."""
    return f"**{words.literal(spec.title)}**: {words.literal(spec.about)}"
