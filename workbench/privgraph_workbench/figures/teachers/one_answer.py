"""One query's answer by class, before and after noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, distinct, empty, named
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import ANSWERS
from privgraph_workbench.figures.teachers.answers import UNITS, ahead, class_name, largest
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import chance, number

TITLE = "One answer, before and after noise"
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


@figure("one_answer", "One answer, before and after noise", data, needs=ANSWERS, flags=(Flag.PRIVATE,))
def chart(rows: Sequence[Row]) -> Chart:
    """Panels of horizontal bars that share their classes: before noise, after it, and where it is known the
    chance of each class to be largest after it. The largest of each stands out."""
    if not rows:
        return empty("there is no query to draw")
    words = {"released": "released" if rows[0]["own"] else "would be released", "truth": "truth"}
    told = [[word for column, word in words.items() if row[column]] for row in rows]
    ends = [f" ({', '.join(words)})" if words else "" for words in told]
    labels = distinct(f"{row['name']}{end}" for row, end in zip(rows, ends, strict=True))
    rows = [{**row, "label": label} for row, label in zip(rows, labels, strict=True)]
    first, spread = rows[0], SPREAD * rows[0]["noise_std"]
    room = [row["before"] + side * spread for row in rows for side in (-1, 1)]  # nearly every draw fits
    titles = {"before": "before noise", "after": f"after noise (σ = {number(first['noise_std'])})"}
    axes = {
        column: _axis([row[column] for row in rows] + room * (column == "after"), UNITS[first["kind"]])
        for column in titles
    }
    if first["chance"] is not None:
        titles["chance"] = "over all draws of that noise"
        axes["chance"] = Axis(title="chance to be largest (percent)", percent=True, low=0.0, high=1.19)
    panels = tuple(
        Panel(title=titles[column], x=axis, y=named(labels, labels=column == "before")) for column, axis in axes.items()
    )
    series = []
    for panel, column in enumerate(axes):
        for winner in (False, True):
            held = [row for row in rows if row[f"largest_{'after' if column == 'after' else 'before'}"] == winner]
            text = tuple((chance if column == "chance" else number)(row[column]) for row in held)
            look: Look = {"slot": 0 if winner else NEUTRAL, "shape": 0 if winner else 1, "panel": panel, "text": text}
            name = "largest" if winner else "other classes"
            series.append(marks(held, column, "label", name=name, kind="bars", legend=panel < 2, **look))
    return Chart(
        title=f"{TITLE}: node {first['query']}",
        panels=panels,
        series=tuple(series),
        flags=(Flag.GIVEN_NOISE,) * (not first["own"]),
        columns=len(panels),
        height=150 + 26 * len(rows),
    )


def _axis(values: Sequence[float], title: str) -> Axis:
    """An axis that holds 0, with room for numbers at the ends of bars."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    room = 0.35 * ((high - low) or 1.0)
    return Axis(title=title, low=low - room if low < 0 else 0.0, high=high + room)
