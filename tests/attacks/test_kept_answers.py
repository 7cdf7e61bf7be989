"""Which models an attack trains, with which seeds, and which of their answers are kept for the next."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.attacks.attacked_here import QUICK, answered, graph, subject
from tests.watching import watched

from privgraph.attacks import shadows
from privgraph.attacks.drawing import balanced, fewest, independent
from privgraph.attacks.shadows import ask
from privgraph.data.load import load
from privgraph.methods.training import Context
from privgraph.registry import method


def test_models_are_trained_on_whom_the_matrix_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each model sees its own training nodes as such, the others of the pool as test nodes, equally many; and
    has a seed and noise of its own, the first that of the run."""
    members = watched(monkeypatch, shadows, "Member")
    asked, run = answered(subject("mlp")), graph()
    seen = [member.result.graph for member in members]
    assert len(seen) == len(asked.members) == 16
    for one, row in zip(seen, asked.members, strict=True):
        assert one.train_mask.nonzero().squeeze(1).tolist() == asked.nodes[row].tolist()
        assert one.test_mask.nonzero().squeeze(1).tolist() == asked.nodes[~row].tolist()
        assert torch.equal(one.val_mask, run.val_mask)
        assert int(one.train_mask.sum()) == int(run.train_mask.sum())
    assert torch.equal(seen[0].train_mask, run.train_mask), "the first is the run's own"
    assert len({row.tobytes() for row in asked.members}) == 16
    assert asked.strangers.shape[1] == int(run.val_mask.sum())
    contexts = [member.result.context for member in members]
    assert contexts[0].seed == 3
    assert len({one.seed for one in contexts}) == len({one.noise_key for one in contexts}) == 16


def test_the_first_model_is_the_run_where_there_is_no_noise() -> None:
    from privgraph.methods.training import train_one

    told = subject("gnn")
    *_, last = train_one(method("gnn").load_train(), told.config, graph(), Context(seed=3))
    assert answered(told).accuracies[0] == pytest.approx(last.metrics["test_accuracy"])


def test_models_on_one_graph_have_noise_and_draws_of_their_own() -> None:
    """Of methods that draw themselves whom they learn from: the first has the run's draws, no other has."""
    told = subject("dp-gpl")
    ran, *others = shadows._members(told, QUICK, [graph()] * 4, range(4), own_draws=True)
    assert len({one.context.noise_key for one in (ran, *others)}) == 4
    assert len({one.context.shared_key for one in (ran, *others)}) == 4
    assert {one.context.seed for one in (ran, *others)} == {3}, "the network that all stand on is public"
    assert shadows._members(told, QUICK, [graph()], range(1), own_draws=True)[0].context.shared_key == (
        ran.context.shared_key
    )


def test_answers_are_kept_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = subject("mlp", tmp_path)
    first = answered(told)

    def never(*_: object) -> object:
        raise AssertionError("it was trained once more")

    with monkeypatch.context() as patch:
        patch.setattr(shadows, "_train", never)
        second = answered(told, replace(QUICK, query="linked", confidence=0.9, online=False))
        for other in (replace(QUICK, seed=1), replace(QUICK, targets=3), replace(QUICK, shadows=15)):
            with pytest.raises(AssertionError):
                answered(told, other)
        for run in (replace(told, seed=4), replace(told, split="inductive")):
            with pytest.raises(AssertionError):
                answered(run)
        with pytest.raises(AssertionError):
            answered(subject("mlp", tmp_path, hidden=9))
        with pytest.raises(AssertionError):
            answered(
                replace(told, graph=lambda: load("social", split_seed=3, data_options={"nodes": 121, "degree": 6}))
            )
    for name in ("signals", "members", "strangers", "accuracies", "nodes"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    assert (first.ways, first.targets) == (second.ways, second.targets)


def test_kept_answers_are_those_of_one_device_and_of_one_version(monkeypatch: pytest.MonkeyPatch) -> None:
    told, held = subject("mlp"), graph()
    named = shadows._digest(told, QUICK, held)
    assert shadows._digest(told, replace(QUICK, query="alone", confidence=0.9), held) == named, "whatever is asked"
    assert shadows._digest(replace(told, device="cuda"), QUICK, held) != named
    monkeypatch.setattr(shadows, "program", lambda: "another version")
    assert shadows._digest(told, QUICK, held) != named


def test_an_attack_that_was_stopped_goes_on_after_the_stacks_that_were_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shadows, "TOGETHER", 6)
    told, trained = subject("mlp", tmp_path), watched(monkeypatch, shadows, "_train")
    stopped = ask(told, QUICK)
    while [call.given[2] for call in trained] != [0, 6]:
        next(stopped)
    stopped.close()  # in the second of three stacks
    trained.clear()
    found = answered(told)
    assert [call.given[2] for call in trained] == [6, 12]
    assert len(list(tmp_path.glob("*.npz"))) == 1, "the whole, without its parts"
    assert (found.signals == answered(subject("mlp", tmp_path / "elsewhere")).signals).all(), "and says the same"


