"""What a figure shows, in plain words that two renderers understand: plotly for pages, matplotlib for
exports.

A figure's rows become a `Chart`; nothing here knows of colours in numbers, of browsers or of pixels. A slot
is a number that the theme turns into a colour, a dash and a marker, the same in both renderers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.theme import Epsilon
from privgraph_workbench.words.markup import wrapped

Row = dict[str, Any]
"""One plain record of a figure: text, numbers, booleans or None."""
Coordinate = float | str | None
Look = dict[str, Any]
"""Fields of a series, by which it is drawn."""
PERCENT_ROOM = 0.03
"""How far an axis of percentages may reach below 0 and above 1, so that marks there are seen whole."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis: its title carries the unit. `percent` shows values of [0, 1] as percent, and where a bound is
    left to the drawing, never shows more than these and `PERCENT_ROOM`; `form` (of hover.py) is how a value
    is written where the mouse rests; without `labels` a category axis names nothing, because the panel to its
    left already does. `categories` in their order, the first at the top or left."""

    title: str
    scale: Literal["linear", "log", "category"] = "linear"
    low: float | None = None
    high: float | None = None
    percent: bool = False
    form: str = ""
    ticks: tuple[float, ...] = ()
    labels: bool = True
    categories: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.scale == "category") != bool(self.categories):
            raise ValueError("Axis.categories and their scale go together")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A vertical line at `x` with a short label at its top, on that side of it: where a stage begins.

    It lies below all marks, unless it is `above` them, as one that would be lost behind bars.
    """

    x: float
    label: str
    side: Literal["left", "right"] = "right"
    above: bool = False


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One pair of axes. `bare` hides them and keeps both to the same scale (a drawn graph)."""

    x: Axis
    y: Axis
    title: str = ""
    rules: tuple[Rule, ...] = ()
    bare: bool = False


@dataclass(frozen=True, kw_only=True)
class Series:
    """One thing drawn in one panel, and one entry of the legend (or none). Texts are plain: no markup, no
    formulas.

    kind: `line` (broken where y is None), `path` (a line with a marker on each point), `points`, `bars`
    (horizontal where the panel's y axis is of categories; on an x axis of numbers as wide as `width` says,
    and from `low`, where that is given), `band` (from `low` to `y`), `level` (a horizontal line at y[0]
    across the panel), `links` (separate segments, x and y in pairs; with a `width` in pixels a broad pale
    line), `cells` (squares at x and y, both of categories: the larger its number in `low`, the stronger its
    colour). `text` stands in each
    cell or bar, and right of each point. `slot` chooses the colour, `shape` dash and marker (none: as
    `slot`); `faint` lines stand back. What shows one of the three epsilons says which: `epsilon` alone
    chooses its look then; with a `shape`, only whether its marks are filled. Series of one `group` hide and
    show together. `keys` say for each point what a page is told when it is clicked. A line or band without
    places is an entry of the legend alone: it says what several others are that each hide with their own.
    """

    name: str
    kind: Literal["line", "path", "points", "bars", "band", "level", "links", "cells"]
    x: tuple[Coordinate, ...] = ()
    y: tuple[Coordinate, ...] = ()
    low: tuple[float | None, ...] = ()
    slot: int = 0
    shape: int | None = None
    epsilon: Epsilon | None = None
    hollow: bool = False
    panel: int = 0
    legend: bool = True
    group: str = ""
    hover: tuple[str, ...] = ()
    size: float = 9
    width: float | None = None
    faint: bool = False
    text: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A whole figure. `legend`: one that has a single entry is shown, too; it stands below the axes, or above
    where these are so tall that nobody would see both.
    """

    panels: tuple[Panel, ...]
    series: tuple[Series, ...]
    title: str = ""
    """"": that of the figure."""
    caption: str = ""
    """How it is read, in one sentence: text/figures.toml has it, and the figure fills it in."""
    flags: tuple[Flag, ...] = ()
    """Warnings that are printed on it; those that follow from its rows are filled in."""
    columns: int = 3
    height: int = 420
    legend: bool = False
    legend_above: bool = False

    def has_legend(self, entries: int) -> bool:
        """Whether a legend of so many entries is shown."""
        return entries > (0 if self.legend else 1)


