"""What accountants share: an event as a flat list of mechanisms with counts, the exact Gaussian, pure
composition."""

import math

from scipy.special import erfcx, log_ndtr, ndtr

from privgraph.privacy.events import (
    Atoms,
    BoundedRange,
    Composed,
    Gaussian,
    Laplace,
    NonPrivate,
    Nothing,
    PoissonSampled,
    PrivacyEvent,
    PureDP,
    RandomizedResponse,
    Repeated,
    RevealedMixture,
    SampledOnce,
    SampledSubgraphs,
    SampledTerms,
    Single,
)

Mechanism = (
    Gaussian
    | Laplace
    | PureDP
    | BoundedRange
    | RandomizedResponse
    | Atoms
    | PoissonSampled
    | SampledOnce
    | SampledTerms
    | SampledSubgraphs
    | RevealedMixture
)
"""The events that cost something finite."""


_ROUNDING = 2.0**-53
"""The relative rounding of one operation on doubles."""


class UnsupportedEvent(ValueError):
    """An accountant does not know this event, and refuses to guess."""


def flatten(event: PrivacyEvent) -> tuple[tuple[Mechanism | NonPrivate, int], ...]:
    """The mechanisms of an event with their counts; equal ones are merged, free ones dropped.

    Sampling with rate 1 is no sampling, a subgraph without neighbours is one node, one term more or less is a
    sampled Gaussian; a sample of what is not private is not private. Raises `UnsupportedEvent` for anything
    that is no privacy event.

    >>> flatten(Composed((Gaussian(noise_multiplier=2.0), Nothing(), Gaussian(noise_multiplier=2.0))))
    ((Gaussian(noise_multiplier=2.0), 2),)
    """
    counts: dict[Mechanism | NonPrivate, int] = {}
    for part in event.events if isinstance(event, Composed) else (event,):
        single, count = (part.event, part.count) if isinstance(part, Repeated) else (part, 1)
        for mechanism, times in _mechanisms(single):
            if count * times:
                counts[mechanism] = counts.get(mechanism, 0) + count * times
    return tuple(counts.items())


def _mechanisms(single: Single) -> tuple[tuple[Mechanism | NonPrivate, int], ...]:
    """What one event comes to: itself, mostly."""
    if isinstance(single, Nothing):
        return ()
    if isinstance(single, PoissonSampled):
        if not isinstance(single.event, Gaussian | Laplace | PureDP | BoundedRange | Atoms):
            raise UnsupportedEvent(f"no accountant knows {type(single.event).__name__} under Poisson sampling")
        return ((single.event if single.rate == 1 else single, 1),)
    if isinstance(single, SampledSubgraphs) and (
        not (single.neighbours and single.largest_degree) or (single.exclusive and single.rate == 1)
    ):
        # No subgraph ever holds a node but its own: a Poisson-sampled Gaussian, one gradient of norm C a
        # node.
        alone = Gaussian(noise_multiplier=single.noise_multiplier)
        return _mechanisms(PoissonSampled(rate=single.rate, event=alone))
    if isinstance(single, SampledTerms):
        moved = single.present + single.absent
        if not moved:
            return ()
        if single.rate == 1 or moved == 1:
            whole = Gaussian(noise_multiplier=single.noise_multiplier / moved)
            return _mechanisms(PoissonSampled(rate=single.rate, event=whole))
    if isinstance(single, SampledOnce):
        inside = flatten(single.event)
        exposed = tuple(part for part in inside if isinstance(part[0], NonPrivate))
        return exposed or (inside if single.rate == 1 or not inside else ((single, 1),))
    if not isinstance(single, NonPrivate | Mechanism):
        raise UnsupportedEvent(f"no accountant knows the event {type(single).__name__}")
    return ((single, 1),)


def inside_sample(sample: SampledOnce) -> tuple[tuple[Mechanism, int], ...]:
    """The mechanisms, all of them private, that share one sample, with their counts."""
    return tuple((one, count) for one, count in flatten(sample.event) if not isinstance(one, NonPrivate))


def amplified(epsilon: float, rate: float) -> float:
    """log(1 + rate (exp(epsilon) - 1)): what a sample makes of an epsilon, for any size of it.

    >>> round(amplified(1.0, 0.5), 6), amplified(math.inf, 0.5)
    (0.620115, inf)
    """
    return epsilon + math.log(rate + (1 - rate) * math.exp(-epsilon))


def check_delta(delta: float) -> None:
    """Raises `ValueError` where delta is no probability below 1."""
    if not 0 <= delta < 1:
        raise ValueError(f"delta must lie in [0, 1) (got {delta})")


