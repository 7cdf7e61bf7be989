"""Accuracy against epsilon, with confidence over seeds (Figure 2 of the ProGAP paper).

Each setting is drawn at two epsilons of the same noise, the sound one and the one as published, joined by a
thin line. Colour, dash and mark are a method's; the mark is filled at the sound epsilon, and hollow at the
published one. What has no epsilon is a grey level.
Epsilons of different privacy units are different promises: each unit of a graph has a panel of its own, and
`notes.mixed_units` has the sentence that stands beside both. A grey staircase is the Pareto front.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench import theme
from privgraph_workbench.figures.axes import COLUMNS, placed, spans
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, band, empty, percentages, shared
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.notes import badges_of, composed, mixed_units, place_words
from privgraph_workbench.figures.palette import slots
from privgraph_workbench.figures.runs.curve_names import curve_of, names
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.theme import EPSILONS, NEUTRAL, Epsilon
from privgraph_workbench.words.naming import (
    graph_of,
    method_title,
    network_of,
    nodes_of,
    setting,
    unit_of,
    variants,
)
from privgraph_workbench.words.numbers import kept, percent, stated

TITLE = "Accuracy against privacy"
KINDS: tuple[Epsilon, ...] = ("sound", "published")
PER: Mapping[str, str] = {"edge": " per edge", "node": " per person (node)", "none": ""}
FRONT = "Pareto front of the means"
LARGEST = 1000.0
"""An axis ends there: beyond it an epsilon promises nothing to anybody."""
RING = theme.MARKERS.index("octagon")
OWN = "with runs of your own"
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
LEVELS = 4
"""Levels that are named before any curve: some of what there is to compare with."""
ENTRIES = 14
"""Curves and levels that a legend names at most; others are named where they are pointed at."""
DODGE, DODGE_OF_MANY = 0.012, 0.011
"""In a crowd, marks of one epsilon stand side by side, each on its own bar: so far apart, as a share of the
width of the only panel, or of one of many."""
WIDEST = 0.045
"""How far the last of them stands from its epsilon at most; always to the right: none promises more."""
CAP = 0.003
"""Half the width of the ends of a bar, as a share of the panel's."""
CROWD = 2
"""Of more curves than these, intervals are bars alone: bands that lie over each other hide what they say."""
SIDE_BY_SIDE = "Marks of several methods at one ε stand side by side: the first at it, the others right of it."
FEW = 6
"""Of more curves in a panel, `outline` draws one a method; of more levels than half as many, the same."""
LINES = 12
"""Curves that a panel holds at most where more is asked for: of more nobody reads which is which."""
PANELS = 4
"""Panels that stand side by side before somebody asks for more."""
COMPARED = ("gnn", "mlp")
"""Whose levels `outline` prefers: a network without privacy, and a model that reads no edge."""
SMALL = 0.45
"""Width of a panel that holds a single setting, beside one with a curve."""
ALONE = 1.12
"""A curve of a single point is a line that reaches so far to either side of it, as a factor of epsilon."""


def data(records: Iterable[RunRecord], metric: str = "test_accuracy") -> list[Row]:
    """One row per setting (equal but for the seed), from the runs that are done and have the metric.

    method, title, dataset, graph (in words: each has a panel of its own), nodes (of the graph; None: not
    known), network ("": the method leaves no choice), unit, variant (options that differ
    within the group), asked (the epsilon asked for; None where the noise was given), epsilon (sound) and
    epsilon_as_published (the largest over the seeds; None: no such number), mean, low, high (95% confidence
    over seeds; None for fewer than three), seeds (their number), test_nodes (on how many nodes each accuracy
    was measured; None: not known), reference (True: no epsilon to place it at, because nothing or everything
    is protected), data_dependent, evaluator (True: test labels are private), composed (how many of all these
    runs read the same people), gallery (how many of the seeds came with the program), runs (ids), front
    (True: no other setting of this graph and unit, measured on as many nodes, has a higher mean at an epsilon
    that is no larger).
    """
    done = [record for record in records if record.state == "done" and metric in record.metrics]
    words, together = variants(done), composed(done)
    groups: dict[str, list[RunRecord]] = {}
    for record in done:
        groups.setdefault(setting(record), []).append(record)
    rows = []
    for key, members in groups.items():
        first = members[0]
        mean, low, high = confidence([member.metrics[metric] for member in members], most=1.0)
        statements = [member.statement for member in members if member.statement is not None]
        sound = max((one.epsilon for one in statements), default=math.inf)
        published = [one.epsilon_as_published for one in statements if one.epsilon_as_published is not None]
        as_published = max(published, default=None)
        rows.append(
            {
                "method": first.spec.method,
                "title": method_title(first.spec.method),
                "dataset": first.spec.dataset,
                "graph": graph_of(first),
                "nodes": nodes_of(first),
                "network": network_of(first),
                "unit": unit_of(first),
                "variant": words[key],
                "asked": first.spec.asked_epsilon,
                "epsilon": sound,
                "epsilon_as_published": as_published,
                "mean": mean,
                "low": low,
                "high": high,
                "seeds": len(members),
                "test_nodes": _whole(first.metrics.get("test_nodes")),
                "reference": not (placed(sound) or placed(as_published)),
                "data_dependent": any(one.data_dependent for one in statements),
                "metric": metric,
                "evaluator": True,
                "composed": together[first.id],
                "gallery": sum(member.gallery for member in members),
                "runs": " ".join(member.id for member in members),
            }
        )
    for row in rows:
        row["front"] = _on_front(row, rows)
    return sorted(rows, key=lambda row: (row["graph"], row["method"], row["unit"], row["variant"], row["epsilon"]))


