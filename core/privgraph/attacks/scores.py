"""Membership scores: how much a target model's signals speak for each target's having been trained on.

Every score is a function of the same two things: the target model's own signals (T,) or (T, Q), and what
shadow models say of the same targets (`signals.Shadows`). A higher score speaks for membership; scores of one
attack are comparable with each other, and with no other attack's. NumPy and SciPy only.

    threshold   the signal itself, without shadow models (Yeom et al. 2018)
    lira        likelihood ratio of two normal distributions (Carlini et al. 2022, Algorithm 1)
    rmia        how many others the target's likelihood ratio exceeds (Zarifzadeh, Liu and Shokri 2024)
    bavaria     LiRA with a prior on each target's mean and variance (Brännvall 2026, arXiv 2603.11799)

The online form uses shadow models with the target and without it; the offline form those without it alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, expit, polygamma
from scipy.stats import norm, t

from privgraph.attacks.signals import Array, Shadows

VARIANCES = ("each", "pooled")
FLOOR = 1e-6
"""The least standard deviation of a signal: models that all say the same say no more than floats can."""
SURE = 1e6
"""Degrees of freedom of a prior that is as good as certain."""


def threshold(target: Array) -> Array:
    """The mean signal of each target (T,): a model that is surer of a node has more likely seen it."""
    return np.asarray(_queries(target).mean(-1))


def lira(target: Array, shadows: Shadows, *, online: bool = True, variance: str = "each") -> Array:
    """Log-likelihood ratio of each target (T,), its signals being normal over models (Carlini et al. 2022).

    `online`: N(mean with, variance with) against N(mean without, variance without). Otherwise, how far the
    signal lies above the models without the target, in their standard deviations. `variance`: `each` target's
    own, or one for all targets, `pooled` within them (better for few models). Several queries of a target are
    taken as independent, and their scores added up.

    Raises `ValueError` where a target has fewer than two models of a side that is needed.
    """
    if variance not in VARIANCES:
        raise ValueError(f"variance must be one of {', '.join(VARIANCES)} (got {variance})")
    asked = _checked(target, shadows)
    without = _normal(shadows, False, variance)
    if not online:
        return np.asarray(((asked - without[0]) / without[1]).sum(-1))
    present = _normal(shadows, True, variance)
    return np.asarray((norm.logpdf(asked, *present) - norm.logpdf(asked, *without)).sum(-1))


def _normal(shadows: Shadows, member: bool, variance: str) -> tuple[Array, Array]:
    """Mean (T, Q) and standard deviation of the signals with the targets, or without them."""
    count, mean, squares = _enough(shadows, member)
    if variance == "pooled":
        spread = squares.sum(0) / (count - 1).sum()
        return mean, np.maximum(np.sqrt(spread), FLOOR)
    return mean, np.maximum(np.sqrt(squares / (count - 1)[:, None]), FLOOR)


def rmia(
    target: Array,
    shadows: Shadows,
    population: Array,
    population_shadows: Array,
    *,
    gamma: float = 2.0,
    online: bool = True,
    offline_scale: float = 0.3,
) -> Array:
    """The share of the population that each target (T,) dominates (Zarifzadeh, Liu and Shokri 2024).

    With p the probability of the true class, ratio(x) = p(x | target model)/p(x): x dominates z where
    ratio(x)/ratio(z) >= gamma. p(x) is the mean over models with and without x, each side counting half;
    offline, where none has x, ((1 + a) p_without(x) + 1 - a)/2 with a = `offline_scale`, which guesses the
    side that is missing.

    population: (Z,) or (Z, Q) signals of the target model for nodes that it was not trained on, and
    population_shadows: (R, Z) or (R, Z, Q) of the shadow models, none of which was trained on them. Several
    queries are averaged.
    """
    if gamma <= 0:
        raise ValueError(f"gamma must be greater than 0 (got {gamma})")
    asked = _checked(target, shadows)
    chances = Shadows(signals=expit(shadows.queries), members=shadows.members)
    _, absent, _ = _enough(chances, False, least=1)
    if online:
        _, present, _ = _enough(chances, True, least=1)
        usual = (present + absent) / 2
    else:
        usual = ((1 + offline_scale) * absent + 1 - offline_scale) / 2
    others = expit(_queries(population)) / expit(population_shadows).reshape(
        len(population_shadows), len(population), -1
    ).mean(0)
    own = expit(asked) / usual
    shares = []
    for query in range(own.shape[1]):
        ordered = np.sort(others[:, query])
        shares.append(np.searchsorted(ordered, own[:, query] / gamma, side="right") / len(ordered))
    return np.asarray(np.mean(shares, axis=0))


def bavaria(target: Array, shadows: Shadows, *, online: bool = True) -> Array:
    """Log ratio of the two predictive densities of each target (T,), which are Student's t (BaVarIA-t).

    A target's mean and variance over models have a normal-inverse-gamma prior that all targets share, one for
    each side. So the variance lies between the target's own and the pooled one, nearer to its own the more
    models there are: LiRA's two choices are the ends. The prior is estimated from the targets (`prior`).
    Offline: how unlikely so high a signal is without the target, as the logarithm of the upper tail, negated.
    Several queries are taken as independent, and their scores added up.
    """
    asked = _checked(target, shadows)
    absent = _predictive(shadows, False)
    if not online:
        return np.asarray(-t.logsf(asked, *absent).sum(-1))
    return np.asarray((t.logpdf(asked, *_predictive(shadows, True)) - t.logpdf(asked, *absent)).sum(-1))


@dataclass(frozen=True, kw_only=True)
class Prior:
    """Normal-inverse-gamma: the variance is `scale` times `degrees` over a chi-square of `degrees`; given it,
    the mean is normal around `mean` with the variance over `models`."""

    mean: float
    models: float
    degrees: float
    scale: float


def prior(count: NDArray[np.int64], mean: Array, squares: Array) -> Prior:
    """The prior of one side and query, from the targets' counts, means and sums of squares, each (T,).

    Degrees and scale by the moments of the logarithms of the variances (Smyth 2004, section 6.2), the weight
    of the mean by the spread of means beyond what the variances explain.
    """
    freedom = count - 1
    pooled = max(float(squares.sum() / freedom.sum()), FLOOR**2)
    logs = np.log(np.maximum(squares / freedom, FLOOR**2)) - digamma(freedom / 2) + np.log(freedom / 2)
    excess = float(logs.var(ddof=1) - polygamma(1, freedom / 2).mean()) if len(logs) > 1 else 0.0
    degrees = 2 * _inverse_trigamma(excess) if excess > 0 else SURE
    scale = float(np.exp(logs.mean() + digamma(degrees / 2) - np.log(degrees / 2))) if degrees < SURE else pooled
    between = float(mean.var(ddof=1) - pooled * (1 / count).mean()) if len(mean) > 1 else 0.0
    return Prior(
        mean=float(mean.mean()),
        models=pooled / between if between > 0 else SURE,
        degrees=min(degrees, SURE),
        scale=max(scale, FLOOR**2),
    )


def _predictive(shadows: Shadows, member: bool) -> tuple[Array, Array, Array]:
    """Degrees of freedom, location and scale (T, Q) of the next model's signal on that side."""
    count, mean, squares = _enough(shadows, member)
    parts = []
    for query in range(mean.shape[1]):
        held = prior(count, mean[:, query], squares[:, query])
        models, degrees = held.models + count, held.degrees + count
        place = (held.models * held.mean + count * mean[:, query]) / models
        pull = held.models * count / models * (mean[:, query] - held.mean) ** 2
        variance = (held.degrees * held.scale + squares[:, query] + pull) / degrees
        parts.append((degrees, place, np.sqrt(variance * (1 + 1 / models))))
    freedom, location, scale = (np.asarray(np.stack(part, axis=1)) for part in zip(*parts, strict=True))
    return freedom, location, scale


