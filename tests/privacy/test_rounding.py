"""Epsilons in few digits: what is guaranteed is never told smaller, what was shown never larger."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest

from privgraph.privacy import rounding
from privgraph.runs import study_cells


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
