"""What teachers answered, query by query: how clear each answer was, and whether noise changed it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import class_name, empty, marks, named, single
from privgraph_workbench.words.numbers import number

MOST_BINS = 10
UNITS = {
    "posterior": "chance of a class, 0 to 1",
    "log-posterior": "logarithm of the chance of a class",
    "table": "weighted votes of all private nodes",
    "votes": "weighted votes of private nodes",
    "counts": "votes of teachers",
}
"""What the values of each kind of answer are."""


def data(answers: Answers, class_names: Sequence[str] = ()) -> list[Row]:
    """One row per query, in the order in which they were asked.

    order, query (its node), before and after (the class that was largest without and with noise; before it,
    all that were level), released (what the student got; None: a gate refused), truth, level (whether several
    were largest before noise), flipped (None where refused or level: no label was there to change),
    right_before (a share of 1 where level, for a coin's toss among them), right_after, right_released,
    margin_before, margin_after (largest less second), noise_std, seconds, kind, evaluator (True).
    """
    before, after = [ahead(row) for row in answers.before], largest(answers.after)
    margins = [_margins(answers.before), _margins(answers.after)]
    shared = {"kind": answers.kind, "evaluator": True}
    rows: list[Row] = []
    for place, node in enumerate(answers.queries.tolist()):
        label, truth, first = int(answers.released[place]), int(answers.truth[place]), before[place]
        row = {"order": place, "query": node, "before": " = ".join(class_name(one, class_names) for one in first)}
        row |= {"after": class_name(after[place], class_names), "released": class_name(label, class_names)}
        row |= {"truth": class_name(truth, class_names), "level": len(first) > 1, "flipped": first != [after[place]]}
        row |= {"right_before": (truth in first) / len(first), "right_after": after[place] == truth}
        row |= {"right_released": label == truth, "margin_before": margins[0][place], "margin_after": margins[1][place]}
        row |= {"noise_std": answers.noise_std, "seconds": float(answers.seconds[place]), **shared}
        if label < 0:
            row |= dict.fromkeys(("after", "released", "right_after", "right_released", "margin_after"))
        if label < 0 or len(first) > 1:
            row["flipped"] = None
        rows.append(row)
    return rows


def share(rows: Rows, column: str) -> float | None:
    """The mean of a `column` over the rows that have it, a share of what is true or false; None where none
    has.

    >>> share([{"flipped": True}, {"flipped": False}, {"flipped": None}], "flipped")
    0.5
    """
    found = [row[column] for row in rows if row[column] is not None]
    return sum(found) / len(found) if found else None


@figure("answers", "How clear the answers were", data, needs="answers", always=[Flag.PRIVATE])
def chart(rows: Rows) -> Chart:
    """Queries by the margin of their answer before noise, and those whose label noise changed among them;
    the rule is the standard deviation of the difference that noise makes between two classes."""
    answered = [row for row in rows if row["released"] is not None and row["margin_before"] is not None]
    if not answered:
        return empty("no query was answered")
    step, spread = round_step(max(row["margin_before"] for row in answered)), math.sqrt(2) * answered[0]["noise_std"]
    bins = [int(row["margin_before"] / step) for row in answered]
    names = [f"{number(step * at, 4)}–{number(step * (at + 1), 4)}" for at in range(max(bins) + 1)]
    changed = [own for row, own in zip(answered, bins, strict=True) if row["flipped"] is True]
    series = [
        marks((), names, [float(held.count(at)) for at in range(len(names))], name=name, kind="bars", slot=slot)
        for slot, (name, held) in enumerate({"answered queries": bins, "noise changed the label": changed}.items())
    ]
    label, inside = f"standard deviation of noise: {number(spread)}", spread <= step * len(names)
    side: Literal["left", "right"] = "left" if 2 * spread > step * len(names) else "right"
    return single(
        named(names, f"margin before noise: largest less second ({UNITS[answered[0]['kind']]})"),
        Axis(title="queries (count)", low=0),
        series,
        rules=[Rule(x=spread / step - 0.5, label=label, side=side)] * inside,
        of=label * (not inside),
        height=340,
    )


def ahead(values: NDArray[np.floating[Any]]) -> list[int]:
    """The classes that have the most: more than one where they are level, and all where nothing has any.

    >>> ahead(np.array([3.0, 1.0, 3.0])), ahead(np.array([0.2, 0.8]))
    ([0, 2], [1])
    """
    held = np.where(np.isnan(values), -np.inf, values)
    found: list[int] = np.flatnonzero(np.isclose(held, held.max(), rtol=1e-6, atol=0)).tolist()
    return found


def largest(values: NDArray[np.float32]) -> list[int]:
    """The largest class of each row (the first of equals); a row without any number has class 0."""
    found: list[int] = np.where(np.isnan(values), -np.inf, values).argmax(axis=1).tolist()
    return found


def round_step(top: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that reaches `top` in at most ten steps.

    >>> round_step(0.89), round_step(37.0)
    (0.1, 5.0)
    """
    if top <= 0:
        return 1.0
    power = math.floor(math.log10(top / MOST_BINS))
    steps = (float(f"{lead}e{power + more}") for more in (0, 1) for lead in (1, 2, 5))
    return next(step for step in steps if top / step < MOST_BINS)


def _margins(values: NDArray[np.float32]) -> list[float | None]:
    """The largest less the second of each row; None where one of them is infinite or not there."""
    ordered = np.sort(values.astype(np.float64), axis=1)
    found = ordered[:, -1] - ordered[:, -2] if ordered.shape[1] > 1 else np.zeros(len(ordered))
    return [one if math.isfinite(one) else None for one in found.tolist()]
