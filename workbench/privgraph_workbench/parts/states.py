"""What state a run is in, as coloured words, and runs that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph.runs.trials import Trial
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.serving import shell
from privgraph_workbench.text import texts
from privgraph_workbench.words import markup
from privgraph_workbench.words.markup import sentence

MOST_REFUSED = 3
Colour = Literal["gray", "blue", "orange", "green", "red", "violet"]
UNKNOWN: Colour = "gray"
STATES: Mapping[str, tuple[str, Colour, str]] = {
    "queued": ("waiting", "gray", "It waits until a worker is free."),
    "running": ("running", "blue", "A worker trains it now."),
    "stopping": ("stopping", "orange", "It was asked to stop, and will at its next step."),
    "done": ("done", "green", "It ran to its end."),
    "stopped": ("stopped", "orange", "Somebody stopped it; what it had stored is kept."),
    "failed": ("failed", "red", "It ended with an error."),
    "lost": ("lost", "red", "Its worker died; what it had stored is kept."),
}
TUNED = "The best of a tuning: its epsilon is the price of everything that was tried."
TRIED = "A run that a tuning tried: the guarantee holds for the one that it chooses, and for no other trial."


def state_word(state: str) -> str:
    """A state as people read it; one of another version as it is."""
    return STATES[state][0] if state in STATES else state


def readable(records: Sequence[RunRecord]) -> list[RunRecord]:
    """The runs that this version can read; of the others it is said why not, and where they can be
    deleted."""
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


def badge(record: RunRecord, *, finished: bool = False) -> None:
    """The run's state as a coloured word, but where all of a page are `finished`; and where it is from."""
    word, colour, meaning = STATES.get(record.state, (record.state, UNKNOWN, "This version does not know this state."))
    if not finished:
        st.badge(markup.literal(word), color=colour, help=meaning)
    if record.example:
        st.badge("example", color="violet", icon=":material/photo_library:", help=texts("labels")["example"])
    if record.tuning is not None:
        if record.tuning.trial is Trial.RELEASED:
            st.badge(str(record.tuning), color="green", icon=":material/verified:", help=TUNED)
        else:
            st.badge(str(record.tuning), color="orange", icon=":material/visibility_off:", help=TRIED)


def badges(*, private: bool = False, evaluator: bool = False, dependent: bool = False, other: bool = False) -> None:
    """What must be known of the numbers below, as coloured words in a row."""
    with st.container(horizontal=True):
        if other:
            st.badge("not the run", color="violet", icon=":material/casino:", help=Flag.GIVEN_NOISE.sentence)
        if dependent:
            st.badge("data-dependent", color="orange", icon=":material/warning:", help=Flag.DATA_DEPENDENT.sentence)
        if private:
            st.badge("private", color="red", icon=":material/lock:", help=Flag.PRIVATE.sentence)
        if evaluator:
            st.badge("evaluator only", color="orange", icon=":material/visibility:", help=Flag.EVALUATOR.sentence)
