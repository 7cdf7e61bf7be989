"""The bound of an attack as that of an audit, so that it stands among the run's. NumPy only."""

from privgraph.attacks.record import AttackRecord
from privgraph.audits.record import AuditRecord, Bound
from privgraph.privacy.kinds import Adversary, Route
from privgraph.registry import sides


def as_audit(attack: AttackRecord, published: float | None) -> AuditRecord:
    """The same outcome, for the run's audited number; `published`: the run's epsilon by the paper's formula.

    Raises `ValueError` where no bound has followed, or where the attack has taken no turn among the audits.
    """
    if attack.bound is None or not attack.turn:
        raise ValueError("an attack counts among the audits of a run where it has taken a turn and shown a bound")
    pairs = min(attack.outcome.members, attack.outcome.others)
    detail = (
        f"{pairs:,} pairs of {sides(attack.attack).pair}, drawn at random; which of the two trained is a fair coin, "
        f"and exchanged they are {attack.steps} neighbouring datasets apart"
    )
    return AuditRecord(
        run=attack.run,
        audit=attack.attack,
        adversary=Adversary.OUTSIDER,
        title=attack.title,
        covers="run",
        delta=attack.delta,
        confidence=attack.confidence,
        epsilon=attack.bound,
        bounds=(Bound(route=Route.ONE_RUN, epsilon=attack.bound, detail=detail),),
        sound=attack.sound,
        published=published,
        trials=pairs,
        seconds=attack.seconds,
        seed=attack.options.seed,
        score="by how much the attack's score of the one of a pair exceeds that of the other",
        edges=attack.edges,
        scores_with=attack.scores_members,
        scores_without=attack.scores_others,
        roc_false=attack.roc_false,
        roc_true=attack.roc_true,
        area=attack.outcome.area,
        notes=(*attack.knows, *attack.notes),
        turn=attack.turn,
    )
