"""What attacks find, side by side: each area with its interval, in order of the runs' sound epsilon."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Row, Rule, distinct, empty, named, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import intervals, marks
from privgraph_workbench.figures.needs import ATTACKS
from privgraph_workbench.leaks import by_similarity, guessing
from privgraph_workbench.theme import NEUTRAL

CLASSES = "true classes alone"
"""What similarity tells by itself, with which an area of edges is to be compared."""
HOVER = ("attack", "area", "area_low", "area_high", "epsilon")


def data(records: Sequence[AttackRecord], names: Sequence[str] = ()) -> list[Row]:
    """One row per attack, the smallest sound epsilon first and runs without privacy last.

    attack (its name: of `names`, else its title), attack_name (in `ATTACKS`), run, epsilon (sound; infinite
    without privacy), area, area_low, area_high (`AttackRecord.found`: the mean of attacked models with
    Student's interval, or that of one model with DeLong's), models (the area of each attacked model), asks
    (its question in words), false_alarms, found, found_low, found_high (the highest rate of false positives
    that is told, the true positive rate there and its interval; None where the others are too few),
    signed_rank (its p-value, or None), by_classes (the area of the true classes alone, where the attack goes
    by similarity; else None), guessing (whether nothing says that it is better than a guess), evaluator
    (True: an evaluator alone knows the answers)."""
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
            "guessing": guessing(record),
            "evaluator": True,
        }
        for name, record in zip(distinct(names or [one.title for one in records]), records, strict=True)
    ]
    return sorted(rows, key=lambda row: (row["epsilon"], row["attack"]))


def _found(record: AttackRecord) -> Row:
    rate = record.rates_found[-1]
    known = record.outcome.measurable(rate)
    told = {"found": rate.true, "found_low": rate.low, "found_high": rate.high}
    return {"false_alarms": rate.false, **{name: value if known else None for name, value in told.items()}}


@figure("attack_areas", "Area of each attack", data, needs=ATTACKS, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """A mark for each area on the line of its interval, a small one for each attacked model, one for what the
    true classes tell of edges, and chance."""
    if not rows:
        return empty("no attack is chosen")
    several = [{**row, "area": area} for row in rows if len(row["models"]) > 1 for area in row["models"]]
    classes = [row for row in rows if row["by_classes"] is not None]
    series = intervals(rows, "attack", "area_low", "area_high")
    series.append(marks(rows, "area", "attack", name="mean of the attacked models", shape=0, hover=HOVER))
    if several:  # a mark apart from that of the mean, also where it lies upon it
        series.append(marks(several, "area", "attack", name="each attacked model", shape=3, size=7))
    if classes:
        series.append(marks(classes, "by_classes", "attack", name=CLASSES, slot=NEUTRAL, shape=2, hollow=True, size=13))
    ends = [float(x) for one in series for x in one.x if x is not None]
    return single(
        Axis(title="area under the curve (0.5: chance)", low=min(0.45, *ends) - 0.02, high=max(0.6, *ends) + 0.02),
        named(row["attack"] for row in rows),
        series,
        rules=[Rule(x=0.5, label="chance")],
        height=170 + 26 * len(rows),
        legend=True,
    )
