"""How well an audit's attack tells the two datasets apart, and the curves that the claimed epsilons say it
cannot cross."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy.special import ndtr, ndtri

from privgraph.audits.record import AuditRecord
from privgraph.audits.roc import chance_band
from privgraph.privacy.composition import gaussian_epsilon
from privgraph.privacy.kinds import Adversary, Route
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Series, empty, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import AUDIT
from privgraph_workbench.theme import NEUTRAL, Epsilon
from privgraph_workbench.words.numbers import exact_percent, stated

COLUMNS = ("curve", "false", "true", "low", "high", "epsilon")
"""What differs from row to row, and stands in a CSV; all else is said in the text beside it."""
SCALES = {"linear": "all false alarms alike", "log": "logarithmic: rare false alarms"}
CURVES: Mapping[str, tuple[Epsilon, str]] = {
    "attack": ("audited", "the attack"),
    "sound": ("sound", "sound ε allows no more"),
    "published": ("published", "ε as published allows no more"),
    "gaussian": ("sound", "sound ε allows no more"),
    "gaussian_published": ("published", "ε as published allows no more"),
    "gaussian_shown": ("audited", "shown in the long run"),
}
"""The attack's curve is what the audited epsilon is read off, and looks like it; but where the noise is
Gaussian, each epsilon is the curve of one mechanism, and its line stands for it."""
CORNERS = ("sound", "published")
POINTS = 120
RAREST = 1e-6
"""The smallest share of false alarms that an axis begins at."""
ESTIMATE = "faint: these trials alone, an estimate"
"""The attack's own curve in the legend, where it is not what is held against the claims."""
TRIALS = "trials with the unit", "trials without the unit"
"""The two sides of an audit's curve; those of an outsider's attack are whom it tells apart."""


def frontier(false: float, epsilon: float, delta: float) -> float:
    """The most that any attack on an (epsilon, delta)-private release finds, at that share of false alarms.

    min(e^epsilon f + delta, 1 - e^-epsilon (1 - delta - f)) (Kairouz, Oh and Viswanath 2015).

    >>> frontier(0.25, 0.0, 0.0), frontier(0.0, 5.0, 0.01), frontier(0.5, math.inf, 0.0)
    (0.25, 0.01, 1.0)
    """
    rising = math.exp(min(epsilon, 700.0)) * false + delta
    return max(0.0, min(1.0, rising, 1 - math.exp(-epsilon) * (1 - delta - false)))


def gaussian_shift(record: AuditRecord, epsilon: float | None) -> float | None:
    """The mu of the Gaussian mechanism that has this epsilon at the audit's delta; None where what was
    attacked is not plain Gaussian noise alone, or where nothing finite is claimed of it.

    A sound epsilon is never below the exact one of the ledger, so neither is its mu.
    """
    plain = record.audit == "mechanism" and any(bound.route == "gaussian" for bound in record.bounds)
    if not plain or epsilon is None or not (0 < epsilon < math.inf) or record.delta <= 0:
        return None
    low, high = 0.0, 1.0
    while gaussian_epsilon(high, record.delta) < epsilon:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_epsilon(middle, record.delta) < epsilon else (low, middle)
    return high


