"""The ledger of a run: its noise mechanisms, and what share of the privacy budget each takes."""

import math
from collections.abc import Sequence

from privgraph.privacy import events
from privgraph.privacy.accountants import RenyiAccountant
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import distinct, marks, named, single
from privgraph_workbench.words.numbers import percent

ORDERS = (*range(2, 65), 96, 128, 192, 256, 512, 1024)


def data(entries: Sequence[LedgerEntry], delta: float) -> list[Row]:
    """One row per entry: kind, mechanism, stage, count, noise_std, sensitivity, norm, noise_multiplier,
    sampling_rate, share, note.

    Epsilons of parts do not add up to the epsilon of the whole; Renyi divergences do. `share` is the entry's
    part of the total Renyi divergence at the order that gives the best epsilon at `delta` (the largest
    order for delta 0), in [0, 1]; where something is not private at all, that takes everything.
    """
    accountant = RenyiAccountant([float(order) for order in ORDERS])
    order = accountant.epsilon_and_order(Ledger(entries).event(), delta)[1]
    order = order if math.isfinite(order) else float(ORDERS[-1])
    costs = [_cost(accountant, entry, order) for entry in entries]
    weights = [float(math.isinf(cost)) for cost in costs] if math.inf in costs else costs
    return [
        {"kind": entry.kind.value, "mechanism": entry.mechanism, "stage": entry.stage, "count": entry.count}
        | {"noise_std": entry.noise_std, "sensitivity": entry.sensitivity, "norm": entry.norm}
        | {"noise_multiplier": _multiplier(entry.event), "sampling_rate": entry.sampling_rate}
        | {"share": weight / (sum(weights) or 1.0), "private": not isinstance(entry.event, events.NonPrivate)}
        | {"note": entry.note}
        for entry, weight in zip(entries, weights, strict=True)
    ]


def _cost(accountant: RenyiAccountant, entry: LedgerEntry, order: float) -> float:
    if isinstance(entry.event, events.Nothing) or not entry.count:
        return 0.0
    return float(accountant.rdp(events.Repeated(event=entry.event, count=entry.count), [order])[0])


def _multiplier(event: events.Single) -> float | None:
    base = event.event if isinstance(event, events.PoissonSampled) else event
    noisy = (events.Gaussian, events.Laplace, events.SampledTerms, events.SampledSubgraphs)
    return base.noise_multiplier if isinstance(base, noisy) else None


@figure("ledger", "Where the privacy budget goes", data, needs="ledger", settings=True)
def chart(rows: Rows) -> Chart:
    told = ([row["mechanism"], row["stage"]] for row in rows)
    counts = (f" × {row['count']}" * (row["count"] != 1) for row in rows)
    names = distinct(", ".join(filter(None, one)) + count for one, count in zip(told, counts, strict=True))
    text, unprotected = tuple(percent(row["share"]) for row in rows), not all(row["private"] for row in rows)
    hover = "mechanism stage share noise_std sensitivity norm sampling_rate note"
    bars = marks(rows, "share", names, name="share", kind="bars", text=text, hover=hover, legend=False)
    x = Axis(title="share of the budget (percent of Rényi divergence)", percent=True, low=0, high=1)
    return single(x, named(names), [bars], flags=(Flag.UNPROTECTED,) * unprotected)
