"""Accuracy against epsilon, with confidence over seeds (Figure 2 of the ProGAP paper).

Each setting is drawn at two epsilons of the same noise: the sound one (filled) and the one as published
(hollow), joined by a thin line. Epsilons of different privacy units are different promises:
`common.mixed_units` has the sentence that must stand beside a plot that overlays them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import plotly.graph_objects as go

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, band, empty, number, percent
from privgraph_workbench.figures.common import (
    UNIT_WORDS,
    badges_of,
    composed,
    confidence,
    graph_of,
    method_title,
    mixed_units,
    placed,
    setting,
    spans,
    unit_of,
    variants,
)
from privgraph_workbench.figures.draw_plotly import draw

TITLE = "Accuracy against privacy"
SOUND, PUBLISHED = "sound ε", "ε as published"
MARKS = "; filled: sound, hollow: as published"
MOST_PAIRS = 5
"""Up to so many curves, each has two entries in the legend, one for each epsilon; beyond, one for both."""


def data(records: Iterable[RunRecord], metric: str = "test_accuracy") -> list[Row]:
    """One row per setting (equal but for the seed), from the runs that are done and have the metric.

    method, title, dataset, graph (in words: each has a panel of its own), unit, variant (options that differ
    within the group), asked (the epsilon asked for; None where the noise was given), epsilon (sound) and
    epsilon_as_published (the largest over the seeds; None: no such number), mean, low, high (95% bootstrap
    over seeds; None for a single seed), seeds (their number), reference (True: no epsilon to place it at,
    because nothing or everything is protected), data_dependent, evaluator (True: test labels are private),
    composed (how many of all these runs read the same people), runs (ids).
    """
    done = [record for record in records if record.state == "done" and metric in record.metrics]
    words, together = variants(done), composed(done)
    groups: dict[str, list[RunRecord]] = {}
    for record in done:
        groups.setdefault(setting(record), []).append(record)
    rows = []
    for key, members in groups.items():
        first = members[0]
        mean, low, high = confidence([member.metrics[metric] for member in members])
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
                "unit": unit_of(first),
                "variant": words[key],
                "asked": first.spec.asked_epsilon,
                "epsilon": sound,
                "epsilon_as_published": as_published,
                "mean": mean,
                "low": low,
                "high": high,
                "seeds": len(members),
                "reference": not (placed(sound) or placed(as_published)),
                "data_dependent": any(one.data_dependent for one in statements),
                "metric": metric,
                "evaluator": True,
                "composed": together[first.id],
                "runs": " ".join(member.id for member in members),
            }
        )
    return sorted(rows, key=lambda row: (row["graph"], row["method"], row["unit"], row["variant"], row["epsilon"]))


def chart(rows: Sequence[Row]) -> Chart:
    """One panel per graph; epsilon on a logarithmic axis; references as horizontal lines."""
    if not rows:
        return empty(TITLE, "no finished run to compare yet")
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    epsilons = [row[key] for row in rows for key in ("epsilon", "epsilon_as_published") if placed(row[key])]
    low, high = spans(min(epsilons, default=0.5), max(epsilons, default=8.0))
    curves = list(dict.fromkeys(_curve(row) for row in rows if not row["reference"]))
    levels = list(dict.fromkeys(_curve(row) for row in rows if row["reference"]))
    metric = rows[0]["metric"].replace("_", " ")
    paired = len(curves) > MOST_PAIRS
    panels = tuple(
        Panel(
            title=graph if len(graphs) > 1 else "",
            x=Axis(
                title=f"ε (privacy budget; logarithmic; left is more private{MARKS if paired else ''})",
                scale="log",
                low=low,
                high=high,
            ),
            y=Axis(title=f"{metric} (percent of nodes)", percent=True),
        )
        for graph in graphs
    )
    series: list[Series] = []
    for place, graph in enumerate(graphs):
        for slot, curve in enumerate(curves):
            members = [row for row in rows if row["graph"] == graph and _curve(row) == curve]
            members = [row for row in members if not row["reference"]]
            if members:
                series += _curve_series(members, curve, slot, place, paired)
        for number_, level in enumerate(levels):
            for row in rows:
                if row["graph"] == graph and row["reference"] and _curve(row) == level:
                    series.append(_level(row, level, len(curves) + number_, place, (low, high)))
    warning = mixed_units(rows)
    badges = [warning] if warning else []
    if any(row["data_dependent"] for row in rows):
        badges.append("an ε shown here depends on the private data itself")
    best = max(rows, key=lambda row: float(row["mean"]))
    return Chart(
        title=f"{TITLE}: {graphs[0]}" if len(graphs) == 1 else TITLE,
        panels=panels,
        series=tuple(series),
        summary=(
            f"Accuracy against epsilon for {len(rows)} settings on {', '.join(graphs)}. "
            f"Highest: {_curve(best)} with {percent(best['mean'])} on {best['graph']}."
        ),
        badges=(*badges, *badges_of(rows)),
        columns=2,
        height=110 + 330 * math.ceil(len(graphs) / 2),
    )


def plot(rows: Sequence[Row], theme: str = "light") -> go.Figure:
    """The trade-off as a plotly figure."""
    return draw(chart(rows), theme)


def _curve(row: Row) -> str:
    unit = "" if row["unit"] == "none" and "private" in row["title"] else f", {UNIT_WORDS[row['unit']]}"
    if row["reference"] and row["epsilon"] == 0:
        unit = ", ε = 0"
    return f"{row['title']}{unit}" + (f", {row['variant']}" if row["variant"] else "")


def _curve_series(members: list[Row], curve: str, slot: int, panel: int, paired: bool) -> list[Series]:
    """A curve at its two epsilons; `paired`: both have one entry in the legend, and hide together."""
    sound = sorted((row for row in members if placed(row["epsilon"])), key=lambda row: float(row["epsilon"]))
    published = [row for row in members if placed(row["epsilon_as_published"])]
    published.sort(key=lambda row: float(row["epsilon_as_published"]))
    both = [row for row in sound if row in published and row["epsilon"] != row["epsilon_as_published"]]
    groups = {kind: curve if paired else f"{curve}: {kind}" for kind in (SOUND, PUBLISHED)}
    found = band(sound, "epsilon", slot=slot, panel=panel, group=groups[SOUND])
    if both:
        ends = [(row["epsilon"], row["epsilon_as_published"], row["mean"]) for row in both]
        found.append(
            Series(
                name="same run",
                kind="links",
                x=tuple(end for one in ends for end in one[:2]),
                y=tuple(end for one in ends for end in (one[2], one[2])),
                slot=slot,
                panel=panel,
                legend=False,
                group=groups[PUBLISHED],
                faint=True,
            )
        )
    for kind, chosen, key in ((SOUND, sound, "epsilon"), (PUBLISHED, published, "epsilon_as_published")):
        if not chosen:
            continue
        found.append(
            Series(
                name=groups[kind],
                kind="path" if key == "epsilon" else "points",
                x=tuple(row[key] for row in chosen),
                y=tuple(row["mean"] for row in chosen),
                slot=slot,
                panel=panel,
                hollow=key != "epsilon",
                group=groups[kind],
                hover=tuple(_hover(row, curve) for row in chosen),
            )
        )
    return found


def _level(row: Row, name: str, slot: int, panel: int, ends: tuple[float, float]) -> Series:
    return Series(
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


def _hover(row: Row, curve: str) -> str:
    band = "one seed" if row["low"] is None else f"95%: {percent(row['low'])} to {percent(row['high'])}"
    seeds = "1 seed" if row["seeds"] == 1 else f"{row['seeds']} seeds, {band}"
    return (
        f"{curve}\n{percent(row['mean'])} ({seeds})\nsound ε {number(row['epsilon'])}"
        f"\nε as published {number(row['epsilon_as_published'])}"
    )
