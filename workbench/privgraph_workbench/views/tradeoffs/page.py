"""The Trade-offs page: accuracy against epsilon over seeds, and what makes more of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from privgraph.registry import METHODS
from privgraph.runs.records import PENDING, RunQuery
from privgraph_workbench.facts import datasets
from privgraph_workbench.facts.finished import Finished
from privgraph_workbench.figures.notes import mixed_units
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell, styles
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
    made_up,
    one_graph,
    preset,
    sending,
    sweep_form,
)
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph
from privgraph_workbench.words import markup

POLL_SECONDS = 2.0
OF_ALL = "All graphs are shown: turn All graphs off to choose one"
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
    graph, query = _filters()
    sending.progress(graph, everywhere=not query.datasets)
    if st.session_state.get(like_own.OPENED):
        like_own.show(files.choices(), query.units[1:])
    if like_own.asks() and query.datasets:
        st.info(
            "Type the nodes and the mean degree of your graph first: what the nearest graph with runs advises stands "
            "here then, and whether that carries over.",
            icon=":material/edit:",
        )
        return
    answer = st.container()
    waiting = len(known.rows_of(figure.in_state(query, PENDING), graph if query.datasets else None))
    planned = not graph.runs and not waiting and one_graph.MARK in st.query_params.get("data", "")
    told = shell.fragment(_answer, run_every=POLL_SECONDS if waiting else None)
    with answer:
        if planned:
            _sweep_of_own(graph)
        told(query, graph, bool(waiting), planned)
    empty = not known.rows_of(replace(query, states=("done",)), graph)
    compares = empty and not planned and figure.comparable(graph.spec, query)
    label = "Compare what fits" if empty else "Behind this advice, and what has not run yet"
    with layout.fold(label, "compare", icon=":material/recommend:", opened=compares) as part:
        if part.open:
            compare_form.show(graph)
    if not planned:
        asked = any(name.startswith(sweep_form.PREFIX) for name in st.query_params)  # of a graph of these options
        opened = asked or (empty and not compares)
        with (
            st.container(key=preset.FORM),
            layout.fold("Run a sweep", "sweep", icon=":material/play_arrow:", opened=opened) as part,
        ):
            if part.open:
                sweep_form.show(graph)
        preset.shown()


def _sweep_of_own(graph: OneGraph) -> None:
    """The form on top, where the address names a graph on which nothing has run."""
    with st.container(border=True):
        st.markdown(f"##### You are about to sweep a {markup.literal(made_up.words(graph))}")
        if said := made_up.made_as(graph):
            st.markdown(said)
        sweep_form.show(graph, every=True)


def _answer(query: RunQuery, graph: OneGraph, was_waiting: bool, planned: bool) -> None:
    """What to take and the figure, side by side for each protected unit; on a phone what to take is first.
    Drawn again as runs end."""
    units = query.units[1:]
    if not query.datasets:
        _of_all(query, graph, was_waiting)
        return
    told = [unit for unit in units if advice.tells(graph, unit)]
    if like_own.far(graph, told, files.choices()):
        _not_near(graph, told)
        shown = figure.show(query, graph, was_waiting)
    elif len(units) == 1 and told:
        left, right = layout.columns(f"{styles.WOVEN}-answer", [11, 10], "medium")
        with left:
            advice.headline(graph, told[0])
        with right:
            shown = figure.show(query, graph, was_waiting)
        advice.with_public(graph, told[0])
    else:
        shown = _by_unit(query, graph, told, was_waiting, planned)
    if shown is not None:
        figure.numbers(shown, (graph,), units)


def _of_all(query: RunQuery, graph: OneGraph, was_waiting: bool) -> None:
    """Of every graph that has runs what is told first, a panel, and folded all that is said, in one order."""
    units = query.units[1:]
    graphs = all_graphs.in_order(files.choices().values(), units, graph)
    all_graphs.answer(graphs, units)
    held = figure.made(query, graph, was_waiting, beside=graphs)
    if held is not None:
        figure.plot(held)
        figure.below(held)
    all_graphs.show(graphs, units)
    if held is not None:
        figure.numbers(held.done, graphs, units)
    st.caption(f"The parts below are about {markup.literal(graph.title)}. Turn All graphs off to choose another one.")


def _not_near(graph: OneGraph, told: Sequence[str]) -> None:
    """What is said of a graph that is too far from one's own, folded, and why."""
    title = markup.literal(graph.title)
    why = next(
        said for unit in told if (found := known.known(graph, unit)) and (said := like_own.refused(graph, found))
    )
    st.markdown(f"**What follows is about {title}.** {why}")
    nearest = like_own.is_nearest(graph, told, files.choices())
    label = "Advice for the nearest graph, which is not near" if nearest else f"Advice for {title}, which is not near"
    with layout.fold(label, "far", icon=":material/wrong_location:") as part:
        if part.open:
            for unit in told:
                advice.headline(graph, unit)
                advice.with_public(graph, unit)


