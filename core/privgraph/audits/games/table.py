"""Which game plays which entry of a ledger."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from privgraph.audits.games import additive, aggregation, edges, gradients, subgraphs, votes
from privgraph.audits.games.base import Game
from privgraph.audits.options import Subject
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.laplace import LaplaceNoise
from privgraph.mechanisms.randomised_response import Response
from privgraph.methods.baselines.edge_rand.config import Config as EdgeRand
from privgraph.methods.relations.relation_rand.config import Config as RelationRand
from privgraph.papers.dp_gpl_votes import Filter
from privgraph.privacy.events import (
    Atoms,
    BoundedRange,
    Gaussian,
    Laplace,
    NonPrivate,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    Repeated,
    SampledOnce,
    Single,
)
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import LedgerEntry


@dataclass(frozen=True, kw_only=True)
class Part:
    """A game, how often it is played in a trial, and what it stands for."""

    game: Game
    count: int
    title: str


T = TypeVar("T")
Maker = Callable[[LedgerEntry, Subject], Part]


def parts(subject: Subject) -> list[Part]:
    """All that a run's ledger lists; stages with one and the same mechanism are one game, in which they
    follow one another.

    Raises `ValueError` for a mechanism that no game knows.
    """
    merged: dict[LedgerEntry, int] = {}
    for entry in subject.statement.ledger:
        if entry.kind not in GAMES:
            raise ValueError(f"no game plays {entry.mechanism}")
        alike = _wordless(entry)
        merged[alike] = merged.get(alike, 0) + entry.count
    found = [GAMES[entry.kind](replace(entry, count=count), subject) for entry, count in merged.items() if count]
    return _without_counting(found)


def _wordless(entry: LedgerEntry) -> LedgerEntry:
    """One run of the mechanism, without a word that is for people."""
    event = NonPrivate(reason="") if isinstance(entry.event, NonPrivate) else entry.event
    published = entry.event_as_published
    published = NonPrivate(reason="") if isinstance(published, NonPrivate) else published
    return replace(entry, mechanism="", stage="", note="", count=1, event=event, event_as_published=published)


def _without_counting(found: list[Part]) -> list[Part]:
    """A noisy count and the answers that follow it are one game."""
    counted = [part for part in found if isinstance(part.game, edges.CountedResponseGame)]
    return counted[:1] or found


def _private_gradients(entry: LedgerEntry, subject: Subject) -> Part:
    clip, rate = _known(entry.worst.clip), _known(entry.sampling_rate)
    game = gradients.one_example(clip, _known(entry.noise_std) / clip, rate)
    return Part(
        game=game, count=entry.count, title="one example's gradient, far beyond the clip, in its Poisson samples"
    )


def _replaced_gradients(entry: LedgerEntry, subject: Subject) -> Part:
    clip, rate = _known(entry.worst.clip), _known(entry.sampling_rate)
    game = gradients.one_example_replaced(clip, _known(entry.noise_std) / clip, rate)
    return Part(game=game, count=entry.count, title="one example's gradient that turns round, in its Poisson samples")


def _listed_gradients(entry: LedgerEntry, subject: Subject) -> Part:
    clip, degree = _known(entry.worst.clip), _given(entry.worst.max_degree)
    multiplier, rate = _known(entry.noise_std) / clip, _known(entry.sampling_rate)
    game = gradients.one_node_in_lists(clip, multiplier, rate, degree)
    title = f"one node's gradient, and those of the {degree} roots that read it, turned round"
    return Part(game=game, count=entry.count, title=title)


def _subgraph_gradients(entry: LedgerEntry, subject: Subject) -> Part:
    worst = entry.worst
    clip, neighbours = _known(worst.clip), _given(worst.neighbours)
    game = subgraphs.StarGame(
        clip=clip,
        noise=_given(worst.noise),
        multiplier=_known(entry.noise_std) / clip,
        rate=_known(entry.sampling_rate),
        neighbours=neighbours,
        largest_degree=max(1, neighbours),
        exclusive=_given(worst.exclusive),
    )
    title = f"a node's own gradient, and those of the {neighbours} subgraphs that it may be drawn into, turned round"
    return Part(game=game, count=entry.count, title=title)


def _aggregation(entry: LedgerEntry, subject: Subject) -> Part:
    unit = subject.statement.unit
    degree = _given(entry.worst.max_degree) if unit == "node" else 0
    game = aggregation.AggregationGame(
        unit=unit, std=_known(entry.noise_std), undirected=_undirected(subject), max_degree=degree
    )
    title = f"a node in the sums of the {degree} that it points to" if unit == "node" else "an edge between two nodes"
    return Part(game=game, count=entry.count, title=title)


def _undirected(subject: Subject) -> bool:
    """Whether an edge is two entries. Raises `ValueError` where it is not known what two neighbours are."""
    statement = subject.statement
    edges = (Neighbours.UNDIRECTED_EDGE, Neighbours.DIRECTED_EDGE)
    if statement.neighbours is Neighbours.UNKNOWN:
        raise ValueError("it is not known what two neighbouring datasets of this run are")
    if (statement.unit == "edge") != (statement.neighbours in edges):
        raise ValueError(
            f"unit {statement.unit} and neighbouring relation {statement.neighbours} contradict each other"
        )
    return statement.neighbours is Neighbours.UNDIRECTED_EDGE


def _replaced_aggregation(entry: LedgerEntry, subject: Subject) -> Part:
    degree = _given(entry.worst.max_degree)
    game = aggregation.AggregationGame(
        unit="node", std=_known(entry.noise_std), undirected=False, max_degree=degree, own_rows=True
    )
    title = f"a node in the sums of the {degree} that it points to, and its own row of {degree}, turned round"
    return Part(game=game, count=entry.count, title=title)


def _votes(entry: LedgerEntry, subject: Subject) -> Part:
    sample, _, count = _sample(entry)
    game = votes.VotesGame(std=_known(entry.noise_std), sample=sample)
    return Part(game=game, count=count, title="one node's vote of full weight in every sample that holds it")


def _class_sums(entry: LedgerEntry, subject: Subject) -> Part:
    game = votes.TableGame(std=_known(entry.noise_std))
    return Part(game=game, count=entry.count, title="one node's whole vector, far too loud, in the column of its class")


def _posterior(entry: LedgerEntry, subject: Subject) -> Part:
    sample, event, count = _sample(entry)
    if not isinstance(event, Atoms):
        raise ValueError(f"no game plays a {entry.kind} as {type(event).__name__}")
    lam = math.sqrt(2) / _known(entry.noise_std)
    game = votes.posterior(lam, votes.classes_of(lam, event.upper[0]), sample)
    return Part(game=game, count=count, title="a posterior that one node turns from one certain class to another")


def _log_posterior(entry: LedgerEntry, subject: Subject) -> Part:
    """Its event tells nothing but that it is not private: the sample is the one that the ledger names."""
    game = votes.log_posterior(math.sqrt(2) / _known(entry.noise_std), votes.Sample(rate=_known(entry.sampling_rate)))
    return Part(game=game, count=entry.count, title="log-probabilities that one node turns from one class to another")


def _maximum(entry: LedgerEntry, subject: Subject) -> Part:
    sample, event, count = _sample(entry)
    kind = _KINDS[type(event)]
    scale = _known(entry.noise_std) / _SHAPES[kind]
    game = votes.maximum(kind, scale, sample)
    return Part(game=game, count=count, title="one vote that decides between two classes")


def _part_maximum(entry: LedgerEntry, subject: Subject) -> Part:
    """Its entry counts the two counts of a query that one vote moves."""
    part = _maximum(entry, subject)
    if entry.count % 2:
        raise ValueError(f"a query moves two counts, and the ledger has {entry.count}")
    return replace(part, count=entry.count // 2)


def _counts(entry: LedgerEntry, subject: Subject) -> Part:
    game = _votes_of_teachers(_known(entry.noise_std), _known(entry.sensitivity) / math.sqrt(2), subject)
    return Part(game=game, count=entry.count, title="one teacher's vote that moves between two classes")


def _votes_of_teachers(std: float, weight: float, subject: Subject) -> votes.CountsGame | votes.LabelGame:
    """Counts with Gaussian noise as they go out: whole, or the class of the largest alone."""
    if subject.statement.release is Release.LABELS:
        return votes.maximum("gaussian", std, votes.Sample(), weight)
    return votes.CountsGame(std=std, weight=weight)


def _up_to_a_limit(entry: LedgerEntry, subject: Subject) -> Part:
    """As many tests and answers as the method's own filter lets a teacher take part in."""
    std, weight = _known(entry.noise_std), _known(entry.sensitivity) / math.sqrt(2)
    gate_std = _given(entry.worst.gate_std)
    assert isinstance(entry.event, Gaussian)
    limit = 1 / entry.event.noise_multiplier**2
    budget, taken = Filter([weight], vote_sigma=std, gate_sigma=gate_std, limit_squared_mu=limit), 0
    while budget.may_vote().all():
        budget.charge(gate=gate_std > 0, answered=True)
        taken += 1
    counts = _votes_of_teachers(std, weight, subject)
    game = votes.Both(first=votes.gate(gate_std, weight, votes.Sample()), second=counts) if gate_std else counts
    title = "one teacher's vote that moves between two classes, until its limit is reached"
    return Part(game=game, count=taken * entry.count, title=title)


