"""Attacks end to end on runs: what is trained, what is told, and what is refused."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.attacks.attacked_here import QUICK, SMALL, answered, attacked, graph, subject
from tests.watching import watched

from privgraph.attacks import membership, shadows
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.shadows import Asked, ask
from privgraph.data.errors import DataError
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.splits import with_training
from privgraph.home import home
from privgraph.methods.keys import run_keys
from privgraph.methods.outsider import WAYS, Outsider, Parts
from privgraph.methods.row import MethodSpec
from privgraph.methods.training import Context, Member, planned
from privgraph.options import OptionError, build
from privgraph.progress import Progress, Result
from privgraph.registry import ATTACKS, METHODS, method
from privgraph.streams import noise_key


def test_every_method_that_can_be_asked_is_tried_here() -> None:
    assert set(SMALL) == {name for name, spec in METHODS.items() if spec.asked}


@pytest.mark.parametrize("name", SMALL)
def test_a_trainer_answers_in_the_ways_that_its_row_names(name: str) -> None:
    told, heard = subject(name), Outsider()
    member = planned(told.config, graph(), Context(seed=1, outsider=heard))
    *_, (_, last) = method(name).load_train()([member])
    assert isinstance(last, Result)
    assert tuple(way for way in WAYS if way in heard.logits) == method(name).asked
    test = graph().test_mask.nonzero().squeeze(1)
    if method(name).own_parts:
        test = heard.parts.judged
    for logits in heard.logits.values():
        assert logits.shape == (120, graph().num_classes)
        assert bool(torch.isfinite(logits).all())
    right = (heard.logits["linked"].argmax(1) == graph().y)[test].float().mean()
    assert float(right) == pytest.approx(last.metrics["test_accuracy"], abs=1e-6), "the model that the run ends with"


def test_an_attack_says_what_the_other_scores_find_from_the_same_answers(tmp_path: Path) -> None:
    """As much as attacks with these scores find themselves, from the models that are kept."""
    told = subject("mlp", tmp_path)
    own = {name: attacked(name, told) for name in ("bavaria", "lira", "rmia")}
    for name, record in own.items():
        found = {one.attack: one.areas for one in record.rivals}
        assert set(found) == {"bavaria", "lira", "rmia", "threshold"} - {name}
        for other in set(own) - {name}:
            assert found[other] == pytest.approx(own[other].areas), "on each attacked model"
        assert AttackRecord.from_json(record.to_json()) == record
    alone = attacked("threshold", told)
    assert not alone.rivals, "without shadow models there are no answers that the others could read"
    assert {one.attack: one.areas for one in own["lira"].rivals}["threshold"] == pytest.approx(alone.areas, abs=0.2)
    with pytest.raises(ValueError, match="an area for each attacked model"):
        replace(own["lira"], rivals=(replace(own["lira"].rivals[0], areas=(0.5,)),))


@pytest.mark.parametrize("split", ["random", "inductive"])
@pytest.mark.long
def test_a_model_that_remembers_is_found_out(split: str) -> None:
    """A wide perceptron trained long on noise knows its training nodes by heart."""
    told = replace(subject("mlp", epochs=150, hidden=64, dropout=0.0), graph=noise_graph, split=split)
    for name, least in (("bavaria", 0.95), ("lira", 0.95), ("threshold", 0.9)):
        record = attacked(name, told)
        assert record.outcome.area > least, name
        assert record.outcome.area_low > 0.5
        assert min(record.areas) > least - 0.05
        assert record.bound > 0.3, "a bound on what protects nothing"
        assert record.exposed[0].exposure == 1.0
        assert AttackRecord.from_json(record.to_json()) == record
    with pytest.raises(OptionError, match="this run's split has none"):
        attacked("rmia", told)


def noise_graph() -> Graph:
    """Features that say nothing of the labels: what a model knows of a test node is chance."""
    draw = torch.Generator().manual_seed(0)
    held = load("social", split_seed=3, data_options={"nodes": 200, "degree": 6})
    return replace(
        held,
        x=torch.randn(held.x.shape, generator=draw),
        y=torch.randint(0, 3, (200,), generator=draw),
        val_mask=torch.zeros(200, dtype=torch.bool),  # else the epoch of most luck is kept, which may be the first
    )


def forgetful(_subject: Attacked, _options: AttackOptions, **_: object) -> Any:
    """What models say that never saw any of the targets: noise."""
    draw = np.random.default_rng(_options.seed)
    members = draw.random((QUICK.shadows + 2, 90)) < 0.6
    members[2:6] = [[True], [True], [False], [False]]
    yield Asked(
        nodes=np.arange(90),
        signals=draw.normal(size=(len(members), 90, 1)),
        members=members,
        strangers=draw.normal(size=(len(members), 30, 1)),
        accuracies=np.full(len(members), 0.5),
        ways=("linked",),
        targets=2,
    )


@pytest.mark.parametrize("name", ["bavaria", "lira", "rmia", "threshold"])
@pytest.mark.long
def test_intervals_hold_chance_where_nothing_is_remembered(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """200 attacks on noise: the area's interval holds 0.5, the bound is 0, and each rate's its false one."""
    monkeypatch.setattr(membership, "ask", forgetful)
    told = replace(subject("dp-mlp"), statement=subject("dp-mlp").statement)
    held, above, rates = 0, 0, np.zeros(3)
    for seed in range(200):
        record = attacked(name, told, replace(QUICK, seed=seed))
        held += record.outcome.area_low <= 0.5 <= record.outcome.area_high
        above += record.bound is None or record.bound > 0
        rates += [rate.low <= rate.false <= rate.high for rate in record.outcome.rates]
    assert held >= 178
    assert above <= 20
    assert (rates >= 190).all()


def test_the_same_is_red_where_the_target_is_among_its_own_shadows(monkeypatch: pytest.MonkeyPatch) -> None:
    def cheating(told: Attacked, options: AttackOptions, **_: object) -> Any:
        (asked,) = forgetful(told, options)
        yield replace(
            asked,
            signals=np.concatenate([asked.signals, asked.signals[:1]]),
            members=np.concatenate([asked.members, asked.members[:1]]),
            strangers=np.concatenate([asked.strangers, asked.strangers[:1]]),
        )

    monkeypatch.setattr(membership, "ask", cheating)
    areas = [attacked("lira", subject("dp-mlp"), replace(QUICK, seed=seed)).areas for seed in range(10)]
    assert np.mean([own for own, _ in areas]) > 0.6
    assert abs(np.mean([other for _, other in areas]) - 0.5) < 0.06, "and of the other model it knows nothing"


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("gnn", AttackOptions(shadows=4), "4 shadow models are too few"),
        ("mlp", AttackOptions(query="alone"), "cannot be asked about a node with its features and no edge"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(name: str, options: AttackOptions, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        attacked("bavaria", subject(name), options)


def test_methods_that_do_not_answer_are_refused() -> None:
    config = build(method("privgnn").load_config(), {})
    told = replace(subject("mlp"), method="privgnn", config=config)
    assert "does not tell" in str(ATTACKS["lira"].refuses(told))
    with pytest.raises(OptionError, match="does not tell"):
        attacked("lira", told)
    parted = replace(subject("gnn"), config=build(method("gnn").load_config(), {"trained_on": "private", "epochs": 1}))
    with pytest.raises(OptionError, match="the attack shadow is for it"):
        attacked("threshold", parted)


def test_rmia_measures_each_model_against_what_that_model_says_of_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    held = answered(subject("mlp"))
    calls = watched(monkeypatch, membership.scores, "rmia")
    monkeypatch.setattr(membership, "ask", lambda *_, **__: iter([held]))
    attacked("rmia", subject("mlp"))
    assert len(calls) == 2
    for row, ((target, models, strangers, theirs), *_) in enumerate(calls):
        assert np.array_equal(target, held.signals[row])
        assert np.array_equal(models.signals, held.signals[2:])
        assert np.array_equal(strangers, held.strangers[row])
        assert np.array_equal(theirs, held.strangers[2:])


def test_training_nodes_overlap_with_nobody() -> None:
    held = graph()
    train, test, val = (mask.nonzero().squeeze(1) for mask in (held.train_mask, held.test_mask, held.val_mask))
    for wrong in ((train, train[:1]), (val[:1], test), (train, val[:1])):
        with pytest.raises(DataError, match="must not overlap"):
            with_training(held, *wrong)
    with pytest.raises(DataError, match="load the graph again"):
        with_training(replace(held, split="inductive"), train, test)
    cut = with_training(held, test, train, "inductive")
    part = cut.train_mask.long() + 2 * cut.val_mask.long() + 3 * cut.test_mask.long()
    assert bool((part[cut.edge_index[0]] == part[cut.edge_index[1]]).all())
    assert 0 < cut.edge_index.shape[1] < held.edge_index.shape[1]


@pytest.mark.parametrize(
    ("setting", "method_"), [("attack-1", "gnn"), ("attack-1", "privgnn"), ("attack-2", "privgnn")]
)
def test_the_attack_of_appendix_c_on_a_run(setting: str, method_: str) -> None:
    parts = {"epochs": 3, "hidden": 8} | ({"trained_on": "private"} if method_ == "gnn" else {})
    config = build(method(method_).load_config(), parts)
    told = replace(subject("mlp"), method=method_, config=config, statement=config.plan(graph().facts).statement)
    record = attacked("shadow", told, AttackOptions(setting=setting, targets=2))
    assert (record.models, len(record.areas), record.bound) == (4, 2, None)
    assert AttackRecord.from_json(record.to_json()) == record
    assert any("another half of the graph" in line for line in record.knows)
    if method_ == "gnn":
        with pytest.raises(OptionError, match="it needs privgnn"):
            attacked("shadow", told, AttackOptions(setting="attack-2"))
    with pytest.raises(OptionError, match="is for privgnn"):
        attacked("shadow", subject("mlp"))


@pytest.mark.long
def test_members_are_those_on_the_slots_of_each_model() -> None:
    """The run's own slots first; everybody who may be drawn is a target."""
    told = subject("dp-gpl")
    found = answered(told)
    (key,) = run_keys(noise_key(home()), ["anything"], [graph()], "cpu")
    own = Context(seed=told.seed, noise_key=b"\0" * 32, shared_key=key.shared, outsider=Outsider())
    *_, _last = method("dp-gpl").load_train()([planned(told.config, graph(), own)])
    taught, spared = own.outsider.parts.taught, own.outsider.parts.spared
    assert len(taught) == 24
    assert len(spared) == 36
    assert set(found.nodes[found.members[0]].tolist()) <= set(taught.tolist())
    assert set(found.nodes[~found.members[0]].tolist()) <= set(spared.tolist())
    assert len({row.tobytes() for row in found.members}) == len(found.members), "every model has draws of its own"
    beside = found.members[QUICK.targets :]
    assert min(beside.sum(0).min(), (~beside).sum(0).min()) >= 2
    judged = own.outsider.parts.judged
    assert found.strangers.shape[:2] == (len(found.members), len(judged))
    assert not set(judged.tolist()) & (set(taught.tolist()) | set(spared.tolist()))


