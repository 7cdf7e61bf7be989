"""How often teachers agreed with the truth, class by class, before and after noise. For an evaluator
alone."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, distinct, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.needs import ANSWERS
from privgraph_workbench.figures.teachers import answers as all_answers
from privgraph_workbench.words.numbers import percent

TITLE = "Agreement with the truth"
STEPS = (("before", "before noise"), ("after", "after noise"), ("released", "label that the student got"))


def data(answers: Answers, class_names: Sequence[str] = ()) -> list[Row]:
    """One row for all queries and one for each true class that occurs: name, queries (asked), answered, and
    before, after, released: the share of the answered ones whose label was right (None where none was),
    evaluator (True)."""
    rows = all_answers.data(answers, class_names)
    names = [
        all_answers.class_name(label, class_names) for label in sorted({int(label) for label in answers.truth.tolist()})
    ]
    groups = [("all classes", rows), *((name, [row for row in rows if row["truth"] == name]) for name in names)]
    return [_row(name, members) for name, members in groups if members]


def _row(name: str, members: Sequence[Row]) -> Row:
    answered = [row for row in members if row["released"] is not None]
    shares = {column: all_answers.share(answered, f"right_{column}") for column, _ in STEPS}
    return {"name": name, "queries": len(members), "answered": len(answered), **shares, "evaluator": True}


@figure("agreement", "Agreement with the truth", data, needs=ANSWERS)
def chart(rows: Sequence[Row]) -> Chart:
    """A line of points a class: what noise took away. The student's labels have a mark of their own where
    they differ."""
    held = [row for row in rows if row["answered"]]
    if not held:
        return empty("no query was answered")
    names = distinct(f"{row['name']} ({row['answered']:,})" for row in held)
    shown = [step for step in STEPS if step[0] != "released" or any(row["released"] != row["after"] for row in held)]
    ends = [(row["before"], row[shown[-1][0]]) for row in held]
    series = [
        Series(
            name="same class",
            kind="links",
            x=tuple(end for pair in ends for end in pair),
            y=tuple(name for name in names for _ in range(2)),
            legend=False,
            faint=True,
        )
    ]
    series += [
        Series(
            name=title,
            kind="points",
            x=tuple(row[column] for row in held),
            y=names,
            slot=slot,
            hollow=column == "before",
            size=11,
            hover=tuple(
                (f"{name}\n{title}: {percent(row[column])} right") for row, name in zip(held, names, strict=True)
            ),
        )
        for slot, (column, title) in enumerate(shown)
    ]
    return Chart(
        panels=(
            Panel(
                x=Axis(title="right answers (percent of the answered queries)", percent=True, low=-0.03, high=1.03),
                y=Axis(title="", scale="category", categories=names),
            ),
        ),
        series=tuple(series),
        height=150 + 26 * len(held),
    )


plot = plotted(chart)