def _on_front(row: Row, rows: Iterable[Row]) -> bool:
    """Whether nothing that may be compared with it is as private and more accurate, or as accurate and more
    private."""
    if not placed(row["epsilon"]):
        return False
    same = [row[key] for key in ("graph", "unit", "test_nodes")]
    rivals = (
        one for one in rows if placed(one["epsilon"]) and [one[key] for key in ("graph", "unit", "test_nodes")] == same
    )
    return not any(
        one["epsilon"] <= row["epsilon"]
        and one["mean"] >= row["mean"]
        and (one["epsilon"] < row["epsilon"] or one["mean"] > row["mean"])
        for one in rivals
    )


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


def outline(rows: Sequence[Row]) -> list[Row]:
    """The rows of which a crowded panel is drawn at first: one curve and one level a method, all measured on
    the same nodes. A curve is the setting with the most epsilons, and of such the most accurate; rows that
    stood beside others of their method have what they differ in as `setting`, not as `variant`."""
    chosen: dict[int, Row] = {}
    for held in panels_of(rows):
        private = [row for row in held if not row["reference"]]
        levels = [row for row in held if row["reference"]]
        if len({curve_of(row) for row in private}) > FEW:
            private = _one_a_method(_same_nodes(private, private))
        if len(levels) > FEW // 2:
            levels = _one_a_method(_same_nodes(levels, private or levels))
            levels = [row for row in levels if row["method"] in COMPARED] or levels
        chosen |= {id(row): row for row in (*private, *levels)}
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


def fitting(rows: Sequence[Row]) -> list[Row]:
    """The rows that a figure of everything draws: of a panel with more than `LINES` curves those with the
    most points, and of such the most accurate; of levels `LEVELS`, likewise."""
    chosen: set[int] = set()
    for held in panels_of(rows):
        for wanted, most in ((False, LINES), (True, LEVELS)):
            curves: dict[str, list[Row]] = {}
            for row in held:
                if row["reference"] == wanted:
                    curves.setdefault(curve_of(row), []).append(row)
            order = sorted(curves.values(), key=_worth, reverse=True) if len(curves) > most else curves.values()
            chosen |= {id(row) for points in list(order)[:most] for row in points}
    return [row for row in rows if id(row) in chosen]


def with_curves(rows: Sequence[Row]) -> list[Row]:
    """The rows of graphs that have a curve; all rows where none has: levels alone compare nothing."""
    graphs = {row["graph"] for row in rows if not row["reference"]}
    return [row for row in rows if row["graph"] in graphs] or list(rows)


def _worth(points: Sequence[Row]) -> tuple[int, float]:
    """By what a curve is preferred: its points, and their mean."""
    return len(points), sum(float(row["mean"]) for row in points) / len(points)


def _style(row: Row) -> str:
    """What has one colour: a method looks the same whichever unit it protects, for each unit has a panel of
    its own."""
    return f"{row['title']}, {row['variant']}"


def _of_method(row: Row) -> tuple[object, ...]:
    return row["graph"], row["unit"], row["reference"], row["method"]


def _same_nodes(rows: Sequence[Row], beside: Sequence[Row]) -> list[Row]:
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


