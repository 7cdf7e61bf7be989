"""Randomised response on edges: exact guarantees by enumeration, and the sampler against its own law."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.secrets_made_here import secret

from privgraph.mechanisms.randomised_response import (
    CountedResponse,
    Response,
    TooManyEdges,
    _Hits,
    asymmetric,
    false_edges,
    pair_codes,
    pair_count,
    pair_edges,
    randomise,
    symmetric,
)

PLENTY = 10**6


def edges_of(bits: tuple[int, ...], nodes: int, undirected: bool) -> np.ndarray:
    return pair_edges(np.flatnonzero(bits).astype(np.int64), nodes, undirected)


def bits_of(edge_index: np.ndarray, nodes: int, undirected: bool) -> tuple[int, ...]:
    bits = np.zeros(pair_count(nodes, undirected), dtype=int)
    bits[pair_codes(edge_index, nodes, undirected)] = 1
    return tuple(int(bit) for bit in bits)


def likelihood(output: tuple[int, ...], given_bits: tuple[int, ...], response: Response) -> float:
    """Probability of the output graph: the product over pairs."""
    total = 1.0
    for answer, truth in zip(output, given_bits, strict=True):
        one = response.one_to_one if truth else response.zero_to_one
        total *= one if answer else 1 - one
    return total


@pytest.mark.parametrize("undirected", [True, False])
@pytest.mark.parametrize("nodes", [1, 2, 3, 7])
def test_pairs_are_numbered_without_gaps_and_both_ways(nodes: int, undirected: bool) -> None:
    every = np.arange(pair_count(nodes, undirected), dtype=np.int64)
    edge_index = pair_edges(every, nodes, undirected)
    assert edge_index.shape == (2, nodes * (nodes - 1))
    assert len(set(map(tuple, edge_index.T))) == edge_index.shape[1]
    assert (edge_index[0] != edge_index[1]).all()
    assert np.array_equal(pair_codes(edge_index, nodes, undirected), every)


def test_numbers_of_a_large_graph_do_not_overflow() -> None:
    nodes = 1_800_000
    for undirected in (True, False):
        last = pair_count(nodes, undirected) - 1
        codes = np.array([0, 1, last // 2, last], dtype=np.int64)
        assert np.array_equal(pair_codes(pair_edges(codes, nodes, undirected), nodes, undirected), codes)


@given(epsilon=st.floats(0.01, 1000), density=st.floats(1e-9, 1))
def test_both_ratios_stay_within_epsilon(epsilon: float, density: float) -> None:
    for response in (symmetric(epsilon), asymmetric(epsilon, density)):
        first = math.log(response.one_to_one) - math.log(response.zero_to_one)
        second = math.log1p(-response.zero_to_one) - math.log1p(-response.one_to_one)
        assert 0 <= first <= epsilon
        assert 0 <= second <= epsilon
        # and no privacy is given away: one of the ratios is what was asked for
        assert max(first, second) >= min(epsilon, 27) * (1 - 1e-4)


@given(epsilon=st.floats(0.01, 20), density=st.floats(1e-6, 0.5))
def test_asymmetric_keeps_the_density(epsilon: float, density: float) -> None:
    response = asymmetric(epsilon, density)
    expected = density * response.one_to_one + (1 - density) * response.zero_to_one
    assert expected == pytest.approx(density, rel=1e-9)


@pytest.mark.parametrize("undirected", [True, False])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_likelihood_ratio_of_all_neighbours_on_three_nodes(epsilon: float, undirected: bool) -> None:
    pairs = pair_count(3, undirected)
    graphs = list(itertools.product((0, 1), repeat=pairs))
    for response in (symmetric(epsilon), asymmetric(epsilon, 1 / 3)):
        worst = 0.0
        for graph in graphs:
            assert sum(likelihood(output, graph, response) for output in graphs) == pytest.approx(1)
            for pair in range(pairs):
                neighbour = tuple(bit ^ (place == pair) for place, bit in enumerate(graph))
                ratios = [likelihood(o, graph, response) / likelihood(o, neighbour, response) for o in graphs]
                worst = max(worst, *ratios)
        assert worst <= math.exp(epsilon)
        assert worst >= math.exp(epsilon) * (1 - 1e-9), "the bound is reached: nothing is wasted"


def test_a_friendship_answers_once() -> None:
    """Both entries always agree; entries randomised one by one would disagree often, and cost twice."""
    edge_index = edges_of((1, 0, 1, 1, 0, 0, 1, 0, 0, 1), 5, undirected=True)
    stream = secret()
    seen: Counter[int] = Counter()
    for _ in range(300):
        source, target = randomise(edge_index, 5, symmetric(0.5), stream, undirected=True, most_edges=PLENTY)
        entries = set(zip(source.tolist(), target.tolist(), strict=True))
        assert entries == {(b, a) for a, b in entries}
        seen[len(entries) // 2] += 1
    assert len(seen) > 3, "the graphs do vary"


@pytest.mark.parametrize("undirected", [True, False])
def test_sampler_has_the_law_of_independent_answers(undirected: bool) -> None:
    """Every output graph on three nodes, of which many are in one graph, against the product law (chi-square
    at 1 in 10,000)."""
    graph = (1, 0, 1) if undirected else (1, 0, 0, 1, 0, 0)
    response = Response(one_to_one=0.6, zero_to_one=0.25)
    stream, copies, rounds = secret(1), 40, 300
    edge_index = np.concatenate([edges_of(graph, 3, undirected) + 3 * copy for copy in range(copies)], 1)
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(rounds):
        source, target = randomise(edge_index, 3 * copies, response, stream, undirected=undirected, most_edges=PLENTY)
        inside = source // 3 == target // 3
        source, target = source[inside], target[inside]
        for copy in range(copies):
            own = np.stack([source, target])[:, source // 3 == copy] - 3 * copy
            seen[bits_of(own, 3, undirected)] += 1
    outputs = list(itertools.product((0, 1), repeat=len(graph)))
    draws = copies * rounds
    expected = [draws * likelihood(output, graph, response) for output in outputs]
    assert stats.chisquare([seen[output] for output in outputs], expected).pvalue > 1e-4


def flip_counts(response: Response) -> tuple[int, int, int, int]:
    """Kept and joined, invented and unjoined pairs of one large randomised graph."""
    nodes, generator = 2000, np.random.default_rng(2)
    joined = np.sort(generator.choice(pair_count(nodes, True), size=40_000, replace=False))
    edge_index = pair_edges(joined, nodes, True)
    answers = pair_codes(
        randomise(edge_index, nodes, response, secret(2), undirected=True, most_edges=PLENTY), nodes, True
    )
    kept = len(np.intersect1d(answers, joined))
    return kept, len(joined), len(answers) - kept, pair_count(nodes, True) - len(joined)


def test_flip_probabilities_are_right_and_two_thirds_and_three_halves_are_not() -> None:
    response = asymmetric(2.0, 0.02)
    kept, joined, invented, unjoined = flip_counts(response)

    def fits(successes: int, trials: int, probability: float) -> bool:
        return bool(stats.binomtest(successes, trials, probability).pvalue > 1e-4)

    assert fits(kept, joined, response.one_to_one)
    assert fits(invented, unjoined, response.zero_to_one)
    for factor in (2 / 3, 3 / 2):
        assert not fits(kept, joined, factor * response.one_to_one)
        assert not fits(invented, unjoined, factor * response.zero_to_one)


def subsets_fit(subsets: np.ndarray, chance: float) -> bool:
    """Whether whole subsets (draws, n) come as often as independent coins of this chance would give them."""
    draws, width = subsets.shape
    seen = np.bincount(subsets @ (1 << np.arange(width)), minlength=1 << width)
    sizes = np.array([code.bit_count() for code in range(1 << width)])
    expected = draws * chance**sizes * (1 - chance) ** (width - sizes)
    few = expected < 5  # too few to count alone
    if few.any():
        seen, expected = (np.append(part[~few], part[few].sum()) for part in (seen, expected))
    return bool(stats.chisquare(seen, expected).pvalue > 1e-4)


@pytest.mark.parametrize("pairs", [1, 3, 4])
def test_the_last_block_is_cut_off_and_draws_are_independent(pairs: int) -> None:
    """Blocks of two numbers, and half a block."""
    stream, drawn = secret(9), np.zeros((3000, pairs), dtype=np.int64)
    for row in drawn:
        row[false_edges(pairs, 0.3, stream)] = 1
    assert subsets_fit(drawn, 0.3)
    assert subsets_fit(np.concatenate([drawn[0::2, :2], drawn[1::2, :2]], 1), 0.3)
    for wrong in (0.2, 0.45):
        assert not subsets_fit(drawn, wrong)


@pytest.mark.parametrize("rate", [1e-9, 1e-3, 0.0317, 0.45])
def test_the_number_and_the_places_of_drawn_numbers_have_their_laws(rate: float) -> None:
    pairs, draws = max(20, int(3 / rate)), 1000
    stream = secret(6)
    found = [false_edges(pairs, rate, stream) for _ in range(draws)]
    counts = np.array([len(one) for one in found])
    places = np.concatenate(found)
    assert all((np.diff(one) > 0).all() for one in found), "sorted, and each once"
    assert places.min() >= 0
    assert places.max() < pairs

    def fits(chance: float) -> bool:
        law, most = stats.binom(pairs, chance), int(stats.binom.isf(5 / draws, pairs, chance))
        seen = np.bincount(counts.clip(max=most), minlength=most + 1)
        expected = draws * np.append(law.pmf(np.arange(most)), law.sf(most - 1))
        low = int(np.searchsorted(np.cumsum(expected), 5.0))  # cells with fewer than five are pooled
        pooled = (np.append(part[: low + 1].sum(), part[low + 1 :]) for part in (seen, expected))
        return bool(stats.chisquare(*pooled).pvalue > 1e-4)

    assert fits(rate)
    for factor in (2 / 3, 3 / 2):
        assert not fits(factor * rate)
    assert stats.kstest((places + 0.5) / pairs, "uniform").pvalue > 1e-4 or pairs < 1000
    if pairs < 1000:
        assert stats.chisquare(np.bincount(places, minlength=pairs)).pvalue > 1e-4


@pytest.mark.parametrize(("size", "rate"), [(1, 0.49999), (1, 0.4), (2, 0.35), (12, 0.08), (999, 1e-3)])
def test_blocks_are_hit_a_poisson_number_of_times(size: int, rate: float) -> None:
    """The table of chances against SciPy's, and the draws against the table."""
    hits = _Hits.of(size, rate)
    mean = -math.log1p(-rate) * size
    exact = [chance / 2**256 for chance in hits.chances]
    assert exact == pytest.approx(stats.poisson.cdf(np.arange(len(exact)), mean), abs=1e-14)
    assert 1 - 2.0**-52 < exact[-1] <= 1, "what lies beyond the table has no chance that counts"
    draws = 40_000
    seen = np.bincount(hits.draw(draws, secret(7)), minlength=9)
    expected = draws * np.append(stats.poisson.pmf(np.arange(5), mean), stats.poisson.sf(4, mean))
    assert stats.chisquare(np.append(seen[:5], seen[5:].sum()), expected).pvalue > 1e-4
    wrong = draws * np.append(stats.poisson.pmf(np.arange(5), 1.5 * mean), stats.poisson.sf(4, 1.5 * mean))
    assert stats.chisquare(np.append(seen[:5], seen[5:].sum()), wrong).pvalue < 1e-4


