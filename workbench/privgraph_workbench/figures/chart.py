"""What a figure shows, for two renderers: plotly for pages, matplotlib for exports.

A slot is a number that the theme turns into a colour, a dash and a marker, the same in both.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from privgraph_workbench.text import texts
from privgraph_workbench.theme import Epsilon

Row = dict[str, Any]
"""One plain record of a figure: text, numbers, booleans or None."""
Rows = Sequence[Row]
Coordinate = float | str | None
Look = dict[str, Any]
"""Fields of a series, by which it is drawn."""
COLUMNS: Mapping[Epsilon, str] = {"sound": "epsilon", "published": "epsilon_as_published", "audited": "epsilon_audited"}
"""The columns of rows in which the three epsilons stand."""
PERCENT_ROOM = 0.03
"""How far an axis of percentages may reach below 0 and above 1, so that marks there are seen whole."""


class Flag(StrEnum):
    """What must be known of a figure before its numbers are believed, in a sentence of text/figures.toml."""

    EXAMPLE = "example"
    MIXED_UNITS = "mixed_units"
    MIXED_GRAPHS = "mixed_graphs"
    DATA_DEPENDENT = "data_dependent"
    EVALUATOR = "evaluator"
    COMPOSED = "composed"
    PRIVATE = "private"
    RAW = "raw"
    GIVEN_NOISE = "given_noise"
    ILLUSTRATION = "illustration"
    ONE_STEP = "one_step"
    REFUTED = "refuted"
    UNPROVED = "unproved"
    UNPROTECTED = "unprotected"
    CUT = "cut"
    HIDDEN = "hidden"
    FAULTY = "faulty"
    UNGUARANTEED = "unguaranteed"

    @property
    def sentence(self) -> str:
        return str(texts("figures")["flags"][self.value])


def flags(there: Mapping[Flag, bool]) -> tuple[Flag, ...]:
    """Those that hold."""
    return tuple(flag for flag, holds in there.items() if holds)


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis: its title carries the unit. `percent` shows values of [0, 1] as percent, and where a bound is
    left to the drawing no more than these and `PERCENT_ROOM`; without `labels` a category axis names nothing,
    as the panel to its left does. The first of the `categories` is at the top or left."""

    title: str = ""
    scale: Literal["linear", "log", "category"] = "linear"
    low: float | None = None
    high: float | None = None
    percent: bool = False
    ticks: tuple[float, ...] = ()
    labels: bool = True
    categories: tuple[str, ...] = ()

    def marked(self) -> tuple[float, ...]:
        """The ticks that are asked for, () where the renderer chooses; on a logarithmic axis 1, 2 and 5 times
        a power of ten, or powers alone over three decades."""
        if self.ticks or self.scale != "log" or not (self.low and self.high):
            return self.ticks
        leads = (1, 2, 5) if self.high / self.low < 2000 else (1,)
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        ticks = (float(f"{lead}e{power}") for power in powers for lead in leads)
        return tuple(tick for tick in ticks if self.low <= tick <= self.high)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A dotted vertical line at `x` with a short label at its top, on that side of it."""

    x: float
    label: str
    side: Literal["left", "right"] = "right"


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One pair of axes. `bare` hides them and keeps both to the same scale (a drawn graph)."""

    x: Axis = Axis()
    y: Axis = Axis()
    title: str = ""
    rules: tuple[Rule, ...] = ()
    bare: bool = False


@dataclass(frozen=True, kw_only=True)
class Series:
    """One thing drawn in one panel, and one entry of the legend (or none). Texts are plain.

    kind: `line` (broken where y is None), `steps` (level up to the next point), `path` (a line with a marker
    on each point), `points`, `bars` (horizontal where the panel's y axis is of categories), `band` (from
    `low` to `y`), `links` (segments, x and y in pairs), `cells` (squares, both axes of categories: the larger
    its number in `low`, the stronger its colour). `text` stands in each cell or bar. `slot` chooses the
    colour, `shape` dash and marker (none: as `slot`); `faint` lines stand back. Of the three epsilons
    `epsilon` alone chooses the look; with a `shape`, only whether marks are filled. Series of one `group`
    hide and show together. `keys` say for each point what a page is told when it is clicked. Without places
    it is an entry of the legend alone.
    """

    name: str
    kind: Literal["line", "steps", "path", "points", "bars", "band", "links", "cells"]
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
    faint: bool = False
    text: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    @property
    def entry(self) -> str:
        """What it shares one entry of the legend with; "" where it has none."""
        return (self.group or self.name) if self.legend else ""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A whole figure. `@figure` fills in what its rows tell."""

    panels: tuple[Panel, ...]
    series: tuple[Series, ...]
    title: str = ""
    caption: str = ""
    flags: tuple[Flag, ...] = ()
    columns: int = 3
    height: int = 350

    @property
    def grid(self) -> tuple[int, int]:
        """How many rows and columns of panels there are."""
        columns = min(self.columns, len(self.panels))
        return math.ceil(len(self.panels) / columns), columns

    @property
    def entries(self) -> dict[str, str]:
        """The entries of the legend with their texts, of their first."""
        named: dict[str, str] = {}
        for one in self.series:
            named.setdefault(one.entry, one.name)
        named.pop("", None)
        return named


def strengths(series: Series) -> list[float]:
    """How strong the colour of each cell is, from 0.05 to 0.5, on which text can be read."""
    held = [value or 0.0 for value in series.low]
    return [0.05 + 0.45 * (value - min(held)) / (max(held) - min(held) or 1.0) for value in held]