def gaussian_delta(epsilon: float, mu: float) -> float:
    """The smallest delta of a Gaussian whose shift is `mu` standard deviations, rounded up.

    Balle and Wang 2018, Theorem 8: Phi(-x) - exp(epsilon) Phi(-x - mu), x = epsilon/mu - mu/2. Both terms
    are the density at x times a Mills ratio, so that their difference keeps its digits down to 1e-307. A
    Mills ratio is computed to 8 roundings. The density loses x^2 roundings, and as many as the rounding of x
    moves its logarithm.
    """
    if mu == 0:
        return 0.0
    x = epsilon / mu - mu / 2
    if x <= 0:
        tail = math.exp(min(epsilon + log_ndtr(-x - mu), 0.0))
        return min(1.0, max(0.0, float(ndtr(-x)) - tail) + 16 * _ROUNDING)
    near = float(erfcx(x / math.sqrt(2)))
    apart = max(0.0, near - float(erfcx((x + mu) / math.sqrt(2)))) + 16 * _ROUNDING * near
    return math.exp(-x * x / 2) / 2 * apart * (1 + 4 * _ROUNDING * (4 + x * x + x * (epsilon / mu + mu / 2)))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The smallest epsilon of a Gaussian whose shift is `mu` standard deviations; infinite at delta 0.

    Bisection between 0 and the Renyi bound mu^2/2 + mu sqrt(2 log(1/delta)); what is returned is the
    end at which delta holds.
    """
    if mu == 0 or gaussian_delta(0.0, mu) <= delta:
        return 0.0
    if delta == 0:
        return math.inf
    low, high = 0.0, mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta))
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if gaussian_delta(middle, mu) <= delta:
            high = middle
        else:
            low = middle
    return high


def gaussian_mu(mechanisms: tuple[tuple[Mechanism, int], ...]) -> float:
    """The shift, in standard deviations, of the one Gaussian that the plain Gaussians compose to (exact)."""
    return math.sqrt(sum(count / one.noise_multiplier**2 for one, count in mechanisms if isinstance(one, Gaussian)))


def pure_epsilon(mechanism: Mechanism) -> float:
    """The largest absolute privacy loss of one mechanism, infinite where it is unbounded."""
    if isinstance(mechanism, PureDP | BoundedRange):
        return mechanism.epsilon
    if isinstance(mechanism, Laplace):
        return 1 / mechanism.noise_multiplier
    if isinstance(mechanism, RandomizedResponse):
        return _largest_log_ratio(*laws(mechanism))
    if isinstance(mechanism, Atoms):
        return _largest_log_ratio(mechanism.upper, mechanism.lower)
    if isinstance(mechanism, PoissonSampled):
        if isinstance(mechanism.event, Atoms):
            return _largest_log_ratio(*laws(mechanism))
        # Removal reaches log(1 - q + q e^eps); addition, -log(1 - q + q e^-eps), is never larger.
        return amplified(pure_epsilon(mechanism.event), mechanism.rate)
    if isinstance(mechanism, SampledOnce):
        return amplified(sum(count * pure_epsilon(one) for one, count in inside_sample(mechanism)), mechanism.rate)
    if isinstance(mechanism, RevealedMixture):
        shifted = any(
            weight > 0 and math.isfinite(noise)
            for weight, noise in zip(mechanism.weights, mechanism.noise_multipliers, strict=True)
        )
        return math.inf if shifted else 0.0
    return math.inf


def laws(
    mechanism: RandomizedResponse | PureDP | Atoms | PoissonSampled,
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The discrete laws of a mechanism with and without the unit (samples included).

    Randomised response attains all that pure epsilon allows, and dominates it (Kairouz, Oh and Viswanath
    2015); its two laws are one another's mirror image, so that their order does not count.
    """
    if isinstance(mechanism, RandomizedResponse):
        with_unit, without = mechanism.one_to_one, mechanism.zero_to_one
        return (with_unit, 1 - with_unit), (without, 1 - without)
    if isinstance(mechanism, PureDP):
        high, low = (
            1 / (1 + math.exp(-mechanism.epsilon)),
            math.exp(-mechanism.epsilon) / (1 + math.exp(-mechanism.epsilon)),
        )
        return (high, low), (low, high)
    if isinstance(mechanism, Atoms):
        return mechanism.upper, mechanism.lower
    if not isinstance(mechanism.event, Atoms | PureDP):
        raise UnsupportedEvent(f"{type(mechanism.event).__name__} has no discrete laws")
    (upper, lower), q = laws(mechanism.event), mechanism.rate
    return tuple((1 - q) * b + q * a for a, b in zip(upper, lower, strict=True)), lower


def _largest_log_ratio(p: tuple[float, ...], q: tuple[float, ...]) -> float:
    ratios = [
        math.inf if (a == 0) != (b == 0) else abs(math.log(a / b)) for a, b in zip(p, q, strict=True) if a > 0 or b > 0
    ]
    return max(ratios, default=0.0)
