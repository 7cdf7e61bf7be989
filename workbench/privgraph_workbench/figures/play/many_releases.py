"""How often the best guesser is right after several releases of the same data."""

from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import level, marks, single
from privgraph_workbench.words.meaning import guess

TITLES = {"releases": "releases of the same data", "friendships": "friendships of one person"}
MOST = 20


def data(epsilon: float = 0.5, releases: int = 1, *, friendships: int = 0) -> list[Row]:
    """One row per number of releases, from 1 to `MOST`: releases, total (epsilon of all together), best (how
    often anybody is right at most who guesses whether a record is there), asked, counted (releases, or
    friendships where a number of those is given: together they cost no less). Raises `ValueError` for an
    epsilon that is not positive."""
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive (got {epsilon})")
    shared = {"asked": friendships or releases, "counted": "friendships" if friendships else "releases"}
    totals = {count: count * epsilon for count in range(1, MOST + 1)}
    return [{"releases": one, "total": total, "best": guess(total, 0.0), **shared} for one, total in totals.items()]


@figure("many_releases", "Every release adds its epsilon", data, settings=True)
def chart(rows: Rows) -> Chart:
    x, y = Axis(title=TITLES[rows[0]["counted"]]), Axis(title="guesses right, at most", percent=True, low=0.4, high=1.0)
    curve = marks(rows, "releases", "best", name="right at most", kind="path", hover="releases total best")
    coin, rules = level((1, MOST), 0.5, "a coin", 1), [Rule(x=rows[0]["asked"], label="chosen")]
    return single(x, y, [curve, coin], rules=rules)
