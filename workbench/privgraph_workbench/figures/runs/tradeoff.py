"""Accuracy against epsilon, with confidence over seeds (Figure 2 of the ProGAP paper).

Each setting is drawn at two epsilons of the same noise, the sound one and the one as published, each with
its own mark and joined by a thin line. A line, in colour and dash, is a method; a mark says which epsilon.
Epsilons of different privacy units are different promises: `common.mixed_units` has the sentence that must
stand beside a plot that overlays them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.axes import COLUMNS, placed, spans
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, band, empty, percentages, shared
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.notes import badges_of, composed, mixed_units, place_words
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.words.naming import (
    UNIT_WORDS,
    graph_of,
    method_title,
    network_of,
    nodes_of,
    setting,
    unit_of,
    variants,
)
from privgraph_workbench.words.numbers import percent, stated

TITLE = "Accuracy against privacy"
KINDS: tuple[Epsilon, ...] = ("sound", "published")
AXIS = "ε (privacy budget; logarithmic; left is more private)"
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
    runs read the same people), runs (ids).
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
                "runs": " ".join(member.id for member in members),
            }
        )
    return sorted(rows, key=lambda row: (row["graph"], row["method"], row["unit"], row["variant"], row["epsilon"]))


def _measured(metric: str, rows: Sequence[Row]) -> str:
    """The title of the axis: of methods that predict relations, the share of partners that came first."""
    tasks = [METHODS[row["method"]].tasks if row["method"] in METHODS else () for row in rows]
    if metric == "test accuracy" and tasks and all("relation prediction" in one for one in tasks):
        return "PREC@1 (percent of relations)"
    return f"{metric} (percent of nodes)"


def chart(rows: Sequence[Row]) -> Chart:
    """One panel per graph; epsilon on a logarithmic axis; references as horizontal lines."""
    if not rows:
        return empty(TITLE, "no finished run to compare yet")
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    epsilons = [row[COLUMNS[kind]] for row in rows for kind in KINDS if placed(row[COLUMNS[kind]])]
    low, high = spans(*_decade(min(epsilons, default=0.5), max(epsilons, default=8.0)))
    curves = list(dict.fromkeys(_curve(row) for row in rows if not row["reference"]))
    levels = list(dict.fromkeys(_curve(row) for row in rows if row["reference"]))
    metric = rows[0]["metric"].replace("_", " ")
    by_graph = {graph: [row for row in rows if row["graph"] == graph] for graph in graphs}
    bounds = shared(
        [row[key] for row in held for key in ("mean", "low", "high") if row[key] is not None]
        for held in by_graph.values()
    )
    panels = tuple(
        Panel(
            title=place_words(held),
            x=Axis(title="ε (log.)" if small else AXIS, scale="log", low=low, high=high),
            y=percentages(_measured(metric, held), bounds),
            share=SMALL if small else 1.0,
        )
        for held in by_graph.values()
        for small in [_small(held, by_graph.values())]
    )
    series: list[Series] = []
    mixed = len({row["low"] is None for row in rows}) > 1
    for place, graph in enumerate(graphs):
        for slot, curve in enumerate(curves):
            members = [row for row in rows if row["graph"] == graph and _curve(row) == curve]
            members = [row for row in members if not row["reference"]]
            if members:
                series += _curve_series(members, curve, slot, place, mixed=mixed)
        for number_, level in enumerate(levels):
            for row in rows:
                if row["graph"] == graph and row["reference"] and _curve(row) == level:
                    series += _level(row, level, len(curves) + number_, place, (low, high))
    series += _keys(series)
    warning = mixed_units(rows)
    badges = [warning] if warning else []
    if any(row["data_dependent"] for row in rows):
        badges.append("an ε shown here depends on the private data itself")
    badges += _other_nodes(by_graph.values())
    best = max(rows, key=lambda row: float(row["mean"]))
    return Chart(
        title=TITLE,
        panels=panels,
        series=tuple(series),
        summary=(
            f"Accuracy against epsilon for {len(rows)} settings on {', '.join(graphs)}. "
            f"Highest: {_curve(best)} with {percent(best['mean'])} on {best['graph']}."
        ),
        badges=(*badges, *badges_of(rows)),
        columns=2,
        height=110 + 330 * math.ceil(len(graphs) / 2),
        legend=True,
        notes=(_seeds_note(rows),),
    )


plot = plotted(chart)


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


def _curve(row: Row) -> str:
    unit = "" if row["unit"] == "none" and "private" in row["title"] else f", {UNIT_WORDS[row['unit']]}"
    if row["reference"] and row["epsilon"] == 0:
        unit = ", ε = 0"
    return f"{row['title']}{unit}" + (f", {row['variant']}" if row["variant"] else "")


def _curve_series(members: list[Row], curve: str, slot: int, panel: int, *, mixed: bool) -> list[Series]:
    """A line through the curve's points, the sound ones where there are any, and a mark at each of the two
    epsilons; a smaller one for few seeds, where the figure has both (`mixed`)."""
    points = {kind: sorted(_placed(members, kind), key=lambda row: float(row[COLUMNS[kind]])) for kind in KINDS}
    kind: Epsilon = "sound" if points["sound"] else "published"
    line = [(float(row[COLUMNS[kind]]), row["mean"]) for row in points[kind]]
    if len(line) == 1:
        ((x, y),) = line
        line = [(x / ALONE, y), (x * ALONE, y)]
    series = band(points[kind], COLUMNS[kind], slot=slot, panel=panel, group=curve)
    series.append(
        Series(
            name=curve,
            kind="line",
            x=tuple(x for x, _ in line),
            y=tuple(y for _, y in line),
            slot=slot,
            panel=panel,
            group=curve,
        )
    )
    sure = [row for row in points[kind] if row["low"] is not None]
    if sure:
        series.append(
            Series(
                name="95% confidence of each point",
                kind="links",
                x=tuple(float(row[COLUMNS[kind]]) for row in sure for _ in range(2)),
                y=tuple(end for row in sure for end in (row["low"], row["high"])),
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
                name="same run",
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
    for kind, held in points.items():
        for few in (False, True):
            chosen = [row for row in held if (mixed and row["low"] is None) == few]
            if not chosen:
                continue
            series.append(
                Series(
                    name=f"{curve}: {EPSILONS[kind].title}",
                    kind="points",
                    x=tuple(row[COLUMNS[kind]] for row in chosen),
                    y=tuple(row["mean"] for row in chosen),
                    epsilon=kind,
                    panel=panel,
                    legend=False,
                    group=curve,
                    size=5 if few else 9,
                    hover=tuple(_hover(row, curve) for row in chosen),
                )
            )
    return series


def _placed(members: Sequence[Row], kind: Epsilon) -> list[Row]:
    return [row for row in members if placed(row[COLUMNS[kind]])]


def _keys(series: Sequence[Series]) -> list[Series]:
    """What the marks mean: an entry of the legend for each epsilon that is drawn."""
    drawn = {one.epsilon for one in series}
    return [
        Series(name=EPSILONS[kind].title, kind="points", x=(None,), y=(None,), epsilon=kind)
        for kind in KINDS
        if kind in drawn
    ]


def _level(row: Row, name: str, slot: int, panel: int, ends: tuple[float, float]) -> list[Series]:
    """A line from end to end, in its 95% band where there are seeds enough for one."""
    series = band([{**row, "x": end} for end in ends], "x", slot=slot, panel=panel, group=name)
    series.append(
        Series(
            name=name,
            kind="level",
            x=ends,
            y=(row["mean"],),
            slot=slot,
            shape=1 + slot % 5,
            panel=panel,
            group=name,
            hover=(_hover(row, name),) * 2,
        )
    )
    return series


def _hover(row: Row, curve: str) -> str:
    band = "one seed" if row["low"] is None else f"95%: {percent(row['low'])} to {percent(row['high'])}"
    seeds = "1 seed" if row["seeds"] == 1 else f"{row['seeds']} seeds, {band}"
    seeds += "" if row["test_nodes"] is None else f"; {row['test_nodes']:,} test nodes"
    return (
        f"{curve}\n{percent(row['mean'])} ({seeds})\nsound ε {stated('sound', row['epsilon'])}"
        f"\nε as published {stated('published', row['epsilon_as_published'])}"
    )
