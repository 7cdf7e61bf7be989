"""Membership inference on prompts and on runs of them: who is in which prompt, the stack against prompts one
at a time, and what is found where there is something to be found, and where there is nothing."""

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch
from scipy import stats
from tests.attacks import attacked_here
from tests.attacks.prompt_alone import alone
from tests.methods.drained import returned
from tests.watching import watched
from torch import Tensor

from privgraph.attacks import prompt_runs, prompt_stack
from privgraph.attacks import prompts as attacks
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.planning import prompt_targets
from privgraph.attacks.prompt_stack import Fitted, Tuned, signals
from privgraph.attacks.prompts import SCORES, PromptAttack, PromptMembership, attack_prompts, candidates, drawn, judged
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.scores import lira, rmia
from privgraph.attacks.signals import Shadows, scaled_confidence
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.methods.prompts.few_shot import chosen_by_label, fresh_prompt, ready
from privgraph.methods.prompts.options import BACKBONES, PROMPTS
from privgraph.methods.prompts.pretrained import PreparedGraph, recipe_of
from privgraph.methods.prompts.prompt.config import Config
from privgraph.methods.training import Context, train_one
from privgraph.nn.prompt_tuning import Tuning
from privgraph.options import OptionError, build
from privgraph.registry import ATTACKS, METHODS
from privgraph.streams import stream_seed

SMALL: dict[str, Any] = {
    "hidden": 8, "pretrain_epochs": 3, "queries": 10, "backbone": "gcn", "tokens": 3, "epochs": 60,
    "learning_rate": 0.05,
}  # fmt: skip
MEMORY = PromptAttack(shots=2, targets=24, pairs=16, repetitions=30, seed=1)


@lru_cache
def graph() -> Graph:
    return load("social", data_options={"nodes": 120, "degree": 6.0, "features": 12, "signal": 1.0})


@lru_cache
def prepared_for(**changes: Any) -> tuple[PreparedGraph, Tensor]:
    return returned(ready(graph(), Config(**(SMALL | changes)), Context(), total=3))


@lru_cache
def attacked() -> PromptMembership:
    *_, found = attack_prompts(graph(), Config(**SMALL), MEMORY)
    return found


def asked(prepared: PreparedGraph, table: Tensor, config: Config, tuned: Tuned, nodes: Tensor) -> np.ndarray:
    *_, found = signals(prepared, table, recipe_of(config), tuned, nodes)
    return found


