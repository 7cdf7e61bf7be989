"""What the attack of an audit measured, in the dataset with the unit and in the dataset without it."""

import textwrap

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Chart, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import apart, bins


def data(record: AuditRecord) -> list[Row]:
    """One row per bin: low, high (ends of the bin), with, without (trials in it, in either dataset),
    share_with, share_without (of all trials of that dataset), score (what it is, in words), with_are and
    without_are (who is counted on either side, in words)."""
    told = (record.score, "the unit takes part", "the unit does not take part")
    if record.adversary is Adversary.OUTSIDER:
        own = sides(record.audit)
        told = ("the attack's score of each of them", own.members, own.others)
    shared = dict(zip(("score", "with_are", "without_are"), told, strict=True))
    counts = {"with": record.scores_with, "without": record.scores_without}
    return [{**row, **shared} for row in bins(record.edges, counts)]


@figure("audit_scores", "The attack's scores on both sides", data, needs="audit", settings=True)
def chart(rows: Rows) -> Chart:
    return apart(rows, ("with", "without"), textwrap.shorten(rows[0]["score"], 60, placeholder=" …"))
