"""How far teachers agreed: the share of the largest count over the queries, the gate's threshold, and who
passed it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.needs import ENSEMBLE
from privgraph_workbench.words.numbers import number

TITLE = "Consensus of the teachers"
BINS = 10
STATES = {
    "answered": 0,
    "passed, but no more was answered": 2,
    "refused by the gate": 1,
    "not asked any more": 7,
}
"""What became of a query, from the ground up, and its slot."""


def data(ensemble: Ensemble) -> list[Row]:
    """One row per query in the order in which they were asked: order, query (its node), votes (weight of the
    largest class before noise), share (of the weight of all teachers), second (the next class's share),
    state, threshold (the gate's, in votes; None without one), teachers (the weight of all)."""
    counts, whole = np.sort(ensemble.counts(), axis=1), float(ensemble.weights.sum())
    second = counts[:, -2] if counts.shape[1] > 1 else np.zeros(len(counts))
    return [
        {
            "order": place,
            "query": int(node),
            "votes": float(counts[place, -1]),
            "share": float(counts[place, -1]) / whole,
            "second": float(second[place]) / whole,
            "state": _state(ensemble, place),
            "threshold": ensemble.threshold if ensemble.gate_sigma > 0 else None,
            "teachers": whole,
        }
        for place, node in enumerate(ensemble.queries.tolist())
    ]


@figure("consensus", "Consensus of the teachers", data, needs=ENSEMBLE, flags=(Flag.PRIVATE,))
def chart(rows: Sequence[Row]) -> Chart:
    """Queries by the share of their largest class; bars of one place stand on one another."""
    if not rows:
        return empty("no query was asked")
    names = tuple(f"{10 * place}–{10 * place + 10}" for place in range(BINS))
    bins = [min(math.floor(row["share"] * BINS + 1e-9), BINS - 1) for row in rows]
    below = np.zeros(len(names), dtype=np.int64)
    drawn: list[Series] = []
    for state, slot in STATES.items():
        heights = np.bincount(
            [own for own, row in zip(bins, rows, strict=True) if row["state"] == state], minlength=len(names)
        )
        if not heights.sum():
            continue
        below = below + heights
        drawn.append(
            Series(
                name=state,
                kind="bars",
                x=names,
                y=tuple(int(value) if height else 0 for value, height in zip(below, heights, strict=True)),
                slot=slot,
                hover=tuple(
                    f"{name}% of all votes\n{height:,} queries {state}"
                    for name, height in zip(names, heights, strict=True)
                ),
            )
        )
    threshold = rows[0]["threshold"]
    share = None if threshold is None else threshold / rows[0]["teachers"]
    inside = share is not None and share <= 1
    rules = (
        (Rule(x=share * BINS - 0.5, label=f"threshold {number(threshold, 4)} votes"),)
        if share is not None and inside
        else ()
    )
    beyond = (
        "" if share is None or inside else f"threshold {number(threshold, 4)} of {number(rows[0]['teachers'], 4)} votes"
    )
    return Chart(
        panels=(
            Panel(
                title=beyond,
                x=Axis(
                    title="votes for the largest class (percent of all votes, by weight, before noise)",
                    scale="category",
                    categories=names,
                ),
                y=Axis(title="queries (count)", low=0),
                rules=rules,
            ),
        ),
        series=tuple(reversed(drawn)),
        height=340,
    )


plot = plotted(chart)


def _state(ensemble: Ensemble, place: int) -> str:
    answered, passed, refused, unasked = STATES
    if not ensemble.voting[:, place].any():
        return unasked
    if ensemble.released[place] >= 0:
        return answered
    return passed if ensemble.passed[place] else refused