def _gate(entry: LedgerEntry, subject: Subject) -> Part:
    sample, _, count = _sample(entry)
    game = votes.gate(_known(entry.noise_std), _known(entry.sensitivity), sample)
    return Part(game=game, count=count, title="one vote that lifts the largest count over the threshold")


def _response(entry: LedgerEntry, subject: Subject) -> Part:
    undirected = _undirected(subject)
    title = "one pair of nodes, joined or not"
    if isinstance(entry.event, RandomizedResponse):
        response = Response(one_to_one=entry.event.one_to_one, zero_to_one=entry.event.zero_to_one)
        return Part(game=edges.ResponseGame(response=response, undirected=undirected), count=entry.count, title=title)
    if not isinstance(subject.config, EdgeRand | RelationRand) or subject.config.counted is None:
        raise ValueError("this randomised response is not that of a method that is known here")
    game = edges.CountedResponseGame(response=subject.config.counted, undirected=undirected)
    return Part(game=game, count=entry.count, title=f"{title}, and the noisy number of edges")


def _sample(entry: LedgerEntry) -> tuple[votes.Sample, Single, int]:
    """Who is asked, what is done with the sample, and how often."""
    event = entry.event
    if isinstance(event, PoissonSampled):
        return votes.Sample(rate=event.rate), event.event, entry.count
    if isinstance(event, SampledOnce) and isinstance(event.event, Repeated):
        return votes.Sample(rate=event.rate, at_once=True), event.event.event, event.event.count * entry.count
    return votes.Sample(), event, entry.count