class Told:
    """A stream that says what it is told to, and then nothing."""

    def __init__(self, words: list[int], integers: list[int]) -> None:
        self.told, self.integers = words, integers

    def words(self, count: int) -> np.ndarray:
        assert count == len(self.told)
        return np.array(self.told, dtype=np.uint64)

    def integer(self, bits: int) -> int:
        assert bits == 192
        return self.integers.pop(0)


def test_a_word_that_settles_nothing_is_settled_by_more_digits() -> None:
    hits = _Hits.of(3, 0.25)
    first, rest = hits.chances[1] >> 192, hits.chances[1] & (2**192 - 1)
    stream = Told([first - 1, first, first, first, first + 1], [rest - 1, rest, 0])
    # A number below the chance of at most one hit is one hit; from that chance on, it is two.
    assert hits.draw(5, stream).tolist() == [1, 1, 2, 1, 2]  # type: ignore[arg-type]
    assert stream.integers == []


def test_who_answers_by_chance_has_nothing_to_do_with_the_graph() -> None:
    """The same stream, three graphs: what is reported beside the joined pairs differs only where they lie."""
    nodes, response = 60, Response(one_to_one=0.6, zero_to_one=0.05)
    pairs = pair_count(nodes, True)
    generator = np.random.default_rng(0)
    graphs = [np.sort(generator.choice(pairs, 200, replace=False)) for _ in range(3)]
    reported = [
        pair_codes(
            randomise(pair_edges(joined, nodes, True), nodes, response, secret(8), undirected=True, most_edges=PLENTY),
            nodes,
            True,
        )
        for joined in graphs
    ]
    apart = np.setdiff1d(np.arange(pairs), np.concatenate(graphs))
    invented = [np.intersect1d(one, apart) for one in reported]
    assert len(invented[0]) > 20
    assert np.array_equal(invented[0], invented[1])
    assert np.array_equal(invented[0], invented[2])


