"""Charts of rows: columns become places, and text where the mouse rests."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from privgraph_workbench.figures.chart import PERCENT_ROOM, Axis, Chart, Coordinate, Panel, Row, Rows, Rule, Series
from privgraph_workbench.text import texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import number, percent, stated

FORMS: Mapping[str, Callable[[Any], str]] = {
    "text": str,
    "count": lambda value: f"{value:,}",
    "number": number,
    "percent": percent,
    "sound": lambda value: stated("sound", value),
    "published": lambda value: stated("published", value),
    "audited": lambda value: stated("audited", value),
}
"""How a value is written; bounds are rounded so that none says more than holds."""


# Rows


def table(columns: Mapping[str, Any]) -> list[Row]:
    """Rows of columns: a list or an array has a value for each row, anything else is the same in all."""
    held = [one.tolist() if isinstance(one, np.ndarray) else one for one in columns.values()]
    count = next(len(one) for one in held if isinstance(one, list))
    whole = (one if isinstance(one, list) else [one] * count for one in held)
    return [dict(zip(columns, values, strict=True)) for values in zip(*whole, strict=True)]


def grouped(rows: Iterable[Row], *columns: str) -> dict[Any, list[Row]]:
    """Rows by the value of a column, or by the values of several, in order of their first."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        key = tuple(row[column] for column in columns)
        found.setdefault(key if len(columns) > 1 else key[0], []).append(row)
    return found


def bins(edges: Sequence[float], sides: Mapping[str, Sequence[int]]) -> list[Row]:
    """One row per bin of a histogram: low, high (its ends), how many of each side are in it, and which share_
    of that side these are."""
    counts = {side: list(held) for side, held in sides.items()}
    shares = {f"share_{side}": [one / max(1, sum(held)) for one in held] for side, held in counts.items()}
    return table({"low": list(edges[:-1]), "high": list(edges[1:]), **counts, **shares})


