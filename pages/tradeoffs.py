"""Accuracy against epsilon on one graph, what to take at each epsilon, and a sweep that adds to both."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from privgraph.data.catalogue import DATASETS
from privgraph.data.errors import DataError
from privgraph.data.files import available
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.options import OptionError, Scalar, parameters, parse
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph.runs import engines
from privgraph.runs.engines import ENGINES
from privgraph.runs.graph_id import GraphId
from privgraph.runs.memory import too_large
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec
from privgraph_workbench import advice, summary, sweeps
from privgraph_workbench.components import live_plot
from privgraph_workbench.facts import datasets, plans
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.figures.settings import table_rows
from privgraph_workbench.forms import data_options
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import choosing, layout, sending, statement
from privgraph_workbench.parts.cached import kept
from privgraph_workbench.parts.links import figure_exports
from privgraph_workbench.serving import shell
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import data_title, method_title, statements_of
from privgraph_workbench.words.numbers import duration, percent

OPENED = "tradeoffs.opened"
MOST = 200  # runs that are sent at once
BOTH = "both"


@kept
def everything() -> pd.DataFrame:
    return summary.runs(queue.store())


def graphs() -> dict[str, tuple[str, int]]:
    """The graphs with finished runs: name in the address -> (graph in words, number of runs)."""
    names: dict[str, tuple[str, int]] = {}
    for (graph, title), count in everything()[["graph", "dataset"]].value_counts().items():
        names[graph if title in names else title] = graph, count
    return names


def finished(graph: str) -> pd.DataFrame:
    return of_graph(everything(), graph)


def of_graph(frame: pd.DataFrame, graph: str) -> pd.DataFrame:
    return frame[frame.graph == graph]


@kept
def points(graph: str, unit: str, methods: tuple[str, ...], beside: bool) -> list[Row]:
    """The rows of the figure, with examples `beside` one's own runs."""
    frame = finished(graph)
    if beside:
        frame = pd.concat([frame, of_graph(summary.runs(queue.examples()), graph)])
    units = ["edge", "node", "none"] if unit == BOTH else [unit, "none"]
    frame = frame[frame.unit.isin(units)]
    if methods:
        frame = frame[frame.method.isin(methods) | (frame.unit == "none")]
    together = dict.fromkeys(frame.run, len(frame[frame.unit != "none"]))
    return tradeoff.on_fronts(table_rows(summary.settings(frame), together))


def said(rows: Sequence[Row]) -> dict[str, PrivacyStatement]:
    query = RunQuery(ids=tuple(run for row in rows for run in row["runs"].split()))
    return statements_of([one for source in (queue.own(), queue.examples()) for one in source.find(query)])


@kept
def plotted(chosen: tuple[Any, ...], published: bool, front: bool, wished: float | None, theme: str) -> go.Figure:
    return draw(tradeoff.chart(points(*chosen), published=published, front=front, wished=wished), theme)


@kept
def advised(graph: str, unit: str) -> list[advice.Advice]:
    return advice.advise(finished(graph), unit)


def headline(found: Sequence[advice.Advice], unit: str) -> None:
    label, offered = f"ε, {tradeoff.UNITS[unit]} protected", [each.epsilon for each in found]
    epsilon = st.select_slider(label, offered, key=f"at.{unit}", bind="query-params")
    one = next(one for one in found if one.epsilon == epsilon)
    outcome = one.outcome.value if one.take or one.outcome is advice.Outcome.UNKNOWN else "nothing"
    names = " / ".join(map(method_title, one.take))
    names += f" (ε {one.at:g})" if one.at != one.epsilon else ""
    slots = {"epsilon": f"{epsilon:g}", "methods": markup.literal(names)}
    text = texts("advice")[outcome]
    st.markdown(fill(text, **{name: value for name, value in slots.items() if f"{{{name}}}" in text}))


