"""The figure of the Trade-offs page: accuracy against epsilon over seeds, what is drawn of it, its files and
its numbers; a click on a point opens the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import plotly.graph_objects as go
import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench import live_plot, theme
from privgraph_workbench.facts import advice_lines, comparing, composition
from privgraph_workbench.facts.finished import Finished
from privgraph_workbench.figures.axes import placed
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.drawing import with_plotly
from privgraph_workbench.figures.notes import badges_of
from privgraph_workbench.figures.runs import curve_names, neighbours_heatmap, tradeoff, tradeoff_shown, tradeoff_table
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.views.parts.states import readable
from privgraph_workbench.views.tradeoffs import guess_told, sending, settings_table
from privgraph_workbench.views.tradeoffs.known import known, rows_of, to_report
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import option

MOST_RUNS = 1000
DETAILED = "tradeoff_detailed"
"""Whether the epsilons as published stand beside the sound ones."""
FRONT = "tradeoff_front"
"""Whether the Pareto front is drawn."""
_LEVELS = "tradeoffs.levels"
"""The runs of the levels that were drawn last, by what the figure shows."""
EVERY = "tradeoff_every"
"""Whether every setting is drawn, in every panel."""


def comparable(spec: DatasetSpec, query: RunQuery) -> bool:
    """Whether methods can be compared that protect what the figure shows."""
    return any(comparing.fitting(spec, unit) for unit in query.units if unit != "none")


def in_state(query: RunQuery, states: tuple[str, ...]) -> RunQuery:
    return replace(query, states=states)


@lru_cache(maxsize=16)
def _curve(done: Finished) -> list[Row]:
    """The figure's rows."""
    return tradeoff_shown.with_curves(tradeoff.data(_readable(done)))


@lru_cache(maxsize=16)
def _behind(done: Finished, first: str | None, sent: frozenset[str]) -> dict[str, PrivacyStatement]:
    """The statements behind the rows that are drawn, and no others: a file of the figure tells them."""
    drawn = {run for row in _drawn(done, first, sent) for run in row["runs"].split()}
    return statements_of([one for one in _readable(done) if one.id in drawn])


def _readable(done: Finished) -> list[RunRecord]:
    return done.readable(queue.store())


@lru_cache(maxsize=16)
def _plot(
    done: Finished, theme_name: str, published: bool, front: bool, first: str | None, sent: frozenset[str]
) -> go.Figure:
    """The figure of these runs in that theme, with or without published epsilons and front; of many it takes
    longer to draw than to send."""
    chart = tradeoff.chart(tradeoff.shown(_drawn(done, first, sent), published=published, front=front))
    told = " ".join([chart.summary, *chart.badges])  # to be heard with the figure, and read below it
    return with_plotly.draw(replace(chart, badges=(), summary=told), theme_name)


@lru_cache(maxsize=16)
def _drawn(done: Finished, first: str | None, sent: frozenset[str]) -> list[Row]:
    """The rows that are drawn: an outline whose panels begin with the graph `first`; None: all that fit. Of
    the runs that were just `sent` each."""
    rows = _curve(done)
    return (
        tradeoff_shown.fitting(rows, sent)
        if first is None
        else tradeoff_shown.first_panels(tradeoff_shown.outline(rows, sent), first)
    )


@lru_cache(maxsize=16)
def _together(done: Finished) -> str:
    """`composition.together` of these runs."""
    return composition.together(_readable(done))


def _finished(records: Sequence[RunRecord], rows: Sequence[Row]) -> list[Row]:
    """The rows of a file, which says what all runs behind the figure have shown together, and of each row
    what those have that promise the same."""
    said, each = composition.plain(records), composition.of_each(records)
    return [{**row, tradeoff.TOGETHER: said, **_all_together(row, each)} for row in rows]


def _all_together(row: Row, each: Mapping[str, tuple[float, float]]) -> dict[str, float | None]:
    """The composed epsilon and delta of those that promise what a row does; None where its own runs promise
    different things, or nothing."""
    found = {each.get(run) for run in str(row["runs"]).split()}
    epsilon, delta = (found.pop() if len(found) == 1 else None) or (None, None)
    return dict(zip(tradeoff_table.ALL_TOGETHER, (epsilon, delta), strict=True))


@lru_cache(maxsize=16)
def _refused(done: Finished) -> list[RunRecord]:
    """Those of the runs that this version cannot read."""
    return [one for one in done.read(queue.store()) if one.unreadable]


@lru_cache(maxsize=16)
def _table(done: Finished) -> tuple[list[Row], dict[str, PrivacyStatement]]:
    """The rows of the table of neighbours, and the statements of its runs."""
    found = done.read(queue.store(), (neighbours_heatmap.METHOD,))
    records = [one for one in found if not one.unreadable]
    return neighbours_heatmap.data(records), statements_of(records)


