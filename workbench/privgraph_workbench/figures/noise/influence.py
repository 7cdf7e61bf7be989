"""One node's influence on a gradient against its out-edges (Figure 1 of the HeterPoisson paper)."""

from collections.abc import Iterable
from typing import Any

from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import banded, grouped, single
from privgraph_workbench.summary import confidence


def data(measured: Iterable[Any]) -> list[Row]:
    """One row per network and number of out-edges, of repetitions as
    `privgraph.methods.gradients.heter_poisson.influence` gives them (which needs torch, unlike a figure).

    network, share (out-edges over nodes, the paper's chi), out_edges, mean (of |g* - g'|), low, high (95%
    confidence over repetitions; None for fewer than three), repetitions.
    """
    groups = grouped(map(vars, measured), "network", "share", "out_edges")
    return [
        dict(zip(("network", "share", "out_edges"), group, strict=True))
        | dict(zip(("mean", "low", "high"), confidence([one["change"] for one in held]), strict=True))
        | {"repetitions": len(held)}
        for group, held in sorted(groups.items(), key=lambda one: one[0][:2])
    ]


@figure("influence", "One node's influence on the gradient", data)
def chart(rows: Rows) -> Chart:
    series: list[Series] = []
    for slot, (network, held) in enumerate(grouped(rows, "network").items()):
        series += banded(held, "share", "mean", name=network, kind="path", slot=slot)
    x = Axis(title="χ: out-edges of the node (share of all nodes)", percent=True, low=0.0)
    return single(x, Axis(title="change of the gradient (L2 norm)", low=0.0), series)
