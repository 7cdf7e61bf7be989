"""An example of a report, of runs of the gallery: it is looked at and taken away without touching one's own
list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.runs.records import RunQuery, RunRecord, Unreadable
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advised, comparing
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.words import caveats, naming
from privgraph_workbench.words.attacks import with_bounds

SHOWN = "report.example"
"""Whether the page shows the example."""
DATA, UNIT = "cora", "edge"
RUNS = (("progap", UNIT, 1.0), ("gnn", "none", None), ("mlp", "none", None))
"""The runs with a chapter each, by method, unit and epsilon; the curves of attacks are of the first two."""
ATTACK = "link"
ABOUT = (
    "A trade-off curve on Cora, how many edges an attack finds with and without privacy, and three runs of the gallery "
    "with their privacy statements."
)
TITLE = "What hiding edges costs on Cora"
REMARK = (
    "**An example, of runs that came with the workbench.** It asks what hiding the edges of a graph costs in accuracy, "
    "and what an attack finds of them.\n\n"
    "- The first figure is the cost: the accuracy of each method at each ε.\n"
    "- The second is the risk: the share of edges that an attack finds, at each share of false alarms, with and "
    "without privacy.\n"
    "- The statement of ProGAP says what is guaranteed, to whom, and under which assumptions."
)
CURVES = "Stolen edges with and without privacy, Cora"


def enter() -> None:
    """Show the example in the place of one's own list."""
    st.session_state[SHOWN] = True


def leave() -> None:
    """Back to one's own list."""
    st.session_state[SHOWN] = False


def shown() -> bool:
    """Whether the page shows it; not where the gallery is not here any more."""
    return bool(st.session_state.get(SHOWN)) and there()


def there() -> bool:
    """Whether the gallery has what it is made of."""
    return bool(_runs(queue.store()))


def everything() -> list[Kept]:
    """What it is made of; nothing where the gallery is not here."""
    store = queue.store()
    runs = _runs(store)
    return [*_figures(store, runs), *collected.runs([one.id for one in runs])] if runs else []


def _runs(store: RunStore) -> list[RunRecord]:
    query = RunQuery(methods=tuple(method for method, *_ in RUNS), datasets=(DATA,), states=("done",), limit=500)
    ids = tuple(str(one["id"]) for one in store.find_rows(query) if one["gallery"] and one["seed"] == 0)
    held: dict[tuple[str, str, float | None], list[RunRecord]] = {}
    for one in store.find(RunQuery(ids=ids)) if ids else []:
        if not one.unreadable:
            held.setdefault((one.spec.method, one.spec.unit, one.spec.asked_epsilon), []).append(one)
    if not all(one in held for one in RUNS):
        return []
    # of two the one that was attacked: its chapter tells what the attack has found
    return [next((one for one in held[key] if _attacks(store, one)), held[key][0]) for key in RUNS]


def _attacks(store: RunStore, record: RunRecord) -> list[AttackRecord]:
    """The first attack of the kind on that run; none where there is none."""
    try:
        return [one for one in store.attacks(record.id) if one.attack == ATTACK][:1]
    except Unreadable:
        return []


def _figures(store: RunStore, runs: Sequence[RunRecord]) -> list[Kept]:
    query = RunQuery(datasets=(DATA,), units=("none", UNIT), states=("done",), limit=2000)
    done = [one for one in store.find(query) if one.gallery and not one.unreadable]
    compared = comparing.alike(comparing.specs(DATA, UNIT), done)
    found = [
        collected.figure(
            "tradeoff",
            tradeoff.data(compared),
            naming.statements_of(compared),
            [one.id for one in compared],
            advised.of_runs(compared),
        )
    ]
    told = [(one, attack) for one in runs[:2] for attack in _attacks(store, one)]
    if len(told) == 2:
        attacked = [one for one, _ in told]
        attacks = [attack for _, attack in told]
        labels = naming.run_labels(attacked, privacy_too=True, seeds=False)
        units = [naming.unit_of(one) for one in attacked]
        by_id = {one.id: [attack] for one, attack in told}
        said = naming.statements_of(attacked, lambda one, own: with_bounds(own, by_id[one.id]))
        curves = collected.figure(
            "attack_roc",
            attack_roc.data(attacks, "log", labels, units, caveats=caveats.pairs(told)),
            said,
            [one.id for one in attacked],
        )
        found.append(replace(curves, title=CURVES))
    return found
