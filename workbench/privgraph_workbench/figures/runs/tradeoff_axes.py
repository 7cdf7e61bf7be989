"""The axes of accuracy against epsilon: what they measure, where they begin and end, and what lies beyond."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from privgraph.registry import METHODS
from privgraph_workbench.figures.axes import COLUMNS, placed, spans
from privgraph_workbench.figures.chart import Axis, Panel, Row, percentages, shared
from privgraph_workbench.figures.places import default_size, place_words, short_place
from privgraph_workbench.figures.runs import tradeoff_marks
from privgraph_workbench.figures.runs.tradeoff_badges import LARGEST
from privgraph_workbench.theme import Epsilon

PER: Mapping[str, str] = {"edge": " per edge", "node": " per person (node)", "none": ""}
SMALL = 0.45
"""Width of a panel that holds a single setting, beside one with a curve."""
OWN_RANGE = "Each graph has an accuracy axis of its own: heights say nothing from one graph to another."


def panels(
    parts: Sequence[Sequence[Row]], ends: Sequence[tuple[float, float]], metric: str
) -> tuple[tuple[Panel, ...], list[str]]:
    """The panels of these rows, each with its axes, and what must be known of them. Panels of one graph share
    a range of accuracies where it flattens none of them; no two graphs do, for a hard one has all its curves
    where an easy one has none."""
    held = [rows for rows in parts if rows]
    titles = [measured(metric, rows) for rows in parts]
    groups = [(rows[0]["graph"] if rows else "", title) for rows, title in zip(parts, titles, strict=True)]
    bounds = {
        group: shared(
            [row[key] for row in rows for key in ("mean", "low", "high") if row[key] is not None]
            for rows, own in zip(parts, groups, strict=True)
            if own == group
        )
        for group in set(groups)
    }
    called, settings = places([row for rows in parts for row in rows])
    made = tuple(
        Panel(
            title=place_words([{**rows[0], "graph": called[rows[0]["graph"]]}, *rows[1:]]),
            x=Axis(
                title=_axis(rows, short=small, many=len(parts) > 1),
                scale="log",
                low=low,
                high=high,
                ticks=tradeoff_marks.ticks(rows, low, high),
            ),
            y=percentages(group[1], bounds[group]),
            share=SMALL if small else 1.0,
        )
        for rows, group, (low, high) in zip(parts, groups, ends, strict=True)
        for small in [_small(rows, parts)]
    )
    several = len({rows[0]["graph"] for rows in held}) > 1
    return made, [*([OWN_RANGE] if several else []), *settings]


def measured(metric: str, rows: Sequence[Row]) -> str:
    """The title of the axis: of methods that predict relations, the share of partners that came first."""
    tasks = [METHODS[row["method"]].tasks if row["method"] in METHODS else () for row in rows]
    if metric == "test accuracy" and tasks and all("relation prediction" in one for one in tasks):
        return "PREC@1 (percent of relations)"
    return f"{metric} (percent of nodes)"


def places(rows: Sequence[Row]) -> tuple[dict[str, str], list[str]]:
    """What each graph is called above its panel: short where that tells it from the others; and the notes
    that have the rest."""
    held = {row["graph"]: short_place({**row, "graph": f"{row['graph']}{default_size(row)}"}) for row in rows}
    counts = Counter(name for name, _ in held.values())
    called = {graph: name if counts[name] == 1 else graph for graph, (name, _) in held.items()}
    return called, [f"{name}: {rest}." for name, rest in held.values() if rest and counts[name] == 1]


def _small(held: Sequence[Row], parts: Collection[Sequence[Row]]) -> bool:
    """Whether a panel holds a single line or dash, and the one other panel more."""
    return len(held) == 1 and len(parts) == 2 and any(len(one) > 1 for one in parts)


def _decade(low: float, high: float) -> tuple[float, float]:
    """The bounds, or wider ones: an axis of less than a decade has one number on it or none.

    >>> [round(bound, 2) for bound in _decade(2.0, 2.0)], _decade(0.1, 8.0)
    ([0.63, 6.32], (0.1, 8.0))
    """
    wider = max(1.0, math.sqrt(10 * low / high))
    return low / wider, high * wider


def ends_of(rows: Sequence[Row], kinds: Sequence[Epsilon] = tradeoff_marks.KINDS) -> tuple[float, float]:
    """Where the axis of a panel begins and ends: around its epsilons, a decade at least, and not beyond
    `tradeoff_badges.LARGEST`."""
    epsilons = [row[COLUMNS[kind]] for row in rows for kind in kinds if placed(row[COLUMNS[kind]])]
    within = [one for one in epsilons if one <= LARGEST] or epsilons
    return spans(*_decade(min(within, default=0.5), max(within, default=8.0)))


def _unit(rows: Sequence[Row]) -> str:
    return next((str(row["unit"]) for row in rows if not row["reference"]), "none")


def _axis(rows: Sequence[Row], *, short: bool, many: bool) -> str:
    """Whose epsilon it is, and which way is more private."""
    per = PER[_unit(rows)]
    if many and not short:
        return f"ε{per} (privacy budget; logarithmic)"
    return f"ε{per} (log.)" if short else f"ε{per} (logarithmic; left: more private)"
