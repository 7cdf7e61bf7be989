"""DP-GPL: golden numbers by the weighted votes' own functions and by routes with no accountant, and the
paper's printed tables."""

import math
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from tests.golden import second_route
from tests.golden.test_privacy_numbers import COVERED, even

from privgraph.papers import dp_gpl as dpgpl
from privgraph.papers.dp_gpl_gaps import GAP_TESTS_MISSING
from privgraph.papers.dp_gpl_votes import (
    Asked,
    dependent_epsilons,
    entries,
    epsilon_at,
    largest_squared_mu,
    printed_epsilons,
    squared_mu,
    teacher_epsilon,
)
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import Composed
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.renyi import RenyiAccountant

Case = dict[str, Any]

DELTA = 1.5e-4
"""The paper's."""


def find(cases: list[Case], name: str) -> Case:
    return next(case for case in cases if case["id"] == name)


def asked_of(inputs: dict[str, Any]) -> Asked:
    """No tests are no gate, whose answers are as many queries."""
    tests = inputs["queries"]
    return Asked(
        queries=tests or inputs["answered"],
        answers=inputs["answered"],
        vote_sigma=inputs["sigma2"],
        gate_sigma=inputs["sigma1"] if tests else 0.0,
    )


# --- golden numbers ---------------------------------------------------------------------------------------


def test_all_golden_numbers_of_dp_gpl_are_reproduced_somewhere(golden_cases: list[Case]) -> None:
    known = {case["id"] for case in golden_cases if case["accountant"] == "dpgpl"}
    assert known == {*even("dpgpl-published", 16), *even("dpgpl-tight", 8)}
    assert known <= set(COVERED)


@pytest.mark.parametrize("name", even("dpgpl-tight", 8))
def test_tight_numbers_by_three_routes(name: str, golden_cases: list[Case]) -> None:
    """The closed form, the ledger's events, and dp-accounting's own distributions of each test and answer."""
    case = find(golden_cases, name)
    inputs, tolerance = case["inputs"], {"rel": case["rel_tol"], "abs": case["abs_tol"]}
    asked, weight, delta = asked_of(inputs), inputs["weight"], inputs["delta"]
    assert teacher_epsilon(asked, weight, delta) == pytest.approx(case["expected"], **tolerance)
    assert tight().epsilon(Ledger(entries(asked, weight)).event(), delta) == pytest.approx(
        case["expected"], **tolerance
    )
    build = privacy_loss_distribution.from_gaussian_mechanism
    both = build(asked.vote_sigma / (weight * math.sqrt(2)), value_discretization_interval=1e-3).self_compose(
        asked.answers
    )
    if asked.gate_sigma:
        both = both.compose(
            build(asked.gate_sigma / weight, value_discretization_interval=1e-3).self_compose(asked.queries)
        )
    assert both.get_epsilon_for_delta(delta) == pytest.approx(case["expected"], abs=5e-3)
    halved = teacher_epsilon(asked, weight / math.sqrt(2), delta)
    assert halved != pytest.approx(case["expected"], rel=0.05), "sensitivity 1 for a moved vote must be seen"


