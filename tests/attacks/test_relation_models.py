"""The models of the attacks on relations: whose scores judge whom, which coins and noise each has, and that
no attacked model stands among its own shadows. Trainings are stood in for by what adapters would say."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from tests.attacks.test_relations import ONE, shop, subject

from privgraph.attacks import relations
from privgraph.attacks.matched import kept
from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.signals import Array, Bools
from privgraph.data.graph import Graph
from privgraph.registry import ATTACKS

Says = Callable[[int, Bools], Array]


def answered(monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    """Model `row`, which kept `inside` (2n,) of the candidates, finds them alike by `says(row, inside)`."""

    def trained(*given: Any) -> Iterator[relations._Tuned]:
        graph, pairs, row = given[4:7]
        held = {tuple(pair) for pair in graph.relations(0).T.tolist()}
        inside = np.array([tuple(pair) in held for pair in pairs.T.tolist()])
        yield relations._Tuned(likeness=says(row, inside), accuracy=0.5)

    monkeypatch.setattr(relations, "_train", trained)


def found(name: str, options: AttackOptions) -> AttackRecord:
    record = [*ATTACKS[name].load_entry()(subject(unit="none"), options)][-1]
    assert isinstance(record, AttackRecord)
    return record


@pytest.mark.parametrize("signal", ["gain", "likeness"])
def test_each_attacked_model_is_judged_by_what_it_says_itself(monkeypatch: pytest.MonkeyPatch, signal: str) -> None:
    answered(monkeypatch, lambda row, inside: np.where(inside, 9.0, 0.0) if row == 1 else np.zeros(len(inside)))
    record = found("relations", AttackOptions(targets=3, signal=signal))
    assert record.areas[1] > 0.99
    assert max(record.areas[0], record.areas[2]) < 0.6


def test_the_signed_rank_test_is_of_the_first_model_and_its_own_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    answered(monkeypatch, lambda row, inside: np.where(inside, 9.0, 0.0) + np.linspace(0, 1, len(inside)))
    record = found("relations", AttackOptions(targets=4))
    assert record.signed_rank is not None
    assert record.signed_rank < 1e-6


def test_nothing_is_found_of_models_that_say_nothing_however_few_shadows_stand_beside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An attacked model among its own shadows would be told its members."""
    drawn = np.random.default_rng(2)
    answered(monkeypatch, lambda row, inside: np.asarray(drawn.normal(size=len(inside))))
    record = found("relations-bavaria", AttackOptions(targets=8, shadows=4))
    assert abs(float(np.mean(record.areas)) - 0.5) < 0.05


def test_what_training_does_to_a_relation_is_learnt_from_the_shadows_that_have_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Half of the relations get less alike by being learnt: those that have none alone would never tell."""
    drawn = np.random.default_rng(3)
    way: dict[int, Array] = {}

    def says(row: int, inside: Bools) -> Array:
        turn = way.setdefault(0, np.where(drawn.random(len(inside)) < 0.5, 1.0, -1.0))
        return np.asarray(turn * inside + drawn.normal(0, 0.3, len(inside)))

    answered(monkeypatch, says)
    assert min(found("relations-bavaria", AttackOptions(targets=2, shadows=16)).areas) > 0.8


def test_how_many_shadows_have_a_relation_says_nothing_of_the_attacked_model() -> None:
    agree = []
    for seed in range(40):
        coins = relations._coins(subject(), replace(ONE, seed=seed), 50, 3)
        agree.append(((coins[1:].sum(0) == 2) == coins[0]).mean())
    assert abs(float(np.mean(agree)) - 0.5) < 0.05


def test_trainings_on_the_same_relations_still_have_noise_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two models with equal coins, two turns, two ways to ask: no key of noise is used again."""
    same = np.arange(30) % 2 == 0
    monkeypatch.setattr(relations, "_coins", lambda told, options, pairs, shadows: np.stack([same] * options.targets))
    keys: list[bytes] = []

    def spy(entry: Any, config: Any, given: Graph, context: Any) -> Iterator[Any]:
        keys.append(context.noise_key)
        raise StopAsking

    class StopAsking(Exception):
        pass

    monkeypatch.setattr(relations, "train_one", spy)
    told, options, graph = subject(), replace(ONE, candidates=30), shop()
    pairs = relations.draw_candidates(told, options, graph).pairs
    given = relations.without_relations(graph, pairs[:, torch.from_numpy(~kept(same))])
    for turn, signal, row in ((0, "gain", 0), (0, "gain", 1), (1, "gain", 0), (0, "likeness", 0)):
        asked = replace(options, signal=signal)
        with pytest.raises(StopAsking):
            list(relations._train("relations", replace(told, turn=turn), asked, told.config, given, pairs, row))
    assert len(set(keys)) == 4
