"""The shadow model attack of PrivGNN: who is asked about, what a student tells, and whole attacks."""

from typing import Any

import numpy as np
import pytest
import torch
from tests.watching import watched

from privgraph.attacks import shadow, students
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.outcome import outcome
from privgraph.attacks.shadow import ShadowAttack, ShadowOptions, fit_attack_model, shadow_attack, targets
from privgraph.attacks.signals import Array
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.methods.baselines.gnn.config import Config as GnnConfig
from privgraph.methods.outsider import Outsider
from privgraph.methods.teachers.parts import apart, split_parts
from privgraph.methods.teachers.privgnn.config import Config as PrivGnnConfig
from privgraph.methods.training import Context, train_one
from privgraph.progress import Event, Progress
from privgraph.registry import method

KEY = bytes(range(32))
FEATURELESS: dict[str, Any] = {"nodes": 240, "degree": 4.0, "features": 24, "signal": 0.3}
B1: dict[str, Any] = {"trained_on": "private", "hidden": 32, "dropout": 0.0, "epochs": 60}
TABLE: dict[str, Any] = {"hidden": 32, "dropout": 0.0, "epochs": 60, "encoder": 8, "epsilon": 1.0}


def social(**given: Any) -> Graph:
    return load("social", split_seed=3, data_options=FEATURELESS | given)


def attacked(graph: Graph, config: GnnConfig | PrivGnnConfig, **given: Any) -> ShadowAttack:
    *steps, found = shadow_attack(graph, config, ShadowOptions(**{"seeds": 1, **given}))
    assert all(isinstance(step, Progress) for step in steps)
    return found


def posteriors(random: np.random.Generator, count: int, sharpness: float = 1.0) -> Array:
    made = np.exp(sharpness * random.standard_normal((count, 4)))
    return np.asarray(made / made.sum(1, keepdims=True))


def test_planted_memorisation_is_found() -> None:
    random = np.random.default_rng(0)
    model = fit_attack_model(posteriors(random, 200, 5.0), posteriors(random, 200, 0.5), seed=1)
    scores = np.concatenate([model.scores(posteriors(random, 200, 5.0)), model.scores(posteriors(random, 200, 0.5))])
    assert outcome(scores, np.arange(400) < 200).area > 0.95


def _areas(own: bool) -> tuple[int, float]:
    """Of 20 targets that treat all nodes alike: intervals that hold 0.5, and the mean area. `own`: the
    classifier is wrongly fitted to the target that it is asked about."""
    held, areas = 0, []
    for seed in range(20):
        random = np.random.default_rng(seed)
        members, others = posteriors(random, 50), posteriors(random, 50)
        fitted = (members, others) if own else (posteriors(random, 50), posteriors(random, 50))
        model = fit_attack_model(*fitted, seed=seed)
        scores = np.concatenate([model.scores(members), model.scores(others)])
        found = outcome(scores, np.arange(100) < 50)
        held += found.area_low <= 0.5 <= found.area_high
        areas.append(found.area)
    return held, float(np.mean(areas))


@pytest.mark.long
def test_a_target_that_saw_nobody_tells_nothing() -> None:
    held, mean = _areas(own=False)
    assert held >= 16, "19 of 20 on average"
    assert mean == pytest.approx(0.5, abs=4 * 0.058 / 20**0.5)
    wrong, flattered = _areas(own=True)
    assert wrong < 5
    assert flattered > 0.65


def told(name: str, config: Any, graph: Graph, outsider: Outsider | None) -> list[Event]:
    context = Context(seed=4, noise_key=KEY, outsider=outsider)
    return list(train_one(method(name).load_train(), config, graph, context))


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("privgnn", PrivGnnConfig(**TABLE | {"epochs": 5})),
        *(("gnn", GnnConfig(**B1 | {"epochs": 5, "trained_on": on})) for on in ("private", "public", "joint", "noisy")),
    ],
)
def test_an_outsider_hears_the_model_of_the_run_about_both_parts(name: str, config: Any) -> None:
    """And changes no event of it."""
    graph, outsider = social(), Outsider()
    heard, plain = (told(name, config, graph, who) for who in (outsider, None))
    assert heard == plain
    assert set(outsider.logits) == {"linked"}
    logits = outsider.logits["linked"]
    assert logits.shape == (graph.num_nodes, graph.num_classes)
    right = logits.argmax(1) == graph.y
    parts = split_parts(graph, config)
    result = heard[-1]
    test = parts.public_nodes[parts.public.test_mask]
    assert float(right[test].float().mean()) == pytest.approx(result.metrics["test_accuracy"], abs=1e-6)


def test_a_node_is_asked_with_the_edges_of_its_own_part() -> None:
    graph = social()
    parts = split_parts(graph, PrivGnnConfig(private=0.5, public_train=0.2, public_test=0.2))
    cut = apart(graph, parts)
    part = torch.zeros(graph.num_nodes, dtype=torch.int64)
    part[parts.private_nodes], part[parts.public_nodes] = 1, 2
    pairs = {tuple(edge) for edge in graph.edge_index.t().tolist() if part[edge[0]] == part[edge[1]] > 0}
    assert {tuple(edge) for edge in cut.edge_index.t().tolist()} == pairs
    assert 0 < len(pairs) < graph.edge_index.shape[1]
    assert cut.edge_index.shape[1] == parts.private.edge_index.shape[1] + parts.public.edge_index.shape[1]
    assert torch.equal(cut.x, graph.x)


