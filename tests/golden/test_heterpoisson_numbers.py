"""HeterPoisson with Gaussian noise: golden numbers at one out-degree from the product's curves, and by routes
with no code in common."""

import math
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import pld_pmf, privacy_loss_distribution
from numpy.typing import NDArray
from scipy import stats
from tests.golden.test_privacy_numbers import COVERED, even

from privgraph.privacy.accountants import tight
from privgraph.privacy.events import Repeated, SampledSubgraphs
from privgraph.privacy.hockey_sticks import Curves, laplace_mixture_curves, mixture_curves
from privgraph.privacy.subgraphs import degree_curves

Array = NDArray[np.float64]
Case = dict[str, Any]
Inputs = dict[str, Any]

HIDDEN = tuple(even("heterpoisson-tight", 10))
ONE_COORDINATE = "heterpoisson-tight-12"
WITH_THE_RULE = ("heterpoisson-tight-14", "heterpoisson-tight-16")
WITHOUT = ("heterpoisson-tight-18", "heterpoisson-tight-20")


def find(cases: list[Case], name: str) -> Case:
    return next(case for case in cases if case["id"] == name)


def composed(curves: Any, inputs: Inputs, reach: float = 12.0, interval: float = 2e-3) -> float:
    """Epsilon of T steps, where `curves` (of epsilons) bounds one of them."""
    last = round(reach / interval)
    epsilons = np.arange(-last, last + 1) * interval
    deltas = curves(epsilons)
    parts = [
        pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(
            interval, -last, last, np.minimum.accumulate(np.clip(one, 0, 1))
        )
        for one in (deltas.removed, deltas.added)
    ]
    pair = privacy_loss_distribution.PrivacyLossDistribution(*parts).self_compose(inputs["T"])
    return float(pair.get_epsilon_for_delta(inputs["delta"] - 1e-11))


def law(inputs: Inputs) -> tuple[Array, Array]:
    """Shifts, in units of the paper's sigma, and weights of Theorem 2: k binomial, or 1/2 with chance q_b."""
    q, degree = inputs["qb"], inputs["D_ot"]
    k = np.arange(26)
    weights = stats.binom.pmf(k, degree, q * inputs["M"] / degree)
    return np.append(k, 0.5) / inputs["sigma"], np.append((1 - q) * weights, q)


def event(inputs: Inputs, *, exclusive: bool, largest: int) -> SampledSubgraphs:
    """The paper's clip is one half."""
    return SampledSubgraphs(
        rate=inputs["qb"],
        neighbours=inputs["M"],
        noise_multiplier=2 * inputs["sigma"],
        largest_degree=largest,
        exclusive=exclusive,
    )


# --- the product's numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_counts(name: str, golden_cases: list[Case]) -> None:
    """k hidden, on one line: below what is proved for the mechanism, as central draws are seen elsewhere."""
    case = find(golden_cases, name)
    shifts, weights = law(case["inputs"])
    assert composed(lambda epsilons: mixture_curves(shifts, weights, epsilons, 0.01), case["inputs"]) == pytest.approx(
        case["expected"], rel=case["rel_tol"]
    )


def test_one_coordinate_of_laplace_noise(golden_cases: list[Case]) -> None:
    """What Lemma 1 would be worth were there but one coordinate."""
    case = find(golden_cases, ONE_COORDINATE)
    inputs = case["inputs"]
    shifts, weights = law({**inputs, "sigma": 1.0})
    found = composed(
        lambda epsilons: laplace_mixture_curves(shifts, weights, epsilons, inputs["sigma"] / math.sqrt(2)), inputs
    )
    assert found == pytest.approx(case["expected"], rel=case["rel_tol"])


@pytest.mark.parametrize(
    ("name", "exclusive"), [*((one, True) for one in WITH_THE_RULE), *((one, False) for one in WITHOUT)]
)
def test_proved_numbers(name: str, exclusive: bool, golden_cases: list[Case]) -> None:
    """At the golden degree, and not less at the worst one, which the accountant takes."""
    case = find(golden_cases, name)
    inputs = case["inputs"]
    own = event(inputs, exclusive=exclusive, largest=19_716)
    found = composed(lambda epsilons: degree_curves(own, inputs["D_ot"], epsilons), inputs)
    assert found == pytest.approx(case["expected"], rel=case["rel_tol"])
    assert (
        found * (1 - 1e-3) <= tight().epsilon(Repeated(event=own, count=inputs["T"]), inputs["delta"]) <= found * 1.01
    )


