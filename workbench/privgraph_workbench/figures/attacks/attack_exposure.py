"""Whom an attack exposes: the mean exposure of training nodes, or of edges, by degree and by class."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.audits.bounds import mean_of_shares
from privgraph.registry import sides
from privgraph_workbench.facts.references import LEVEL
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.needs import ATTACK
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import number

TITLE = "Who is exposed"
INTERVAL = f"{LEVEL:.0%} interval over nodes"
WITHOUT = "a perceptron, which reads no edge"
KINDS = {"degree": "by degree", "class": "by class"}
AXES = {"degree": "degree (how many)", "class": "class (how many)"}


def data(record: AttackRecord, without: AttackRecord | None = None) -> list[Row]:
    """One row per group: kind (degree or class), name, nodes, exposure (the mean share of nodes that did not
    train whose scores lie below those of the group's training nodes; 0.5 is chance), low, high (its interval,
    `bounds.mean_of_shares`, which takes nodes for independent), attack (its title), attack_name (in
    `ATTACKS`), asks and members_are (its question, and who is exposed, in words), similarity (whether it goes
    by that, which tells edges that no model read), by_classes (then the area of the true classes alone, if
    known), and without (the exposure of the same group by the same attack on a model that reads no edge: the
    record `without`; None where there is none)."""
    similarity = bool(sides(record.attack).caution) and record.options.by == "distance"
    beside = {
        (kind, one.name): one.exposure
        for kind, held in (() if without is None else (("degree", without.by_degree), ("class", without.by_class)))
        for one in held
    }
    apart = sides(record.attack)
    groups = {"degree": record.by_degree, "class": record.by_class}
    return [
        {
            "kind": kind,
            "name": one.name,
            "nodes": one.nodes,
            "exposure": one.exposure,
            **dict(zip(("low", "high"), mean_of_shares(one.exposure, one.nodes, (1 - LEVEL) / 2), strict=True)),
            "attack": record.title,
            "attack_name": record.attack,
            "asks": apart.asks,
            "members_are": apart.members,
            "similarity": similarity,
            "by_classes": record.by_classes if similarity else None,
            "without": beside.get((kind, one.name)),
        }
        for kind, held in groups.items()
        for one in held
    ]


@figure("attack_exposure", "Who is exposed", data, needs=ATTACK, flags=(Flag.EVALUATOR,))
def chart(rows: Sequence[Row]) -> Chart:
    """A dot a group on its interval, one panel below the other (names of groups are long), beside chance."""
    if not rows:
        return empty("this attack kept no groups of nodes")
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    panels, series = [], []
    for place, kind in enumerate(kinds):
        held = [row for row in rows if row["kind"] == kind]
        names = tuple(f"{row['name']} ({row['nodes']:,})" for row in held)
        panels.append(
            Panel(
                # below the last alone: above another panel it would lie over the label of that one's line
                x=Axis(title="mean exposure (0.5: chance)" * (kind == kinds[-1]), low=0.0, high=1.0),
                y=Axis(title=AXES[kind], scale="category", categories=names),
                title=KINDS[kind],
                rules=(Rule(x=0.5, label="chance"),),
            )
        )
        series.append(
            Series(
                name=INTERVAL,
                kind="links",
                x=tuple(end for row in held for end in (row["low"], row["high"])),
                y=tuple(name for name in names for _ in range(2)),
                slot=0,
                panel=place,
                legend=place == 0,
                group=INTERVAL,
            )
        )
        if any(row["without"] is not None for row in held):
            series.append(
                Series(
                    name=WITHOUT,
                    kind="points",
                    size=12,
                    hollow=True,
                    x=tuple(row["without"] for row in held),
                    y=names,
                    slot=NEUTRAL,
                    panel=place,
                    legend=place == 0,
                    group=WITHOUT,
                    hover=tuple(f"{WITHOUT}\n{row['name']}\nexposure {number(row['without'])}" for row in held),
                )
            )
        series.append(
            Series(
                name="mean exposure",
                kind="points",
                size=9,
                x=tuple(row["exposure"] for row in held),
                y=names,
                slot=0,
                panel=place,
                legend=place == 0,
                group="mean exposure",
                hover=tuple(_hover(row) for row in held),
            )
        )
    return Chart(
        panels=tuple(panels),
        series=tuple(series),
        columns=1,
        height=200 * len(kinds) + 26 * len(rows),
    )


plot = plotted(chart)


def _hover(row: Row) -> str:
    between = f"({number(row['low'])} to {number(row['high'])})"
    return f"{row['name']}\nexposure {number(row['exposure'])} {between}\n{row['nodes']:,} judged"
