"""Numerical privacy-loss distributions on dp-accounting: tight, and pessimistic wherever they round.

Both directions (unit removed, unit added) are composed, and the larger epsilon counts. Grids are built with
the pessimistic connect-the-dots rule (Doroshenko et al. 2022), whose hockey-stick curve lies on or above
the true one everywhere, so that no choice of grid can make an epsilon too small.
"""

import importlib
import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from privgraph.privacy import convolution, subgraph_laws, subgraphs
from privgraph.privacy import sampled_terms as terms
from privgraph.privacy.composition import (
    Mechanism,
    amplified,
    check_delta,
    flatten,
    gaussian_epsilon,
    gaussian_mu,
    inside_sample,
    laws,
    pure_epsilon,
)
from privgraph.privacy.convolution import Composition, Losses
from privgraph.privacy.events import (
    Atoms,
    BoundedRange,
    Composed,
    Gaussian,
    Laplace,
    NonPrivate,
    PoissonSampled,
    PrivacyEvent,
    PureDP,
    RandomizedResponse,
    Repeated,
    RevealedMixture,
    SampledOnce,
    SampledSubgraphs,
    SampledTerms,
)
from privgraph.privacy.hockey_sticks import Curves
from privgraph.privacy.renyi import RenyiAccountant

Array = NDArray[np.float64]

_NEGLIGIBLE = 1e-14
"""What all mechanisms together may move to an infinite loss, or a thousandth of delta if that is less."""

LARGEST_EPSILON = 500.0
"""Above it exp(-loss) loses its digits, and nobody needs a tight number."""

_LARGEST_GRID = 400_000
_LARGEST_FROM_BELOW = 6_000_000
"""Points of one mechanism's grid: a coarser one is still a bound, and memory stays small."""


class PLDAccountant:
    """Tight upper bounds on epsilon; plain Gaussians alone are composed exactly, in closed form.

    `accuracy` is the relative excess aimed at; the grid is chosen from it, from a Renyi bound on
    epsilon and from the number of compositions. Infinite where double precision cannot resolve the answer
    (epsilon above 500, delta below what the grids of rare mechanisms leave): a bound still, and `tight` then
    prefers another. At delta 0 the largest losses are added.
    """

    name = "privacy-loss distribution"

    def __init__(self, accuracy: float = 1e-4) -> None:
        if not 0 < accuracy <= 0.1:
            raise ValueError(f"accuracy must lie in (0, 0.1] (got {accuracy})")
        self.accuracy = accuracy
        self._coarse = RenyiAccountant()

    def supports(self, event: PrivacyEvent) -> bool:
        """Every event of `privacy.events`."""
        flatten(event)
        return True

    def epsilon(self, event: PrivacyEvent, delta: float) -> float:
        """An upper bound on epsilon at `delta` in [0, 1)."""
        check_delta(delta)
        mechanisms: list[tuple[Mechanism, int]] = []
        for mechanism, count in flatten(event):
            if isinstance(mechanism, NonPrivate):
                return math.inf
            mechanisms.append((mechanism, count))
        mu = gaussian_mu(tuple(mechanisms))
        others: list[tuple[Mechanism, int]] = [
            (mechanism, count) for mechanism, count in mechanisms if not isinstance(mechanism, Gaussian)
        ]
        if not others:
            return gaussian_epsilon(mu, delta)
        alone, count = mechanisms[0]
        if isinstance(alone, SampledOnce) and len(mechanisms) == count == 1:
            # In closed form, and no sample of rate delta or less says anything at this delta.
            return 0.0 if delta >= alone.rate else amplified(self.epsilon(alone.event, delta / alone.rate), alone.rate)
        worst = sum(count * pure_epsilon(mechanism) for mechanism, count in mechanisms)
        if delta == 0:
            return worst
        guess = min(worst, self._guess(mechanisms, delta))
        if guess > LARGEST_EPSILON:
            return math.inf
        if mu:
            others.append((Gaussian(noise_multiplier=1 / mu), 1))
        found = _compose(tuple(others), self._interval(guess, others), delta)
        return min(worst, found)

    def _guess(self, mechanisms: Sequence[tuple[Mechanism, int]], delta: float) -> float:
        """A Renyi bound; for sampled subgraphs, where those say nothing, a guess. Grids are chosen by it."""
        sampled = tuple((one, count) for one, count in mechanisms if isinstance(one, SampledSubgraphs))
        others = tuple(
            Repeated(event=one, count=count) for one, count in mechanisms if not isinstance(one, SampledSubgraphs)
        )
        found = self._coarse.epsilon(Composed(others), delta)
        return found + guessed_epsilon(sampled, delta) if sampled else found

    def _interval(self, guess: float, mechanisms: Sequence[tuple[Mechanism, int]]) -> float:
        """Grid spacing: a composition of T pairs on a grid h drifts by no more than about T h^2 / 8."""
        compositions = sum(count for _, count in mechanisms)
        scale = max(guess, 1e-3)
        # Curves of sampled subgraphs are dear, and a hundredth of epsilon is fine enough for a single step of
        # them.
        finest = 100 if any(isinstance(mechanism, SampledSubgraphs) for mechanism, _ in mechanisms) else 10
        wanted = min(math.sqrt(4 * self.accuracy * scale / compositions), finest * self.accuracy * scale)
        return max(wanted, 2 * max(_reach(mechanism) for mechanism, _ in mechanisms) / _LARGEST_GRID)