def data(record: AuditRecord, scale: str = "linear") -> list[Row]:
    """One row per point of each curve, from few false alarms to many.

    curve (attack, band, sound, published, gaussian, gaussian_published or gaussian_shown: that which the
    bound stands for, where it is of the Gaussian trade-off), false (share of false alarms),
    true (share found; None for the band), low and high (of the band: where the attack's curve may lie in the
    long run, at the audit's confidence for each share of false alarms by itself; None for others, and no band
    for canaries or pairs of one training, which are not independent trials), epsilon (of the claim; None for
    the attack), mu, mu_published and mu_shown (of the Gaussian mechanisms that have the sound epsilon, the
    published, and the bound; None where the audited noise is not Gaussian alone), delta, area (under the
    attack's curve), covers, sound, published, bound (the audit's, at its confidence), trials, adversary,
    with_are and without_are (who is counted on either side, in words), scale. Where that is logarithmic, the
    attack's curve is drawn from the beginning of the axis on: a coin between two thresholds. A claim without
    a finite epsilon has no rows: it allows everything; nor has any where an outsider's two sides lie several
    neighbouring datasets apart, of which a claim's line speaks of one. Raises `ValueError` for an unknown
    scale.
    """
    if scale not in SCALES:
        raise ValueError(f"the scale must be one of {', '.join(SCALES)} (got {scale})")
    bounds = {bound.route: bound.epsilon for bound in record.bounds}
    shown = bounds.get(Route.GAUSSIAN)
    epsilons = {
        "gaussian": record.sound,
        "gaussian_published": record.published,
        "gaussian_shown": shown if shown == record.epsilon else None,
    }
    shifts = {curve: gaussian_shift(record, epsilon) for curve, epsilon in epsilons.items()}
    outside = sides(record.audit) if record.adversary is Adversary.OUTSIDER else None
    with_are, without_are = TRIALS if outside is None else (outside.members, outside.others)
    shared: Row = {curve.replace("gaussian", "mu"): shift for curve, shift in shifts.items()}
    shared |= {name: getattr(record, name) for name in ("delta", "area", "covers", "sound", "published")}
    shared |= {"bound": record.epsilon, "confidence": record.confidence, "trials": record.trials}
    shared |= {"adversary": str(record.adversary), "with_are": with_are, "without_are": without_are, "scale": scale}
    least = _least(record)
    ends = np.geomspace(least, 1, POINTS) if scale == "log" else np.linspace(0, 1, POINTS)
    points = list(zip(record.roc_false, record.roc_true, strict=True))
    if points and scale == "log":  # where no false alarm was seen and few scores differ, a curve has no point else
        found = np.interp(ends, record.roc_false, record.roc_true)
        points = sorted({*points, *zip(ends.tolist(), found.tolist(), strict=True)})
    rows = _rows("attack", points, None, shared)
    if not rows or record.adversary is Adversary.OUTSIDER:
        return rows
    rows += _band(record, shared, least)
    for curve, epsilon in (("sound", record.sound), ("published", record.published)):
        if epsilon is not None and math.isfinite(epsilon):
            corner = [place for place in _corner(epsilon, record.delta) if scale == "linear" or place > least]
            places = sorted({*ends.tolist(), *corner})
            allowed = [(false, frontier(false, epsilon, record.delta)) for false in places]
            rows += _rows(curve, allowed, epsilon, shared)
    for curve, shift in shifts.items():
        if shift is not None:
            found = ndtr(ndtri(ends) + shift)
            rows += _rows(curve, zip(ends.tolist(), found.tolist(), strict=True), epsilons[curve], shared)
    return rows


def _rows(curve: str, points: Iterable[tuple[float, float]], epsilon: float | None, shared: Row) -> list[Row]:
    blank = {"low": None, "high": None, "epsilon": epsilon, **shared}
    return [{"curve": curve, "false": false, "true": true, **blank} for false, true in points]


def _band(record: AuditRecord, shared: Row, least: float) -> list[Row]:
    """Where the attack's curve may lie in the long run; nothing where its trials are not independent."""
    sizes = sum(record.scores_with), sum(record.scores_without)
    if record.adversary is not Adversary.WORST_CASE or not all(sizes):
        return []
    places = np.unique(np.concatenate([np.linspace(0, 1, POINTS + 1), np.geomspace(least, 1, POINTS)]))
    curve = np.asarray(record.roc_false), np.asarray(record.roc_true)
    low, high = chance_band(curve, sizes, places, record.confidence)
    return [
        {"curve": "band", "false": false, "true": None, "low": below, "high": above, "epsilon": None, **shared}
        for false, below, above in zip(places.tolist(), low.tolist(), high.tolist(), strict=True)
    ]


def table(rows: Sequence[Row]) -> list[Row]:
    """The rows as they leave in a CSV."""
    return [{column: row[column] for column in COLUMNS} for row in rows]


