"""Whom an attack exposes: the mean exposure of training nodes, or of edges, by degree and by class."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.audits.bounds import mean_of_shares
from privgraph.registry import sides
from privgraph_workbench.facts.references import LEVEL
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Rule, empty, named
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import intervals, marks
from privgraph_workbench.figures.needs import ATTACK

INTERVAL = f"{LEVEL:.0%} interval over nodes"
MEAN = "mean exposure"
HOVER = ("name", "nodes", "exposure", "low", "high")
KINDS = {"degree": "by degree", "class": "by class"}
AXES = {"degree": "degree (how many)", "class": "class (how many)"}


def data(record: AttackRecord) -> list[Row]:
    """One row per group: kind (degree or class), name, nodes, exposure (the mean share of nodes that did not
    train whose scores lie below those of the group's training nodes; 0.5 is chance), low, high (its interval,
    `bounds.mean_of_shares`, which takes nodes for independent), attack (its title), attack_name (in
    `ATTACKS`), asks and members_are (its question, and who is exposed, in words), similarity (whether it goes
    by that, which tells edges that no model read), by_classes (then the area of the true classes alone, if
    known)."""
    similarity = bool(sides(record.attack).caution) and record.options.by == "distance"
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
        held = [{**row, "group": f"{row['name']} ({row['nodes']:,})"} for row in rows if row["kind"] == kind]
        # below the last alone: above another panel it would lie over the label of that one's line
        x = Axis(title="mean exposure (0.5: chance)" * (kind == kinds[-1]), low=0.0, high=1.0)
        y, rules = named((row["group"] for row in held), AXES[kind]), (Rule(x=0.5, label="chance"),)
        panels.append(Panel(x=x, y=y, title=KINDS[kind], rules=rules))
        look: Look = {"panel": place, "legend": place == 0}
        series += intervals(held, "group", name=INTERVAL, group=INTERVAL, **look)
        series.append(marks(held, "exposure", "group", name=MEAN, group=MEAN, hover=HOVER, **look))
    return Chart(panels=tuple(panels), series=tuple(series), columns=1, height=200 * len(kinds) + 26 * len(rows))