@lru_cache(maxsize=256)
def _compose(mechanisms: tuple[tuple[Mechanism, int], ...], interval: float, delta: float) -> float:
    """Epsilon of the composition on one grid. Remembered: calibrations of one plan ask the same again."""
    directions = _directions(mechanisms, interval, min(_NEGLIGIBLE, delta * 1e-3))
    return max(convolution.bound_epsilon(one, interval, delta) for one in directions)


def _directions(
    mechanisms: Sequence[tuple[Mechanism, int]], interval: float, negligible: float
) -> list[list[tuple[Losses, int]]]:
    """The losses of all mechanisms, the unit removed, and the unit added where that differs."""
    grids = [(distribution(one, interval, negligible / count), count) for one, count in mechanisms]
    ways = ("_pmf_remove",) if all(grid._symmetric for grid, _ in grids) else ("_pmf_remove", "_pmf_add")
    return [[(Losses.from_pmf(getattr(grid, way)), count) for grid, count in grids] for way in ways]


@cache
def _library() -> Any:
    """dp-accounting's module of distributions, imported at its first use: it takes a second, and pages start
    in one."""
    return importlib.import_module("dp_accounting.pld.privacy_loss_distribution")


def guessed_epsilon(sampled: tuple[tuple[SampledSubgraphs, int], ...], delta: float) -> float:
    """The epsilon of one Gaussian instead: enough to choose a grid by."""
    mu = math.sqrt(sum(count * subgraphs.guessed_squared_mu(one) for one, count in sampled))
    return gaussian_epsilon(mu, delta) if mu < LARGEST_EPSILON else math.inf


def _reach(mechanism: Mechanism) -> float:
    """The largest privacy loss that its grid needs; sampling only shrinks it."""
    base = mechanism.event if isinstance(mechanism, PoissonSampled) else mechanism
    if isinstance(base, Gaussian):
        return _gaussian_reach(1 / base.noise_multiplier)
    if isinstance(base, RevealedMixture):
        return _gaussian_reach(1 / min(base.noise_multipliers))
    if isinstance(base, Laplace | PureDP | BoundedRange):
        return pure_epsilon(base)
    if isinstance(base, SampledOnce):
        return _sample_reach(base, 1e-17)
    if isinstance(base, SampledTerms):
        return min(terms.reach(base), LARGEST_EPSILON)
    if isinstance(base, SampledSubgraphs):
        return min(subgraph_laws.reach(base, 1e-18), LARGEST_EPSILON)
    return _span(*(np.asarray(law, dtype=np.float64) for law in laws(base)))


def _gaussian_reach(mu: float) -> float:
    """Beyond it a Gaussian pair has less than e^-45 left."""
    return mu * mu / 2 + 9.5 * mu


def _span(p: Array, q: Array) -> float:
    """The largest finite absolute loss of a pair of discrete laws."""
    finite = (p > 0) & (q > 0)
    return float(np.abs(np.log(p[finite] / q[finite])).max()) if finite.any() else 0.0


def distribution(mechanism: Mechanism, interval: float, negligible: float = 1e-18) -> Any:
    """One mechanism as a `PrivacyLossDistribution` on a grid of spacing `interval`.

    At most `negligible` probability is moved to an infinite loss, in mixtures of very many parts.
    """
    if isinstance(mechanism, Gaussian):
        return _library().from_gaussian_mechanism(
            mechanism.noise_multiplier, value_discretization_interval=interval, **_cut(negligible)
        )
    if isinstance(mechanism, Laplace):
        return _library().from_laplace_mechanism(mechanism.noise_multiplier, value_discretization_interval=interval)
    if isinstance(mechanism, RandomizedResponse | PureDP | Atoms):
        return _from_laws(*laws(mechanism), interval)
    if isinstance(mechanism, BoundedRange):
        return _sampled(partial(range_curve, length=mechanism.epsilon), 1.0, mechanism.epsilon, interval)
    if isinstance(mechanism, SampledOnce):
        return _sampled_once(mechanism, interval, negligible)
    if isinstance(mechanism, SampledTerms):
        return _sampled_terms(mechanism, interval, negligible)
    if isinstance(mechanism, SampledSubgraphs):
        return _sampled_subgraphs(mechanism, interval, negligible)
    if isinstance(mechanism, PoissonSampled):
        base = mechanism.event
        if isinstance(base, Atoms | PureDP):
            return _from_laws(*laws(mechanism), interval)
        if isinstance(base, BoundedRange):
            return _sampled(partial(range_curve, length=base.epsilon), mechanism.rate, base.epsilon, interval)
        library = _library()
        if isinstance(base, Laplace):
            return library.from_laplace_mechanism(
                base.noise_multiplier, value_discretization_interval=interval, sampling_prob=mechanism.rate
            )
        return library.from_gaussian_mechanism(
            base.noise_multiplier,
            value_discretization_interval=interval,
            sampling_prob=mechanism.rate,
            **_cut(negligible),
        )
    return _revealed_mixture(mechanism, interval, negligible)


