"""Noise on a lattice: its law and no other, its tails, its exact decisions, and what rounding to it costs."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import torch
from scipy import stats
from tests.secrets_made_here import secret

from privgraph import lattice
from privgraph.lattice import LATTICE_BITS, Sampler, add, add_untied, draw, rounded, rounding_margin, step_of
from privgraph.mechanisms import gaussian
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.laplace import LaplaceNoise
from privgraph.mechanisms.noisy_max import NoisyGate, NoisyMax, NoisyPosterior, NoisyVotes
from privgraph.papers.privgnn_releases import MAXIMA
from privgraph.privacy.events import Gaussian, NonPrivate
from privgraph.streams import Secret

LEVEL = 1e-5
"""Chance of a false alarm of each check."""
SCALE = 2.0**40 * 1.37

LAWS = {
    "gaussian": stats.norm.cdf,
    "exponential": stats.expon.cdf,
    "laplace": stats.laplace.cdf,
    "gumbel": stats.gumbel_r.cdf,
    "log-student": lambda v: 2 * stats.t.cdf(np.exp(v), 3) - 1,
}


class Told(Secret):
    """A stream whose next words are given, and then random."""

    def __init__(self, *words: int) -> None:
        super().__init__(b"a key that everybody knows", 0, "told")
        self._told = list(words)

    def words(self, count: int) -> np.ndarray:
        first, self._told = self._told[:count], self._told[count:]
        return np.concatenate([np.array(first, dtype=np.uint64), super().words(count - len(first))])


@pytest.mark.parametrize("kind", LAWS)
def test_noise_has_its_law_and_its_scale_and_no_other(kind: str) -> None:
    noise = lattice.sampler(kind, SCALE).draw(secret(), 100_000) / SCALE
    assert stats.kstest(noise, LAWS[kind]).pvalue > LEVEL
    for wrong in (2 / 3, 3 / 2):
        assert stats.kstest(noise * wrong, LAWS[kind]).pvalue < LEVEL
    for other in LAWS:
        if other != kind:
            assert stats.kstest(noise, LAWS[other]).pvalue < LEVEL
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 5 / math.sqrt(len(noise))


@pytest.mark.parametrize("kind", LAWS)
def test_the_last_bits_of_noise_are_uniform(kind: str) -> None:
    """Whoever looks at the place in its cell learns nothing: all steps of the lattice are used."""
    noise = lattice.sampler(kind, SCALE).draw(secret(3), 64_000)
    seen = np.bincount(noise & 63, minlength=64)
    assert stats.chisquare(seen).pvalue > LEVEL
    assert stats.chisquare(np.bincount((noise >> 20) & 63, minlength=64)).pvalue > LEVEL
    # a density is nearly flat within a cell, and mirrored numbers take its other half
    assert stats.chisquare(np.bincount((noise >> 30) & 63, minlength=64)).pvalue > LEVEL


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("scale", [2.0**40, SCALE, np.nextafter(2.0**41, 0)])
def test_the_chances_of_cells_are_those_of_the_density(kind: str, scale: float) -> None:
    """What the alias tables choose, times what is kept, is the law: compared with an independent quadrature
    at 60 digits."""
    own = Sampler(kind, scale)
    weights, shape = own._weights(), lattice._SHAPES[kind]
    chances: Counter[int] = Counter()
    for column in range(2048):
        part = Fraction(int(own._own[column]) * own._total + own._rests[column], own._total * 2**53)
        assert 0 <= part <= 1
        chances[column] += part
        chances[int(own._other[column])] += 1 - part
    total = sum(weights)
    for cell, weight in enumerate(weights):
        assert chances[cell] == Fraction(2048 * weight, total)
    # proportional to the highest density of each cell, at 1,000 digits and by another route than a recurrence
    with mpmath.workdps(1000):
        width = mpmath.mpf(2) ** 36 / mpmath.mpf(scale)
        edges = [(cell + own._first) * width for cell in (0, 1, 7, own._cells // 3, own._cells - 1)]
        tops = [mpmath.exp(shape.exactly(low + width if low < 0 else low)) for low in edges]
        for cell, top in zip((0, 1, 7, own._cells // 3, own._cells - 1), tops, strict=True):
            assert abs((mpmath.mpf(weights[cell]) / weights[own._cells // 3]) / (top / tops[3]) - 1) < 2.0**-60


@pytest.mark.parametrize("kind", LAWS)
def test_the_fall_within_a_cell_is_that_of_the_density(kind: str) -> None:
    """What a candidate is kept with, in doubles, against 60 digits; beside the doubt that is allowed it is
    exact."""
    own, shape = Sampler(kind, SCALE), lattice._SHAPES[kind]
    cells = np.array([0, 1, 7, own._cells // 3, own._cells - 1]) + own._first
    places = np.array([0.0, 0.25, 0.5, 0.75, 1 - 2.0**-36])
    found = shape.fall(cells, places, own._width)
    with mpmath.workdps(60):
        width = mpmath.mpf(2) ** 36 / mpmath.mpf(SCALE)
        for cell, place, one in zip(cells.tolist(), places.tolist(), found.tolist(), strict=True):
            top = shape.exactly((cell + (cell < 0)) * width)
            true = top - shape.exactly((cell + mpmath.mpf(place)) * width)
            assert 0 <= true < 60
            assert abs(mpmath.exp(-true) - mpmath.exp(-one)) < lattice._DOUBT / 100


def test_a_gaussian_has_tails_far_beyond_where_floats_end_theirs() -> None:
    """float32 normals of torch end at 5.77 standard deviations, those from doubles at 8.57; here cells reach
    to 64."""
    own = Sampler("gaussian", SCALE)
    width = 2.0**36 / SCALE
    assert own._cells * width >= 64
    weights = own._weights()
    for far in (5.77, 8.6, 12.0, 40.0):
        cell = math.ceil(far / width)
        beyond = Fraction(sum(weights[cell:]), sum(weights))
        # what is proposed there is a little more than what is kept
        true = (stats.norm.logsf(cell * width) + math.log(2)) / math.log(2)
        assert true < math.log2(beyond.numerator) - math.log2(beyond.denominator) < true + 2
        assert own._own[cell] or own._rests[cell], "a cell that no word chooses"


def test_tails_beyond_5_77_are_drawn_as_often_as_they_should_be() -> None:
    """The same sampler restricted to words that choose far columns: what is kept there follows the
    density."""
    own = Sampler("gaussian", 2.0**40)
    far = round(5.8 * 16)
    forced = own._weights()
    forced[:far] = [0] * far
    own._own, own._rests, own._total, own._other = lattice._alias(forced)
    found = np.abs(own.draw(secret(5), 20_000) + 0.5) / 2.0**40
    assert found.min() >= far / 16
    tail = stats.norm.sf(far / 16)
    assert stats.kstest(found, lambda x: 1 - stats.norm.sf(x) / tail).pvalue > LEVEL


def test_an_exponential_never_ends() -> None:
    own = Sampler("exponential", 2.0**40)
    forced = [0] * own._cells + [1]
    beyond = lattice._alias(forced)
    first, rests, total, other = own._own, own._rests, own._total, own._other
    calls = []

    def cell(words: np.ndarray, stream: Secret) -> np.ndarray:
        calls.append(len(words))
        if len(calls) == 1:
            own._own, own._rests, own._total, own._other = beyond
        else:
            own._own, own._rests, own._total, own._other = first, rests, total, other
        return Sampler._cell(own, words, stream)

    own._cell = cell  # type: ignore[method-assign]
    found = own._candidates(secret(), 5000) / 2.0**40
    assert found.min() >= 56
    assert stats.kstest(found - 56, stats.expon.cdf).pvalue > LEVEL


def test_doubtful_comparisons_are_settled_by_more_digits() -> None:
    """A place and a first comparison so near the density that 27 bits cannot tell: kept as often as the exact
    one says."""
    own = Sampler("gaussian", 2.0**40)
    cell, place = 40, 1 << 35  # t = 1/2, w = 1/16
    t, w = 0.5, 1 / 16
    keep = math.exp(-w * w * t * (cell + t / 2))
    first = int(keep * 2**27)
    share = keep * 2**27 - first
    kept = np.mean([own._settle(cell, place, first, secret(seed)) for seed in range(2000)])
    assert abs(kept - share) < 5 * math.sqrt(0.25 / 2000)
    assert own._settle(cell, place, first - 1, secret())
    assert not own._settle(cell, place, first + 1, secret())


@pytest.mark.parametrize("kind", ["gumbel", "log-student"])
def test_doubtful_comparisons_left_of_the_mode_are_with_the_right_end_of_a_cell(kind: str) -> None:
    own, cell, place = Sampler(kind, 2.0**40), -20, 1 << 35
    here, top = (own._shape.exactly(mpmath.mpf(x)) for x in ((cell + 0.5) / 16, (cell + 1) / 16))
    first = int(mpmath.exp(here - top) * 2**27)
    assert own._settle(cell, place, first - 1, secret())
    assert not own._settle(cell, place, first + 1, secret())


def test_no_doubt_is_decided_by_a_double(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates within two of the last of 27 bits go to `_settle`, and its word counts."""
    own = Sampler("gaussian", 2.0**40)
    cell, place = 40, 1 << 35
    first = int(math.exp(-(1 / 256) * 0.5 * (cell + 0.25)) * 2**27)
    word = (place << 27) | first
    for answer in (True, False):
        asked: list[tuple[int, int, int]] = []
        monkeypatch.setattr(
            own, "_settle", lambda *given, answer=answer, asked=asked: asked.append(given[:3]) or answer
        )
        monkeypatch.setattr(own, "_cell", lambda words, stream: np.full(len(words), cell))
        kept = own._candidates(Told(0, word), 1)
        assert asked == [(cell, place, first)]
        assert len(kept) == answer