def table(found: Sequence[advice.Advice]) -> None:
    shares = dict.fromkeys(("accuracy", "low", "high"), "percent")
    forms = shares | dict.fromkeys(("cost", "cost_low", "cost_high"), "%.1f")
    order = ["epsilon", "method", "verdict", *forms, "seeds", "promise"]
    cells = advice.table(found).round(dict.fromkeys(shares, 3))
    key, forms = f"advice.{found[0].methods[0].method}", {**forms, "epsilon": "%g"}
    layout.table(cells, texts("columns")["advice"], {"epsilon": "ε"}, forms, key=key, column_order=order)


def reach(found: Sequence[advice.Advice], wished: float) -> None:
    """Show the smallest epsilon at which a mean of finished runs reaches the wished accuracy, and by what."""
    best = ((at.epsilon, max(at.methods, key=lambda one: one.accuracy)) for at in found)
    epsilon, one = next(((epsilon, one) for epsilon, one in best if one.accuracy >= wished), (None, None))
    if one is None:
        st.markdown(texts("advice")["unreached"])
    else:
        slots = {"epsilon": f"{epsilon:g}", "method": markup.literal(method_title(one.method))}
        st.markdown(fill(texts("advice")["reached"], **slots, accuracy=percent(one.accuracy)))


def answer(graph: str, unit: str) -> None:
    """The figure and the advice."""
    opened = str(st.session_state.pop(OPENED, "")).split()
    if len(opened) == 1:
        st.switch_page(shell.page("train"), query_params={"run": opened[0]})
    elif opened:
        st.switch_page(shell.page("runs"), query_params={"chosen": ",".join(opened)})
    if finished(graph).empty:
        st.info("No finished run on this graph. Start a sweep below.", icon="📈")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shared = {"key": "wished", "bind": "query-params", "placeholder": "none", "width": 180}
        wished = st.number_input("Wished accuracy (%)", 1, 100, None, 1, **shared)
        published = st.toggle("ε as published", key="tradeoff_detailed", bind="query-params")
        front = st.toggle("Pareto front", key="tradeoff_front", bind="query-params")
        beside = False
        if not shell.examples_shown():
            beside = st.toggle("Examples beside", key="tradeoff_examples", bind="query-params")
    share = None if wished is None else wished / 100
    chosen = (graph, unit, tuple(methods), beside)
    drawn = plotted(chosen, published, front, share, layout.theme())
    live_plot.show(drawn, key=f"tradeoff.{unit}", on_click=lambda runs: st.session_state.update({OPENED: runs}))
    if rows := points(*chosen):
        figure_exports("tradeoff", rows, graph.partition(" ")[0], statements=partial(said, rows))
    for one in ("edge", "node") if unit == BOTH else (unit,):
        if found := advised(graph, one):
            headline(found, one)
            if share is not None:
                reach(found, share)
            table(found)


# A sweep


def varied(methods: Sequence[str], key: str) -> list[dict[str, Scalar]]:
    """An option that all methods have at each of its values; one setting alone where none varies."""
    known = [{one.name: one for one in parameters(METHODS[name].load_config())} for name in methods]
    shared = [name for name in known[0] if name not in ("epsilon", "unit") and all(name in one for one in known)]
    left, right = st.columns(2)
    titles = {name: known[0][name].label for name in shared}
    name = left.selectbox("Vary", shared, index=None, key=f"sweep_option.{key}", format_func=titles.__getitem__)
    if name is None:
        return [{}]
    one = known[0][name]
    typed = right.text_input(f"Values of {one.label}", key=f"sweep_values.{key}", help=one.option.help)
    return [{name: value} for value in dict.fromkeys(parse(one, text) for text in typed.replace(",", " ").split())]


def price(specs: Sequence[RunSpec], facts: PublicFacts) -> int:
    """Say how long the runs take and what all of them cost together; how many of them are new."""
    seeds = 1 + max(one.seed for one in specs)
    planned = [plans.plan(one.method, one.options, facts) for one in specs if one.seed == 0]
    if refusal := too_large(max(plan.memory_mb for plan in planned)):
        raise OptionError(refusal)
    own = queue.own()
    done = {row["id"] for row in own.find_rows(RunQuery(ids=tuple(one.id for one in specs), states=("done",)))}
    left = [one for one in specs if one.id not in done]
    st.caption(f"New runs: {len(left)}; time: {duration(sending.seconds(left, facts))}")
    if private := [plan.statement for plan in planned if plan.statement.unit != "none"]:
        statement.together(private, seeds)
    return len(left)


