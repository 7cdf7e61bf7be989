"""Cells of a report's notebook that draw a figure again from its CSV, in the look of the archive's figures,
to be changed by whoever has the notebook."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from privgraph_workbench.figures.runs import curves
from privgraph_workbench.theme import EPSILONS, theme

_LOOK = theme("light")
WORDS: Mapping[str, str] = {  # no more of them goes along than a file has: others get no line of some
    "own": "this setting",
    "bare": "without privacy",
    "blind": "reads no edge",
    "base": "base encoder",
    "majority": "largest class",
    "guessing": "a guess",
}
"""What columns hold by raw names, in words."""
IMPORTS = (
    f"""
%matplotlib inline
import csv
from pathlib import Path

import matplotlib.pyplot as plt
from IPython.display import SVG, Markdown
from matplotlib.ticker import PercentFormatter

# the look of the report's own figures: change it here for all of them
COLOURS = {list(_LOOK.lines)!r}
MUTED, GRID = {_LOOK.muted!r}, {_LOOK.grid!r}
DASHES = ["-", "--", ":", "-."]
WORDS = {{}}  # what columns hold by raw names
plt.rcParams.update({{
    "axes.grid": True, "grid.color": GRID, "axes.axisbelow": True, "axes.edgecolor": MUTED, "axes.labelcolor": MUTED,
    "xtick.color": MUTED, "ytick.color": MUTED, "axes.spines.top": False, "axes.spines.right": False,
    "axes.prop_cycle": plt.cycler(color=COLOURS), "text.parse_math": False,
}})
""".strip()
    + '''


def read(name):
    """The rows of a CSV file; what is a number there is one here, and what is empty is None."""
    def value(text):
        try:
            return float(text)
        except ValueError:
            return text or None
    with Path(name).open(encoding="utf-8", newline="") as file:
        return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def word(value):
    """A cell in words."""
    return f"{value:g}" if isinstance(value, float) else WORDS.get(value, str(value))


def grouped(rows, *columns, sign=", "):
    """Rows by what these columns hold, such as a method with its setting."""
    found = {}
    for row in rows:
        found.setdefault(sign.join(word(row[one]) for one in columns if row[one] is not None), []).append(row)
    return found.items()


def error(rows, middle, low="low", high="high"):
    """How far intervals reach below and above; nothing where none is known."""
    return [
        [float("nan") if row[low] is None else max(0, row[middle] - row[low]) for row in rows],
        [float("nan") if row[high] is None else max(0, row[high] - row[middle]) for row in rows],
    ]


def colour(place):
    return COLOURS[place % len(COLOURS)]


def dash(place):
    return DASHES[place % len(DASHES)]


def legend(fig):
    fig.legend(loc="outside lower left", ncols=2, fontsize=8, frameon=False)
'''.rstrip()
)


@dataclass(frozen=True, kw_only=True)
class Plot:
    """How a CSV is drawn. roc: curves and bands with the line of chance; curves: losses and scores over
    steps; marks: `y` over `x` with intervals, and what has no `x` as a level; bars: `y` of each name; areas:
    marks of attacks with the line that these are to be compared with. by: the columns that name a line, a
    mark or a bar; chance: where a guess stands."""

    kind: Literal["roc", "curves", "marks", "bars", "areas"]
    y: str
    by: tuple[str, ...]
    x: str = ""
    low: str = "low"
    high: str = "high"
    more: tuple[str, ...] = ()
    percent: bool = True
    chance: float | None = None
    across: str = ""
    up: str = ""

    @property
    def columns(self) -> set[str]:
        """What the file must have."""
        ends = {self.low, self.high} if self.kind in ("marks", "bars", "areas") and self.low else set()
        return {self.y, *self.by, *self.more, *({self.x} - {""}), *ends}


_BUDGETS = Plot(
    kind="marks",
    x="epsilon",
    y="mean",
    by=("title", "variant", "unit"),
    across=EPSILONS["sound"].title,
    up="test score",
)
_AREAS = Plot(
    kind="areas",
    y="area",
    by=("attack",),
    low="area_low",
    high="area_high",
    percent=False,
    chance=0.5,
    across="area under the curve (a guess: 0.5)",
)
CLASSES = "by_classes"
"""The column of what the true classes alone tell."""
PLOTS: Mapping[str, Plot] = {
    "tradeoff": _BUDGETS,
    "teachers_compared": _BUDGETS,
    "attack_roc": Plot(
        kind="roc",
        x="false_positive_rate",
        y="true_positive_rate",
        by=("attack",),
        more=("curve", "true_positive_rate_low", "true_positive_rate_high"),
        across="false positive rate (log scale)",
        up="true positive rate (log scale)",
    ),
    "attack_areas": _AREAS,
    "compare": Plot(kind="bars", y="test_accuracy", by=("label",), across="test score"),
    "standing": Plot(kind="bars", y="value", by=("kind", "of", "seed"), across="test score"),
    "ledger": Plot(kind="bars", y="share", by=("mechanism", "stage"), low="", across="share of the budget"),
    "curves": Plot(kind="curves", x="step", y="value", by=("run", "stage", "metric"), across="step"),
}
"""Of figures whose rows are a plot by themselves; of all others the notebook shows the finished drawing."""


def cell(figure: str, name: str, title: str, content: bytes, across: str = "", up: str = "") -> str:
    """The cell that draws the figure from that CSV file; "" where it is no plot by itself, or the file lacks
    a column. `across` and `up`: what its axes are called in the figure ("": not known)."""
    plot = PLOTS.get(figure)
    head = next(csv.reader(io.StringIO(content.decode())), [])
    if plot is None or not plot.columns <= set(head):
        return ""
    there = {kind: said for kind, said in WORDS.items() if f"\n{kind}," in content.decode()}
    drawn = [f"WORDS |= {there!r}"] * bool(there and "kind" in plot.by)
    drawn += {"roc": _roc, "curves": _curves, "marks": _marks, "bars": _bars, "areas": _areas}[plot.kind](plot)
    named = {"title": title, "xlabel": across or plot.across, "ylabel": up or plot.up}
    if plot.kind == "curves":
        ends = [f"fig.suptitle({title!r})"]
    else:
        ends = [f"axis.set({', '.join(f'{key}={value!r}' for key, value in named.items())})"]
    return "\n".join([f'rows = read("{name}")', *drawn, *ends, "plt.show()"])


def _by(plot: Plot) -> str:
    return ", ".join(f'"{one}"' for one in plot.by)


def _roc(plot: Plot) -> list[str]:
    low, high = plot.more[1:]
    return [
        'fig, axis = plt.subplots(figsize=(7, 6), layout="constrained")',
        f'least = min(value for row in rows for value in (row["{plot.x}"], row["{plot.y}"]) if value)',
        'axis.plot([least, 1], [least, 1], color=MUTED, linestyle="-.", label="a guess by chance")',
        f"for place, (name, held) in enumerate(grouped(rows, {_by(plot)})):",
        '    parts = {kind: [row for row in held if row["curve"] == kind] for kind in ("mean", "attack", "band")}',
        '    curve, band = parts["mean"] or parts["attack"], parts["band"]',
        f'    axis.plot([row["{plot.x}"] for row in curve], [row["{plot.y}"] for row in curve], color=colour(place),',
        '              drawstyle="default" if parts["mean"] else "steps-post", label=name)',
        f'    axis.fill_between([row["{plot.x}"] for row in band], [row["{low}"] for row in band],',
        f'                      [row["{high}"] for row in band], color=colour(place), alpha=0.18, linewidth=0)',
        'axis.set(xscale="log", yscale="log", xlim=(least, 1), ylim=(least, 1))',
        'axis.xaxis.set_major_formatter("{x:g}")',
        'axis.yaxis.set_major_formatter("{x:g}")',
        "legend(fig)",
    ]


def _curves(plot: Plot) -> list[str]:
    return [
        f"WORDS |= {dict(curves.TITLES)!r}",
        'fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")',
        'runs = list(dict.fromkeys(row["run"] for row in rows))',
        'metrics, told = list(dict.fromkeys(row["metric"] for row in rows)), set()',
        f"for _, held in grouped(rows, {_by(plot)}):",
        '    run, metric = held[0]["run"], held[0]["metric"]',
        '    name = f"{word(run)}: {word(metric)}" if len(runs) > 1 else word(metric)',
        '    axis = axes[0 if metric.endswith("loss") else 1]',
        f'    axis.plot([row["{plot.x}"] for row in held], [row["{plot.y}"] for row in held],',
        "              color=colour(metrics.index(metric)), linestyle=dash(runs.index(run)),",
        "              label=None if name in told else name)",
        "    told.add(name)",
        f'axes[0].set(xlabel="{plot.across}", ylabel="loss")',
        f'axes[1].set(xlabel="{plot.across}", ylabel="accuracy")',
        "axes[1].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))",
        "legend(fig)",
    ]


def _marks(plot: Plot) -> list[str]:
    *names, unit = plot.by
    told = ", ".join(f'"{one}"' for one in names)
    return [
        'fig, axis = plt.subplots(figsize=(8, 5.5), layout="constrained")',
        f'several = len({{row["{unit}"] for row in rows if row["{unit}"] != "none"}}) > 1',
        "curves = levels = 0",
        f'for name, held in grouped(rows, {told}, *["{unit}"] * several):',
        f'    held = [row for row in held if row["{plot.y}"] is not None]',
        f'    placed = [row for row in held if row["{plot.x}"] and row["{plot.x}"] < float("inf")]',
        "    if placed:",
        f'        places, means = [row["{plot.x}"] for row in placed], [row["{plot.y}"] for row in placed]',
        f'        wide = error(placed, "{plot.y}", "{plot.low}", "{plot.high}")',
        '        axis.errorbar(places, means, yerr=wide, marker="o", capsize=3, color=colour(curves), label=name)',
        "        curves += 1",
        "    for row in held:  # without privacy there is no ε to place it at",
        "        if row not in placed:",
        f'            axis.axhline(row["{plot.y}"], color=MUTED, linestyle=dash(levels), linewidth=1.2, label=name)',
        "            levels += 1",
        'axis.set_xscale("log")',
        'axis.xaxis.set_major_formatter("{x:g}")',
        'axis.xaxis.set_minor_formatter("{x:g}" if axis.get_xlim()[0] > 0.01 else "")',
        'axis.tick_params(axis="x", which="minor", labelsize=7)',
        "axis.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))",
        "legend(fig)",
    ]


def _bars(plot: Plot) -> list[str]:
    wide = f', xerr=error(held, "{plot.y}", "{plot.low}", "{plot.high}"), capsize=3, ecolor=MUTED' if plot.low else ""
    text = 'f" {value:.1%}"' if plot.percent else 'f" {value:.3f}"'
    sign = ', sign=": "' if "kind" in plot.by else ""
    once = [  # one seed alone is its own mean
        'seeds = [row for row in rows if row["kind"] == "seed"]',
        "rows = [row for row in rows if row not in seeds or len(seeds) > 1]",
    ]
    return [
        *(once if "kind" in plot.by else []),
        f"names = grouped(rows, {_by(plot)}{sign})",
        'fig, axis = plt.subplots(figsize=(8, 1.5 + 0.45 * len(names)), layout="constrained")',
        "for name, held in names:",
        f'    held = [row for row in held if row["{plot.y}"] is not None][:1]',
        '    kind = MUTED if held and held[0].get("kind") in WORDS and held[0]["kind"] != "own" else colour(0)',
        f'    bars = axis.barh([name for _ in held], [row["{plot.y}"] for row in held], color=kind{wide})',
        f"    axis.bar_label(bars, fmt=lambda value: {text}, fontsize=8, color=MUTED)",
        "axis.invert_yaxis()",
        'axis.grid(axis="y", visible=False)',
        *["axis.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))"] * plot.percent,
        *(
            []
            if plot.chance is None
            else [f'axis.axvline({plot.chance}, color=MUTED, linestyle="-.", label="a guess by chance")', "legend(fig)"]
        ),
    ]


def _areas(plot: Plot) -> list[str]:
    """Marks with intervals, and the line that they are to be compared with: of edges what the true classes
    tell, else chance."""
    return [
        'fig, axis = plt.subplots(figsize=(8, 1.5 + 0.45 * len(rows)), layout="constrained")',
        f'names = [row["{plot.by[0]}"] for row in rows]',
        f'axis.errorbar([row["{plot.y}"] for row in rows], names, xerr=error(rows, "{plot.y}", "{plot.low}",',
        f'              "{plot.high}"), fmt="s", capsize=3, color=colour(0))',
        "for row, name in zip(rows, names):",
        f'    axis.annotate(f"{{row[\'{plot.y}\']:.3f}}", (row["{plot.high}"], name), (5, 0), va="center", fontsize=8,',
        '                  textcoords="offset points", color=MUTED)',
        f'classes = {{row.get("{CLASSES}") for row in rows}} - {{None}}',
        "for level in classes:",
        '    axis.axvline(level, color=MUTED, linestyle="-.", label=f"true classes alone: {level:.3f}")',
        "if not classes:",
        f'    axis.axvline({plot.chance}, color=MUTED, linestyle="-.", label="a guess by chance")',
        "axis.margins(x=0.12)",
        "axis.invert_yaxis()",
        'axis.grid(axis="y", visible=False)',
        "legend(fig)",
    ]
