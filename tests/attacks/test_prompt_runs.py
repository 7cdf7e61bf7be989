"""The attack `prompts` on a run: whose shots it looks for, what it tells, and what it refuses."""

from collections import Counter
from dataclasses import replace
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

from privgraph.attacks import prompt_runs
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.planning import prompt_targets
from privgraph.attacks.prompts import PromptAttack, attack_prompts, candidates
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.signals import scaled_confidence
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.methods.prompts.few_shot import chosen_by_label, ready
from privgraph.methods.prompts.pretrained import PreparedGraph
from privgraph.methods.training import Context, train_one
from privgraph.options import OptionError, build
from privgraph.registry import ATTACKS, METHODS

SEED = 3
SMALL: dict[str, Any] = {
    "hidden": 8, "pretrain_epochs": 3, "queries": 10, "backbone": "gcn", "tokens": 3, "epochs": 40,
    "learning_rate": 0.05, "shots": 2,
}  # fmt: skip


def graph() -> Graph:
    return load("social", split_seed=SEED, data_options={"nodes": 160, "degree": 6.0, "features": 12, "signal": 1.0})


def subject(**options: Any) -> Attacked:
    return attacked_here.subject("prompt", held=graph, seed=SEED, **SMALL | options)


def attacked(told: Attacked, options: AttackOptions) -> AttackRecord:
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
    told = subject()
    how = PromptAttack(shots=2, targets=40, pairs=2, repetitions=3, each_class=True, seed=11)
    *_, found = attack_prompts(graph(), told.config, how, run=SEED)
    prepared, table = returned(ready(graph(), told.config, Context(seed=SEED), total=3))
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
        next(attack_prompts(graph(), told.config, replace(how, each_class=False), run=SEED))


@pytest.mark.long
def test_the_row_from_options_to_the_record() -> None:
    told, options = subject(), AttackOptions(shadows=8, targets=3)
    record = attacked(told, options)
    assert AttackRecord.from_json(record.to_json()) == record
    shots, private = 2 * graph().num_classes, told.config.sizes(160).private
    assert record.outcome.members == shots
    assert record.outcome.others == prompt_targets(2, graph().num_classes, private) - shots
    assert len(record.areas) == 3
    assert min(record.areas) > 0.6, "40 steps on two nodes of each class are remembered"
    assert record.models >= 3 + 8 * private / shots
    assert record.bound is not None
    assert (record.steps, record.drawn) == (2, True)
    *_, result = train_one(METHODS["prompt"].load_train(), told.config, graph(), Context(seed=SEED))
    assert record.accuracy == result.metrics["test_accuracy"]
    assert any("2 of each class are the shots" in line for line in record.knows)
    assert len(record.notes) == 1
    fewer = attacked(told, replace(options, shots=1))
    assert fewer.outcome.members == graph().num_classes
    assert any("1 shots of each class, and the run's own has 2" in note for note in fewer.notes)
    assert any("1 of each class are the shots" in line for line in fewer.knows)


def test_the_bound_is_from_pairs_of_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Across classes, which of two nodes is the shot is no fair coin; and each class has coins of its own."""
    calls = watched(monkeypatch, prompt_runs, "differences")
    attacked(subject(epochs=2), AttackOptions(shadows=4, targets=1))
    seen = [call.given for call in calls]
    assert [int(members.sum()) for _, members, _ in seen] == [2] * graph().num_classes
    assert all(random is seen[0][2] for _, _, random in seen), "one generator after another would deal the same coins"
    assert sum(len(scores) for scores, _, _ in seen) == subject().config.sizes(160).private


def test_what_is_refused_says_what_was_expected() -> None:
    config = build(METHODS["mlp"].load_config(), {"unit": "none"})
    other = replace(subject(), method="mlp", config=config)
    assert "for the method prompt" in str(ATTACKS["prompts"].refuses(other))
    with pytest.raises(OptionError, match="for the method prompt"):
        attacked(other, AttackOptions())
    with pytest.raises(OptionError, match=r"shots \(20\) of each class do not do for this run"):
        attacked(subject(), AttackOptions(shots=20, shadows=4, targets=1))
    for name in ("bavaria", "lira", "rmia", "threshold", "shadow"):
        assert ATTACKS[name].refuses(subject()) is not None