def _inverse_trigamma(value: float) -> float:
    """The x > 0 whose trigamma is `value` > 0, by Newton's method on 1/trigamma, which is nearly straight."""
    if value > 1e7:
        return float(1 / np.sqrt(value))
    if value < 1e-6:
        return 1 / value
    x = 0.5 + 1 / value
    for _ in range(50):
        slope = float(polygamma(1, x))
        step = slope * (1 - slope / value) / float(polygamma(2, x))
        x += step
        if -step / x < 1e-10:
            break
    return x


def _queries(target: Array) -> Array:
    target = np.asarray(target, dtype=np.float64)
    return target.reshape(len(target), -1)


def _checked(target: Array, shadows: Shadows) -> Array:
    """The target's signals (T, Q). Raises `ValueError` where they are of other targets or queries, or no
    numbers."""
    asked = _queries(target)
    if asked.shape != shadows.queries.shape[1:]:
        raise ValueError(
            "the target model's signals must be of the shadow models' targets and queries, "
            f"{shadows.queries.shape[1:]} (got {asked.shape})"
        )
    if not np.isfinite(asked).all():
        raise ValueError("a signal is not a finite number")
    return asked


def _enough(shadows: Shadows, member: bool, least: int = 2) -> tuple[NDArray[np.int64], Array, Array]:
    """`Shadows.moments`, where every target has so many models of that side."""
    count, mean, squares = shadows.moments(member)
    if count.min(initial=least) < least:
        raise ValueError(
            f"each target needs at least {least} shadow models {'with' if member else 'without'} it (target "
            f"{int(count.argmin())} has {int(count.min())})"
        )
    return count, mean, squares