def first_panels(rows: Sequence[Row], graph: str = "", most: int = PANELS) -> list[Row]:
    """The rows of the first panels: those of the title `graph` that begins it, then of the graphs with most
    rows; whole graphs, one at least."""
    counts = Counter(row["graph"] for row in rows)
    order = sorted(counts, key=lambda name: (not name.startswith(graph) if graph else False, -counts[name], name))
    chosen: list[str] = []
    for name in order:
        together = [row for row in rows if row["graph"] in (*chosen, name)]
        if not chosen or len(panels_of(together)) <= most:
            chosen.append(name)
    return sorted((row for row in rows if row["graph"] in chosen), key=lambda row: chosen.index(row["graph"]))


def _unit(rows: Sequence[Row]) -> str:
    return next((str(row["unit"]) for row in rows if not row["reference"]), "none")


def _measured(metric: str, rows: Sequence[Row]) -> str:
    """The title of the axis: of methods that predict relations, the share of partners that came first."""
    tasks = [METHODS[row["method"]].tasks if row["method"] in METHODS else () for row in rows]
    if metric == "test accuracy" and tasks and all("relation prediction" in one for one in tasks):
        return "PREC@1 (percent of relations)"
    return f"{metric} (percent of nodes)"


def chart(rows: Sequence[Row]) -> Chart:
    """One panel per graph and protected unit; epsilon on a logarithmic axis; references as levels."""
    if not rows:
        return empty(TITLE, "no finished run to compare yet")
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    curves = list(dict.fromkeys(curve_of(row) for row in rows if not row["reference"]))
    levels = list(dict.fromkeys(curve_of(row) for row in rows if row["reference"]))
    called, beside = names(rows), any(row.get("gallery") for row in rows)
    rows = [{**row, "own": _own(row) if beside else 0} for row in rows]
    metric = rows[0]["metric"].replace("_", " ")
    parts = panels_of(rows)
    ends = [_ends(held) for held in parts]
    bounds = shared(
        [row[key] for row in held for key in ("mean", "low", "high") if row[key] is not None] for held in parts
    )
    panels = tuple(
        Panel(
            title=place_words(held),
            x=Axis(title=_axis(held, short=small, many=len(parts) > 1), scale="log", low=low, high=high),
            y=percentages(_measured(metric, held), bounds),
            share=SMALL if small else 1.0,
        )
        for held, (low, high) in zip(parts, ends, strict=True)
        for small in [_small(held, parts)]
    )
    series: list[Series] = []
    styles = slots({_style(row): row["method"] for row in rows if not row["reference"]})
    own = {curve_of(row): styles[_style(row)] for row in rows if not row["reference"]}
    mixed = len({row["low"] is None for row in rows}) > 1
    for place, held in enumerate(parts):
        private = [row for row in held if not row["reference"]]
        for row in held:
            if row["reference"]:
                series += _level_band(row, place, ends[place])
        here = [curve for curve in curves if any(curve_of(row) == curve for row in private)]
        step = min(DODGE if len(parts) == 1 else DODGE_OF_MANY, WIDEST / max(1, len(here) - 1))
        for at, curve in enumerate(here):
            members = [row for row in private if curve_of(row) == curve]
            crowd, cap = _crowded(held), _across(ends[place], CAP)
            aside = _across(ends[place], at * step) if crowd else 1.0
            series += _rings(members, place, aside)
            look = (own[curve], place)
            series += _curve_series(members, called[curve], *look, mixed=mixed, crowd=crowd, aside=aside, cap=cap)
        for at, level in enumerate(levels):
            for row in held:
                if row["reference"] and curve_of(row) == level:
                    series.append(_level(row, called[level], at, place, ends[place]))
        series += _front(private, place, ends[place][1])
    series, left = _named(series, [*levels[:LEVELS], *curves, *levels[LEVELS:]])
    if any(one.group == OWN for one in series):
        ring = Series(name=OWN, kind="points", x=(None,), y=(None,), slot=NEUTRAL, shape=RING, hollow=True, group=OWN)
        series.append(ring)
    series += _keys(series)
    warning = mixed_units(rows)
    badges = [warning] if warning else []
    if any(row["data_dependent"] for row in rows):
        badges.append("an ε shown here depends on the private data itself")
    badges += _other_nodes(parts)
    drawn = zip(parts, ends, strict=True)
    beyond = sum(placed(row["epsilon"]) and row["epsilon"] > end for held, (_, end) in drawn for row in held)
    if beyond:
        many = f"{beyond} setting{'s' * (beyond > 1)}"
        badges.append(f"{many} with ε over {LARGEST:,.0f}: out of sight, for so large an ε promises nothing")
    best = max(rows, key=lambda row: float(row["mean"]))
    return Chart(
        title=TITLE,
        panels=panels,
        series=tuple(series),
        summary=(
            f"Accuracy against epsilon for {len(rows)} settings on {', '.join(graphs)}. "
            f"Highest: {called[curve_of(best)]} with {percent(best['mean'])} on {best['graph']}."
        ),
        badges=(*badges, *badges_of(rows)),
        columns=2,
        height=110 + 330 * math.ceil(len(parts) / 2),
        legend=True,
        notes=(
            _seeds_note(rows),
            *([SIDE_BY_SIDE] if any(_crowded(held) for held in parts) else []),
            *([f"{left} more curves have no room in the legend."] if left else []),
        ),
    )