@figure("audit_roc", "What the attack finds, and claims allow", data, needs=AUDIT, settings=True, table=table)
def chart(rows: Sequence[Row]) -> Chart:
    """The attack's curve beside those of the claims, and the line of a guess by chance.

    A claim of (epsilon, delta) is a corner; where the noise is known to be Gaussian, its curve allows less,
    lies inside, and is drawn in its place. So is what the bound stands for, in place of the band: a claim
    that lies below it is refuted.
    """
    if not rows:
        return empty("this audit has no curve")
    first = rows[0]
    logarithmic = first["scale"] == "log"
    low = min((row["false"] for row in rows if row["false"] > 0), default=RAREST)
    least = _lowest(rows, low)
    guess = np.geomspace(low, 1, 30).tolist() if logarithmic else [0.0, 1.0]
    series = [Series(name="guessing", kind="line", x=tuple(guess), y=tuple(guess), slot=NEUTRAL, shape=2)]
    drawn = {row["curve"] for row in rows}
    shown, plain = "gaussian_shown" in drawn, bool({"gaussian", "gaussian_published"} & drawn)
    band = [row for row in rows if row["curve"] == "band" and not shown and (not logarithmic or row["false"] >= low)]
    if band:
        # no logarithm of 0: there the band reaches to the lower edge
        ends = tuple(max(row["low"], least) if logarithmic else row["low"] for row in band)
        name = f"the attack in the long run ({exact_percent(first['confidence'])} confidence)"
        series.append(marks(band, "false", "high", name=name, kind="band", low=ends, slot=NEUTRAL))
    for curve, (kind, name) in CURVES.items():
        held = [row for row in rows if row["curve"] == curve and not (plain and curve in CORNERS)]
        held = [row for row in held if row["false"] > 0 and row["true"] > 0] if logarithmic else held
        if held:
            faint = shown and curve == "attack"
            epsilon = stated(kind, first["bound"] if kind == "audited" else held[0]["epsilon"])
            told = ESTIMATE if faint else f"{name} ({'ε audited ≥' if kind == 'audited' else 'ε ='} {epsilon})"
            own: Look = {"epsilon": None if faint else kind, "faint": faint}
            series.append(marks(held, "false", "true", name=told, kind="line", **own))
    return single(
        _axis(f"false alarms ({first['without_are']}", logarithmic, low),
        _axis(f"found ({first['with_are']}", logarithmic, least),
        series,
        flags=(Flag.ONE_STEP,) * (first["covers"] == "step"),
        height=400,
    )


def _axis(title: str, logarithmic: bool, low: float) -> Axis:
    if logarithmic:
        return Axis(title=f"{title}, log)", scale="log", low=low, high=1.0)
    return Axis(title=f"{title})", low=0.0, high=1.0)


def _least(record: AuditRecord) -> float:
    """The power of ten at or below the smallest share of false alarms that the attack reached, and at which a
    claim begins to allow less than everything, but no less than `RAREST`."""
    seen = [false for false in record.roc_false if false > 0]
    if record.adversary is not Adversary.OUTSIDER:
        claims = [one for one in (record.sound, record.published) if one is not None and math.isfinite(one)]
        seen += [corner for one in claims for corner in _corner(one, record.delta) if corner > RAREST]
    return float(max(RAREST, 10.0 ** math.floor(math.log10(min(seen, default=0.1) * 0.999))))


def _lowest(rows: Sequence[Row], low: float) -> float:
    """The power of ten at or below the smallest share that any curve finds right of `low`: where epsilon is
    large all of them run along the upper edge, and an axis of six decades would show nothing of them."""
    found = [row["true"] for row in rows if row["true"] and row["false"] >= low]
    return float(max(low, 10.0 ** math.floor(math.log10(min(found, default=0.1) * 0.999))))


def _corner(epsilon: float, delta: float) -> tuple[float, ...]:
    """Where the two sides of the region meet."""
    return ((1 - delta) / (1 + math.exp(epsilon)),) if epsilon < 700 else ()