def show(query: RunQuery, graph: OneGraph, was_waiting: bool, *, planned: bool = False) -> Finished | None:
    """The figure and its files; the runs in it, None where there are none. planned: a sweep stands above."""
    spec, alone = graph.spec, graph if query.datasets else None
    queue.tick()
    _open_clicked()
    waiting = len(rows_of(in_state(query, sending.PENDING), alone))
    if was_waiting and not waiting:
        st.rerun()
    messages = st.container()  # always there: a plot that moves is drawn anew, and the page jumps
    if waiting:
        those = f"{waiting} run{'s are' if waiting != 1 else ' is'}"
        messages.info(f"{those} under way; the figure grows as they end.", icon="⏳")
    found = rows_of(in_state(query, ("done",)), alone)
    done = Finished.of(queue.store(), found)
    rows = _curve(done)
    with messages:
        readable(_refused(done))
    elsewhere = _other_unit(query, alone)
    if elsewhere and all(row["reference"] for row in rows):
        messages.info(elsewhere, icon="↔️")
    if not rows:
        if not elsewhere:
            where = "comparison below" if comparable(spec, query) else "sweep below"
            st.info(
                f"No finished run on {markup.literal(graph.title)} protects this unit yet. The "
                f"{'sweep above' if planned else where} makes the curve. Or see which graph with runs is most like "
                "yours: **My own graph**, at the top.",
                icon="📈",
            )
        return None
    if len(found) == MOST_RUNS:
        st.caption(f"The newest {MOST_RUNS:,} runs are drawn.")
    shown = "all" if not query.datasets else spec.name
    named = naming.people_words(graph.people)
    sent = _with_levels(sending.sent(), shown)
    outlined = _drawn(done, named, sent)
    every = bool(st.session_state.get(EVERY, False))
    first = None if every else named
    held, rows = rows, _drawn(done, first, sent)
    _keep_levels(outlined, shown)
    proved = any(placed(row["epsilon"]) for row in rows if not row["reference"])
    detailed = bool(st.session_state.get(DETAILED, False)) or not proved
    front = bool(st.session_state.get(FRONT, False))
    advice, advised = _advice(graph, query.units[1:]) if query.datasets else ({}, "")
    rows = tradeoff.shown(rows, published=detailed, front=front, advice=advice, advised=advised)
    figure = _plot(done, layout.theme(), detailed, front, first, sent)
    below = set(badges_of(rows))  # said beside the numbers
    warnings = [one for one in tradeoff.chart(rows).badges if one not in below]
    st.markdown("  \n".join(f"⚠ {markup.literal(markup.sentence(one))}" for one in warnings))  # also if empty
    live_plot.show(figure, key=f"tradeoff.{shown}", on_click=_clicked)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        told, behind = to_report(graph, query.units[1:]) if query.datasets else ("", [])
        figure_exports(
            "tradeoff",
            rows,
            _behind(done, first, sent),
            name=shown,
            runs=behind,
            advice=told,
            finish=partial(_finished, _readable(done)),
        )
        _open_by_name(rows)
        st.toggle(
            "Pareto front",
            key=FRONT,
            help="In grey steps, the highest accuracy that is had at an ε or below it: below the steps a point is "
            "beaten by another one",
        )
        st.toggle(
            theme.EPSILONS["published"].title,
            key=DETAILED,
            disabled=not proved,
            help="The paper's own number for the same noise, beside the sound one",
        )
        whole = _drawn(done, None, sent)
        if more := len(whole) - len(outlined):
            unseen = len(held) - len(outlined)
            count = f"{more:,}" if more == unseen else f"{more:,} of {unseen:,}"
            what = "point or level" if more == 1 else "points and levels"
            st.toggle(
                f"Draw {count} more {what}{_of_graphs(whole, outlined)}",
                key=EVERY,
                help="At first a crowded panel has one curve a method, at the options with which it has the most "
                "points, all measured on the same nodes; and there are four panels at most",
            )
    if every and (apart := len(held) - len(whole)):
        st.caption(
            f"A panel holds {tradeoff_shown.LINES} curves and {tradeoff_shown.LEVELS} levels; the other {apart:,} "
            "points and levels stand only in the numbers below. Choose a method above to draw its own."
        )
    left = [note for note in tradeoff.chart(rows).notes[1:] if note not in tradeoff.reads_none(rows)]  # said beside it
    marks = "Filled marks stand at a sound ε, hollow ones at the ε as published, of the same noise."
    st.caption(
        f"{marks if detailed else 'Each mark stands at a sound ε.'} Grey levels have no ε. "
        f"{guess_told.told(rows, done)}Bars and bands: 95% confidence over three seeds or more. "
        f"{' '.join([*left, _from_gallery([bool(row['gallery']) for row in found])])}"
    )
    return done


def _with_levels(sent: frozenset[str], shown: str) -> frozenset[str]:
    """Of which runs each curve and level is drawn: those that were sent last, and, lest a panel that they
    crowd drop what a reader compared with, those of the levels that were drawn before."""
    held: frozenset[str] = st.session_state.get(_LEVELS, {}).get(shown, frozenset())
    return sent | held if sent else sent


