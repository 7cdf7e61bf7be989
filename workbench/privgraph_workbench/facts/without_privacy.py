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
    """The attack with the same question on the run's method without privacy that is `nearest`, with its run;
    None where there is none, or the run itself promises nothing."""
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
    return max(found, key=lambda one: nearest(attack, one[1]), default=None)


def nearest(attack: AttackRecord, bare: AttackRecord) -> tuple[bool, float, float]:
    """How well an attack on what is not private can be compared, the larger the better: of the same kind
    first, then on a run whose accuracy is nearest (of prompts, that of as many shots as are needed), then
    what finds most."""
    return bare.attack == attack.attack, -round(abs(reached(bare) - reached(attack)), 2), bare.found[0]


def reached(attack: AttackRecord) -> float:
    """The test accuracy of the attacked run; of an older record that of the attacked model."""
    return attack.accuracy if attack.said is None else attack.said


def _bare(record: RunRecord) -> str:
    method = record.spec.method
    return METHODS[method].without_privacy if method in METHODS else method
