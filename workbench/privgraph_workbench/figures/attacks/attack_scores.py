"""An attack's scores of nodes trained on and of nodes not trained on, or of whatever else it tells apart."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Row
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, outline, single


def data(record: AttackRecord) -> list[Row]:
    """One row per bin: low, high (ends of the bin), members, others (how many are in it), share_members,
    share_others (of all of that side), members_are, others_are (each side in words), attack (its title),
    attack_name (in `ATTACKS`)."""
    apart = sides(record.attack)
    shared = {"members_are": apart.members, "others_are": apart.others}
    shared |= {"attack": record.title, "attack_name": record.attack}
    one, other = max(1, sum(record.scores_members)), max(1, sum(record.scores_others))
    bins = zip(record.edges[:-1], record.edges[1:], record.scores_members, record.scores_others, strict=True)
    return [
        {"low": low, "high": high, "members": members, "others": others, "share_members": members / one}
        | {"share_others": others / other, **shared}
        for low, high, members, others in bins
    ]


@figure("attack_scores", "The attack's scores", data, needs="attack", always=[Flag.EVALUATOR])
def chart(rows: Sequence[Row]) -> Chart:
    """Two outlines over one axis: where they lie apart, the attack tells one side from the other."""
    if not any(row["members"] or row["others"] for row in rows):
        return empty("this attack kept no scores")
    members, others = rows[0]["members_are"], rows[0]["others_are"]
    series = [*outline(rows, "share_members", members, 0), *outline(rows, "share_others", others, 1)]
    x = Axis(title=f"score (a higher one speaks for {members})")
    return single(x, Axis(title="percent of each side", percent=True, low=0), series, height=340)