def _cut(negligible: float) -> dict[str, float]:
    """The end of a Gaussian's grid: exp(-50) beyond it, or `negligible` where that is less."""
    return {"log_mass_truncation_bound": min(-50.0, math.log(max(negligible, 1e-300)))}


def epsilon_from_below(pair: Atoms, count: int, delta: float, guess: float) -> float:
    """A lower bound on the epsilon of `count` compositions of `pair` at `delta`, the larger of both
    directions.

    Every loss is rounded down to a grid, so that each event of the composition counts for less than it is.
    What the convolution may lose is subtracted (`convolution`). `guess` is about the epsilon: the grid is
    chosen so that rounding takes a thousandth of it, or as fine as memory allows.
    """
    above, below = np.asarray(pair.upper), np.asarray(pair.lower)
    finite = (above > 0) & (below > 0)
    loss = np.log(above[finite] / below[finite])
    deviation = math.sqrt(float(((above + below)[finite] * np.square(loss)).sum()))
    spread = 2 * _span(above, below) + 24 * deviation * math.sqrt(count) + 2 * guess
    interval = max(1e-3 * guess / count, spread / _LARGEST_FROM_BELOW, 1e-12)
    found = 0.0
    for one, other, losses in ((above, below, loss), (below, above, -loss)):
        order = np.argsort(losses)
        steps = np.floor(losses[order] / interval).astype(np.int64)
        part = Losses(steps, one[finite][order], float(one[other == 0].sum()))
        found = max(found, convolution.bound_epsilon([(part, count)], interval, delta, -1))
    return min(LARGEST_EPSILON, found)


def _from_laws(with_unit: tuple[float, ...], without: tuple[float, ...], interval: float) -> Any:
    """Both directions of a pair of discrete laws, each from its exact hockey-stick curve."""

    def one_way(p: Array, q: Array) -> Any:
        def curve(epsilons: Array) -> Array:
            growth, excess = np.exp(epsilons), np.zeros_like(epsilons)
            for above, below in zip(p, q, strict=True):
                excess += np.maximum(above - below * growth, 0.0)
            return excess

        return dots(curve, -span, span, interval)

    first, second = np.asarray(with_unit, dtype=np.float64), np.asarray(without, dtype=np.float64)
    span = max(_span(first, second), interval)
    return _library().PrivacyLossDistribution(one_way(first, second), one_way(second, first))


def _sample_reach(sample: SampledOnce, negligible: float) -> float:
    """Beyond it one sample of a composition has at most `negligible` left, by its Renyi bound."""
    return min(RenyiAccountant().epsilon(Composed((sample,)), negligible), pure_epsilon(sample))


def _sampled_once(sample: SampledOnce, interval: float, negligible: float) -> Any:
    """One sample of a composition; inside, the larger of the two directions stands for both."""
    inside = inside_sample(sample)
    finer = interval / math.sqrt(sum(count for _, count in inside))
    found = [Composition(one, finer, 0.0, 1) for one in _directions(inside, finer, negligible)]

    def curve(epsilons: Array) -> Array:
        return np.asarray(np.max([one.delta(epsilons) for one in found], axis=0))

    return _sampled(curve, sample.rate, _sample_reach(sample, min(1e-17, negligible)), interval)


def _sampled(curve: Callable[[Array], Array], rate: float, reach: float, interval: float) -> Any:
    """Both directions of a sample from the curve without sampling, as the proof of `SampledOnce` has them.

    `curve` bounds both directions of what is sampled, and is each of them where the pair is its own mirror
    image.
    """

    def removed(epsilons: Array) -> Array:
        excess = np.expm1(epsilons) + rate  # at or below 0 every outcome counts
        inner = np.log(np.maximum(excess, 1e-300) / rate)
        return np.where(excess > 0, rate * inside(inner), -np.expm1(epsilons))

    def added(epsilons: Array) -> Array:
        share = rate * np.exp(epsilons) - np.expm1(epsilons)
        inner = epsilons + math.log(rate) - np.log(np.maximum(share, 1e-300))
        return np.where(share > 0, share * inside(inner), 0.0)

    def inside(epsilons: Array) -> Array:
        # A curve falls: to read it at a smaller loss than asked is to read too much, and keeps exp finite.
        return curve(np.minimum(epsilons, LARGEST_EPSILON))

    reach = max(min(reach, LARGEST_EPSILON), interval)
    return _library().PrivacyLossDistribution(
        dots(removed, -reach, reach, interval), dots(added, -reach, reach, interval)
    )


