"""A pair of datasets has two directions, the unit removed and added; an accountant needs both curves."""

import math

import numpy as np
import pytest

from privgraph.privacy import pld
from privgraph.privacy.accountants import PLDAccountant, RenyiAccountant
from privgraph.privacy.events import (
    Atoms,
    Gaussian,
    Laplace,
    PoissonSampled,
    Repeated,
    SampledOnce,
    SampledTerms,
    Single,
)

LOPSIDED: tuple[Single, ...] = (
    Atoms(upper=(0.7, 0.2, 0.1), lower=(0.4, 0.1, 0.5)),
    PoissonSampled(rate=0.2, event=Gaussian(noise_multiplier=0.8)),
    PoissonSampled(rate=0.2, event=Laplace(noise_multiplier=0.8)),
    PoissonSampled(rate=0.2, event=Atoms(upper=(0.9, 0.1), lower=(0.3, 0.7))),
    SampledOnce(rate=0.2, event=Repeated(event=Gaussian(noise_multiplier=2.0), count=3)),
    SampledTerms(rate=0.3, present=2, absent=0, noise_multiplier=1.0),
)
"""Events whose two directions differ."""


def mismatch(event: Single) -> float:
    """By how much the curves of the two directions fail to be one pair's.

    With P the law with the unit, Q without it and c = e^eps, H_c(P||Q) = 1 - c + c H_(1/c)(Q||P): each
    direction says what the other must be.
    """
    pair = pld.distribution(event, 1e-3)
    epsilons = np.linspace(-1.0, 1.0, 9)
    removed = np.array([pair._pmf_remove.get_delta_for_epsilon(epsilon) for epsilon in epsilons])
    added = np.array([pair._pmf_add.get_delta_for_epsilon(-epsilon) for epsilon in epsilons])
    return float(np.abs(removed - (1 - np.exp(epsilons) * (1 - added))).max())


@pytest.mark.parametrize("event", LOPSIDED, ids=lambda event: type(event).__name__)
def test_the_two_curves_of_an_event_are_those_of_one_pair(event: Single) -> None:
    assert mismatch(event) < 1e-3


@pytest.mark.parametrize("accountant", [PLDAccountant(), RenyiAccountant()], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("delta", [0.01, 1e-6])
def test_who_is_named_first_changes_no_epsilon(accountant: PLDAccountant | RenyiAccountant, delta: float) -> None:
    pair = Atoms(upper=(0.7, 0.2, 0.1), lower=(0.4, 0.1, 0.5))
    other = Atoms(upper=pair.lower, lower=pair.upper)
    for count in (1, 4):
        one, two = (accountant.epsilon(Repeated(event=event, count=count), delta) for event in (pair, other))
        assert math.isclose(one, two, rel_tol=1e-6)
        assert one > 0
