"""How well an audit's attack tells two datasets apart, and the curves that claims say it cannot cross."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from scipy.special import ndtr, ndtri

from privgraph.audits.record import AuditRecord
from privgraph.audits.roc import chance_band
from privgraph.privacy.composition import gaussian_epsilon
from privgraph.privacy.kinds import Adversary, Route
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Row, Rows, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import grouped, marks, one_of, placed, single, table
from privgraph_workbench.theme import NEUTRAL, Epsilon
from privgraph_workbench.words.numbers import stated

COLUMNS = ("curve", "false", "true", "low", "high", "epsilon")
"""What differs from row to row, and stands in a CSV."""
SCALES = ("linear", "log")
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
POINTS = 120
RAREST = 1e-6
"""The smallest share of false alarms that an axis begins at."""


def frontier(false: float, epsilon: float, delta: float) -> float:
    """The most that any attack on an (epsilon, delta)-private release finds, at that share of false alarms:
    min(e^epsilon f + delta, 1 - e^-epsilon (1 - delta - f)) (Kairouz, Oh and Viswanath 2015).

    >>> frontier(0.25, 0.0, 0.0), frontier(0.0, 5.0, 0.01), frontier(0.5, math.inf, 0.0)
    (0.25, 0.01, 1.0)
    """
    rising = math.exp(min(epsilon, 700.0)) * false + delta
    return max(0.0, min(1.0, rising, 1 - math.exp(-epsilon) * (1 - delta - false)))


def gaussian_shift(record: AuditRecord, epsilon: float | None) -> float | None:
    """The mu of the Gaussian that has this epsilon at the audit's delta, from above; None where what was
    attacked is not plain Gaussian noise alone, or where nothing finite is claimed of it."""
    plain = record.audit == "mechanism" and any(bound.route == "gaussian" for bound in record.bounds)
    if not plain or epsilon is None or not placed(epsilon) or record.delta <= 0:
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

    curve (attack, band, sound, published, gaussian, gaussian_published or gaussian_shown: that of the bound,
    where it is of the Gaussian trade-off), false (share of false alarms), true (share found; None for the
    band), low and high (of the band: where the attack's curve may lie in the long run, at the audit's
    confidence for each place; none for canaries or pairs of one training, which are not independent trials),
    epsilon (of the claim), mu, mu_published and mu_shown (of the Gaussians that have the sound epsilon, the
    published, and the bound; None where the audited noise is not Gaussian alone), delta, area (under the
    attack's curve), covers, sound, published, bound, confidence, trials, adversary, scale. A claim without a
    finite epsilon has no rows: it allows everything; nor has any where an outsider's two sides lie several
    neighbouring datasets apart. Raises `ValueError` for an unknown scale.
    """
    one_of("the scale", scale, SCALES)
    shown = next((bound.epsilon for bound in record.bounds if bound.route == Route.GAUSSIAN), None)
    epsilons = {"gaussian": record.sound, "gaussian_published": record.published}
    epsilons["gaussian_shown"] = shown if shown == record.epsilon else None
    shifts = {curve: gaussian_shift(record, epsilon) for curve, epsilon in epsilons.items()}
    shared: Row = {curve.replace("gaussian", "mu"): shift for curve, shift in shifts.items()}
    shared |= {name: getattr(record, name) for name in ("delta", "area", "covers", "sound", "published")}
    shared |= {"bound": record.epsilon, "confidence": record.confidence, "trials": record.trials}
    shared |= {"adversary": str(record.adversary), "scale": scale}
    rows = list[Row]()

    def add(curve: str, false: Any, true: Any, **more: Any) -> None:
        blank = {"low": None, "high": None, "epsilon": None}
        rows.extend(table({"curve": curve, "false": false, "true": true, **blank, **more, **shared}))

    known = {"sound": record.sound, "published": record.published}
    claims = {curve: one for curve, one in known.items() if one is not None and math.isfinite(one)}
    # where the two sides of a region meet, and a claim begins to allow less than everything
    corners = {curve: (1 - record.delta) / (1 + math.exp(one)) for curve, one in claims.items() if one < 700}
    outsider = record.adversary is Adversary.OUTSIDER
    seen = [false for false in record.roc_false if false > 0]
    seen += [] if outsider else [one for one in corners.values() if one > RAREST]
    least = max(RAREST, decade(seen))
    ends = np.geomspace(least, 1, POINTS) if scale == "log" else np.linspace(0, 1, POINTS)
    curve = np.array([record.roc_false, record.roc_true])
    if (
        record.roc_false and scale == "log"
    ):  # where no false alarm was seen and few scores differ, a curve has no point else
        curve = np.unique(np.hstack([curve, [ends, np.interp(ends, *curve)]]), axis=1)
    add("attack", *curve)
    if not rows or outsider:
        return rows
    sizes = sum(record.scores_with), sum(record.scores_without)
    if record.adversary is Adversary.WORST_CASE and all(sizes):  # else its trials are not independent
        places = np.unique(np.concatenate([np.linspace(0, 1, POINTS + 1), np.geomspace(least, 1, POINTS)]))
        own = np.asarray(record.roc_false), np.asarray(record.roc_true)
        low, high = chance_band(own, sizes, places, record.confidence)
        add("band", places, None, low=low, high=high)
    for claim, epsilon in claims.items():
        corner = [one for at, one in corners.items() if at == claim and (scale == "linear" or one > least)]
        false = sorted({*ends.tolist(), *corner})
        add(claim, false, [frontier(one, epsilon, record.delta) for one in false], epsilon=epsilon)
    for claim, shift in shifts.items():
        if shift is not None:
            add(claim, ends, ndtr(ndtri(ends) + shift), epsilon=epsilons[claim])
    return rows


