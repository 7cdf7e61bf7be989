"""The marks of accuracy against epsilon: curves with their intervals, levels, rings and the Pareto front."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from textwrap import fill
from typing import Any

from privgraph.registry import METHODS
from privgraph_workbench import theme
from privgraph_workbench.facts.references import interval
from privgraph_workbench.figures.axes import COLUMNS, placed
from privgraph_workbench.figures.chart import Row, Series, band, log_ticks
from privgraph_workbench.figures.runs import tradeoff_shown
from privgraph_workbench.figures.runs.curve_names import curve_of
from privgraph_workbench.figures.seeds import NO_WIDTH
from privgraph_workbench.theme import EPSILONS, NEUTRAL, Epsilon
from privgraph_workbench.words.naming import reads_no_edge
from privgraph_workbench.words.numbers import kept, percent, rounded_delta, stated

KINDS: tuple[Epsilon, ...] = ("sound", "published")
FRONT = "Pareto front of the means"
BROAD = 7.0
"""How wide the front is drawn, in pixels: no level is, so that it is not taken for one."""
GUESS = "A guess"
UNITS: Mapping[str, str] = {"edge": "edges", "node": "people"}
"""What a caption calls the protected units."""
RING = theme.MARKERS.index("octagon")
OWN = "with own runs"
"""What a ring around a point says, where other points are of the gallery."""
KEYS: Mapping[Epsilon, str] = {
    "sound": f"{EPSILONS['sound'].title}, filled",
    "published": f"{EPSILONS['published'].title}, hollow",
}
"""What the marks of every method mean, in the legend."""
KEY = theme.MARKERS.index("square")
"""The mark that stands there for those of all methods."""
SAME_RUN = "same run"
"""What joins the two epsilons of one noise."""
CAP = 0.0025
"""Half the width of the ends of a bar, as a share of the panel's."""
APART, REACH = 0.003, 0.0045
"""The bars of one epsilon lie so far from each other, and the outermost no further than that from
it, within its mark: as shares of the width of an only panel, which is twice that of one of many."""
TICK = 0.06
"""Ticks of an axis lie at least so far from each other, as a share of it."""
AS_ASKED = 0.9
"""A mark stands at the epsilon that was asked for where its own is no smaller than such a share of it."""
DASHES: Mapping[str, int] = {"gnn": 1, "mlp": 2}
"""The dashes of the levels that everything is compared with."""
REST = 3
"""Dashes that are left for those of other methods."""
WRAP = 60
"""Letters of a line beside a point."""


def hides_edges(row: Row) -> bool:
    """Whether it protects every edge without noise: nothing of it is private, and it reads none."""
    return bool(row["unit"] == "none" and reads_no_edge(row["method"]))


def front(rows: Sequence[Row], panel: int, ends: tuple[float, float]) -> list[Series]:
    """The Pareto front of a panel's rows as a staircase: the highest mean that is had at an epsilon or below
    it. One for each number of test nodes, since others cannot be compared. Where edges are protected it
    begins at the level of what reads none, whose epsilon is 0, at the left end of the axis."""
    drawn = []
    private = [row for row in rows if not row["reference"]]
    edges = any(row["unit"] == "edge" for row in private)
    for nodes in dict.fromkeys(row["test_nodes"] for row in private):
        same = [row for row in rows if row["test_nodes"] == nodes]
        start = max((row["mean"] for row in same if edges and hides_edges(row)), default=None)
        steps = sorted({(row["epsilon"], row["mean"]) for row in same if row.get("front") and not row["reference"]})
        if start is not None:
            steps = [(ends[0], start), *(step for step in steps if step[1] > start)]
        elif len(steps) < 2:
            continue
        corners = [(steps[0][0], steps[0][1])]
        for (_, before), (x, y) in pairwise(steps):
            corners += [(x, before), (x, before), (x, y), (x, y)]
        corners.append((ends[1], steps[-1][1]))
        drawn.append(
            Series(
                name=FRONT,
                kind="links",
                x=tuple(x for x, _ in corners),
                y=tuple(y for _, y in corners),
                slot=NEUTRAL,
                width=BROAD,
                panel=panel,
                group=FRONT,
            )
        )
    return drawn


@dataclass(frozen=True, kw_only=True)
class Bars:
    """How a curve's intervals are drawn: as bars, `aside` of their epsilon by that factor, with ends as wide
    as `cap`. Bands of several curves would lie over each other, and hide what they say."""

    aside: float
    cap: float


