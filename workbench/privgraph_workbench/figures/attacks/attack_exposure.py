"""Whom an attack exposes: the mean exposure of training nodes, or of edges, by degree and by class."""

from privgraph.attacks.record import AttackRecord
from privgraph.audits.bounds import mean_of_shares
from privgraph_workbench.facts.references import LEVEL
from privgraph_workbench.figures.attacks.attack_areas import classes_alone
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Panel, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import grouped, intervals, marks, named, pairs
from privgraph_workbench.leaks import by_similarity


def data(record: AttackRecord) -> list[Row]:
    """One row per group: kind (degree or class), name, nodes, exposure (the mean share of nodes that did not
    train whose scores lie below those of the group's training nodes), low, high (its interval, which takes
    nodes for independent), attack (its title), attack_name (in `ATTACKS`), similarity (whether it goes by
    that), by_classes (then the area of the true classes alone)."""
    shared = {"attack": record.title, "attack_name": record.attack, "similarity": by_similarity(record)}
    shared["by_classes"] = classes_alone(record)
    return [
        {"kind": kind, "name": one.name, "nodes": one.nodes, "exposure": one.exposure}
        | dict(zip(("low", "high"), mean_of_shares(one.exposure, one.nodes, (1 - LEVEL) / 2), strict=True))
        | shared
        for kind, held in (("degree", record.by_degree), ("class", record.by_class))
        for one in held
    ]


@figure("attack_exposure", "Who is exposed", data, needs="attack", always=[Flag.EVALUATOR])
def chart(rows: Rows) -> Chart:
    """One panel below the other: names of groups are long."""
    rows = [{**row, "group": f"{row['name']} ({row['nodes']:,})"} for row in rows]
    panels, series, kinds = [], [], grouped(rows, "kind")
    for place, (kind, held) in enumerate(kinds.items()):
        # below the last alone: above another panel it would lie over the label of that one's line
        x = Axis(title="mean exposure (0.5: chance)" * (place == len(kinds) - 1), low=0.0, high=1.0)
        y, rules = named((row["group"] for row in held), f"{kind} (how many)"), (Rule(x=0.5, label="chance"),)
        panels.append(Panel(x=x, y=y, title=f"by {kind}", rules=rules))
        look: Look = {"panel": place, "legend": place == 0}
        series += intervals(held, "group", name=f"{LEVEL:.0%} interval over nodes", **look)
        look |= {"name": "mean exposure", "hover": "name nodes exposure low high"}
        series.append(marks(held, "exposure", "group", **look))
    return pairs(panels, series, columns=1)
