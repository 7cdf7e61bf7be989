"""What weighted votes of teachers cost: gates and noisy maxima of N teachers, each with a public weight.

Unit: one private node with its features, label and edges. Relation: add or remove it. Weights, queries, noise
and the threshold are public, and a node is read by one teacher, whose number does not depend on anybody else.

Sensitivities. Teacher i adds its weight w_i to the count of one class. With a node or without it, nobody but
its own teacher changes (one that has lost its last node votes by its initial prompt), and that teacher still
votes once a query:

- the histogram of a query loses w_i in one class and gains it in another: w_i sqrt 2 in L2, and no more, as
  all other weights stay where they were.
- no count moves by more than w_i, so neither does the largest, which a gate tests: the largest of C numbers
  is 1-Lipschitz in the largest change.

With Q tests of noise s1 and A answers of noise s2 that is one Gaussian whose shift is mu standard deviations,
mu^2 = w_i^2 (Q/s1^2 + 2 A/s2^2), exactly: Gaussians compose to one another. The label of a noisy maximum, the
noisy histogram itself and all that is made of them cost the same.

Which queries are answered depends on the tests, so that tests and answers come in an order that nobody fixed
beforehand; only their numbers are bounded. That costs no more than all tests and then all answers, by the
induction of `privgraph.papers.privgnn_releases.gated_event`, whose proof does not ask what the parts are.

Where a node's leaving may change any number of votes, or the weights (a sorted partition, weights made of
private degrees), two histograms of non-negative entries that sum to N are sqrt 2 N apart in L2 at most, and
their largest entries N: the same formulas with weight N.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privgraph.papers import dp_gpl as dpgpl
from privgraph.privacy.calibration import CalibrationError
from privgraph.privacy.composition import check_delta, gaussian_delta, gaussian_epsilon
from privgraph.privacy.events import Gaussian
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry

Array = NDArray[np.float64]

MOVED_COUNTS = 2
"""Counts that a moved vote changes, each by its weight: the squared L2 sensitivity of a histogram, in squared
weights."""

_ROUNDING = 1e-11
"""Relative room for the rounding of floating-point sums, always on the private side."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the teachers are asked: tests and answers at most, and the noise of each, in votes of weight 1.

    `queries` are tested (`gate_sigma` 0: there is no test, and nothing is paid for one), at most `answers` of
    them answered.
    """

    queries: int
    answers: int
    vote_sigma: float
    gate_sigma: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.answers <= self.queries:
            raise ValueError(f"Asked.answers must lie between 0 and queries (got {self.answers} of {self.queries})")
        _positive("Asked.vote_sigma", self.vote_sigma)
        if not (self.gate_sigma >= 0 and math.isfinite(self.gate_sigma)):
            raise ValueError(f"Asked.gate_sigma must not be negative, and finite (got {self.gate_sigma})")


def gate_event(sigma: float, weight: float = 1.0) -> Gaussian:
    """One test of the largest count: sensitivity `weight`."""
    return Gaussian(noise_multiplier=sigma / weight)


def vote_event(sigma: float, weight: float = 1.0) -> Gaussian:
    """One noisy histogram, or its label: sensitivity `weight` sqrt 2."""
    return Gaussian(noise_multiplier=sigma / (weight * math.sqrt(MOVED_COUNTS)))


def entries(asked: Asked, weight: float = 1.0) -> tuple[LedgerEntry, ...]:
    """The ledger of all tests and answers, for the nodes of a teacher of `weight`.

    As published, both have sensitivity `weight` (Proposition 1 of DP-GPL).
    """
    _positive("entries: weight", weight)
    note = f"a node moves one vote, of weight {weight:.6g}"
    ledger = []
    if asked.gate_sigma and asked.queries:
        ledger.append(
            LedgerEntry(
                kind=MechanismKind.GATE,
                mechanism="test of the largest count (gaussian)",
                stage="labels",
                event=gate_event(asked.gate_sigma, weight),
                count=asked.queries,
                noise_std=asked.gate_sigma,
                sensitivity=weight,
                note=note,
            )
        )
    if asked.answers:
        ledger.append(
            LedgerEntry(
                kind=MechanismKind.COUNTS,
                mechanism="noisy counts of votes (gaussian)",
                stage="labels",
                event=vote_event(asked.vote_sigma, weight),
                event_as_published=Gaussian(noise_multiplier=asked.vote_sigma / weight),
                count=asked.answers,
                noise_std=asked.vote_sigma,
                sensitivity=weight * math.sqrt(MOVED_COUNTS),
                note=f"{note}, from one class to another",
            )
        )
    return tuple(ledger)


def squared_mu(asked: Asked, weight: float = 1.0) -> float:
    """mu^2 = w^2 (Q/s1^2 + 2 A/s2^2) of everything that is asked, for the nodes of a teacher of `weight`."""
    return weight**2 * (_per_gate(asked.gate_sigma) * asked.queries + _per_answer(asked.vote_sigma) * asked.answers)


def epsilon_at(squared_mu: float, delta: float) -> float:
    """The smallest epsilon of a Gaussian of this mu^2 at `delta`, rounded up (Balle and Wang 2018, Theorem
    8).

    >>> round(epsilon_at(50 / 40**2 + 2 * 50 / 40**2, 1.5e-4), 2)
    0.94
    """
    check_delta(delta)
    if not squared_mu >= 0:
        raise ValueError(f"epsilon_at: squared_mu must not be negative (got {squared_mu})")
    if math.isinf(squared_mu):
        return math.inf
    return gaussian_epsilon(math.sqrt(squared_mu) * (1 + _ROUNDING), delta) * (1 + _ROUNDING)


def largest_squared_mu(epsilon: float, delta: float) -> float:
    """The largest mu^2 with `epsilon_at` not above `epsilon`: approached from below, so that epsilon
    holds."""
    if not 0 < epsilon < math.inf:
        raise ValueError(f"largest_squared_mu: epsilon must be positive and finite (got {epsilon})")
    if not 0 < delta < 1:
        raise ValueError(f"largest_squared_mu: delta must lie in (0, 1) (got {delta})")
    low, high = 0.0, 1.0
    while gaussian_delta(epsilon, high) <= delta:
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(epsilon, middle) <= delta else (low, middle)
    while (found := low**2) and epsilon_at(found, delta) > epsilon:
        low *= 1 - _ROUNDING
    return found


def teacher_epsilon(asked: Asked, weight: float, delta: float) -> float:
    """Epsilon of the nodes of a teacher of `weight`, whatever the votes are."""
    return epsilon_at(squared_mu(asked, weight), delta)


def vote_sigma_for(
    epsilon: float, delta: float, *, queries: int, answers: int, gate_sigma: float = 0.0, weight: float = 1.0
) -> float:
    """The smallest noise on counts that keeps `epsilon` for a teacher of `weight`, beside `queries` tests.

    Raises `CalibrationError` where the tests alone cost more.
    """
    if not 0 < answers <= queries:
        raise ValueError(f"vote_sigma_for: answers must lie between 1 and queries (got {answers} of {queries})")
    _positive("vote_sigma_for: weight", weight)
    left = largest_squared_mu(epsilon, delta) / weight**2 - _per_gate(gate_sigma) * queries
    if left <= 0:
        alone = epsilon_at(weight**2 * _per_gate(gate_sigma) * queries, delta)
        raise CalibrationError(f"{queries:,} tests with noise {gate_sigma:g} alone cost epsilon {alone:.3g}")
    return math.sqrt(_per_answer(1.0) * answers / left) * (1 + 10 * _ROUNDING)


class Filter:
    """Who may still vote, where no teacher's nodes may spend more than `limit_squared_mu`.

    A teacher takes part in a query only if its test and its answer both fit into what it has left; what it
    then spends depends on released outcomes alone.

    Guarantee: sqrt(limit_squared_mu)-GDP for each teacher's nodes, though who votes, and whether there is an
    answer, is chosen by what came before. Proof sketch (Smith and Thakurta 2022, Theorem 2; Koskela, Tobaben
    and Honkela 2023): fix a node. Given what was released, the next release is a Gaussian of shift m_t for
    it, where m_t is known from the past and the sum of m_t^2 never passes B. With G(mu) the trade-off of a
    Gaussian of shift mu, show by induction backwards that after spending b what is left is dominated by
    G(sqrt(B - b)): it is a Gaussian of shift m_t followed, whatever it showed, by something that
    G(sqrt(B - b - m_t^2)) dominates; for every c, H_c of the two is at most that of the two Gaussians, which
    are one of squared shift m_t^2 + B - b - m_t^2. What is not spent is padded by answers to nothing. No
    price is paid for adaptivity, and the weights need not be equal: each node has its own m_t.

    weights (N,): public. `tests` and `answers` (N,) count what each has taken part in.
    """

    def __init__(
        self,
        weights: Sequence[float] | Array,
        *,
        vote_sigma: float,
        gate_sigma: float = 0.0,
        limit_squared_mu: float = math.inf,
    ) -> None:
        if not limit_squared_mu > 0:
            raise ValueError(f"Filter: limit_squared_mu must be positive (got {limit_squared_mu})")
        _positive("Filter: vote_sigma", vote_sigma)
        self.weights = np.asarray(weights, dtype=np.float64)
        self.limit_squared_mu = limit_squared_mu
        self._gate, self._answer = _per_gate(gate_sigma), _per_answer(vote_sigma)
        self.tests = np.zeros(len(self.weights), dtype=np.int64)
        self.answers = np.zeros(len(self.weights), dtype=np.int64)

    @property
    def spent(self) -> Array:
        """mu^2 (N,) that each teacher's nodes have spent."""
        return self._cost(self.tests, self.answers)

    def may_vote(self) -> NDArray[np.bool_]:
        """(N,): whether one more test and one more answer fit into each teacher's limit."""
        fits: NDArray[np.bool_] = self._cost(self.tests + 1, self.answers + 1) <= self.limit_squared_mu
        return fits

    def charge(self, voting: NDArray[np.bool_] | None = None, *, gate: bool, answered: bool) -> None:
        """One query is over: `gate` says whether there was a test, `answered` whether there was an answer.

        voting (N,): who took part (none given: all who may). Raises `ValueError` where one took part who must
        not.
        """
        allowed = self.may_vote()
        took_part = allowed if voting is None else np.asarray(voting, dtype=np.bool_)
        if (took_part & ~allowed).any():
            raise ValueError("Filter.charge: a teacher that has reached its limit took part in a query")
        self.tests += took_part & gate
        self.answers += took_part & answered

    def epsilons(self, delta: float) -> Array:
        """Epsilon (N,) of what was spent. Not the guarantee, which is that of the limit or of all that is
        asked."""
        spent, place = np.unique(self.spent, return_inverse=True)
        return np.array([epsilon_at(float(one), delta) for one in spent])[place]

    def _cost(self, tests: NDArray[np.int64], answers: NDArray[np.int64]) -> Array:
        # From whole counts, so that no rounding piles up over many queries.
        return np.asarray(self.weights**2 * (self._gate * tests + self._answer * answers))


