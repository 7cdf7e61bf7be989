"""What attacks find, side by side: each area with its interval, in order of the runs' sound epsilon."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Rule, Series, distinct, empty, named, single
from privgraph_workbench.figures.figure import figure, without
from privgraph_workbench.figures.marks import intervals, marks
from privgraph_workbench.figures.needs import ATTACKS
from privgraph_workbench.leaks import by_similarity, guessing
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import number

NARROW = 0.6
"""Up to here an axis reaches at least: two areas beside a coin's do not fill one that ends at 1."""
CLASSES = "true classes alone"
"""What similarity tells by itself, with which an area of edges is to be compared."""
HOVER = ("attack", "area", "area_low", "area_high", "epsilon")
VALUES = 0.13
"""Of the width of what was found, the room for the areas as numbers, right of all marks."""
TENTHS = tuple(tenth / 10 for tenth in range(11))
"""Where an axis has its numbers, whose room for areas may reach beyond 1."""


def data(records: Sequence[AttackRecord], names: Sequence[str] = (), slots: Sequence[int] = ()) -> list[Row]:
    """One row per attack, the smallest sound epsilon first and runs without privacy last.

    attack (its name: of `names`, else its title), attack_name (in `ATTACKS`), run, epsilon (sound; infinite
    without privacy), area, area_low, area_high (`AttackRecord.found`: the mean of attacked models with
    Student's interval, or that of one model with DeLong's), models (the area of each attacked model), asks
    (its question in words), false_alarms, found, found_low, found_high (the highest rate of false positives
    that is told, the true positive rate there and its interval; None where the others are too few),
    signed_rank (its p-value, or None), by_classes (the area of the true classes alone, where the attack goes
    by similarity; else None), slot (its colour, of `slots`: that of its curve beside this figure; all have
    one colour where none are given), guessing (whether nothing says that it is better than a guess),
    evaluator (True: an evaluator alone knows the answers)."""
    rows = [
        {
            "attack": name,
            "attack_name": record.attack,
            "run": record.run,
            "epsilon": record.sound,
            "area": record.found[0],
            "area_low": record.found[1],
            "area_high": record.found[2],
            "models": list(record.areas),
            "asks": sides(record.attack).asks,
            **_found(record),
            "signed_rank": record.signed_rank,
            "by_classes": record.by_classes if by_similarity(record) else None,
            "slot": slot,
            "guessing": guessing(record),
            "evaluator": True,
        }
        for name, record, slot in zip(
            distinct(names or [one.title for one in records]), records, slots or [0] * len(records), strict=True
        )
    ]
    return sorted(rows, key=lambda row: (row["epsilon"], row["attack"]))


def _found(record: AttackRecord) -> Row:
    rate = record.rates_found[-1]
    known = record.outcome.measurable(rate)
    told = {"found": rate.true, "found_low": rate.low, "found_high": rate.high}
    return {"false_alarms": rate.false, **{name: value if known else None for name, value in told.items()}}


@figure("attack_areas", "Area of each attack", data, needs=ATTACKS, settings=True, table=without("slot"))
def chart(rows: Sequence[Row]) -> Chart:
    """A mark for each area on the line of its interval, a small one for each attacked model, and chance; of
    edges alone what the true classes tell in its place, and the axis as wide as what was found."""
    if not rows:
        return empty("no attack is chosen")
    classes = [row for row in rows if row["by_classes"] is not None]
    series: list[Series] = []
    for slot in dict.fromkeys(row["slot"] for row in rows):
        series += _of_colour([row for row in rows if row["slot"] == slot], slot, first=not series)
    levels = {round(row["by_classes"], 6) for row in classes}
    level = levels.pop() if len(levels) == 1 and len(classes) == len(rows) else None
    if classes and level is None:
        series.append(marks(classes, "by_classes", "attack", name=CLASSES, slot=NEUTRAL, shape=2, hollow=True, size=13))
    known = [area for row in rows for area in row["models"]] + [row["by_classes"] for row in classes]
    most = max(*(row["area_high"] for row in rows), *known, *([NARROW] if level is None else []))
    least = min(*(row["area_low"] for row in rows), *known, *([0.45] if level is None else []))
    pad = 0.02 if level is None else max(0.005, 0.1 * (most - least))
    text = tuple(number(row["area"]) for row in rows)
    numbers: Look = {"slot": NEUTRAL, "size": 0, "legend": False, "text": text}
    series.append(marks(rows, (most + pad,) * len(rows), "attack", name="area", **numbers))
    high, ticks = most + pad + VALUES * (most - least + 2 * pad), TENTHS if level is None else ()
    return single(
        Axis(title="area under the curve (0.5: chance)", low=max(0.0, least - pad), high=high, ticks=ticks),
        named(row["attack"] for row in rows),
        series,
        rules=[Rule(x=0.5, label="chance") if level is None else Rule(x=level, label=f"{CLASSES}: {number(level)}")],
        height=170 + 26 * len(rows),
        legend=True,
    )


def _of_colour(rows: Sequence[Row], slot: int, *, first: bool) -> list[Series]:
    """The marks of attacks of one colour; the legend names those of the `first`."""
    look: Look = {"slot": slot, "legend": first}
    several = [{**row, "area": area} for row in rows if len(row["models"]) > 1 for area in row["models"]]
    drawn = intervals(rows, "attack", "area_low", "area_high", **look)
    drawn.append(marks(rows, "area", "attack", name="mean of the attacked models", shape=0, hover=HOVER, **look))
    if several:  # a mark apart from that of the mean, also where it lies upon it
        drawn.append(marks(several, "area", "attack", name="each attacked model", shape=3, size=7, **look))
    return drawn