def _sampled_terms(event: SampledTerms, interval: float, negligible: float) -> Any:
    """Both directions of the pair of mixtures that dominates it."""
    last = math.ceil(max(min(terms.reach(event), LARGEST_EPSILON), interval) / interval)
    found = terms.curves(event, np.arange(-last, last + 1, dtype=np.float64) * interval, negligible)
    return _on_grid(found, interval, last)


@lru_cache(maxsize=64)
def _sampled_subgraphs(event: SampledSubgraphs, interval: float, negligible: float) -> Any:
    """Both directions, each the maximum over all out-degrees."""
    return both_ways(event, partial(subgraphs.envelope, negligible=negligible), interval, negligible)


def both_ways(
    event: SampledSubgraphs,
    curves: Callable[[SampledSubgraphs, Array], Curves],
    interval: float,
    negligible: float,
) -> Any:
    """Both directions of `curves` of an event and epsilons, on a grid that reaches from where to where losses
    count."""
    last = math.ceil(subgraphs.reach(event, negligible) / interval)
    return _on_grid(curves(event, np.arange(-last, last + 1, dtype=np.float64) * interval), interval, last)


def _on_grid(found: Curves, interval: float, last: int) -> Any:
    """Both directions from their curves at the losses -`last` to `last` times `interval`."""
    connect = _library().pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap
    return _library().PrivacyLossDistribution(
        *(connect(interval, -last, last, np.minimum.accumulate(one)) for one in (found.removed, found.added))
    )


def dots(curve: Callable[[Array], Array], low: float, high: float, interval: float) -> Any:
    """Pessimistic connect-the-dots grid of a hockey-stick curve delta(epsilon) between two losses.

    What the curve has left at `high` becomes an infinite loss. The curve must be convex in exp(epsilon), as
    that of a pair of laws is; one glued from two bounds has to be made so first.
    """
    first, last = math.floor(low / interval), math.ceil(high / interval)
    epsilons = np.arange(first, last + 1, dtype=np.float64) * interval
    deltas = np.minimum.accumulate(np.clip(curve(epsilons), 0.0, 1.0))
    return _library().pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(interval, first, last, deltas)


def gaussian_curve(epsilons: Array, mu: float) -> Array:
    """delta(epsilon) of a Gaussian pair at distance `mu`, below 0 through the reverse curve."""
    size = np.abs(epsilons)
    if mu == 0:
        tail = np.zeros_like(size)
    else:
        tail = np.maximum(ndtr(mu / 2 - size / mu) - np.exp(np.minimum(size + log_ndtr(-mu / 2 - size / mu), 0.0)), 0.0)
    return np.where(epsilons >= 0, tail, -np.expm1(-size) + np.exp(-size) * tail)


def range_curve(epsilons: Array, length: float) -> Array:
    """delta(epsilon) of the pair that dominates a bounded range of `length`: (sqrt E - sqrt c)^2/(E - 1)."""
    within = np.clip(epsilons, -length, length)
    touching = np.expm1((within - length) / 2) ** 2 / -math.expm1(-length)
    return np.where(epsilons < -length, -np.expm1(epsilons), touching)


def _revealed_mixture(mixture: RevealedMixture, interval: float, negligible: float) -> Any:
    """The index is seen and its law the same on both sides: H is the mean of the parts' H, and symmetric."""
    order = np.argsort(mixture.noise_multipliers)
    scales = np.asarray(mixture.noise_multipliers)[order]
    weights = np.asarray(mixture.weights)[order]
    lost = int(np.searchsorted(np.cumsum(weights), negligible, side="right"))
    # The loudest and rarest parts, below `negligible` together, are taken to reveal everything.
    revealed = float(weights[:lost].sum())
    scales, weights = scales[lost:], weights[lost:]

    def curve(epsilons: Array) -> Array:
        total = np.full_like(epsilons, revealed)
        for scale, weight in zip(scales, weights, strict=True):
            total += weight * gaussian_curve(epsilons, 0.0 if math.isinf(scale) else 1 / scale)
        return total

    reach = max(_gaussian_reach(1 / float(scales[0])), interval)
    return _library().PrivacyLossDistribution(dots(curve, -reach, reach, interval))
