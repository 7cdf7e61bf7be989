"""What attacks and audits have found, decided in one place, and the tables of all of them. No Streamlit."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

import pandas as pd

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.outcome import difference, mean_interval
from privgraph.attacks.record import FEW, AttackRecord
from privgraph.audits.bounds import most_by_threshold, shared_confidence
from privgraph.audits.one_run import most_in_one_run
from privgraph.audits.record import AuditRecord
from privgraph.options import values
from privgraph.privacy.kinds import Adversary, Route
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import ATTACKS, sides
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.text import texts
from privgraph_workbench.words.naming import method_title, reads_no_edge, unit_of

FAR = 0.65
"""A clear leak: all of the interval of the area lies from here on."""
NO_MEMORY = 0.02
"""A training accuracy that exceeds the test accuracy by less says that a run remembers nobody."""
LITTLE = 0.1
"""Of edges, an area that exceeds that of similarity by less is a small leak."""
SAME = ("by", "distance", "unlinked")
"""Options in which two attacks on edges must agree to be compared."""
RATES = {"tpr_01": 0.001, "tpr_1": 0.01, "tpr_5": 0.05}
"""Columns of true positive rates, each with its false positive rate."""


class Leak(StrEnum):
    """What an attack has found."""

    NONE = "none"
    """No better than guessing; of edges told by distance, no more than similarity tells."""
    SOME = "some"
    """Better than guessing."""
    CLEAR = "clear"
    """All of the interval of the area lies from 0.65 on, or epsilon is refuted."""
    UNDECIDED = "undecided"
    """Better than guessing, perhaps by similarity or by a difference that training did not make."""


class Claim(StrEnum):
    """What an audit says of a claimed epsilon."""

    HOLDS = "holds"
    """The audit could have refuted it, and has not."""
    REFUTED = "refuted"
    """The lower bound exceeds it."""
    UNTESTED = "untested"
    """Nothing is claimed, or so few trials could not have refuted it."""


def leak(attack: AttackRecord, without: AttackRecord | None = None, learnt: tuple[float, float] | None = None) -> Leak:
    """Decide what an attack has found.

    Args:
        attack: The attack.
        without: The same attack on a model that reads no edge, where there is one.
        learnt: The run's accuracy on training nodes and on test nodes, where both are known.
    """
    if guessing(attack):
        return Leak.SOME if better_rival(attack) and not by_similarity(attack) else Leak.NONE
    if by_similarity(attack):
        return _of_edges(attack, without)
    by_node = sides(attack.attack).unit == "node"
    if not attack.drawn and by_node and learnt is not None and learnt[0] - learnt[1] < NO_MEMORY:
        return Leak.UNDECIDED
    far = _on_own(attack) and attack.found[1] >= FAR
    return Leak.CLEAR if attack.refutes_sound or far else Leak.SOME


def _of_edges(attack: AttackRecord, without: AttackRecord | None) -> Leak:
    """Nodes that are alike are often connected: what a model tells that reads no edge is no leak."""
    if without is None:
        return Leak.UNDECIDED
    classes = attack.by_classes or 0.0
    _, low, high = difference(attack.found, without.found)
    if without.run == attack.run or min(high, attack.found[2] - classes) <= 0:
        return Leak.NONE
    more = min(low, attack.found[1] - classes)
    if more <= 0:
        return Leak.UNDECIDED
    if attack.refutes_sound:
        return Leak.CLEAR
    return Leak.SOME if more < LITTLE or not (_on_own(attack) and attack.found[1] >= FAR) else Leak.CLEAR


def by_similarity(attack: AttackRecord) -> bool:
    """Whether the attack tells edges by how alike two answers are."""
    return attack.options.by == "distance" and bool(sides(attack.attack).caution)


def guessing(attack: AttackRecord) -> bool:
    """Whether neither the area nor a rate at few false alarms is better than guessing."""
    strict = (1 - attack.confidence) / (1 + len(attack.ahead_at))
    few = any(one.p <= strict for one in attack.ahead_at.values())
    return not (_on_own(attack) or round(attack.found[1], 3) > 0.5 or few)


def better_rival(attack: AttackRecord) -> bool:
    """Whether another score of the same answers finds more than this one, and more than guessing at a shared
    confidence; of too few models for a mean nobody can tell."""
    each = 1 - (1 - attack.confidence) / (1 + len(attack.rivals))
    found = [mean_interval(one.areas, each) for one in attack.rivals] if len(attack.areas) >= FEW else []
    return any(mean > attack.found[0] and round(low, 3) > 0.5 for mean, low, _ in found)


def _on_own(attack: AttackRecord) -> bool:
    """Whether the model on the run's own draw is attacked better than by guessing."""
    return round(attack.outcome.area_low, 3) > 0.5 or bool(attack.bound)


def claim(audit: AuditRecord, epsilon: float | None) -> Claim:
    """Decide what an audit says of an epsilon that is claimed of what it covers; None: no formula."""
    if epsilon is None or math.isinf(epsilon):
        return Claim.UNTESTED
    if audit.epsilon > epsilon:
        return Claim.REFUTED
    reach = [math.inf if one is None else one for one in (largest_bound(audit, one.route) for one in audit.bounds)]
    return Claim.HOLDS if max(reach, default=math.inf) > epsilon else Claim.UNTESTED


