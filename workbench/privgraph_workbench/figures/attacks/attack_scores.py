"""An attack's scores of nodes trained on and of nodes not trained on, or of whatever else it tells apart."""

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Chart, Flag, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import apart, bins


def data(record: AttackRecord) -> list[Row]:
    """One row per bin: low, high (ends of the bin), members, others (how many are in it), share_members,
    share_others (of all of that side), members_are, others_are (each side in words), attack (its title),
    attack_name (in `ATTACKS`)."""
    own = sides(record.attack)
    told = {"members_are": own.members, "others_are": own.others, "attack": record.title}
    counts = {"members": record.scores_members, "others": record.scores_others}
    return [{**row, **told, "attack_name": record.attack} for row in bins(record.edges, counts)]


@figure("attack_scores", "The attack's scores", data, needs="attack", always=[Flag.EVALUATOR])
def chart(rows: Rows) -> Chart:
    return apart(rows, ("members", "others"), f"score (a higher one speaks for {rows[0]['members_are']})")
