"""What stands where the mouse rests on a mark: columns of its row, as text/figures.toml names them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from privgraph_workbench.figures.chart import Axis, Coordinate, Panel, Row, Series
from privgraph_workbench.text import texts
from privgraph_workbench.words.numbers import number, percent, rounded_delta, stated

FORMS: Mapping[str, Callable[[Any], str]] = {
    "text": str,
    "count": lambda value: f"{value:,}",
    "number": number,
    "percent": percent,
    "sound": lambda value: stated("sound", value),
    "published": lambda value: stated("published", value),
    "audited": lambda value: stated("audited", value),
    "delta": rounded_delta,
}
"""How a value is written; bounds are rounded so that none says more than holds."""


def hovers(rows: Iterable[Row], *columns: str) -> tuple[str, ...]:
    """For each row its columns, a line each; a column without a value has none."""
    known = texts("figures")["columns"]
    forms = {column: (known[column][0], FORMS[known[column][1]]) for column in columns}
    return tuple(
        "\n".join(
            f"{title} {form(row[column])}".strip()
            for column, (title, form) in forms.items()
            if row.get(column) not in (None, "")
        )
        for row in rows
    )


def described(series: Series, panel: Panel) -> tuple[str, ...]:
    """Text for each mark of a series: its own, else name and place as its axes write them."""
    if series.hover or panel.bare or series.kind in ("band", "links") or (series.text and series.kind == "points"):
        return series.hover
    places = zip(series.x, series.y, strict=True) if series.kind != "level" else [(None, series.y[0])] * 2
    return tuple(
        "\n".join(filter(None, (series.name, _place(panel.x, x, series), _place(panel.y, y, series))))
        for x, y in places
    )


def _place(axis: Axis, value: Coordinate, series: Series) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.replace("\n", " ")
    form = "percent" if axis.percent else axis.form or series.epsilon or "number"
    return f"{axis.title}: {FORMS[form](value)}"
