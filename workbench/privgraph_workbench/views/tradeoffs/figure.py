"""The figure of the Trade-offs page: accuracy against epsilon over seeds, what is drawn of it, its files and
its numbers; a click on a point opens the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.runs.records import PENDING, RunQuery
from privgraph_workbench import live_plot, theme
from privgraph_workbench.facts import advice_lines, advised, advising, comparing
from privgraph_workbench.facts.finished import Finished
from privgraph_workbench.facts.row_words import counted
from privgraph_workbench.figures.axes import placed
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.notes import badges_of
from privgraph_workbench.figures.runs import neighbours_heatmap, tradeoff, tradeoff_shown
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.views.parts.states import readable
from privgraph_workbench.views.tradeoffs import chosen_methods, drawing, guess_told, points, sending, settings_table
from privgraph_workbench.views.tradeoffs.known import known, rows_of
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.numbers import percent

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


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What the figure shows: of which runs (`found`: their light rows), which of its rows are drawn (with
    what they leave out: `rows`), which of them at first (`outlined`) and at most (`whole`), and how.

    graphs: in whose order panels stand; every: whether everything is drawn that fits; sent: the runs that
    were just asked for; named: what the page calls these graphs."""

    query: RunQuery
    graph: OneGraph
    named: str
    found: Sequence[Mapping[str, Any]]
    done: Finished
    rows: list[Row]
    outlined: list[Row]
    whole: list[Row]
    graphs: tuple[str, ...]
    every: bool
    sent: frozenset[str]
    proved: bool
    detailed: bool
    front: bool

    @property
    def units(self) -> list[str]:
        """The protected units of which something is drawn."""
        return [unit for unit in self.query.units[1:] if any(row["unit"] == unit for row in self.private)]

    @property
    def private(self) -> list[Row]:
        return [row for row in self.rows if not row["reference"]]

    @property
    def left(self) -> list[str]:
        """The graphs that have curves and no panel."""
        there = {row["graph"] for row in self.rows} | set(drawing.thin(self.done, self.sent))
        return list(dict.fromkeys(row["graph"] for row in drawing.curve(self.done) if row["graph"] not in there))

    @property
    def thin(self) -> list[str]:
        """What graphs have that are not drawn because it is a single point."""
        there = {row["graph"] for row in self.rows}
        points = drawing.thin(self.done, self.sent)
        return [f"{name}: {_alone(row)}" for name, row in points.items() if name not in there]


def show(query: RunQuery, graph: OneGraph, was_waiting: bool, *, planned: bool = False) -> Finished | None:
    """The figure and its files; the runs in it, None where there are none. planned: a sweep stands above."""
    shown = made(query, graph, was_waiting, planned=planned)
    if shown is None:
        return None
    with layout.on_phone(1, "plot"):
        plot(shown)
        below(shown)
    return shown.done


def made(
    query: RunQuery,
    graph: OneGraph,
    was_waiting: bool,
    *,
    planned: bool = False,
    beside: Sequence[OneGraph] = (),
) -> Shown | None:
    """What the figure shows, and what must be read before it: what is under way, and what is left out. None
    where no run is done; planned: a sweep stands above; beside: of a figure of all graphs those of which
    something is said, in the order of their panels."""
    spec, alone = graph.spec, graph if query.datasets else None
    queue.tick()
    points.open_clicked()
    waiting = len(rows_of(in_state(query, PENDING), alone))
    if was_waiting and not waiting:
        st.rerun()
    messages = st.container()  # always there: a plot that moves is drawn anew, and the page jumps
    if waiting:
        those = f"{waiting} run{'s are' if waiting != 1 else ' is'}"
        messages.info(f"{those} under way; the figure grows as they end.", icon="⏳")
    chosen = rows_of(in_state(query, ("done",)), alone)
    found = [*chosen, *chosen_methods.levels(query, alone)] if query.methods else chosen
    done = Finished.of(queue.store(), found)
    rows = drawing.curve(done)
    with messages:
        readable(drawing.refused(done))
        chosen_methods.told(query, alone)
    elsewhere = _other_unit(query, alone)
    if elsewhere and all(row["reference"] for row in rows):
        with messages:
            _to_other_unit(elsewhere, query)
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
    named = "all" if not query.datasets else spec.name
    graphs = tuple(naming.people_words(one.people) for one in (*beside, graph))
    sent = _with_levels(sending.sent(), named)
    outlined = drawing.drawn(done, graphs, False, sent)
    every = bool(st.session_state.get(EVERY, False))
    drawn = drawing.drawn(done, graphs, every, sent)
    _keep_levels(outlined, named)
    proved = any(placed(row["epsilon"]) for row in drawn if not row["reference"])
    detailed = bool(st.session_state.get(DETAILED, False)) or not proved
    front = bool(st.session_state.get(FRONT, False))
    advice, told = _advice((graph,) if query.datasets else beside, query.units[1:])
    return Shown(
        query=query,
        graph=graph,
        named=named,
        found=found,
        done=done,
        rows=tradeoff.shown(drawn, published=detailed, front=front, advice=advice, advised=told),
        outlined=outlined,
        whole=drawing.drawn(done, graphs, True, sent),
        graphs=graphs,
        every=every,
        sent=sent,
        proved=proved,
        detailed=detailed,
        front=front,
    )


