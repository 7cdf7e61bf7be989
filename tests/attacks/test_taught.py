"""Attacks on methods that draw themselves whom they learn from: DP-GPL's slots."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from tests.attacks.attacked_here import QUICK, answered, attacked, graph, subject

from privgraph.attacks import shadows
from privgraph.attacks.options import AttackOptions
from privgraph.attacks.shadows import ask
from privgraph.home import home
from privgraph.methods.keys import run_keys
from privgraph.methods.outsider import Outsider, Parts
from privgraph.methods.row import MethodSpec
from privgraph.methods.training import Context, Member, planned
from privgraph.options import OptionError
from privgraph.progress import Progress, Result
from privgraph.registry import ATTACKS, method
from privgraph.streams import noise_key


@pytest.mark.long
def test_members_are_those_on_the_slots_of_each_model() -> None:
    """The run's own slots first; everybody who may be drawn is a target."""
    told = subject("dp-gpl")
    found = answered(told)
    (key,) = run_keys(noise_key(home()), ["anything"], [graph()], "cpu")
    own = Context(seed=told.seed, noise_key=b"\0" * 32, shared_key=key.shared, outsider=Outsider())
    *_, _last = method("dp-gpl").load_train()([planned(told.config, graph(), own)])
    assert own.outsider is not None
    assert own.outsider.parts is not None
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


@pytest.mark.long
def test_draws_of_shadow_models_are_not_the_run_s_nor_each_other_s(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Context] = []
    real = shadows.Member

    def spy(**parts: Any) -> Member[Any]:
        seen.append(parts["context"])
        return real(**parts)

    monkeypatch.setattr(shadows, "Member", spy)
    answered(subject("dp-gpl"))
    assert {one.seed for one in seen} == {3}, "the network that all stand on is public"
    assert len({one.noise_key for one in seen}) == len({one.shared_key for one in seen}) == len(seen)
    assert not {one.noise_key for one in seen} & {one.shared_key for one in seen}


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
            assert member.context.outsider is not None
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
