"""Matched pairs of candidates, of which a coin keeps one: coins, gaps, and the signed-rank test. NumPy and
SciPy only."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from privgraph.attacks.signals import Array, Bools


def matched(likeness: Array) -> NDArray[np.int64]:
    """(2n,) places of candidates, neighbours in order of `likeness` (T,) side by side: places 2i and 2i + 1
    are the i-th pair. The last of an odd number is left out.

    Likeness is known before anybody is drawn: what it explains of a score, it explains on both sides.

    >>> matched(np.array([0.9, 0.1, 0.8, 0.2]))
    array([1, 3, 2, 0])
    """
    likeness = np.asarray(likeness, dtype=np.float64)
    if likeness.ndim != 1 or not np.isfinite(likeness).all():
        raise ValueError(f"likeness must be finite numbers of shape (T,) (got shape {likeness.shape})")
    order = np.argsort(likeness, kind="stable")
    return np.asarray(order[: len(order) // 2 * 2], dtype=np.int64)


def balanced_coins(models: int, pairs: int, random: np.random.Generator) -> Bools:
    """(models, pairs): whether a model keeps the first of a pair; each pair's first is kept by half of the
    models, give or take one, and pairs are independent of each other."""
    more = random.random(pairs) < 0.5
    kept = np.arange(models)[:, None] < models // 2 + (models % 2) * more
    return np.asarray(random.permuted(kept, axis=0), dtype=np.bool_)


def kept(first: Bools) -> Bools:
    """(..., 2n): who of all candidates is kept, from the coins (..., n) of their pairs.

    >>> kept(np.array([True, False]))
    array([ True, False, False,  True])
    """
    return np.stack([first, ~first], axis=-1).reshape(*first.shape[:-1], -1)


def gaps(scores: Array) -> Array:
    """(n,): by how much the score of the first of each pair exceeds that of the second, of scores (2n,)."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or scores.size % 2:
        raise ValueError(f"scores must be of pairs, of shape (2n,) (got {scores.shape})")
    return np.asarray(scores[0::2] - scores[1::2])


def signed_rank(scores: Array, first: Bools) -> float:
    """The p-value of Wilcoxon's signed-rank test, two-sided, of members against the others of their pairs.

    Differences are (score of the one that was kept) - (score of the one that was left out), one a pair. A
    model that says nothing of who was kept turns each sign by a fair coin, which is the law that the test
    supposes. Differences of 0 are left out; where there are no others, nothing is seen and the value is 1.

    Args:
        scores: (2n,) of pairs that stand side by side.
        first: (n,) whether the first of a pair was kept.
    """
    found = gaps(scores)
    if found.shape != np.shape(first):
        raise ValueError(f"there must be one coin a pair (got {np.shape(first)} for {found.size} pairs)")
    differences = np.where(first, found, -found)
    differences = differences[differences != 0]
    return float(wilcoxon(differences).pvalue) if differences.size else 1.0
