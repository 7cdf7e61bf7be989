"""PrivGNN: who answers, what one node can change, what is released, and what the plan says of it."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.methods.drained import returned
from tests.secrets_made_here import KEY, secret
from tests.watching import watched

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.neighbours import with_node_nulled
from privgraph.data.spec import PublicFacts
from privgraph.methods.teachers.answers import Answers
from privgraph.methods.teachers.parts import Parts, split_parts
from privgraph.methods.teachers.privgnn import teachers, train
from privgraph.methods.teachers.privgnn.before_noise import Raw
from privgraph.methods.teachers.privgnn.config import Config
from privgraph.methods.teachers.privgnn.queries import choose
from privgraph.methods.teachers.privgnn.sampling import Ints, coins, distances, groups, nearest
from privgraph.methods.teachers.privgnn.train import ask_nodes
from privgraph.methods.teachers.privgnn.votes import PublicEncoder, unit, weights
from privgraph.methods.training import Context, planned, train_one
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import NonPrivate, SampledOnce
from privgraph.privacy.ledger import Ledger
from privgraph.progress import Event

FACTS = PublicFacts(nodes=13_752, edges=245_861, entries=491_722, features=767, classes=10, train_nodes=10_314)


@lru_cache
def graph(nodes: int = 160) -> Graph:
    return load("social", data_options={"nodes": nodes, "degree": 6.0, "features": 12, "signal": 1.0})


def quick(**given: Any) -> Config:
    return Config(**{"epochs": 3, "hidden": 8, "teachers": 3, "release": "votes", **given})


def parts_of(config: Config, nodes: int = 160) -> Parts:
    return split_parts(graph(nodes), config)


def answered(config: Config, parts: Parts, queries: Ints, seed: int = 0, stage: str = "answers") -> Raw:
    assert config.release != "table", "a table is asked nothing: see test_privgnn_table"
    ask = teachers.ask_teachers if config.trains_teachers else ask_nodes
    return returned(ask(parts, queries, config, Context(seed=seed, noise_key=KEY), stage))


def test_coins_are_independent_with_the_stated_rate() -> None:
    tossed = coins(400, 300, 0.3, secret(1))
    assert abs(tossed.mean() - 0.3) < 5 * (0.21 / tossed.size) ** 0.5
    for wrong in (0.2, 0.45):
        assert abs(tossed.mean() - wrong) > 50 * (0.25 / tossed.size) ** 0.5
    sizes = tossed.sum(1)
    assert 0.6 < sizes.var() / (300 * 0.21) < 1.5, "a sample of fixed size would not vary"
    assert abs(np.corrcoef(tossed[:, 0], tossed[:, 1])[0, 1]) < 5 / 20
    assert abs(np.corrcoef(tossed[0], tossed[1])[0, 1]) < 5 / 17
    stream = secret(1)
    assert np.array_equal(tossed, np.concatenate([coins(150, 300, 0.3, stream), coins(250, 300, 0.3, stream)]))
    with pytest.raises(ValueError, match="rate must lie in"):
        coins(1, 1, 0.0, stream)


def test_groups_are_uniform_and_independent() -> None:
    drawn = groups(300, 200, 4, secret())
    counts = np.bincount(drawn.ravel(), minlength=4)
    assert np.abs(counts - 15_000).max() < 5 * (60_000 * 3 / 16) ** 0.5
    assert abs(float((drawn[:, 0] == drawn[:, 1]).mean()) - 0.25) < 5 * (0.1875 / 300) ** 0.5
    with pytest.raises(ValueError, match="count must be at least 1"):
        groups(1, 1, 0, secret())


@pytest.mark.parametrize("release", ["votes", "posterior"])
def test_every_query_has_a_sample_of_its_own_unless_there_is_one_for_all(release: str) -> None:
    """The same public node, asked twice."""
    config = quick(release=release, neighbours=20)
    parts = parts_of(config)
    twice = np.repeat(choose(parts.public, 3, "random", 0), 2)
    fresh = answered(config, parts, twice)
    assert not np.allclose(fresh.before[0::2], fresh.before[1::2], atol=1e-3)
    assert [list(near) for near in fresh.near[0::2]] != [list(near) for near in fresh.near[1::2]]
    once = answered(replace(config, sampling="once"), parts, twice)
    assert [list(near) for near in once.near[0::2]] == [list(near) for near in once.near[1::2]]
    if release == "votes":
        assert np.array_equal(once.before[0::2], once.before[1::2])
    gates = answered(config, parts, twice, stage="gates")
    assert [list(near) for near in fresh.near] != [list(near) for near in gates.near], "a gate has a sample of its own"


@pytest.mark.parametrize("release", ["votes", "ensemble"])
def test_chunks_change_no_answer(release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = quick(release=release)
    parts = parts_of(config)
    queries = choose(parts.public, 6, "random", 0)
    whole = answered(config, parts, queries)
    monkeypatch.setattr("privgraph.methods.teachers.privgnn.sampling.CELLS", 200)
    assert np.allclose(whole.before, answered(config, parts, queries).before)


def test_distances_and_nearest_by_hand() -> None:
    nodes = np.array([[0, 0], [3, 4], [1, 0], [0, 0]], dtype=np.float32)
    query = np.array([[0, 1]], dtype=np.float32)
    assert np.allclose(distances(query, nodes, "euclidean"), [[1, 18**0.5, 2**0.5, 1]])
    assert np.allclose(distances(query, nodes, "cosine"), [[1, 0.2, 1, 1]])
    away = distances(query, nodes, "euclidean")[0]
    everybody, group = np.ones(4, dtype=bool), np.array([0, 1, 0, 1])
    assert [list(found) for found in nearest(away, everybody, None, 1, 3)] == [[0, 3, 2]]
    assert [list(found) for found in nearest(away, everybody, None, 1, 0)] == [[0, 3, 2, 1]]
    assert [list(found) for found in nearest(away, everybody, group, 3, 1)] == [[0], [3], []]
    assert [list(found) for found in nearest(away, np.array([False, True, True, False]), group, 2, 5)] == [[2], [1]]


# What one node can change: every private node of a small graph, with everybody's coins as they fell


def departures(parts: Parts) -> list[Parts]:
    return [replace(parts, private=with_node_nulled(parts.private, node)) for node in range(parts.private.num_nodes)]


def test_a_node_that_leaves_takes_its_own_vote_and_nothing_else() -> None:
    config = quick(encoder=32, rate=0.6)
    parts = parts_of(config)
    queries = np.arange(parts.public.num_nodes)
    labels = parts.private.y.numpy()
    tossed = Context(seed=0, noise_key=KEY).secret("sampling/coins/answers")
    sampled = coins(len(queries), len(labels), 0.6, tossed)
    before, worst = answered(config, parts, queries).before, 0.0
    for node, other in enumerate(departures(parts)):
        moved = before - answered(config, other, queries).before
        assert np.abs(np.delete(moved, labels[node], axis=1)).max() < 1e-9, "another class has changed"
        assert np.abs(moved[~sampled[:, node]]).max() < 1e-9, "a node outside a sample has changed it"
        worst = max(worst, float(np.linalg.norm(moved, axis=1).max()))
    assert worst <= 1 + 1e-9
    assert worst > 0.7


def test_no_weight_exceeds_one_and_who_has_no_features_has_no_vote() -> None:
    generator = np.random.default_rng(0)
    rows = unit(generator.normal(size=(500, 3)) * 10.0 ** generator.integers(-9, 9, size=(500, 1)))
    assert np.abs(weights(rows, rows)).max() <= 1
    assert np.diag(weights(rows, rows)).max() == pytest.approx(1)
    assert np.array_equal(unit(np.zeros((2, 3))), np.zeros((2, 3)))
    with pytest.raises(ArithmeticError, match="not finite"):
        unit(np.array([[np.nan, 1.0]]))


def test_a_node_that_leaves_changes_one_teacher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every departure changes the data of one teacher a query at most, and at most its vote."""
    config = quick(release="ensemble", neighbours=5, teachers=4, rate=0.7)
    parts = parts_of(config, 100)
    queries = choose(parts.public, 6, "random", 0)
    tossed = coins(6, parts.private.num_nodes, 0.7, secret(1))
    grouped = groups(6, parts.private.num_nodes, 4, secret(2))

    def assigned(one: Parts, gone: int | None) -> dict[tuple[int, int], frozenset[int]]:
        """The members of each (query, group)."""
        monkeypatch.setattr(teachers, "coins", lambda *_: tossed)
        monkeypatch.setattr(teachers, "groups", lambda *_: grouped)
        slots, _, _ = teachers.assign(one, queries, config, Context(noise_key=KEY), "answers")
        assert all(gone not in slot.nodes for slot in slots)
        return {(int(slot.queries[0]), int(slot.name.split("/")[1])): frozenset(slot.nodes) for slot in slots}

    before, most = assigned(parts, None), 0
    for node, other in enumerate(departures(parts)):
        after = assigned(other, node)
        for query in range(6):
            changed = {group for group in range(4) if before.get((query, group), ()) != after.get((query, group), ())}
            assert changed <= ({int(grouped[query, node])} if tossed[query, node] else set())
            most = max(most, len(changed))
    assert most == 1


