"""What answers would cost before anything is trained, and what their noise means, in words. No Streamlit, no
torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from privgraph.data.spec import PublicFacts
from privgraph.methods.teachers.privgnn.config import READ_ONCE, Config
from privgraph.papers.privgnn_releases import price
from privgraph_workbench.words.numbers import chance

Array = NDArray[np.float64]

LAMBDAS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Where the curve of prices is drawn."""
SURE = 0.95
_POINTS = 20_000

# Quantile and distribution function of each law, at scale 1.
LAWS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "gaussian": (ndtri, ndtr),
    "laplace": (
        lambda p: np.where(p < 0.5, np.log(2 * np.minimum(p, 0.5)), -np.log(2 * (1 - np.maximum(p, 0.5)))),
        lambda x: np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2),
    ),
    "exponential": (lambda p: -np.log1p(-p), lambda x: -np.expm1(-np.maximum(x, 0))),
    "gumbel": (lambda p: -np.log(-np.log(p)), lambda x: np.exp(-np.exp(np.minimum(-x, 700)))),
}


@dataclass(frozen=True, kw_only=True)
class Quote:
    """The price of a setting: both epsilons at `delta`, why that delta, how many queries are asked of this
    graph, and the sound epsilon of one of them alone (None of a table, which is paid for once)."""

    epsilon: float
    one: float | None
    epsilon_as_published: float | None
    delta: float
    delta_rule: str
    asked: int


def quote(config: Config, facts: PublicFacts) -> Quote:
    """The price of a PrivGNN whose noise is given. Raises `OptionError` where the parts do not fit into the
    graph."""
    asked = config.asked(facts)
    delta, rule = config.delta_and_rule(facts)
    sound, published = _price(config, facts, asked, delta, config.lam)
    one = None if config.release in READ_ONCE else _price(replace(config, queries=1), facts, 1, delta, config.lam)[0]
    return Quote(epsilon=sound, one=one, epsilon_as_published=published, delta=delta, delta_rule=rule, asked=asked)


def curve(config: Config, facts: PublicFacts) -> list[tuple[float, float, float | None]]:
    """Lambda, sound epsilon and epsilon as published, at round values of lambda and at the config's own."""
    asked = config.asked(facts)
    delta, _ = config.delta_and_rule(facts)
    return [
        (lam, *_price(config, facts, asked, delta, lam)) for lam in sorted({*LAMBDAS, config.lam}) if math.isfinite(lam)
    ]


def _price(config: Config, facts: PublicFacts, asked: int, delta: float, lam: float) -> tuple[float, float | None]:
    return price(
        config.release,
        lam,
        config.rate,
        asked,
        facts.classes,
        delta,
        maximum=config.maximum,
        once=config.sampling == "once",
        gate_sigma=config.gate_mechanism(facts.classes, 1 / lam).std if config.gate else 0.0,
        answers=config.answered(facts),
    )


@lru_cache(maxsize=512)
def winning_chance(law: str, scale: float, lead: float, classes: int) -> float:
    """The chance that a class that leads all others by `lead` is still the largest after noise of that law
    and scale.

    The others are equal, which is the hardest case. E[F(lead + X)^(classes - 1)] over the midpoints of 20,000
    quantiles.

    >>> round(winning_chance("gaussian", 1.0, 0.0, 4), 3)
    0.25
    """
    quantile, distribution = LAWS[law]
    own = quantile((np.arange(_POINTS) + 0.5) / _POINTS)
    return float(np.mean(distribution(own + lead / scale) ** (classes - 1)))


@lru_cache(maxsize=512)
def needed_lead(law: str, scale: float, classes: int, sure: float = SURE) -> float:
    """The smallest lead with which a class is the largest after noise with the chance `sure` (bisection)."""
    low, high = 0.0, scale
    while winning_chance(law, scale, high, classes) < sure:
        low, high = high, 2 * high
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if winning_chance(law, scale, middle, classes) >= sure else (middle, high)
    return high


def meaning(config: Config, facts: PublicFacts) -> str:
    """What the noise does to a label, for somebody who has not read the paper."""
    scale, classes = 1 / config.lam, facts.classes
    guessing = f"Blind guessing among {classes} classes is right {chance(1 / classes)} of the time."
    if config.release == "posterior":
        right = winning_chance("laplace", scale, 1.0, classes)
        return f"A label is right {chance(right)} of the time where the teacher is sure and right. {guessing}"
    if config.release == "log-posterior":
        return (
            "Noise is added to logarithms of chances. A logarithm can be as far below 0 as it likes, so "
            "that no amount of noise hides a node: nothing is guaranteed, and the paper's formula does not "
            "apply."
        )
    law = config.maximum if config.release == "ensemble" else "gaussian"
    lead = needed_lead(law, scale, classes)
    if config.release == "ensemble":
        agreed = winning_chance(law, scale, float(config.teachers), classes)
        return (
            f"Where all {config.teachers} teachers agree, their label survives the noise {chance(agreed)} of "
            f"the time; a class that leads by {math.ceil(lead):,} votes survives {SURE:.0%} of the time. "
            f"{guessing}"
        )
    private = config.sizes(facts.nodes).private
    if config.release == "table":
        return (
            f"All {private:,} private nodes are in the table, each with a vector of length at most 1, "
            f"through noise of standard deviation {scale:.3g} on every number. A class that leads all others "
            f"by {lead:.3g} votes of nodes wins {SURE:.0%} of the time, for every query that is asked of the "
            f"table, however many there are. {guessing}"
        )
    voters = config.rate * private
    return (
        f"About {voters:,.0f} private nodes vote on a query, each with a weight of at most 1, through noise "
        f"of standard deviation {scale:.3g}. A class that leads all others by {lead:.3g} votes wins "
        f"{SURE:.0%} of the time. {guessing} Votes of many queries, pooled, say more than each by itself."
    )