@pytest.mark.parametrize("shots", [1, 3])
def test_attacked_prompts_and_shadow_prompts_have_as_many_shots(shots: int) -> None:
    attack = PromptAttack(shots=shots, targets=23, pairs=7, repetitions=9)
    members, shadows = drawn(np.zeros(23, dtype=np.int64), attack)
    assert members.shape == (9, 23)
    assert (members.sum(1) == shots).all()
    assert (shadows.sum(1) == shots).all()
    assert shadows.sum(0).min() >= attack.pairs
    assert (~shadows).sum(0).min() >= attack.pairs
    assert len(shadows) == -(-7 * 23 // shots)
    assert np.unique(members, axis=0).shape[0] > 5


def test_each_class_has_its_shots() -> None:
    labels = np.array([0] * 6 + [1] * 11 + [2] * 4)
    members, shadows = drawn(labels, PromptAttack(shots=2, targets=21, pairs=5, repetitions=4, each_class=True))
    for rows in (members, shadows):
        for label in range(3):
            assert (rows[:, labels == label].sum(1) == 2).all()
    assert shadows.sum(0).min() >= 5
    assert (~shadows).sum(0).min() >= 5


def test_shadow_prompts_know_nothing_of_who_is_in_an_attacked_one() -> None:
    """First prompts of either kind share as many shots as two independent draws do: k^2/T on average."""
    shared = []
    for seed in range(400):
        attack = PromptAttack(shots=3, targets=10, pairs=2, repetitions=1, seed=seed)
        members, shadows = drawn(np.zeros(10, dtype=np.int64), attack)
        shared.append(int((members[0] & shadows[0]).sum()))
    assert abs(np.mean(shared) - 0.9) < 4 * np.std(shared) / np.sqrt(400)


def test_in_prompts_are_tuned_on_the_target_and_out_prompts_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted from the slots that are tuned on, by the centres of a stack's ego-graphs."""
    prepared, _ = prepared_for()
    attack = PromptAttack(shots=2, targets=8, pairs=3, repetitions=2)
    begun, seen = watched(monkeypatch, prompt_stack, "Fitted"), watched(monkeypatch, attacks, "signals")
    *_, found = attack_prompts(graph(), Config(**(SMALL | {"epochs": 1})), attack)
    ((_, _, _, tuned, _),) = [call.given for call in seen]
    tuned_on = np.zeros(len(prepared.labels), dtype=np.int64)
    for call in begun:
        np.add.at(tuned_on, call.given[3].nodes[:, 0].numpy(), 1)
    held = (tuned.nodes.numpy()[:, :, None] == found.nodes).any(1)
    assert np.array_equal(held[:2], found.members)
    assert np.array_equal(held[2:], found.shadows.members)
    assert np.array_equal(tuned_on[found.nodes], held.sum(0))
    assert tuned_on.sum() == held.sum()
    assert len(set(tuned.seeds)) == len(tuned.seeds)


@pytest.mark.long
@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("backbone", BACKBONES)
def test_a_prompt_of_the_stack_is_the_method_s_own(prompt: str, backbone: str) -> None:
    config = Config(**(SMALL | {"prompt": prompt, "backbone": backbone, "epochs": 12}))
    prepared, table = prepared_for(backbone=backbone)
    own = prepared.private_nodes[torch.randperm(40, generator=torch.Generator().manual_seed(0))]
    tuned = Tuned(nodes=own[:36].view(12, 3), seeds=[stream_seed(0, f"test/{row}") % 2**31 for row in range(12)])
    nodes = torch.cat([own[:10], prepared.query_nodes])
    found = asked(prepared, table, config, tuned, nodes)
    egos, slots = prepared.egos(nodes), zip(tuned.nodes, tuned.seeds, strict=True)
    logits = torch.stack([alone(prepared, table, config, shots, seed, egos) for shots, seed in slots])
    twin = scaled_confidence(logits.double().numpy(), prepared.labels[nodes].numpy())
    assert abs(found - twin).max() < 2e-3
    assert twin.std(0).min() > 0.02  # prompts differ: rows that were exchanged would be seen


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_loss_is_the_mean_over_shots(prompt: str) -> None:
    """Adam hides a wrong factor before the loss, except where a penalty stands beside it."""
    config = Config(**(SMALL | {"prompt": prompt}))
    prepared, table = prepared_for()
    recipe, own = recipe_of(config), prepared.private_nodes[:5]
    labels, egos = prepared.labels[own].unsqueeze(0), prepared.egos(own)
    assert len(set(egos.present.sum(1).tolist())) > 1
    prompts = [fresh_prompt(prepared, table, recipe, Context()) for _ in range(2)]
    stacked = Fitted(prompts[0], prepared.backbone, table, egos, labels, recipe)
    usual = Tuning(prompts[1], prepared.backbone, table, egos, labels, recipe)
    for _ in range(3):
        assert float(stacked.step()) == pytest.approx(float(usual.step()), rel=1e-4)


def test_planted_memory_is_found() -> None:
    """Two shots, and many steps on them."""
    found = attacked()
    assert set(found.scores) == set(SCORES)
    for score in ("lira", "bavaria", "lira-offline"):
        mean = found.mean_area(score)
        assert mean.repetitions == 30
        assert mean.low > 0.7, score
        assert mean.low <= mean.area <= mean.high
        assert found.pooled(score).area_low > 0.7
    assert found.mean_area("rmia").low > 0.55
    assert found.pooled("lira").members == 60
    assert found.pooled("lira").others == 30 * 22


def test_a_target_never_trained_on_is_not_found() -> None:
    """Members are named by coins that no prompt knows of; prompts are tuned on other draws of the pool."""
    found, blind = attacked(), replace(MEMORY, seed=77, repetitions=30)
    coins, _ = drawn(np.zeros(24, dtype=np.int64), blind)
    named = PromptMembership(
        nodes=found.nodes, labels=found.labels, members=coins, target_signals=found.target_signals,
        shadows=found.shadows, scores=found.scores,
    )  # fmt: skip
    for score in SCORES:
        mean = named.mean_area(score, confidence=0.99)
        assert mean.low < 0.5 < mean.high, score
        assert mean.high - mean.low < 0.35, score


def test_each_score_is_the_one_of_its_name() -> None:
    draw = np.random.default_rng(0)
    members, shadows = draw.random((2, 6)) < 0.5, np.arange(8)[:, None] % 2 == np.arange(6) % 2
    said = draw.normal(size=(10, 9))
    found = judged(np.arange(6), np.zeros(6, dtype=np.int64), members, shadows, said)
    held = Shadows(signals=said[2:, :6], members=shadows)
    for row in range(2):
        one = said[row, :6]
        assert np.array_equal(found.scores["lira"][row], lira(one, held, online=True))
        assert np.array_equal(found.scores["lira-offline"][row], lira(one, held, online=False))
        assert np.array_equal(found.scores["rmia"][row], rmia(one, held, said[row, 6:], said[2:, 6:]))


def test_too_few_nodes_are_refused() -> None:
    prepared, _ = prepared_for()
    with pytest.raises(ValueError, match="of which there are 60"):
        candidates(prepared, PromptAttack(targets=61))
    with pytest.raises(ValueError, match="one has 3"):
        drawn(np.array([0, 0, 0, 1, 1, 1, 1]), PromptAttack(shots=2, targets=7, each_class=True))
    one = attacked()
    single = replace(one, members=one.members[:1], scores={name: rows[:1] for name, rows in one.scores.items()})
    with pytest.raises(ValueError, match="at least two"):
        single.mean_area("lira")


SEED = 3
RUN = SMALL | {"epochs": 40, "shots": 2}


def social() -> Graph:
    return load("social", split_seed=SEED, data_options={"nodes": 160, "degree": 6.0, "features": 12, "signal": 1.0})


def run_of(**options: Any) -> Attacked:
    return attacked_here.subject("prompt", held=social, seed=SEED, **RUN | options)


def recorded(told: Attacked, options: AttackOptions) -> AttackRecord:
    return attacked_here.attacked("prompts", told, options)


@pytest.mark.long
def test_own_shots_among_the_candidates_are_as_likely_as_any_others() -> None:
    """Given four candidates of six nodes, each pair of them is as often the run's shots."""
    prepared = cast(PreparedGraph, SimpleNamespace(private_nodes=torch.arange(6)))
    pairs = Counter[tuple[int, int]]()
    coins = np.random.default_rng(0)
    for seed in range(12_000):
        own = torch.from_numpy(coins.choice(6, 2, replace=False))
        held = candidates(prepared, PromptAttack(shots=2, targets=4, pairs=2, seed=seed), own)
        assert len(held) == 4
        assert torch.isin(own, held).all()
        if held.tolist() == [0, 2, 3, 5]:
            pairs[cast("tuple[int, int]", tuple(sorted(own.tolist())))] += 1
    assert set(pairs) == set(combinations([0, 2, 3, 5], 2))
    assert stats.chisquare(list(pairs.values())).pvalue > 1e-3


def test_the_first_prompt_that_is_attacked_is_the_run_s_own() -> None:
    """Its shots, its network and its first values: what it says is what the method's prompt says."""
    told = run_of()
    how = PromptAttack(shots=2, targets=40, pairs=2, repetitions=3, each_class=True, seed=11)
    *_, found = attack_prompts(social(), told.config, how, run=SEED)
    prepared, table = returned(ready(social(), told.config, Context(seed=SEED), total=3))
    own = chosen_by_label(prepared, 2, SEED)
    assert set(found.nodes[found.members[0]].tolist()) == set(own.nodes.tolist())
    assert not np.array_equal(found.members[0], found.members[1])
    assert np.array_equal(found.labels, prepared.labels[found.nodes].numpy())
    for label in range(prepared.classes):
        assert (found.members[:, found.labels == label].sum(1) == 2).all()
    asked = prepared.egos(torch.from_numpy(found.nodes))
    logits = alone(prepared, table, told.config, own.nodes, SEED, asked).double().numpy()
    assert abs(found.target_signals[0] - scaled_confidence(logits, found.labels)).max() < 5e-3
    assert abs(found.target_signals[1] - scaled_confidence(logits, found.labels)).max() > 0.05
    with pytest.raises(ValueError, match="say each_class"):
        next(attack_prompts(social(), told.config, replace(how, each_class=False), run=SEED))


@pytest.mark.long
def test_the_row_from_options_to_the_record() -> None:
    told, options = run_of(), AttackOptions(shadows=8, targets=3)
    record = recorded(told, options)
    assert AttackRecord.from_json(record.to_json()) == record
    shots, private = 2 * social().num_classes, told.config.sizes(160).private
    assert record.outcome.members == shots
    assert record.outcome.others == prompt_targets(2, social().num_classes, private) - shots
    assert len(record.areas) == 3
    assert min(record.areas) > 0.6, "40 steps on two nodes of each class are remembered"
    assert record.models >= 3 + 8 * private / shots
    assert record.bound is not None
    assert (record.steps, record.drawn) == (2, True)
    *_, result = train_one(METHODS["prompt"].load_train(), told.config, social(), Context(seed=SEED))
    assert record.accuracy == result.metrics["test_accuracy"]
    assert any("2 of each class are the shots" in line for line in record.knows)
    assert len(record.notes) == 1
    fewer = recorded(told, replace(options, shots=1))
    assert fewer.outcome.members == social().num_classes
    assert any("1 shots of each class, and the run's own has 2" in note for note in fewer.notes)
    assert any("1 of each class are the shots" in line for line in fewer.knows)


def test_the_bound_is_from_pairs_of_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Across classes, which of two nodes is the shot is no fair coin; and each class has coins of its own."""
    calls = watched(monkeypatch, prompt_runs, "differences")
    recorded(run_of(epochs=2), AttackOptions(shadows=4, targets=1))
    seen = [call.given for call in calls]
    assert [int(members.sum()) for _, members, _ in seen] == [2] * social().num_classes
    assert all(random is seen[0][2] for _, _, random in seen), "one generator after another would deal the same coins"
    assert sum(len(scores) for scores, _, _ in seen) == run_of().config.sizes(160).private


def test_what_is_refused_says_what_was_expected() -> None:
    config = build(METHODS["mlp"].load_config(), {"unit": "none"})
    other = replace(run_of(), method="mlp", config=config)
    assert "for the method prompt" in str(ATTACKS["prompts"].refuses(other))
    with pytest.raises(OptionError, match="for the method prompt"):
        recorded(other, AttackOptions())
    with pytest.raises(OptionError, match=r"shots \(20\) of each class do not do for this run"):
        recorded(run_of(), AttackOptions(shots=20, shadows=4, targets=1))
    for name in ("bavaria", "lira", "rmia", "threshold", "shadow"):
        assert ATTACKS[name].refuses(run_of()) is not None
