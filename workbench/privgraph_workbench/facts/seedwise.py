"""Settings held against each other seed by seed: whether one is clearly better, and with how many seeds it
would be. No Streamlit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures import seeds
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs.guesses import GUESSES

METRIC = "test_accuracy"
MOST_SEEDS = 20
"""With so many seeds a setting what can be told apart is; more are not worth their price."""
NO_WIDTH = 1e-9
"""An interval that is no wider has no width: all seeds agree."""
WRONG = 0.05
"""The chance, at most, that any of the comparisons that answer one question calls clear what is not."""


def together(comparisons: int) -> float:
    """The level of each interval, where so many comparisons answer one question: of each of them only one
    side can mislead, and these chances add up (Bonferroni). At least 95%.

    >>> together(1), together(2), round(together(5), 2)
    (0.95, 0.95, 0.98)
    """
    return max(0.95, 1 - 2 * WRONG / max(1, comparisons))


@dataclass(frozen=True, kw_only=True)
class Seedwise:
    """What the runs behind rows of accuracy against epsilon reached, by their ids: seed, accuracy, and what a
    guess reaches on the same test nodes (None: not known)."""

    values: Mapping[str, tuple[int, float, float | None]]

    @staticmethod
    def of(records: Iterable[RunRecord]) -> Seedwise:
        values = {}
        for one in records:
            if METRIC in one.metrics:
                guess = next((one.metrics[name] for name in GUESSES if name in one.metrics), None)
                values[one.id] = one.spec.seed, one.metrics[METRIC], guess
        return Seedwise(values=values)

    def difference(self, one: Row, other: Row, level: float = 0.95) -> tuple[float, float, float] | None:
        """By how much the one is better, with its interval: seed by seed where both have most of their seeds
        in common, else of the two means (Welch), which is rather too wide where equal seeds make results that
        are alike. Where all seeds agree it is as wide as the test nodes leave it. None where seeds are too
        few."""
        shares = one["mean"], other["mean"]
        if pairs := self._paired(one, other):
            return _opened(seeds.paired(pairs, level), shares, one["test_nodes"], level)
        mine, theirs = self._reached(one), self._reached(other)
        if min(len(mine), len(theirs)) < seeds.FEWEST:
            return None
        return _opened(seeds.difference(_summary(mine), _summary(theirs), level), shares, one["test_nodes"], level)

    def shared(self, one: Row, other: Row, level: float = 0.95) -> tuple[int, tuple[float, float, float] | None]:
        """How many seeds both have, and by how much the one is better over these alone, with its interval;
        None where they are too few."""
        mine, theirs = self._reached(one), self._reached(other)
        pairs = [(mine[seed], theirs[seed]) for seed in sorted(mine.keys() & theirs.keys())]
        if len(pairs) < seeds.FEWEST:
            return len(pairs), None
        shares = fmean(pair[0] for pair in pairs), fmean(pair[1] for pair in pairs)
        return len(pairs), _opened(seeds.paired(pairs, level), shares, one["test_nodes"], level)

    def clear(self, one: Row, other: Row, level: float = 0.95) -> bool:
        """Whether the one is clearly better: the interval of the difference lies above 0."""
        found = self.difference(one, other, level)
        return found is not None and found[1] > 0

    def above_guess(self, row: Row, level: float = 0.95) -> bool:
        """Whether it is clearly better than a guess, or no guess is known."""
        pairs = [(accuracy, guess) for _, accuracy, guess in self._of(row) if guess is not None]
        shares = row["mean"], row["guess"] or 0.0
        found = _opened(seeds.paired(pairs, level), shares, row["test_nodes"], level)
        return not pairs or (found is not None and found[1] > 0)

    def to_tell(self, one: Row, other: Row, level: float = 0.95) -> int | None:
        """With how many seeds each, all shared, one would be clearly better, if mean and spread stay as they
        are; None where not even `MOST_SEEDS` would do. Where either has fewer than `FEWEST`, these tell
        more."""
        mine, theirs = self._reached(one), self._reached(other)
        if min(len(mine), len(theirs)) < seeds.FEWEST:
            return seeds.FEWEST
        apart = [first - second for first, second in self._paired(one, other)]
        spread = stdev(apart) if apart else math.hypot(stdev(mine.values()), stdev(theirs.values()))
        if spread < NO_WIDTH:
            return None
        mean = fmean(apart) if apart else fmean(mine.values()) - fmean(theirs.values())
        for count in range(1 + min(len(mine), len(theirs)), MOST_SEEDS + 1):
            if seeds.reach(count, level) * spread < abs(mean):
                return count
        return None

    def _of(self, row: Row) -> list[tuple[int, float, float | None]]:
        return [self.values[run] for run in str(row["runs"]).split() if run in self.values]

    def _reached(self, row: Row) -> dict[int, float]:
        """The accuracy of each seed."""
        return {seed: value for seed, value, _ in self._of(row)}

    def _paired(self, one: Row, other: Row) -> list[tuple[float, float]]:
        """Both accuracies of each seed that is shared, where enough and most of them are; else nothing."""
        mine, theirs = self._reached(one), self._reached(other)
        shared = sorted(mine.keys() & theirs.keys())
        enough = len(shared) >= seeds.FEWEST and 2 * len(shared) > max(len(mine), len(theirs))
        return [(mine[seed], theirs[seed]) for seed in shared] if enough else []


def _opened(
    found: tuple[float, float, float] | None, shares: tuple[float, float], nodes: int | None, level: float
) -> tuple[float, float, float] | None:
    """The difference of two shares of the test nodes; an interval of no width, where all seeds agree, is
    opened to that of such shares (Wald), as if they were of other nodes: rather too wide."""
    if found is None or nodes is None or found[2] - found[1] > NO_WIDTH:
        return found
    error = math.sqrt(sum(share * (1 - share) for share in shares) / nodes)
    reach = NormalDist().inv_cdf((1 + level) / 2) * error
    return found[0], found[0] - reach, found[0] + reach


def _summary(reached: Mapping[int, float]) -> tuple[float, float, int]:
    values = list(reached.values())
    return fmean(values), stdev(values) / math.sqrt(len(values)), len(values)
