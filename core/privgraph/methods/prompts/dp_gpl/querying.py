"""From votes to what is released: gates, noise, limits. NumPy only; nothing else of the method reads
votes."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privgraph.mechanisms.noisy_max import NoisyGate, NoisyMax
from privgraph.papers.dp_gpl_votes import Asked, Filter, dependent_trail
from privgraph.streams import Secret

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What is decided before the first vote. `limit_squared_mu` infinite: no limit that is counted soundly;
    `dependent_limit` infinite: none by the data-dependent cost, at `delta`. `at_limit` is stop or drop."""

    asked: Asked
    threshold: float
    limit_squared_mu: float
    dependent_limit: float
    at_limit: str
    delta: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """Q queries in the order in which they were asked, N teachers, C classes.

    counts (Q, C): weighted votes of those who took part, without noise; noisy (Q, C): with it, meaningless
    where not `answered` (Q,); passed (Q,): the gate's answer, true without a gate, false where a query was
    not asked any more; released (Q,): the class of most noisy votes, -1 where none went out. voting (N, Q):
    who took part.
    """

    counts: Floats
    noisy: Floats
    passed: Mask
    answered: Mask
    voting: Mask

    @property
    def released(self) -> Ints:
        labels: Ints = np.where(self.answered, self.noisy.argmax(1), -1)
        return labels


def histogram(votes: Ints, weights: Floats, classes: int) -> Floats:
    """(Q, C) weighted counts of votes (N, Q).

    Unit: one private node, of one teacher of weight w. Its vote moves: w less in one class, w more in
    another.
    """
    return np.stack([np.where(votes == label, weights[:, None], 0.0).sum(0) for label in range(classes)], axis=1)


def ask(
    votes: Ints,
    weights: Floats,
    classes: int,
    rules: Rules,
    gate_noise: Secret,
    vote_noise: Secret,
) -> Outcome:
    """Ask about query after query, votes (N, Q), until all are asked, the answers are used up, or a limit
    ends it.

    What is tested and answered next depends on the weights, the rules and what was released before: on no
    vote but through noise (with `dependent_limit` it does, which is why nothing is guaranteed then).
    """
    asked, queries = rules.asked, votes.shape[1]
    gate = NoisyGate(std=asked.gate_sigma, threshold=rules.threshold) if asked.gate_sigma else None
    maximum = NoisyMax(kind="gaussian", scale=asked.vote_sigma)
    budget = Filter(
        weights, vote_sigma=asked.vote_sigma, gate_sigma=asked.gate_sigma, limit_squared_mu=rules.limit_squared_mu
    )
    counts, noisy = np.zeros((queries, classes)), np.zeros((queries, classes))
    passed, answered = np.zeros(queries, dtype=bool), np.zeros(queries, dtype=bool)
    voting = np.zeros(votes.shape, dtype=bool)
    for query in range(queries):
        may = budget.may_vote()
        ends = not may.all() if rules.at_limit == "stop" else not may.any()
        if ends or answered.sum() >= asked.answers:
            break
        voting[:, query] = may
        counts[query] = histogram(votes[:, query : query + 1], np.where(may, weights, 0.0), classes)[0]
        passed[query] = gate is None or bool(gate.passes(counts[query], gate_noise))
        answered[query] = passed[query]
        # drawn for a refused query as well, so that a query's noise does not hang on what became of others
        noisy[query] = maximum.noisy(counts[query], vote_noise)
        budget.charge(may, gate=gate is not None, answered=bool(answered[query]))
        if rules.dependent_limit < math.inf:
            so_far = slice(query + 1)
            trail = dependent_trail(
                counts[so_far],
                answered[so_far],
                weights,
                vote_sigma=asked.vote_sigma,
                gate_sigma=asked.gate_sigma,
                threshold=rules.threshold,
                delta=rules.delta,
            )
            if trail[-1].max() >= rules.dependent_limit:
                break
    return Outcome(counts=counts, noisy=noisy, passed=passed, answered=answered, voting=voting)