plot = plotted(chart)


def plain(rows: Sequence[Row]) -> Chart:
    """The same without the epsilons as published and without the front: each method at its sound epsilon.
    Curves of which nothing is proved are left out, and named in a note."""
    full = chart(rows)
    lines = {(one.group, one.panel) for one in full.series if one.kind == "line"}
    proved = {(one.group, one.panel) for one in full.series if one.epsilon == "sound"}
    series = [
        one
        for one in full.series
        if ((one.group, one.panel) in proved or (one.group, one.panel) not in lines)
        and one.epsilon != "published"
        and one.group != FRONT
        and one.name not in (SAME_RUN, *KEYS.values())
    ]
    called = names(rows)
    unproved = sorted({called[group] for group, panel in lines if (group, panel) not in proved})
    note = [f"No ε is proved for {'; '.join(unproved)}: not drawn here."] if unproved else []
    panels = []
    for panel, held in zip(full.panels, panels_of(rows), strict=bool(rows)):
        low, high = _ends(held, ("sound",))
        panels.append(replace(panel, x=replace(panel.x, low=low, high=high)))
    return replace(
        full, panels=tuple(panels) if rows else full.panels, series=tuple(series), notes=(*full.notes, *note)
    )


plot_plain = plotted(plain)


def stepped(rows: Sequence[Row]) -> Chart:
    """The plain figure with the Pareto front."""
    without = plain(rows)
    steps = tuple(one for one in chart(rows).series if one.group == FRONT)
    return replace(without, series=(*without.series, *steps))


def both(rows: Sequence[Row]) -> Chart:
    """The figure at both epsilons without the front."""
    full = chart(rows)
    return replace(full, series=tuple(one for one in full.series if one.group != FRONT))


PLOTS = {
    (False, False): plot_plain,
    (False, True): plotted(stepped),
    (True, False): plotted(both),
    (True, True): plot,
}
"""The figure with or without epsilons as published, and with or without the front."""


def _seeds_note(rows: Sequence[Row]) -> str:
    """What a mark is a mean of, and what its bar is."""
    least, most = (bound(row["seeds"] for row in rows) for bound in (min, max))
    count = f"{most} seed{'s' * (most > 1)}" if least == most else f"{least} to {most} seeds"
    bars = (
        ": bars and bands are 95% confidence intervals of that mean (Student's t)"
        if any(row["low"] is not None for row in rows)
        else ""
    )
    few = "; smaller marks have fewer than three seeds" if bars and any(row["low"] is None for row in rows) else ""
    return f"Each mark is the mean over {count}{bars}{few}."


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)


def _other_nodes(panels: Iterable[Sequence[Row]]) -> list[str]:
    """The warning where accuracies of one panel were measured on other nodes: methods that draw their own
    parts of a graph have test nodes of their own."""
    for held in panels:
        counts = sorted({row["test_nodes"] for row in held} - {None})
        if len(counts) > 1:
            return [
                f"accuracies of one panel were measured on different test nodes ({counts[0]:,} to {counts[-1]:,} of "
                "them): methods that draw their own parts of a graph have their own"
            ]
    return []


def _small(held: Sequence[Row], panels: Collection[Sequence[Row]]) -> bool:
    """Whether a panel holds a single line or dash, and the one other panel more."""
    return len(held) == 1 and len(panels) == 2 and any(len(one) > 1 for one in panels)


def _decade(low: float, high: float) -> tuple[float, float]:
    """The bounds, or wider ones: an axis of less than a decade has one number on it or none.

    >>> [round(bound, 2) for bound in _decade(2.0, 2.0)], _decade(0.1, 8.0)
    ([0.63, 6.32], (0.1, 8.0))
    """
    wider = max(1.0, math.sqrt(10 * low / high))
    return low / wider, high * wider


