"""How far teachers agreed: the share of the largest count over the queries, the gate's threshold, and who
passed it."""

from __future__ import annotations

import math

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import named, single, stacked
from privgraph_workbench.words.numbers import number

BINS = 10
STATES = {"answered": 0, "passed, but no more was answered": 2, "refused by the gate": 1, "not asked any more": 7}
"""What became of a query, from the ground up, and its slot."""


def data(ensemble: Ensemble) -> list[Row]:
    """One row per query in the order in which they were asked: order, query (its node), votes (weight of the
    largest class before noise), share (of the weight of all teachers), second (the next class's share),
    state, threshold (the gate's, in votes; None without one), teachers (the weight of all)."""
    counts, whole = np.sort(ensemble.counts().astype(np.float64), axis=1), float(ensemble.weights.sum())
    most, second = counts[:, -1].tolist(), (counts[:, -2] if counts.shape[1] > 1 else 0 * counts[:, -1]).tolist()
    told = {"threshold": ensemble.threshold if ensemble.gate_sigma > 0 else None, "teachers": whole}
    return [
        {"order": place, "query": int(node), "votes": most[place], "share": most[place] / whole}
        | {"second": second[place] / whole, "state": _state(ensemble, place), **told}
        for place, node in enumerate(ensemble.queries.tolist())
    ]


def _state(ensemble: Ensemble, place: int) -> str:
    answered, passed, refused, unasked = STATES
    if not ensemble.voting[:, place].any():
        return unasked
    if ensemble.released[place] >= 0:
        return answered
    return passed if ensemble.passed[place] else refused


@figure("consensus", "Consensus of the teachers", data, needs="ensemble", always=[Flag.PRIVATE])
def chart(rows: Rows) -> Chart:
    names = [f"{10 * place}–{10 * place + 10}" for place in range(BINS)]
    bins = {state: [0] * BINS for state in STATES}
    for row in rows:
        bins[row["state"]][min(math.floor(row["share"] * BINS + 1e-9), BINS - 1)] += 1
    threshold = rows[0]["threshold"]
    share = math.inf if threshold is None else threshold / rows[0]["teachers"]
    label = f"threshold {number(threshold, 4)} votes"
    return single(
        named(names, "votes for the largest class (percent, by weight)"),
        Axis(title="queries (count)", low=0),
        stacked(names, {(state, STATES[state]): counts for state, counts in bins.items() if any(counts)}),
        rules=[Rule(x=share * BINS - 0.5, label=label)] * (share <= 1),
        of=label * (1 < share < math.inf),
        height=340,
    )
