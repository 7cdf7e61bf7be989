"""What figures of an ensemble share: groups of teachers, badges, and what each teacher's nodes were charged,
query by query."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.papers.dp_gpl_votes import Asked, dependent_trail, epsilon_at, squared_mu
from privgraph_workbench.figures.chart import distinct
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import number

MOST_GROUPS = 5
GROUPINGS = {"weight": "weight", "centrality": "centrality (average of its nodes)"}
MEASURES = {"sound": EPSILONS["sound"].title, "data-dependent": "data-dependent ε"}


def weights_are_public(ensemble: Ensemble) -> bool:
    """Whether the weight of each teacher, and so what its nodes are guaranteed, was set by options before any
    private node was read. Not where votes are weighted as published, by centralities of private nodes: there
    no teacher has a guarantee of its own either."""
    return ensemble.per_teacher


def groups(ensemble: Ensemble, by: str) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Names of at most five groups of teachers, by ascending weight or centrality, and each teacher's group
    (N,)."""
    values = (ensemble.weights if by == "weight" else ensemble.centrality).round(9)
    levels = np.unique(values)
    if len(levels) <= MOST_GROUPS:
        return distinct(f"{by} {number(value)}" for value in levels), np.searchsorted(levels, values)
    ends = np.unique(np.quantile(values, np.arange(1, MOST_GROUPS + 1) / MOST_GROUPS, method="inverted_cdf"))
    own = np.searchsorted(ends, values)
    held = [values[own == place] for place in range(len(ends))]
    return distinct(f"{by} {_span(float(one.min()), float(one.max()))}" for one in held), own


def _span(low: float, high: float) -> str:
    return number(low) if number(low) == number(high) else f"{number(low)}–{number(high)}"


def price(queries: int, vote_sigma: float, gate_sigma: float, weight: float, delta: float) -> float:
    """Sound epsilon of `queries` that are all answered; a vote weighs `weight`; a gate of sigma 0 is none.

    Infinite without noise, 0 without queries or without a vote. Other noise than that of the run may be asked
    about.
    """
    if queries == 0 or weight == 0:
        return 0.0
    return _epsilon(_one(vote_sigma, gate_sigma, True) * weight**2 * queries, delta)


@lru_cache(maxsize=8)  # a page asks several times for the record that it holds
def spent(ensemble: Ensemble, measure: str = "sound") -> NDArray[np.float64]:
    """(N, Q + 1): the epsilon that each teacher's nodes had spent after 0, 1, ..., Q queries as they went.

    A test of the gate is paid for by who voted, passed or not; an answer too. A sound epsilon is what was
    spent and no guarantee: that must hold for whatever might have been answered. The data-dependent one is
    the paper's.
    """
    if measure != "sound":
        trail = dependent_trail(
            ensemble.counts(),
            ensemble.released >= 0,
            ensemble.weights,
            vote_sigma=ensemble.vote_sigma,
            gate_sigma=ensemble.gate_sigma,
            threshold=ensemble.threshold,
            delta=ensemble.delta,
            voting=ensemble.voting,
        )
        return np.concatenate([np.zeros((len(ensemble.weights), 1)), trail.T], axis=1)
    squared = _squared(ensemble)
    levels, places = np.unique(squared, return_inverse=True)
    return np.array([_epsilon(float(value), ensemble.delta) for value in levels])[places].reshape(squared.shape)


def limit_measure(ensemble: Ensemble) -> str:
    """Which epsilon the limit was held against: where no sound guarantee keeps it, it was the paper's."""
    return "sound" if ensemble.sound.max(initial=0) <= ensemble.limit * (1 + 1e-6) else "data-dependent"


def reached(ensemble: Ensemble) -> NDArray[np.bool_]:
    """(N,): whether the teacher took no part any more because of its own limit.

    By the sound measure one more answer would have passed it; by the data-dependent one, whose cost nobody
    knows beforehand, it was passed.
    """
    if math.isinf(ensemble.limit):
        return np.zeros(len(ensemble.weights), dtype=np.bool_)
    if limit_measure(ensemble) != "sound":
        beyond: NDArray[np.bool_] = spent(ensemble, "data-dependent")[:, -1] >= ensemble.limit * (1 - 1e-9)
    else:
        more = _squared(ensemble)[:, -1] + _charged(ensemble) ** 2 * _one(
            ensemble.vote_sigma, ensemble.gate_sigma, True
        )
        beyond = np.array([_epsilon(float(value), ensemble.delta) > ensemble.limit for value in more])
    gone: NDArray[np.bool_] = _ended(ensemble) < ensemble.voting.shape[1]
    return beyond & gone


def stopped_at(ensemble: Ensemble) -> NDArray[np.int64]:
    """(N,): after how many queries the teacher was stopped, by its own limit or by that of one that stopped
    with it; -1 for none, as where all answers were used up."""
    ended, by_itself = _ended(ensemble), reached(ensemble)
    return np.where(np.isin(ended, ended[by_itself]), ended, -1)


def _ended(ensemble: Ensemble) -> NDArray[np.int64]:
    """(N,): the number of the first query (from 0) from which on the teacher took no part, Q where it always
    did."""
    last = ensemble.voting.shape[1] - ensemble.voting[:, ::-1].argmax(axis=1)
    ended: NDArray[np.int64] = np.where(ensemble.voting.any(axis=1), last, 0)
    return ended


def _charged(ensemble: Ensemble) -> NDArray[np.float64]:
    """(N,): the weight that a vote of each teacher's nodes is charged: its own, or all."""
    return ensemble.weights if ensemble.per_teacher else np.full(len(ensemble.weights), ensemble.weights.sum())


def _squared(ensemble: Ensemble) -> NDArray[np.float64]:
    """(N, Q + 1): squared mu that each teacher's nodes were charged so far."""
    tests, answers = (_one(ensemble.vote_sigma, ensemble.gate_sigma, answered) for answered in (False, True))
    each = np.where(ensemble.released >= 0, answers, tests)
    took_part = ensemble.voting if ensemble.per_teacher else ensemble.voting.any(axis=0)
    squared = np.where(took_part, np.square(_charged(ensemble))[:, None] * each, 0.0)
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