def _by_unit(
    query: RunQuery, graph: OneGraph, told: Sequence[str], was_waiting: bool, planned: bool
) -> Finished | None:
    """Of each protected unit what to take and its panel of the figure, side by side; below the first of them
    what they share."""
    shown = figure.made(query, graph, was_waiting, planned=planned)
    drawn = [] if shown is None else shown.units
    if len(told) > 1:
        advice.shared(graph, told)
    if shown is not None and (mixed := mixed_units(shown.rows)):
        st.markdown(f"⚠ {markup.literal(markup.sentence(mixed))}")
    for unit in query.units[1:]:
        if unit in told and unit in drawn:
            left, right = layout.columns(f"{styles.WOVEN}-answer-{unit}", [11, 10], "medium")
        else:
            left = right = st.container()
        if unit in told:
            with left:
                advice.headline(graph, unit, told)
        if shown is not None and unit in drawn:
            with right, layout.on_phone(1, f"plot-{unit}"):
                figure.plot(shown, unit)
                if unit == drawn[0]:
                    figure.below(shown)
    if shown is not None and not drawn:
        figure.plot(shown)
        figure.below(shown)
    for unit in told:
        advice.with_public(graph, unit)
    return None if shown is None else shown.done


_KEPT = (
    "protects",
    "everywhere",
    like_own.OPENED,
    *like_own.FIELDS,
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
    if "data" not in st.query_params and held.get("data", "").partition(one_graph.MARK)[0] == choosing.before("data"):
        choosing.put("data", held["data"])  # other pages know the data set alone
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
    found = files.choices(data or "")
    if data is not None and files.key_of(data, found) not in found:
        sentences.append(f"In this page's address, {datasets.complaint(data.partition(one_graph.MARK)[0])}.")
    for key, admitted in (("curve", set(METHODS)), ("protects", {"edge", "node", "both"})):
        for value in st.query_params.get_all(key):
            if value not in admitted:
                sentences.append(
                    f"In this page's address, {key} has no value {markup.literal(value[:80])}; it is left out."
                )
    return sentences


def _filters() -> tuple[OneGraph, RunQuery]:
    """Graph, methods and unit: the graph that is worked on, and the runs that are shown."""
    _follow_sweep()
    asked = st.query_params.get("data", "")
    found = files.choices(asked)
    if (key := files.key_of(asked, found)) != asked:
        choosing.put("data", key)
    left, right, last = st.columns([5, 3, 8], vertical_alignment="bottom")
    with left:
        of_all = _asked_for_all()
        key = choosing.one("Data", files.titles(found), "data", disabled=of_all, help=OF_ALL if of_all else None)
    graph = found[key]
    st.session_state["tradeoffs.kept"]["data"] = key
    choosing.remember("data", graph.spec.name)
    unit = right.segmented_control(
        "Protected unit",
        ["edge", "node", "both"],
        default="edge",
        required=True,
        key="protects",
        bind="query-params",
        help="An ε for edges and an ε for nodes are different promises: both stand side by side, each on its own axis",
    )
    titles = {name: method.title for name, method in METHODS.items()}
    chosen = [name for name in st.query_params.get_all("curve") if name in titles]
    with last.container(horizontal=True, vertical_alignment="center"):
        folded = st.popover(f"Methods: {len(chosen) or 'all'}", icon=":material/filter_alt:", key="filter")
        methods = choosing.several(folded, "Methods", titles, "curve", placeholder="All methods that have run")
        st.toggle(
            "My own graph",
            key=like_own.OPENED,
            bind="query-params",
            help="Type what you know of it: which graph with runs is nearest, whether its advice carries over, and "
            "a sweep on a made-up graph of these measures",
        )
        everywhere = st.toggle(
            "All graphs",
            key="everywhere",
            bind="query-params",
            help="What to take on each graph that has runs, in a line, and a panel of the figure for each",
        )
    units = ("none", "edge", "node") if unit == "both" else ("none", str(unit))
    shown = () if everywhere else (graph.spec.name,)
    return graph, RunQuery(methods=tuple(methods), datasets=shown, units=units)


def _asked_for_all() -> bool:
    """Whether all graphs are shown, by their switch, which stands behind the list of graphs, or before it is
    drawn by the address."""
    held = st.session_state.get("everywhere")
    return bool(st.query_params.get("everywhere") == "true" if held is None else held)


def _follow_sweep() -> None:
    """The filters show the graph of the sweep that was just sent, what it protects, by which methods; and
    every setting, where it varies one."""
    methods, unit, varied, address = st.session_state.pop("sent", ((), None, False, ""))
    if unit is None:
        return
    if one_graph.MARK in address:
        choosing.put("data", address)
    if varied:
        st.session_state[figure.EVERY] = True
    if st.session_state.get("protects") != "both":
        st.session_state["protects"] = unit
    if chosen := st.query_params.get_all("curve"):
        st.query_params["curve"] = list(dict.fromkeys([*chosen, *methods]))