def bars(curves: int, ends: tuple[float, float], *, many: bool) -> list[Bars]:
    """Of each of so many curves of a panel, one of `many` or the only one."""

    def across(share: float) -> float:
        return float((ends[1] / ends[0]) ** (share * (2 if many else 1)))

    middle = (curves - 1) / 2
    step = min(APART, REACH / middle) if middle else 0.0
    return [Bars(aside=across((at - middle) * step), cap=across(CAP)) for at in range(curves)]


def curve(members: list[Row], name: str, slot: int, panel: int, *, mixed: bool, bars: Bars, end: float) -> list[Series]:
    """A line through the curve's points, the sound ones where there are any (of a single one none: a dash
    would be taken for an interval of epsilon), and a mark at each of the two epsilons, filled and hollow; a
    smaller one for few seeds, where the figure has both (`mixed`). What lies beyond the `end` of the axis is
    neither marked nor joined."""
    curve = curve_of(members[0])
    points = {kind: sorted(_placed(members, kind), key=lambda row: float(row[COLUMNS[kind]])) for kind in KINDS}
    kind: Epsilon = "sound" if points["sound"] else "published"
    marked = {kind: [row for row in held if float(row[COLUMNS[kind]]) <= end] for kind, held in points.items()}
    line = [(float(row[COLUMNS[kind]]), row["mean"]) for row in points[kind]]
    shared: dict[str, Any] = {"slot": slot, "panel": panel, "group": curve}
    series = [Series(name=name, kind="path", x=(None, None), y=(None, None), **shared)]  # the legend's
    if len(line) > 1:
        across, up = zip(*line, strict=True)
        series.append(Series(name=name, kind="line", legend=False, x=across, y=up, **shared))
    sure = [row for row in map(of_one_seed, points[kind]) if row["low"] is not None]
    if sure:
        drawn: list[tuple[float, float]] = []
        for row in sure:
            x, low, high = bars.aside * float(row[COLUMNS[kind]]), row["low"], row["high"]
            drawn += [(x, low), (x, high), *((x * to, y) for y in (low, high) for to in (1 / bars.cap, bars.cap))]
        series.append(
            Series(
                name="95% confidence of each point",
                kind="links",
                x=tuple(x for x, _ in drawn),
                y=tuple(y for _, y in drawn),
                legend=False,
                **shared,
            )
        )
    ends = [
        (row["epsilon"], row["epsilon_as_published"], row["mean"])
        for row in points["sound"]
        if row in marked["published"] and row["epsilon"] != row["epsilon_as_published"]
    ]
    if ends:
        series.append(
            Series(
                name=SAME_RUN,
                kind="links",
                x=tuple(end for one in ends for end in one[:2]),
                y=tuple(end for one in ends for end in (one[2], one[2])),
                slot=slot,
                panel=panel,
                legend=False,
                group=curve,
                faint=True,
            )
        )
    for kind, held in reversed(marked.items()):  # the sound one is drawn last: no other mark hides it
        for few in (False, True):
            chosen = [row for row in held if (mixed and row["low"] is None) == few]
            if not chosen:
                continue
            series.append(
                Series(
                    name=f"{name}: {EPSILONS[kind].title}",
                    kind="points",
                    x=tuple(row[COLUMNS[kind]] for row in chosen),
                    y=tuple(row["mean"] for row in chosen),
                    slot=slot,
                    shape=slot,
                    epsilon=kind,
                    panel=panel,
                    legend=False,
                    group=curve,
                    size=7 if few else 9,
                    hover=tuple(_hover(row, name) for row in chosen),
                    keys=tuple(str(row.get("runs") or "") for row in chosen),
                )
            )
    return series


def of_one_seed(row: Row) -> Row:
    """A row as its bar is drawn: of one seed with the interval that its test nodes leave."""
    known = row["test_nodes"] if row["low"] is None and row["seeds"] == 1 else None
    return {**row, **dict(zip(("low", "high"), interval(row["mean"], known), strict=True))} if known else row


def widened(row: Row) -> Row:
    """A row as it is drawn: where all seeds agree, with the interval that the number of test nodes alone
    leaves, for one without any width looks the surest of all."""
    nodes = row["test_nodes"]
    if row["low"] is None or not nodes or row["high"] - row["low"] > NO_WIDTH:
        return row
    low, high = interval(row["mean"], nodes)
    return {**row, "low": low, "high": high, "agree": True}