def test_ties_of_a_column_are_settled_by_a_coin() -> None:
    own = Sampler("gaussian", 2.0**40)
    column = next(c for c in range(2048) if own._rests[c] and int(own._other[c]) != c)
    word = (column << 53) | int(own._own[column])
    share = own._rests[column] / own._total
    streams = [Told(word, seed * 2**52) for seed in range(4096)]
    found = [int(own._cell(stream.words(1), stream)[0]) == column for stream in streams]
    assert np.mean(found) == pytest.approx(share, abs=1e-3)


def test_values_are_rounded_by_half_a_step_and_whatever_is_no_number_is_nothing() -> None:
    step = step_of(3.0)
    values = np.array([0.0, step / 4, step * 0.75, -step * 2.25, np.nan, np.inf, -np.inf, 1e300, -1e300, 5e-324])
    assert rounded(values, step).tolist() == [0, 0, 1, -2, 0, 2**62, -(2**62), 2**62, -(2**62), 0]
    many = np.random.default_rng(0).normal(size=10_000) * 1e5
    assert np.abs(rounded(many, step) * step - many).max() <= step / 2


@pytest.mark.parametrize("scale", [1e-150, 0.3, 1.0, 244.0, 1e150])
def test_a_step_is_a_power_of_two_between_2_to_the_41_and_2_to_the_40_part_of_a_scale(scale: float) -> None:
    step = step_of(scale)
    assert math.frexp(step)[0] == 0.5
    assert 2.0**LATTICE_BITS <= scale / step < 2.0 ** (LATTICE_BITS + 1)
    with pytest.raises(ValueError, match="1e-200"):
        step_of(0.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_sum_is_exact_and_on_the_lattice_whatever_the_data_are(dtype: torch.dtype) -> None:
    """Two neighbouring quantities with the same stream differ by their difference, to the last bit, and not
    by rounding of noise."""
    mechanism = GaussianNoise(std=1.0, sensitivity=1.0)
    here = torch.tensor([0.0, 1e6, -3.0, 1e-30, 0.1], dtype=torch.float64)
    moved = here.clone()
    moved[2] += 1.0
    outs = [mechanism.add_(value.clone(), secret(2)) for value in (here, moved)]
    step = step_of(1.0 * rounding_margin(1.0, 2 * math.sqrt(5)))
    for out in outs:
        assert torch.equal(out / step, (out / step).round())
    assert torch.equal((outs[1] - outs[0]) / step, (moved - here) / step)
    low = [mechanism.add_(value.to(dtype), secret(2)) for value in (here, moved)]
    for one, other in zip(low, outs, strict=True):
        assert torch.allclose(one.double(), other, rtol=2e-7)


def test_noise_is_larger_by_what_rounding_adds() -> None:
    """(sensitivity + growth step)/s' is at most sensitivity/s: the counted multiplier holds for the rounded
    quantity."""
    for multiplier in (0.3, 5.0, 1000.0):
        for growth in (2.0, 2e4):
            wider = rounding_margin(multiplier, growth)
            assert wider > 1
            scale = multiplier * wider  # sensitivity 1
            assert Fraction(1) + Fraction(growth) * Fraction(step_of(scale)) <= Fraction(scale) / Fraction(multiplier)
    with pytest.raises(ValueError, match="too fine"):
        rounding_margin(1e9, 1e4)


def test_every_mechanism_draws_noise_that_pays_for_its_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two neighbouring quantities are rounded by up to half a step each, in every number: a step a number in
    all."""
    drawn: list[float] = []

    def telling(kind: str, scale: float, stream: Secret, count: int) -> np.ndarray:
        drawn.append(scale)
        return draw(kind, scale, stream, count)

    monkeypatch.setattr(lattice, "draw", telling)
    monkeypatch.setattr(gaussian, "draw", telling)
    counts, scale = np.zeros((4, 4)), 64.0  # a power of two, so that a step is the largest share of it
    noisy: list[tuple[float, float, Callable[[], object]]] = [
        (2.0, 100.0, lambda: GaussianNoise(std=scale, sensitivity=2.0).add_(torch.zeros(10_000), secret())),
        (2.0, 10_000.0, lambda: LaplaceNoise(scale=scale, sensitivity=2.0).noisy(np.zeros(10_000), secret())),
        (1.0, 4.0, lambda: NoisyVotes(std=scale).noisy(counts, secret())),
        (0.1, 1.0, lambda: NoisyGate(std=scale, threshold=0.0, weight=0.1).passes(counts, secret())),
        (1.0, 1.0, lambda: NoisyGate(std=scale, threshold=0.0).passes(counts, secret())),
    ]
    for kind in MAXIMA:
        for weight in (1.0, 0.1):
            mechanism = NoisyMax(kind=kind, scale=scale, weight=weight)
            noisy.append((weight, 4.0, lambda mechanism=mechanism: mechanism.noisy(counts, secret())))
    for sensitivity, growth, release in noisy:
        drawn.clear()
        release()
        (found,) = drawn
        moved = Fraction(sensitivity) + Fraction(growth) * Fraction(step_of(found))
        assert moved / Fraction(found) <= Fraction(sensitivity) / Fraction(scale)
    drawn.clear()
    NoisyPosterior(lam=1 / scale, classes=4).noisy(counts, secret())
    assert drawn[0] >= scale * (1 + 2.0**-30)


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
def test_a_mirrored_number_has_its_floor(kind: str) -> None:
    """The floor of -x is -k - 1 where that of x is k: zero is not hit from both sides."""
    smallest, sign = 0, 1 << 63  # the first cell, the first place in it, and kept
    found = Sampler(kind, SCALE)._candidates(Told(0, 0, smallest, smallest | sign), 2)
    assert found.tolist() == [0, -1]


def test_ties_are_broken_by_chance() -> None:
    """Two counts that come out equal on the lattice: each is the largest half of the time, a third one
    never."""
    steps = np.tile(np.array([5, 7, 7, 1]), (4000, 1))
    winners = Counter(lattice.untie(steps, secret()).argmax(1).tolist())
    assert set(winners) == {1, 2}
    assert abs(winners[1] - 2000) < 5 * math.sqrt(1000)
    assert np.array_equal(lattice.untie(np.array([[3, 2, 1]]), secret()), [[3, 2, 1]])
    several = Counter(lattice.untie(np.full((6000, 3), 7), secret()).argmax(1).tolist())
    assert stats.chisquare([several[place] for place in range(3)]).pvalue > LEVEL


def test_the_largest_of_noisy_values_is_as_the_law_has_it() -> None:
    counts = np.array([3.0, 2.0, 0.0])
    found = add_untied("gumbel", 2.0, np.tile(counts, (20_000, 1)), secret()).argmax(1)
    chances = np.exp(counts / 2) / np.exp(counts / 2).sum()
    assert stats.chisquare(np.bincount(found, minlength=3), chances * 20_000).pvalue > LEVEL


def test_noise_that_was_drawn_ahead_is_kept_for_its_law_and_its_scale() -> None:
    """One stream serves several scales, a few numbers at a time: their lattices can have one and the same
    step."""
    stream, asked = secret(), [("gaussian", 1.0), ("gaussian", 1.9), ("laplace", 1.0), ("laplace", 1.9)]
    found = [
        np.concatenate(drawn)
        for drawn in zip(*([draw(*one, stream, 7) for one in asked] for _ in range(400)), strict=True)
    ]
    for (kind, scale), noise in zip(asked, found, strict=True):
        assert stats.kstest(noise * step_of(scale) / scale, LAWS[kind]).pvalue > LEVEL


def test_many_numbers_have_noise_of_their_own_in_every_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaussian, "_CHUNK", 1000)
    values = torch.zeros(3500, dtype=torch.float64)
    found = GaussianNoise(std=1.0, sensitivity=1.0).add_(values, secret())
    assert len(set(found.tolist())) == len(found)
    assert stats.kstest(found.numpy(), "norm").pvalue > LEVEL
    across = torch.zeros(40, 9).t()
    assert GaussianNoise(std=1.0, sensitivity=1.0).add_(across, secret()) is across
    assert bool((across != 0).all())


def test_the_event_of_gaussian_noise_is_relative_to_the_sensitivity() -> None:
    assert GaussianNoise(std=3.0, sensitivity=2.0).event() == Gaussian(noise_multiplier=1.5)
    assert isinstance(GaussianNoise(std=0.0, sensitivity=2.0).event(), NonPrivate)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_is_no_number_is_nothing_under_the_noise(dtype: torch.dtype) -> None:
    mechanism = GaussianNoise(std=1.0, sensitivity=1.0)
    found = mechanism.add_(torch.tensor([math.nan, 1.0, math.inf, -math.inf], dtype=dtype), secret())
    clean = mechanism.add_(torch.tensor([0.0, 1.0, 0.0, 0.0], dtype=dtype), secret())
    assert torch.equal(found[:2], clean[:2])
    assert float(found[2]) > 1e6
    assert float(found[3]) < -1e6


def test_few_numbers_at_once_have_the_law_of_many_and_none_is_used_twice() -> None:
    stream = secret()
    found = np.concatenate([draw("gaussian", 1.0, stream, 7) for _ in range(3000)])
    assert len(set(found.tolist())) == len(found)
    assert stats.kstest(found * step_of(1.0), "norm").pvalue > LEVEL
    assert not np.array_equal(add("gaussian", 1.0, np.zeros(9), stream), add("gaussian", 1.0, np.zeros(9), stream))
