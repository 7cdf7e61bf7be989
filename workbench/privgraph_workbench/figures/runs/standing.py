"""Where a run's accuracy stands: between guessing, reading no edge, and no privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.expecting import METRIC, Outlook
from privgraph_workbench.facts.references import chance
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, empty, named, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import intervals, marks
from privgraph_workbench.figures.needs import SIBLINGS
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.measures import PREC, measure
from privgraph_workbench.words.numbers import percent

MOST_ROWS = 4
"""Other seeds that have a row each."""
LABELS = {"guess": "Guessing", "base": "Base encoder", "blind": "MLP, no edges", "own": "Mean", "bare": "No privacy"}
"""What bars are called, from what takes no learning to what no noise hinders."""


def data(record: RunRecord, siblings: Sequence[RunRecord], told: Outlook) -> list[Row]:
    """One row per level (kind guess, base, blind, own, bare) that is known, and one per run of the same
    setting (kind seed; `mine` where it is this one).

    kind, measure (what the accuracy is called), seed (None for a level), mean, low, high (95% confidence: of
    three seeds or more, of the mean over seeds; of one, of the test nodes; None: not known), seeds, evaluator
    (True: test labels are private).
    """
    if METRIC not in record.metrics:
        return []
    done = [one for one in siblings if METRIC in one.metrics] or [record]
    mean, low, high = confidence([one.metrics[METRIC] for one in done], most=1.0)
    if len(done) == 1 and (nodes := chance(record.metrics)) is not None:
        low, high = nodes.low, nodes.high
    levels: dict[str, Row | None] = {
        "guess": None if told.majority is None else {"mean": told.majority},
        "base": {"mean": record.metrics["base_accuracy"]} if "base_accuracy" in record.metrics else None,
        "blind": told.blind,
        "own": {"mean": mean, "low": low, "high": high, "seeds": len(done)},
        "bare": told.bare,
    }
    blank = {"seed": None, "low": None, "high": None, "seeds": 0, "measure": measure(record.spec.method)}
    ends = ("mean", "low", "high", "seeds")
    rows = [
        {**blank, "kind": kind, "evaluator": True, **{name: one[name] for name in ends if name in one}}
        for kind, one in levels.items()
        if one is not None
    ]
    return rows + [
        {**blank, "kind": "seed", "evaluator": True, "seed": one.spec.seed, "mean": one.metrics[METRIC], "seeds": 1}
        | {"mine": one.id == record.id}
        for one in done
    ]


@figure("standing", "Where its accuracy stands", data, needs=SIBLINGS)
def chart(rows: Sequence[Row]) -> Chart:
    """A bar a level, on the run's own its interval as a line; its seeds as points in rows below it."""
    levels = [row for kind in LABELS for row in rows if row["kind"] == kind]
    if not levels:
        return empty("nothing has been measured yet")
    seeds = sorted((row for row in rows if row["kind"] == "seed"), key=lambda row: (not row["mine"], row["seed"]))
    titles = LABELS | ({} if len(seeds) > 1 else {"own": "This run"})
    levels = [{**row, "name": f"{titles[row['kind']]}: {percent(row['mean'])}"} for row in levels]
    names, series = [row["name"] for row in levels], []
    for row in levels:
        look: Look = {"slot": 0 if row["kind"] == "own" else NEUTRAL, "shape": 0, "legend": False}
        hover = ("name", "low", "high", "seeds")
        series.append(marks([row], "mean", "name", name=row["name"], kind="bars", hover=hover, **look))
    own = next(row for row in levels if row["kind"] == "own")
    series += intervals([own], "name", slot=4)
    below = [{**row, "name": f"seed {row['seed']}: {percent(row['mean'])}"} for row in seeds * (len(seeds) > 1)]
    if len(below) > MOST_ROWS:
        ends = [percent(end(row["mean"] for row in below)) for end in (min, max)]
        below = [{**row, "name": f"{len(below)} seeds: {ends[0]} to {ends[1]}"} for row in below]
    for row in below:
        look = {"shape": 7, "hollow": not row["mine"], "legend": False, "size": 12 if row["mine"] else 9}
        series.append(marks([row], "mean", "name", name=row["name"], hover=("seed", "mean"), **look))
    at = names.index(own["name"]) + 1
    names[at:at] = dict.fromkeys(row["name"] for row in below)
    most = max(max(float(row["mean"]), float(row["high"] or 0.0)) for row in rows)
    high = min(1.0, math.ceil(round(most * 1.1 * 20, 9)) / 20) if own["measure"] == PREC else 1
    x = Axis(title=f"{own['measure']} (percent)", percent=True, low=0, high=high)
    height = 130 + 40 * len(levels) + 26 * (len(names) - len(levels))
    return single(x, named(names), series, height=height, legend=True)
