"""DP-GPL's slots and questions: whose leaving moves whom, gates, noise, limits, and what noisy counts say
together. No torch."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm
from tests.secrets_made_here import draws, secret

from privgraph.methods.prompts.dp_gpl.partition import (
    EMPTY,
    Assignment,
    Room,
    algorithm_2,
    by_private_centrality,
    by_public_centrality,
    rank_weights,
    uniform,
)
from privgraph.methods.prompts.dp_gpl.pooling import centred, pool
from privgraph.methods.prompts.dp_gpl.querying import Outcome, Rules, ask, histogram
from privgraph.papers.dp_gpl_votes import Asked, squared_mu

TEACHERS, QUERIES, CLASSES = 20, 30, 3


@pytest.fixture(scope="module")
def votes() -> np.ndarray:
    """The first half of the queries have a clear majority."""
    found = np.random.default_rng(0).integers(CLASSES, size=(TEACHERS, QUERIES))
    found[:18, : QUERIES // 2] = 1
    return found


def asked(votes: np.ndarray, weights: np.ndarray | None = None, seed: int = 0, **given: object) -> Outcome:
    noise = {"queries": QUERIES, "answers": QUERIES, "vote_sigma": 0.01, "gate_sigma": 0.0}
    known = {"threshold": 0.0, "limit_squared_mu": math.inf, "dependent_limit": math.inf, "at_limit": "stop"}
    rules = Rules(
        asked=Asked(**{name: given.pop(name, value) for name, value in noise.items()}),  # type: ignore[arg-type]
        **{**known, **given},  # type: ignore[arg-type]
        delta=1e-4,
    )
    streams = (secret(seed, name) for name in ("noise/gate", "noise/votes"))
    return ask(votes, np.ones(len(votes)) if weights is None else weights, CLASSES, rules, *streams)


def test_a_moved_vote_moves_its_weight_and_no_more(votes: np.ndarray) -> None:
    weights = np.linspace(0.5, 1.5, TEACHERS)
    whole = histogram(votes, weights, CLASSES)
    for teacher in range(TEACHERS):
        other = votes.copy()
        other[teacher] = (other[teacher] + 1) % CLASSES
        change = np.linalg.norm(histogram(other, weights, CLASSES) - whole, axis=1)
        assert change == pytest.approx(weights[teacher] * math.sqrt(2))


@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (2 / 3, False), (3 / 2, False)])
def test_the_gates_noise_has_its_scale_and_no_other(factor: float, accepted: bool) -> None:
    """One standard deviation below the threshold a query passes with chance Phi(-1)."""
    sigma, queries = 6.0, 3000
    unanimous = np.zeros((TEACHERS, queries), dtype=np.int64)
    found = asked(unanimous, queries=queries, answers=queries, gate_sigma=sigma * factor, threshold=TEACHERS + sigma)
    chance = binomtest(int(found.passed.sum()), queries, norm.cdf(-1)).pvalue
    assert (chance > 1e-4) == accepted


def test_a_gate_refuses_what_is_not_clear(votes: np.ndarray) -> None:
    found = asked(votes, gate_sigma=0.1, threshold=17.0)
    assert found.answered[: QUERIES // 2].all()
    assert not found.answered[QUERIES // 2 :].any()
    assert (found.released[: QUERIES // 2] == 1).all()
    assert (found.released[QUERIES // 2 :] == -1).all()
    assert not asked(votes, gate_sigma=0.1, threshold=200.0).answered.any()


def test_no_more_answers_than_are_paid_for(votes: np.ndarray) -> None:
    found = asked(votes, answers=4)
    assert found.answered.tolist() == [True] * 4 + [False] * (QUERIES - 4)
    assert not found.voting[:, 4:].any()


def test_noise_of_a_query_does_not_hang_on_what_became_of_others(votes: np.ndarray) -> None:
    one = asked(votes, vote_sigma=2.0)
    other = asked(votes, vote_sigma=2.0, gate_sigma=0.1, threshold=17.0)
    assert (one.noisy - one.counts) == pytest.approx(other.noisy - other.counts)


@pytest.mark.parametrize("at_limit", ["stop", "drop"])
def test_nobody_passes_the_limit(at_limit: str, votes: np.ndarray) -> None:
    weights = np.repeat([0.5, 1.5], TEACHERS // 2)
    one = squared_mu(Asked(queries=1, answers=1, vote_sigma=5.0, gate_sigma=5.0), 1.0)
    limit = 1.5**2 * one * 4.5
    outcome = asked(
        votes, weights, vote_sigma=5.0, gate_sigma=5.0, limit_squared_mu=limit, at_limit=at_limit, threshold=-1e6
    )
    taken = outcome.voting.sum(1)
    assert (taken * one * weights**2 <= limit).all()
    if at_limit == "stop":
        assert (taken == 4).all(), "all end when the heaviest has reached it"
        assert outcome.answered.sum() == 4
    else:
        assert (taken[weights > 1] == 4).all()
        assert (taken[weights < 1] == QUERIES).all()
        assert outcome.counts[10].sum() == pytest.approx(5), "the heavy ones vote no more"


def test_a_published_limit_ends_all(votes: np.ndarray) -> None:
    free = asked(votes, vote_sigma=5.0)
    held = asked(votes, vote_sigma=5.0, dependent_limit=3.0)
    assert 0 < held.answered.sum() < free.answered.sum()


def test_pooled_counts_say_more_than_each() -> None:
    """Classes are regions of a plane; each query's own noise outweighs its lead."""
    generator = np.random.default_rng(1)
    truth = generator.integers(CLASSES, size=400)
    features = centred(np.eye(CLASSES)[truth] + 0.3 * generator.normal(size=(400, CLASSES)))
    rows = generator.permutation(400)[:60]
    counts = 15.0 + 40 * np.eye(CLASSES)[truth[rows]]

    def right(std: float) -> tuple[float, float]:
        noisy = counts + std * generator.normal(size=counts.shape)
        pooled = pool(noisy, rows, features, std)
        assert pooled.chances.sum(1) == pytest.approx(1, abs=1e-5)
        assert pooled.chances.mean(0) == pytest.approx(pooled.shares, abs=0.02)
        return float((noisy.argmax(1) == truth[rows]).mean()), float((pooled.chances.argmax(1) == truth).mean())

    alone, together = right(40.0)
    assert alone < 0.75
    assert together > alone + 0.1
    assert right(1e-3)[1] > 0.9
    assert right(4000.0)[1] < 0.6, "noise alone teaches nothing"