@pytest.mark.parametrize("name", ["dpgpl-tight-00", "dpgpl-tight-06", "dpgpl-tight-08"])
def test_tight_numbers_by_characteristic_functions(name: str, golden_cases: list[Case]) -> None:
    case = find(golden_cases, name)
    inputs = case["inputs"]
    asked, weight = asked_of(inputs), inputs["weight"]
    parts = [(second_route.gaussian_pair(asked.vote_sigma / (weight * math.sqrt(2))), asked.answers)]
    if asked.gate_sigma:
        parts.append((second_route.gaussian_pair(asked.gate_sigma / weight), asked.queries))
    assert second_route.epsilon(parts, inputs["delta"]) == pytest.approx(case["expected"], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("name", ["dpgpl-published-00", "dpgpl-published-02"])
def test_theorem_1_is_the_ledger_as_published(name: str, golden_cases: list[Case]) -> None:
    """Sensitivity equal to the weight, Mironov's conversion, any real order."""
    case = find(golden_cases, name)
    inputs = case["inputs"]
    event = Ledger(entries(asked_of(inputs), inputs["weight"])).event_as_published()
    accountant = RenyiAccountant(conversion="mironov", continuous=True)
    assert accountant.epsilon(event, inputs["delta"]) == pytest.approx(case["expected"], rel=1e-6)
    assert tight().epsilon(Composed(event.events), inputs["delta"]) < case["expected"]


def test_a_gate_and_votes_of_noise_40_cost_0_94() -> None:
    asked = Asked(queries=50, answers=50, vote_sigma=40, gate_sigma=40)
    assert teacher_epsilon(asked, 1.0, DELTA) == pytest.approx(0.94, abs=0.005)
    assert squared_mu(asked) == pytest.approx(150 / 1600)


# --- printed tables ---------------------------------------------------------------------------------------

RANGES = {
    2.0: ((0.1015, 1.6247), (0.1005, 1.6078), (0.1035, 1.6555), (0.1054, 1.6859), (0.1015, 1.6244), (0.1017, 1.6276),
          (0.1066, 1.7053), (0.1087, 1.7392), (0.1000, 1.5999)),
    1.5: ((0.1600, 1.4400), (0.1544, 1.3899), (0.1547, 1.3927), (0.1542, 1.3880), (0.1555, 1.3991), (0.1524, 1.3716),
          (0.1528, 1.3748), (0.1661, 1.4946), (0.1660, 1.4940)),
    2.5: ((0.0974, 2.4341), (0.0971, 2.4273), (0.0954, 2.3852), (0.0912, 2.2812), (0.0996, 2.4894), (0.0940, 2.3508),
          (0.0922, 2.3042), (0.0972, 2.4293), (0.0999, 2.4986)),
    3.0: ((0.0752, 2.7075), (0.0800, 2.8802), (0.0829, 2.9850), (0.0769, 2.7691), (0.0796, 2.8645), (0.0826, 2.9727),
          (0.0761, 2.7400), (0.0794, 2.8570), (0.0813, 2.9251)),
}  # fmt: skip
"""Printed smallest and largest epsilon by w_max, with w_min 0.5: Table 12 (the largest also in Table 1), 13,
14 and 15."""

TABLE_1 = (
    (170, 5, 100, 0.2226), (170, 5, 50, 0.2047), (170, 1, 20, 0.2383), (150, 1, 20, 0.2025), (180, 1, 20, 0.2001),
    (170, 1, 20, 0.2386), (150, 10, 100, 0.2276), (150, 5, 50, 0.3627), (170, 5, 100, 0.2084),
)  # fmt: skip
"""T, sigma1 and sigma2 of Table 4, and the epsilon printed for DP-GPL in Table 1, in the same order."""


@pytest.mark.parametrize("w_max", RANGES)
def test_every_printed_range_is_scaled_by_the_squared_weight(w_max: float) -> None:
    """To the last of the four printed digits; scaled by the weight, none would be."""
    ratio = dpgpl.printed_ratio(w_max, 0.5)
    for low, high in RANGES[w_max]:
        digits = 0.00005 * (1 + ratio)
        scaled = printed_epsilons(low / 0.25, [0.5, w_max])
        assert scaled == pytest.approx([low, high], abs=digits)
        assert abs(low * w_max / 0.5 - high) > 100 * digits


@pytest.mark.parametrize("w_max", RANGES)
def test_no_conversion_of_a_cost_that_grows_with_the_squared_weight_gives_them(w_max: float) -> None:
    """Whatever the noise, the printed smallest epsilon leads to a largest one below 40% of what is
    printed."""
    for low, high in RANGES[w_max]:
        exact = epsilon_at((w_max / 0.5) ** 2 * largest_squared_mu(low, DELTA), DELTA)
        depth = math.log(1 / DELTA)
        slope = (math.sqrt(depth + low) - math.sqrt(depth)) ** 2 * (w_max / 0.5) ** 2
        assert exact < 0.4 * high
        assert slope + 2 * math.sqrt(slope * depth) < 0.4 * high


def test_printed_epsilons_are_below_the_bound_that_they_are_said_to_come_from() -> None:
    """Tests and answers of 50 queries that pass, all 200 votes for one class: the smallest there is."""
    unanimous, dependent = np.tile([200.0, 0, 0], (50, 1)), []
    for threshold, sigma1, sigma2, printed in TABLE_1:
        common = {"vote_sigma": sigma2, "threshold": threshold, "delta": DELTA}
        dependent.append(dependent_epsilons(unanimous, np.ones(50, bool), [1.0], gate_sigma=sigma1, **common)[0])
        less = np.tile([195.0, 5, 0], (50, 1))
        assert dependent[-1] < dependent_epsilons(less, np.ones(50, bool), [1.0], gate_sigma=sigma1, **common)[0]
        assert dependent[-1] > 1.3 * printed
        independent = dpgpl.independent_epsilon(
            queries=50, answered=50, threshold_sigma=sigma1, vote_sigma=sigma2, delta=DELTA
        )
        assert independent > 8 * printed
    assert f"{min(dependent):.2f} to {max(dependent):.2f}" in GAP_TESTS_MISSING.size
