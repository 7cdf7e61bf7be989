"""Epsilons in few digits: what is guaranteed is never told smaller, what was shown never larger."""

import doctest
import math

import numpy as np
import pytest

from privgraph.privacy import rounding
from privgraph.studies import cells as study_cells


@pytest.mark.parametrize("module", [rounding, study_cells])
def test_examples(module: object) -> None:
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_bounds_are_rounded_to_their_own_side(digits: int) -> None:
    for value in np.random.default_rng(0).lognormal(sigma=4, size=500).tolist():
        above, below = float(rounding.upper(value, digits)), float(rounding.lower(value, digits))
        slack = 1e-8 * 10 ** (math.floor(math.log10(value)) - digits + 1)
        assert below <= value + slack
        assert above >= value - slack
        assert above - below <= 1.01 * 10 ** (math.floor(math.log10(value)) - digits + 1)
        assert float(study_cells.short(value).replace(",", "")) >= value * (1 - 1e-9)


def test_a_bound_is_never_crossed_not_even_by_a_last_digit() -> None:
    for few in (0.5, 1.234, 4.0, 9.999, 1e-7, 123400.0):
        above, below = math.nextafter(few, math.inf), math.nextafter(few, 0)
        assert float(rounding.upper(few)) == float(rounding.lower(few)) == few
        assert float(rounding.upper(above)) > above
        assert float(rounding.lower(below)) < below
