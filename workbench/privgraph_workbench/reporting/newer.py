"""Runs that fit a kept trade-off and are not in it, and the figure made anew with them. The page Trade-offs
draws all finished runs of a graph, of the units and methods that are chosen there, and of options as many as
fit; which were chosen a figure does not hold. So those runs fit that have the graph, method, unit and options
of one of its settings, at any ε and seed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advised, finished
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.figures.runs.tradeoff_shown import ADVISED
from privgraph_workbench.reporting import advice_again
from privgraph_workbench.reporting.advice_again import COLUMN
from privgraph_workbench.reporting.asked import Drawn
from privgraph_workbench.reporting.own_setting import unmixed
from privgraph_workbench.words.measures import STORED
from privgraph_workbench.words.naming import describe, options_read, statements_of, unit_of

FIGURE = "tradeoff"
"""Of which figures that is told."""
_AS_DRAWN = ("variant", "setting")
"""What tells a curve from all that the page drew beside it."""
_HOW = ("with_published", "with_front")
"""How the figure is drawn, which each of its rows says (`tradeoff.shown`)."""


@dataclass(frozen=True, kw_only=True)
class Newer:
    """The runs that fit a figure and are not in it; `later`: all of them ended after each of its own."""

    runs: Sequence[RunRecord] = ()
    later: bool = True


def of(store: RunStore, rows: Sequence[Row]) -> Newer:
    """Those of the trade-off with these rows."""
    held = _found(store, _ids(rows))
    families = {family(one) for one in held}
    if not families:
        return Newer()
    query = RunQuery(
        methods=tuple(sorted({one.spec.method for one in held})),
        datasets=tuple(sorted({one.spec.dataset for one in held})),
        states=("done",),
    )
    people, known = {GraphId.of(one.spec).people for one in held}, set(_ids(rows))
    light = (row for row in finished.rows(store, query) if row["people"] in people)
    metric = _metric(rows)
    fits = [
        one
        for one in _found(store, [str(row["id"]) for row in light if str(row["id"]) not in known])
        if metric in one.metrics and family(one) in families
    ]
    last = max((one.finished or 0.0 for one in held), default=0.0)
    return Newer(runs=fits, later=all((one.finished or 0.0) > last for one in fits))


def family(record: RunRecord) -> str:
    """Equal for runs of one curve: of one graph, method, unit and options, whatever their budget and seed."""
    graph, noise = GraphId.of(record.spec), record.spec.noise
    axes = {"epsilon"} | ({noise.option} if noise is not None else set())
    options = {name: value for name, value in options_read(record).items() if name not in axes}
    told = [record.spec.method, unit_of(record), (graph.dataset, graph.options, graph.split), options]
    return json.dumps(told, sort_keys=True)


def taken_in(store: RunStore, one: Drawn) -> Drawn:
    """The figure with all runs that fit it: rows, statements, runs and advice made anew, panels and curves
    called as before. Its author's words stay, as does what is behind runs that are gone."""
    metric = _metric(one.rows)
    held = [run for run in _found(store, _ids(one.rows)) if run.state == "done" and metric in run.metrics]
    drawn = [*held, *of(store, one.rows).runs]
    if not drawn:
        return one
    every = list({run.id: run for run in (*one.runs, *drawn)}.values())
    again = replace(one, rows=_rows(one.rows, drawn), statements=_statements(one, drawn), runs=every)
    told = advice_again.by(again, unmixed(every))
    # of one graph also where nothing could be said before; the figure of all graphs takes none along
    alone = len({str(row.get("graph")) for row in one.rows}) == 1
    return replace(told, advice=advised.of_runs(unmixed(every))) if alone else told


def _rows(kept: Sequence[Row], drawn: Sequence[RunRecord]) -> list[Row]:
    """The rows of these runs, in the order of the panels that there were; with the rows of which no run is
    there any more."""
    families = {run.id: family(run) for run in drawn}
    called: dict[str, Row] = {}
    gone: list[Row] = []
    for row in kept:
        there = next((run for run in str(row.get("runs") or "").split() if run in families), None)
        if there is None:
            gone.append(row)
        else:
            called.setdefault(families[there], {name: row[name] for name in _AS_DRAWN if name in row})
    # how it is drawn, such as with the front: what all of its rows say alike
    how = {name: value for name, value in kept[0].items() if name in _HOW}
    fresh = [
        {**row, **called.get(families[str(row["runs"]).split()[0]], {}), **how}
        for row in tradeoff.data(drawn, _metric(kept))
    ]
    places = {str(row["graph"]): at for at, row in reversed(list(enumerate(kept)))}
    fresh = sorted([*fresh, *gone], key=lambda row: places.get(str(row["graph"]), len(kept)))
    # whoever makes advice anew finds by these that there was some
    told = next((row[ADVISED] for row in kept if row.get(ADVISED)), "")
    said = any(COLUMN in row for row in kept)
    rows = [{**{name: value for name, value in row.items() if name != ADVISED}, **_said(said)} for row in fresh]
    rows[0] = {**rows[0], **({ADVISED: told} if told else {})}
    return tradeoff.with_front(rows)


def _said(said: bool) -> Row:
    return {COLUMN: ""} if said else {}


def _statements(one: Drawn, drawn: Sequence[RunRecord]) -> Mapping[str, PrivacyStatement]:
    """Those of these runs, with what was kept of runs that are gone; none where it had none."""
    if not one.statements:
        return {}
    names = {describe(run) for run in drawn}
    gone = set(_ids(one.rows)) - {run.id for run in drawn}
    left = {
        label: said
        for label, said in one.statements.items()
        if gone and not any(label == name or label.startswith(f"{name}, ") for name in names)
    }
    return left | statements_of(drawn)


def _ids(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(run for row in rows for run in str(row.get("runs") or "").split()))


def _found(store: RunStore, ids: Sequence[str]) -> list[RunRecord]:
    """Those of the runs that can be read."""
    found = store.find(RunQuery(ids=tuple(ids), limit=len(ids))) if ids else []
    return [one for one in found if not one.unreadable]


def _metric(rows: Sequence[Row]) -> str:
    """What the figure measures."""
    return next((str(row["metric"]) for row in rows if row.get("metric")), STORED)
