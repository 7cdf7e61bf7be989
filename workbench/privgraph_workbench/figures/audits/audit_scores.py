"""What the attack of an audit measured, in the dataset with the unit and in the dataset without it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Row, empty, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import outline
from privgraph_workbench.figures.needs import AUDIT

MOST_LETTERS = 60
"""Of a score's name that stands at the axis; a longer one is said in words elsewhere."""
OUTSIDER = "the attack's score of each of them"
DATASETS = {"with": "the unit takes part", "without": "the unit does not take part"}


def data(record: AuditRecord) -> list[Row]:
    """One row per bin: low, high (ends of the bin), with, without (trials in it, in either dataset),
    share_with, share_without (of all trials of that dataset), score (what it is, in words), with_are and
    without_are (who is counted on either side, in words)."""
    apart = sides(record.audit) if record.adversary is Adversary.OUTSIDER else None
    words = (DATASETS["with"], DATASETS["without"]) if apart is None else (apart.members, apart.others)
    totals = {"with": sum(record.scores_with), "without": sum(record.scores_without)}
    return [
        {
            "low": low,
            "high": high,
            "with": joined,
            "without": left,
            "share_with": joined / max(1, totals["with"]),
            "share_without": left / max(1, totals["without"]),
            "score": record.score if apart is None else OUTSIDER,
            "with_are": words[0],
            "without_are": words[1],
        }
        for low, high, joined, left in zip(
            record.edges[:-1], record.edges[1:], record.scores_with, record.scores_without, strict=True
        )
    ]


@figure("audit_scores", "The attack's scores on both sides", data, needs=AUDIT, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """Two outlines over one axis: where they lie apart, the attack can tell the two datasets apart."""
    if not any(row["with"] or row["without"] for row in rows):
        return empty("this audit kept no scores")
    sides = enumerate((dataset, str(rows[0][f"{dataset}_are"])) for dataset in DATASETS)
    series = (one for slot, (side, name) in sides for one in outline(rows, f"share_{side}", name, slot))
    x = Axis(title=textwrap.shorten(str(rows[0]["score"]), MOST_LETTERS, placeholder=" …"))
    return single(x, Axis(title="percent of each side", percent=True, low=0), series, height=340)
