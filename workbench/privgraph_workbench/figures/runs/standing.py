"""Where a run's accuracy stands: between naming the largest class, reading no edge, and no privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.expecting import METRIC, Outlook, Reached, reached
from privgraph_workbench.facts.references import chance
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.needs import SIBLINGS
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.naming import method_title, network_of
from privgraph_workbench.words.numbers import percent

TITLE = "Where its accuracy stands"
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
    seeds = [row for row in rows if row["kind"] == "seed"]
    this = next((row for row in seeds if row["mine"]), None)
    own = next(row for row in levels if row["kind"] == "own")
    titles = dict(LABELS)
    if own["seeds"] > 1:
        titles["own"] = f"Mean of {own['seeds']} seeds"
        titles["majority"] += ", mean"  # each seed has test nodes of its own
    labels = {row["kind"]: f"{titles[row['kind']]}: {percent(row['value'])}" for row in levels}
    mine = labels["own"]
    series = [
        Series(
            name=labels[row["kind"]],
            kind="bars",
            x=(row["value"],),
            y=(labels[row["kind"]],),
            slot=0 if row["kind"] == "own" else NEUTRAL,
            shape=0,
            legend=False,
            hover=(_hover(row, labels[row["kind"]]),),
        )
        for row in levels
    ]
    if own["low"] is not None:
        series.append(
            Series(
                name="95% confidence interval",
                kind="line",
                x=(own["low"], own["high"]),
                y=(mine, mine),
                slot=4,
                shape=0,
                hover=(_hover(own, mine),) * 2,
            )
        )
    below = _seeds(seeds, this)
    for name, held in below.items():
        series.append(_dots(name, held))
    places = [labels[row["kind"]] for row in levels]
    at = places.index(mine) + 1
    places[at:at] = below
    name = "PREC@1" if any(row["kind"] == "guessing" for row in levels) else "test accuracy"
    return Chart(
        title=TITLE if name != "PREC@1" else TITLE.replace("accuracy", name),
        panels=(
            Panel(
                x=Axis(title=f"{name} (percent)", percent=True, low=0, high=_end(rows) if name == "PREC@1" else 1),
                y=Axis(title="", scale="category", categories=tuple(places)),
            ),
        ),
        series=tuple(series),
        height=130 + 40 * len(levels) + 26 * len(below),
        legend=True,
    )


def _end(rows: Sequence[Row]) -> float:
    """How far the axis of a score goes that is low among many candidates: a little further than the largest
    number, to the next 5%."""
    most = max(max(float(row["value"]), float(row["high"] or 0.0)) for row in rows)
    return min(1.0, math.ceil(round(most * 1.1 * 20, 9)) / 20)


plot = plotted(chart)


def _seeds(seeds: Sequence[Row], this: Row | None) -> dict[str, list[Row]]:
    """The seeds by the names of their rows: this run's first; of many, those of the others share one."""
    if len(seeds) < 2:
        return {}
    others = sorted((row for row in seeds if row is not this), key=lambda row: row["seed"])
    found = {f"this run, seed {this['seed']}: {percent(this['value'])}": [this]} if this else {}
    if len(others) <= MOST_ROWS:
        return found | {f"seed {row['seed']}: {percent(row['value'])}": [row] for row in others}
    ends = [percent(end(row["value"] for row in others)) for end in (min, max)]
    return found | {f"{len(others)} {'other ' * (this is not None)}seeds: {ends[0]} to {ends[1]}": others}


def _dots(name: str, rows: Sequence[Row]) -> Series:
    hollow = not rows[0]["mine"]
    return Series(
        name=name,
        kind="points",
        x=tuple(row["value"] for row in rows),
        y=(name,) * len(rows),
        slot=0,
        shape=7,
        hollow=hollow,
        legend=False,
        size=9 if hollow else 12,
        hover=tuple(f"seed {row['seed']}: {percent(row['value'])}" for row in rows),
    )


def _hover(row: Row, label: str) -> str:
    interval = "" if row["low"] is None else f"\n95% interval {percent(row['low'])} to {percent(row['high'])}"
    seeds = f"\n{row['seeds']} seeds" if row["seeds"] > 1 else ""
    return f"{label}{seeds}{interval}"
