"""The highest precision that any classifier can have on private embeddings, against epsilon (Theorem 3 of
HeterPoisson)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from privgraph.privacy.precision import precision_bound
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Series, empty, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.theme import EPSILONS, NEUTRAL

REACH = 12.0
_PLACES = 121


def data(
    classes: int,
    delta: float,
    marks: Mapping[str, float],
    share: float | None = None,
    measured: Mapping[str, tuple[float, float]] | None = None,
) -> list[Row]:
    """Rows of the curve from epsilon 0 to past the largest mark, and one row for each of `marks` (sound,
    published or another name -> epsilon; infinite ones bound nothing, and are left out): kind (bound, mark or
    measured), claim (which of the three epsilons it is, "" of others), name, epsilon, precision (its upper
    bound, or what was measured), classes, delta, guessing (the share of the nodes that are of the class: what
    a blind guess reaches; 1/`classes` unless `share` is given). `measured`: name -> (epsilon, precision) of
    what a run reached, by labels that an evaluator knows: evaluator is True of these rows."""
    held = {name: epsilon for name, epsilon in marks.items() if math.isfinite(epsilon)}
    last = max(REACH, 1.2 * max(held.values(), default=0.0))
    places = [("bound", "", "no classifier lies above", float(epsilon)) for epsilon in np.linspace(0, last, _PLACES)]
    titles: dict[str, str] = {kind: mark.title for kind, mark in EPSILONS.items()}
    places += [
        ("mark", name if name in titles else "", titles.get(name, name), epsilon) for name, epsilon in held.items()
    ]
    points = [(*place, precision_bound(place[3], delta, classes, share)) for place in places]
    points += [("measured", "", name, *pair) for name, pair in (measured or {}).items() if math.isfinite(pair[0])]
    return [
        {
            "kind": kind,
            "claim": claim,
            "name": name,
            "epsilon": epsilon,
            "precision": precision,
            "classes": classes,
            "delta": delta,
            "guessing": 1 / classes if share is None else share,
            "evaluator": kind == "measured",
        }
        for kind, claim, name, epsilon, precision in points
    ]


@figure("precision", "Highest precision on private embeddings", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """The bound as a line, the marks on it, and blind guessing below."""
    if not rows:
        return empty("no epsilon to draw")
    bound = [row for row in rows if row["kind"] == "bound"]
    marked = [row for row in rows if row["kind"] != "bound"]
    first, last = rows[0], bound[-1]["epsilon"]
    guess: Look = {"x": (0, last), "y": (first["guessing"],), "slot": NEUTRAL, "shape": 2}
    series = [marks(bound, "epsilon", "precision", name=bound[0]["name"], kind="line")]
    series.append(Series(name="blind guessing", kind="level", **guess))
    for place, row in enumerate(marked):
        look: Look = {"slot": 1 + place, "epsilon": row["claim"] or None, "size": 13}
        series.append(marks([row], "epsilon", "precision", name=row["name"], **look))
    x = Axis(title="ε of each node's embedding", low=0, high=last)
    return single(x, Axis(title="precision (percent)", percent=True, low=0, high=1.05), series, height=360)
