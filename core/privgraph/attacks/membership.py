"""Membership attacks on a run: which nodes trained, told from what models like the run's say of them.

The run is trained again on its own training nodes, with noise of its own, and attacked in the run's place;
further models with other training nodes are attacked beside it, for the spread. Shadow models serve all of
them (`shadows.ask`). One function judges whatever score there is; the entries of `ATTACKS` differ in the
score alone. Needs torch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from privgraph.attacks import scores
from privgraph.attacks.exchange import STEPS, differences, exchange_bound
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.outcome import outcome
from privgraph.attacks.planning import knows, unanswered
from privgraph.attacks.record import AttackRecord, Exposed, Group
from privgraph.attacks.shadows import Asked, ask
from privgraph.attacks.signals import Array, Bools
from privgraph.audits.roc import picture, roc
from privgraph.data.graph import Graph
from privgraph.options import OptionError
from privgraph.privacy.kinds import Neighbours
from privgraph.progress import Progress
from privgraph.registry import attack as attack_spec
from privgraph.registry import method
from privgraph.streams import stream

MOST_EXPOSED = 20
GRID = tuple(np.unique(np.concatenate([[0.0], np.geomspace(1e-4, 1e-2, 41), np.linspace(0.01, 1, 100)])).tolist())
"""False positive rates at which the band over attacked models is told."""
DEGREES = (0, 1, 2, 4, 8, 16, 32, 64)
"""Where groups of degrees begin."""

Score = Callable[[Asked, int, AttackOptions], Array]
"""(T,) scores of the attacked model of that row."""


def threshold(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """The attack without shadow models: whoever the model is surer of has more likely trained."""

    def score(asked: Asked, row: int, how: AttackOptions) -> Array:
        return scores.threshold(asked.chosen(how.ways)[0][row])

    return _attack("threshold", subject, options, score)


def lira(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """The likelihood ratio attack of Carlini et al. (2022)."""

    def score(asked: Asked, row: int, how: AttackOptions) -> Array:
        target, shadows = asked.compared(how.ways, row, scaled=how.scaled)
        return scores.lira(target, shadows, online=how.online, variance=how.variance)

    return _attack("lira", subject, options, score)


def rmia(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """The pairwise attack of Zarifzadeh et al. (2024); the validation nodes are its population."""

    def score(asked: Asked, row: int, how: AttackOptions) -> Array:
        strangers = asked.chosen(how.ways)[1]
        if not strangers.shape[1]:
            raise OptionError("rmia compares with validation nodes, and this run's split has none: choose another one")
        target, shadows = asked.compared(how.ways, row, scaled=False)
        return scores.rmia(target, shadows, strangers[row], strangers[asked.targets :], online=how.online)

    return _attack("rmia", subject, options, score)


def bavaria(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """LiRA with a prior on each node's mean and variance (arXiv 2603.11799)."""

    def score(asked: Asked, row: int, how: AttackOptions) -> Array:
        target, shadows = asked.compared(how.ways, row, scaled=how.scaled)
        return scores.bavaria(target, shadows, online=how.online)

    return _attack("bavaria", subject, options, score)


def _attack(name: str, subject: Attacked, options: AttackOptions, score: Score) -> Iterator[Progress | AttackRecord]:
    started = time.monotonic()
    spec = attack_spec(name)
    refusal = spec.refuses(subject) or unanswered(options, method(subject.method).asked)
    if refusal:
        raise OptionError(refusal)
    asked: Asked | None = None
    for event in ask(subject, options, shadows=spec.shadows):
        if isinstance(event, Progress):
            yield event
        else:
            asked = event
    assert asked is not None
    told = np.stack([score(asked, row, options) for row in range(asked.targets)])
    yield judged(name, subject, options, asked, told, subject.graph(), time.monotonic() - started)


