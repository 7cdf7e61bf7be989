"""Which bound on epsilon an attack on a run implies, and where none follows."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.attacks.attacked_here import QUICK, attacked, graph, subject

from privgraph.attacks import exchange, membership
from privgraph.attacks.drawing import balanced, independent
from privgraph.attacks.exchange import differences, exchange_bound, group_delta, walk
from privgraph.attacks.judging import Implied, Play, judged
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.shadows import Asked
from privgraph.audits import one_run
from privgraph.audits.bounds import shared_confidence
from privgraph.audits.one_run import one_run_epsilon
from privgraph.options import build
from privgraph.registry import METHODS
from privgraph.streams import stream
from privgraph.studies import attacks
from privgraph.studies.table import BEGIN, END
from privgraph.testing.methods import FACTS


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
        bounds.append(found)
        gaps, first = differences(scores, trained, membership.pairing(asked, QUICK))
        assert found == exchange_bound(gaps, first, steps=2, delta=delta, confidence=sure)
    assert min(bounds) > 0
    assert bounds[3] > bounds[2]


def test_pairs_of_an_attack_among_audits_cannot_be_tried_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    """They hang on the turn and on a key; an attack that stands alone has those of its seed."""
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


EPSILON = 1.0


def drawn(seed: int, pool: int = 400, members: int = 300) -> tuple[NDArray[np.bool_], np.random.Generator]:
    random = np.random.default_rng(seed)
    trained = np.zeros(pool, dtype=np.bool_)
    trained[random.permutation(pool)[:members]] = True
    return trained, random


def answers(trained: NDArray[np.bool_], epsilon: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Every node says whether it trained, by randomised response: a release whose loss for one node is
    exactly epsilon, and for two that exchange their places twice that."""
    honest = random.random(len(trained)) < math.exp(epsilon) / (1 + math.exp(epsilon))
    return np.where(honest, trained, ~trained).astype(float)


def test_which_of_a_pair_is_first_is_a_fair_coin_and_the_gap_is_theirs() -> None:
    trained, random = drawn(0)
    scores = random.normal(size=len(trained)) + 10 * trained
    gaps, first = differences(scores, trained, random)
    assert len(gaps) == 100
    assert ((gaps > 0) == first).all(), "a member's score is larger here"
    heads = [differences(scores, trained, np.random.default_rng(seed))[1].mean() for seed in range(40)]
    assert abs(np.mean(heads) - 0.5) < 4 * 0.5 / np.sqrt(4000)


def test_the_larger_side_s_nodes_are_as_likely_partners_as_each_other() -> None:
    """By their numbers: whoever took the first ones would know of a pair that its member has the lower."""
    trained = np.arange(60) % 3 > 0
    taken = np.zeros(60)
    for seed in range(600):
        gaps, _ = differences(np.where(trained, np.arange(60.0), 1000.0), trained, np.random.default_rng(seed))
        taken[(1000 - abs(gaps)).astype(int)] += 1
    assert taken[~trained].sum() == 0
    assert abs(taken[trained] / 600 - 0.5).max() < 4 * 0.5 / np.sqrt(600)


@pytest.mark.long
@pytest.mark.parametrize("steps", [2, 4])
def test_the_bound_covers_and_a_twin_that_forgets_the_walk_does_not(steps: int) -> None:
    """The loss of an exchange is 2 EPSILON, which is that of `steps` steps of 2 EPSILON/steps each."""
    truth, over, naive = 2 * EPSILON / steps, 0, 0
    for seed in range(200):
        trained, random = drawn(seed, 1600, 1000)
        gaps, first = differences(answers(trained, EPSILON, random), trained, random)
        over += exchange_bound(gaps, first, steps=steps, delta=0.0, confidence=0.9) > truth
        naive += one_run_epsilon(gaps, first, 0.0, 0.9) > truth
    assert over <= 33
    assert naive > 100, "a bound on the exchange is none on a step"


