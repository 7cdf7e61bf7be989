"""What spherical Laplace noise fails to hide in all coordinates: delta against epsilon, beside the claim."""

from collections.abc import Iterable

from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, logarithmic, marks, single

LINES = {
    "shown": "spherical Laplace, all coordinates (reached)",
    "claimed": "spherical Laplace, one coordinate (claimed)",
    "gaussian": "Gaussian of the same standard deviation",
}


def data(points: Iterable[tuple[float, float, float, float]]) -> list[Row]:
    """Rows epsilon, shown (the delta that a norm-revealing adversary reaches, in the limit of many
    coordinates), claimed (that of Lemma 1, one coordinate alone) and gaussian, by epsilon."""
    return [dict(zip(("epsilon", *LINES), point, strict=True)) for point in sorted(points)]


@figure("revealed_scale", "One release, read in all coordinates", data, settings=True)
def chart(rows: Rows) -> Chart:
    held = {key: [row for row in rows if row[key] >= 1e-9] for key in LINES}
    if not any(held.values()):
        return empty("nothing is revealed at these epsilons")
    y = logarithmic("δ (logarithmic)", [row[key] for key, own in held.items() for row in own])
    series = [
        marks(own, "epsilon", key, name=LINES[key], kind="line", slot=slot)
        for slot, (key, own) in enumerate(held.items())
        if own
    ]
    return single(Axis(title="ε", low=0, high=rows[-1]["epsilon"]), y, series)