def edges(nodes: Mapping[Any, Row], ends: Iterable[tuple[Any, Any]]) -> Series:
    """The edges of a drawn graph as thin lines between the places (`x`, `y`) of its nodes."""
    places = [nodes[end] for pair in ends for end in pair]
    return Series(
        name="edges",
        kind="links",
        x=tuple(place["x"] for place in places),
        y=tuple(place["y"] for place in places),
        legend=False,
        faint=True,
    )


def band(rows: Sequence[Row], x: str, *, slot: int, panel: int, group: str, faint: bool = False) -> list[Series]:
    """The 95% confidence bands of rows over the column `x`; `faint` ones stand back.

    A row without an interval (`low` is None) interrupts the band: nothing is known there. A row that stands
    alone between two such has its interval in its hover text only.
    """
    pieces: list[list[Row]] = [[]]
    for row in rows:
        if row["low"] is None:
            pieces.append([])
        else:
            pieces[-1].append(row)
    return [
        Series(
            name="95% confidence",
            kind="band",
            x=tuple(row[x] for row in piece),
            low=tuple(row["low"] for row in piece),
            y=tuple(row["high"] for row in piece),
            slot=slot,
            panel=panel,
            legend=False,
            group=group,
            faint=faint,
        )
        for piece in pieces
        if len(piece) > 1
    ]


def shared(values: Iterable[Sequence[float]]) -> tuple[float, float] | None:
    """One range of percentages for panels that are compared, from the values of each.

    None where there is only one panel, or where some panel's curve would lie flat: in less than a tenth of
    the range.

    >>> shared([[0.5, 0.6], [0.7]]), shared([[0.5, 0.6]]), shared([[0.1, 0.9], [0.50, 0.51]])
    ((0.49, 0.71), None, None)
    """
    held = [one for one in values if one]
    low, high = min(map(min, held), default=0.0), max(map(max, held), default=0.0)
    spreads = [max(one) - min(one) for one in held if max(one) > min(one)]
    if len(held) < 2 or low == high or min(spreads, default=high - low) < 0.1 * (high - low):
        return None
    room = 0.05 * (high - low)
    return round(max(low - room, -PERCENT_ROOM), 6), round(min(high + room, 1 + PERCENT_ROOM), 6)


def percentages(title: str, bounds: tuple[float, float] | None) -> Axis:
    """An axis of accuracies with these bounds, which its neighbours have too, or with its own."""
    low, high = bounds or (None, None)
    return Axis(title=title, percent=True, low=low, high=high)


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


def strengths(values: Sequence[float | None]) -> list[float | None]:
    """How strong the colour of each number is, from 0.05 for the smallest to 0.5 for the largest, on which
    text can be read; None where there is none.

    >>> strengths([1.0, None, 3.0])
    [0.05, None, 0.5]
    """
    held = [value for value in values if value is not None]
    low, span = min(held, default=0.0), (max(held, default=0.0) - min(held, default=0.0)) or 1.0
    return [None if value is None else 0.05 + 0.45 * (value - low) / span for value in values]


def title_lines(panel: Panel, columns: int) -> list[str]:
    """A panel's title in lines that are no wider than the panel, of which `columns` stand side by side."""
    return wrapped(panel.title, 86 if columns == 1 else 50)


def log_ticks(low: float, high: float) -> tuple[float, ...]:
    """The numbers 1, 2 and 5 times a power of ten between the bounds; powers of ten alone over three decades.

    >>> log_ticks(0.3, 3)
    (0.5, 1.0, 2.0)
    """
    leads = (1, 2, 5) if high / low < 2000 else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [float(f"{lead}e{power}") for power in powers for lead in leads]
    return tuple(tick for tick in ticks if low <= tick <= high)


def named(categories: Iterable[str], title: str = "", *, labels: bool = True) -> Axis:
    """An axis of categories; without `labels` it names none, because the panel to its left does."""
    return Axis(title=title, scale="category", categories=tuple(categories), labels=labels)


def single(
    x: Axis, y: Axis, series: Iterable[Series], *, rules: Iterable[Rule] = (), of: str = "", **more: Any
) -> Chart:
    """A chart of one panel, `of` being that one's title."""
    return Chart(panels=(Panel(x=x, y=y, title=of, rules=tuple(rules)),), series=tuple(series), **more)


def empty(sentence: str) -> Chart:
    """A chart that says why there is nothing to see yet."""
    return Chart(panels=(Panel(x=Axis(title=""), y=Axis(title=""), title=sentence, bare=True),), series=(), height=240)