def test_delta_of_a_walk() -> None:
    assert group_delta(0.0, 1e-3, 4) == pytest.approx(4e-3)
    assert group_delta(1.5, 1e-3, 3) == pytest.approx(1e-3 * (math.exp(4.5) - 1) / (math.exp(1.5) - 1))
    assert group_delta(50.0, 1e-3, 4) == 1.0
    trained, random = drawn(0, 2000, 1000)
    gaps, first = differences(answers(trained, 2.0, random), trained, random)
    bounds = [exchange_bound(gaps, first, steps=2, delta=delta, confidence=0.95) for delta in (0.0, 1e-5, 1e-3, 0.1)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < bounds[0]


@pytest.mark.parametrize("steps", [2, 4])
def test_the_bound_is_the_largest_epsilon_whose_walk_is_refuted(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parts of the walk's price count: steps times epsilon, and delta once for each step, weighted."""
    monkeypatch.setattr(exchange, "SHARES", (1.0,))
    first = np.arange(2000) % 2 == 0
    gaps = np.where(first, 1.0, -1.0)
    gaps[:200] *= -1
    delta = 1e-3
    bound = exchange_bound(gaps, first, steps=steps, delta=delta, confidence=0.95)
    assert bound > 0.3
    for epsilon, falls in ((bound - 1e-6, True), (bound + 1e-6, False)):
        price = delta * (math.exp(steps * epsilon) - 1) / (math.exp(epsilon) - 1)
        assert one_run.refuted(2000, 2000, 1800, steps * epsilon, price, 0.05) == falls
    assert one_run.refuted(2000, 2000, 1800, steps * (bound + 1e-3), delta, 0.05), "one step's delta is too little"


@pytest.mark.long
def test_the_shares_of_pairs_err_together_as_seldom_as_they_say() -> None:
    """Coins that nobody knows: a bound above 0 is an error, and each share has its part of them."""

    def wrong(confidence: float) -> int:
        draw = np.random.default_rng(7)
        bounds = [
            exchange_bound(draw.normal(size=400), draw.random(400) < 0.5, steps=2, delta=0.0, confidence=confidence)
            for _ in range(400)
        ]
        return sum(bound > 0 for bound in bounds)

    seldom = int(stats.binom.isf(1e-3, 400, 0.2))
    assert wrong(0.8) <= seldom
    assert wrong(1 - len(one_run.SHARES) * 0.2) > seldom, "each share at the whole level is seen"


@pytest.mark.parametrize(
    ("name", "unit", "steps"),
    [("dp-mlp", "node", 2), ("privgnn", "node", None), ("pate", "node", None), ("dp-gpl", "node", None),
     ("dp-gnn", "node", None), ("heter-poisson", "node", None), ("gap", "node", None), ("gap", "edge", None),
     ("gap", "none", 2)],
)  # fmt: skip
def test_records_exchange_places_only_where_no_edge_is_read(name: str, unit: str, steps: int | None) -> None:
    config = build(METHODS[name].load_config(), {"unit": unit, "epsilon": 4.0})
    subject = Attacked(run="r", method=name, config=config, statement=config.plan(FACTS).statement, graph=lambda: None)
    assert walk(subject) == steps


ROWS = [
    [entry.strip() for entry in line.strip("|").split("|")]
    for line in attacks.README.read_text().split(BEGIN)[1].split(END)[0].splitlines()
    if line.startswith("| ") and not line.startswith("| method")
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row[:3]))
def test_no_bound_exceeds_the_sound_epsilon(row: list[str]) -> None:
    sound = float("inf") if row[2] == "∞" else float(row[2])
    if row[6] != "none":
        assert float(row[6].removeprefix(">= ")) <= sound
    area, low, high = (float(part) for part in row[4].replace("(", "").replace(")", "").replace(" to ", " ").split())
    assert low <= area <= high


def test_the_study_attacks_each_method_that_answers() -> None:
    asked = {name for name, spec in METHODS.items() if spec.asked}
    assert {cell.method for cell in attacks.cells("cora")} == asked
