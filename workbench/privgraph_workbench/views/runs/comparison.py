"""What a run's accuracy is read beside: chance, confidence, and the same task without privacy."""

from __future__ import annotations

import streamlit as st

from privgraph.options import OptionError, UnknownName
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts.references import Chance, without_privacy
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import states
from privgraph_workbench.words import differences, markup
from privgraph_workbench.words.naming import made_by, method_title
from privgraph_workbench.words.numbers import duration, percent

RELATIONS = "relation prediction"
ACCURACY = (
    "Share of the test nodes, never used in training, whose class was predicted rightly. For an evaluator: it was "
    "measured on their true classes, and no ε here covers it"
)
PREC = (
    "Share of relations of a domain that was not learnt from whose partner came first among the candidates. For an "
    "evaluator: it was measured on true relations, and no ε here covers it"
)


def changes(record: RunRecord) -> None:
    """What was changed of another run to make this one, and what came of it."""
    before = st.session_state.get("changed", {}).get(record.id, "")
    held = queue.store().find(RunQuery(ids=(before,))) if before and before != record.id else ()
    for old in held:
        if old.unreadable:
            return
        said = [f"{name} {was} → {now}" for name, was, now in differences.changes(old, record)]
        reached = [one.metrics.get("test_accuracy") for one in (old, record)]
        if None not in reached:
            said.append(f"test accuracy {percent(reached[0])} → {percent(reached[1])}")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**Changed:** {markup.literal('; '.join(said))}", width="content")
            st.page_link(
                shell.page("train"), label="The run before", icon=":material/undo:", query_params={"run": old.id}
            )


def waiting(record: RunRecord) -> bool:
    """Whether the run without privacy beside this one is under way."""
    found = _stored(_wanted(record))
    return found is not None and found.pending


def _wanted(record: RunRecord) -> RunSpec | None:
    """The run without privacy that this one is read beside; None where there is no such run."""
    if record.state != "done":
        return None
    try:
        return without_privacy(record.spec)
    except (OptionError, UnknownName):  # a run of an earlier version, with options that are admitted no more
        return None


def _stored(spec: RunSpec | None) -> RunRecord | None:
    held = queue.store().find(RunQuery(ids=(spec.id,))) if spec is not None else ()
    return next((one for one in held if not one.unreadable), None)


def without_privacy_button(record: RunRecord, known: bool) -> None:
    """The way to the run without privacy beside this one: to train it, where no such run is `known`."""
    wanted = _wanted(record)
    if wanted is None:
        return
    found = _stored(wanted)
    same = "with the same options" if wanted.method == record.spec.method else "with its default options"
    title = f"{method_title(wanted.method)} {same}, on the same graph, split and seed, without any protection"
    if found is None:
        if not known and st.button(
            "Train it without privacy, to compare", key="reference", icon=":material/play_arrow:", help=title
        ):
            try:
                queue.submit([wanted], tags=["reference"])
            except (StoreError, OptionError, OSError) as error:
                st.error(markup.sentence(error))
            else:
                st.rerun()
        return
    state = f"{found.progress:.0%} done" if found.pending else states.state_word(found.state)
    st.page_link(
        shell.page("train"),
        label="The run without privacy" + ("" if found.state == "done" else f" ({state})"),
        icon=":material/arrow_forward:",
        query_params={"run": found.id},
        help=title,
    )


def no_better(record: RunRecord, told: Chance) -> None:
    """A sentence where the accuracy cannot be told from chance."""
    if told.majority is None or not told.no_better:
        return
    advice = (
        "Try a larger ε, a graph with more nodes, or another method." if record.spec.unit != "none" else "Train longer."
    )
    how = "below" if told.high < told.majority else "not above"
    st.warning(
        f"**No better than chance.** The accuracy is {how} that of naming the largest class for everybody "
        f"({percent(told.majority)}), as far as {told.nodes:,} test nodes can tell. {advice}",
        icon=":material/casino:",
    )


def rest(record: RunRecord) -> str:
    """The further results, in a line."""
    said = []
    if (validation := record.metrics.get("val_accuracy")) is not None:
        said.append(f"Validation accuracy {percent(validation)}.")
    device = markup.literal(record.device or "an unknown device")
    said.append(f"Took {duration(record.seconds)} on {device}; peak memory {record.peak_memory_mb or 0:.0f} MB.")
    said.append(f"Made by {markup.literal(made_by(record))}.")
    return " ".join(said)
