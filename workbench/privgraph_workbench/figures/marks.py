"""Charts of rows: columns become places, and text where the mouse rests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from privgraph_workbench.figures.chart import (
    PERCENT_ROOM,
    Axis,
    Chart,
    Coordinate,
    Look,
    Panel,
    Row,
    Rows,
    Rule,
    Series,
)
from privgraph_workbench.text import texts
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


def marks(
    rows: Rows,
    x: str | Sequence[Coordinate],
    y: str | Sequence[Coordinate],
    *,
    hover: Sequence[str] = (),
    **look: Any,
) -> Series:
    """A series of rows.

    Args:
        rows: One for each place.
        x: A column, or the places.
        y: The same.
        hover: Columns that stand where the mouse rests; none: name and place.
        **look: Fields of `Series`; without a `kind` points.
    """
    told = hovers(rows, *hover) if hover else ()
    return Series(**{"name": "", "kind": "points", **look}, x=_places(rows, x), y=_places(rows, y), hover=told)


def hovers(rows: Iterable[Row], *columns: str) -> tuple[str, ...]:
    """For each row its columns, a line each, as text/figures.toml names them, where they have a value."""
    known = {column: texts("figures")["columns"][column] for column in columns}
    return tuple(
        "\n".join(
            f"{title} {FORMS[form](row[column])}".strip()
            for column, (title, form) in known.items()
            if row.get(column) not in (None, "")
        )
        for row in rows
    )


def described(series: Series, panel: Panel) -> tuple[str, ...]:
    """Text for each mark of a series: its own, else name and place as its axes write them."""
    if series.hover or panel.bare or series.kind in ("band", "links"):
        return series.hover
    return tuple(
        "\n".join(filter(None, (series.name, _place(panel.x, x, series), _place(panel.y, y, series))))
        for x, y in zip(series.x, series.y, strict=True)
    )


def _place(axis: Axis, value: Coordinate, series: Series) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.replace("\n", " ")
    return f"{axis.title}: {FORMS['percent' if axis.percent else series.epsilon or 'number'](value)}"


def _places(rows: Rows, of: str | Sequence[Coordinate]) -> tuple[Coordinate, ...]:
    return tuple(row[of] for row in rows) if isinstance(of, str) else tuple(of)


def intervals(
    rows: Rows, at: str, low: str = "low", high: str = "high", *, name: str = "95% interval", **look: Any
) -> list[Series]:
    """A line between the columns `low` and `high` for each row that has both; beside categories it is
    horizontal. `at` is the column of its place."""
    held = [row for row in rows if row[low] is not None]
    ends, places = tuple(row[end] for row in held for end in (low, high)), _places([*held], at)
    places = tuple(place for place in places for _ in range(2))
    x, y = (ends, places) if any(isinstance(place, str) for place in places) else (places, ends)
    return [Series(name=name, kind="links", x=x, y=y, **look)] if held else []


def bins(edges: Sequence[float], sides: Mapping[str, Sequence[int]]) -> list[Row]:
    """One row per bin of a histogram: low, high (its ends), how many of each side are in it, and which share_
    of that side these are."""
    return [
        {"low": low, "high": high, **dict(zip(sides, counts, strict=True))}
        | {f"share_{side}": one / max(1, sum(sides[side])) for side, one in zip(sides, counts, strict=True)}
        for low, high, *counts in zip(edges[:-1], edges[1:], *sides.values(), strict=True)
    ]


def outlines(rows: Rows, names: Mapping[str, str], ends: Sequence[str] = ("low", "high")) -> list[Series]:
    """The outlines of histograms: lines in steps with their ground filled, of columns of bins with their
    names."""
    series, x = list[Series](), tuple(row[end] for row in rows for end in ends)
    for slot, (column, name) in enumerate(names.items()):
        y = tuple(row[column] for row in rows for _ in ends)
        look: Look = {"name": name, "x": x, "y": y, "slot": slot, "group": name}
        series.append(Series(kind="band", low=(0.0,) * len(y), legend=False, **look))
        series.append(Series(kind="line", **look))
    return series


def stacked(names: Sequence[str], counts: Mapping[tuple[str, int], Sequence[int]]) -> list[Series]:
    """Bars that stand on one another: how many of each group (its name and slot) are in the bins of these
    names."""
    series, low = list[Series](), (0,) * len(names)
    for (group, slot), held in counts.items():
        rows = [{"bin": name, "group": group, "count": count} for name, count in zip(names, held, strict=True)]
        top = tuple(start + count for start, count in zip(low, held, strict=True))
        look: Look = {"low": low, "slot": slot, "hover": ("bin", "group", "count")}
        series.append(marks(rows, names, top, name=group, kind="bars", **look))
        low = top
    return series


def level(places: Sequence[float], y: float, name: str, slot: int, **look: Any) -> Series:
    """A horizontal line at `y` from the first of these places to the last."""
    return Series(name=name, kind="line", x=(places[0], places[-1]), y=(y, y), slot=slot, **look)


def band(rows: Rows, x: str, **look: Any) -> list[Series]:
    """The 95% confidence bands of rows over the column `x`, interrupted where a row has no interval."""
    pieces: list[list[Row]] = [[]]
    for row in rows:
        if row["low"] is None:
            pieces.append([])
        else:
            pieces[-1].append(row)
    look |= {"name": "95% confidence", "kind": "band", "legend": False}
    return [marks(one, x, "high", low=_places(one, "low"), **look) for one in pieces if len(one) > 1]


def grouped(rows: Iterable[Row], *columns: str) -> dict[Any, list[Row]]:
    """Rows by the value of a column, or by the values of several, in order of their first."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        key = tuple(row[column] for column in columns)
        found.setdefault(key if len(columns) > 1 else key[0], []).append(row)
    return found


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names, with a number after each that was there before: places on an axis must not fall together.

    >>> distinct(["a", "b", "a"])
    ('a', 'b', 'a (2)')
    """
    unique: dict[str, None] = {}
    for name in names:
        count, chosen = 1, name
        while chosen in unique:
            count += 1
            chosen = f"{name} ({count})"
        unique[chosen] = None
    return tuple(unique)


def class_name(label: int, names: Sequence[str]) -> str:
    """A class in words.

    >>> class_name(1, ("cat", "dog")), class_name(7, ())
    ('dog', 'class 7')
    """
    return names[label] if 0 <= label < len(names) else f"class {label}"


def one_of(what: str, word: str, words: Iterable[str]) -> None:
    """Raises `ValueError` where the word is none of these."""
    if word not in words:
        raise ValueError(f"{what} must be one of {', '.join(words)} (got {word})")


def placed(epsilon: float | None) -> bool:
    """Whether an epsilon has a place on a logarithmic axis: there is one, neither zero nor infinite."""
    return epsilon is not None and 0 < epsilon < math.inf


def spans(values: Iterable[float], least: float = 1.0) -> tuple[float, float]:
    """Ends of a logarithmic axis that holds the values, with some room on both sides; the larger is at least
    so many times the smaller."""
    held = list(values)
    wider = 1.4 * max(1.0, math.sqrt(least * min(held) / max(held)))
    return min(held) / wider, max(held) * wider


def logarithmic(title: str, values: Iterable[float], least: float = 1.0) -> Axis:
    """Such an axis."""
    low, high = spans(values, least)
    return Axis(title=title, scale="log", low=low, high=high)


def percentages(title: str, rows: Iterable[Row], *columns: str) -> Axis:
    """An axis of percentages with one range for all panels that are compared."""
    held = [row[column] for row in rows for column in columns if row[column] is not None]
    room = 0.05 * (max(held) - min(held)) or 0.05
    low, high = max(min(held) - room, -PERCENT_ROOM), min(max(held) + room, 1 + PERCENT_ROOM)
    return Axis(title=title, percent=True, low=low, high=high)


def named(categories: Iterable[str], title: str = "", *, labels: bool = True) -> Axis:
    """An axis of categories; without `labels` it names none, because the panel to its left does."""
    return Axis(title=title, scale="category", categories=tuple(categories), labels=labels)


def single(
    x: Axis, y: Axis, series: Iterable[Series], *, rules: Iterable[Rule] = (), of: str = "", **more: Any
) -> Chart:
    """A chart of one panel, `of` being that one's title."""
    return Chart(panels=(Panel(x=x, y=y, title=of, rules=tuple(rules)),), series=tuple(series), **more)


def pairs(panels: Sequence[Panel], series: Iterable[Series], *, each: int = 300, **more: Any) -> Chart:
    """A chart of panels, two side by side."""
    height = 110 + each * math.ceil(len(panels) / 2)
    return Chart(panels=tuple(panels), series=tuple(series), columns=2, height=height, **more)


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
