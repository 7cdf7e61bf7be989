"""Where a run's accuracy stands: between naming the largest class, reading no edge, and no privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.expecting import METRIC, Outlook, Reached, reached
from privgraph_workbench.facts.references import chance
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, empty, named, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import intervals, marks
from privgraph_workbench.figures.needs import SIBLINGS
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.naming import method_title, network_of
from privgraph_workbench.words.numbers import percent

MOST_ROWS = 4
"""Other seeds that have a row each."""
LABELS = {
    "guessing": "Guessing",
    "majority": "Largest class",
    "base": "Base encoder",
    "blind": "MLP, no edges",
    "own": "This run",
    "bare": "No privacy",
}
"""What bars are called, from what takes no learning to what no noise hinders."""


def data(record: RunRecord, siblings: Sequence[RunRecord], told: Outlook) -> list[Row]:
    """One row per level (kind "majority" or "guessing", "base", "blind", "own", "bare") that is known, one
    per run of the same settings with another seed or this one (kind "seed"; `mine` where it is this one).

    kind, of (what a level is of, in words; "": the run's own), seed (None for a level), value, low, high (95%
    confidence: of three seeds or more, of the mean over seeds; else of the test nodes; None: not known),
    seeds, evaluator (True: test labels are private).
    """
    done = [one for one in siblings if METRIC in one.metrics] or [record]
    if METRIC not in record.metrics:
        return []
    own = reached(done)
    low, high = own.low, own.high
    if own.low is None and own.seeds == 1 and (nodes := chance(record.metrics)) is not None:
        low, high = nodes.low, nodes.high
    rows: list[Row] = []
    level = guess(record, done, told)
    if level is not None:
        rows.append(_level("guessing" if "guessing_accuracy" in record.metrics else "majority", level))
    if "base_accuracy" in record.metrics:
        rows.append(_level("base", record.metrics["base_accuracy"]))
    if told.blind is not None:
        rows.append(_of("blind", told.blind))
    rows.append({**_level("own", own.mean), "low": low, "high": high, "seeds": own.seeds})
    if told.bare is not None:
        rows.append(_of("bare", told.bare))
    rows += [
        {**_level("seed", one.metrics[METRIC]), "seed": one.spec.seed, "seeds": 1, "mine": one.id == record.id}
        for one in done
    ]
    return rows


def guess(record: RunRecord, siblings: Sequence[RunRecord], told: Outlook) -> float | None:
    """What takes no learning: naming the largest class, or a partner at random. The mean over the runs whose
    accuracies stand beside it, for each has test nodes of its own."""
    for name in ("majority_class_accuracy", "guessing_accuracy"):
        if name in record.metrics:
            return fmean(one.metrics[name] for one in siblings if name in one.metrics)
    return told.majority


def _level(kind: str, value: float) -> Row:
    told = {"kind": kind, "of": "", "seed": None, "value": value}
    return {**told, "low": None, "high": None, "seeds": 0, "evaluator": True}


def _of(kind: str, one: Reached) -> Row:
    first = one.records[0]
    network = network_of(first)
    of = method_title(first.spec.method) + (f", network {network}" if network else "")
    return {**_level(kind, one.mean), "of": of, "low": one.low, "high": one.high, "seeds": one.seeds}


@figure("standing", "Where its accuracy stands", data, needs=SIBLINGS)
def chart(rows: Sequence[Row]) -> Chart:
    """A bar a level, on the run's own its interval as a line; its seeds as points in rows below it."""
    levels = [row for kind in LABELS for row in rows if row["kind"] == kind]
    if not levels:
        return empty("nothing has been measured yet")
    seeds = sorted((row for row in rows if row["kind"] == "seed"), key=lambda row: (not row["mine"], row["seed"]))
    own = next(row for row in levels if row["kind"] == "own")
    titles = LABELS | ({"own": f"Mean of {own['seeds']} seeds"} if own["seeds"] > 1 else {})
    levels = [{**row, "name": f"{titles[row['kind']]}: {percent(row['value'])}"} for row in levels]
    names, series = [row["name"] for row in levels], []
    for row in levels:
        slot = 0 if row["kind"] == "own" else NEUTRAL
        look: Look = {"slot": slot, "shape": 0, "legend": False, "hover": ("name", "low", "high", "seeds")}
        series.append(marks([row], "value", "name", name=row["name"], kind="bars", **look))
    mine = next(row for row in levels if row["kind"] == "own")
    series += intervals([mine], "name", slot=4)
    below = [{**row, "name": f"seed {row['seed']}: {percent(row['value'])}"} for row in seeds * (len(seeds) > 1)]
    if len(below) > MOST_ROWS:
        ends = [percent(end(row["value"] for row in below)) for end in (min, max)]
        below = [{**row, "name": f"{len(below)} seeds: {ends[0]} to {ends[1]}"} for row in below]
    for row in below:
        look = {"shape": 7, "hollow": not row["mine"], "legend": False, "size": 12 if row["mine"] else 9}
        series.append(marks([row], "value", "name", name=row["name"], hover=("seed", "value"), **look))
    at = names.index(mine["name"]) + 1
    names[at:at] = dict.fromkeys(row["name"] for row in below)
    relations = any(row["kind"] == "guessing" for row in levels)
    most = max(max(float(row["value"]), float(row["high"] or 0.0)) for row in rows)
    high = min(1.0, math.ceil(round(most * 1.1 * 20, 9)) / 20) if relations else 1
    x = Axis(title=f"{'PREC@1' if relations else 'test accuracy'} (percent)", percent=True, low=0, high=high)
    height = 130 + 40 * len(levels) + 26 * (len(names) - len(levels))
    return single(x, named(names), series, title="Where its PREC@1 stands" * relations, height=height, legend=True)