def ticks(rows: Sequence[Row], low: float, high: float) -> tuple[float, ...]:
    """The epsilons that were asked for and came to be, where they lie apart, and the usual ones of an end of
    the axis of which half or more has none of them; none where one epsilon or none was asked for: then the
    usual ones stand.

    >>> ticks([{"asked": one, "epsilon": 0.99 * one} for one in (4.0, 0.25, 8.0, 4.0)], 0.2, 10.0)
    (0.25, 4.0, 8.0)
    >>> ticks([{"asked": one, "epsilon": one} for one in (4.0, 8.0)], 0.1, 10.0)
    (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
    >>> ticks([{"asked": 4.0, "epsilon": 4.0}], 0.1, 10.0)
    ()
    """
    held = [row for row in rows if row["asked"] is not None and AS_ASKED <= row["epsilon"] / row["asked"] <= 1]
    tried = sorted({float(row["asked"]) for row in held})
    tried = [one for one in tried if low <= one <= high]
    whole = math.log(high / low)
    if len(tried) < 2:
        return ()
    chosen: list[float] = []
    for one in sorted(tried, key=lambda tick: (not math.log2(tick).is_integer(), tick)):
        if all(abs(math.log(one / other)) >= TICK * whole for other in chosen):
            chosen.append(one)
    bare = [(start, end) for start, end in ((low, tried[0]), (tried[-1], high)) if math.log(end / start) >= whole / 2]
    usual = [one for one in log_ticks(low, high) if any(start <= one <= end for start, end in bare)]
    chosen += [one for one in usual if all(abs(math.log(one / other)) >= TICK * whole for other in chosen)]
    return tuple(sorted(chosen))


def own(row: Row) -> int:
    """How many of its seeds were run here."""
    return int(row["seeds"]) - int(row.get("gallery", 0))


def rings(members: Sequence[Row], panel: int) -> list[Series]:
    """A ring around each point that holds runs of one's own, where others are of the gallery."""
    held = [row for row in _placed(members, "sound") if row["own"]]
    places = [(float(row["epsilon"]), float(row["mean"])) for row in held]
    return [replace(one, legend=False) for one in ring(OWN, places, panel)]


def ring(name: str, places: Sequence[tuple[float, float]], panel: int, size: float = 17) -> list[Series]:
    """A ring around each of these marks, and its entry of the legend; nothing where there are none."""
    if not places:
        return []
    look: dict[str, Any] = {"slot": NEUTRAL, "shape": RING, "hollow": True, "size": size}
    at: dict[str, Any] = {"x": tuple(x for x, _ in places), "y": tuple(y for _, y in places)}
    return [Series(name=name, kind="points", panel=panel, group=name, **at, **look)]


def _placed(members: Sequence[Row], kind: Epsilon) -> list[Row]:
    return [row for row in members if placed(row[COLUMNS[kind]])]


def keys(series: Sequence[Series]) -> list[Series]:
    """What marks mean, whatever their colour: an entry of the legend for the ring and for each epsilon, where
    one is drawn."""
    entry: dict[str, Any] = {"kind": "points", "x": (None,), "y": (None,), "slot": NEUTRAL}
    rings = any(one.group == OWN for one in series)
    drawn = {one.epsilon for one in series}
    return [
        *([Series(name=OWN, shape=RING, hollow=True, group=OWN, **entry)] if rings else []),
        *(Series(name=KEYS[kind], shape=KEY, epsilon=kind, **entry) for kind in KINDS if kind in drawn),
    ]


def level_band(row: Row, panel: int, ends: tuple[float, float]) -> list[Series]:
    """The 95% band of a level, where there are seeds enough for one: behind all else."""
    rows = [{**row, "x": end} for end in ends]
    return band(rows, "x", slot=NEUTRAL, panel=panel, group=curve_of(row), faint=True)


def dashes(levels: Sequence[Row]) -> dict[str, int]:
    """The dash of each level (`curve_of`): that of its method, the same in every figure, or the first that is
    free where another level has it; of such the one of which most runs came with the program has it."""
    found: dict[str, int] = {}
    others = dict[str, int]()
    for row in sorted(levels, key=lambda one: -int(one.get("gallery", 0))):
        place = list(METHODS).index(row["method"]) if row["method"] in METHODS else 0
        own = DASHES.get(str(row["method"]), 1 + len(DASHES) + place % REST)
        held = others if own in found.values() else found
        if curve_of(row) not in found:
            held.setdefault(curve_of(row), own)
    for curve, own in others.items():
        if curve not in found:
            rest = range(1 + len(DASHES), 1 + len(DASHES) + REST)
            found[curve] = next((dash for dash in rest if dash not in found.values()), own)
    return found


