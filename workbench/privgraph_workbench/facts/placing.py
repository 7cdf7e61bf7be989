"""A run among the finished ones: what they say of it, and the run in one sentence or two. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import expecting
from privgraph_workbench.facts.expecting import METRIC, Outlook
from privgraph_workbench.facts.stretches import BLIND
from privgraph_workbench.figures.runs import standing
from privgraph_workbench.words import telling


def outlook(store: RunStore, record: RunRecord) -> tuple[Outlook, list[RunRecord]]:
    """What finished runs say beside this one, and those of its own settings, itself among them, by seed."""
    method = METHODS.get(record.spec.method)
    if method is None or METRIC not in record.metrics:
        return Outlook(), [record]
    names = dict.fromkeys((record.spec.method, method.without_privacy, BLIND))
    known = expecting.finished(store, names, record.spec.dataset)
    return expecting.outlook(known, record.spec), expecting.of_setting(record, known)


def sentence(
    record: RunRecord,
    title: str,
    nodes: int | None,
    told: Outlook,
    same: Sequence[RunRecord],
    *,
    setting: bool = False,
    guess: bool = True,
) -> str:
    """The run in Markdown: what it is, whom it hides, how well it does. `title`: what its method is called;
    `told` and `same` as `outlook` gives them; `setting`: it stands for all runs of its setting;
    without `guess`, what takes no learning, which is a function of split and labels, is not told."""
    beside = None
    if METRIC in record.metrics:
        measured = [one for one in same if METRIC in one.metrics]
        own = expecting.reached(measured)
        beside = telling.Beside(
            mean=own.mean,
            seeds=own.seeds,
            blind=told.blind.mean if told.blind else None,
            bare=told.bare.mean if told.bare else None,
            majority=standing.guess(record, measured, told) if guess else None,
            setting=setting,
        )
    return telling.sentence(record, title, nodes, beside)
