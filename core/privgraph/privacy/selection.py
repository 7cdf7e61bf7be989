"""The price of choosing the best of several trials (Papernot and Steinke 2022), and of releasing all of them.

Setting. A trial Q reads the private data and gives a score and a model; Q draws its own options from a law
that the data do not enter, and its own noise. K is drawn from a law of its own, Q is run K times,
independently, and the trial with the best score is released. Nothing else is: no other trial, and not K.

Guarantee (Theorem 2, for K negative binomial, truncated to K >= 1, of shape e > -1 and parameter g in (0, 1),
here e >= 0). Where Q is (a, r)-Renyi-DP and (b, s)-Renyi-DP, a > 1 and b >= 1, the choice is
(a, r + (1 + e)(1 - 1/b) s + (1 + e) log(1/g)/b + log(E K)/(a - 1))-Renyi-DP. Guarantee (Theorem 6, for K
Poisson of mean m): where Q is (a, r)-Renyi-DP and (log(1 + 1/(a - 1)), d)-DP, the choice is
(a, r + m d + log(m)/(a - 1))-Renyi-DP.

Proof sketch. Let q(y) be the chance that a trial is y, and F the generating function of K. The best is at
most y with chance F(q(<=y)), so that the choice is y with chance A(y) = F(q(<=y)) - F(q(<y)): the integral of
F' between the two, which is q(y) times the mean of F'(X), X uniform between them. For neighbours q and q' the
Renyi moment of A and A' is at most that of q and q' times the largest F'(x)^a F'(x')^(1 - a) over pairs (x,
x') of chances of one event under both (convexity of u^a v^(1 - a)). For the truncated negative binomial F'(x)
= E K (g/(1 - (1 - g) x))^(1 + e): E K stays once, which is log(E K)/(a - 1), and Renyi-DP of order b bounds
(1 - (1 - g) x')/(1 - (1 - g) x), which is the rest. For Poisson F'(x) = m exp(m (x - 1)), and 1 - x' <= (1 +
1/(a - 1)) (1 - x) + d bounds a x - (a - 1) x' - 1 by (a - 1) d.

What the proof needs of a trial, and what follows for samplers of options:

- All K trials have one law, and are independent of one another and of K. A sampler that reads earlier scores
  (TPE, CMA-ES, Gaussian processes) makes trial i a function of trials 1 to i - 1: F is then no generating
  function of one q, and the theorems say nothing. Points of a grid or of a low-discrepancy sequence are not
  independent either. So only options that are drawn anew for each trial are priced here.
- Options drawn from a law p, trial Q_h: the mixture of Q_h over p, with h told, has as its Renyi moment the
  mean over p of those of Q_h; its divergence is at most the largest of theirs, order by order. `largest`.
- Ties of scores: trials that tie are exchangeable, so that the first of them has the same law as one at
  random, which is a total order with a coin beside each score.

Everything else is paid by composition (`Fixed`): a number of trials that is known before, each of which may
depend on what all before it released. Renyi-DP composes so at each order, with the largest divergence that a
trial may have. All trials may then be released, K is no secret, and any sampler may choose.

Gaussian trials compose exactly (`longest_path`; Smith and Thakurta 2022, Koskela, Tobaben and Honkela 2023).
A trial of squared shift m^2 is dominated by N(m, 1) against N(0, 1). Claim: where the squared shifts add up
to at most B whatever is released, the whole is dominated by N(sqrt B, 1) against N(0, 1). Proof: let D_B(c)
be the hockey-stick curve of that pair. It grows with B. Argue by induction from the last trial. After a
first trial with output y and likelihood ratio r(y), what follows costs at most D_(B - m^2)(c/r(y)), by
induction and monotonicity. The mean over y is the curve of the product of N(m, 1) and N(sqrt(B - m^2), 1),
which is D_B(c). The other direction is the mirror image.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from privgraph.options import OptionError, short
from privgraph.privacy.accountants import LEAST_NOISE, TAILS, least_noise, tight
from privgraph.privacy.composition import Mechanism, check_delta, flatten, gaussian_epsilon, gaussian_mu
from privgraph.privacy.events import Composed, Gaussian, Laplace, NonPrivate, PoissonSampled, PrivacyEvent, Repeated
from privgraph.privacy.renyi import DEFAULT_ORDERS, RenyiAccountant, convert
from privgraph.streams import Secret

Array = NDArray[np.float64]

MOST_TRIALS = 10_000
"""The largest mean number of trials."""
LAWS = ("geometric", "logarithmic", "negative binomial", "poisson", "fixed")
"""Names of the laws of the number of trials."""

_EXACT = "exact Gaussian composition"
_BITS = 256
_DIGITS = 100
_ORDERS = np.asarray(DEFAULT_ORDERS, dtype=np.float64)


def _check_mean(owner: object, mean: float) -> None:
    if not 1 < mean <= MOST_TRIALS:
        raise ValueError(f"{type(owner).__name__}.mean must lie above 1 and up to {MOST_TRIALS:,} (got {mean})")


@dataclass(frozen=True, kw_only=True)
class NegativeBinomial:
    """K = 1, 2, ... of the truncated negative binomial law (Papernot and Steinke 2022, Definition 1).

    Args:
        mean: The mean E K, above 1.
        shape: 0 is the logarithmic law, 1 the geometric one; 0 or more. The smaller, the cheaper, and the
            more often there is one trial alone.
    """

    mean: float
    shape: float = 1.0

    def __post_init__(self) -> None:
        _check_mean(self, self.mean)
        if not 0 <= self.shape <= 100:
            raise ValueError(f"NegativeBinomial.shape must lie between 0 and 100 (got {self.shape})")

    @property
    def parameter(self) -> float:
        """g in (0, 1), with which the law has this mean; rounded down, which prices no less."""
        if self.shape == 1:
            return 1 / self.mean
        found = brentq(lambda g: math.log(_mean(g, self.shape)) - math.log(self.mean), 1e-12, 1 - 1e-12, xtol=1e-16)
        return float(found) * (1 - 1e-9)

    @property
    def priced_mean(self) -> float:
        """No less than the mean of the law with this `parameter`: where the parameter is rounded, the mean is
        a little larger than what was asked for. Its logarithm moves by at most (shape + 1)/2, or 1, times
        that of the parameter."""
        return self.mean if self.shape == 1 else self.mean * (1 + 1e-7)

    def chances(self) -> Any:
        """P(K = 1), P(K = 2), ..., without end, in `mpmath` digits."""
        g, shape = mpmath.mpf(self.parameter), mpmath.mpf(self.shape)
        chance = (1 - g) / mpmath.log(1 / g) if self.shape == 0 else (1 - g) * shape / (g**-shape - 1)
        number = 1
        while True:
            yield number, chance
            chance *= (1 - g) * (number + shape) / (number + 1)
            number += 1

    def __str__(self) -> str:
        named = {0.0: "logarithmic", 1.0: "geometric"}
        return f"the {named.get(self.shape, f'negative binomial (shape {self.shape:g})')} law of mean {self.mean:g}"


@dataclass(frozen=True, kw_only=True)
class Poisson:
    """K = 0, 1, 2, ... of the Poisson law: where there is no trial, nothing is released.

    Args:
        mean: The mean E K, above 1.
    """

    mean: float

    def __post_init__(self) -> None:
        _check_mean(self, self.mean)

    @property
    def priced_mean(self) -> float:
        """The mean: nothing is rounded."""
        return self.mean

    def chances(self) -> Any:
        """P(K = 0), P(K = 1), ..., without end, in `mpmath` digits."""
        mean, number = mpmath.mpf(self.mean), 0
        chance = mpmath.exp(-mean)
        while True:
            yield number, chance
            number += 1
            chance *= mean / number

    def __str__(self) -> str:
        return f"the Poisson law of mean {self.mean:g}"


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """`count` trials, no more and no fewer, all of which are paid for: composition."""

    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST_TRIALS:
            raise ValueError(f"Fixed.count must lie between 1 and {MOST_TRIALS:,} (got {self.count})")

    def __str__(self) -> str:
        return f"{self.count} trials, all of them paid for"


Law = NegativeBinomial | Poisson | Fixed


def make_law(name: str, trials: float, shape: float = 1.0) -> Law:
    """The law of that name with `trials` as its mean, or as its number. Raises `OptionError`."""
    if name not in LAWS:
        raise OptionError(f"law must be one of {', '.join(LAWS)} (got {short(name)})")
    try:
        if name == "fixed":
            if trials != int(trials):
                raise OptionError(f"trials must be a whole number where all are paid for (got {short(trials)})")
            return Fixed(count=int(trials))
        if name == "poisson":
            return Poisson(mean=float(trials))
        return NegativeBinomial(mean=float(trials), shape={"geometric": 1.0, "logarithmic": 0.0}.get(name, shape))
    except (ValueError, OverflowError) as error:
        raise OptionError(str(error)) from None


def draw(law: Law, secret: Secret) -> int:
    """The number of trials, from a secret stream: by 256 random bits, against chances of 100 digits.

    The law as drawn differs from `law` by less than 2^-200 in total variation.
    """
    if isinstance(law, Fixed):
        return law.count
    with mpmath.workdps(_DIGITS):
        left = mpmath.mpf(secret.integer(_BITS)) / mpmath.mpf(2) ** _BITS
        for number, chance in law.chances():
            if left < chance:
                return int(number)
            left -= chance
    raise AssertionError("the chances have no end")


def _mean(g: float, shape: float) -> float:
    if shape == 0:
        return (1 / g - 1) / math.log(1 / g)
    return shape * (1 / g - 1) / -math.expm1(shape * math.log(g))


# Renyi divergences


def largest(events: Sequence[PrivacyEvent]) -> Array:
    """Renyi divergence of a trial that is any of these, at each of the default orders: the largest, order by
    order."""
    if not events:
        raise ValueError("a trial must have at least one event")
    accountant = RenyiAccountant()
    return np.asarray(np.max([accountant.rdp(one) for one in events], axis=0), dtype=np.float64)


def chosen(curve: Array, law: NegativeBinomial | Poisson, orders: Array = _ORDERS) -> Array:
    """Renyi divergence of the best of K trials, each of which has `curve`, at each order above 1."""
    if isinstance(law, Poisson):
        spread = np.log1p(1 / (orders - 1))
        return curve + law.priced_mean * _delta(curve, spread, orders) + math.log(law.priced_mean) / (orders - 1)
    each = (1 - 1 / orders) * curve - math.log(law.parameter) / orders
    at_each = curve + (1 + law.shape) * float(np.min(each)) + math.log(law.priced_mean) / (orders - 1)
    # What holds at an order holds at every smaller one.
    place = np.argsort(orders)
    out = np.empty_like(at_each)
    out[place] = np.minimum.accumulate(at_each[place][::-1])[::-1]
    return out


def _delta(curve: Array, epsilons: Array, orders: Array) -> Array:
    """delta of a mechanism at each epsilon, through its Renyi divergences (Canonne, Kamath and Steinke 2020,
    Proposition 12)."""
    exponents = (orders - 1) * (curve - epsilons[:, None] + np.log1p(-1 / orders)) - np.log(orders)
    return np.asarray(np.minimum(1.0, np.exp(np.minimum(np.min(exponents, axis=1), 0.0))))


# Prices


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a choice costs: an upper bound on epsilon at the delta asked for, and what computed it."""

    epsilon: float
    accountant: str


