"""Randomised response on the edges of a graph: every pair of nodes answers once, and may lie. No torch.

Warner 1965; for graphs Wu et al. 2022 (LinkTeller, EdgeRand); asymmetric probabilities after Imola et al.
2022 (Communication-Efficient Triangle Counting under Local Differential Privacy, section 4), as GAP and
ProGAP use them.

Formal guarantee. Unit: one edge. Relation: two graphs on the same nodes that differ in one pair (undirected:
one friendship, which is two entries of the adjacency matrix but one pair here; directed: one arc). An answer
is 1 with probability p = `one_to_one` where the pair is joined and r = `zero_to_one` where it is not. Claim:
the output graph is epsilon-private with epsilon the larger of |log(p / r)| and |log((1 - r) / (1 - p))|, and
delta 0. Proof: the pairs answer independently, each once, so the probability of an output graph is a product
over pairs; two neighbouring inputs share every factor but one, whose ratio is p / r or (1 - p) / (1 - r) or
the inverse of one. The two entries of a friendship are written from the one answer, which is post-processing.
(Randomising the two entries separately, as a matrix-wise implementation does, would reveal two answers and
cost twice as much.)
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

import mpmath
import numpy as np
from numpy.typing import NDArray

from privgraph import lattice
from privgraph.options import OptionError
from privgraph.privacy.events import Laplace, PureDP, RandomizedResponse
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry
from privgraph.streams import Secret

Int64s = NDArray[np.int64]

LARGEST_EPSILON = 128.0
"""Beyond it 256 digits cannot hold the chance of a false edge (`_Hits`); the guarantee at 128 is used, which
is smaller."""

SHAVE = 1e-12
"""Probabilities are moved towards privacy by this share, so that rounding never exceeds the epsilon asked
for."""


class TooManyEdges(OptionError):
    """The randomised graph would not fit; the message is one sentence for the user."""


@dataclass(frozen=True, kw_only=True)
class Response:
    """The two probabilities of answering 1: on a pair that is joined and on one that is not."""

    one_to_one: float
    zero_to_one: float

    def __post_init__(self) -> None:
        if not 0 < self.zero_to_one <= self.one_to_one < 1:
            raise ValueError(
                "Response needs 0 < zero_to_one <= one_to_one < 1 "
                f"(got zero_to_one {self.zero_to_one:g}, one_to_one {self.one_to_one:g})"
            )

    def event(self) -> RandomizedResponse:
        return RandomizedResponse(one_to_one=self.one_to_one, zero_to_one=self.zero_to_one)


def symmetric(epsilon: float) -> Response:
    """Warner's response: the truth with probability e^eps / (1 + e^eps), for joined and unjoined pairs
    alike."""
    _check(epsilon)
    return _response(1.0, min(epsilon, LARGEST_EPSILON))


def asymmetric(epsilon: float, density: float) -> Response:
    """The response at `epsilon` that keeps the expected number of edges, where `density` is |E| over the
    pairs.

    r = p e^-eps, and p solves density p + (1 - density) r = density; p is at most e^eps / (1 + e^eps), beyond
    which the other ratio, (1 - r) / (1 - p), would exceed e^eps (Imola et al. 2022: their mu is this p). It
    equals Warner's response followed by keeping each reported edge with a fixed probability, and so costs no
    more.
    """
    _check(epsilon)
    if not 0 < density <= 1:
        raise ValueError(f"density must lie in (0, 1] (got {density})")
    epsilon = min(epsilon, LARGEST_EPSILON)
    return _response(density / (density + (1 - density) * math.exp(-epsilon)), epsilon)


COUNT_SHARE, COUNT_EPSILON = 0.1, 0.5
"""Share of epsilon that the noisy number of edges costs, as in the GAP and ProGAP code, and what it costs at
most: its noise has a standard deviation of 3 then."""


@dataclass(frozen=True, kw_only=True)
class CountedResponse:
    """The asymmetric response at `epsilon` in all, whose probabilities follow a noisy number of edges.

    Unit: one edge; relation: it is there or not. Guarantee: `epsilon`, delta 0. Proof sketch: the number of
    edges moves by 1, and its Laplace noise has scale 1 / `count_epsilon`; whatever number comes out, the
    answers at the probabilities that it sets are private at `response_epsilon`; the two costs add up to
    epsilon at most, since the second mechanism may be chosen by what the first released.
    """

    epsilon: float

    @property
    def response_epsilon(self) -> float:
        """What the answers may cost: moved towards privacy by a hair, so that no rounding of the sum exceeds
        epsilon."""
        return (self.epsilon - self.count_epsilon) * (1 - SHAVE)

    @property
    def count_epsilon(self) -> float:
        """What the number of edges costs."""
        return min(self.epsilon * COUNT_SHARE, COUNT_EPSILON)

    @property
    def count_scale(self) -> float:
        """The scale b of the Laplace noise on the number of edges, whose sensitivity is 1."""
        return 1 / self.count_epsilon

    @staticmethod
    def total(response_epsilon: float) -> float:
        """The epsilon in all at which the answers cost that much."""
        answers = response_epsilon / (1 - SHAVE)
        return min(answers / (1 - COUNT_SHARE), answers + COUNT_EPSILON)

    def noisy_count(self, edges: int, counted: Secret) -> float:
        """The number of edges that is paid for: the only one that may be read further on."""
        return float(lattice.add("laplace", self.count_scale, np.array([float(edges)]), counted)[0])

    def response(self, count: float, pairs: int) -> Response:
        """The answers that keep `count` edges on average, cut to between one and all of `pairs`."""
        return asymmetric(self.response_epsilon, min(max(count, 1.0), float(pairs)) / pairs)

    def randomise(
        self, edge_index: Int64s, nodes: int, answers: Secret, counted: Secret, *, undirected: bool, most_edges: int
    ) -> Int64s:
        """As `randomise`, with coins that follow the noisy number."""
        count = self.noisy_count(edge_index.shape[1] // (2 if undirected else 1), counted)
        response = self.response(count, pair_count(nodes, undirected))
        return randomise(edge_index, nodes, response, answers, undirected=undirected, most_edges=most_edges)

    def entries(self, what: str) -> tuple[LedgerEntry, LedgerEntry]:
        """What is spent, in order; the probabilities are not known before, and their epsilon is."""
        count = LedgerEntry(
            kind=MechanismKind.EDGE_COUNT,
            mechanism="Laplace",
            stage=f"number of {what}",
            event=Laplace(noise_multiplier=self.count_scale),
            noise_std=2**0.5 * self.count_scale,
            sensitivity=1.0,
            norm="L1",
        )
        answers = LedgerEntry(
            kind=MechanismKind.RANDOMISED_RESPONSE,
            mechanism="randomised response",
            stage=what,
            event=PureDP(epsilon=self.response_epsilon),
            note=f"each pair once, with probabilities that keep the noisy number of {what}",
        )
        return count, answers


def _response(wanted: float, epsilon: float) -> Response:
    one = min(wanted, 1 / (1 + math.exp(-epsilon))) * (1 - SHAVE)
    return Response(one_to_one=one, zero_to_one=min(one, one * math.exp(-epsilon) * (1 + SHAVE)))


def _check(epsilon: float) -> None:
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive (got {epsilon})")


def pair_count(nodes: int, undirected: bool) -> int:
    """How many pairs can be joined: |V| (|V| - 1), or half of it where direction does not matter."""
    return nodes * (nodes - 1) // (2 if undirected else 1)


def pair_codes(edge_index: Int64s, nodes: int, undirected: bool) -> Int64s:
    """The (2, |E|) edges as sorted numbers from 0 to `pair_count` - 1; an undirected pair is numbered
    once."""
    source, target = edge_index
    if undirected:
        kept = source < target
        source, target = source[kept], target[kept]
        codes = _row_starts(nodes, undirected)[source] + target - source - 1
    else:
        codes = source * (nodes - 1) + target - (target > source)
    return np.sort(codes.astype(np.int64))


def pair_edges(codes: Int64s, nodes: int, undirected: bool) -> Int64s:
    """The inverse of `pair_codes`: (2, |E|) rows (source, target) by target, then source; both directions if
    undirected."""
    starts = _row_starts(nodes, undirected)
    source = np.searchsorted(starts, codes, side="right") - 1
    within = codes - starts[source]
    if undirected:
        target = source + 1 + within
        source, target = np.concatenate([source, target]), np.concatenate([target, source])
    else:
        target = within + (within >= source)
    order = np.lexsort((source, target))
    return np.stack([source[order], target[order]]).astype(np.int64)


def _row_starts(nodes: int, undirected: bool) -> Int64s:
    rows = np.arange(nodes, dtype=np.int64)
    # The last row of an undirected numbering is empty; leaving it out keeps the starts strictly increasing.
    return rows[:-1] * (2 * nodes - rows[:-1] - 1) // 2 if undirected else rows * (nodes - 1)


def randomise(
    edge_index: Int64s,
    nodes: int,
    response: Response,
    secret: Secret,
    *,
    undirected: bool,
    most_edges: int,
) -> Int64s:
    """The edges that are reported, (2, |E'|) as `pair_edges` gives them, in memory of the order of |E| +
    |E'|.

    Each joined pair is kept with probability p; each other is reported with probability r, for which all
    pairs are asked whether they are joined or not (`false_edges`), so that who answers 1 by chance has
    nothing to do with the graph. Raises `TooManyEdges` where more than `most_edges` false edges are to be
    expected: the true ones have no say in it, as a refusal is seen.
    """
    joined = pair_codes(edge_index, nodes, undirected)
    pairs = pair_count(nodes, undirected)
    refuse_if_too_many(pairs * response.zero_to_one, most_edges)
    kept = joined[secret.coins(response.one_to_one, len(joined))]
    false = false_edges(pairs, response.zero_to_one, secret)
    return pair_edges(np.concatenate([kept, np.setdiff1d(false, joined, assume_unique=True)]), nodes, undirected)


def false_edges(pairs: int, rate: float, secret: Secret) -> Int64s:
    """Which of `pairs` numbers are drawn, each independently with probability `rate`, without a look at each;
    sorted.

    A number is drawn where a Poisson process of intensity l = -log(1 - rate) a number hits it: at least once
    with chance 1 - e^-l = rate, independently for all. The process runs block by block: m = floor(1/l)
    numbers (at least one) are hit a Poisson(m l) number of times together, each time a uniform one of them.
    """
    if not pairs:
        return np.empty(0, dtype=np.int64)
    intensity = -math.log1p(-rate)
    size = min(max(1, int(1 / intensity)), pairs)
    hits = _Hits.of(size, rate).draw(-(-pairs // size), secret)
    numbers = np.repeat(np.arange(len(hits)) * size, hits) + secret.below(size, int(hits.sum()))
    return np.unique(numbers[numbers < pairs])


@dataclass(frozen=True, eq=False)
class _Hits:
    """How often a block is hit: `chances[k]` is 2^256 times the chance of at most k times, `first` its first
    64 bits."""

    chances: list[int]
    first: NDArray[np.uint64]

    @staticmethod
    @lru_cache(maxsize=64)
    def of(size: int, rate: float) -> _Hits:
        with mpmath.workprec(320):
            mean = -mpmath.log(1 - mpmath.mpf(rate)) * size
            term = total = mpmath.exp(-mean)
            chances = []
            while total < 1 - mpmath.mpf(2) ** -250:
                chances.append(int(total * 2**256))
                term *= mean / len(chances)
                total += term
        return _Hits(chances, np.array([chance >> 192 for chance in chances], dtype=np.uint64))

    def draw(self, blocks: int, secret: Secret) -> Int64s:
        """(blocks,): by the first 64 binary digits of a uniform number, or by 256 where these settle
        nothing."""
        words = secret.words(blocks)
        hits = np.searchsorted(self.first, words, side="right")
        for tie in np.flatnonzero(np.isin(words, self.first)):
            digits = (int(words[tie]) << 192) | secret.integer(192)
            hits[tie] = bisect_right(self.chances, digits)
        return np.asarray(hits, dtype=np.int64)


def refuse_if_too_many(expected: float, most_edges: int) -> None:
    """Raise `TooManyEdges` where more edges are expected than may be."""
    if expected > most_edges:
        raise TooManyEdges(
            f"randomised response would make about {expected:.3g} edges, more than the {most_edges:,} "
            "allowed: use the asymmetric response, a larger epsilon or a smaller graph"
        )
