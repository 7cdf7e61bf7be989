"""What noisy answers cost, and how many are right: along lambda, the inverse of the noise, or the noise."""

from collections.abc import Iterable, Mapping

from privgraph_workbench.figures.chart import COLUMNS, Axis, Chart, Flag, Panel, Row, Rows
from privgraph_workbench.figures.costs.cost import KINDS, curve, epsilons
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, logarithmic, pairs, placed


def data(
    points: Iterable[tuple[float, float, float | None]],
    chosen: float,
    right: Mapping[float, float | None] | None = None,
    by: str = "lam",
) -> list[Row]:
    """One row per lambda or size of the noise (`by`), ascending: lam (that number), by, epsilon (sound;
    infinite where nothing is guaranteed), epsilon_as_published (None: no formula), right (the share of labels
    that are right on average over the noise; None: not known), chosen (True for the one that is asked
    about)."""
    return [
        {"lam": lam, "by": by, "epsilon": sound, "epsilon_as_published": published}
        | {"right": (right or {}).get(lam), "chosen": lam == chosen}
        for lam, sound, published in sorted(points)
    ]


@figure("price", "What the answers cost", data)
def chart(rows: Rows) -> Chart:
    """How many labels are right stands next to the epsilons, where it is known."""
    drawn = [row[COLUMNS[kind]] for row in rows for kind in KINDS if placed(row[COLUMNS[kind]])]
    if not drawn:
        return empty("no noise has a finite ε")
    noise = "noise (standard deviation, logarithmic; right is noisier)"
    title = noise if rows[0]["by"] == "noise" else "λ (logarithmic; noise has scale 1/λ)"
    x, told = logarithmic(title, (row["lam"] for row in rows)), rows[0]["right"] is not None
    right = Axis(title="labels right, on average (percent)", percent=True, low=0, high=1)
    panels = [Panel(x=x, y=logarithmic("ε (logarithmic)", drawn)), *[Panel(x=x, y=right)] * told]
    series = [*epsilons(rows, "lam"), *curve(rows, "lam", "right", name="labels right", group="right", slot=2, panel=1)]
    return pairs(panels, series, flags=(Flag.EVALUATOR,) * told)
