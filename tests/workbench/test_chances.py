"""Chances of guesses and of labels under noise, beside numerical routes and many draws."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binomtest
from tests.figures import made_runs

from privgraph.options import values
from privgraph.privacy.composition import gaussian_epsilon
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import WorstCase
from privgraph.registry import METHODS
from privgraph.runs.spec import make_spec
from privgraph_workbench.facts import noisy_labels
from privgraph_workbench.facts.references import interval, without_privacy
from privgraph_workbench.words import meaning

MUS = (0.05, 0.596, 2.5)


@pytest.mark.parametrize("mu", MUS)
def test_it_is_the_best_threshold_between_two_normal_laws(mu: float) -> None:
    at = np.linspace(-10, 10 + mu, 400_001)
    best = float(((ndtr(at) + ndtr(mu - at)) / 2).max())  # right in the one world and in the other
    assert meaning.guess_at(mu) == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("delta", [1e-5, 1e-2])
def test_it_never_exceeds_what_epsilon_and_delta_allow(mu: float, delta: float) -> None:
    assert meaning.guess_at(mu) <= meaning.guess(gaussian_epsilon(mu, delta), delta) + 1e-12


@pytest.mark.parametrize("depth", [1, 5])
def test_a_statement_has_the_guess_at_its_noise_where_all_of_it_is_plain_gaussian(depth: int) -> None:
    said = made_runs.statement(made_runs.edge_entries(9.0, depth))
    assert meaning.guess_of(said) == pytest.approx(ndtr(np.sqrt(2 * depth) / 9 / 2), abs=1e-9)
    assert meaning.guess_of(said) < meaning.guess(said.epsilon, said.delta)


def test_of_other_noise_only_epsilon_and_delta_speak() -> None:
    plain = made_runs.statement(made_runs.edge_entries(9.0))
    first, *others = plain.ledger
    assert meaning.guess_of(made_runs.statement(made_runs.node_entries(4.0), "node")) is None, "drawn on samples"
    assert meaning.guess_of(made_runs.statement((), unit="none")) is None
    assert meaning.guess_of(replace(plain, known_faults=("a fault",))) is None
    assert meaning.guess_of(replace(plain, epsilon=plain.epsilon * 1.01)) is None, "priced by another rule"
    gated = replace(plain, ledger=(replace(first, kind=MechanismKind.GATE), *others))
    assert meaning.guess_of(gated) is None, "what passes a gate is not known before"
    behind = replace(plain, ledger=(replace(first, worst=WorstCase(gate_std=3.0)), *others))
    assert meaning.guess_of(behind) is None, "nor where the gate is of the same entry"


@pytest.mark.long
@pytest.mark.parametrize("law", noisy_labels.LAWS)
def test_chances_are_what_draws_come_to(law: str) -> None:
    counts = np.array([5.0, 4.0, 2.0, 0.0])
    source = np.random.default_rng(0)
    noise = np.stack([noisy_labels.drawn(law, 2.0, 4, source) for _ in range(40_000)])
    assert noise.std() == pytest.approx(2.0, rel=0.03)
    came = np.bincount((counts + noise).argmax(axis=1), minlength=4) / len(noise)
    assert noisy_labels.chances(law, 2.0, counts).tolist() == pytest.approx(came.tolist(), abs=0.01)


@pytest.mark.parametrize("law", noisy_labels.LAWS)
def test_the_right_class_of_every_query_at_once_as_one_by_one(law: str) -> None:
    source = np.random.default_rng(1)
    counts, truth = source.integers(0, 20, (60, 5)).astype(float), source.integers(0, 5, 60)
    for std in (0.3, 3.0, 30.0):
        found = noisy_labels.right(law, std, counts, truth)
        slow = [noisy_labels.chances(law, std, one)[label] for one, label in zip(counts, truth, strict=True)]
        assert np.abs(found - slow).max() < 2e-3
        assert found.mean() == pytest.approx(np.mean(slow), abs=1e-4)


@pytest.mark.parametrize(("right", "nodes"), [(0, 40), (40, 40), (551, 1350)])
def test_the_interval_is_that_of_clopper_and_pearson(right: int, nodes: int) -> None:
    exact = binomtest(right, nodes).proportion_ci(0.95, method="exact")
    told = interval({"test_accuracy": right / nodes, "test_nodes": float(nodes)})
    assert told == pytest.approx((exact.low, exact.high), abs=1e-9)


@pytest.mark.parametrize("name", METHODS)
def test_every_private_run_has_one_without_privacy(name: str) -> None:
    texts = "node classification" not in METHODS[name].tasks
    graph, small = ("products", {"products": 60}) if texts else ("social", {"nodes": 300})
    for unit in set(METHODS[name].units) - {"none"}:
        spec = make_spec(name, graph, {"unit": unit}, data_options=small, split="inductive", seed=7)
        bare = without_privacy(spec)
        assert bare.unit == "none"
        assert (bare.data_options, bare.split, bare.seed) == (spec.data_options, "inductive", 7)
        assert bare.method == METHODS[name].without_privacy
    if "none" in METHODS[name].units:
        assert without_privacy(make_spec(name, graph, {"unit": "none"})) is None


def test_a_counterpart_has_its_own_defaults_but_the_same_network() -> None:
    found = without_privacy(make_spec("dp-gpl", "karate", {"backbone": "gat", "teachers": 7}))
    assert found == make_spec("prompt", "karate", {"backbone": "gat"})
    plain = without_privacy(make_spec("dp-mlp", "karate", {"hidden": 32}))
    assert plain.options == values(METHODS["mlp"].load_config()(unit="none"))