def level(row: Row, name: str, dash: int, panel: int, ends: tuple[float, float]) -> Series:
    """A grey line from end to end, whose dash says which level it is."""
    return Series(
        name=name,
        kind="level",
        x=ends,
        y=(row["mean"],),
        slot=NEUTRAL,
        shape=dash,
        panel=panel,
        group=curve_of(row),
        hover=(_hover(row, name),) * 2,
    )


def guessed(rows: Sequence[Row]) -> float | None:
    """What takes no learning on the test nodes of most methods that have an epsilon, as the setting with the
    most seeds has it; None where no run tells."""
    known = [row for row in rows if row.get("guess") is not None]
    private = [row for row in known if not row["reference"]] or known
    same = tradeoff_shown.same_nodes(private, private) if private else []
    return max(((int(row["seeds"]), float(row["guess"])) for row in same), default=(0, None))[1]


def guess(rows: Sequence[Row], panel: int, ends: tuple[float, float]) -> list[Series]:
    """A plain grey line at what takes no learning; only where it is in sight anyhow, among what is drawn."""
    level = guessed(rows)
    if level is None:
        return []
    least = min(float(row["mean"] if row["low"] is None else row["low"]) for row in rows)
    if level < least:
        return []
    hover = (f"{GUESS}\n{percent(level)}",) * 2
    return [
        Series(
            name=GUESS, kind="level", x=ends, y=(level,), slot=NEUTRAL, shape=0, panel=panel, group=GUESS, hover=hover
        )
    ]


def unseen_guess(panels: Sequence[Sequence[Row]], places: Mapping[str, str]) -> list[str]:
    """What takes no learning where it lies below all that is drawn of a panel, and so has no line in it: one
    sentence, with the graph of each such panel as the panel calls it (`places`), and its unit where the graph
    has several with other guesses."""
    told: dict[str, dict[str, list[str]]] = {}
    for held in panels:
        level = guessed(held)
        if level is not None and not guess(held, 0, (1.0, 2.0)):
            units = sorted({UNITS.get(row["unit"], row["unit"]) for row in held if not row["reference"]})
            told.setdefault(held[0]["graph"], {}).setdefault(percent(level), []).extend(units)
    if not told:
        return []
    if len({held[0]["graph"] for held in panels}) == len(told) == 1 and len(levels := next(iter(told.values()))) == 1:
        ((alone, units),) = levels.items()
        where = "" if len(units) == len(panels) else f", where {' and '.join(units)} are protected"
        return [f"{GUESS}: {alone} on average over seeds, below all marks{where}."]
    each = [
        f"{low} on {places[graph]}" + f", where {' and '.join(units)} are protected" * (len(levels) > 1)
        for graph, levels in told.items()
        for low, units in levels.items()
    ]
    return [f"{GUESS}, on average over seeds, below all marks of its panel: {'; '.join(each)}."]


def _released(row: Row, released: str) -> str:
    """What of a point may leave; where one of its runs has public noise, that nothing of it may."""
    if row.get("noise_public"):
        return fill("the noise is public: this point is for the evaluator's eyes, nothing of it may be released", WRAP)
    return f"may be released:\n{fill(released, WRAP)}"


def _hover(row: Row, curve: str) -> str:
    band = "one seed" if row["low"] is None else f"95%: {percent(row['low'])} to {percent(row['high'])}"
    if row.get("agree"):
        alone = f"{row['test_nodes']:,} test nodes alone leave {percent(row['low'])} to {percent(row['high'])}"
        seeds = f"same in all {row['seeds']} seeds; {alone}"
    else:
        seeds = "1 seed" if row["seeds"] == 1 else f"{row['seeds']} seeds, {band}"
        seeds += "" if row["test_nodes"] is None else f"; {row['test_nodes']:,} test nodes"
    told = row.get("setting") or ("" if row["variant"] in curve else row["variant"])
    delta, released = row.get("delta"), row.get("released")
    promised = (
        "" if row["reference"] or delta is None else f"\nδ {rounded_delta(delta)}; {_released(row, str(released))}"
    )
    whose = f"{row['own']} of {row['seeds']} runs are own" if row["own"] else ""
    return (
        f"{curve}\n{percent(row['mean'])} ({seeds})\nsound ε {kept(row['asked'], row['epsilon'])}"
        f"\nε as published {stated('published', row['epsilon_as_published'])}{promised}"
        + (f"\n{told}" if told else "")
        + (f"\n{whose}" if whose else "")
    )
