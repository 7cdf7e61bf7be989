"""What noisy answers cost, and how many of them are right: along lambda, the inverse of the noise, or along
the noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from privgraph_workbench.figures.axes import COLUMNS, spans
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Series, empty
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.theme import EPSILONS, Epsilon

KINDS: tuple[Epsilon, ...] = ("sound", "published")


AXES = {
    "lam": ("λ", "λ (logarithmic; noise has scale 1/λ)"),
    "noise": ("noise ±", "noise (standard deviation, logarithmic; right is noisier)"),
}
"""What the horizontal axis may be: its symbol and its title."""


def data(
    points: Iterable[tuple[float, float, float | None]],
    chosen: float,
    right: Mapping[float, float | None] | None = None,
    by: str = "lam",
) -> list[Row]:
    """One row per lambda or size of the noise (`by`), ascending: lam (that number), by, epsilon (sound;
    infinite where nothing is guaranteed), epsilon_as_published (None: no formula), right (the share of labels
    that are right on average over the noise; None: not known), chosen (True for the one that is asked
    about)."""
    known = right or {}
    return [
        {
            "lam": lam,
            "by": by,
            "epsilon": sound,
            "epsilon_as_published": published,
            "right": known.get(lam),
            "chosen": lam == chosen,
        }
        for lam, sound, published in sorted(points)
    ]


@figure("price", "What the answers cost", data)
def chart(rows: Sequence[Row]) -> Chart:
    """Two curves on logarithmic axes; where it is known, how many labels are right: below them, and along the
    noise next to them. What is chosen has a large mark on each."""
    drawn = [row[COLUMNS[kind]] for row in rows for kind in KINDS if _finite(row[COLUMNS[kind]])]
    if not drawn:
        return empty("no lambda has a finite ε")
    low, high = spans(min(drawn), max(drawn))
    left, right = spans(rows[0]["lam"], rows[-1]["lam"])
    series: list[Series] = []
    for kind in KINDS:
        key, name = COLUMNS[kind], EPSILONS[kind].title
        if held := [row for row in rows if _finite(row[key])]:
            own = [row for row in held if row["chosen"]]
            series.append(marks(held, "lam", key, name=name, kind="line", epsilon=kind, group=name))
            series.append(marks(own, "lam", key, name=name, epsilon=kind, size=12, legend=False, group=name))
    along = Axis(title=AXES[rows[0]["by"]][1], scale="log", low=left, high=right)
    panels = [Panel(x=along, y=Axis(title="ε (logarithmic)", scale="log", low=low, high=high))]
    told = [row for row in rows if row["right"] is not None]
    if told:
        panels.append(Panel(x=along, y=Axis(title="labels right, on average (percent)", percent=True, low=0, high=1)))
        look: Look = {"name": "labels right", "slot": 2, "panel": 1, "legend": False}
        series.append(marks(told, "lam", "right", kind="line", **look))
        series.append(marks([row for row in told if row["chosen"]], "lam", "right", size=12, **look))
    wide = rows[0]["by"] == "noise"
    return Chart(
        panels=tuple(panels),
        series=tuple(series),
        flags=(Flag.EVALUATOR,) * bool(told),
        columns=2 if wide else 1,
        height=330 if wide or not told else 520,
    )


def _finite(value: float | None) -> bool:
    return value is not None and 0 < value < math.inf
