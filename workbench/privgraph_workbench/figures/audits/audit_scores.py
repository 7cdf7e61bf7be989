"""What the attack of an audit measured, in the dataset with the unit and in the dataset without it."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.needs import AUDIT
from privgraph_workbench.words.numbers import number, percent

TITLE = "The attack's score on both neighbouring datasets"
OUTSIDER_TITLE = "The attack's scores, by who was trained on"
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


@figure("audit_scores", "The attack's score on both neighbouring datasets", data, needs=AUDIT, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """Two outlines over one axis: where they lie apart, the attack can tell the two datasets apart."""
    if not any(row["with"] or row["without"] for row in rows):
        return empty("this audit kept no scores")
    series: list[Series] = []
    names = {dataset: str(rows[0][f"{dataset}_are"]) for dataset in DATASETS}
    outside = names != DATASETS
    for slot, (dataset, name) in enumerate(names.items()):
        x = tuple(end for row in rows for end in (row["low"], row["high"]))
        y = tuple(row[f"share_{dataset}"] for row in rows for _ in range(2))
        hover = tuple(_hover(row, dataset) for row in rows for _ in range(2))
        series += [
            Series(name=name, kind="band", x=x, y=y, low=(0.0,) * len(y), slot=slot, group=name, legend=False),
            Series(name=name, kind="line", x=x, y=y, slot=slot, group=name, hover=hover),
        ]
    score = str(rows[0]["score"])
    return Chart(
        title=OUTSIDER_TITLE if outside else TITLE,
        panels=(
            Panel(
                x=Axis(title=score if len(score) <= MOST_LETTERS else "the attack's score"),
                y=Axis(
                    title="percent of each side" if outside else "trials (percent of that dataset)", percent=True, low=0
                ),
            ),
        ),
        series=tuple(series),
        height=340,
    )


plot = plotted(chart)


def _hover(row: Row, dataset: str) -> str:
    return (
        f"{row[f'{dataset}_are']}\nscore {number(row['low'])} to {number(row['high'])}\n"
        f"{row[dataset]:,}{' trials' * (row['with_are'] == DATASETS['with'])}, {percent(row[f'share_{dataset}'])}"
    )