def plot(shown: Shown, unit: str = "") -> None:
    """The figure, with its warnings above it; of one protected unit alone where one is named."""
    rows = drawing.of_unit(shown.rows, unit)
    said = set(badges_of(rows))  # beside the numbers
    warnings = [one for one in tradeoff.chart(rows).badges if one not in said]
    st.markdown("  \n".join(f"⚠ {markup.literal(markup.sentence(one))}" for one in warnings))  # also if empty
    figure = drawing.plot(
        shown.done, layout.theme(), shown.detailed, shown.front, shown.graphs, shown.every, shown.sent, unit
    )
    key = f"tradeoff.{shown.named}" + (f".{unit}" if unit else "")
    live_plot.show(figure, key=key, on_click=points.clicked)


def below(shown: Shown) -> None:
    """What stands below the figure: its files, how to open a point, what is drawn of it, and how to read
    it."""
    rows, done = shown.rows, shown.done
    with st.container(horizontal=True, vertical_alignment="bottom"):
        figure_exports(
            "tradeoff",
            rows,
            drawing.behind(done, shown.graphs, shown.every, shown.sent),
            name=shown.named,
            finish=partial(drawing.finished, drawing.readable(done)),
        )
        points.open_by_name(rows)
        st.toggle(
            "Pareto front",
            key=FRONT,
            help="In broad pale steps, the highest accuracy that is had at an ε or below it: below the steps a point "
            "is beaten by another one (ε that differ by less than 1% count as equal). Where edges are protected they "
            "begin at the MLP, which reads none: ε 0",
        )
        st.toggle(
            theme.EPSILONS["published"].title,
            key=DETAILED,
            disabled=not shown.proved,
            help="The paper's own number for the same noise, beside the sound one",
        )
    count, more = tradeoff_shown.added(shown.whole, shown.outlined)
    if count:
        st.toggle(
            f"Draw {count:,} more",
            key=EVERY,
            help=f"{markup.literal(more)}{_of_graphs(shown.whole, shown.outlined)}. At first a crowded panel has one "
            "curve a method, at the options with which it has the most points, all measured on the same nodes; and "
            f"there are {tradeoff_shown.PANELS} panels at most",
        )
    if points_ := shown.thin:
        st.caption(f"Without a panel, for a single point has nothing beside it: {markup.literal('; '.join(points_))}.")
    if left := shown.left:
        st.caption(
            f"{tradeoff_shown.PANELS} panels at most are drawn at first. Left out: {markup.literal('; '.join(left))}."
        )
    if shown.every and (apart := len(drawing.curve(done)) - len(shown.whole)):
        st.caption(
            f"A panel holds {tradeoff_shown.LINES} curves and {tradeoff_shown.LEVELS} levels; the other {apart:,} "
            "points and levels stand only in the numbers below. Choose a method above to draw its own."
        )
    notes = [note for note in tradeoff.chart(rows).notes[1:] if note not in tradeoff.reads_none(rows)]  # said beside it
    marks = "Filled marks stand at a sound ε, hollow ones at the ε as published, of the same noise."
    st.caption(
        f"{marks if shown.detailed else 'Each mark stands at a sound ε.'} Grey levels have no ε. "
        f"{guess_told.told(rows, done)}Bars and bands: 95% confidence over three seeds or more. "
        f"{' '.join([*notes, _from_gallery([bool(row['gallery']) for row in shown.found])])}"
    )