NODES, PARTS = 90, 12


@pytest.fixture(scope="module")
def joined() -> np.ndarray:
    """A random undirected graph with a few nodes of many neighbours."""
    generator = np.random.default_rng(5)
    pull = generator.random(NODES) ** 3
    upper = np.triu(generator.random((NODES, NODES)) < 0.9 * np.sqrt(pull[:, None] * pull), 1)
    return upper | upper.T


@pytest.fixture(scope="module")
def roster() -> np.ndarray:
    return np.sort(np.random.default_rng(6).permutation(NODES)[:50])


def assigned(
    weighting: str, joined: np.ndarray, roster: np.ndarray, gone: int | None = None, shots: int = 0, ranks: int = 3
) -> Assignment:
    """Who sits where in the graph without `gone` and its edges; the numbers of the others stay."""
    present = np.ones(NODES, dtype=bool)
    present[list(() if gone is None else (gone,))] = False
    edges = joined & present & present[:, None]
    private = np.zeros(NODES, dtype=bool)
    private[roster] = True
    room = Room.of(len(roster), PARTS, shots, drawn=weighting == "private-centrality")
    if weighting == "uniform":
        return uniform(roster, present, room, draws(0))
    if weighting == "private-centrality":
        return by_public_centrality(
            roster, present, (edges & ~private).sum(1), room, *rank_weights(PARTS, ranks, 0.5, 2.0), draws(0)
        )
    centrality = (edges & private).sum(1) / (len(roster) - 1 - (gone is not None))
    return by_private_centrality(roster, present, centrality, room, 0.5, 2.0, "stretched", draws(0))


def moved(before: Assignment, after: Assignment) -> list[int]:
    """The teachers that have other nodes, or another weight."""
    return [
        teacher
        for teacher in range(PARTS)
        if set(before.slots[teacher]) != set(after.slots[teacher]) or before.weights[teacher] != after.weights[teacher]
    ]


@pytest.mark.parametrize("shots", [0, 3])
@pytest.mark.parametrize(
    ("weighting", "ranks"), [("uniform", 3), ("private-centrality", 3), ("private-centrality", PARTS)]
)
def test_who_leaves_changes_its_own_teacher_alone(
    weighting: str, ranks: int, shots: int, joined: np.ndarray, roster: np.ndarray
) -> None:
    """Every private node in turn; with many ranks many nodes stand at a border between two."""
    whole = assigned(weighting, joined, roster, shots=shots, ranks=ranks)
    teacher_of = {int(node): teacher for teacher, row in enumerate(whole.slots) for node in row if node != EMPTY}
    changed = [moved(whole, assigned(weighting, joined, roster, int(gone), shots, ranks)) for gone in roster]
    assert all(len(found) <= 1 for found in changed)
    for gone, found in zip(roster, changed, strict=True):
        assert found == ([teacher_of[int(gone)]] if int(gone) in teacher_of else [])
    assert sum(map(len, changed)) == len(teacher_of) > 30


def test_the_published_partition_moves_many(joined: np.ndarray, roster: np.ndarray) -> None:
    whole = assigned("centrality", joined, roster)
    changed = [len(moved(whole, assigned("centrality", joined, roster, int(gone)))) for gone in roster]
    assert np.mean(changed) > PARTS / 3
    assert max(changed) > PARTS / 2


@pytest.mark.parametrize("weighting", ["uniform", "private-centrality", "centrality"])
@pytest.mark.parametrize("shots", [0, 3])
def test_slots_are_disjoint_and_private(weighting: str, shots: int, joined: np.ndarray, roster: np.ndarray) -> None:
    assignment = assigned(weighting, joined, roster, shots=shots)
    sitting = assignment.slots[assignment.slots != EMPTY]
    assert len(set(sitting.tolist())) == len(sitting)
    assert set(sitting.tolist()) <= set(roster.tolist())
    assert assignment.weights.sum() == pytest.approx(PARTS)
    assert assignment.sizes.sum() == len(sitting)
    if weighting != "private-centrality":  # there, who finds no slot is left out
        assert len(sitting) == (36 if shots else len(roster))
        assert assignment.sizes.max() - assignment.sizes.min() <= 1


def test_algorithm_2() -> None:
    """The printed reading leaves weights almost equal; the stretched one uses the whole range."""
    scores = np.array([0.0, 0.001, 0.004, 0.02])
    printed, stretched = (algorithm_2(scores, 0.5, 2.0, reading) for reading in ("printed", "stretched"))
    for weights in (printed, stretched):
        assert weights.sum() == pytest.approx(4)
        assert (np.diff(weights) > 0).all()
    assert printed[-1] / printed[0] == pytest.approx((0.5 + 1.5 * 0.02) / 0.5)
    assert stretched[-1] / stretched[0] == pytest.approx(4)
    assert stretched[-1] > 2, "larger than w_max, which Algorithm 2 says it ensures"
    assert algorithm_2(np.full(3, 0.2), 0.5, 2.0, "stretched").tolist() == [1, 1, 1]