def test_refuses_a_graph_that_would_not_fit_before_making_it() -> None:
    nothing = np.empty((2, 0), dtype=np.int64)
    with pytest.raises(TooManyEdges, match="asymmetric response"):
        randomise(nothing, 1_000_000, symmetric(1.0), secret(), undirected=True, most_edges=10**7)


def test_a_large_sparse_graph_is_randomised_in_little_memory() -> None:
    """Half a million nodes: 1.25e11 pairs are never laid out."""
    nodes, generator = 500_000, np.random.default_rng(0)
    joined = np.unique(generator.integers(pair_count(nodes, True), size=200_010))[:200_000]
    response = asymmetric(1.0, 200_000 / pair_count(nodes, True))
    edge_index = pair_edges(joined, nodes, True)
    noisy = randomise(edge_index, nodes, response, secret(), undirected=True, most_edges=PLENTY)
    assert noisy.shape[1] / 2 == pytest.approx(200_000, rel=0.02)


@pytest.mark.parametrize(("one", "zero"), [(0.0, 0.0), (1.0, 0.5), (0.2, 0.3), (0.5, 0.0)])
def test_a_response_cannot_be_built_wrong(one: float, zero: float) -> None:
    with pytest.raises(ValueError, match="zero_to_one"):
        Response(one_to_one=one, zero_to_one=zero)


