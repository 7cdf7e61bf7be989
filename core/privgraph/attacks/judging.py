"""From scores of attacked models to the record of an attack: outcome, curves, bands, exposure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.outcome import outcome, untied
from privgraph.attacks.record import AttackRecord, Exposed, Group, Mapped
from privgraph.attacks.signals import Array, Bools
from privgraph.audits.bounds import shared_notes
from privgraph.audits.roc import picture, roc
from privgraph.data.graph import Graph
from privgraph.registry import attack as attack_spec

MOST_EXPOSED = 20
CENTRES, AROUND = 12, 8
"""The risk map: so many of the most exposed nodes, each with at most so many of its neighbours."""
GRID = tuple(np.unique(np.concatenate([[0.0], np.geomspace(1e-4, 1e-2, 41), np.linspace(0.01, 1, 100)])).tolist())
"""False positive rates at which the band over attacked models is told."""
DEGREES = (0, 1, 2, 4, 8, 16, 32, 64)
"""Where groups of degrees begin."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Play:
    """The attack on one model: `nodes` (T,) numbers in the graph, their `scores` (T,), who were `members`
    (T,), and the model's test accuracy."""

    nodes: np.ndarray
    scores: Array
    members: Bools
    accuracy: float


@dataclass(frozen=True, kw_only=True)
class Implied:
    """What follows for epsilon: the `bound`, or None; `steps` and `drawn` as in `AttackRecord`; and why, in
    `notes`."""

    bound: float | None = None
    steps: int | None = None
    drawn: bool = False
    notes: tuple[str, ...] = ()


def judged(
    name: str,
    subject: Attacked,
    options: AttackOptions,
    plays: Sequence[Play],
    implied: Implied,
    graph: Graph,
    *,
    models: int,
    seconds: float,
) -> AttackRecord:
    """The record of an attack of that name on these models, the run's own (or the first) in front."""
    spec, own = attack_spec(name), plays[0]
    found = [outcome(one.scores, one.members, confidence=options.confidence) for one in plays]
    drawn = picture(own.scores[own.members], own.scores[~own.members])
    ordered = untied(own.scores)
    roc_false, roc_true = roc(ordered[own.members], ordered[~own.members])
    band = np.stack([_curve(untied(one.scores), one.members) for one in plays])
    exposure = [_exposure(one.scores, one.members) for one in plays]
    nodes, exposed = (np.concatenate(part) for part in ([one.nodes for one in plays], exposure))
    degrees, labels = np.bincount(graph.edge_index[1].numpy(), minlength=graph.num_nodes), graph.y.numpy()
    names = graph.class_names or tuple(str(label) for label in range(graph.num_classes))
    # of equally exposed ones, the higher score comes first; who did not train comes last
    worst = np.lexsort((-own.scores, np.where(own.members, -exposure[0], np.inf)))[: int(own.members.sum())][
        :MOST_EXPOSED
    ]
    drawn_nodes, drawn_edges = _map(graph, own.nodes[worst[:CENTRES]])
    known = {
        int(node): float(found)
        for node, found, trained in zip(own.nodes, exposure[0], own.members, strict=True)
        if trained
    }
    return AttackRecord(
        run=subject.run,
        attack=name,
        title=spec.title,
        options=options,
        knows=spec.knows(subject, options),
        models=models,
        outcome=found[0],
        areas=tuple(one.area for one in found),
        true_rates=tuple(tuple(rate.true for rate in one.rates) for one in found),
        roc_false=tuple(roc_false.tolist()),
        roc_true=tuple(roc_true.tolist()),
        band_false=GRID,
        band_low=tuple(band.min(0).tolist()),
        band_mean=tuple(band.mean(0).tolist()),
        band_high=tuple(band.max(0).tolist()),
        edges=drawn.edges,
        scores_members=drawn.scores_with,
        scores_others=drawn.scores_without,
        exposed=tuple(
            Exposed(
                node=int(own.nodes[place]),
                label=names[int(labels[own.nodes[place]])],
                degree=int(degrees[own.nodes[place]]),
                exposure=float(exposure[0][place]),
            )
            for place in worst
        ),
        by_degree=_groups(nodes, np.searchsorted(DEGREES, degrees[nodes], side="right") - 1, exposed, _degree_names()),
        by_class=_groups(nodes, labels[nodes], exposed, names),
        drawn=implied.drawn,
        steps=implied.steps,
        bound=implied.bound,
        delta=subject.statement.delta,
        confidence=options.confidence,
        sound=subject.statement.epsilon,
        accuracy=own.accuracy,
        said=subject.accuracy,
        seconds=seconds,
        notes=(*implied.notes, *shared_notes(options.confidence, subject.turn)),
        turn=subject.turn,
        map_nodes=tuple(
            Mapped(node=node, label=names[int(labels[node])], degree=int(degrees[node]), exposure=known.get(node))
            for node in drawn_nodes
        ),
        map_edges=drawn_edges,
    )


def _map(graph: Graph, centres: np.ndarray) -> tuple[list[int], tuple[tuple[int, int], ...]]:
    """These nodes, then the first neighbours of each by number; and all edges among them, each once."""
    source, target = graph.edge_index.numpy()
    chosen = dict.fromkeys(int(node) for node in centres)
    for node in list(chosen):
        beside = np.unique(np.concatenate([source[target == node], target[source == node]]))
        chosen |= dict.fromkeys(int(one) for one in beside[:AROUND])
    inside = np.isin(source, list(chosen)) & np.isin(target, list(chosen)) & (source != target)
    pairs = {(int(min(pair)), int(max(pair))) for pair in zip(source[inside], target[inside], strict=True)}
    return list(chosen), tuple(sorted(pairs))


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


def _groups(nodes: np.ndarray, kinds: np.ndarray, exposure: Array, names: tuple[str, ...]) -> tuple[Group, ...]:
    """Mean exposure by kind, over the nodes and models in which they trained; all of all models in a row."""
    groups = []
    for kind, name in enumerate(names):
        held = exposure[kinds == kind]
        trained = held[~np.isnan(held)]
        if trained.size:
            count = len(np.unique(nodes[kinds == kind]))
            groups.append(Group(name=name, nodes=count, exposure=float(trained.mean())))
    return tuple(groups)


def _degree_names() -> tuple[str, ...]:
    ends = [str(low) if high == low + 1 else f"{low} to {high - 1}" for low, high in pairwise(DEGREES)]
    return (*ends, f"{DEGREES[-1]} and more")
