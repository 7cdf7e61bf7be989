"""Cells of a report's notebook that draw a figure again from its CSV, to be changed by whoever has the
notebook."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from privgraph_workbench.theme import EPSILONS

IMPORTS = '''
%matplotlib inline
import csv
from pathlib import Path

import matplotlib.pyplot as plt
from IPython.display import SVG, Markdown


def read(name):
    """The rows of a CSV file; what is a number there is one here, and what is empty is None."""
    def value(text):
        try:
            return float(text)
        except ValueError:
            return text or None
    with Path(name).open(encoding="utf-8", newline="") as file:
        return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def grouped(rows, *columns):
    """Rows by what these columns hold, such as a method with its setting."""
    found = {}
    for row in rows:
        found.setdefault(", ".join(str(row[one]) for one in columns if row[one] is not None), []).append(row)
    return found.items()


def error(rows, middle, low="low", high="high"):
    """How far intervals reach below and above; nothing where none is known."""
    return [
        [float("nan") if row[low] is None else max(0, row[middle] - row[low]) for row in rows],
        [float("nan") if row[high] is None else max(0, row[high] - row[middle]) for row in rows],
    ]
'''.strip()


@dataclass(frozen=True, kw_only=True)
class Plot:
    """How a CSV is drawn. lines: `y` over `x`; marks: the same with intervals, and what has no `x` as a
    level;
    bars: `y` of each name. by: the columns that name a line, a mark or a bar; only: a column with the value
    of the rows that are drawn; scale: that of the x axis."""

    kind: Literal["lines", "marks", "bars"]
    y: str
    by: tuple[str, ...]
    x: str = ""
    only: tuple[str, str] | None = None
    low: str = "low"
    high: str = "high"
    scale: Literal["linear", "log"] = "linear"
    across: str = ""
    up: str = ""

    @property
    def columns(self) -> set[str]:
        """What the file must have."""
        ends = {self.low, self.high} if self.kind != "lines" and self.low else set()
        return {self.y, *self.by, *({self.x} - {""}), *ends, *({self.only[0]} if self.only else ())}


_BUDGETS = Plot(
    kind="marks",
    x="epsilon",
    y="mean",
    by=("title", "variant", "unit"),
    scale="log",
    across=EPSILONS["sound"].title,
    up="test score",
)
_AREAS = Plot(
    kind="bars",
    y="area",
    by=("attack",),
    low="area_low",
    high="area_high",
    across="area under the curve (guessing: 0.5)",
)
PLOTS: Mapping[str, Plot] = {
    "tradeoff": _BUDGETS,
    "teachers_compared": _BUDGETS,
    "attack_roc": Plot(
        kind="lines",
        x="false_positive_rate",
        y="true_positive_rate",
        by=("attack",),
        only=("curve", "attack"),
        scale="log",
        across="false positive rate",
        up="true positive rate",
    ),
    "attack_areas": _AREAS,
    "compare": Plot(kind="bars", y="test_accuracy", by=("label",), across="test score"),
    "standing": Plot(kind="bars", y="value", by=("kind", "of", "seed"), across="test score"),
    "ledger": Plot(kind="bars", y="share", by=("mechanism", "stage"), low="", across="share of the budget"),
    "curves": Plot(kind="lines", x="step", y="value", by=("run", "stage", "metric"), across="step", up="value"),
}
"""Of figures whose rows are a plot by themselves; of all others the notebook shows the finished drawing."""


def cell(figure: str, name: str, title: str, content: bytes) -> str:
    """The cell that draws the figure from that CSV file; "" where it is no plot by itself, or the file lacks
    a column."""
    plot = PLOTS.get(figure)
    head = next(csv.reader(io.StringIO(content.decode())), [])
    if plot is None or not plot.columns <= set(head):
        return ""
    drawn = {"lines": _lines, "marks": _marks, "bars": _bars}[plot.kind](plot)
    only = f'\nrows = [row for row in rows if row["{plot.only[0]}"] == "{plot.only[1]}"]' if plot.only else ""
    return "\n".join(
        [
            f'rows = read("{name}"){only}',
            'fig, axis = plt.subplots(figsize=(8, 4.5), layout="constrained")',
            *drawn,
            f"axis.set(title={title!r}, xlabel={plot.across!r}, ylabel={plot.up!r})",
            "plt.show()",
        ]
    )


def _by(plot: Plot) -> str:
    return ", ".join(f'"{one}"' for one in plot.by)


def _scale(plot: Plot) -> list[str]:
    if plot.scale == "linear":
        return []
    return [
        f'axis.set_xscale("{plot.scale}")',
        'axis.xaxis.set_major_formatter("{x:g}")',
        'axis.xaxis.set_minor_formatter("{x:g}" if axis.get_xlim()[0] > 0.01 else "")',
        'axis.tick_params(axis="x", which="minor", labelsize=7)',
    ]


def _legend() -> str:
    return 'fig.legend(loc="outside lower left", ncols=2, fontsize=8, frameon=False)'


def _lines(plot: Plot) -> list[str]:
    return [
        f"for name, held in grouped(rows, {_by(plot)}):",
        f'    axis.plot([row["{plot.x}"] for row in held], [row["{plot.y}"] for row in held], label=name)',
        *_scale(plot),
        _legend(),
    ]


def _marks(plot: Plot) -> list[str]:
    return [
        f"for name, held in grouped(rows, {_by(plot)}):",
        f'    held = [row for row in held if row["{plot.y}"] is not None]',
        f'    placed = [row for row in held if row["{plot.x}"] and row["{plot.x}"] < float("inf")]',
        "    if placed:",
        f'        places, means = [row["{plot.x}"] for row in placed], [row["{plot.y}"] for row in placed]',
        f'        wide = error(placed, "{plot.y}", "{plot.low}", "{plot.high}")',
        '        axis.errorbar(places, means, yerr=wide, marker="o", capsize=3, label=name)',
        "    for row in held:  # without privacy there is no ε to place it at",
        "        if row not in placed:",
        f'            axis.axhline(row["{plot.y}"], color="grey", linestyle="--", linewidth=1)',
        f'            axis.text(1, row["{plot.y}"], name, fontsize=8, ha="right", va="bottom",',
        "                      transform=axis.get_yaxis_transform())",
        *_scale(plot),
        _legend(),
    ]


def _bars(plot: Plot) -> list[str]:
    wide = f', xerr=error(held, "{plot.y}", "{plot.low}", "{plot.high}"), capsize=3' if plot.low else ""
    return [
        f"for name, held in grouped(rows, {_by(plot)}):",
        f'    held = [row for row in held if row["{plot.y}"] is not None][:1]',
        f'    axis.barh([name for _ in held], [row["{plot.y}"] for row in held]{wide})',
        "axis.invert_yaxis()",
    ]