def price(events: Sequence[PrivacyEvent], law: Law, delta: float) -> Price:
    """What it costs to release the best of K trials, each of which is any of `events`; with `Fixed`, all.

    Where all trials have one event that dp-accounting knows, its `RepeatAndSelectDpEvent` computes it, and
    else the theorems with this program's own Renyi divergences (the tests compare the two). Noise as it is
    drawn takes `TAILS` of delta for each trial.

    >>> from privgraph.privacy.events import Gaussian
    >>> once = Gaussian(noise_multiplier=4.0)
    >>> [round(price([once], law, 1e-5).epsilon, 2) for law in (NegativeBinomial(mean=20), Fixed(count=20))]
    [2.34, 4.98]

    Args:
        events: What a trial may be, its score included.
        law: Of the number of trials.
        delta: The chance that the guarantee may fail, in [0, 1).

    Returns:
        Epsilon, infinite where nothing is guaranteed (delta 0 among it), and the accountant in words.

    Raises:
        ValueError: `delta` is out of range, there is no event, or no accountant knows one.
    """
    check_delta(delta)
    different = list(dict.fromkeys(events))
    trials = law.count if isinstance(law, Fixed) else law.priced_mean
    inner = delta - (trials + 1) * TAILS
    parts = [part for one in different for part in flatten(one)]
    if not parts and different:
        return Price(epsilon=0.0, accountant="nothing to account")
    hopeless = any(isinstance(one, NonPrivate) for one, _ in parts)
    if inner <= 0 or hopeless or any(least_noise(one) < LEAST_NOISE for one in different):
        return Price(epsilon=math.inf, accountant="none")
    if isinstance(law, Fixed):
        return _all(different, law.count, inner)
    words = "Theorem 6" if isinstance(law, Poisson) else "Theorem 2"
    by = f"the price of choosing the best trial (Papernot and Steinke 2022, {words}; Renyi divergences"
    if len(different) == 1 and (known := _in_library(different[0])) is not None:
        from dp_accounting import dp_event, rdp

        shape = math.inf if isinstance(law, Poisson) else law.shape
        accountant = rdp.RdpAccountant(orders=list(_ORDERS))
        accountant.compose(dp_event.RepeatAndSelectDpEvent(known, law.priced_mean, shape))
        return Price(epsilon=float(accountant.get_epsilon(inner)), accountant=f"{by}, dp-accounting)")
    candidates = convert(chosen(largest(different), law), _ORDERS, inner, "balle")
    return Price(epsilon=float(np.nanmin(candidates)), accountant=f"{by})")