def _additive(entry: LedgerEntry, subject: Subject) -> Part:
    std, moved = _known(entry.noise_std), _known(entry.sensitivity)
    if isinstance(entry.event, Laplace):
        game = additive.AdditiveGame(mechanism=LaplaceNoise(scale=std / math.sqrt(2), sensitivity=moved))
    elif isinstance(entry.event, Gaussian):
        game = additive.AdditiveGame(mechanism=GaussianNoise(std=std, sensitivity=moved))
    else:
        raise ValueError(f"no game plays additive noise as {type(entry.event).__name__}")
    return Part(game=game, count=entry.count, title="a number that one unit moves by the whole sensitivity")


def _given(value: T | None) -> T:
    if value is None:
        raise ValueError("the worst case of a ledger entry lacks something that its game needs")
    return value


def _known(value: float | None) -> float:
    if value is None or not value > 0:
        raise ValueError(f"a ledger entry lacks a number that its game needs (got {value})")
    return value


_KINDS: Mapping[type[Single], str] = {
    Gaussian: "gaussian",
    Laplace: "laplace",
    PureDP: "exponential",
    BoundedRange: "gumbel",
}
_SHAPES: Mapping[str, float] = {
    "gaussian": 1.0,
    "laplace": math.sqrt(2),
    "exponential": 1.0,
    "gumbel": math.pi / math.sqrt(6),
}

GAMES: Mapping[MechanismKind, Maker] = {
    MechanismKind.GRADIENTS: _private_gradients,
    MechanismKind.REPLACED_GRADIENTS: _replaced_gradients,
    MechanismKind.LISTED_GRADIENTS: _listed_gradients,
    MechanismKind.SUBGRAPH_GRADIENTS: _subgraph_gradients,
    MechanismKind.AGGREGATION: _aggregation,
    MechanismKind.REPLACED_AGGREGATION: _replaced_aggregation,
    MechanismKind.CLASS_SUMS: _class_sums,
    MechanismKind.WEIGHTED_VOTES: _votes,
    MechanismKind.POSTERIOR: _posterior,
    MechanismKind.LOG_POSTERIOR: _log_posterior,
    MechanismKind.MAXIMUM: _maximum,
    MechanismKind.PART_MAXIMUM: _part_maximum,
    MechanismKind.GATE: _gate,
    MechanismKind.COUNTS: _counts,
    MechanismKind.LIMITED_COUNTS: _up_to_a_limit,
    MechanismKind.RANDOMISED_RESPONSE: _response,
    MechanismKind.EDGE_COUNT: _response,
    MechanismKind.ADDITIVE: _additive,
}