def dependent_trail(
    counts: Array,
    answered: NDArray[np.bool_],
    weights: Sequence[float] | Array,
    *,
    vote_sigma: float,
    gate_sigma: float,
    threshold: float,
    delta: float,
    voting: NDArray[np.bool_] | None = None,
) -> Array:
    """Data-dependent epsilon (Q, N) of each teacher after each query, as the paper reports it. Not private,
    no guarantee.

    counts (Q, C): weighted votes without noise; answered (Q,); weights (N,); voting (N, Q): who took part
    (none given: all). The chance q of an unlikely outcome is that of the noise as it was drawn; the Renyi
    cost (Papernot et al. 2018, Theorem 6) is that of noise sigma/w_i, individual as in Boenisch et al. 2023.
    Converted by Mironov 2017 at the best of `dpgpl.ORDERS`. `gate_sigma` 0: no tests.
    """
    check_delta(delta)
    weights = np.asarray(weights, dtype=np.float64)
    counts = np.asarray(counts, dtype=np.float64)
    took_part = np.ones((len(weights), len(counts)), dtype=np.bool_) if voting is None else voting
    orders, bill = dpgpl.ORDERS, math.log(1 / delta) / (dpgpl.ORDERS - 1)
    log_wrong = dpgpl.log_wrong(counts, vote_sigma)
    log_unlikely = dpgpl.log_unlikely(counts.max(axis=1), threshold, gate_sigma) if gate_sigma else None
    epsilons = np.zeros((len(counts), len(weights)))
    alike, place = np.unique(np.column_stack([weights, took_part]), axis=0, return_inverse=True)
    for number, row in enumerate(alike):
        weight, took = float(row[0]), row[1:, None]
        costs = dpgpl.dependent_rdps(log_wrong, vote_sigma / weight, orders) * answered[:, None]
        if log_unlikely is not None:
            costs = costs + dpgpl.dependent_rdps(log_unlikely, math.sqrt(2) * gate_sigma / weight, orders)
        total = np.cumsum(costs * took, axis=0)
        # Who has not taken part in anything has spent nothing.
        spent = np.where(np.cumsum(took[:, 0]) > 0, (total + bill).min(axis=1), 0.0)
        epsilons[:, place.ravel() == number] = spent[:, None]
    return epsilons