def test_each_teacher_of_an_ensemble_has_one_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    """All labels of one group are turned around: at most one vote moves."""
    config = quick(release="ensemble", teachers=4, rate=1.0)
    parts = parts_of(config)
    queries = choose(parts.public, 5, "random", 0)
    before = answered(config, parts, queries).before
    assert np.array_equal(before.sum(1), np.full(5, 4.0))
    grouped = groups(5, parts.private.num_nodes, 4, secret(2))
    grouped[:] = grouped[0]
    monkeypatch.setattr(teachers, "groups", lambda *_: grouped)
    before = answered(config, parts, queries).before
    y = parts.private.y.clone()
    y[grouped[0] == 1] = (y[grouped[0] == 1] + 1) % parts.public.num_classes
    after = answered(config, replace(parts, private=replace(parts.private, y=y, _cache={})), queries).before
    moved = np.abs(after - before)
    assert moved.max() <= 1
    assert 0 < moved.sum(1).max() <= 2


def test_the_encoder_and_the_queries_read_the_public_graph_alone() -> None:
    config = quick()
    parts = parts_of(config)
    blind = replace(parts.public, y=torch.zeros_like(parts.public.y), _cache={})
    one, other = PublicEncoder.of(parts.public, 8), PublicEncoder.of(blind, 8)
    assert np.array_equal(one.weights, other.weights)
    for strategy in ("random", "degree", "pagerank", "clustering", "coverage"):
        chosen = choose(parts.public, 7, strategy, 3)
        assert np.array_equal(chosen, choose(blind, 7, strategy, 3))
        assert len(set(chosen.tolist())) == 7
        assert bool(parts.public.train_mask[torch.from_numpy(chosen)].all())