@pytest.mark.parametrize("epsilon", [100.0, 250.0, 1000.0])
def test_the_rarest_false_edge_has_its_chance_in_the_digits_that_are_drawn(epsilon: float) -> None:
    """Were it never drawn, a true edge would prove itself."""
    for response in (symmetric(epsilon), asymmetric(epsilon, 1e-6)):
        for pairs in (1, 1000, 10**9):
            hits = _Hits.of(pairs, response.zero_to_one)
            assert 2**256 - hits.chances[0] == pytest.approx(pairs * response.zero_to_one * 2**256, rel=1e-9)


def test_a_count_is_paid_for_at_most_by_half_an_epsilon() -> None:
    """Less noise would buy nothing, and a lattice so fine ends below the numbers of edges that there are."""
    for epsilon in (0.5, 5.0, 20.0, 1000.0):
        counted = CountedResponse(epsilon=epsilon)
        assert counted.count_epsilon == min(0.1 * epsilon, 0.5)
        assert counted.count_epsilon + counted.response_epsilon == pytest.approx(epsilon)
        assert counted.count_epsilon + counted.response_epsilon <= epsilon
        assert CountedResponse.total(counted.response_epsilon) == pytest.approx(epsilon)
        assert counted.noisy_count(2_000_000, secret()) == pytest.approx(2_000_000, abs=1000)
