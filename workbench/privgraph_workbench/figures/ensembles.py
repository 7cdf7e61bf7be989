"""What figures of an ensemble share: groups of teachers, badges, and what each teacher's nodes were charged, query by query."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privgraph.methods.ensemble import Ensemble
from privgraph.privacy.weighted_votes import Asked, dependent_trail, epsilon_at, squared_mu
from privgraph_workbench.figures.chart import number

MOST_GROUPS = 5
GROUPINGS = {"weight": "weight", "centrality": "centrality (average of its nodes)"}
MEASURES = {"sound": "sound ε", "data-dependent": "data-dependent ε"}
DEPENDENT_BADGE = "data-dependent: computed from private votes, itself not private, no guarantee"
TEACHERS_BADGE = (
    "private: what teachers are like (sizes, centralities) was read from private nodes, and is not released"
)
TOLERANCE = 1.02  # between two ways of counting the same noise


def groups(found: Ensemble, by: str) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Names of at most five groups of teachers, by ascending weight or centrality, and each teacher's group (N,)."""
    values = (found.weights if by == "weight" else found.centrality).round(9)
    distinct = np.unique(values)
    if len(distinct) <= MOST_GROUPS:
        return tuple(f"{by} {number(value)}" for value in distinct), np.searchsorted(distinct, values)
    ends = np.unique(np.quantile(values, np.arange(1, MOST_GROUPS + 1) / MOST_GROUPS, method="inverted_cdf"))
    own = np.searchsorted(ends, values)
    held = [values[own == place] for place in range(len(ends))]
    return tuple(f"{by} {number(one.min())}–{number(one.max())}" for one in held), own


def every_vote_moves(found: Ensemble) -> bool:
    """Whether one node of this run may move all votes, as where everybody's nodes shape the groups or the features.

    The method then charges each node the votes of all; its guarantee is above what any teacher's own weight could cost.
    """
    return bool(found.sound.max(initial=0) > TOLERANCE * cost(found, float(found.weights.max(initial=0))))


def cost(found: Ensemble, weight: float) -> float:
    """Sound epsilon of a vote of that weight where every query of the run is tested and answered, without a limit."""
    return price(len(found.queries), found.vote_sigma, found.gate_sigma, weight, found.delta)


def price(queries: int, vote_sigma: float, gate_sigma: float, weight: float, delta: float) -> float:
    """Sound epsilon of `queries` that are all answered; a vote weighs `weight`; a gate of sigma 0 is none.

    Infinite without noise, 0 without queries or without a vote. Other noise than that of the run may be asked about.
    """
    if queries == 0 or weight == 0:
        return 0.0
    return _epsilon(_one(vote_sigma, gate_sigma, True) * weight**2 * queries, delta)


def heaviest(found: Ensemble) -> float:
    """The weight of the votes that one node can move: the largest teacher's, or all votes where it may move all."""
    return float(found.weights.sum() if every_vote_moves(found) else found.weights.max())


def spent(found: Ensemble, measure: str = "sound") -> NDArray[np.float64]:
    """(N, Q + 1): the epsilon that each teacher's nodes had spent after 0, 1, ..., Q queries as they went.

    A test of the gate is paid for by who voted, passed or not; an answer too. A sound epsilon is what was spent and no
    guarantee: that must hold for whatever might have been answered. The data-dependent one is the paper's.
    """
    if measure != "sound":
        trail = dependent_trail(
            found.counts(),
            found.released >= 0,
            found.weights,
            vote_sigma=found.vote_sigma,
            gate_sigma=found.gate_sigma,
            threshold=found.threshold,
            delta=found.delta,
            voting=found.voting,
        )
        return np.concatenate([np.zeros((len(found.weights), 1)), trail.T], axis=1)
    squared = _squared(found)
    distinct, places = np.unique(squared, return_inverse=True)
    return np.array([_epsilon(float(value), found.delta) for value in distinct])[places].reshape(squared.shape)


def limit_measure(found: Ensemble) -> str:
    """Which epsilon the limit was held against: a sound guarantee above the limit says that it was the paper's."""
    return "sound" if found.sound.max(initial=0) <= found.limit * (1 + 1e-6) else "data-dependent"


def reached(found: Ensemble) -> NDArray[np.bool_]:
    """(N,): whether the teacher was stopped by its own limit: one more answer would have passed it.

    What another answer costs by the data-dependent measure nobody knows beforehand: there, who had spent most.
    """
    stopped: NDArray[np.bool_] = stopped_at(found) >= 0
    if limit_measure(found) != "sound":
        last = spent(found, "data-dependent")[:, -1]
        most: NDArray[np.bool_] = last >= last.max(initial=0) * (1 - 1e-9)
        return stopped & most
    more = _squared(found)[:, -1] + _charged(found) ** 2 * _one(found.vote_sigma, found.gate_sigma, True)
    beyond: NDArray[np.bool_] = np.array([_epsilon(float(value), found.delta) > found.limit for value in more])
    return stopped & beyond


def stopped_at(found: Ensemble) -> NDArray[np.int64]:
    """(N,): the number of the first query (from 0) from which on the teacher took no part any more, -1 for none."""
    last = found.voting.shape[1] - found.voting[:, ::-1].argmax(axis=1)
    first = np.where(found.voting.any(axis=1), last, 0)
    return np.where(first < found.voting.shape[1], first, -1)


def _charged(found: Ensemble) -> NDArray[np.float64]:
    """(N,): the weight that a vote of each teacher's nodes is charged: its own, or all."""
    return np.full(len(found.weights), found.weights.sum()) if every_vote_moves(found) else found.weights


def _squared(found: Ensemble) -> NDArray[np.float64]:
    """(N, Q + 1): squared mu that each teacher's nodes were charged so far."""
    tests, answers = (_one(found.vote_sigma, found.gate_sigma, answered) for answered in (False, True))
    each = np.where(found.released >= 0, answers, tests)
    took_part = found.voting.any(axis=0) if every_vote_moves(found) else found.voting
    squared = np.where(took_part, np.square(_charged(found))[:, None] * each, 0.0)
    return np.concatenate([np.zeros((len(squared), 1)), squared.cumsum(axis=1)], axis=1)


@lru_cache(maxsize=64)
def _one(vote_sigma: float, gate_sigma: float, answered: bool) -> float:
    """The squared mu of one query at weight 1; infinite without noise."""
    if answered and vote_sigma == 0:
        return math.inf
    return squared_mu(Asked(queries=1, answers=int(answered), vote_sigma=vote_sigma or 1.0, gate_sigma=gate_sigma))


@lru_cache(maxsize=4096)
def _epsilon(squared: float, delta: float) -> float:
    return epsilon_at(squared, delta)
