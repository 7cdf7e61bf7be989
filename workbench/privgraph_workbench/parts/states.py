"""What state a run is in, as coloured words, and runs that cannot be read."""

from collections.abc import Mapping, Sequence
from typing import Literal

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph.runs.trials import Trial
from privgraph_workbench.figures.chart import Flag
from privgraph_workbench.parts import layout
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup

MOST_REFUSED = 3
Colour = Literal["gray", "blue", "orange", "green", "red", "violet"]
COLOURS: Mapping[str, Colour] = {
    "running": "blue",
    "stopping": "orange",
    "done": "green",
    "stopped": "orange",
    "failed": "red",
    "lost": "red",
}
told = texts("labels")
FLAGS: Mapping[str, tuple[str, Colour, str, str]] = {
    "other": ("not the run", "violet", "casino", Flag.GIVEN_NOISE.sentence),
    "dependent": ("data-dependent", "orange", "warning", Flag.DATA_DEPENDENT.sentence),
    "private": ("private", "red", "lock", Flag.PRIVATE.sentence),
    "evaluator": ("evaluator only", "orange", "visibility", Flag.EVALUATOR.sentence),
    "example": ("example", "violet", "photo_library", told["example"]),
}


def state_word(state: str) -> str:
    """A state as people read it; one of another version as it is."""
    return "waiting" if state == "queued" else state


def readable(records: Sequence[RunRecord]) -> list[RunRecord]:
    """The runs that this version can read; a message and a way to delete it for each of the others."""
    refused = [record for record in records if record.unreadable]
    for record in refused[:MOST_REFUSED]:
        unreadable(record)
    if len(refused) > MOST_REFUSED:
        st.warning(fill(told["refused"], count=len(refused) - MOST_REFUSED))
    return [record for record in records if not record.unreadable]


def unreadable(record: RunRecord) -> None:
    """Why a run cannot be read, and the way to delete it."""
    st.warning(markup.sentence(record.unreadable), icon=":material/unknown_document:")
    layout.link("runs", told["choose_to_delete"], "delete", chosen=record.id)


def badge(record: RunRecord, *, finished: bool = False) -> None:
    """The run's state as a coloured word, but where all of a page are `finished`; and where it is from."""
    if not finished:
        meaning = told["states"].get(record.state, told["other_state"])
        st.badge(markup.literal(state_word(record.state)), color=COLOURS.get(record.state, "gray"), help=meaning)
    badges(example=record.example)
    if record.tuning is not None:
        released = record.tuning.trial is Trial.RELEASED
        hint = told["tuned" if released else "tried"]
        st.badge(str(record.tuning), color="green" if released else "orange", help=hint)


def badges(**shown: bool) -> None:
    """What must be known of the numbers below, by name of `FLAGS`, as coloured words in a row."""
    with st.container(horizontal=True):
        for label, colour, icon, help_ in (FLAGS[name] for name, on in shown.items() if on):
            st.badge(label, color=colour, icon=f":material/{icon}:", help=help_)