def _keep_levels(outlined: Sequence[Row], shown: str) -> None:
    """Remember the runs of the levels that are drawn of a graph."""
    levels = frozenset(run for row in outlined if row["reference"] for run in str(row["runs"]).split())
    st.session_state.setdefault(_LEVELS, {})[shown] = levels


def numbers(done: Finished, graph: OneGraph, units: Sequence[str]) -> None:
    """What is behind the figure and the advice: every setting, what all runs cost together, and how many
    neighbours to read."""
    rows = _curve(done)
    with layout.fold(
        "Every setting in numbers, and what all runs cost together", "numbers", icon=":material/table_rows:"
    ) as part:
        if part.open:
            advice, _ = _advice(graph, units)
            settings_table.show(rows, advice, "edge" if "edge" in units else "node")
            st.caption(" ".join(markup.sentence(badge) for badge in badges_of(rows)))
            if together := _together(done):
                st.caption(together)
    _neighbours(done, graph.spec)


def _advice(graph: OneGraph, units: Sequence[str]) -> tuple[dict[str, str], str]:
    """What is said of rows of the figure, by their runs; and of each unit, as lines of its files."""
    told = [found for unit in units if (found := known(graph, unit)) is not None]
    said = [one.said for one in told]
    return {row["runs"]: advice_lines.of_row(row, said) for one in told for row in one.table}, advice_lines.plain(said)


def _of_graphs(every: Sequence[Row], outlined: Sequence[Row]) -> str:
    """Of which graphs besides those that are drawn; "" where all of them are."""
    hidden = len({row["graph"] for row in every} - {row["graph"] for row in outlined})
    return f", {hidden} more graph{'s' * (hidden != 1)}" if hidden else ""


_OPENED = "tradeoffs.opened"
"""The runs of the point that was chosen, until the page that shows them is opened."""


def _clicked(runs: str) -> None:
    """A point of the figure was clicked: the next drawing opens its runs."""
    st.session_state[_OPENED] = runs


def _open_clicked() -> None:
    """One run opens itself; several stand beside each other on the page Runs."""
    runs = str(st.session_state.pop(_OPENED, "")).split()
    if len(runs) == 1:
        st.switch_page(shell.page("train"), query_params={"run": runs[0]})
    elif runs:
        st.switch_page(shell.page("runs"), query_params={"chosen": ",".join(runs), **_narrowed(runs)})


def _narrowed(runs: Sequence[str]) -> dict[str, str]:
    """The filters of the page Runs that leave little but these."""
    first = next((one for one in queue.store().find(RunQuery(ids=tuple(runs))) if not one.unreadable), None)
    if first is None:
        return {}
    one = first.spec
    asked = {} if one.asked_epsilon is None else {"find": f"asked={option(one.asked_epsilon)}"}
    return {"of_method": one.method, "of_data": one.dataset, "of_unit": one.unit, **asked}


def _open_by_name(rows: Sequence[Row]) -> None:
    """The same without a pointer."""
    called = curve_names.names(rows)
    titles = {str(row["runs"]): curve_names.point_of(row, called) for row in rows}

    def choose() -> None:
        if st.session_state.get("point"):
            _clicked(st.session_state.pop("point"))

    st.selectbox(
        "Open the runs of a point",
        list(titles),
        index=None,
        key="point",
        format_func=lambda runs: titles.get(runs, runs),
        placeholder="Open the runs of a point",
        label_visibility="collapsed",
        on_change=choose,
        width=420,
    )


def _from_gallery(runs: Sequence[bool]) -> str:
    """Whether the drawn runs came with the workbench. How many are drawn the figure itself says."""
    if not any(runs):
        return ""
    if all(runs):
        return "All runs came with the program (gallery); the switch above hides them."
    own = len(runs) - sum(runs)
    mine = f"{own:,} {'are your own runs' if own > 1 else 'is your own run'}"
    return (
        f"{mine}, the others from the gallery. A ring is around points that hold yours, which take the place of a "
        "run of the gallery with the same options and seed. The switch above hides those of the gallery."
    )


def _neighbours(done: Finished, spec: DatasetSpec) -> None:
    """How many neighbours HeterPoisson should read, where stored runs tell."""
    rows, own = _table(done)
    if not rows:
        return
    live_plot.show(neighbours_heatmap.plot(rows, layout.theme()), key=f"neighbours.{spec.name}")
    st.caption(
        "HeterPoisson: M says how many neighbours learn from a node in training, which costs noise; N_test "
        "how many a prediction reads, which costs nothing. Means over seeds."
    )
    figure_exports("neighbours_heatmap", rows, own, name=spec.name)


def _other_unit(query: RunQuery, graph: OneGraph | None) -> str:
    """Where the finished runs are that protect the unit that is not shown; nothing where there are none."""
    others = tuple(unit for unit in ("edge", "node") if unit not in query.units)
    count = len(rows_of(replace(query, units=others, states=("done",)), graph)) if others else 0
    if not count:
        return ""
    return (
        f"{count:,} finished run{'s' if count != 1 else ''} here protect{'s' if count == 1 else ''} a "
        f"unit that is not shown: {others[0]}. Choose it above."
    )
