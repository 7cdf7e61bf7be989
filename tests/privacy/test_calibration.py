"""Calibration is one-sided, tight from below, and says so when it cannot be done."""

import doctest
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgraph.papers import progap
from privgraph.privacy import rounding
from privgraph.privacy.accountants import Accountant, PLDAccountant, RenyiAccountant, tight
from privgraph.privacy.calibration import CalibrationError, calibrate
from privgraph.privacy.delta import delta_rule, edge_delta_rule
from privgraph.privacy.events import Composed, Gaussian, Laplace, NonPrivate, Nothing, PrivacyEvent, PureDP
from privgraph.studies import cells as study_cells

MakeEvent = Callable[[float], PrivacyEvent]


def edge(depth: int) -> MakeEvent:
    return lambda scale: progap.edge_event(depth, scale)


def node(steps: int, rate: float) -> MakeEvent:
    return lambda scale: progap.node_event(
        aggregations=2, aggregation_multiplier=scale, steps=steps, rate=rate, gradient_multiplier=scale
    )


def one_sided(make_event: MakeEvent, epsilon: float, delta: float, accountant: Accountant) -> None:
    """The scale keeps epsilon with the very same accountant, spends all but a percent of it, and 2/3 of it
    fails."""
    scale = calibrate(make_event, epsilon, delta, accountant)
    spent = accountant.epsilon(make_event(scale), delta)
    assert epsilon * 0.99 <= spent <= epsilon
    assert accountant.epsilon(make_event(scale * 2 / 3), delta) > epsilon
    assert accountant.epsilon(make_event(scale * 3 / 2), delta) < epsilon * 0.99


@settings(max_examples=60, deadline=None)
@given(
    depth=st.integers(1, 10),
    epsilon=st.floats(0.01, 100),
    log_delta=st.floats(-20, -2),
    accountant=st.sampled_from([tight(), RenyiAccountant(), progap.repository_accountant()]),
)
def test_edge_level_calibration(depth: int, epsilon: float, log_delta: float, accountant: Accountant) -> None:
    one_sided(edge(depth), epsilon, math.exp(log_delta), accountant)


@pytest.mark.long
@settings(max_examples=6, deadline=None)
@given(
    epsilon=st.floats(0.1, 50),
    rate=st.floats(1e-3, 0.3),
    steps=st.integers(10, 2000),
    log_delta=st.floats(-18, -5),
    accountant=st.sampled_from([tight(), PLDAccountant(), RenyiAccountant()]),
)
def test_node_level_calibration(
    epsilon: float, rate: float, steps: int, log_delta: float, accountant: Accountant
) -> None:
    one_sided(node(steps, rate), epsilon, math.exp(log_delta), accountant)


def test_a_pure_guarantee_is_calibrated_at_delta_zero() -> None:
    scale = calibrate(lambda b: Laplace(noise_multiplier=b), 2.0, 0.0)
    assert 0.5 <= scale <= 0.5 * 1.002


def test_the_whole_range_of_epsilons_that_a_form_offers_is_reached() -> None:
    make_event = node(3 * 773, 0.0129)
    for epsilon in (0.01, 700.0):
        spent = tight().epsilon(make_event(calibrate(make_event, epsilon, 1e-5)), 1e-5)
        assert epsilon * 0.99 <= spent <= epsilon


def test_what_is_private_enough_without_noise_gets_the_lowest_scale() -> None:
    assert calibrate(lambda scale: Nothing(), 1.0, 1e-5) == 1e-3
    assert calibrate(lambda scale: Composed(()), 1.0, 1e-5, lowest=0.25) == 0.25


def test_what_cannot_be_reached_is_refused() -> None:
    with pytest.raises(CalibrationError, match="reaches epsilon 1 at delta 1e-05: 2 is left"):
        calibrate(
            lambda scale: Composed((PureDP(epsilon=2.0), Gaussian(noise_multiplier=scale))), 1.0, 1e-5, PureParts()
        )
    with pytest.raises(CalibrationError, match="no noise"):
        calibrate(lambda scale: NonPrivate(reason="x"), 1.0, 1e-5)
    with pytest.raises(CalibrationError, match="no noise"):
        calibrate(lambda scale: Gaussian(noise_multiplier=scale), 1.0, 0.0)


class PureParts:
    """The sum of the pure parts: enough to see what the message says."""

    name = "pure parts"

    def supports(self, event: PrivacyEvent) -> bool:
        return True

    def epsilon(self, event: PrivacyEvent, delta: float) -> float:
        assert isinstance(event, Composed)
        return sum(part.epsilon for part in event.events if isinstance(part, PureDP))


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_a_bad_epsilon_is_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon must be positive and finite"):
        calibrate(edge(1), epsilon, 1e-5)


def test_bad_deltas_and_ranges_are_refused() -> None:
    with pytest.raises(ValueError, match="delta must lie in"):
        calibrate(edge(1), 1.0, 1.0)
    with pytest.raises(ValueError, match="lowest"):
        calibrate(edge(1), 1.0, 1e-5, lowest=2.0, highest=1.0)


def test_delta_rule() -> None:
    assert delta_rule(9) == (0.1, "a power of ten below 1 in 9 nodes")
    for units in (1, 10, 99, 100, 22_470, 80_966_832):
        delta, text = delta_rule(units)
        assert 0.1 / units <= delta < 1 / units or units == 1
        assert f"{units:,}" in text
    assert delta_rule(100, 1e-9) == (1e-9, "as asked for")
    for rule in (delta_rule, edge_delta_rule):
        with pytest.raises(ValueError, match="at least one"):
            rule(0)
        with pytest.raises(ValueError, match="delta must lie in"):
            rule(10, 1.0)


def test_delta_of_edges_follows_the_number_of_nodes_to_the_power_one_and_a_half() -> None:
    for nodes in (1, 9, 10, 99, 100, 101, 4425, 10_000, 22_470, 2_449_029):
        delta, text = edge_delta_rule(nodes)
        assert 0.0999 / nodes**1.5 < delta < 1 / nodes**1.5
        assert f"{nodes:,}" in text
    assert edge_delta_rule(100, 1e-9) == (1e-9, "as asked for")


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