def leaving(rows: Rows) -> list[Row]:
    """The rows as they leave in a CSV."""
    return [{column: row[column] for column in COLUMNS} for row in rows]


@figure("audit_roc", "What the attack finds, and claims allow", data, needs="audit", settings=True, table=leaving)
def chart(rows: Rows) -> Chart:
    """A claim of (epsilon, delta) is a corner; where the noise is known to be Gaussian, its curve allows
    less, lies inside, and is drawn in its place. So is what the bound stands for, in place of the band, and
    the attack's own curve is faint: a claim that lies below it is refuted."""
    first, curves = rows[0], grouped(rows, "curve")
    low = least = 0.0
    if first["scale"] == "log":
        low = min(row["false"] for row in rows if row["false"] > 0)
        # where epsilon is large all curves run along the upper edge
        least = max(low, decade(row["true"] for row in rows if row["true"] and row["false"] >= low))
    x, y, guess = square("false alarms", "found", low, least)
    series, shown, plain = [guess], "gaussian_shown" in curves, any(one.startswith("gaussian") for one in curves)
    if band := [row for row in curves.get("band", ()) if not shown and row["false"] >= low]:
        look: Look = {"name": "the attack in the long run", "kind": "band", "slot": NEUTRAL}
        series.append(marks(band, "false", "high", low=tuple(max(row["low"], least) for row in band), **look))
    for curve, (kind, name) in CURVES.items():
        held = [row for row in curves.get(curve, ()) if row["false"] >= low and row["true"] >= least]
        if held and not (plain and curve in ("sound", "published")):
            epsilon = stated(kind, first["bound"] if kind == "audited" else held[0]["epsilon"])
            told = f"{name} ({'ε audited ≥' if kind == 'audited' else 'ε ='} {epsilon})"
            faint = shown and curve == "attack"
            own: Look = {"name": name, "faint": True} if faint else {"name": told, "epsilon": kind}
            series.append(marks(held, "false", "true", kind="line", **own))
    return single(x, y, series, flags=(Flag.ONE_STEP,) * (first["covers"] == "step"), each=350)


def decade(seen: Iterable[float]) -> float:
    """The power of ten below the smallest of these shares."""
    return float(10.0 ** math.floor(math.log10(min(seen, default=0.1) * 0.999)))


def square(false: str, true: str, low: float, least: float) -> tuple[Axis, Axis, Series]:
    """Axes of two shares, logarithmic from `low` and `least` on, or linear where these are 0; and the line of
    a guess by chance."""
    scale: Literal["log", "linear"] = "log" if low else "linear"
    along = (max(low, least), 1.0)
    x = Axis(title=f"{false} ({scale})", scale=scale, low=low, high=1.0)
    y = Axis(title=f"{true} ({scale})", scale=scale, low=least, high=1.04)  # a line that runs along 1 is seen
    return x, y, Series(name="guessing", kind="line", x=along, y=along, slot=NEUTRAL, shape=2)