def dependent_epsilons(
    counts: Array,
    answered: NDArray[np.bool_],
    weights: Sequence[float] | Array,
    *,
    vote_sigma: float,
    gate_sigma: float,
    threshold: float,
    delta: float,
    voting: NDArray[np.bool_] | None = None,
) -> Array:
    """Data-dependent epsilon (N,) of each teacher after all queries: the last row of `dependent_trail`."""
    trail = dependent_trail(
        counts,
        answered,
        weights,
        vote_sigma=vote_sigma,
        gate_sigma=gate_sigma,
        threshold=threshold,
        delta=delta,
        voting=voting,
    )
    return trail[-1] if len(trail) else np.zeros(trail.shape[1])


def printed_epsilons(base: float, weights: Sequence[float] | Array) -> Array:
    """base w^2 (N,): the one law that all ranges printed in the paper obey. No guarantee scales so."""
    return base * np.asarray(weights, dtype=np.float64) ** 2


def _per_gate(sigma: float) -> float:
    """mu^2 of one test at weight 1; none without a gate."""
    return 1 / sigma**2 if sigma else 0.0


def _per_answer(sigma: float) -> float:
    """mu^2 of one answer at weight 1."""
    return MOVED_COUNTS / sigma**2


def _positive(name: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{name} must be positive and finite (got {value})")
