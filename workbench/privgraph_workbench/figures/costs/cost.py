"""What a setting costs: both epsilons against its noise, or against an option while the noise stays."""

from collections.abc import Iterable
from typing import Any

from privgraph_workbench.figures.chart import COLUMNS, Axis, Chart, Flag, Panel, Row, Rows, Rule, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, grouped, logarithmic, marks, pairs, placed
from privgraph_workbench.theme import Epsilon

KINDS: tuple[Epsilon, ...] = ("sound", "published")


def data(points: Iterable[tuple[float, float, float | None]], chosen: float, axis: str, *, of: str = "") -> list[Row]:
    """One row per place, ascending: x, epsilon (sound; infinite where nothing is proved),
    epsilon_as_published (None: no formula), chosen (the setting's own place), axis (what x is), of
    (what is priced)."""
    return [
        {"x": x, "epsilon": sound, "epsilon_as_published": published, "chosen": x == chosen, "axis": axis, "of": of}
        for x, sound, published in sorted(points, key=lambda point: point[0])
    ]


@figure("cost", "ε of a setting", data, settings=True)
def chart(rows: Rows) -> Chart:
    """What is compared stands side by side over the same range of epsilon."""
    drawn = [row[COLUMNS[kind]] for row in rows for kind in KINDS if placed(row[COLUMNS[kind]])]
    if not drawn:
        return empty("no ε between 0 and infinity")
    # an epsilon beyond 100,000 is as good as none, and would flatten all others
    y = logarithmic("ε (logarithmic)", (min(one, max(1e5, min(drawn))) for one in drawn))
    groups, panels, series = grouped(rows, "of"), [], list[Series]()
    for place, (of, held) in enumerate(groups.items()):
        places, name = [row["x"] for row in held], held[0]["axis"]
        factors = min(places) > 0 and max(places) > 12 * min(places)
        x = logarithmic(f"{name}, logarithmic", places) if factors else Axis(title=name)
        rules = tuple(Rule(x=at, label="this setting") for at in {row["x"] for row in held if row["chosen"]})
        panels.append(Panel(title=of * (len(groups) > 1), x=x, y=y, rules=rules))
        series += epsilons(held, "x", panel=place)
    title = ": ".join(filter(None, (*groups, f"ε against {str(rows[0]['axis']).partition(' (')[0]}")))
    unproved = any(not any(placed(row["epsilon"]) for row in held) for held in groups.values())
    title = title if len(groups) == 1 else "Side by side"
    return pairs(panels, series, columns=3, title=title, flags=(Flag.UNPROVED,) * unproved)


def epsilons(rows: Rows, x: str, **look: Any) -> list[Series]:
    """The curves of the sound and the published epsilon."""
    return [one for kind in KINDS for one in curve(rows, x, COLUMNS[kind], epsilon=kind, group=kind, **look)]


def curve(rows: Rows, x: str, column: str, **look: Any) -> list[Series]:
    """The curve of what is neither 0 nor infinite, and the large mark of what is chosen on it."""
    held = [row for row in rows if placed(row[column])]
    own = marks([row for row in held if row["chosen"]], x, column, size=13, **look, legend=False)
    return [marks(held, x, column, kind="path", size=5, **look), own] if held else []
