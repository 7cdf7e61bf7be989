"""How often the best guesser is right after one release, against epsilon."""

from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import level, marks, single
from privgraph_workbench.words.meaning import guess

PLACES = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)


def data(epsilon: float = 1.0) -> list[Row]:
    """One row per epsilon: epsilon, best (how often anybody is right at most who guesses whether a record is
    there), asked. Raises `ValueError` for an epsilon that is not positive."""
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive (got {epsilon})")
    return [
        {"epsilon": place, "best": guess(place, 0.0), "asked": epsilon} for place in sorted({*PLACES, float(epsilon)})
    ]


@figure("one_release", "What one release leaves to a guesser", data, settings=True)
def chart(rows: Rows) -> Chart:
    curve = marks(rows, "epsilon", "best", name="right at most", kind="path")
    coin, rules = level([row["epsilon"] for row in rows], 0.5, "a coin", 1), [Rule(x=rows[0]["asked"], label="chosen")]
    x = Axis(title="ε of the release (logarithmic)", scale="log", ticks=PLACES[::2])
    y = Axis(title="guesses right, at most", percent=True, low=0.4, high=1.0)
    return single(x, y, [curve, coin], rules=rules)
