"""Which settings a figure of accuracy against epsilon draws, where there are more than anybody reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs.curve_names import curve_of
from privgraph_workbench.words.naming import reads_no_edge

LEVELS = 4
"""Levels that are named before any curve: some of what there is to compare with."""
FEW = 6
"""Of more curves in a panel, `outline` draws one a method; of levels it always does, beside a curve."""
LINES = 8
"""Curves that a panel holds at most where more is asked for: of more nobody reads which is which."""
NAMED = 6
"""So many of the methods that are drawn besides are named."""
PANELS = 8
"""Panels that stand side by side at most before somebody asks for more."""
COUNTED_FROM = "costs are counted from it"
"""What advice says of the network without privacy."""
UNCLEAR = "; cost not clear"
"""With what advice ends where the interval of a cost includes 0."""
ADVISED = "advised"
"""Of the first row of a file: what is said to take, a line of text each, a block for each protected unit."""
COMPARED = ("gnn", "mlp")
"""Whose levels `outline` prefers: a network without privacy, and a model that reads no edge."""


def panels_of(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each panel: one graph and one protected unit, with the levels of that graph."""
    held = []
    for graph in dict.fromkeys(row["graph"] for row in rows):
        here = [row for row in rows if row["graph"] == graph]
        levels = [row for row in here if row["reference"]]
        units = sorted({row["unit"] for row in here if not row["reference"]})
        held += [[row for row in here if row["unit"] == unit and not row["reference"]] + levels for unit in units]
        held += [] if units else [levels]
    return held


def outline(rows: Sequence[Row], wanted: Collection[str] = ()) -> list[Row]:
    """The rows of which a crowded panel is drawn at first: one curve and one level a method, all measured on
    the same nodes. A curve is the setting with the most epsilons, and of such the most accurate; rows that
    stood beside others of their method have what they differ in as `setting`, not as `variant`. Curves and
    levels that hold one of the runs `wanted` are drawn besides."""
    chosen = _outlined(rows, wanted)
    kept = [row for row in rows if id(row) in chosen]
    alone: dict[tuple[object, ...], set[object]] = {}
    for row in kept:
        alone.setdefault(_of_method(row), set()).add(row["variant"])
    return [
        row
        if len(alone[_of_method(row)]) > 1 or not row["variant"]
        else {**row, "variant": "", "setting": row["variant"]}
        for row in kept
    ]


def _outlined(rows: Sequence[Row], wanted: Collection[str]) -> set[int]:
    """Which rows `outline` draws, by their `id`."""
    asked = {
        (row["graph"], curve_of(row)) for row in rows if not set(str(row.get("runs") or "").split()).isdisjoint(wanted)
    }
    chosen = {id(row) for row in rows if (row["graph"], curve_of(row)) in asked}
    for held in panels_of(rows):
        private = [row for row in held if not row["reference"]]
        levels = [row for row in held if row["reference"]]
        if len({curve_of(row) for row in private}) > FEW:
            private = _one_a_method(same_nodes(private, private))
        if private or len(levels) > FEW // 2:  # however many: a sweep that brings more takes none away
            levels = _one_a_method(same_nodes(levels, private or levels)) if levels else []
            levels = [row for row in levels if row["method"] in COMPARED] or levels
        chosen |= {id(row) for row in (*private, *levels)}
    return chosen


def fitting(rows: Sequence[Row], wanted: Collection[str] = ()) -> list[Row]:
    """The rows that a figure of everything draws: all that `outline` draws; beside it, up to `LINES` curves a
    panel, first of each method that has none, and those with the most points, of such the most accurate; up
    to `LEVELS` levels, likewise."""
    first = _outlined(rows, wanted)
    chosen: set[int] = set()
    for held in panels_of(rows):
        for reference, most in ((False, LINES), (True, LEVELS)):
            curves: dict[str, list[Row]] = {}
            for row in held:
                if row["reference"] == reference:
                    curves.setdefault(curve_of(row), []).append(row)
            outlined = [points for points in curves.values() if any(id(row) in first for row in points)]
            others = sorted((points for points in curves.values() if points not in outlined), key=_worth, reverse=True)
            others = _new_methods_first(others, {str(points[0]["method"]) for points in outlined})
            kept = [*outlined, *others[: max(0, most - len(outlined))]]
            chosen |= {id(row) for points in kept for row in points}
    return [row for row in rows if id(row) in chosen]


def _new_methods_first(curves: Sequence[list[Row]], drawn: Collection[str]) -> list[list[Row]]:
    """These curves in their order, but the first of each method that is not drawn before all others."""
    seen, first, rest = set(drawn), list[list[Row]](), list[list[Row]]()
    for points in curves:
        (rest if points[0]["method"] in seen else first).append(points)
        seen.add(str(points[0]["method"]))
    return [*first, *rest]


