"""Which bound on epsilon an attack on a run implies, and where none follows."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.attacks.attacked_here import QUICK, attacked, graph, subject

from privgraph.attacks import membership
from privgraph.attacks.drawing import balanced, independent
from privgraph.attacks.exchange import differences, exchange_bound
from privgraph.attacks.judging import Implied, Play, judged
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.shadows import Asked
from privgraph.audits.bounds import shared_confidence
from privgraph.streams import stream


def test_the_claim_beside_a_bound_is_the_sound_one() -> None:
    told = subject("dp-mlp")
    claimed = replace(told, statement=replace(told.statement, epsilon=3.0, epsilon_as_published=1.0))
    play = Play(nodes=np.arange(8), scores=np.arange(8.0), members=np.arange(8) > 3, accuracy=0.5)
    record = judged("lira", claimed, QUICK, [play], Implied(bound=2.0), graph(), models=1, seconds=1.0)
    assert record.sound == 3.0
    assert not record.refutes_sound


def test_the_bound_is_that_of_the_runs_own_training_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two attacked models the attack knows one by heart, and guesses about the other."""

    def answers(row: int) -> Any:
        def ask(_told: Attacked, _how: AttackOptions, **_: object) -> Any:
            draw = np.random.default_rng(0)
            members = np.concatenate([independent(2, 120, 80, draw), balanced(14, 120, 80, draw)])
            signals = draw.normal(size=(16, 120, 1))
            signals[row] += 9 * members[row][:, None]
            yield Asked(
                nodes=np.arange(120),
                signals=signals,
                members=members,
                strangers=np.zeros((16, 0, 1)),
                accuracies=np.zeros(16),
                ways=("linked",),
                targets=2,
            )

        return ask

    bounds = []
    for row in (0, 1):
        monkeypatch.setattr(membership, "ask", answers(row))
        bounds.append(attacked("threshold", subject("dp-mlp")).bound)
    assert bounds[0] is not None
    assert bounds[0] > 0.3
    assert bounds[1] == 0.0


def test_the_bound_is_at_the_run_s_delta_and_at_what_its_turn_leaves_of_the_confidence() -> None:
    """From the same coins for every turn; a later turn and a larger delta leave less to show."""
    told = subject("dp-mlp")
    trained = np.arange(1200) % 3 > 0
    scores = trained + np.random.default_rng(0).normal(0, 0.3, 1200)
    own = Play(nodes=np.arange(1200), scores=scores, members=trained, accuracy=0.5)
    bounds: list[float] = []
    for turn, delta in ((0, 1e-4), (1, 1e-4), (3, 1e-4), (3, 0.0)):
        asked = replace(told, turn=turn, statement=replace(told.statement, delta=delta))
        sure = shared_confidence(QUICK.confidence, turn)
        found = membership.implied(asked, QUICK, own).bound
        assert found is not None
        bounds.append(found)
        gaps, first = differences(scores, trained, membership.pairing(asked, QUICK))
        assert found == exchange_bound(gaps, first, steps=2, delta=delta, confidence=sure)
    assert min(bounds) > 0
    assert bounds[3] > bounds[2]


def test_pairs_of_an_attack_among_audits_cannot_be_tried_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    """They hang on the turn and on a key of the installation; an attack that stands alone has those of its
    seed."""
    told = subject("dp-mlp")

    def drawn(turn: int, seed: int = 0) -> float:
        return float(membership.pairing(replace(told, turn=turn), replace(QUICK, seed=seed)).random())

    alone = drawn(0)
    assert alone == float(stream(0, "attack/pairs").random())
    turns = [drawn(turn, seed) for turn in (1, 2) for seed in (0, 1)]
    assert len({alone, *turns}) == 5
    assert turns[0] == drawn(1)
    monkeypatch.setattr(membership, "noise_key", lambda _: b"j" * 32)
    assert drawn(1) != turns[0]
    assert drawn(0) == alone


def test_no_bound_where_nobody_drew_or_the_unit_is_another() -> None:
    public = attacked("threshold", replace(subject("mlp"), split="public"))
    assert public.bound is None
    assert not public.drawn
    edge = attacked("threshold", subject("gap"))
    assert edge.bound is None
    assert any("protects edges" in note for note in edge.notes)
    frozen = attacked("threshold", subject("dp-gnn"))
    assert frozen.bound is None
    assert any("a node only stops training" in note for note in frozen.notes)
    assert attacked("threshold", subject("dp-mlp")).bound is not None
