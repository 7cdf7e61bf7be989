"""How often the best guesser is right after one release, against epsilon."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph_workbench.facts.world import best_share
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.words.numbers import number, percent

TITLE = "What one release leaves to a guesser"
TICKS = (0.25, 0.5, 1.0, 2.0, 4.0)
PLACES = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)


def data(epsilon: float = 1.0) -> list[Row]:
    """One row per epsilon: epsilon, best (how often anybody is right at most who guesses whether a record is
    there), asked. Raises `ValueError` for an epsilon that is not positive."""
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive (got {epsilon})")
    return [
        {"epsilon": place, "best": best_share(place), "asked": epsilon} for place in sorted({*PLACES, float(epsilon)})
    ]


@figure("one_release", "What one release leaves to a guesser", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """A curve from little better than a coin to near certainty, and the chosen epsilon on it."""
    if not rows:
        return empty("nothing was released")
    ends = rows[0]["epsilon"], rows[-1]["epsilon"]
    series = (
        Series(
            name="right at most",
            kind="path",
            x=tuple(row["epsilon"] for row in rows),
            y=tuple(row["best"] for row in rows),
            hover=tuple(f"ε {number(row['epsilon'])}\nright {percent(row['best'])} at most" for row in rows),
        ),
        Series(name="a coin", kind="level", x=ends, y=(0.5,), slot=1),
    )
    return Chart(
        panels=(
            Panel(
                x=Axis(title="ε of the release (logarithmic)", scale="log", ticks=TICKS),
                y=Axis(title="guesses right, at most", percent=True, low=0.4, high=1.0),
                rules=(Rule(x=rows[0]["asked"], label="chosen"),),
            ),
        ),
        series=series,
        height=340,
        legend=True,
    )


plot = plotted(chart)