def added(whole: Sequence[Row], outlined: Sequence[Row]) -> tuple[int, str]:
    """What the figure of everything draws beside the outline: how many curves and levels, and of which
    methods.

    >>> gap = {"graph": "A", "title": "GAP", "unit": "edge", "reference": False, "variant": ""}
    >>> level = {**gap, "reference": True, "unit": "none", "method": "gap", "epsilon": 9.0}
    >>> added([gap, {**gap, "variant": "hops 1"}, {**gap, "title": "PATE"}, level], [gap])
    (3, 'GAP with other options, PATE, level of GAP (not private)')
    """
    held = {_curve(row) for row in outlined} | {_curve({**row, "variant": row.get("setting", "")}) for row in outlined}
    more = {_curve(row): row for row in whole if _curve(row) not in held}
    drawn = {(row["title"], row["reference"]) for row in outlined}
    lines = [row for row in more.values() if not row["reference"]]
    titles = [f"{row['title']}{' with other options' * ((row['title'], False) in drawn)}" for row in lines]
    levels = list(dict.fromkeys(_level(row) for row in more.values() if row["reference"]))
    named = [*dict.fromkeys(titles)]
    named += [f"level{'s' * (len(levels) > 1)} of {' and '.join(levels)}"] if levels else []
    told = named if len(named) <= NAMED else [*named[: NAMED - 1], f"{len(named) - NAMED + 1} other methods"]
    return len(more), ", ".join(told)


def _level(row: Row) -> str:
    """A level by its method, which has no privacy there; what is called so needs not be told."""
    known = "private" in row["title"] or reads_no_edge(row["method"])
    return row["title"] if known else f"{row['title']} (not private)"


def _curve(row: Row) -> tuple[object, ...]:
    return row["graph"], curve_of(row)


def with_curves(rows: Sequence[Row]) -> list[Row]:
    """The rows of graphs that have a curve; all rows where none has: levels alone compare nothing."""
    graphs = {row["graph"] for row in rows if not row["reference"]}
    return [row for row in rows if row["graph"] in graphs] or list(rows)


def thin(rows: Sequence[Row], wanted: Collection[str] = ()) -> dict[str, Row]:
    """Of graphs with a single private point that point: a panel of it has axes and nothing to compare. None
    where no other graph has more, nor one that holds a run of `wanted`.

    >>> one = {"graph": "A", "reference": False, "runs": "r1"}
    >>> more = [{**one, "graph": "B", "runs": run} for run in ("r2", "r3")]
    >>> list(thin([one, *more])), thin([one]), thin([one, *more], {"r1"})
    (['A'], {}, {})
    """
    private = [row for row in rows if not row["reference"]]
    counts = Counter(row["graph"] for row in private)
    if max(counts.values(), default=0) < 2:
        return {}
    alone = [row for row in private if counts[row["graph"]] == 1]
    return {row["graph"]: row for row in alone if set(str(row.get("runs") or "").split()).isdisjoint(wanted)}


def _worth(points: Sequence[Row]) -> tuple[int, float]:
    """By what a curve is preferred: its points, and their mean."""
    return len(points), sum(float(row["mean"]) for row in points) / len(points)


def _of_method(row: Row) -> tuple[object, ...]:
    return row["graph"], row["unit"], row["reference"], row["method"]


def same_nodes(rows: Sequence[Row], beside: Sequence[Row]) -> list[Row]:
    """Those that were measured on the nodes on which most methods of `beside` were, where there are any."""
    methods: dict[object, set[object]] = {}
    for row in beside:
        methods.setdefault(row["test_nodes"], set()).add(row["method"])
    common = max(methods, key=lambda nodes: len(methods[nodes]))
    return [row for row in rows if row["test_nodes"] == common] or list(rows)


def _one_a_method(rows: Sequence[Row]) -> list[Row]:
    """Of each method the setting with the most points, and of such the highest mean of them."""
    settings: dict[tuple[object, ...], dict[object, list[Row]]] = {}
    for row in rows:
        settings.setdefault(_of_method(row), {}).setdefault(row["variant"], []).append(row)
    return [row for variants_ in settings.values() for row in max(variants_.values(), key=_worth)]


def first_panels(rows: Sequence[Row], order: Sequence[str] = (), most: int = PANELS) -> list[Row]:
    """The rows of the first panels: those of the graphs in this `order` (of their titles, however they were
    split), then of the others with most rows; whole graphs, one at least."""
    chosen: list[str] = []
    for name in ordered(rows, order):
        together = [row for row in rows if row["graph"] in (*chosen, name)]
        if chosen and len(panels_of(together)) > most:
            break
        chosen.append(name)
    return sorted((row for row in rows if row["graph"] in chosen), key=lambda row: chosen.index(row["graph"]))


def ordered(rows: Sequence[Row], order: Sequence[str]) -> list[str]:
    """The graphs of these rows: those of the titles of `order` in that order, then those with most rows.

    >>> rows = [{"graph": name} for name in ("A", "B (public split)", "C", "C", "B")]
    >>> ordered(rows, ["B"])
    ['B', 'B (public split)', 'C', 'A']
    """
    counts = Counter(row["graph"] for row in rows)

    def place(name: str) -> int:
        near = [title for title in order if name == title or name.startswith(f"{title} (")]
        return order.index(max(near, key=len)) if near else len(order)

    return sorted(counts, key=lambda name: (place(name), -counts[name] if place(name) == len(order) else 0, name))
