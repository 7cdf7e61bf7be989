"""What the same question finds of a run's method without privacy: what an attack on the run is held against.
No Streamlit."""

from __future__ import annotations

from privgraph.attacks.record import AttackRecord
from privgraph.registry import METHODS, sides
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore

MOST = 200


def akin(record: RunRecord, other: RunRecord) -> bool:
    """Whether the other is of the same method and unit on the same graph, or of the method's counterpart
    without privacy."""
    spec, own = record.spec, other.spec
    if (own.dataset, own.data_options, own.seed, own.split) != (
        spec.dataset,
        spec.data_options,
        spec.seed,
        spec.split,
    ):
        return False
    if own.unit == "none":
        return own.method == _bare(record)
    return own.method == spec.method and spec.unit in ("none", own.unit)


def beside(store: RunStore, record: RunRecord, attack: AttackRecord) -> tuple[RunRecord, AttackRecord] | None:
    """The strongest attack with the same question on the run's method without privacy, of the same kind where
    there is one, with its run; None where there is none, or the run itself promises nothing."""
    if record.spec.unit == "none":
        return None
    query = RunQuery(
        methods=(_bare(record),), datasets=(record.spec.dataset,), units=("none",), states=("done",), limit=MOST
    )
    found = [
        (run, one)
        for run in store.find(query)
        if not run.unreadable and akin(record, run)
        for one in store.attacks(run.id)
        if sides(one.attack).asks == sides(attack.attack).asks
    ]
    return max(found, key=lambda one: (one[1].attack == attack.attack, one[1].found[0]), default=None)


def _bare(record: RunRecord) -> str:
    method = record.spec.method
    return METHODS[method].without_privacy if method in METHODS else method
