"""DP-GPL's slots: whose leaving moves whom, and what the weights are."""

import numpy as np
import pytest
from tests.secrets_made_here import draws

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

NODES, TEACHERS = 90, 12


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
    """Who sits where in the graph without `gone`, whose edges are gone with it; the numbers of the others
    stay."""
    present = np.ones(NODES, dtype=bool)
    present[list(() if gone is None else (gone,))] = False
    edges = joined & present & present[:, None]
    private = np.zeros(NODES, dtype=bool)
    private[roster] = True
    room = Room.of(len(roster), TEACHERS, shots, drawn=weighting == "private-centrality")
    if weighting == "uniform":
        return uniform(roster, present, room, draws(0))
    if weighting == "private-centrality":
        return by_public_centrality(
            roster, present, (edges & ~private).sum(1), room, *rank_weights(TEACHERS, ranks, 0.5, 2.0), draws(0)
        )
    centrality = (edges & private).sum(1) / (len(roster) - 1 - (gone is not None))
    return by_private_centrality(roster, present, centrality, room, 0.5, 2.0, "stretched", draws(0))


def moved(before: Assignment, after: Assignment) -> list[int]:
    """The teachers that have other nodes, or another weight."""
    return [
        teacher
        for teacher in range(TEACHERS)
        if set(before.slots[teacher]) != set(after.slots[teacher]) or before.weights[teacher] != after.weights[teacher]
    ]


@pytest.mark.parametrize("shots", [0, 3])
@pytest.mark.parametrize(
    ("weighting", "ranks"), [("uniform", 3), ("private-centrality", 3), ("private-centrality", TEACHERS)]
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
    assert np.mean(changed) > TEACHERS / 3
    assert max(changed) > TEACHERS / 2


@pytest.mark.parametrize("weighting", ["uniform", "private-centrality", "centrality"])
@pytest.mark.parametrize("shots", [0, 3])
def test_slots_are_disjoint_and_private(weighting: str, shots: int, joined: np.ndarray, roster: np.ndarray) -> None:
    assignment = assigned(weighting, joined, roster, shots=shots)
    sitting = assignment.slots[assignment.slots != EMPTY]
    assert len(set(sitting.tolist())) == len(sitting)
    assert set(sitting.tolist()) <= set(roster.tolist())
    assert assignment.weights.sum() == pytest.approx(TEACHERS)
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