def _with_levels(sent: frozenset[str], shown: str) -> frozenset[str]:
    """Of which runs each curve and level is drawn: those that were sent last, and, lest a panel that they
    crowd drop what a reader compared with, those of the levels that were drawn before."""
    held: frozenset[str] = st.session_state.get(_LEVELS, {}).get(shown, frozenset())
    return sent | held if sent else sent


def _keep_levels(outlined: Sequence[Row], shown: str) -> None:
    """Remember the runs of the levels that are drawn of a graph."""
    levels = frozenset(run for row in outlined if row["reference"] for run in str(row["runs"]).split())
    st.session_state.setdefault(_LEVELS, {})[shown] = levels


def numbers(done: Finished, graphs: Sequence[OneGraph], units: Sequence[str]) -> None:
    """What is behind the figure and the advice on these graphs: every setting, what all runs cost together,
    and of one alone how many neighbours to read."""
    rows = drawing.curve(done)
    with layout.fold(
        "Every setting in numbers, and what all runs cost together", "numbers", icon=":material/table_rows:"
    ) as part:
        if part.open:
            advice, _ = _advice(graphs, units)
            settings_table.show(rows, advice, "edge" if "edge" in units else "node")
            st.caption(" ".join(markup.sentence(badge) for badge in badges_of(rows)))
            if together := drawing.together(done):
                st.caption(together)
    if len(graphs) == 1:
        _neighbours(done, graphs[0].spec)


def _advice(graphs: Sequence[OneGraph], units: Sequence[str]) -> tuple[dict[str, str], str]:
    """What is said of rows of the figure, by their runs; and of each graph and unit, as lines of its files:
    of several graphs each below its name, and once at the end what holds of all."""
    of_rows: dict[str, str] = {}
    lines: list[str] = []
    common: dict[str, None] = {}
    for graph in graphs:
        told = [found for unit in units if (found := known(graph, unit)) is not None]
        said = [one.said for one in told]
        of_rows |= {row["runs"]: advice_lines.of_row(row, said) for one in told for row in one.table}
        held = advice_lines.blocks(said)
        if len(graphs) > 1 and held:
            common |= dict.fromkeys(line for line in held if line in (advised.JUDGED, advising.CHOOSING))
            lines += [f"What to take on {graph.title}.", *(line for line in held if line not in common)]
        else:
            lines += held
    return of_rows, "\n".join([*lines, *common])


def _of_graphs(every: Sequence[Row], outlined: Sequence[Row]) -> str:
    """Of which graphs besides those that are drawn; "" where all of them are."""
    hidden = len({row["graph"] for row in every} - {row["graph"] for row in outlined})
    return f", {hidden} more graph{'s' * (hidden != 1)}" if hidden else ""


def _alone(row: Row) -> str:
    """A single point in words."""
    asked = "" if row["asked"] is None else f" at ε {row['asked']:g}"
    return f"{row['title']}{asked} alone, {percent(row['mean'])}, {counted(int(row['seeds']), 'seed')}"


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
    rows, own = drawing.table(done)
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
        f"unit that is not shown: {others[0]}."
    )


def _to_other_unit(said: str, query: RunQuery) -> None:
    """Where the finished runs are, and the way there."""
    (other,) = (unit for unit in ("edge", "node") if unit not in query.units)
    st.info(said, icon="↔️")

    def turn() -> None:
        st.session_state["protects"] = other

    if st.button(f"Show what protects {advising.UNITS[other]}", key="other_unit", type="primary", on_click=turn):
        st.rerun()  # the filters stand outside this part of the page