@pytest.mark.parametrize(("memory", "low", "high"), [(-3.0, 0.0, 0.05), (0.0, 0.2, 0.8)])
def test_a_model_that_remembers_whom_it_learnt_from_is_found(
    memory: float, low: float, high: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A made-up trainer is surer of those on slots by `memory`, or of the others; nothing is found at 0."""
    draw = np.random.default_rng(0)

    def train(members: Sequence[Member[Any]]) -> Iterator[tuple[int, Any]]:
        for index, member in enumerate(members):
            chosen = torch.from_numpy(draw.permutation(60))
            logits = torch.zeros(120, graph().num_classes)
            logits[torch.arange(120), graph().y] = torch.from_numpy(draw.normal(size=120)).float()
            taught = chosen[:24]
            logits[taught, graph().y[taught]] += memory
            member.context.outsider.hears(linked=logits)
            member.context.outsider.parts = Parts(taught=taught, spared=chosen[24:], judged=torch.arange(60, 120))
            yield index, Result(metrics={"test_accuracy": 0.5})

    monkeypatch.setattr(MethodSpec, "load_train", lambda _self: train)
    for name in ("threshold", "rmia"):
        record = attacked(name, subject("dp-gpl"), AttackOptions(shadows=24, targets=3))
        assert low <= np.mean(record.areas) <= high, name
    for name in ("bavaria", "lira"):  # these learn from shadow models which way memory goes
        record = attacked(name, subject("dp-gpl"), AttackOptions(shadows=24, targets=3))
        assert (np.mean(record.areas) > 0.9) == (memory != 0), name


def test_runs_without_anybody_to_compare_with_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    everybody = subject("dp-gpl", shots=0)
    assert "all private nodes teach in this run" in str(ATTACKS["lira"].refuses(everybody))
    seen: list[str] = []

    def stages() -> None:
        for step in ask(subject("dp-gpl", shots=5), QUICK):
            assert isinstance(step, Progress)
            seen.append(step.stage)

    with pytest.raises(OptionError, match="fewer teachers or shots leave nodes out"):
        stages()
    assert set(seen) == {"loading data", "model 1 of 16"}, "one training is enough to know"
    # 24 of 60 teach: of four shadow models, few nodes are with two and left out of two
    monkeypatch.setattr(shadows, "FEWEST_NODES", 24)
    with pytest.raises(OptionError, match="hardly a node"):
        answered(subject("dp-gpl"), AttackOptions(shadows=4, targets=1))


def test_a_method_that_does_not_say_whom_it_learnt_from_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def train(members: Sequence[Member[Any]]) -> Iterator[tuple[int, Any]]:
        for index, _ in enumerate(members):
            yield index, Result(metrics={})

    monkeypatch.setattr(MethodSpec, "load_train", lambda _self: train)
    with pytest.raises(OptionError, match="does not say whom it has learnt from"):
        answered(replace(subject("dp-gpl"), run="another"))
