"""The Trade-offs page: accuracy against epsilon over seeds, and a small sweep that makes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench import live_plot, theme
from privgraph_workbench.facts import datasets
from privgraph_workbench.figures.axes import COLUMNS
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.notes import badges_of
from privgraph_workbench.figures.runs import neighbours_heatmap, tradeoff
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import choosing, composition, layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.views.parts.states import readable
from privgraph_workbench.views.tradeoffs import compare_form, sweep_form
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import percent, stated

MOST_RUNS = 1000
POLL_SECONDS = 2.0
OF_BEFORE = "on"
"""How addresses of before named the graph."""


def page() -> None:
    """Choose data, methods and unit; the curve; the sweep."""
    queue.tick()
    _rename()
    _remember()
    st.title("Trade-offs")
    st.markdown(
        "More privacy (a smaller ε) means more noise and less accuracy. How much less is a question of "
        "method, graph and luck: each point is a mean over seeds, and its band says how sure one can be of "
        "it."
    )
    for complaint in _complaints():
        st.warning(complaint)
    spec = _choose_data()
    query = _filters(spec)
    waiting = queue.store().count(_in_state(query, sweep_form.PENDING))
    shell.fragment(_figure, run_every=POLL_SECONDS if waiting else None)(query, spec, bool(waiting))
    st.subheader("Which method for my graph?", anchor=compare_form.PLACE, divider="gray")
    compare_form.show(spec, _newest(query))
    st.subheader("Run a sweep: several ε, several seeds", anchor=sweep_form.PLACE, divider="gray")
    sweep_form.show(spec, _newest(query))


_KEPT = ("protects", "sweep_epsilons", "sweep_method", "sweep_seeds", "sweep_none")
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


def _newest(query: RunQuery) -> RunRecord | None:
    """The newest run that the figure shows."""
    found = queue.store().find(replace(query, states=("done",), limit=1))
    return next((record for record in found if not record.unreadable), None)


def _rename() -> None:
    """Addresses of before named the graph `on`; every page calls it `data`."""
    asked = st.query_params.get(OF_BEFORE)
    if asked is not None:
        del st.query_params[OF_BEFORE]
        if "data" not in st.query_params:
            st.query_params["data"] = asked


def _complaints() -> list[str]:
    sentences = []
    data = st.query_params.get("data")
    names = {spec.name for spec in datasets.choices() if datasets.unavailable(spec) is None}
    if data is not None and data not in names:
        sentences.append(f"In this page's address, {datasets.complaint(data)}.")
    for key, admitted in (("curve", set(METHODS)), ("protects", {"edge", "node", "both"})):
        for value in st.query_params.get_all(key):
            if value not in admitted:
                sentences.append(
                    f"In this page's address, {key} has no value {markup.literal(value[:80])}; it is left out."
                )
    return sentences


def _choose_data() -> DatasetSpec:
    found = {spec.name: spec for spec in datasets.choices() if datasets.unavailable(spec) is None}
    name = choosing.one("Data", choosing.graphs(found.values()), "data")
    spec = found[name]
    st.caption(naming.about(spec))
    return spec


def _filters(spec: DatasetSpec) -> RunQuery:
    _follow_sweep()
    left, right = st.columns([3, 2])
    titles = {name: method.title for name, method in METHODS.items()}
    methods = choosing.several(left, "Methods", titles, "curve", placeholder="All methods that have run")
    unit = right.segmented_control(
        "Protected unit",
        ["edge", "node", "both"],
        default="edge",
        required=True,
        key="protects",
        bind="query-params",
        help="An ε for edges and an ε for nodes are different promises; both together carry a warning",
    )
    units = ("none", "edge", "node") if unit == "both" else ("none", str(unit))
    return RunQuery(methods=tuple(methods), datasets=(spec.name,), units=units, limit=MOST_RUNS)


def _follow_sweep() -> None:
    """The filters show what the sweep that was just sent protects, by which methods."""
    methods, unit = st.session_state.pop("sent", ((), None))
    if unit is None:
        return
    if st.session_state.get("protects") != "both":
        st.session_state["protects"] = unit
    if chosen := st.query_params.get_all("curve"):
        st.query_params["curve"] = list(dict.fromkeys([*chosen, *methods]))


def _in_state(query: RunQuery, states: tuple[str, ...]) -> RunQuery:
    return replace(query, states=states)


@lru_cache(maxsize=16)
def _curve(url: str, ids: tuple[str, ...]) -> tuple[list[Row], dict[str, PrivacyStatement]]:
    """The figure's rows and the statements behind them. Finished runs never change, so this is computed
    once."""
    records = [one for one in queue.store().find(RunQuery(ids=ids)) if not one.unreadable] if ids else []
    return tradeoff.data(records), statements_of(records)


@lru_cache(maxsize=16)
def _together(url: str, ids: tuple[str, ...]) -> str:
    """`composition.together` of these runs. Finished runs never change, so this is computed once."""
    records = [one for one in queue.store().find(RunQuery(ids=ids)) if not one.unreadable] if ids else []
    return composition.together(records)


@lru_cache(maxsize=16)
def _refused(url: str, ids: tuple[str, ...]) -> list[RunRecord]:
    """Those of the runs that this version cannot read."""
    return [one for one in queue.store().find(RunQuery(ids=ids)) if one.unreadable] if ids else []


@lru_cache(maxsize=16)
def _table(url: str, ids: tuple[str, ...]) -> tuple[list[Row], dict[str, PrivacyStatement]]:
    """The rows of the table of neighbours, and the statements of its runs. Finished runs never change, so
    this is computed once."""
    if not ids:
        return [], {}
    found = queue.store().find(RunQuery(ids=ids, methods=(neighbours_heatmap.METHOD,)))
    records = [one for one in found if not one.unreadable]
    return neighbours_heatmap.data(records), statements_of(records)


def _figure(query: RunQuery, spec: DatasetSpec, was_waiting: bool) -> None:
    queue.tick()
    waiting = queue.store().count(_in_state(query, sweep_form.PENDING))
    if was_waiting and not waiting:
        st.rerun()
    messages = st.container()  # always there: a plot that moves is drawn anew, and the page jumps
    if waiting:
        those = f"{waiting} run{'s are' if waiting != 1 else ' is'}"
        messages.info(
            f"{those} under way; the figure grows as they end. [See the sweep](#{sweep_form.PLACE})", icon="⏳"
        )
    found = queue.store().find_rows(_in_state(query, ("done",)))
    ids = tuple(row["id"] for row in found)
    rows, statements = _curve(queue.store().url, ids)
    with messages:
        readable(_refused(queue.store().url, ids))
    elsewhere = _other_unit(query)
    if elsewhere and all(row["reference"] for row in rows):
        messages.info(elsewhere, icon="↔️")
    if not rows:
        if not elsewhere:
            st.info(
                f"No finished run on {markup.literal(spec.title)} protects this unit yet. The sweep below "
                "makes the curve.",
                icon="📈",
            )
        return
    if len(ids) == MOST_RUNS:
        st.caption(f"The newest {MOST_RUNS:,} runs are drawn.")
    st.subheader("Accuracy against ε", anchor=sweep_form.FIGURE)
    live_plot.show(tradeoff.plot(rows, layout.theme()), key=f"tradeoff.{spec.name}")
    if told := _from_gallery([bool(row["gallery"]) for row in found]):
        st.caption(told)
    with st.container():
        if together := _together(queue.store().url, ids):
            st.caption(together)
    st.caption(
        f"A line is a method; its marks stand at the {_mark('sound')} and at the {_mark('published')}, which "
        "the paper's formula says of the same noise; with a single ε the line is but a dash through them. "
        "Lines from end to end have no ε: they protect nothing, or use no edges at all. Bars and bands: 95% "
        "confidence over seeds (Student's t), from three seeds on; smaller marks have fewer. An accuracy that "
        "was measured on private data is itself not released."
    )
    with st.expander("The numbers"):
        st.dataframe([_shown(row) for row in rows], hide_index=True, alt="Accuracy and epsilons of each setting")
        st.caption(" ".join(markup.sentence(badge) for badge in badges_of(rows)))
    figure_exports("tradeoff", rows, statements, name=spec.name)
    _neighbours(ids, spec)


def _from_gallery(runs: Sequence[bool]) -> str:
    """How many of the drawn runs came with the workbench."""
    if not any(runs):
        return ""
    said = f"All {len(runs):,} runs" if all(runs) else f"{sum(runs):,} of the {len(runs):,} runs"
    return f"{said} are from the gallery, which came with the workbench; the switch above leaves your own."


def _neighbours(ids: tuple[str, ...], spec: DatasetSpec) -> None:
    """How many neighbours HeterPoisson should read, where stored runs tell."""
    rows, own = _table(queue.store().url, ids)
    if not rows:
        return
    live_plot.show(neighbours_heatmap.plot(rows, layout.theme()), key=f"neighbours.{spec.name}")
    st.caption(
        "HeterPoisson: M says how many neighbours learn from a node in training, which costs noise; N_test "
        "how many a prediction reads, which costs nothing. Means over seeds."
    )
    figure_exports("neighbours_heatmap", rows, own, name=spec.name)


def _other_unit(query: RunQuery) -> str:
    """Where the finished runs are that protect the unit that is not shown; nothing where there are none."""
    others = tuple(unit for unit in ("edge", "node") if unit not in query.units)
    count = queue.store().count(replace(query, units=others, states=("done",))) if others else 0
    if not count:
        return ""
    return (
        f"{count:,} finished run{'s' if count != 1 else ''} here protect{'s' if count == 1 else ''} a "
        f"unit that is not shown: {others[0]}. Choose it above."
    )


def _mark(kind: theme.Epsilon) -> str:
    """An epsilon behind its mark, in the grey of captions."""
    return f"{theme.EPSILONS[kind].title} ({theme.EPSILONS[kind].glyph})"


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    band = "one seed" if row["low"] is None else f"{percent(row['low'])} to {percent(row['high'])}"
    return {
        "graph": row["graph"],
        "method": row["title"],
        "protects": row["unit"],
        **{theme.EPSILONS[kind].title: stated(kind, row[COLUMNS[kind]]) for kind in tradeoff.KINDS},
        "accuracy (mean)": percent(row["mean"]),
        "95% band": band,
        "seeds": row["seeds"],
        "test nodes": row["test_nodes"],
        "differs in": row["variant"],
    }
