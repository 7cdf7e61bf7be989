"""DP-GPL's promises before a run: noise, ledger and guarantees. No torch."""

import math

import numpy as np
import pytest

from privgraph.data.spec import PublicFacts
from privgraph.methods.prompts.dp_gpl.config import Config
from privgraph.methods.prompts.dp_gpl.options import TABLE_4
from privgraph.privacy.accountants import tight
from privgraph.privacy.ledger import Ledger

CORA = PublicFacts(nodes=2708, edges=5278, entries=10556, features=1433, classes=7, train_nodes=2031)
DELTA = 1.5e-4


def epsilon(**given: object) -> float:
    return Config(delta=DELTA, **given).plan(CORA).statement.epsilon  # type: ignore[arg-type]


def _settled(config: Config) -> Config:
    """The options that a run on Cora reads."""
    return config.settled(CORA.nodes, config.scale(CORA))


@pytest.mark.parametrize("weighting", ["uniform", "private-centrality", "centrality"])
@pytest.mark.parametrize("gate_sigma", [0.0, 400.0])
def test_noise_is_the_least_that_keeps_epsilon(weighting: str, gate_sigma: float) -> None:
    given = {"weighting": weighting, "gate_sigma": gate_sigma * (100 if weighting == "centrality" else 1)}
    plan = Config(epsilon=2.0, delta=DELTA, **given).plan(CORA)  # type: ignore[arg-type]
    assert 2.0 * (1 - 1e-6) < plan.statement.epsilon <= 2.0
    assert tight().epsilon(Ledger(plan.statement.ledger).event(), DELTA) == pytest.approx(plan.statement.epsilon)
    assert epsilon(**given, vote_sigma=0.99 * plan.noise["votes"]) > 2.0


@pytest.mark.parametrize(("preset", "sound"), [("gat-cora", 5.64), ("gcn-cora", 49.9)])
def test_what_the_papers_noise_costs(preset: str, sound: float) -> None:
    """Table 4's thresholds alone, where the paper prints 0.2226 and 0.2025."""
    config = Config(preset=preset)
    statement = config.plan(CORA).statement
    assert statement.delta == DELTA
    assert statement.epsilon == pytest.approx(sound, rel=2e-3)
    assert [entry.count for entry in statement.ledger] == [50, 50]


@pytest.mark.parametrize("preset", TABLE_4)
def test_presets_say_what_table_4_says(preset: str) -> None:
    backbone, threshold, gate_sigma, vote_sigma = TABLE_4[preset]
    config = Config(preset=preset).resolved()
    asked = _settled(config).asked()
    assert (config.backbone, config.threshold) == (backbone, threshold)
    assert (asked.gate_sigma, asked.vote_sigma) == (gate_sigma, vote_sigma)
    assert (asked.queries, asked.answers, config.teachers, config.shots) == (50, 50, 200, 5)
    assert preset.startswith(f"{backbone}-")
    assert config.resolved() == config


def test_every_rank_has_a_guarantee_of_its_own() -> None:
    statement = Config(weighting="private-centrality", delta=DELTA).plan(CORA).statement
    promised = [value for _, value in statement.per_holder]
    assert promised == sorted(promised)
    assert len(promised) == 4
    assert promised[-1] == pytest.approx(statement.epsilon, rel=1e-6)
    assert 3 < promised[-1] / promised[0] < 16, "not the square of the ratio of weights, which the paper prints"
    assert Config().plan(CORA).statement.per_holder == ()


def test_a_sorted_partition_may_move_all_votes() -> None:
    sorted_, own = (
        Config(vote_sigma=2000.0, delta=DELTA, weighting=name).plan(CORA).statement
        for name in ("centrality", "uniform")
    )
    assert sorted_.per_holder == ()
    assert sorted_.epsilon > 10 * own.epsilon
    (entry,) = sorted_.ledger
    assert entry.sensitivity == pytest.approx(200 * math.sqrt(2))


def test_a_decomposition_of_everybody_guarantees_nothing() -> None:
    """The student reads features that private nodes have shaped: no noise on votes covers its predictions."""
    config = Config(svd="everybody", weighting="private-centrality", delta=DELTA)
    statement = config.plan(CORA).statement
    assert math.isinf(statement.epsilon)
    assert statement.per_holder == ()
    assert np.isinf(config.guarantees(CORA.nodes, np.ones(3))).all()


def test_every_node_pays_for_the_report() -> None:
    config = Config(weighting="private-centrality", report="sanitised", delta=DELTA)
    statement = config.plan(CORA).statement
    silent = Config(weighting="private-centrality", vote_sigma=config.scale(CORA), delta=DELTA)
    promised = [value for _, value in statement.per_holder]
    without = [value for _, value in silent.plan(CORA).statement.per_holder]
    assert promised[-1] == pytest.approx(statement.epsilon, rel=1e-3)
    assert all(0.2 < paid - free <= 0.5 for paid, free in zip(promised, without, strict=True))


def test_limits_hold_whatever_is_answered() -> None:
    weights = np.array([0.4, 0.8, 1.2, 1.6])
    for at_limit, expected in (("drop", [True, True, False, False]), ("stop", [False] * 4)):
        config = Config(weighting="private-centrality", limit=1.0, at_limit=at_limit, delta=DELTA)
        free = _settled(Config(weighting="private-centrality", delta=DELTA)).guarantees(CORA.nodes, weights)
        held = _settled(config).guarantees(CORA.nodes, weights)
        assert held.max() <= 1.0
        assert np.isclose(held, free).tolist() == expected
        assert config.plan(CORA).statement.epsilon == pytest.approx(1.0, rel=1e-6)
    loose = Config(limit=5.0, delta=DELTA).plan(CORA).statement
    assert loose.ledger == Config(delta=DELTA).plan(CORA).statement.ledger


def test_a_limit_by_the_published_cost_guarantees_nothing() -> None:
    statement = Config(limit=2.0, accounting="published").plan(CORA).statement
    assert math.isinf(statement.epsilon)
    assert math.isfinite(statement.epsilon_as_published)


@pytest.mark.parametrize("gate_sigma", [0.0, 200.0])
def test_noise_as_published_is_theorem_1(gate_sigma: float) -> None:
    config = Config(accounting="published", epsilon=1.0, gate_sigma=gate_sigma)
    statement = config.plan(CORA).statement
    assert statement.epsilon_as_published == pytest.approx(1.0)
    asked = _settled(config).asked()
    slope = 100 / (2 * asked.vote_sigma**2) + (100 / (2 * gate_sigma**2) if gate_sigma else 0)
    assert slope + 2 * math.sqrt(slope * math.log(1e4)) == pytest.approx(1.0)
