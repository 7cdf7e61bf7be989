"""Series of rows: columns become places, and text where the mouse rests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from privgraph_workbench.figures.chart import Coordinate, Row, Series
from privgraph_workbench.figures.hover import hovers


def marks(
    rows: Sequence[Row],
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
    return Series(
        **{"name": "", "kind": "points", **look},
        x=_places(rows, x),
        y=_places(rows, y),
        hover=hovers(rows, *hover) if hover else (),
    )


def intervals(
    rows: Sequence[Row], at: str | Sequence[Coordinate], low: str = "low", high: str = "high", **look: Any
) -> list[Series]:
    """A line from `low` to `high` for each row that has both; beside categories it is horizontal.

    Args:
        rows: One for each place.
        at: A column, or the places.
        low: The column where lines begin.
        high: The column where they end.
        **look: Fields of `Series`.
    """
    held = [(row, place) for row, place in zip(rows, _places(rows, at), strict=True) if row[low] is not None]
    ends = tuple(row[end] for row, _ in held for end in (low, high))
    places = tuple(place for _, place in held for _ in range(2))
    x, y = (ends, places) if any(isinstance(place, str) for place in places) else (places, ends)
    return [Series(**{"name": "95% interval", "kind": "links", **look}, x=x, y=y)] if held else []


def _places(rows: Sequence[Row], of: str | Sequence[Coordinate]) -> tuple[Coordinate, ...]:
    return tuple(row[of] for row in rows) if isinstance(of, str) else tuple(of)


def outline(
    rows: Sequence[Row], share: str, name: str, slot: int, *, ends: Sequence[str] = ("low", "high")
) -> list[Series]:
    """The outline of a histogram: a line in steps with its ground filled, of the column `share` of bins."""
    x = tuple(row[end] for row in rows for end in ends)
    y = tuple(row[share] for row in rows for _ in ends)
    ground = Series(name=name, kind="band", x=x, y=y, low=(0.0,) * len(y), slot=slot, group=name, legend=False)
    return [ground, Series(name=name, kind="line", x=x, y=y, slot=slot, group=name)]


def level(rows: Sequence[Row], x: str, y: float, name: str, slot: int) -> Series:
    """A horizontal line at `y`, as wide as rows in their order along the column `x`."""
    return Series(name=name, kind="level", x=(rows[0][x], rows[-1][x]), y=(y,), slot=slot)
