"""What a plan states against formulas that are written down here, from the ledger's own noise: no number is
checked by the function that made it."""

import math

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import pld_privacy_accountant
from dp_accounting.rdp import rdp_privacy_accountant
from scipy.special import ndtr
from tests.observer.cases import Case

from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import PrivacyStatement

EDGE = [Case("gap", "edge"), Case("progap", "edge"), Case("gap", "edge", (("depth", 3),))]
SAMPLED = [Case(name, "node") for name in ("dp-mlp", "gap", "progap", "prompt-dpsgd")] + [Case("relational", "edge")]
PURE = [
    Case("edge-rand", "edge"),
    Case("relation-rand", "edge"),
    Case("edge-rand", "edge", (("response", "symmetric"),)),
]

COARSE = 2e-3
"""The step of that lattice: it errs upwards."""


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Balle and Wang 2018, Theorem 8, of a shift mu."""
    return float(ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu))


def multiplier(entry: LedgerEntry) -> float:
    """Standard deviation over sensitivity, as the ledger has both."""
    return entry.noise_std / entry.sensitivity


@pytest.mark.parametrize("case", EDGE, ids=str)
def test_a_few_gaussians_are_one_gaussian(case: Case) -> None:
    said = case.statement()
    shifts = [1 / multiplier(entry) for entry in said.ledger for _ in range(entry.count)]
    assert len(shifts) == dict(case.changed).get("depth", 2)
    mu = math.sqrt(sum(shift**2 for shift in shifts))
    assert gaussian_delta(mu, said.epsilon) == pytest.approx(said.delta, rel=2e-3)
    assert gaussian_delta(mu, said.epsilon) <= said.delta * (1 + 1e-9)


@pytest.mark.parametrize("case", EDGE, ids=str)
def test_edges_as_published_are_the_best_renyi_order_at_sensitivity_1(case: Case) -> None:
    """Canonne, Kamath and Steinke 2020, Proposition 12; the multiplier of K Gaussians is their deviation."""
    said = case.statement()
    depth = sum(entry.count for entry in said.ledger)
    (std,) = {entry.noise_std for entry in said.ledger}
    orders = np.linspace(1.001, 100, 200_001)
    cost = depth * orders / (2 * std**2) + np.log(1 - 1 / orders)
    by_hand = float((cost - (math.log(said.delta) + np.log(orders)) / (orders - 1)).min())
    assert said.epsilon_as_published == pytest.approx(by_hand, rel=1e-6)
    assert said.epsilon_as_published < said.epsilon, "an undirected edge moves two sums"


def composed(said: PrivacyStatement) -> list[dp_event.DpEvent]:
    found = []
    for entry in said.ledger:
        event: dp_event.DpEvent = dp_event.GaussianDpEvent(multiplier(entry))
        if entry.sampling_rate is not None:
            event = dp_event.PoissonSampledDpEvent(entry.sampling_rate, event)
        found.append(dp_event.SelfComposedDpEvent(event, entry.count))
    return found


@pytest.mark.parametrize("case", SAMPLED, ids=str)
def test_sampled_gaussians_cost_what_another_library_says(case: Case) -> None:
    """The PLD accountant of dp-accounting on a coarse lattice, and its Renyi accountant of whole orders, at
    the noise of the ledger."""
    said = case.statement()
    assert any(entry.sampling_rate is not None and entry.count > 1 for entry in said.ledger)
    exact = pld_privacy_accountant.PLDAccountant(value_discretization_interval=COARSE)
    renyi = rdp_privacy_accountant.RdpAccountant(orders=range(2, 64))
    for event in composed(said):
        exact.compose(event)
        renyi.compose(event)
    most = renyi.get_epsilon(said.delta)
    assert said.epsilon == pytest.approx(exact.get_epsilon(said.delta), rel=0.03)
    assert said.epsilon <= min(most, 4.0 * (1 + 1e-9))
    if case.method != "relational":  # whose paper has an accountant of its own
        assert said.epsilon_as_published == pytest.approx(most, rel=0.02)


@pytest.mark.parametrize("case", PURE, ids=str)
def test_answers_and_counts_cost_their_sum(case: Case) -> None:
    """A Laplace count of sensitivity 1 costs 1/b, and its deviation is sqrt 2 b; answers cost the rest."""
    said = case.statement()
    counts = [math.sqrt(2) / entry.noise_std for entry in said.ledger if entry.noise_std is not None]
    assert said.delta == 0
    assert said.epsilon == pytest.approx(4.0, rel=1e-6)
    assert said.epsilon <= 4.0 * (1 + 1e-9)
    answers = [
        max(
            math.log(entry.event.one_to_one / entry.event.zero_to_one),
            math.log((1 - entry.event.zero_to_one) / (1 - entry.event.one_to_one)),
        )
        if hasattr(entry.event, "one_to_one")
        else entry.event.epsilon  # type: ignore[attr-defined]
        for entry in said.ledger
        if entry.noise_std is None
    ]
    assert sum(counts) + sum(answers) == pytest.approx(said.epsilon, rel=1e-6)
    assert said.epsilon_as_published == pytest.approx(said.epsilon, rel=1e-6)