def test_who_is_asked_about_in_either_setting() -> None:
    graph, config = social(), PrivGnnConfig(queries=20, labelled="queries")
    parts = split_parts(graph, config)
    nodes, members = targets(parts, config, "attack-1", 0)
    assert set(nodes[members]) == set(parts.private_nodes.tolist())
    assert set(nodes[~members]) == set(parts.public_nodes.tolist())
    nodes, members = targets(parts, config, "attack-2", 0)
    assert set(nodes) == set(parts.public_nodes.tolist())
    assert members.sum() == 20
    assert parts.public.train_mask.numpy()[members].all()
    everybody = targets(parts, PrivGnnConfig(queries=20), "attack-2", 0)[1]
    assert np.array_equal(everybody, parts.public.train_mask.numpy()), "pooled votes label all training nodes"
    with pytest.raises(ValueError, match="setting must be one of"):
        targets(parts, config, "attack-3", 0)


def test_attack_2_is_about_those_that_the_student_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    from privgraph.methods.teachers.privgnn import train as trainer

    learnt = watched(monkeypatch, trainer, "fit_student")
    graph = social()
    for config in (
        PrivGnnConfig(**TABLE | {"queries": 15, "labelled": "queries", "epochs": 1}),
        PrivGnnConfig(**TABLE | {"queries": 15, "epochs": 1}),
        PrivGnnConfig(**TABLE | {"queries": 15, "release": "votes", "pooling": False, "epochs": 1}),
    ):
        told("privgnn", config, graph, None)
        members = targets(split_parts(graph, config), config, "attack-2", 4)[1]
        assert set(np.flatnonzero(members)) == set(learnt[-1].given[1].tolist())


@pytest.mark.long
def test_a_network_that_memorises_is_found_out_and_privgnn_is_not() -> None:
    """Features say little of labels: what B1 knows of its training nodes it has learnt by heart."""
    graph = social(nodes=400)
    baseline = attacked(graph, GnnConfig(**B1), seeds=2)
    private = attacked(graph, PrivGnnConfig(**TABLE), seeds=2)
    assert (baseline.method, private.method) == ("gnn", "privgnn")
    for one, other in zip(baseline.trials, private.trials, strict=True):
        assert one.outcome.area_low > 0.6
        assert one.decided > 0.65
        named = one.scores > 0.5
        found, cleared = named[one.members].mean(), (~named[~one.members]).mean()
        assert one.decided == pytest.approx((found + cleared) / 2), "members named, and others left alone"
        assert other.outcome.area < 0.6
        assert one.outcome.area_low > other.outcome.area_high
        assert np.array_equal(one.nodes, other.nodes)
        assert np.array_equal(one.members, other.members)
        assert one.shadow_accuracy == other.shadow_accuracy, "one shadow serves both"
    assert baseline.area == pytest.approx(np.mean([trial.outcome.area for trial in baseline.trials]))
    assert set(baseline.trials[0].nodes) != set(baseline.trials[1].nodes)


@pytest.mark.parametrize("setting", ["attack-1", "attack-2"])
def test_a_shadow_s_parts_are_as_large_as_the_target_s(setting: str) -> None:
    """It validates on nobody: who does in the target's public part, trains here."""
    target, config = social(), PrivGnnConfig(**TABLE)
    given, made = (one.sizes(240) for one in (config, shadow._shadow_config(config, target, setting)))
    assert (
        shadow._shadow_config(config, target, setting).trained_on
        == {"attack-1": "private", "attack-2": "public"}[setting]
    )
    assert given.val > 0
    assert made.private == given.private
    assert made.train + made.val == given.train + given.val
    assert made.test == given.test


def test_scores_are_of_the_target_and_not_of_the_shadow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that says the same of everybody: no area, however well its shadow is told."""
    train = shadow._train

    def numb(graph: Graph, config: Any, seed: int, text: str, device: str) -> Any:
        for event in train(graph, config, seed, text, device):
            if isinstance(event, shadow._Told) and text.startswith("target"):
                same = np.full_like(event.posteriors, 1 / event.posteriors.shape[1])
                event = shadow._Told(posteriors=same, accuracy=event.accuracy)
            yield event

    monkeypatch.setattr(shadow, "_train", numb)
    assert attacked(social(), GnnConfig(**B1)).area == 0.5


def test_target_and_attacker_share_no_node(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, seen = social(), watched(monkeypatch, shadow, "_train")
    found = attacked(graph, GnnConfig(**B1 | {"epochs": 2}), share=0.25)
    mine, theirs = ({tuple(row) for row in call.given[0].x.tolist()} for call in seen)
    assert {tuple(row) for row in graph.x[found.trials[0].nodes].tolist()} <= theirs, "numbers in the whole graph"
    assert (len(mine), len(theirs)) == (60, 180)
    assert not mine & theirs


def test_what_cannot_be_attacked_is_refused() -> None:
    with pytest.raises(ValueError, match="trained_on private"):
        next(shadow_attack(social(), GnnConfig(), ShadowOptions()))
    with pytest.raises(ValueError, match="needs privgnn"):
        next(shadow_attack(social(), GnnConfig(**B1), ShadowOptions(setting="attack-2")))


def test_runs_of_other_seeds_are_attacked_on_halves_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else three runs would be one attack, told three times; the same run and options repeat."""
    graph, seen = social(), []

    def noted(_graph: Graph, _config: Any, how: ShadowOptions, **_given: Any) -> Any:
        seen.append(how.seed)
        raise StopIteration

    monkeypatch.setattr(students, "shadow_attack", noted)
    config = GnnConfig(**B1)
    for seed, own in ((0, 0), (1, 0), (0, 1), (1, 0)):
        told = Attacked(
            run="a-run",
            method="gnn",
            config=config,
            statement=config.plan(graph.facts).statement,
            graph=lambda: graph,
            seed=seed,
        )
        with pytest.raises(RuntimeError):  # a generator that is stopped so
            list(students.attack(told, AttackOptions(seed=own)))
    assert seen[1] == seen[3]
    assert len(set(seen)) == 3
