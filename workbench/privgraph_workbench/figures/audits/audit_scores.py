"""What the attack of an audit measured, in the dataset with the unit and in the dataset without it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Row
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, outline, single

OUTSIDER = "the attack's score of each of them"


def data(record: AuditRecord) -> list[Row]:
    """One row per bin: low, high (ends of the bin), with, without (trials in it, in either dataset),
    share_with, share_without (of all trials of that dataset), score (what it is, in words), with_are and
    without_are (who is counted on either side, in words)."""
    shared = {"score": record.score, "with_are": "the unit takes part", "without_are": "the unit does not take part"}
    if record.adversary is Adversary.OUTSIDER:
        apart = sides(record.audit)
        shared = {"score": OUTSIDER, "with_are": apart.members, "without_are": apart.others}
    one, other = max(1, sum(record.scores_with)), max(1, sum(record.scores_without))
    bins = zip(record.edges[:-1], record.edges[1:], record.scores_with, record.scores_without, strict=True)
    return [
        {"low": low, "high": high, "with": joined, "without": left, "share_with": joined / one}
        | {"share_without": left / other, **shared}
        for low, high, joined, left in bins
    ]


@figure("audit_scores", "The attack's scores on both sides", data, needs="audit", settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """Two outlines over one axis: where they lie apart, the attack can tell the two datasets apart."""
    if not any(row["with"] or row["without"] for row in rows):
        return empty("this audit kept no scores")
    series = [
        one
        for slot, side in enumerate(("with", "without"))
        for one in outline(rows, f"share_{side}", str(rows[0][f"{side}_are"]), slot)
    ]
    x = Axis(title=textwrap.shorten(str(rows[0]["score"]), 60, placeholder=" …"))
    return single(x, Axis(title="percent of each side", percent=True, low=0), series, height=340)
