"""What canaries show of a known Gaussian, by each route: python -m privgraph.studies.canary_bounds.

m canaries, each in or out by a fair coin; the score of canary i is mu times its coin plus a standard normal
number, which is (epsilon, delta)-private for the epsilon of a Gaussian of sensitivity mu. Means over
repetitions.
"""

import argparse
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from privgraph.audits.bounds import gaussian_bound, least_shift, threshold_bound
from privgraph.audits.one_run import SHARES, excluded, one_run_epsilon, one_run_shift, p_value
from privgraph.privacy.composition import gaussian_epsilon
from privgraph.studies.cells import table

Route = Callable[[NDArray[np.float64], NDArray[np.bool_], float, float], float]
Test = Callable[[int, int, int, float, float, float], bool]


def _split(bound: Callable[..., float]) -> Route:
    """A bound that is given the scores of canaries that are in, and of those that are out."""

    def route(scores: NDArray[np.float64], coins: NDArray[np.bool_], delta: float, confidence: float) -> float:
        return bound(scores[coins], scores[~coins], delta=delta, confidence=confidence)

    return route


def _one_run(refutes: Test, scores: NDArray[np.float64], coins: NDArray[np.bool_], delta: float, sure: float) -> float:
    """`one_run_epsilon` by one of its two tests alone."""
    order, best = np.argsort(scores), 0.0
    for share in SHARES:
        half = max(1, int(share * len(scores)) // 2)
        right = int(coins[order[-half:]].sum() + (~coins[order[:half]]).sum())
        low, high = 0.0, 30.0
        for _ in range(30):
            middle = (low + high) / 2
            shown = refutes(len(scores), 2 * half, right, middle, delta, (1 - sure) / len(SHARES))
            low, high = (middle, high) if shown else (low, middle)
        best = max(best, low)
    return best


ROUTES: Mapping[str, Route] = {
    "one run, Theorem 5.2": partial(_one_run, lambda m, r, v, e, d, level: p_value(m, r, v, e, d) <= level),
    "one run, f-DP": partial(_one_run, excluded),
    "one run, both": one_run_epsilon,
    "one run, Gaussian f-DP": lambda scores, coins, delta, sure: gaussian_epsilon(
        one_run_shift(scores, coins, sure), delta
    ),
    "threshold": _split(lambda *both, **how: threshold_bound(*both, **how).epsilon),
    "Gaussian, an event": _split(lambda *both, **how: gaussian_bound(*both, **how).epsilon),
    "Gaussian, all scores": _split(
        lambda *both, delta, confidence: gaussian_epsilon(least_shift(*both, confidence=confidence), delta)
    ),
}
"""The first three hold whatever the mechanism is, and whatever canaries have in common; the threshold where
each canary is a trial of its own; Gaussian f-DP for mechanisms with a Gaussian's trade-off, whatever canaries
have in common; the last two for Gaussian noise of its own in each."""


def shown(epsilon: float, canaries: int, *, delta: float, confidence: float, repetitions: int) -> dict[str, float]:
    """The mean bound of each route where `epsilon` is the truth."""
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_epsilon(middle, delta) <= epsilon else (low, middle)
    random, found = np.random.default_rng(0), dict.fromkeys(ROUTES, 0.0)
    for _ in range(repetitions):
        coins = random.random(canaries) < 0.5
        scores = low * coins + random.normal(size=canaries)
        for name, route in ROUTES.items():
            found[name] += route(scores, coins, delta, confidence) / repetitions
    return found


def main() -> None:
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(description="What canaries show of a known Gaussian, by each route.")
    parser.add_argument("--delta", type=float, default=1e-5)
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--repetitions", type=int, default=40)
    asked = parser.parse_args()
    rows = []
    for canaries in (100, 1000, 10_000):
        for epsilon in (1.0, 2.0, 4.0, 8.0):
            bounds = shown(
                epsilon, canaries, delta=asked.delta, confidence=asked.confidence, repetitions=asked.repetitions
            )
            rows.append((f"{canaries:,}", f"{epsilon:g}", *(f"{bound:.2f}" for bound in bounds.values())))
    title = f"delta {asked.delta:g}, confidence {asked.confidence:g}, means over {asked.repetitions} repetitions."
    print(table(title, ("canaries", "true epsilon", *ROUTES), rows, names=1))


if __name__ == "__main__":
    main()
