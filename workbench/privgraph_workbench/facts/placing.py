"""A run among the finished ones: what they say of it, and the run in one sentence or two. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.advice import BASELINE as BLIND
from privgraph_workbench.facts import expecting
from privgraph_workbench.facts.expecting import METRIC, Outlook, Reached
from privgraph_workbench.figures import seeds
from privgraph_workbench.figures.runs import standing
from privgraph_workbench.summary import GUESSES
from privgraph_workbench.words import telling


def outlook(store: RunStore, record: RunRecord) -> tuple[Outlook, list[RunRecord]]:
    """What finished runs say beside this one, and those of its own settings, itself among them, by seed."""
    names = compared_with(record)
    if not names:
        return Outlook(), [record]
    known = expecting.finished(store, names, record.spec.dataset)
    return expecting.outlook(known, record.spec), expecting.of_setting(record, known)


def compared_with(record: RunRecord) -> tuple[str, ...]:
    """The methods whose finished runs say something beside this one; none where it has no result."""
    method = METHODS.get(record.spec.method)
    if method is None or METRIC not in record.metrics:
        return ()
    return tuple(dict.fromkeys((record.spec.method, method.without_privacy, BLIND)))


def sentence(
    record: RunRecord,
    title: str,
    nodes: int | None,
    told: Outlook,
    same: Sequence[RunRecord],
) -> str:
    """The run in Markdown: what it is, whom it hides, how well it does. `title`: what its method is called;
    `told` and `same` as `outlook` gives them."""
    beside = None
    if METRIC in record.metrics:
        held = [one for one in same if METRIC in one.metrics]
        own = expecting.reached(held)
        beside = telling.Beside(
            mean=own.mean,
            seeds=own.seeds,
            blind=apart(held, told.blind),
            bare=apart(held, told.bare),
            majority=_above_guess(record, held, told),
        )
    return telling.sentence(record, title, nodes, beside)


def apart(own: Sequence[RunRecord], other: Reached | None) -> telling.Difference | None:
    """How far runs are from others, over the seeds that both have: seeds that one of them lacks may be easier
    or harder. None where none is shared."""
    theirs = {one.spec.seed: one.metrics[METRIC] for one in (other.records if other else ())}
    return _over([(one.metrics[METRIC], theirs[one.spec.seed]) for one in own if one.spec.seed in theirs])


def _above_guess(record: RunRecord, own: Sequence[RunRecord], told: Outlook) -> telling.Difference | None:
    """How far runs are from what takes no learning on their own test nodes; where these runs did not keep it,
    from that of others."""
    name = next((name for name in GUESSES if name in record.metrics), "")
    if name:
        return _over([(one.metrics[METRIC], one.metrics[name]) for one in own if name in one.metrics])
    level = standing.guess(record, own, told)
    return None if level is None else telling.Difference(by=fmean(one.metrics[METRIC] for one in own) - level)


def _over(pairs: Sequence[tuple[float, float]]) -> telling.Difference | None:
    if not pairs:
        return None
    found = seeds.paired(pairs)
    if found is None:
        return telling.Difference(by=fmean(one - other for one, other in pairs))
    return telling.Difference(by=found[0], low=found[1], high=found[2])