def form(spec: DatasetSpec, options: Mapping[str, Scalar], unit: str) -> None:
    key, fit = f"{spec.name}.{unit}", sweeps.fitting(spec, unit)
    offered = {name: METHODS[name].title for name in [*fit, *sweeps.fitting(spec, unit, apart=True)]}
    if not offered:
        st.info("No method protects this unit of such a graph.")
        return
    left, middle, right = st.columns([3, 3, 1])
    shared = {"key": f"sweep_methods.{key}", "format_func": offered.__getitem__}
    chosen = left.multiselect("Methods", list(offered), default=fit, **shared)
    usual = ", ".join(f"{one:g}" for one in sweeps.EPSILONS[unit])
    typed = middle.text_input("Target ε", usual, key=f"sweep_epsilons.{key}")
    seeds = right.number_input("Seeds", 1, 20, sweeps.SEEDS, key=f"sweep_seeds.{key}")
    bare = st.toggle("With models without privacy, to compare with", True, key=f"sweep_bare.{key}")
    data, specs, ready = data_options.options_form(spec), [], False
    try:
        epsilons = sorted({float(word) for word in typed.replace(",", " ").replace(";", " ").split()})
        if chosen and epsilons and not data.errors:
            asked = {"epsilons": epsilons, "seeds": seeds, "methods": chosen, "bare": bare}
            given, more = {**options, **data.values}, varied(chosen, key)
            specs = sweeps.specs(spec.name, unit, data_options=given, apart=True, varied=more, **asked)
            if len(specs) > MOST:
                raise OptionError(f"a sweep from this page has at most {MOST} runs (got {len(specs)})")
            facts = datasets.public_facts(spec, given, "random")
            if facts is None:
                st.caption("The graph is being counted.")
            ready = bool(specs) and (facts is None or price(specs, facts) > 0)
    except (OptionError, DataError, ValueError) as error:
        st.error(markup.sentence(error))
    engine, *others = engines.offered()
    if others:  # nothing is asked where this machine alone can
        about = {one: f"{one}: {ENGINES[one].about}" for one in (engine, *others)}
        engine = st.selectbox("Train on", list(about), key=f"sweep_engine.{key}", format_func=about.__getitem__)
    shared = {"type": "primary", "icon": ":material/play_arrow:", "disabled": not ready}
    if st.button(f"Run the sweep ({len(specs)} runs)", key=f"sweep_go.{key}", **shared):
        sending.sweep("tradeoffs", specs, engine)


def train(name: str, graph: str, unit: str) -> None:
    if (spec := choosing.here(name.partition(" (")[0])) is not None:
        run = next(iter(finished(graph).run), None)
        form(spec, dict(queue.of(run).get(run).spec.data_options) if run else {}, unit)


layout.head("tradeoffs")
known = graphs()
here = [one.name for one in datasets.choices() if available(one)]
counts = {one: known.get(one, ("", 0))[1] for one in (*known, *here)}
titles = {one: f"{data_title(one) if one in DATASETS else one} ({runs} runs)" for one, runs in counts.items()}
left, middle, right = st.columns([5, 3, 5], vertical_alignment="bottom")
with left:
    name = choosing.one("Graph", titles, "data")
with middle:
    unit = choosing.one("Protects", ["edge", "node", BOTH], "protects", row=True)
offered = {one: method.title for one, method in METHODS.items()}
methods = choosing.several(right, "Methods", offered, "curve", placeholder="all")
words, _ = known.get(name, (GraphId.made(name, {}, "random").words(), 0))
layout.reading("tradeoffs")
sending.progress("tradeoffs")
shell.fragment(answer)(words, unit)
begun = partial(train, name, words, "edge" if unit == BOTH else unit)
layout.folded("Run a sweep", "sweep", begun, icon="play_arrow", opened=name not in known)