def steps_to(top: float) -> list[float]:
    """The ends of at most ten bins from 0 to `top` or just beyond, of 1, 2 or 5 times a power of ten each.

    >>> steps_to(37.0)[:3], steps_to(37.0)[-1]
    ([0.0, 5.0, 10.0], 40.0)
    """
    power = math.floor(math.log10(top / 10)) if top > 0 else 0
    steps = (float(f"{lead}e{power + more}") for more in (0, 1) for lead in (1, 2, 5))
    step = next(step for step in steps if top <= 10 * step)
    return [step * at for at in range(max(1, math.ceil(top / step - 1e-9)) + 1)]


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names, with a number after each that was there before: places on an axis must not fall together.

    >>> distinct(["a", "b", "a"])
    ('a', 'b', 'a (2)')
    """
    unique: dict[str, None] = {}
    for name in names:
        tried = (f"{name} ({count})" if count > 1 else name for count in range(1, len(unique) + 2))
        unique[next(one for one in tried if one not in unique)] = None
    return tuple(unique)


def class_name(label: int, names: Sequence[str]) -> str:
    """A class in words.

    >>> class_name(1, ("cat", "dog")), class_name(7, ())
    ('dog', 'class 7')
    """
    if label < 0:
        return "no class"
    return names[label] if 0 <= label < len(names) else f"class {label}"


def one_of(what: str, word: str, words: Iterable[str]) -> None:
    """Raises `ValueError` where the word is none of these."""
    if word not in words:
        raise ValueError(f"{what} must be one of {', '.join(words)} (got {word})")


def placed(epsilon: float | None) -> bool:
    """Whether an epsilon has a place on a logarithmic axis: there is one, neither zero nor infinite."""
    return epsilon is not None and 0 < epsilon < math.inf


# Series


def marks(
    rows: Rows, x: str | Sequence[Coordinate], y: str | Sequence[Coordinate], *, hover: str = "", **look: Any
) -> Series:
    """A series with a place for each row: `x` and `y` are columns, or the places. Where the mouse rests the
    columns of `hover` stand, a line each, as text/figures.toml names them, where they have a value; "": name
    and place. `look` are fields of `Series`: without a `kind` points, and of an `epsilon` under its title."""
    told = {column: texts("figures")["columns"][column] for column in hover.split()}
    lines = (
        [f"{title} {FORMS[form](row[name])}" for name, (title, form) in told.items() if row.get(name) not in (None, "")]
        for row in rows
    )
    said = tuple("\n".join(map(str.strip, one)) for one in lines) if hover else ()
    x, y = ([row[of] for row in rows] if isinstance(of, str) else of for of in (x, y))
    look = {"name": EPSILONS[look["epsilon"]].title if look.get("epsilon") else "", "kind": "points", **look}
    return Series(**look, x=tuple(x), y=tuple(y), hover=said)


def described(series: Series, panel: Panel) -> tuple[str, ...]:
    """Text for each mark of a series: its own, else name and place as its axes write them."""
    if series.hover or panel.bare or series.kind in ("band", "links"):
        return series.hover
    told = [[series.name] * len(series.x)]
    for axis, places in ((panel.x, series.x), (panel.y, series.y)):
        write, named = FORMS["percent" if axis.percent else series.epsilon or "number"], axis.scale == "category"
        said = (str(one).replace("\n", " ") if named else f"{axis.title}: {write(one)}" for one in places)
        told.append(["" if place is None else one for place, one in zip(places, said, strict=True)])
    return tuple("\n".join(filter(None, lines)) for lines in zip(*told, strict=True))


def intervals(
    rows: Rows, at: str, low: str = "low", high: str = "high", *, name: str = "95% interval", **look: Any
) -> list[Series]:
    """A line between the columns `low` and `high` for each row that has both; beside categories it is
    horizontal. `at` is the column of its place."""
    held = [row for row in rows if row[low] is not None]
    ends, places = ([row[one] for row in held for one in pair] for pair in ((low, high), (at, at)))
    x, y = (ends, places) if any(isinstance(place, str) for place in places) else (places, ends)
    return [Series(name=name, kind="links", x=tuple(x), y=tuple(y), **look)] if held else []


def outlines(
    rows: Rows, names: Mapping[str, str], ends: Sequence[str] = ("low", "high"), *, stacked: bool = False
) -> list[Series]:
    """The outlines of histograms: lines in steps with their ground filled, of columns of bins with their
    names; each from the ground, or on top of those before, which are drawn over it."""
    series, x = list[Series](), tuple(row[end] for row in rows for end in ends)
    low = (0.0,) * len(x)
    for slot, (column, name) in enumerate(names.items()):
        own = tuple(row[column] for row in rows for _ in ends)
        y = tuple(map(sum, zip(own, low, strict=True))) if stacked else own
        look: dict[str, Any] = {"name": name, "x": x, "y": y, "slot": slot, "group": name}
        drawn = [Series(kind="band", low=low, legend=False, **look), Series(kind="line", **look)]
        series, low = ([*drawn, *series], y) if stacked else ([*series, *drawn], low)
    return series


def histogram(edges: Sequence[float], values: Mapping[str, Sequence[float]], *, stacked: bool = False) -> list[Series]:
    """The outlines of histograms of values by the name of their group."""
    counts = {name: np.histogram(np.clip(own, edges[0], edges[-1]), edges)[0].tolist() for name, own in values.items()}
    return outlines(bins(edges, counts), {name: name for name in counts}, stacked=stacked)


def level(places: Sequence[Coordinate], y: float, name: str, slot: int, **look: Any) -> Series:
    """A horizontal line at `y` from the first of these places to the last."""
    return Series(name=name, kind="line", x=(places[0], places[-1]), y=(y, y), slot=slot, **look)


def banded(rows: Rows, x: str, y: str, **look: Any) -> list[Series]:
    """A curve of rows on its 95% confidence bands, which are interrupted where a row has no interval."""
    pieces: list[list[Row]] = [[]]
    for row in rows:
        if row["low"] is None:
            pieces.append([])
        else:
            pieces[-1].append(row)
    ground = {"slot": look["slot"], "panel": look.get("panel", 0), "group": look["name"], "legend": False}
    ground |= {"name": "95% confidence", "kind": "band"}
    drawn = [marks(one, x, "high", low=tuple(row["low"] for row in one), **ground) for one in pieces if len(one) > 1]
    return [*drawn, marks(rows, x, y, **{"group": look["name"], **look})]


# Axes and charts


def logarithmic(title: str, values: Iterable[float], least: float = 1.0) -> Axis:
    """A logarithmic axis that holds the values, with some room on both sides; its larger end is at least so
    many times the smaller."""
    held = list(values)
    wider = 1.4 * max(1.0, math.sqrt(least * min(held) / max(held)))
    return Axis(title=title, scale="log", low=min(held) / wider, high=max(held) * wider)


def percentages(title: str, rows: Iterable[Row], *columns: str) -> Axis:
    """An axis of percentages with one range for all panels that are compared."""
    held = [row[column] for row in rows for column in columns if row[column] is not None]
    room = 0.05 * (max(held) - min(held)) or 0.05
    low, high = max(min(held) - room, -PERCENT_ROOM), min(max(held) + room, 1 + PERCENT_ROOM)
    return Axis(title=title, percent=True, low=low, high=high)


def named(categories: Iterable[str], title: str = "", *, labels: bool = True) -> Axis:
    """An axis of categories; without `labels` it names none, because the panel to its left does."""
    return Axis(title=title, scale="category", categories=tuple(categories), labels=labels)


def single(x: Axis, y: Axis, series: Iterable[Series], *, rules: Iterable[Rule] = (), **more: Any) -> Chart:
    """A chart of one panel."""
    return pairs([Panel(x=x, y=y, rules=tuple(rules))], series, **more)


def pairs(
    panels: Iterable[Panel], series: Iterable[Series], *, columns: int = 2, each: int = 300, **more: Any
) -> Chart:
    """A chart of panels, so many side by side, `each` so many pixels high, or as its categories need it."""
    held = tuple(panels)
    names = [name.count("\n") for panel in held[::columns] for name in panel.y.categories]
    rows = math.ceil(len(held) / columns)
    height = 110 * rows + sum(32 + 18 * breaks for breaks in names) if names else each * rows
    return Chart(panels=held, series=tuple(series), columns=columns, height=50 + height, **more)


def apart(rows: Rows, sides: tuple[str, str], title: str) -> Chart:
    """The histograms of two sides, of `bins`; what each side is called stands in its column `{side}_are`."""
    if not any(row[side] for row in rows for side in sides):
        return empty("no scores were kept")
    series = outlines(rows, {f"share_{side}": rows[0][f"{side}_are"] for side in sides})
    return single(Axis(title=title), Axis(title="percent of each side", percent=True, low=0), series)


def network(rows: Rows, nodes: Iterable[Series], **more: Any) -> Chart:
    """A drawn graph: rows of the kind `edge` (source, target) as thin lines between those of the kind `node`
    (node, x, y), and below what is drawn of its nodes."""
    known = {row["node"]: row for row in rows if row["kind"] == "node"}
    ends = [known[row[end]] for row in rows if row["kind"] == "edge" for end in ("source", "target")]
    edges = marks(ends, "x", "y", name="edges", kind="links", legend=False, faint=True)
    return Chart(panels=(Panel(bare=True),), series=(edges, *nodes), height=480, **more)


def empty(sentence: str = "nothing to draw yet") -> Chart:
    """A chart that says why there is nothing to see."""
    return Chart(panels=(Panel(title=sentence, bare=True),), series=(), height=240)