def _all(events: Sequence[PrivacyEvent], count: int, delta: float) -> Price:
    """All trials together: by the tightest accountant where all have one event or Gaussian noise alone, else
    by Renyi divergences."""
    together = f"composition of all {count} trials"
    if len(events) == 1:
        parts = Composed(tuple(Repeated(event=one, count=many * count) for one, many in flatten(events[0])))
        epsilon, name = tight().best(parts, delta)
        return Price(epsilon=epsilon, accountant=f"{together} ({name})")
    shifts = _squared_shifts(events)
    if shifts is not None:
        return Price(
            epsilon=gaussian_epsilon(math.sqrt(count * max(shifts)), delta), accountant=f"{together} ({_EXACT})"
        )
    candidates = convert(count * largest(events), _ORDERS, delta, "balle")
    return Price(epsilon=float(np.nanmin(candidates)), accountant=f"{together} (Renyi divergences)")


def _squared_shifts(events: Sequence[PrivacyEvent]) -> list[float] | None:
    """The squared shift of each event, or None where one of them is more than plain Gaussians."""
    parts = [flatten(one) for one in events]
    if not all(isinstance(mechanism, Gaussian) for part in parts for mechanism, _ in part):
        return None
    mechanisms = [tuple((one, count) for one, count in part if isinstance(one, Gaussian)) for part in parts]
    return [gaussian_mu(one) ** 2 for one in mechanisms]


