"""What teachers answered, query by query: how clear each answer was, and whether noise changed it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import class_name, empty, histogram, single, steps_to
from privgraph_workbench.words.numbers import number

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
    rows: list[Row] = []
    for place, node in enumerate(answers.queries.tolist()):
        label, truth, first = int(answers.released[place]), int(answers.truth[place]), before[place]
        row = {"order": place, "query": node, "before": " = ".join(class_name(one, class_names) for one in first)}
        row |= {"after": class_name(after[place], class_names), "released": class_name(label, class_names)}
        row |= {"truth": class_name(truth, class_names), "level": len(first) > 1, "flipped": first != [after[place]]}
        row |= {"right_before": (truth in first) / len(first), "right_after": after[place] == truth}
        row |= {"right_released": label == truth, "margin_before": margins[0][place], "margin_after": margins[1][place]}
        row |= {"noise_std": answers.noise_std, "seconds": float(answers.seconds[place]), "kind": answers.kind}
        row["evaluator"] = True
        if label < 0:
            row |= dict.fromkeys(("after", "released", "right_after", "right_released", "margin_after"))
        if label < 0 or len(first) > 1:
            row["flipped"] = None
        rows.append(row)
    return rows


def share(rows: Rows, column: str) -> float | None:
    """The mean of a `column` over the rows that have it, a share of what is true or false; None where none
    has."""
    found = [row[column] for row in rows if row[column] is not None]
    return sum(found) / len(found) if found else None


@figure("answers", "How clear the answers were", data, needs="answers", always=[Flag.PRIVATE])
def chart(rows: Rows) -> Chart:
    """The rule is the standard deviation of the difference that noise makes between two classes."""
    held = [row for row in rows if row["released"] is not None and row["margin_before"] is not None]
    if not held:
        return empty("no query was answered")
    spread, changed = math.sqrt(2) * held[0]["noise_std"], [row for row in held if row["flipped"]]
    edges = steps_to(max(row["margin_before"] for row in held))
    groups = {"answered queries": held, "noise changed the label": changed}
    title, last = f"margin before noise: largest less second ({UNITS[held[0]['kind']]})", edges[-1]
    x, label = Axis(title=title, low=0, high=max(last, spread)), f"standard deviation of noise: {number(spread)}"
    rule = Rule(x=spread, label=label, side="left" if 2 * spread > last else "right")
    series = histogram(edges, {name: [row["margin_before"] for row in own] for name, own in groups.items()})
    return single(x, Axis(title="queries (count)", low=0), series, rules=[rule])


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


def _margins(values: NDArray[np.float32]) -> list[float | None]:
    """The largest less the second of each row; None where one of them is infinite or not there."""
    ordered = np.sort(values.astype(np.float64), axis=1)
    found = ordered[:, -1] - ordered[:, -2] if ordered.shape[1] > 1 else np.zeros(len(ordered))
    return [one if math.isfinite(one) else None for one in found.tolist()]
