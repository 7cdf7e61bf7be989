"""Calibration: the smallest noise that keeps an epsilon, approached from the private side only."""

import math
from collections.abc import Callable

from privgraph.privacy.accountants import Accountant, TightAccountant, tight
from privgraph.privacy.events import PrivacyEvent
from privgraph.privacy.quick_bounds import RoughAccountant


class CalibrationError(ValueError):
    """No noise scale in the range allowed reaches the epsilon asked for."""


def calibrate(
    make_event: Callable[[float], PrivacyEvent],
    epsilon: float,
    delta: float,
    accountant: Accountant | None = None,
    *,
    lowest: float = 1e-3,
    highest: float = 1e7,
    tolerance: float = 1e-3,
) -> float:
    """Find the smallest noise whose event costs at most `epsilon` at `delta`.

    >>> import privgraph as pg
    >>> once = lambda noise: pg.events.Gaussian(noise_multiplier=noise)
    >>> scale = pg.calibrate(once, epsilon=1.0, delta=1e-5)
    >>> round(scale, 2)
    3.73

    Args:
        make_event: Gives the event of a noise scale (noise relative to the sensitivity); it must cost less as
            the scale grows.
        epsilon: The budget, above 0.
        delta: The chance that the guarantee may fail, in [0, 1).
        accountant: Who computes epsilon (default: the tightest that is proved).
        lowest: The least scale to try, above 0.
        highest: The largest scale to try.
        tolerance: How far below `epsilon` the cost may stay, as a share of it, in (0, 1).

    Returns:
        The scale. It has itself been accounted: its epsilon is at most `epsilon`, and at least (1 -
        tolerance) of it, unless `lowest` is already private enough, which is then returned.

    Raises:
        CalibrationError: `highest` is not enough.
        ValueError: An argument is out of its range, or `make_event` is no function of a scale.
    """
    if isinstance(make_event, type) or not callable(make_event):
        raise ValueError(
            "make_event must be a function of the noise scale, such as lambda noise: Gaussian(noise_multiplier=noise)"
        )
    if not 0 < epsilon < math.inf:
        raise ValueError(f"epsilon must be positive and finite to calibrate noise to it (got {epsilon})")
    if not 0 <= delta < 1:
        raise ValueError(f"delta must lie in [0, 1) (got {delta})")
    if not 0 < lowest < highest < math.inf or not 0 < tolerance < 1:
        raise ValueError("calibrate needs 0 < lowest < highest and a tolerance between 0 and 1")
    judge: Accountant = tight() if accountant is None else accountant
    start, step = 1.0, 2.0
    if isinstance(judge, TightAccountant) and delta > 0:
        # Rough numbers are cheap and not far above the tight ones: a good place to start.
        try:
            start = calibrate(
                make_event, epsilon, delta, RoughAccountant(), lowest=lowest, highest=highest, tolerance=0.05
            )
            step = 1.2
        except CalibrationError:
            pass  # what looser bounds cannot reach, the tight ones still may

    def cost(scale: float) -> float:
        return judge.epsilon(make_event(scale), delta)

    bad, good = lowest, highest
    bad_cost, good_cost = math.inf, 0.0
    scale = min(max(start, lowest), highest)
    # Widen until the epsilon lies between two scales; then close in by secants in logarithms,
    # in which cost is nearly a straight line, with bisections so that no shape can stall it.
    while True:
        spent = cost(scale)
        if abs(spent / epsilon - 1) < 0.06:
            step = min(step, 1.005 + 1.5 * abs(spent / epsilon - 1))  # so near already: a small step crosses it
        if spent <= epsilon:
            good, good_cost = scale, spent
            if scale <= lowest:
                return lowest
            if math.isfinite(bad_cost):
                break
            scale = max(lowest, scale / step)
        else:
            bad, bad_cost = scale, spent
            if scale >= highest:
                raise CalibrationError(
                    f"no noise up to {highest:g} times the sensitivity reaches epsilon {epsilon:g} at delta "
                    f"{delta:g}: {spent:g} is left"
                )
            if good_cost > 0 or good < highest:
                break
            scale = min(highest, scale * step)
        step *= step
    for attempt in range(200):
        if good_cost >= epsilon * (1 - tolerance) or good <= bad * (1 + 1e-12):
            break
        scale = _between(bad, bad_cost, good, good_cost, epsilon * (1 - tolerance / 4), bisect=attempt % 3 == 2)
        spent = cost(scale)
        if spent <= epsilon:
            good, good_cost = scale, spent
        else:
            bad, bad_cost = scale, spent
    return good


def _between(bad: float, bad_cost: float, good: float, good_cost: float, wanted: float, *, bisect: bool) -> float:
    low, high = math.log(bad), math.log(good)
    if bisect or not math.isfinite(bad_cost) or good_cost <= 0:
        return math.exp((low + high) / 2)
    part = (math.log(bad_cost) - math.log(wanted)) / (math.log(bad_cost) - math.log(good_cost))
    margin = 1e-3
    return math.exp(low + min(max(part, margin), 1 - margin) * (high - low))
