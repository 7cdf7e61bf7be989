"""What a setting costs: both epsilons against its noise, or against an option while the noise stays as it
is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from privgraph_workbench.figures.axes import COLUMNS, spans
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.words.numbers import number, proved_epsilon, stated

TITLE = "ε of a setting"
KINDS: tuple[Epsilon, ...] = ("sound", "published")
HANDLE = "noise"
LARGEST = 1e5
"""An epsilon beyond it is drawn out of sight: it is as good as none, and would flatten all others."""


def data(
    points: Iterable[tuple[float, float, float | None]], chosen: float, axis: str, *, handle: bool = False, of: str = ""
) -> list[Row]:
    """One row per place, ascending: x, epsilon (sound; infinite where nothing is proved),
    epsilon_as_published (None: no formula), chosen (the setting's own place), axis (what x is), handle
    (whether the place can be dragged on a page), of (what is priced)."""
    return [
        {
            "x": x,
            "epsilon": sound,
            "epsilon_as_published": published,
            "chosen": x == chosen,
            "axis": axis,
            "handle": handle,
            "of": of,
        }
        for x, sound, published in sorted(points, key=lambda point: point[0])
    ]


@figure("cost", "ε of a setting", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """Two curves over logarithmic epsilon; the setting's own place has a large mark on each, and a line where
    it can move. What is compared stands in one panel where the axis means the same, and else side by side
    over the same range of epsilon."""
    drawn = [row[COLUMNS[kind]] for row in rows for kind in KINDS if _finite(row[COLUMNS[kind]])]
    if not drawn:
        free = any(row[COLUMNS[kind]] == 0 for row in rows for kind in KINDS)
        return empty("it costs nothing: ε = 0" if free else "no finite ε: none proved, and no formula published")
    bounds = spans(min(drawn), max(min(max(drawn), LARGEST), min(drawn)))
    groups = {of: [row for row in rows if row["of"] == of] for of in dict.fromkeys(row["of"] for row in rows)}
    unproved = [of for of, held in groups.items() if not any(_finite(row["epsilon"]) for row in held)]
    alone = len(groups) == 1
    (first, *_) = groups
    if not alone and not unproved and len({row["axis"] for row in rows}) == 1:
        return _over_each_other(groups, bounds)
    return Chart(
        title=(f"{first}: {_against(rows)}" if first else _against(rows)) if alone else "Side by side",
        panels=tuple(_panel(held, "" if alone else of, bounds) for of, held in groups.items()),
        series=tuple(one for place, held in enumerate(groups.values()) for one in _curves(held, place)),
        flags=(Flag.UNPROVED,) * bool(unproved),
        height=340,
    )


def _over_each_other(groups: Mapping[str, Sequence[Row]], bounds: tuple[float, float]) -> Chart:
    """The sound epsilons of several methods over one axis: their noise is of the same kind."""
    rows = sorted((row for held in groups.values() for row in held), key=lambda row: float(row["x"]))
    own = [row for row in rows if row["chosen"]]
    marked = {row["x"]: row for row in own}  # one line where the settings have the same noise
    panel = _panel([{**row, "chosen": row is marked.get(row["x"])} for row in rows], "", bounds)
    series = []
    for place, (of, held) in enumerate(groups.items()):
        for whole in (True, False):
            shown = [row for row in held if _finite(row["epsilon"]) and (whole or row["chosen"])]
            series.append(
                Series(
                    name=f"{of}: sound ε",
                    kind="path" if whole else "points",
                    x=tuple(row["x"] for row in shown),
                    y=tuple(row["epsilon"] for row in shown),
                    slot=place,
                    size=5 if whole else 13,
                    hollow=place > 0,
                    legend=whole,
                    group=of,
                    hover=tuple(f"{of}\n{_hover(row)}" for row in shown),
                )
            )
    return Chart(
        title=f"Sound {_against(rows)}",
        panels=(panel,),
        series=tuple(series),
        height=340,
    )


def _against(rows: Sequence[Row]) -> str:
    return f"ε against {str(rows[0]['axis']).partition(' (')[0]}"


def _panel(rows: Sequence[Row], title: str, bounds: tuple[float, float]) -> Panel:
    factors = rows[0]["x"] > 0 and rows[-1]["x"] > 12 * rows[0]["x"]
    left, right = spans(rows[0]["x"], rows[-1]["x"])
    axis = rows[0]["axis"]
    return Panel(
        title=title,
        x=Axis(title=f"{axis}, logarithmic", scale="log", low=left, high=right) if factors else Axis(title=axis),
        y=Axis(title="ε (logarithmic)", scale="log", low=bounds[0], high=bounds[1]),
        rules=tuple(
            Rule(
                x=row["x"],
                label="this setting",
                handle=HANDLE * row["handle"],
            )
            for row in rows
            if row["chosen"]
        ),
    )


def _curves(rows: Sequence[Row], panel: int) -> list[Series]:
    """The curve of each epsilon, and the large mark of the setting's own place on it."""
    series: list[Series] = []
    for kind in KINDS:
        key, name = COLUMNS[kind], EPSILONS[kind].title
        held = [row for row in rows if _finite(row[key])]
        if not held:
            continue
        for whole, shown in ((True, held), (False, [row for row in held if row["chosen"]])):
            series.append(
                Series(
                    name=name,
                    kind="path" if whole else "points",
                    x=tuple(row["x"] for row in shown),
                    y=tuple(row[key] for row in shown),
                    epsilon=kind,
                    size=5 if whole else 13,
                    panel=panel,
                    legend=whole,
                    group=name,
                    hover=tuple(_hover(row) for row in shown),
                )
            )
    return series


plot = plotted(chart)


def _finite(value: float | None) -> bool:
    return value is not None and 0 < value < math.inf


def _hover(row: Row) -> str:
    return "\n".join((f"{row['axis']}: {number(row['x'], 4)}", *_epsilons(row)))


def _epsilons(row: Row) -> tuple[str, str]:
    published = stated("published", row["epsilon_as_published"])
    return f"sound ε {proved_epsilon(row['epsilon'])}", f"ε as published {published}"
