"""What attacks find, side by side: each area with its interval, in order of the runs' sound epsilon."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, distinct, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.words.numbers import number, stated

NARROW = 0.6
"""Up to here an axis reaches at least: two areas beside a coin's do not fill one that ends at 1."""
TITLE = "Areas under the curves, the smallest ε first"


def data(records: Sequence[AttackRecord], names: Sequence[str] = ()) -> list[Row]:
    """One row per attack, the smallest sound epsilon first and runs without privacy last.

    attack (its name: of `names`, else its title), run, epsilon (sound; infinite without privacy), area,
    area_low, area_high (`AttackRecord.found`: the mean of attacked models with Student's interval, or that of
    one model with DeLong's), models (the area of each attacked model), asks (its question in words),
    false_alarms, found, found_low, found_high (the highest rate of false positives that is told, the true
    positive rate there and its interval; None where the others are too few), signed_rank (its p-value, or
    None), evaluator (True: an evaluator alone knows the answers).
    """
    rows = [
        {
            "attack": name,
            "run": record.run,
            "epsilon": record.sound,
            "area": record.found[0],
            "area_low": record.found[1],
            "area_high": record.found[2],
            "models": list(record.areas),
            "asks": sides(record.attack).asks,
            **_found(record),
            "signed_rank": record.signed_rank,
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


def chart(rows: Sequence[Row]) -> Chart:
    """A mark for each area on the line of its interval, hollow ones for further models, and chance."""
    if not rows:
        return empty(TITLE, "no attack is chosen")
    names = tuple(row["attack"] for row in rows)
    single = [(area, row["attack"]) for row in rows if len(row["models"]) > 1 for area in row["models"]]
    series = [
        Series(
            name="95% confidence",
            kind="links",
            x=tuple(end for row in rows for end in (row["area_low"], row["area_high"])),
            y=tuple(row["attack"] for row in rows for _ in range(2)),
            slot=0,
        ),
        Series(
            name="mean of the attacked models, or the only one",
            kind="points",
            x=tuple(row["area"] for row in rows),
            y=names,
            slot=0,
            hover=tuple(_hover(row) for row in rows),
        ),
    ]
    if single:
        series.append(
            Series(
                name="each attacked model",
                kind="points",
                x=tuple(area for area, _ in single),
                y=tuple(name for _, name in single),
                slot=0,
                hollow=True,
                size=6,
                hover=tuple(f"{name}\none attacked model: {number(area)}" for area, name in single),
            )
        )
    most = max(NARROW, *(row["area_high"] for row in rows), *(area for area, _ in single))
    least = min(0.45, *(row["area_low"] for row in rows), *(area for area, _ in single))
    told = "; ".join(f"{row['attack']}: {_value(row)}" for row in rows)
    return Chart(
        title=TITLE,
        panels=(
            Panel(
                x=Axis(
                    title="area under the curve (0.5: a guess by chance)",
                    low=max(0.0, least - 0.02),
                    high=min(1.0, most + 0.02),
                ),
                y=Axis(title="", scale="category", categories=names),
                rules=(Rule(x=0.5, label="chance"),),
            ),
        ),
        series=tuple(series),
        summary=f"{told}. Intervals are at 95% confidence.",
        notes=tuple(_one_model(rows)),
        badges=tuple(f"evaluator only: nobody outside knows {asks}" for asks in dict.fromkeys(r["asks"] for r in rows)),
        columns=1,
        height=170 + 26 * len(rows),
        legend=True,
    )


plot = plotted(chart)


def _one_model(rows: Sequence[Row]) -> list[str]:
    """Of how many models these areas are, where it is one: its interval leaves out the chance in training."""
    alone = [row["attack"] for row in rows if len(row["models"]) == 1]
    of = "" if len(alone) == len(rows) else f" by {'; '.join(alone)}"
    return [f"One model was attacked{of}: its interval leaves out the chance in training."] if alone else []


def _value(row: Row) -> str:
    return f"{number(row['area'])} ({number(row['area_low'])} to {number(row['area_high'])})"


def _hover(row: Row) -> str:
    epsilon = "no privacy" if math.isinf(row["epsilon"]) else f"sound ε {stated('sound', row['epsilon'])}"
    return f"{row['attack']}\narea {_value(row)}\n{epsilon}"