def judged(
    name: str, subject: Attacked, options: AttackOptions, asked: Asked, told: Array, graph: Graph, seconds: float
) -> AttackRecord:
    """The record of an attack whose scores of the attacked models are `told` (K, T)."""
    spec, members = attack_spec(name), asked.members[: asked.targets]
    found = [outcome(row, trained, confidence=options.confidence) for row, trained in zip(told, members, strict=True)]
    own = picture(told[0][members[0]], told[0][~members[0]])
    band = np.stack([_curve(row, trained) for row, trained in zip(told, members, strict=True)])
    exposure = np.stack([_exposure(row, trained) for row, trained in zip(told, members, strict=True)])
    degrees = np.bincount(graph.edge_index[1].numpy(), minlength=graph.num_nodes)[asked.nodes]
    labels = graph.y.numpy()[asked.nodes]
    names = graph.class_names or tuple(str(label) for label in range(graph.num_classes))
    statement = subject.statement
    steps = 2 if statement.neighbours is Neighbours.NONE else STEPS.get(statement.neighbours)
    bound, notes = None, list[str]()
    drawn = subject.split in ("random", "inductive")
    if not drawn:
        notes.append(
            "the run's split is public: nobody drew who trains, and training and test nodes may differ for reasons of "
            "their own, so that no bound on epsilon follows"
        )
    elif statement.unit == "edge":
        notes.append("no bound on epsilon follows: this run protects edges, and the attack asks who trained")
    elif steps is None:
        notes.append(
            "no bound on epsilon follows: in the run's neighbouring datasets a node is there or opts out, and what "
            "was drawn with it stays; a node that stops training is still there, and its neighbours may read it"
        )
    else:
        gaps, first = differences(told[0], members[0], stream(options.seed, "attack/pairs"))
        bound = exchange_bound(gaps, first, steps=steps, delta=statement.delta, confidence=options.confidence)
        bare = statement.neighbours is Neighbours.NONE
        notes.append(
            f"the bound on epsilon is from {len(gaps):,} pairs of a training node and another, drawn at random: two "
            f"nodes that exchange their places are {steps} neighbouring datasets apart"
            + (", where these differ by one record that trains or does not: nothing is protected here" if bare else "")
        )
    worst = np.argsort(-exposure[0], kind="stable")[: int(members[0].sum())][:MOST_EXPOSED]
    return AttackRecord(
        run=subject.run,
        attack=name,
        title=spec.title,
        options=options,
        knows=knows(subject, options, spec.shadows),
        models=len(asked.members),
        outcome=found[0],
        areas=tuple(one.area for one in found),
        true_rates=tuple(tuple(rate.true for rate in one.rates) for one in found),
        roc_false=own.roc_false,
        roc_true=own.roc_true,
        band_false=GRID,
        band_low=tuple(band.min(0).tolist()),
        band_mean=tuple(band.mean(0).tolist()),
        band_high=tuple(band.max(0).tolist()),
        edges=own.edges,
        scores_members=own.scores_with,
        scores_others=own.scores_without,
        exposed=tuple(
            Exposed(
                node=int(asked.nodes[place]),
                label=names[int(labels[place])],
                degree=int(degrees[place]),
                exposure=float(exposure[0, place]),
            )
            for place in worst
        ),
        by_degree=_groups(np.searchsorted(DEGREES, degrees, side="right") - 1, exposure, _degree_names()),
        by_class=_groups(labels, exposure, names),
        drawn=drawn,
        steps=steps,
        bound=bound,
        delta=statement.delta,
        confidence=options.confidence,
        sound=statement.epsilon,
        accuracy=float(asked.accuracies[0]),
        said=subject.accuracy,
        seconds=seconds,
        notes=tuple(notes),
    )


def _curve(told: Array, members: Bools) -> Array:
    """True positive rates at `GRID`: of the thresholds that no larger share of the others passes."""
    false, true = roc(told[members], told[~members])
    return np.asarray(true[np.searchsorted(false, np.asarray(GRID) + 1e-12, side="right") - 1])


def _exposure(told: Array, members: Bools) -> Array:
    """(T,): of a node that trained, the share of the others whose scores lie below its own, ties counted
    half; not a number for the others."""
    ordered = np.sort(told[~members])
    below = np.searchsorted(ordered, told, side="left") + np.searchsorted(ordered, told, side="right")
    return np.asarray(np.where(members, below / (2 * len(ordered)), np.nan))


def _groups(kinds: np.ndarray, exposure: Array, names: tuple[str, ...]) -> tuple[Group, ...]:
    """Mean exposure by kind (T,), over the nodes and models in which they trained."""
    groups = []
    for kind, name in enumerate(names):
        held = exposure[:, kinds == kind]
        trained = held[~np.isnan(held)]
        if trained.size:
            groups.append(Group(name=name, nodes=int((kinds == kind).sum()), exposure=float(trained.mean())))
    return tuple(groups)


def _degree_names() -> tuple[str, ...]:
    ends = [str(low) if high == low + 1 else f"{low} to {high - 1}" for low, high in pairwise(DEGREES)]
    return (*ends, f"{DEGREES[-1]} and more")
