"""One node's influence on a gradient against its out-edges (Figure 1 of the HeterPoisson paper)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Series, band, empty, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.seeds import confidence


class Measured(Protocol):
    """One repetition, as `privgraph.methods.gradients.heter_poisson.influence` gives it (which needs torch,
    unlike a figure)."""

    @property
    def network(self) -> str: ...
    @property
    def share(self) -> float: ...
    @property
    def out_edges(self) -> int: ...
    @property
    def change(self) -> float: ...


def data(measured: Iterable[Measured]) -> list[Row]:
    """One row per network and number of out-edges.

    network, share (out-edges over nodes, the paper's chi), out_edges, mean (of |g* - g'|), low, high (95%
    confidence over repetitions; None for fewer than three), repetitions.
    """
    groups: dict[tuple[str, float, int], list[float]] = {}
    for one in measured:
        groups.setdefault((one.network, one.share, one.out_edges), []).append(one.change)
    rows = []
    for (network, share, out_edges), changes in groups.items():
        mean, low, high = confidence(changes)
        rows.append(
            {
                "network": network,
                "share": share,
                "out_edges": out_edges,
                "mean": mean,
                "low": low,
                "high": high,
                "repetitions": len(changes),
            }
        )
    return sorted(rows, key=lambda row: (row["network"], row["share"]))


@figure("influence", "One node's influence on the gradient", data)
def chart(rows: Sequence[Row]) -> Chart:
    """A curve a network, with its band over repetitions."""
    if not rows:
        return empty("nothing was measured")
    series: list[Series] = []
    for slot, network in enumerate(dict.fromkeys(row["network"] for row in rows)):
        held = [row for row in rows if row["network"] == network]
        series += band(held, "share", slot=slot, panel=0, group=network)
        look: Look = {"slot": slot, "group": network}
        series.append(marks(held, "share", "mean", name=network, kind="path", **look))
    x = Axis(title="χ: out-edges of the node (share of all nodes)", percent=True, low=0.0)
    return single(x, Axis(title="change of the gradient (L2 norm)", low=0.0), series, height=360)
