"""What each term of Equation 3 of HeterPoisson contributes: A_k = Pr(k) B_k, with either noise."""

import math
from collections.abc import Iterable

from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import logarithmic, marks, pairs


def data(terms: Iterable[tuple[float, float, float, float]], order: float) -> list[Row]:
    """Rows k, chance, laplace, gaussian (powers of ten: the common logarithms of Pr(k), and of A_k with
    either noise) and order (the Renyi order), from k and the natural logarithms of Pr(k), B_k Laplace and B_k
    Gaussian. Terms without a chance are left out."""
    ten = math.log(10)
    return [
        {"k": k, "chance": chance / ten, "laplace": (chance + laplace) / ten, "gaussian": (chance + gaussian) / ten}
        | {"order": order}
        for k, chance, laplace, gaussian in sorted(terms)
        if math.isfinite(chance)
    ]


@figure("terms", "The terms of Equation 3", data, settings=True)
def chart(rows: Rows) -> Chart:
    lines = {"laplace": "term with spherical Laplace noise", "gaussian": "term with Gaussian noise"}
    lines["chance"] = "chance of k by itself"
    few, many = [row for row in rows if row["k"] <= 12], [row for row in rows if row["k"] >= 1]
    series = [
        marks(held, "k", key, name=name, kind=kind, slot=slot, panel=panel, group=key, size=6)
        for panel, (held, kind) in enumerate(((few, "path"), (many, "line")))
        for slot, (key, name) in enumerate(lines.items())
        if held
    ]
    y, every = Axis(title="powers of ten"), logarithmic("k, logarithmic", [row["k"] for row in many] or [1.0, 10.0])
    likely = Panel(title="what is likely", x=Axis(title="k (subgraphs that hold the node)"), y=y)
    panels = (likely, Panel(title="all that is possible", x=every, y=y))
    return pairs(panels, series)