def _ends(rows: Sequence[Row], kinds: Sequence[Epsilon] = KINDS) -> tuple[float, float]:
    """Where the axis of a panel begins and ends: around its epsilons, a decade at least, and not beyond
    `LARGEST`."""
    epsilons = [row[COLUMNS[kind]] for row in rows for kind in kinds if placed(row[COLUMNS[kind]])]
    within = [one for one in epsilons if one <= LARGEST] or epsilons
    low, high = spans(*_decade(min(within, default=0.5), max(within, default=8.0)))
    return low, high * (_across((low, high), WIDEST) if _crowded(rows) else 1.0)


def _named(series: Sequence[Series], names: Sequence[str]) -> tuple[list[Series], int]:
    """The series with the first `ENTRIES` of these names in the legend, and how many were left out of it."""
    left = set(names[ENTRIES:])
    return [replace(one, legend=False) if one.group in left else one for one in series], len(left)


def _axis(rows: Sequence[Row], *, short: bool, many: bool) -> str:
    """Whose epsilon it is, and which way is more private."""
    per = PER[_unit(rows)]
    if many and not short:
        return f"ε{per} (privacy budget; logarithmic)"
    return f"ε{per} (log.)" if short else f"ε{per} (privacy budget; logarithmic; left is more private)"


def _front(rows: Sequence[Row], panel: int, end: float) -> list[Series]:
    """The Pareto front as a staircase: the highest mean that is had at an epsilon or below it. One for each
    number of test nodes, since others cannot be compared."""
    drawn = []
    for nodes in dict.fromkeys(row["test_nodes"] for row in rows):
        steps = sorted(
            {(row["epsilon"], row["mean"]) for row in rows if row.get("front") and row["test_nodes"] == nodes}
        )
        if len(steps) < 2:
            continue
        corners = [(steps[0][0], steps[0][1])]
        for (_, before), (x, y) in pairwise(steps):
            corners += [(x, before), (x, before), (x, y), (x, y)]
        corners.append((end, steps[-1][1]))
        drawn.append(
            Series(
                name=FRONT,
                kind="links",
                x=tuple(x for x, _ in corners),
                y=tuple(y for _, y in corners),
                slot=NEUTRAL,
                panel=panel,
                group=FRONT,
            )
        )
    return drawn


def _crowded(held: Sequence[Row]) -> bool:
    return len({curve_of(row) for row in held if not row["reference"]}) > CROWD


def _across(ends: tuple[float, float], share: float) -> float:
    """So far across a panel, as a factor of epsilon."""
    return float((ends[1] / ends[0]) ** share)


def _curve_series(
    members: list[Row], name: str, slot: int, panel: int, *, mixed: bool, crowd: bool, aside: float, cap: float
) -> list[Series]:
    """A line through the curve's points, the sound ones where there are any, and a mark at each of the two
    epsilons, filled and hollow; a smaller one for few seeds, where the figure has both (`mixed`). No band in
    a `crowd`. All of it stands `aside` of its epsilon by that factor; the ends of bars are as wide as `cap`
    says."""
    curve = curve_of(members[0])
    points = {kind: sorted(_placed(members, kind), key=lambda row: float(row[COLUMNS[kind]])) for kind in KINDS}
    kind: Epsilon = "sound" if points["sound"] else "published"
    line = [(aside * float(row[COLUMNS[kind]]), row["mean"]) for row in points[kind]]
    if len(line) == 1:
        ((x, y),) = line
        line = [(x / ALONE, y), (x * ALONE, y)]
    series = [] if crowd else band(points[kind], COLUMNS[kind], slot=slot, panel=panel, group=curve)
    shared: dict[str, Any] = {"slot": slot, "panel": panel, "group": curve}
    series.append(Series(name=name, kind="path", x=(None, None), y=(None, None), **shared))  # the legend's
    places: dict[str, Any] = {"x": tuple(x for x, _ in line), "y": tuple(y for _, y in line)}
    series.append(Series(name=name, kind="line", legend=False, **places, **shared))
    sure = [row for row in points[kind] if row["low"] is not None]
    if sure:
        bars: list[tuple[float, float]] = []
        for row in sure:
            x, low, high = aside * float(row[COLUMNS[kind]]), row["low"], row["high"]
            bars += [(x, low), (x, high), *((x * to, y) for y in (low, high) for to in (1 / cap, cap))]
        series.append(
            Series(
                name="95% confidence of each point",
                kind="links",
                x=tuple(x for x, _ in bars),
                y=tuple(y for _, y in bars),
                slot=slot,
                panel=panel,
                legend=False,
                group=curve,
            )
        )
    ends = [
        (row["epsilon"], row["epsilon_as_published"], row["mean"])
        for row in points["sound"]
        if row in points["published"] and row["epsilon"] != row["epsilon_as_published"]
    ]
    if ends:
        series.append(
            Series(
                name=SAME_RUN,
                kind="links",
                x=tuple(aside * end for one in ends for end in one[:2]),
                y=tuple(end for one in ends for end in (one[2], one[2])),
                slot=slot,
                panel=panel,
                legend=False,
                group=curve,
                faint=True,
            )
        )
    for kind, held in reversed(points.items()):  # the sound one is drawn last: no other mark hides it
        for few in (False, True):
            chosen = [row for row in held if (mixed and row["low"] is None) == few]
            if not chosen:
                continue
            series.append(
                Series(
                    name=f"{name}: {EPSILONS[kind].title}",
                    kind="points",
                    x=tuple(aside * row[COLUMNS[kind]] for row in chosen),
                    y=tuple(row["mean"] for row in chosen),
                    slot=slot,
                    shape=slot,
                    epsilon=kind,
                    panel=panel,
                    legend=False,
                    group=curve,
                    size=5 if few else 9,
                    hover=tuple(_hover(row, name) for row in chosen),
                    keys=tuple(str(row["runs"]) for row in chosen),
                )
            )
    return series


