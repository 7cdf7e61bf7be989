"""The attacks on relations: matched pairs and their coins by hand, what is trained on, what is found of a
memory that was planted, and what follows for epsilon."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from tests.attacks import attacked_here
from tests.watching import watched

from privgraph.attacks import relations
from privgraph.attacks.audited import as_audit
from privgraph.attacks.exchange import exchange_bound
from privgraph.attacks.matched import balanced_coins, gaps, kept, matched, signed_rank
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.signals import Array, Bools
from privgraph.audits.bounds import shared_confidence
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.nn.text.encoder import load_encoder
from privgraph.options import OptionError, build
from privgraph.registry import ATTACKS, method

SHOP = {"products": 60, "purchases": 3.0}
TINY: dict[str, Any] = {
    "encoder": "tiny",
    "rank": 4,
    "max_tokens": 16,
    "negatives": 3,
    "evaluated": 1,
    "steps": 2,
    "batch_size": 20,
}
BY_HEART = {"unit": "none", "rank": 8, "steps": 20, "batch_size": 90, "learning_rate": 0.05}
"""Fine-tuning that learns its relations by heart."""
ONE = AttackOptions(targets=1)


def shop() -> Graph:
    return load("products", data_options=SHOP)


def subject(name: str = "relational", **options: Any) -> Attacked:
    return attacked_here.subject(name, held=shop, **TINY | options)


def attacked(told: Attacked, options: AttackOptions = ONE, name: str = "relations") -> AttackRecord:
    return attacked_here.attacked(name, told, options, least_steps=options.targets + 1)


def test_pairs_gaps_and_the_test_by_hand() -> None:
    assert matched(np.array([0.9, 0.1, 0.5, 0.2, 0.8])).tolist() == [1, 3, 2, 4], "the last of five has no partner"
    first = np.array([True, False, True])
    assert kept(first).tolist() == [True, False, False, True, True, False]
    assert kept(np.stack([first, ~first])).shape == (2, 6)
    scores = np.array([5.0, 4.0, 1.0, 3.0, 9.0, 6.0])
    assert gaps(scores).tolist() == [1.0, -2.0, 3.0]
    # members lead by 1, 2 and 3: of 8 ways to sign three ranks, 1 has a sum as large, and 1 as small
    assert signed_rank(scores, first) == pytest.approx(2 / 8)
    # -1, 2 and 3: negative ranks sum to 1; 2 of 8 ways have a sum of at most that
    assert signed_rank(scores, np.array([False, False, True])) == pytest.approx(4 / 8)
    assert signed_rank(np.ones(6), first) == 1.0
    # a difference of 0 is left out, and the two that are left have 4 ways
    assert signed_rank(np.array([5.0, 4.0, 1.0, 3.0, 6.0, 6.0]), first) == pytest.approx(2 / 4)


@pytest.mark.parametrize("models", [4, 7])
def test_each_candidate_is_in_half_of_the_shadow_models(models: int) -> None:
    coins = balanced_coins(models, 400, np.random.default_rng(0))
    counts = coins.sum(0)
    assert set(counts.tolist()) == {models // 2, models - models // 2}
    assert abs(counts.mean() - models / 2) < 0.1
    assert (abs(coins.mean(1) - 0.5) < 0.1).all()
    assert len({tuple(row) for row in coins.tolist()}) == models


def test_a_relation_is_left_out_in_both_directions() -> None:
    graph = shop()
    held = graph.relations(0)
    out = held[:, ::3].flip(0)
    left = relations.without_relations(graph, out)
    assert left.facts.relations == (graph.facts.relations[0] - out.shape[1], graph.facts.relations[1])
    assert left.edge_index.shape[1] == graph.edge_index.shape[1] - 2 * out.shape[1]
    codes = {tuple(pair) for pair in left.relations(0).T.tolist()}
    assert codes == {tuple(pair) for pair in held.T.tolist()} - {tuple(pair) for pair in out.flip(0).T.tolist()}


@pytest.mark.parametrize(("accounting", "batch"), [("published", 1), ("sound", 20), ("published", 500)])
def test_fewer_relations_are_drawn_no_more_often_and_with_the_noise_of_the_run(accounting: str, batch: int) -> None:
    """Else a bound on the attacked training would be none on the run."""
    graph, told = shop(), subject(accounting=accounting, batch_size=batch, epsilon=2.0)
    total = told.config.trained_relations(graph.facts)
    out = 45
    config = relations.left_out_config(told, graph, out)
    given = relations.without_relations(graph, graph.relations(0)[:, :out])
    rate, own = config.rate(given.facts), told.config.rate(graph.facts)
    small = accounting == "published" and batch * (total - out) < total
    assert (rate <= own) != small
    assert small or rate > own - 1 / (total - out), "no smaller than it has to be"
    planned, run = config.plan(given.facts), told.config.plan(graph.facts)
    assert planned.scale == run.scale > 0
    assert small or planned.statement.epsilon <= run.statement.epsilon * 1.001
    first = np.arange(out) % 2 == 0
    scores = np.random.default_rng(0).normal(size=2 * out)
    found = relations.implied(told, ONE, config, graph, scores, first)
    assert (found.bound is None) == small


def test_without_privacy_fewer_relations_are_read_as_often() -> None:
    graph, told = shop(), subject(unit="none", batch_size=40)
    total = told.config.trained_relations(graph.facts)
    assert relations.left_out_config(told, graph, total // 2).batch_size == 20


def test_candidates_are_relations_that_are_learnt_from_and_matched() -> None:
    graph, told = shop(), subject(trained_on="garden")
    found = relations.draw_candidates(told, replace(ONE, candidates=20), graph)
    assert found.pairs.shape == (2, 40)
    own = {tuple(pair) for pair in graph.relations(1).T.tolist()}
    assert {tuple(pair) for pair in found.pairs.T.tolist()} <= own
    assert len({tuple(pair) for pair in found.pairs.T.tolist()}) == 40
    assert (np.diff(found.base) >= 0).all(), "neighbours in likeness stand beside each other"
    encoder = load_encoder("tiny")
    said = relations.likeness(told.config, encoder, graph, found.pairs)
    assert np.allclose(said, found.base, atol=1e-6)
    assert (abs(said) <= 1 + 1e-6).all()
    vectors = encoder.encode(encoder.tokenize(graph.texts, 16))
    one, other = vectors[found.pairs[0]], vectors[found.pairs[1]]
    assert np.allclose(said, torch.cosine_similarity(one, other).numpy(), atol=1e-5)
    dot = relations.likeness(replace(told.config, similarity="dot"), encoder, graph, found.pairs)
    assert np.allclose(dot, (one * other).sum(1).numpy(), rtol=1e-4, atol=1e-4)


def test_every_training_lacks_what_its_coins_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    trainings, judged = (watched(monkeypatch, relations, name) for name in ("train_one", "judged"))
    told, options = subject(unit="none"), replace(ONE, targets=3, candidates=30)
    record = attacked(told, options)
    pairs = relations.draw_candidates(told, options, shop()).pairs
    seen, ((_, _, _, plays, *_),) = [call.given[2:] for call in trainings], [call.given for call in judged]
    for (given, _), play in zip(seen, plays, strict=True):
        assert given.facts.relations[0] == shop().facts.relations[0] - 30
        left = {tuple(pair) for pair in given.relations(0).T.tolist()}
        assert [tuple(pair) in left for pair in pairs.T.tolist()] == play.members.tolist()
    assert len({tuple(play.members) for play in plays}) == 3, "each has coins of its own"
    assert seen[0][1].seed == 3 != seen[1][1].seed
    assert len({context.noise_key for _, context in seen}) == 3
    assert all(not context.folder.exists() for _, context in seen), "an adapter of private relations is not left"
    assert (record.outcome.members, record.outcome.others, record.models) == (30, 30, 3)


@pytest.mark.long
def test_a_memory_that_was_planted_is_found() -> None:
    record = attacked(subject(**BY_HEART))
    assert record.outcome.area_low > 0.55
    assert record.outcome.rates[-1].false == 0.05
    assert record.signed_rank < 1e-4
    assert record.bound > 0.1
    assert record.steps == 2
    assert not record.turn
    assert math.isinf(record.sound)
    likeness = attacked(subject(**BY_HEART), replace(ONE, signal="likeness"))
    assert likeness.outcome.area_low > 0.5
    assert likeness.outcome.area != record.outcome.area


@pytest.mark.parametrize("leaks", [False, True])
def test_nothing_is_found_of_relations_that_the_training_never_saw(
    monkeypatch: pytest.MonkeyPatch, leaks: bool
) -> None:
    """Those that are left out are left out on both sides; where members stay in, the same is found."""
    told, real, options = subject(**BY_HEART | {"steps": 30}), relations.train_one, replace(ONE, candidates=36)

    def without(entry: Any, config: Any, given: Graph, context: Any) -> Any:
        # 72 of the 90 are candidates: the others are learnt by heart
        pairs = relations.draw_candidates(told, options, shop()).pairs
        return real(entry, config, given if leaks else relations.without_relations(given, pairs), context)

    monkeypatch.setattr(relations, "train_one", without)
    record = attacked(told, options)
    held = record.outcome.area_low <= 0.5 <= record.outcome.area_high
    assert held != leaks
    assert (record.signed_rank > 0.01) != leaks
    assert (record.bound == 0) != leaks


@pytest.mark.long
@pytest.mark.parametrize(("name", "epsilon"), [("relational", 0.5), ("relation-rand", 4.0)])
def test_no_bound_is_above_what_is_sound(name: str, epsilon: float) -> None:
    record = attacked(replace(subject(name, epsilon=epsilon), turn=2), AttackOptions(targets=2))
    assert record.bound <= record.sound == pytest.approx(epsilon, rel=1e-3)
    assert not record.refutes_sound
    assert AttackRecord.from_json(record.to_json()) == record
    assert (record.attack, record.models, len(record.areas), record.drawn) == ("relations", 2, 2, True)
    assert record.exposed == record.map_nodes == ()
    audit = as_audit(record, None)
    assert (audit.epsilon, audit.audit, audit.turn) == (record.bound, "relations", 2)
    assert "a relation that was kept and one that was left out" in audit.bounds[0].detail


def test_the_bound_is_that_of_the_coins_at_the_run_s_delta_and_turn() -> None:
    told, graph = subject(epsilon=2.0), shop()
    first = np.random.default_rng(0).random(300) < 0.5
    scores = np.where(kept(first), 1.0, 0.0) + np.random.default_rng(1).normal(0, 0.3, 600)
    wide = replace(told, config=replace(told.config, trained_on="", batch_size=90))
    config = wide.config
    bounds = []
    for turn, delta in ((0, 1e-4), (2, 1e-4), (2, 0.0)):
        asked = replace(wide, turn=turn, statement=replace(told.statement, delta=delta))
        found = relations.implied(asked, ONE, replace(config, unit="none"), graph, scores, first).bound
        sure = shared_confidence(ONE.confidence, turn)
        assert found == exchange_bound(gaps(scores), first, steps=2, delta=delta, confidence=sure)
        bounds.append(found)
    assert bounds[0] > bounds[1] > 0 < bounds[2]
    assert bounds[2] > bounds[1]
    turned = relations.implied(wide, ONE, replace(config, unit="none"), graph, scores, ~first).bound
    assert turned == 0


def test_coins_of_an_attack_among_audits_cannot_be_tried_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    told = subject()

    def drawn(turn: int, seed: int = 0) -> tuple[bool, ...]:
        return tuple(relations._coins(replace(told, turn=turn), replace(ONE, seed=seed), 40, 4)[0])

    alone, turns = drawn(0), [drawn(turn, seed) for turn in (1, 2) for seed in (0, 1)]
    assert len({alone, *turns}) == 5
    assert turns[0] == drawn(1)
    monkeypatch.setattr(relations, "noise_key", lambda _: b"j" * 32)
    assert drawn(1) != turns[0]
    assert drawn(0) == alone


def test_what_cannot_be_attacked_is_refused_in_words() -> None:
    few = replace(subject(), graph=lambda: relations.without_relations(shop(), shop().relations(0)[:, 19:]))
    with pytest.raises(OptionError, match="at least 20 relations in the domain \\(got 19\\)"):
        attacked(few)
    mlp = build(method("mlp").load_config(), {"unit": "none"})
    for name in ("relations", "relations-bavaria"):
        reason = ATTACKS[name].refuses(replace(subject(), method="mlp", config=mlp))
        assert "relational and relation-rand" in reason
        assert ATTACKS[name].implies(subject())
        assert not ATTACKS[name].implies(subject(unit="none"))
    for name in set(ATTACKS) - {"relations", "relations-bavaria"}:
        assert ATTACKS[name].refuses(subject()) is not None


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
    return attacked_here.attacked(name, subject(unit="none"), options)


@pytest.mark.parametrize("signal", ["gain", "likeness"])
def test_each_attacked_model_is_judged_by_what_it_says_itself(monkeypatch: pytest.MonkeyPatch, signal: str) -> None:
    answered(monkeypatch, lambda row, inside: np.where(inside, 9.0, 0.0) if row == 1 else np.zeros(len(inside)))
    record = found("relations", AttackOptions(targets=3, signal=signal))
    assert record.areas[1] > 0.99
    assert max(record.areas[0], record.areas[2]) < 0.6


def test_the_signed_rank_test_is_of_the_first_model_and_its_own_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    answered(monkeypatch, lambda row, inside: np.where(inside, 9.0, 0.0) + np.linspace(0, 1, len(inside)))
    record = found("relations", AttackOptions(targets=4))
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