def _in_library(event: PrivacyEvent) -> Any:
    """The event as dp-accounting's Renyi accountant knows it, or None."""
    from dp_accounting import dp_event

    found = []
    for one, count in flatten(event):
        base = _base(one)
        if base is None:
            return None
        found.append(dp_event.SelfComposedDpEvent(base, count))
    return dp_event.ComposedDpEvent(found)


def _base(mechanism: Mechanism | NonPrivate) -> Any:
    from dp_accounting import dp_event

    if isinstance(mechanism, Gaussian):
        return dp_event.GaussianDpEvent(mechanism.noise_multiplier)
    if isinstance(mechanism, Laplace):
        return dp_event.LaplaceDpEvent(mechanism.noise_multiplier)
    if isinstance(mechanism, PoissonSampled) and isinstance(mechanism.event, Gaussian):
        inside = dp_event.GaussianDpEvent(mechanism.event.noise_multiplier)
        return dp_event.PoissonSampledDpEvent(mechanism.rate, inside)
    return None


# Noise


def longest_path(costs: Sequence[Array]) -> Array:
    """Cost of a search by bisection over that many settings, at each order, whatever it finds.

    The setting in the middle is looked at, and then one half: which, what was released decides. The costs
    are Renyi divergences, or squared shifts of Gaussians. Both compose adaptively to at most the dearest way
    through the tree. At a leaf the cost is the trial's own. Above, given any release, what follows costs at
    most the larger of its two branches. For Renyi divergences this is the chain rule with a bound for every
    history (Mironov 2017, Proposition 1), order by order. For squared shifts it is the claim at the head of
    this module.

    costs (O,): of each setting, in order; of Renyi divergences at each of O orders.
    """
    if not costs:
        return np.zeros_like(_ORDERS)
    middle = len(costs) // 2
    below, above = longest_path(costs[:middle]), longest_path(costs[middle + 1 :])
    return np.asarray(costs[middle] + np.maximum(below, above))


def search_price(events: Sequence[PrivacyEvent], delta: float) -> Price:
    """What a search by bisection over trials of these events costs, all of its trials released.

    Args:
        events: Of each setting, in the order in which they are searched.
        delta: The chance that the guarantee may fail, in [0, 1).
    """
    check_delta(delta)
    steps = math.ceil(math.log2(len(events) + 1)) if events else 0
    inner = delta - (steps + 1) * TAILS
    parts = [part for one in events for part in flatten(one)]
    if inner <= 0 or any(isinstance(one, NonPrivate) for one, _ in parts):
        return Price(epsilon=math.inf, accountant="none")
    if any(least_noise(one) < LEAST_NOISE for one in events):
        return Price(epsilon=math.inf, accountant="none")
    words = f"composition along the dearest way of a bisection of {steps} trials"
    shifts = _squared_shifts(events)
    if shifts is not None:
        dearest = float(longest_path([np.full_like(_ORDERS, one) for one in shifts]).max())
        return Price(epsilon=gaussian_epsilon(math.sqrt(dearest), inner), accountant=f"{words} ({_EXACT})")
    candidates = convert(longest_path([largest([one]) for one in events]), _ORDERS, inner, "balle")
    return Price(epsilon=float(np.nanmin(candidates)), accountant=f"{words} (Renyi divergences)")
