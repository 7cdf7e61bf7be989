"""What a run's accuracy is read beside: chance, confidence, and the same task without privacy."""

from __future__ import annotations

import streamlit as st

from privgraph.options import OptionError, UnknownName
from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts.references import Chance, chance, without_privacy
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import states
from privgraph_workbench.words import differences, markup
from privgraph_workbench.words.naming import method_title
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


def show(record: RunRecord) -> None:
    """The results of a run, with what they are to be read beside."""
    _changes(record)
    if not record.metrics:
        return
    told = chance(record.metrics)
    first, second, third = st.columns(3)
    relations = record.spec.method in METHODS and RELATIONS in METHODS[record.spec.method].tasks
    first.metric(
        "PREC@1" if relations else "Test accuracy",
        percent(record.metrics.get("test_accuracy")),
        help=PREC if relations else ACCURACY,
        border=True,
    )
    if relations and "base_accuracy" in record.metrics:
        second.metric(
            "Base encoder",
            percent(record.metrics["base_accuracy"]),
            help="PREC@1 of the encoder as it was before it learnt relations",
            border=True,
        )
    if told is not None:
        second.metric(
            "Largest class",
            percent(told.majority),
            help="Test accuracy of naming the largest class for every node, which takes no learning at all",
            border=True,
        )
    with third:
        _without_privacy(record)
    if told is not None:
        _no_better(record, told)
    st.caption(_rest(record, told))


def _changes(record: RunRecord) -> None:
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


def _without_privacy(record: RunRecord) -> None:
    """The accuracy without privacy, or the way to it."""
    wanted = _wanted(record)
    if wanted is None:
        if record.spec.unit == "none":
            st.metric("Without privacy", "this run", help="Nothing is protected in this run", border=True)
        return
    found, title = _stored(wanted), method_title(wanted.method)
    same = "with the same options" if wanted.method == record.spec.method else "with its default options"
    help = f"{title} {same}, on the same graph, split and seed, without any protection"
    if found is None or not found.pending:
        value = percent(found.metrics.get("test_accuracy")) if found is not None and found.metrics else "not run"
        st.metric("Without privacy", value, help=help, border=True)
    else:
        st.metric("Without privacy", f"{found.progress:.0%} done", help=help, border=True)
    if found is None:
        if st.button("Train it", key="reference", icon=":material/play_arrow:", help=help):
            try:
                queue.submit([wanted], tags=["reference"])
            except (StoreError, OptionError, OSError) as error:
                st.error(markup.sentence(error))
            else:
                st.rerun()
        return
    st.page_link(
        shell.page("train"),
        label="Open that run" if found.state == "done" else f"Open that run ({states.state_word(found.state)})",
        icon=":material/arrow_forward:",
        query_params={"run": found.id},
    )


def _no_better(record: RunRecord, told: Chance) -> None:
    """A sentence where the accuracy cannot be told from chance."""
    if not told.no_better:
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


def _rest(record: RunRecord, told: Chance | None) -> str:
    """How sure the accuracy is, and the further results, in a line."""
    said = []
    if told is not None:
        said.append(
            f"{told.nodes:,} test nodes: 95% confidence interval of the test accuracy {percent(told.low)} to "
            f"{percent(told.high)}. It covers the chance in which nodes are tested; several seeds show the chance "
            "in training."
        )
    if (validation := record.metrics.get("val_accuracy")) is not None:
        said.append(f"Validation accuracy {percent(validation)}.")
    device = markup.literal(record.device or "an unknown device")
    said.append(f"Took {duration(record.seconds)} on {device}; peak memory {record.peak_memory_mb or 0:.0f} MB.")
    return " ".join(said)
