"""What moves the prediction of relations: a figure of runs that differ in one option, and the way to more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.methods.base import filled_in
from privgraph.options import OptionError, Scalar
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.relations import relation_options
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.relations import sent, times
from privgraph_workbench.views.relations.runs import Pair, like
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import number, roughly

MOST_RUNS = 500
VALUES: Mapping[str, tuple[float, ...]] = {
    "negatives": (1, 2, 4, 8, 16),
    "batch_size": (16, 32, 64, 128),
    "learning_rate": (0.001, 0.003, 0.01),
    "clip": (0.01, 0.1, 1.0, 10.0, 100.0),
    "steps": (10, 20, 40, 80),
    "noise_multiplier": (0.5, 0.7, 1.0, 1.5, 2.5),
    "epsilon": (1.0, 2.0, 4.0, 10.0),
}
"""Values that the page offers to train, of each option: those of the study (Figures 2 and 3)."""
TITLES = {
    "negatives": "negatives k",
    "batch_size": "batch size b",
    "learning_rate": "learning rate",
    "clip": "clip C",
    "steps": "steps T",
    "noise_multiplier": "noise multiplier σ",
    "epsilon": "ε",
}
SEEDS = 5
OFFER = "Train several values of one option"
PRICE = (
    " Choosing the best of several runs on private relations reveals more than the ε of any one: choose options on "
    "public relations, or count every run."
)


def curves(pair: Pair) -> list[Row]:
    """Rows of runs that differ from the chosen one in one option; none where they are too few for a curve."""
    if pair.first.spec.method != relation_options.METHOD:
        return []
    rows = relation_options.data(_studied(), pair.first)
    return rows if relation_options.makes_curves(rows) else []


def _studied() -> list[RunRecord]:
    query = RunQuery(methods=(relation_options.METHOD,), states=("done",), limit=MOST_RUNS)
    return states.readable(queue.store().find(query))


def show(pair: Pair, rows: Sequence[Row]) -> None:
    """These rows as a figure, and how to come by others."""
    st.divider()
    st.markdown("### What moves it?")
    drawn = [title for name, title in TITLES.items() if name in {row["option"] for row in rows}]
    told = f"Runs that differ from the chosen one in **{' or '.join(drawn)}** alone, all else equal"
    lines = "; a line for each learning rate" if len({row["line"] for row in rows if row["line"]}) > 1 else ""
    st.markdown(f"{told}{lines}. For other options: “{OFFER}”, above.")
    found = relation_options.compared(_studied(), pair.first)
    shown = {one.id: one for members in found.values() for one in members}
    drawn_figure("relation_options", rows, statements_of(list(shown.values())), pair.first, runs=list(shown.values()))


def offer(pair: Pair) -> None:
    """A form that trains the values of one option that are missing."""
    if pair.first.spec.method != relation_options.METHOD:
        return
    with st.expander(OFFER, key="fold.moved_option", icon=":material/tune:"):
        st.markdown("Three values or more make a curve, *What moves it?*, on this page.")
        _more(pair.first)
    sent.show("moved")


def _more(chosen: RunRecord) -> None:
    """Train the chosen run with other values of one option."""
    private = chosen.spec.unit != "none"
    offered = {name: title for name, title in TITLES.items() if private or name not in relation_options.PRIVATE}
    left, right = st.columns(2)
    with left:
        option = choosing.one("Option", offered, "moved")
    with right:
        seeds = int(st.number_input("Seeds", 1, SEEDS, 1, key="moved_seeds", help="Repetitions with other seeds"))
    try:
        specs = missing(chosen.spec, option, seeds)
    except OptionError as error:
        st.error(markup.sentence(error))
        return
    told = ", ".join(number(value) for value in VALUES[option])
    if not specs:
        st.caption(f"All of these values are there or under way: {told}.")
        return
    time = times.total(specs)
    took = "" if time is None else f", about {roughly(time)} in all"
    st.caption(f"{TITLES[option]}: {told}. {len(specs)} runs are missing{took}.{PRICE * private}")
    if st.button(f"Train {len(specs)} runs", key="train_moved", icon=":material/play_arrow:"):
        sent.train("moved", specs)


def missing(asked: RunSpec, option: str, seeds: int) -> list[RunSpec]:
    """The asked spec with each value of the option, and seeds from its own on; without those that are stored,
    unless they were stopped or failed."""
    specs = [_with(asked, {option: value}, asked.seed + more) for more in range(seeds) for value in VALUES[option]]
    there = {
        one.id
        for one in queue.store().find(RunQuery(ids=tuple(one.id for one in specs), limit=MOST_RUNS))
        if one.pending or one.state == "done"
    }
    return list({one.id: one for one in specs if one.id not in there}.values())


def _with(asked: RunSpec, moved: Mapping[str, Scalar], seed: int) -> RunSpec:
    """The asked spec with options moved. A value that its method would choose by itself is left to it, so
    that one training is not two runs."""
    options = {**asked.options, **moved}
    if "epsilon" in moved:
        options["noise_multiplier"] = 0.0
    own = filled_in(asked.config(), None)
    options |= {name: asked.options[name] for name, value in moved.items() if own.get(name) == value}
    return like(asked, options, seed=seed)
