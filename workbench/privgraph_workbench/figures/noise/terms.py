"""What each term of Equation 3 of HeterPoisson contributes: A_k = Pr(k) B_k, for spherical Laplace and for
Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from privgraph_workbench.figures.axes import spans
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure

TITLE = "The terms of Equation 3"
FEW = 12
LINES = (
    ("laplace", "term with spherical Laplace noise"),
    ("gaussian", "term with Gaussian noise"),
    ("chance", "chance of k by itself"),
)


def data(terms: Iterable[tuple[float, float, float, float]], order: float) -> list[Row]:
    """Rows k, chance, laplace, gaussian (powers of ten: the common logarithms of Pr(k), and of A_k with
    either noise) and order (the Renyi order), from k and the natural logarithms of Pr(k), B_k Laplace and B_k
    Gaussian. Terms without a chance are left out."""
    ten = math.log(10)
    return [
        {
            "k": k,
            "chance": chance / ten,
            "laplace": (chance + laplace) / ten,
            "gaussian": (chance + gaussian) / ten,
            "order": order,
        }
        for k, chance, laplace, gaussian in sorted(terms)
        if math.isfinite(chance)
    ]


@figure("terms", "The terms of Equation 3", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """The few subgraphs that a node is likely to be in on the left, all that are possible on the right."""
    if not rows:
        return empty("every node is central in every step, and the terms are of a node that is not")
    few = [row for row in rows if row["k"] <= FEW]
    many = [row for row in rows if row["k"] >= 1]
    series = [
        Series(
            name=name,
            kind="path" if panel == 0 else "line",
            x=tuple(row["k"] for row in held),
            y=tuple(row[key] for row in held),
            slot=slot,
            panel=panel,
            group=key,
            size=6,
            hover=tuple(f"k = {row['k']:,g}\n{name}: {_power(row[key])}" for row in held),
        )
        for panel, held in enumerate((few, many))
        for slot, (key, name) in enumerate(LINES)
        if held
    ]
    left, right = spans(many[0]["k"], many[-1]["k"]) if many else (1.0, 10.0)
    return Chart(
        panels=(
            Panel(
                title="what is likely",
                x=Axis(title="k (subgraphs that hold the node)"),
                y=Axis(title="powers of ten"),
            ),
            Panel(
                title="all that is possible",
                x=Axis(title="k, logarithmic", scale="log", low=left, high=right),
                y=Axis(title="powers of ten"),
            ),
        ),
        series=tuple(series),
        columns=2,
        height=360,
    )


plot = plotted(chart)


def _power(exponent: float) -> str:
    """A number that may be far beyond floating point.

    >>> _power(-2500.4), _power(0.5)
    ('10^-2,500', '10^0.5')
    """
    return f"10^{exponent:,.0f}" if abs(exponent) >= 10 else f"10^{exponent:.2g}"
