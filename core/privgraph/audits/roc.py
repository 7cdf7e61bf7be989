"""What scores on two neighbouring datasets look like: ROC curve, its area, and histograms on common edges.
NumPy and SciPy only."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from privgraph.audits.bounds import at_least, at_most, mean_of_shares, shared_confidence
from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary

Array = NDArray[np.float64]

POINTS = 400
"""Points of a curve at most."""
BINS = 40
TRIED = 6
"""Scores of a worst case (`games.base.SCORES`), each in both directions."""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The fields of an `AuditRecord` that are drawn."""

    edges: tuple[float, ...]
    scores_with: tuple[int, ...]
    scores_without: tuple[int, ...]
    roc_false: tuple[float, ...]
    roc_true: tuple[float, ...]
    area: float


def picture(present: Array, absent: Array) -> Picture:
    """Of scores (n,) with the unit and (m,) without it; high scores speak for the unit."""
    false, true = roc(present, absent)
    edges = _edges(np.concatenate([present, absent]))
    return Picture(
        edges=tuple(edges.tolist()),
        scores_with=tuple(np.histogram(np.clip(present, edges[0], edges[-1]), edges)[0].tolist()),
        scores_without=tuple(np.histogram(np.clip(absent, edges[0], edges[-1]), edges)[0].tolist()),
        roc_false=tuple(false.tolist()),
        roc_true=tuple(true.tolist()),
        area=area(present, absent),
    )


def roc(present: Array, absent: Array) -> tuple[Array, Array]:
    """False and true positive rates of all thresholds, ascending from (0, 0) to (1, 1), thinned to `POINTS`.

    >>> roc(np.array([2.0, 1.0]), np.array([0.0, 1.0]))
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    """
    cuts = np.unique(np.concatenate([present, absent]))[::-1]
    rates = [
        np.concatenate([[0.0], 1 - np.searchsorted(np.sort(dataset), cuts, side="left") / len(dataset)])
        for dataset in (absent, present)
    ]
    false, true = rates
    if len(false) > POINTS:
        # dense where rates are small or nearly one: that is where epsilon shows
        half = np.unique(np.geomspace(1, len(false) / 2, POINTS // 2).astype(np.int64)) - 1
        kept = np.unique(np.concatenate([half, len(false) - 1 - half]))
        false, true = false[kept], true[kept]
    return false, true


def chance_band(
    curve: tuple[Array, Array], sizes: tuple[int, int], places: Array, confidence: float
) -> tuple[Array, Array]:
    """What the true positive rate at each false positive rate of `places` (k,) may be in the long run, from a
    curve of independent trials: the lower and upper ends (k,) of an interval, at `confidence` for each place
    by itself.

    `curve` has false and true positive rates as `roc` gives them, `sizes` the trials (n, m) with and without
    the unit. Half of what may go wrong goes to the threshold that has the false positive rate (between two of
    the m trials, by the binomial law), half to the trials above it (Clopper and Pearson 1934). Between points
    of a thinned curve, the one that makes the interval wider counts.
    """
    false, true = curve
    with_unit, without = sizes
    level = (1 - confidence) / 4
    # So many trials without the unit lie above the threshold that has the rate, fewest and most: it is no
    # higher than the threshold with `fewest` trials at or above it, and no lower than the one with `most`.
    fewest, most = binom.ppf(level, without, places), binom.isf(level, without, places) + 1
    before = np.searchsorted(false, fewest / without + 1e-12, side="right") - 1
    after = np.minimum(np.searchsorted(false, most / without - 1e-12, side="left"), len(false) - 1)
    surely, perhaps = (np.rint(true[at] * with_unit) for at in (before, after))
    surely = np.where(fewest > 0, surely, 0)
    return at_least(surely, with_unit, level), at_most(perhaps, with_unit, level)


def area(present: Array, absent: Array) -> float:
    """The chance that a score with the unit is above one without it, ties counted half."""
    sorted_ = np.sort(absent)
    below = np.searchsorted(sorted_, present, side="left") + np.searchsorted(sorted_, present, side="right")
    return float(below.mean() / (2 * len(absent)))


def least_area(record: AuditRecord) -> float | None:
    """How often the attack of an audit picks the right one in the long run, at least, of a release with the
    unit and one without it: right with chance `record.confidence`, as all audits of the run share it.

    The area is a two-sample U-statistic with values in [0, 1], for which the bound of `mean_of_shares` holds
    with the trials on a dataset in place of the count (Hoeffding 1963, section 5). The attack has chosen its
    score among `TRIED`, each of which has its part of what the confidence leaves. None where trials are not
    independent plays of the whole run, each on a dataset of its own.

    (No such limit follows from a lower bound on epsilon: of a large one, a very rare event may be the cause.)
    """
    if record.adversary is not Adversary.WORST_CASE or record.covers != "run":
        return None
    level = (1 - shared_confidence(record.confidence, record.turn)) / TRIED
    return mean_of_shares(record.area, record.trials // 2, level)[0]


def _edges(pooled: Array) -> Array:
    """Edges over the middle 99.8% of all scores; what lies outside is counted in the outermost bins."""
    finite = pooled[np.isfinite(pooled)]
    low, high = (float(np.quantile(finite, share)) for share in (0.001, 0.999)) if len(finite) else (0.0, 0.0)
    if not high > low:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, BINS + 1)