def test_kept_answers_that_name_other_training_nodes_are_not_believed(tmp_path: Path) -> None:
    told = subject("dp-mlp", tmp_path)
    honest = answered(told)
    (place,) = tmp_path.glob("*.npz")
    with np.load(place) as held:
        arrays = dict(held)
    arrays["members"][0] = arrays["members"][0][::-1]
    np.savez_compressed(place, **arrays)
    again = answered(told)
    assert (again.members[0] == honest.members[0]).all()


@pytest.mark.parametrize(("pool", "members"), [(37, 30), (37, 7), (40, 39)])
@pytest.mark.parametrize("models", [1, 7, 24])
def test_rows_have_their_size_and_columns_are_alike(pool: int, members: int, models: int) -> None:
    drawn = balanced(models, pool, members, np.random.default_rng(0))
    assert drawn.shape == (models, pool)
    assert (drawn.sum(1) == members).all()
    out = (~drawn).sum(0)
    assert out.max() - out.min() <= 1
    assert out.min() == models * (pool - members) // pool


def test_every_row_is_uniform() -> None:
    """Of 2,000 draws, each node, and each pair of nodes, trains as often as another in every row."""
    drawn = np.stack([balanced(5, 8, 5, np.random.default_rng(seed)) for seed in range(2000)]).astype(float)
    for row in range(5):
        alone, together = drawn[:, row].mean(0), drawn[:, row].T @ drawn[:, row] / len(drawn)
        assert abs(alone - 5 / 8).max() < 4 * np.sqrt(15 / 64 / 2000)
        apart = together[~np.eye(8, dtype=bool)]
        assert abs(apart - 20 / 56).max() < 4.5 * np.sqrt(0.23 / 2000)


def test_attacked_models_are_independent_of_each_other() -> None:
    drawn = np.stack([independent(2, 8, 5, np.random.default_rng(seed)) for seed in range(3000)]).astype(float)
    assert (drawn.sum(2) == 5).all()
    both = (drawn[:, 0] * drawn[:, 1]).mean(0)
    assert abs(both - 25 / 64).max() < 4 * np.sqrt(0.24 / 3000)
    in_company = np.stack([balanced(2, 8, 5, np.random.default_rng(seed)) for seed in range(3000)]).astype(float)
    assert ((in_company[:, 0] * in_company[:, 1]).mean(0) < 25 / 64 - 0.05).all(), "shadow models are not"


@pytest.mark.parametrize(("pool", "members"), [(2437, 2031), (1140, 140)])
def test_so_many_models_are_enough_and_one_less_is_not(pool: int, members: int) -> None:
    least = fewest(pool, members, online=True)
    for models, enough in ((least, True), (least - 1, False)):
        drawn = balanced(models, pool, members, np.random.default_rng(1))
        assert (min((~drawn).sum(0).min(), drawn.sum(0).min()) >= 2) == enough
