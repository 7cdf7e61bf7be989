"""Audits of Gaussian noise, made by honest simulation: both datasets are drawn, and the bound is Clopper and
Pearson's."""

import math

import numpy as np
from scipy.stats import beta

from privgraph.audits.record import AuditRecord, Bound
from privgraph.privacy.events import Gaussian
from privgraph.privacy.kinds import Adversary, Route
from privgraph.privacy.pld import PLDAccountant


def audit(
    run: str = "progap-social-000000000000",
    *,
    noise: float = 1.0,
    claimed: float | None = None,
    published: float | None = 2.0,
    covers: str = "run",
    trials: int = 4000,
    delta: float = 1e-5,
) -> AuditRecord:
    """An audit of one Gaussian release whose noise is `noise` times its sensitivity.

    The sound epsilon is that noise's own unless another is `claimed`. Half of the trials choose the
    threshold, the other half judges it at 95% confidence, 2.5% for either error.
    """
    draw = np.random.default_rng(0)
    half = trials // 2
    without, joined = draw.normal(size=half), draw.normal(loc=1 / noise, size=half)
    tried = np.linspace(without.min(), joined.max(), 60)
    bounds = [_bound(without[::2], joined[::2], threshold, delta) for threshold in tried]
    epsilon = _bound(without[1::2], joined[1::2], float(tried[int(np.argmax(bounds))]), delta)
    thresholds = np.sort(np.concatenate([without, joined]))[:: -max(1, trials // 200)]
    edges = np.linspace(min(without.min(), joined.min()), max(without.max(), joined.max()), 41)
    sound = PLDAccountant().epsilon(Gaussian(noise_multiplier=noise), delta) if claimed is None else claimed
    return AuditRecord(
        run=run,
        audit="mechanism",
        adversary=Adversary.WORST_CASE,
        title="Mechanism by mechanism",
        covers=covers,
        delta=delta,
        confidence=0.95,
        epsilon=epsilon,
        bounds=(
            Bound(route=Route.THRESHOLD, epsilon=epsilon, detail=f"{half:,} trials judge the threshold"),
            Bound(route=Route.GAUSSIAN, epsilon=epsilon + 0.01, detail="holds for Gaussian noise alone"),
        ),
        sound=sound,
        published=published,
        trials=trials,
        seconds=1.5,
        seed=0,
        score="released number, in units of the noise",
        edges=tuple(edges.tolist()),
        scores_with=tuple(np.histogram(joined, edges)[0].tolist()),
        scores_without=tuple(np.histogram(without, edges)[0].tolist()),
        roc_false=(0.0, *(float((without >= one).mean()) for one in thresholds), 1.0),
        roc_true=(0.0, *(float((joined >= one).mean()) for one in thresholds), 1.0),
        area=float((joined[:, None] > without[None, :]).mean()),
        notes=("The adversary sees the released number and knows both datasets.",),
    )


def _bound(without: np.ndarray, joined: np.ndarray, threshold: float, delta: float) -> float:
    """The epsilon that a threshold shows: log of (found - delta) over false alarms, each at its worse end."""
    false, true = int((without >= threshold).sum()), int((joined >= threshold).sum())
    most = float(beta.ppf(0.975, false + 1, len(without) - false)) if false < len(without) else 1.0
    least = float(beta.ppf(0.025, true, len(joined) - true + 1)) if true else 0.0
    return max(0.0, math.log((least - delta) / most)) if least > delta else 0.0
