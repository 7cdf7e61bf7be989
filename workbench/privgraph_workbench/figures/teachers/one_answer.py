"""One query's answer by class, before and after noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, distinct, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.needs import ONE_ANSWER
from privgraph_workbench.figures.teachers.answers import (
    UNITS,
    ahead,
    class_name,
    largest,
)
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import chance, number

TITLE = "One answer, before and after noise"
WINNER, OTHERS = 0, NEUTRAL
SPREAD = 3.0
"""Standard deviations of the noise that the axis after noise has room for."""


def data(
    answers: Answers,
    place: int,
    class_names: Sequence[str] = (),
    chances: Sequence[float] | None = None,
    own: bool = True,
) -> list[Row]:
    """One row per class of the query at that place: class, name, before, after, largest_before,
    largest_after, chance (of being largest after noise; None: not told), released, refused, truth, query (its
    node), kind, noise_std, own (whether the noise is the run's: with other noise nothing was released),
    evaluator (True)."""
    before, after = answers.before[place], answers.after[place]
    leading, (second,) = ahead(before), largest(after[None])
    released = int(answers.released[place])
    return [
        {
            "class": label,
            "name": class_name(label, class_names),
            "before": float(before[label]),
            "after": float(after[label]),
            "largest_before": label in leading,
            "largest_after": label == second,
            "chance": None if chances is None else float(chances[label]),
            "released": label == released,
            "refused": released < 0,
            "truth": label == int(answers.truth[place]),
            "query": int(answers.queries[place]),
            "kind": answers.kind,
            "noise_std": answers.noise_std,
            "own": own,
            "evaluator": True,
        }
        for label in range(len(before))
    ]


@figure("one_answer", "One answer, before and after noise", data, needs=ONE_ANSWER, flags=(Flag.PRIVATE,))
def chart(rows: Sequence[Row]) -> Chart:
    """Panels of horizontal bars that share their classes: before noise, after it, and where it is known the
    chance of each class to be largest after it. The largest of each stands out."""
    if not rows:
        return empty("there is no query to draw")
    names = distinct(_label(row) for row in rows)
    first = rows[0]
    spread = SPREAD * first["noise_std"]
    room = [row["before"] + side * spread for row in rows for side in (-1, 1)]  # nearly every draw fits
    panels = tuple(
        Panel(
            title=title,
            x=_axis([row[column] for row in rows] + room * (column == "after"), UNITS[first["kind"]]),
            y=Axis(title="", scale="category", categories=names, labels=column == "before"),
        )
        for column, title in (
            ("before", "before noise"),
            ("after", f"after noise (σ = {number(first['noise_std'])})"),
        )
    )
    series = [
        _bars(rows, names, column, panel, winner)
        for panel, column in enumerate(("before", "after"))
        for winner in (False, True)
    ]
    if first["chance"] is not None:
        panels += (
            Panel(
                title="over all draws of that noise",
                x=Axis(title="chance to be largest (percent)", percent=True, low=0.0, high=1.19),
                y=Axis(title="", scale="category", categories=names, labels=False),
            ),
        )
        series += [_chances(rows, names, winner) for winner in (False, True)]
    return Chart(
        title=f"{TITLE}: node {first['query']}",
        panels=panels,
        series=tuple(series),
        flags=(Flag.GIVEN_NOISE,) * (not first["own"]),
        columns=len(panels),
        height=150 + 26 * len(rows),
    )


plot = plotted(chart)


def _axis(values: Sequence[float], title: str) -> Axis:
    """An axis that holds 0, with room for numbers at the ends of bars."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    room = 0.35 * ((high - low) or 1.0)
    return Axis(title=title, low=low - room if low < 0 else 0.0, high=high + room)


def _bars(rows: Sequence[Row], names: Sequence[str], column: str, panel: int, winner: bool) -> Series:
    held = [(row, name) for row, name in zip(rows, names, strict=True) if row[f"largest_{column}"] == winner]
    return Series(
        name="largest" if winner else "other classes",
        kind="bars",
        x=tuple(row[column] for row, _ in held),
        y=tuple(name for _, name in held),
        slot=WINNER if winner else OTHERS,
        shape=0 if winner else 1,
        panel=panel,
        text=tuple(number(row[column]) for row, _ in held),
        hover=tuple(f"{name}\n{column} noise: {number(row[column], 4)}" for row, name in held),
    )


def _chances(rows: Sequence[Row], names: Sequence[str], winner: bool) -> Series:
    held = [(row, name) for row, name in zip(rows, names, strict=True) if row["largest_before"] == winner]
    return Series(
        name="largest" if winner else "other classes",
        kind="bars",
        x=tuple(row["chance"] for row, _ in held),
        y=tuple(name for _, name in held),
        slot=WINNER if winner else OTHERS,
        shape=0 if winner else 1,
        panel=2,
        legend=False,
        text=tuple(chance(row["chance"]) for row, _ in held),
        hover=tuple(f"{name}\nlargest with a chance of {chance(row['chance'])}" for row, name in held),
    )


def _label(row: Row) -> str:
    words = {"released": "released" if row["own"] else "would be released", "truth": "truth"}
    marks = [word for column, word in words.items() if row[column]]
    return f"{row['name']} ({', '.join(marks)})" if marks else str(row["name"])
