"""What figures of an ensemble share: groups of teachers, and what each one's nodes were charged."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.papers.dp_gpl_votes import Asked, dependent_trail, epsilon_at, squared_mu
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.marks import distinct
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import number

GROUPINGS = {"weight": "weight", "centrality": "centrality (average of its nodes)"}
MEASURES = {"sound": EPSILONS["sound"].title, "data-dependent": "data-dependent ε"}


def quantiles(values: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """(N,): the group of each value, of at most so many of ascending values; equal values are together."""
    ends = np.unique(values := values.round(9))
    if len(ends) > most:
        ends = np.unique(np.quantile(values, np.arange(1, most + 1) / most, method="inverted_cdf"))
    return np.searchsorted(ends, values)


def groups(ensemble: Ensemble, by: str = "weight") -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Names of at most five groups of teachers, by ascending weight or centrality, and each teacher's group
    (N,)."""
    values = ensemble.weights if by == "weight" else ensemble.centrality
    own = quantiles(values, 5)
    held = [values[own == place].round(9) for place in range(int(own.max()) + 1)]
    spans = (dict.fromkeys((number(float(one.min())), number(float(one.max())))) for one in held)
    return distinct(f"{by} {'–'.join(span)}" for span in spans), own


def shared(ensemble: Ensemble, measure: str) -> Row:
    """What rows tell of an ensemble: the measure of epsilon, whether it depends on data, and whether weights
    were made of private nodes: else options set them before any private node was read."""
    return {"measure": measure, "data_dependent": measure != "sound", "private": not ensemble.per_teacher}


@lru_cache(maxsize=8)  # a page asks several times for the record that it holds
def spent(ensemble: Ensemble, measure: str = "sound") -> NDArray[np.float64]:
    """(N, Q + 1): the epsilon that each teacher's nodes had spent after 0, 1, ..., Q queries as they went.

    A test of the gate is paid for by who voted, passed or not; an answer too. A sound epsilon is what was
    spent and no guarantee: that must hold for whatever might have been answered. The data-dependent one is
    the paper's.
    """
    if measure == "sound":
        squared, _ = _squared(ensemble)
        levels, places = np.unique(squared, return_inverse=True)
        return np.array([_epsilon(float(value), ensemble.delta) for value in levels])[places].reshape(squared.shape)
    noise = {name: getattr(ensemble, name) for name in ("vote_sigma", "gate_sigma", "threshold", "delta", "voting")}
    trail = dependent_trail(ensemble.counts(), ensemble.released >= 0, ensemble.weights, **noise)
    return np.concatenate([np.zeros((len(ensemble.weights), 1)), trail.T], axis=1)


def limit_measure(ensemble: Ensemble) -> str:
    """Which epsilon the limit was held against: where no sound guarantee keeps it, it was the paper's."""
    return "sound" if ensemble.sound.max(initial=0) <= ensemble.limit * (1 + 1e-6) else "data-dependent"


def reached(ensemble: Ensemble) -> NDArray[np.bool_]:
    """(N,): whether the teacher took no part any more because of its own limit: by the sound measure one more
    answer would have passed it; by the data-dependent one, whose cost nobody knows beforehand, it was
    passed."""
    if limit_measure(ensemble) == "sound":
        squared, charged = _squared(ensemble)
        more = squared[:, -1] + charged * _one(ensemble, True)
        beyond = np.array([_epsilon(float(value), ensemble.delta) > ensemble.limit for value in more])
    else:
        beyond = spent(ensemble, "data-dependent")[:, -1] >= ensemble.limit * (1 - 1e-9)
    found: NDArray[np.bool_] = beyond & (_ended(ensemble) < ensemble.voting.shape[1])
    return found


def stopped_at(ensemble: Ensemble) -> NDArray[np.int64]:
    """(N,): after how many queries the teacher was stopped, by its own limit or by that of one that stopped
    with it; -1 for none, as where all answers were used up."""
    ended, by_itself = _ended(ensemble), reached(ensemble)
    return np.where(np.isin(ended, ended[by_itself]), ended, -1)


def _ended(ensemble: Ensemble) -> NDArray[np.int64]:
    """(N,): the first query (from 0) from which on the teacher took no part, Q where it always did."""
    last = ensemble.voting.shape[1] - ensemble.voting[:, ::-1].argmax(axis=1)
    return np.where(ensemble.voting.any(axis=1), last, 0)


def _squared(ensemble: Ensemble) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(N, Q + 1): squared mu that each teacher's nodes were charged so far; (N,): the squared weight that
    they are charged by: of their own vote, or of all."""
    each = np.where(ensemble.released >= 0, _one(ensemble, True), _one(ensemble, False))
    alone = ensemble.per_teacher
    weights = np.square(ensemble.weights if alone else np.full(len(ensemble.weights), ensemble.weights.sum()))
    squared = np.where(ensemble.voting if alone else ensemble.voting.any(axis=0), weights[:, None] * each, 0.0)
    return np.concatenate([np.zeros((len(squared), 1)), squared.cumsum(axis=1)], axis=1), weights


def _one(ensemble: Ensemble, answered: bool) -> float:
    """The squared mu of one query at weight 1; infinite without noise."""
    if answered and ensemble.vote_sigma == 0:
        return math.inf
    noise = {"vote_sigma": ensemble.vote_sigma or 1.0, "gate_sigma": ensemble.gate_sigma}
    return squared_mu(Asked(queries=1, answers=int(answered), **noise))


_epsilon = lru_cache(maxsize=4096)(epsilon_at)
