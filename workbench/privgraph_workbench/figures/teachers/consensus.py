"""How far teachers agreed: the share of the largest count over the queries, the gate's threshold, and who
passed it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Rule, Series, empty, named, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import ENSEMBLE
from privgraph_workbench.words.numbers import number

BINS = 10
STATES = {"answered": 0, "passed, but no more was answered": 2, "refused by the gate": 1, "not asked any more": 7}
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
    below, drawn = [0] * BINS, list[Series]()
    for state, slot in STATES.items():
        own = [at for at, row in zip(bins, rows, strict=True) if row["state"] == state]
        below = [height + own.count(at) for at, height in enumerate(below)]
        held: list[Row] = [
            {"bin": name, "state": state, "count": own.count(at), "top": below[at] if at in own else 0}
            for at, name in enumerate(names)
        ]
        look: Look = {"kind": "bars", "slot": slot, "hover": ("bin", "state", "count")}
        drawn += [marks(held, "bin", "top", name=state, **look)] if own else []
    threshold = rows[0]["threshold"]
    share = math.inf if threshold is None else threshold / rows[0]["teachers"]
    label = f"threshold {number(threshold, 4)} votes"
    return single(
        named(names, "votes for the largest class (percent, by weight)"),
        Axis(title="queries (count)", low=0),
        reversed(drawn),
        rules=[Rule(x=share * BINS - 0.5, label=label)] * (share <= 1),
        of=label * (1 < share < math.inf),
        height=340,
    )


def _state(ensemble: Ensemble, place: int) -> str:
    answered, passed, refused, unasked = STATES
    if not ensemble.voting[:, place].any():
        return unasked
    if ensemble.released[place] >= 0:
        return answered
    return passed if ensemble.passed[place] else refused
