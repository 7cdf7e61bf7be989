"""Membership attacks on a run: which nodes trained, told from what models like the run's say of them.

The run is trained again on its own training nodes, with noise of its own, and attacked in the run's place;
further models with other training nodes are attacked beside it, for the spread. Shadow models serve all of
them (`shadows.ask`). One function judges whatever score there is; the entries of `ATTACKS` differ in the
score alone; each record says what the other scores find from the same answers. Needs torch.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from privgraph.attacks import scores
from privgraph.attacks.exchange import differences, exchange_bound, walk
from privgraph.attacks.judging import Implied, Play, judged
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.record import AttackRecord, Rival
from privgraph.attacks.shadows import Asked, ask
from privgraph.attacks.signals import Array
from privgraph.audits.bounds import shared_confidence
from privgraph.audits.roc import area
from privgraph.home import home
from privgraph.options import OptionError
from privgraph.privacy.kinds import Neighbours
from privgraph.progress import Progress
from privgraph.registry import attack as attack_spec
from privgraph.registry import method
from privgraph.streams import derived_key, noise_key, stream

Score = Callable[[Asked, int, AttackOptions], Array]
"""(T,) scores of the attacked model of that row."""


def _threshold(asked: Asked, row: int, how: AttackOptions) -> Array:
    return scores.threshold(asked.chosen(how.ways)[0][row])


def _lira(asked: Asked, row: int, how: AttackOptions) -> Array:
    target, shadows = asked.compared(how.ways, row, scaled=how.scaled)
    return scores.lira(target, shadows, online=how.online, variance=how.variance)


def _rmia(asked: Asked, row: int, how: AttackOptions) -> Array:
    strangers = asked.chosen(how.ways)[1]
    if not strangers.shape[1]:
        raise OptionError("rmia compares with validation nodes, and this run's split has none: choose another one")
    target, shadows = asked.compared(how.ways, row, scaled=False)
    return scores.rmia(target, shadows, strangers[row], strangers[asked.targets :], online=how.online)


def _bavaria(asked: Asked, row: int, how: AttackOptions) -> Array:
    target, shadows = asked.compared(how.ways, row, scaled=how.scaled)
    return scores.bavaria(target, shadows, online=how.online)


SCORES: Mapping[str, Score] = {"bavaria": _bavaria, "lira": _lira, "rmia": _rmia, "threshold": _threshold}
"""By the name of the attack: all read the same answers."""


def threshold(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """The attack without shadow models: whoever the model is surer of has more likely trained."""
    return _attack("threshold", subject, options)


def lira(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """The likelihood ratio attack of Carlini et al. (2022)."""
    return _attack("lira", subject, options)


def rmia(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """The pairwise attack of Zarifzadeh et al. (2024); the validation nodes are its population."""
    return _attack("rmia", subject, options)


def bavaria(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """LiRA with a prior on each node's mean and variance (arXiv 2603.11799)."""
    return _attack("bavaria", subject, options)


def _attack(name: str, subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    started = time.monotonic()
    spec = attack_spec(name)
    refusal = spec.refuses(subject) or spec.unanswered(subject, options)
    if refusal:
        raise OptionError(refusal)
    asked: Asked | None = None
    for event in ask(subject, options, shadows=spec.shadows):
        if isinstance(event, Progress):
            yield event
        else:
            asked = event
    assert asked is not None
    plays = [
        Play(
            nodes=asked.nodes,
            scores=SCORES[name](asked, row, options),
            members=asked.members[row],
            accuracy=float(asked.accuracies[row]),
        )
        for row in range(asked.targets)
    ]
    found = implied(subject, options, plays[0])
    others = _rivals(name, asked, options) if spec.shadows else ()
    seconds = time.monotonic() - started
    record = judged(name, subject, options, plays, found, subject.graph(), models=len(asked.members), seconds=seconds)
    yield replace(record, rivals=others)


def _rivals(name: str, asked: Asked, options: AttackOptions) -> tuple[Rival, ...]:
    """What the other scores find from these answers. They are told by their areas alone: a bound on epsilon
    follows from the score that was chosen before anything was seen."""

    def found(other: str, row: int) -> float:
        told, members = SCORES[other](asked, row, options), asked.members[row]
        return area(told[members], told[~members])

    return tuple(
        Rival(attack=other, areas=tuple(found(other, row) for row in range(asked.targets)))
        for other in SCORES
        if other != name and (other != "rmia" or asked.strangers.shape[1])
    )


def implied(subject: Attacked, options: AttackOptions, own: Play) -> Implied:
    """What follows for epsilon from the attack on the run's own training nodes, or why nothing does."""
    statement = subject.statement
    bare = statement.neighbours is Neighbours.NONE
    steps = walk(subject)
    if subject.split not in ("random", "inductive"):
        note = (
            "the run's split is public: nobody drew who trains, and training and test nodes may differ for reasons of "
            "their own, so that no bound on epsilon follows"
        )
        return Implied(steps=steps, notes=(note,))
    if statement.unit == "edge":
        note = "no bound on epsilon follows: this run protects edges, and the attack asks who trained"
        return Implied(drawn=True, notes=(note,))
    if steps is None and method(subject.method).own_parts:
        note = (
            "no bound on epsilon follows: in the run's neighbouring datasets a node's place among those who teach "
            "stays empty when it leaves, and nobody takes it; the attack compares who has a place with who has none"
        )
        return Implied(drawn=True, notes=(note,))
    if steps is None:
        note = (
            "no bound on epsilon follows: this run's epsilon is for a node that leaves the graph, while in the attack "
            "a node only stops training: it stays in the graph, and its neighbours may read it"
        )
        return Implied(drawn=True, notes=(note,))
    gaps, first = differences(own.scores, own.members, pairing(subject, options))
    note = (
        f"the bound on epsilon is from {len(gaps):,} pairs of a training node and another, drawn at random: it takes "
        f"{steps} steps, each to a neighbouring dataset, to swap the two"
        + (" (this run protects nothing: a step here is one record that trains or does not)" if bare else "")
    )
    confidence = shared_confidence(options.confidence, subject.turn)
    bound = exchange_bound(gaps, first, steps=steps, delta=statement.delta, confidence=confidence)
    return Implied(bound=bound, steps=steps, drawn=True, notes=(note,))


def pairing(subject: Attacked, options: AttackOptions) -> np.random.Generator:
    """By which random numbers a member and another are paired: of the attack's seed, and, where it takes a
    turn among the run's audits, of the turn and a key of this machine, so that nobody tries seeds beforehand
    and then plays the best."""
    if not subject.turn:
        return stream(options.seed, "attack/pairs")
    drawn = derived_key(noise_key(home()), "attack/pairs", subject.run, str(subject.turn), repr(options))
    return np.random.default_rng(int.from_bytes(drawn, "big"))