def run(config: Config, seed: int = 0, folder: Path | None = None) -> tuple[list[Event], Context]:
    context = Context(seed=seed, folder=folder, noise_key=KEY)
    return list(train_one(train.train, config, graph(), context)), context


def test_what_is_released_is_the_noisy_answer(tmp_path: Path) -> None:
    """The student's labels follow the vector after noise; the noise is that of the plan."""
    config = quick(release="votes", pooling=False, queries=40)
    run(config, folder=tmp_path)
    answers = Answers.load(tmp_path)
    assert np.array_equal(answers.released, answers.after.argmax(1))
    std = config.plan(graph().facts).noise["noise_std"]
    noise = (answers.after - answers.before) / std
    assert 0.7 < float(noise.std()) < 1.3
    for wrong in (2 / 3, 3 / 2):
        assert not 0.75 < float(noise.std()) * wrong < 1.25


def test_runs_that_differ_in_noise_share_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = watched(monkeypatch, train, "ask_teachers")
    configs = [quick(release="posterior", queries=6, common=True, lam=lam) for lam in (0.1, 1000.0)]
    list(train.train([planned(config, graph(), Context(seed=4, noise_key=KEY)) for config in configs]))
    assert len(calls) == 1


def test_the_table_of_the_paper_and_what_holds() -> None:
    """Amazon, 1000 queries, lambda 0.4: printed 19.81; the labels cost 9.66."""
    statement = Config(preset="amazon", release="posterior", lam=0.4).plan(FACTS).statement
    assert statement.delta == 1e-4
    assert statement.epsilon_as_published == pytest.approx(19.81, abs=0.01)
    assert statement.epsilon == pytest.approx(9.66, abs=0.01)
    half = Config(preset="amazon", release="posterior", lam=0.4, queries=500).plan(FACTS).statement
    assert half.epsilon_as_published == pytest.approx(13.15, abs=0.01)


def test_log_probabilities_have_no_guarantee_and_say_so() -> None:
    config = Config(preset="amazon", release="log-posterior", lam=0.4)
    statement = config.plan(FACTS).statement
    assert statement.epsilon == float("inf")
    assert statement.epsilon_as_published == pytest.approx(19.81, abs=0.01)
    assert any(isinstance(entry.event, NonPrivate) for entry in statement.ledger)


def test_one_sample_for_all_costs_more_than_a_sample_a_query() -> None:
    fresh = Config(preset="amazon", release="posterior", lam=0.4).plan(FACTS).statement
    once = Config(preset="amazon", release="posterior", lam=0.4, sampling="once").plan(FACTS).statement
    assert once.epsilon_as_published == fresh.epsilon_as_published, "the paper says that it is the same"
    assert once.epsilon > 4 * fresh.epsilon
    (entry,) = once.ledger
    assert isinstance(entry.event, SampledOnce)
    assert any("sample" in gap.title for gap in once.gaps)


def test_a_gate_is_paid_for_every_query_and_answers_up_to_their_number() -> None:
    config = Config(preset="amazon", release="votes", gate=1.5, gate_noise=2.0, answers=100)
    plan = config.plan(FACTS)
    gate, answers = plan.statement.ledger
    assert (gate.count, answers.count) == (1000, 100)
    assert gate.noise_std == pytest.approx(2 * plan.noise["noise_std"])
    assert plan.noise["gate_threshold"] == pytest.approx(1.5 * plan.noise["noise_std"])
    assert plan.statement.epsilon == pytest.approx(
        tight().epsilon(Ledger(plan.statement.ledger).event(), plan.statement.delta)
    )