def largest_bound(audit: AuditRecord, route: Route) -> float | None:
    """The largest bound that so many trials could show by a route; None for a route that counts nothing."""
    confidence = shared_confidence(audit.confidence, audit.turn)
    if route is Route.ONE_RUN:
        return most_in_one_run(audit.trials, audit.delta, confidence)
    if route is not Route.THRESHOLD or audit.adversary is Adversary.OUTSIDER:
        return None
    if audit.adversary is Adversary.WORST_CASE and any(one.route is Route.GAUSSIAN for one in audit.bounds):
        confidence = (1 + confidence) / 2  # two routes share what may go wrong (`audits.mechanism`)
    return most_by_threshold(audit.trials // 2, delta=audit.delta, confidence=confidence)


def with_bounds(statement: PrivacyStatement, attacks: Sequence[AttackRecord]) -> PrivacyStatement:
    """Add the largest bound that attacks on a run have shown to its statement, where no audit has shown one.

    Of several bounds, no confidence is stated.
    """
    shown = [one for one in attacks if one.bound is not None and one.delta >= statement.delta]
    if not shown or statement.epsilon_audited is not None:
        return statement
    most = max(shown, key=lambda one: one.bound or 0.0)
    return replace(
        statement,
        epsilon_audited=most.bound,
        audit_confidence=most.confidence if len(shown) == 1 else None,
        audited_by=most.attack,
        adversary=Adversary.OUTSIDER,
    )


def table(store: RunStore) -> pd.DataFrame:
    """Read a row for each attack, the newest first.

    The columns are those of `[attacks]` in text/columns.toml, then `asks` (the question) and `record` (the
    `AttackRecord`). Records that cannot be read are left out.
    """
    runs = _runs(store, found := store.all_attacks())
    found = [one for one in found if one.run in runs]
    blind = [one for one in found if reads_no_edge(runs[one.run].spec.method)]
    rows = [_attack(runs[one.run], one, _without(one, runs, blind)) for one in found]
    return _frame("attacks", rows, ["asks"], ("area", "low", "high", *RATES, "accuracy", "trained_accuracy"))


def audits(store: RunStore) -> pd.DataFrame:
    """Read a row for each audit, the newest first.

    The columns are those of `[audits]` in text/columns.toml, then `record` (the `AuditRecord`).
    """
    runs = _runs(store, found := store.all_audits())
    rows = [_audit(runs[one.run], one) for one in found if one.run in runs]
    return _frame("audits", rows, [], ["published"])


def _runs(store: RunStore, found: Sequence[AttackRecord] | Sequence[AuditRecord]) -> dict[str, RunRecord]:
    ids = tuple({one.run for one in found})
    return {one.id: one for one in (store.find(RunQuery(ids=ids)) if ids else ()) if not one.unreadable}


def _frame(
    kind: str, rows: Sequence[Mapping[str, object]], more: Sequence[str], numbers: Sequence[str]
) -> pd.DataFrame:
    """The records of each run are counted, the oldest first."""
    frame = pd.DataFrame(rows, columns=[*texts("columns")[kind], *more, "record"])
    frame["number"] = frame.groupby("run").cumcount(ascending=False) + 1
    return frame.astype(dict.fromkeys(("epsilon", "bound", *numbers), float))


def _without(attack: AttackRecord, runs: Mapping[str, RunRecord], blind: Sequence[AttackRecord]) -> AttackRecord | None:
    """The same attack on a model that reads no edge: without noise first, then of the same seed, then the
    newest; the attack itself where its own model reads none."""
    run = runs[attack.run]
    if not by_similarity(attack) or reads_no_edge(run.spec.method):
        return attack if by_similarity(attack) else None
    same = [
        one
        for one in blind
        if one.attack == attack.attack
        and all(getattr(one.options, name) == getattr(attack.options, name) for name in SAME)
        and GraphId.of(runs[one.run].spec) == GraphId.of(run.spec)
    ]
    order = [(runs[one.run].spec.unit != "none", runs[one.run].spec.seed != run.spec.seed) for one in same]
    return same[min(range(len(same)), key=order.__getitem__)] if same else None


def _attack(run: RunRecord, attack: AttackRecord, without: AttackRecord | None) -> dict[str, object]:
    trained, tested = (run.metrics.get(f"{one}_accuracy") for one in ("train", "test"))
    rates = {one.false: one.true for one in attack.rates_found if attack.outcome.measurable(one)}
    known, usual = ATTACKS.get(attack.attack), values(AttackOptions())
    moved = {name: value for name, value in values(attack.options).items() if value != usual[name]}
    area, low, high = attack.found
    return {
        **_of_run(run),
        "attack": known.title if known else attack.title,
        "variant": ", ".join(
            f"{name.replace('_', ' ')} {value}" for name, value in moved.items() if known and name in known.reads
        ),
        "epsilon": attack.sound,
        "area": area,
        "low": low,
        "high": high,
        **{name: rates.get(false) for name, false in RATES.items()},
        "outcome": leak(attack, without, None if trained is None or tested is None else (trained, tested)).value,
        "bound": attack.bound,
        "accuracy": tested,
        "trained_accuracy": trained,
        "models": len(attack.areas),
        "asks": sides(attack.attack).asks,
        "record": attack,
    }


def _audit(run: RunRecord, audit: AuditRecord) -> dict[str, object]:
    return {
        **_of_run(run),
        "audit": audit.title,
        "covers": audit.covers,
        "epsilon": audit.sound,
        "published": audit.published,
        "bound": audit.epsilon,
        "confidence": audit.confidence,
        "claim": claim(audit, audit.sound).value,
        "published_claim": claim(audit, audit.published).value,
        "delta": audit.delta,
        "trials": audit.trials,
        "record": audit,
    }


def _of_run(run: RunRecord) -> dict[str, object]:
    graph, title = GraphId.of(run.spec).words(), method_title(run.spec.method)
    return {"run": run.id, "graph": graph, "method": title, "unit": unit_of(run), "seed": run.spec.seed}
