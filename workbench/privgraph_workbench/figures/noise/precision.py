"""The most precise that a classifier of private embeddings can be, by epsilon (Theorem 3 of HeterPoisson)."""

import math
from collections.abc import Mapping

import numpy as np

from privgraph.privacy.precision import precision_bound
from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import level, marks, single
from privgraph_workbench.theme import EPSILONS, NEUTRAL


def data(classes: int, delta: float, marks: Mapping[str, float], share: float | None = None) -> list[Row]:
    """Rows of the curve from epsilon 0 to past the largest mark, and one for each of `marks` (sound,
    published or another name -> epsilon, but for infinite ones).

    kind (bound or mark), claim (which of the three epsilons it is, "" of others), name, epsilon, precision
    (its upper bound), classes, delta, guessing (what a blind guess reaches: 1/`classes` unless `share` is
    given), evaluator (False: no label is read).
    """
    held = {name: epsilon for name, epsilon in marks.items() if math.isfinite(epsilon)}
    places = np.linspace(0, max(12.0, 1.2 * max(held.values(), default=0.0)), 121).tolist()
    titles: dict[str, str] = {kind: mark.title for kind, mark in EPSILONS.items()}
    points = [("bound", "", "no classifier lies above", epsilon) for epsilon in places]
    points += [("mark", name * (name in titles), titles.get(name, name), one) for name, one in held.items()]
    guessing = 1 / classes if share is None else share
    return [
        {"kind": kind, "claim": claim, "name": name, "epsilon": epsilon}
        | {"precision": precision_bound(epsilon, delta, classes, share), "classes": classes, "delta": delta}
        | {"guessing": guessing, "evaluator": False}
        for kind, claim, name, epsilon in points
    ]


@figure("precision", "Highest precision on private embeddings", data, settings=True)
def chart(rows: Rows) -> Chart:
    bound = [row for row in rows if row["kind"] == "bound"]
    last = bound[-1]["epsilon"]
    series = [marks(bound, "epsilon", "precision", name=bound[0]["name"], kind="line")]
    series.append(level((0, last), rows[0]["guessing"], "blind guessing", NEUTRAL, shape=2))
    for place, row in enumerate(row for row in rows if row["kind"] != "bound"):
        look = {"name": row["name"], "slot": 1 + place, "epsilon": row["claim"] or None, "size": 13}
        series.append(marks([row], "epsilon", "precision", **look))
    x = Axis(title="ε of each node's embedding", low=0, high=last)
    return single(x, Axis(title="precision (percent)", percent=True, low=0, high=1.05), series)
