"""Training that a button of the page asks for: how far it is beside that button, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.options import OptionError
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import states
from privgraph_workbench.views.relations.runs import POLL_SECONDS, UNIT_KEYS, WANTED, called
from privgraph_workbench.views.relations.watched import bar
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import percent

SENT = "relations.sent."
"""In the session: the runs that the button of a place has asked for."""
MOST_BARS = 3


def train(place: str, specs: Sequence[RunSpec], choose: str = "") -> None:
    """Submits the runs and remembers them for `show`. When the first one is done, the selector `choose`
    chooses it."""
    try:
        queue.submit(specs, tags=["relations"])
    except (StoreError, OptionError, OSError) as error:
        st.error(markup.sentence(error))
        return
    st.session_state[SENT + place] = tuple(one.id for one in specs)
    if choose:
        st.session_state[WANTED + choose] = specs[0].id
    st.rerun()


def show(place: str) -> None:
    """What became of the runs that the button of this place asked for; nothing before that."""
    asked: tuple[str, ...] = st.session_state.get(SENT + place, ())
    if asked:
        busy = any(one.pending for one in _found(asked))
        shell.fragment(_show, run_every=POLL_SECONDS if busy else None)(place, asked)


def _found(asked: tuple[str, ...]) -> list[RunRecord]:
    return states.readable(queue.store().find(RunQuery(ids=asked, limit=len(asked))))


def _show(place: str, asked: tuple[str, ...]) -> None:
    """The page is drawn again by `watched.under_way` when one of them ends."""
    found = _found(asked)
    going = sorted((one for one in found if one.pending), key=lambda one: one.state == "queued")
    for one in going[:MOST_BARS]:
        bar(one, place)
    if len(going) > MOST_BARS:
        st.caption(f"{len(going) - MOST_BARS} more wait, and stand at the top of this page.")
    done = [one for one in found if one.state == "done"]
    if done:
        chosen = [one for one in done if st.session_state.get(_selector(one)) == one.id]
        which = "It" if len(done) == 1 else called(chosen[0]) if chosen else ""
        told = f" {which} is chosen now, [at the top](#relations)." if chosen else ""
        st.success(f"**Done: {'; '.join(map(_reached, done))}.**{told}", icon=":material/check:")
    for one in found:
        if not one.pending and one.state != "done":
            st.warning(f"{called(one)}: {states.state_word(one.state)}.", icon=":material/block:")


def _reached(record: RunRecord) -> str:
    """A run with what came out, as Markdown."""
    first = record.metrics.get("test_accuracy")
    return called(record) if first is None else f"{called(record)}, {percent(first)} PREC@1"


def _selector(record: RunRecord) -> str:
    return UNIT_KEYS["none" if record.spec.unit == "none" else "edge"]
