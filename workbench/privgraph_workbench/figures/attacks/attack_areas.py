"""What attacks find, side by side: each area with its interval, in order of the runs' sound epsilon."""

from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import distinct, intervals, marks, named, single
from privgraph_workbench.leaks import by_similarity, guessing
from privgraph_workbench.theme import NEUTRAL


def data(records: Sequence[AttackRecord], names: Sequence[str] = ()) -> list[Row]:
    """One row per attack, the smallest sound epsilon first and runs without privacy last.

    attack (its name: of `names`, else its title), attack_name (in `ATTACKS`), run, epsilon (sound), area,
    area_low, area_high (`AttackRecord.found`), models (the area of each attacked model), asks (its question
    in words), false_alarms, found, found_low, found_high (the highest rate of false positives that is told,
    and what is found there; None where the others are too few), signed_rank (its p-value), by_classes
    (`classes_alone`), guessing (whether nothing says that it is better than a guess), evaluator (True)."""
    rows: list[Row] = []
    for name, record in zip(distinct(names or [one.title for one in records]), records, strict=True):
        (area, low, high), rate = record.found, record.rates_found[-1]
        found = (rate.true, rate.low, rate.high) if record.outcome.measurable(rate) else (None,) * 3
        row = {"attack": name, "attack_name": record.attack, "run": record.run, "epsilon": record.sound, "area": area}
        row |= {"area_low": low, "area_high": high, "models": list(record.areas), "asks": sides(record.attack).asks}
        row |= {"false_alarms": rate.false, **dict(zip(("found", "found_low", "found_high"), found, strict=True))}
        row |= {"signed_rank": record.signed_rank, "by_classes": classes_alone(record), "guessing": guessing(record)}
        rows.append(row | {"evaluator": True})
    return sorted(rows, key=lambda row: (row["epsilon"], row["attack"]))


def classes_alone(record: AttackRecord) -> float | None:
    """The area that the true classes reach by themselves, with which one of similarity is to be compared."""
    return record.by_classes if by_similarity(record) else None


@figure("attack_areas", "Area of each attack", data, needs="attacks", settings=True)
def chart(rows: Rows) -> Chart:
    several = [{**row, "area": area} for row in rows if len(row["models"]) > 1 for area in row["models"]]
    classes = [row for row in rows if row["by_classes"] is not None]
    series = intervals(rows, "attack", "area_low", "area_high")
    look: Look = {"name": "mean of the attacked models", "hover": "attack area area_low area_high epsilon"}
    series.append(marks(rows, "area", "attack", shape=0, **look))
    if several:  # a mark apart from that of the mean, also where it lies upon it
        series.append(marks(several, "area", "attack", name="each attacked model", shape=3, size=7))
    if classes:
        look = {"name": "true classes alone", "slot": NEUTRAL, "shape": 2, "hollow": True, "size": 13}
        series.append(marks(classes, "by_classes", "attack", **look))
    ends = [float(x) for one in series for x in one.x if x is not None]
    x = Axis(title="area under the curve (0.5: chance)", low=min(0.45, *ends) - 0.02, high=max(0.6, *ends) + 0.02)
    y, rules = named(row["attack"] for row in rows), [Rule(x=0.5, label="chance")]
    return single(x, y, series, rules=rules)
