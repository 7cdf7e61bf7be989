"""How far teachers agreed: the share of the largest count, the gate's threshold, and who passed it."""

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import grouped, histogram, single, table
from privgraph_workbench.words.numbers import number

STATES = ("answered", "passed, but no more was answered", "refused by the gate", "not asked any more")


def data(ensemble: Ensemble) -> list[Row]:
    """One row per query in the order in which they were asked: order, query (its node), votes (weight of the
    largest class before noise), share (of the weight of all teachers), second (the next class's share),
    state, threshold (the gate's, in votes; None without one), teachers (the weight of all)."""
    counts, whole = np.sort(ensemble.counts().astype(np.float64), axis=1), float(ensemble.weights.sum())
    most, second = counts[:, -1], counts[:, -2] if counts.shape[1] > 1 else 0 * counts[:, -1]
    became = [~ensemble.voting.any(axis=0), ensemble.released >= 0, ensemble.passed]
    state = np.select(became, [STATES[3], STATES[0], STATES[1]], STATES[2])
    told = {"threshold": ensemble.threshold if ensemble.gate_sigma > 0 else None, "teachers": whole}
    columns = {"order": np.arange(len(most)), "query": ensemble.queries, "votes": most, "share": most / whole}
    return table({**columns, "second": second / whole, "state": state, **told})


@figure("consensus", "Consensus of the teachers", data, needs="ensemble", always=[Flag.PRIVATE])
def chart(rows: Rows) -> Chart:
    edges, threshold = [place / 10 for place in range(11)], rows[0]["threshold"]
    states = grouped(rows, "state")
    held = {state: [row["share"] + 1e-9 for row in states[state]] for state in STATES if state in states}
    share = 0.0 if threshold is None else threshold / rows[0]["teachers"]
    x = Axis(title="votes for the largest class (percent, by weight)", percent=True, low=0, high=max(1.0, 1.02 * share))
    rules = [Rule(x=share, label=f"threshold {number(threshold, 4)} votes")] * (threshold is not None)
    return single(x, Axis(title="queries (count)", low=0), histogram(edges, held, stacked=True), rules=rules)