def test_all_golden_numbers_of_heterpoisson_are_reproduced_somewhere(golden_cases: list[Case]) -> None:
    known = {case["id"] for case in golden_cases if case["accountant"] == "heterpoisson"}
    assert known == {*COVERED, *HIDDEN, ONE_COORDINATE, *WITH_THE_RULE, *WITHOUT} & known


@pytest.mark.parametrize("factor", [2 / 3, 3 / 2])
def test_wrong_noise_is_rejected(factor: float, golden_cases: list[Case]) -> None:
    case = find(golden_cases, WITHOUT[0])
    inputs = {**case["inputs"], "sigma": case["inputs"]["sigma"] * factor}
    own = event(inputs, exclusive=False, largest=19_716)
    found = composed(lambda epsilons: degree_curves(own, inputs["D_ot"], epsilons), inputs)
    assert found != pytest.approx(case["expected"], rel=0.2)


# --- second routes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HIDDEN[:3])
def test_hidden_counts_by_dp_accounting(name: str, golden_cases: list[Case]) -> None:
    case = find(golden_cases, name)
    inputs = case["inputs"]
    shifts, weights = law({**inputs, "sigma": 1.0})
    order = np.argsort(shifts)
    kept = weights[order] > 1e-14
    loss_distribution = privacy_loss_distribution.from_mixture_gaussian_mechanism(
        inputs["sigma"],
        shifts[order][kept].tolist(),
        (weights[order][kept] / weights.sum()).tolist(),
        value_discretization_interval=2e-3,
    )
    epsilon = loss_distribution.self_compose(inputs["T"]).get_epsilon_for_delta(inputs["delta"])
    assert epsilon == pytest.approx(case["expected"], rel=case["rel_tol"])


@pytest.mark.long
def test_with_the_rule_by_dp_accounting(golden_cases: list[Case]) -> None:
    """One out-neighbour: with chance q it is central, and one gradient changes, or z's own is there; else z's
    own alone.

    dp-accounting's curves of the two mixtures, averaged.
    """
    case = find(golden_cases, WITH_THE_RULE[0])
    inputs = case["inputs"]
    q, sigma = inputs["qb"], inputs["sigma"]

    def curves(epsilons: Array) -> Curves:
        sides: list[Array] = []
        for side in ("_pmf_remove", "_pmf_add"):
            total = np.zeros_like(epsilons)
            for chance, shift in ((1 - q, 0.0), (q, 1.0)):
                pair = privacy_loss_distribution.from_mixture_gaussian_mechanism(
                    sigma,
                    [0.5, shift] if shift else [0.0, 0.5],
                    [q, 1 - q] if shift else [1 - q, q],
                    value_discretization_interval=5e-4,
                )
                total += chance * np.asarray(getattr(pair, side).get_delta_for_epsilon(epsilons))
            sides.append(total)
        return Curves(sides[0], sides[1])

    assert composed(curves, inputs, reach=3.0) == pytest.approx(case["expected"], rel=case["rel_tol"])


def test_without_the_rule_by_a_search(golden_cases: list[Case]) -> None:
    """The maximum over decreasing sequences one k after another on a grid: never above the truth, and so from
    below."""
    case = find(golden_cases, WITHOUT[0])
    inputs = case["inputs"]
    q, degree, a = inputs["qb"], inputs["D_ot"], 0.5 / inputs["sigma"]
    k = np.arange(9)
    rho, s = stats.binom.pmf(k, degree, q * inputs["M"] / degree)[:, None], 2 * a * k[:, None]
    x = np.linspace(-9, 11, 2401)
    gains = rho * ((1 - q) * stats.norm.sf(x - s) + q * stats.norm.sf(x - s - a))
    alone = rho * stats.norm.sf(x - s)
    costs = rho * stats.norm.sf(x), rho * ((1 - q) * stats.norm.sf(x) + q * stats.norm.sf(x + a))

    def searched(gain: Array, cost: Array, growth: Array) -> Array:
        maxima = []
        for c in growth:
            best = np.zeros_like(x)
            for term in gain - c * cost:
                best = np.maximum.accumulate(best) + term
            maxima.append(best.max())
        return np.array(maxima)

    def curves(epsilons: Array) -> Curves:
        growth = np.exp(epsilons)
        up, down = searched(gains, costs[0], growth), searched(alone, costs[1], growth)
        return Curves(
            np.minimum(up, 1 - growth + growth * down[::-1]), np.minimum(down, 1 - growth + growth * up[::-1])
        )

    assert composed(curves, inputs, reach=1.2) == pytest.approx(case["expected"], rel=case["rel_tol"])
