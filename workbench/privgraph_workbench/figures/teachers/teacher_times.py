"""How long each teacher took."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.needs import ANSWERS
from privgraph_workbench.figures.thinning import LIMIT, thin
from privgraph_workbench.words.numbers import number

TITLE = "Time of each teacher"


def data(answers: Answers) -> list[Row]:
    """One row per query in the order in which they were asked: order, query (its node), value (seconds)."""
    return [
        {"order": place, "query": node, "value": seconds}
        for place, (node, seconds) in enumerate(zip(answers.queries.tolist(), answers.seconds.tolist(), strict=True))
    ]


@figure("teacher_times", "Time of each teacher", data, needs=ANSWERS)
def chart(rows: Sequence[Row]) -> Chart:
    """Milliseconds along the queries. Teachers that were trained together share their time evenly."""
    if not rows:
        return empty("no query was asked")
    drawn = thin(rows, LIMIT)
    return Chart(
        panels=(
            Panel(
                x=Axis(title="query (in the order in which they were asked)"),
                y=Axis(title="time of its teacher (milliseconds)", low=0),
            ),
        ),
        series=(
            Series(
                name="teachers",
                kind="line",
                x=tuple(row["order"] + 1 for row in drawn),
                y=tuple(1000 * row["value"] for row in drawn),
                legend=False,
                hover=tuple(
                    (f"query {row['order'] + 1}, node {row['query']}\n{number(1000 * row['value'])} ms")
                    for row in drawn
                ),
            ),
        ),
        height=300,
    )


plot = plotted(chart)
