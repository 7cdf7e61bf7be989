"""Who trains in which model: equal shares, fair coins, and nobody in all of them."""

import numpy as np
import pytest

from privgraph.attacks.drawing import balanced, fewest, independent


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
