"""The highest precision that any classifier can have on private embeddings, against epsilon (Theorem 3 of
HeterPoisson)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from privgraph.privacy.precision import precision_bound
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.theme import EPSILONS, NEUTRAL, Epsilon
from privgraph_workbench.words.numbers import percent, upper

TITLE = "Highest precision on private embeddings"
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
    marks = [row for row in rows if row["kind"] != "bound"]
    first, last = rows[0], bound[-1]["epsilon"]
    series = [
        Series(
            name=bound[0]["name"],
            kind="line",
            x=tuple(row["epsilon"] for row in bound),
            y=tuple(row["precision"] for row in bound),
            hover=tuple(_hover(row) for row in bound),
        ),
        Series(
            name="blind guessing",
            kind="level",
            x=(0, last),
            y=(first["guessing"],),
            slot=NEUTRAL,
            shape=2,
            hover=(f"a blind guess is right in {percent(first['guessing'])} of cases",) * 2,
        ),
    ]
    series += [
        Series(
            name=row["name"],
            kind="points",
            x=(row["epsilon"],),
            y=(row["precision"],),
            slot=1 + place,
            epsilon=_kind(row),
            size=13,
            hover=(f"{row['name']}\n{_hover(row)}",),
        )
        for place, row in enumerate(marks)
    ]
    return Chart(
        panels=(
            Panel(
                x=Axis(title="ε of each node's embedding", low=0, high=last),
                y=Axis(title="precision (percent)", percent=True, low=0, high=1.05),
            ),
        ),
        series=tuple(series),
        height=360,
    )


plot = plotted(chart)


def _kind(row: Row) -> Epsilon | None:
    """Which of the three a mark stands for."""
    return next((kind for kind in EPSILONS if row["claim"] == kind), None)


def _hover(row: Row) -> str:
    most = "" if row["kind"] == "measured" else "at most "
    return f"ε {upper(row['epsilon'])}\nprecision {most}{percent(row['precision'])}"
