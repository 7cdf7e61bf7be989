"""The Trade-offs page: accuracy against epsilon over seeds, and what makes more of it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.facts import datasets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import choosing, layout
from privgraph_workbench.views.runs.page import FILTERS
from privgraph_workbench.views.tradeoffs import (
    advice,
    all_graphs,
    compare_form,
    figure,
    files,
    known,
    like_own,
    sending,
    sweep_form,
)
from privgraph_workbench.words import markup

POLL_SECONDS = 2.0
OF_BEFORE = "on"
"""How addresses of before named the graph."""
CHOSEN = "chosen"
"""What the address of the page Runs holds beside its filters, and a browser that goes back still has."""


def page() -> None:
    """Choose data, methods and unit; the curve; the sweep."""
    st.title("Trade-offs")
    st.markdown("Which method for this graph, at which ε, and what it costs. **Click a point** to open its runs.")
    queue.tick()
    _rename()
    _remember()
    for complaint in _complaints():
        st.warning(complaint)
    spec, query = _filters()
    waiting = queue.store().count(figure.in_state(query, sending.PENDING))
    newest = known.newest_of(replace(query, datasets=(spec.name,)))
    told = shell.fragment(_answer, run_every=POLL_SECONDS if waiting else None)
    told(query, spec, bool(waiting), newest)
    empty = newest is None
    compares = empty and figure.comparable(spec, query)
    label = "Compare what fits" if empty else "Behind this advice, and what has not run yet"
    with layout.fold(label, "compare", icon=":material/recommend:", opened=compares) as part:
        if part.open:
            compare_form.show(spec, newest)
    asked = any(name.startswith(sweep_form.PREFIX) for name in st.query_params)  # of a graph of these options
    opened = asked or (empty and not compares)
    with layout.fold("Run a sweep", "sweep", icon=":material/play_arrow:", opened=opened) as part:
        if part.open:
            sweep_form.show(spec, newest)
    sending.progress(spec, everywhere=not query.datasets)


def _answer(query: RunQuery, spec: DatasetSpec, was_waiting: bool, newest: RunRecord | None) -> None:
    """What to take and the figure, side by side where both are of one unit; drawn again as runs end."""
    units = query.units[1:]
    told = [unit for unit in units if query.datasets and advice.tells(spec, unit, newest)]
    if not query.datasets:
        drawn = {one: run for one in files.choices().values() if (run := known.newest(one.name, *units))}
        all_graphs.show(drawn, units, spec)
        figure.show(query, spec, was_waiting, newest)
        return
    if len(units) == 1 and told:
        left, right = layout.columns("answer", [10, 11], "medium")
        with left:
            advice.headline(spec, told[0], newest)
        with right:
            shown = figure.show(query, spec, was_waiting, newest)
    else:
        for column, unit in zip(layout.columns("answers", len(told)) if told else (), told, strict=True):
            with column:
                advice.headline(spec, unit, newest)
        shown = figure.show(query, spec, was_waiting, newest)
    if shown is not None:
        figure.numbers(shown, spec, newest, units)


_KEPT = (
    "protects",
    "everywhere",
    *like_own.KEYS,
    "sweep_epsilons",
    "sweep_methods",
    "sweep_seeds",
    "sweep_bare",
    "sweep_option",
    "sweep_values",
    figure.DETAILED,
    figure.FRONT,
    figure.EVERY,
    "fold.sweep",
    "fold.compare",
)
"""What is asked for here, and stands here again when somebody comes back from another page."""


def _remember() -> None:
    """Streamlit forgets the fields of a page that is left: put back what they held, but for what the address
    says otherwise."""
    held = st.session_state.setdefault("tradeoffs.kept", {})
    for name in _KEPT:
        if name in st.session_state:
            held[name] = st.session_state[name]
        elif name in held and name not in st.query_params:
            st.session_state[name] = held[name]


def _rename() -> None:
    """Addresses of before named the graph `on`; every page calls it `data`. And whoever comes back from runs
    that were opened here has their address, in which nothing is of this page but the graph."""
    for name in (CHOSEN, *FILTERS):
        st.query_params.pop(name, None)
    asked = st.query_params.get(OF_BEFORE)
    if asked is not None:
        del st.query_params[OF_BEFORE]
        if "data" not in st.query_params:
            st.query_params["data"] = asked


def _complaints() -> list[str]:
    sentences = []
    data = st.query_params.get("data")
    if data is not None and data not in files.choices():
        sentences.append(f"In this page's address, {datasets.complaint(data)}.")
    for key, admitted in (("curve", set(METHODS)), ("protects", {"edge", "node", "both"})):
        for value in st.query_params.get_all(key):
            if value not in admitted:
                sentences.append(
                    f"In this page's address, {key} has no value {markup.literal(value[:80])}; it is left out."
                )
    return sentences


def _filters() -> tuple[DatasetSpec, RunQuery]:
    """Graph, methods and unit: the graph that is worked on, and the runs that are shown."""
    _follow_sweep()
    found = files.choices()
    left, middle, right, last = st.columns([5, 5, 5, 3], vertical_alignment="bottom")
    with left:
        spec = found[choosing.one("Data", choosing.graphs(found.values()), "data")]
    everywhere = last.toggle(
        "All graphs",
        key="everywhere",
        bind="query-params",
        help="A small figure for each graph that has runs, side by side",
    )
    titles = {name: method.title for name, method in METHODS.items()}
    methods = choosing.several(middle, "Methods", titles, "curve", placeholder="All methods that have run")
    unit = right.segmented_control(
        "Protected unit",
        ["edge", "node", "both"],
        default="edge",
        required=True,
        key="protects",
        bind="query-params",
        help="An ε for edges and an ε for nodes are different promises: both stand side by side, each on its own axis",
    )
    units = ("none", "edge", "node") if unit == "both" else ("none", str(unit))
    shown = () if everywhere else (spec.name,)
    return spec, RunQuery(methods=tuple(methods), datasets=shown, units=units, limit=figure.MOST_RUNS)


def _follow_sweep() -> None:
    """The filters show what the sweep that was just sent protects, by which methods; and every setting, where
    it varies one."""
    methods, unit, varied = st.session_state.pop("sent", ((), None, False))
    if unit is None:
        return
    if varied:
        st.session_state[figure.EVERY] = True
    if st.session_state.get("protects") != "both":
        st.session_state["protects"] = unit
    if chosen := st.query_params.get_all("curve"):
        st.query_params["curve"] = list(dict.fromkeys([*chosen, *methods]))
