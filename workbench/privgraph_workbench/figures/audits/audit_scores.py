"""What the attack of an audit measured, in the dataset with the unit and in the dataset without it."""

from __future__ import annotations

import textwrap

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import bins, empty, outlines, single


def data(record: AuditRecord) -> list[Row]:
    """One row per bin: low, high (ends of the bin), with, without (trials in it, in either dataset),
    share_with, share_without (of all trials of that dataset), score (what it is, in words), with_are and
    without_are (who is counted on either side, in words)."""
    told = (record.score, "the unit takes part", "the unit does not take part")
    if record.adversary is Adversary.OUTSIDER:
        apart = sides(record.audit)
        told = ("the attack's score of each of them", apart.members, apart.others)
    shared = dict(zip(("score", "with_are", "without_are"), told, strict=True))
    counts = {"with": record.scores_with, "without": record.scores_without}
    return [{**row, **shared} for row in bins(record.edges, counts)]


@figure("audit_scores", "The attack's scores on both sides", data, needs="audit", settings=True)
def chart(rows: Rows) -> Chart:
    if not any(row["with"] or row["without"] for row in rows):
        return empty("this audit kept no scores")
    names = {"share_with": rows[0]["with_are"], "share_without": rows[0]["without_are"]}
    x = Axis(title=textwrap.shorten(str(rows[0]["score"]), 60, placeholder=" …"))
    y = Axis(title="percent of each side", percent=True, low=0)
    return single(x, y, outlines(rows, names))