def _own(row: Row) -> int:
    """How many of its seeds were run here."""
    return int(row["seeds"]) - int(row.get("gallery", 0))


def _rings(members: Sequence[Row], panel: int, aside: float) -> list[Series]:
    """A ring around each point that holds runs of one's own, where others are of the gallery."""
    held = [row for row in _placed(members, "sound") if row["own"]]
    if not held:
        return []
    return [
        Series(
            name=OWN,
            kind="points",
            x=tuple(aside * float(row["epsilon"]) for row in held),
            y=tuple(row["mean"] for row in held),
            slot=NEUTRAL,
            shape=RING,
            hollow=True,
            size=17,
            panel=panel,
            legend=False,
            group=OWN,
        )
    ]


def _placed(members: Sequence[Row], kind: Epsilon) -> list[Row]:
    return [row for row in members if placed(row[COLUMNS[kind]])]


def _keys(series: Sequence[Series]) -> list[Series]:
    """What marks mean, whatever their colour: an entry of the legend for each epsilon that is drawn."""
    drawn = {one.epsilon for one in series}
    return [
        Series(name=KEYS[kind], kind="points", x=(None,), y=(None,), slot=NEUTRAL, shape=KEY, epsilon=kind)
        for kind in KINDS
        if kind in drawn
    ]


def _level_band(row: Row, panel: int, ends: tuple[float, float]) -> list[Series]:
    """The 95% band of a level, where there are seeds enough for one: behind all else."""
    rows = [{**row, "x": end} for end in ends]
    return band(rows, "x", slot=NEUTRAL, panel=panel, group=curve_of(row), faint=True)


def _level(row: Row, name: str, place: int, panel: int, ends: tuple[float, float]) -> Series:
    """A grey line from end to end, whose dash says which of the figure's levels it is."""
    return Series(
        name=name,
        kind="level",
        x=ends,
        y=(row["mean"],),
        slot=NEUTRAL,
        shape=1 + place % 5,
        panel=panel,
        group=curve_of(row),
        hover=(_hover(row, name),) * 2,
    )


def _hover(row: Row, curve: str) -> str:
    band = "one seed" if row["low"] is None else f"95%: {percent(row['low'])} to {percent(row['high'])}"
    seeds = "1 seed" if row["seeds"] == 1 else f"{row['seeds']} seeds, {band}"
    seeds += "" if row["test_nodes"] is None else f"; {row['test_nodes']:,} test nodes"
    told = row.get("setting") or ("" if row["variant"] in curve else row["variant"])
    whose = f"{row['own']} of {row['seeds']} runs are your own" if row["own"] else ""
    return (
        f"{curve}\n{percent(row['mean'])} ({seeds})\nsound ε {kept(row['asked'], row['epsilon'])}"
        f"\nε as published {stated('published', row['epsilon_as_published'])}"
        + (f"\n{told}" if told else "")
        + (f"\n{whose}" if whose else "")
    )
