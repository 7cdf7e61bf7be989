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
APART = 0.05
"""By so much a method may be better or worse, as far as its seeds tell, than one that it ties with. Test
nodes that leave more than that open, with `MOST_SEEDS`, tell no tie: more seeds are no help there."""
WRONG = 0.05
"""The chance, at most, that any of the comparisons that answer one question calls clear what is not."""


def untold(share: float, nodes: int, count: int) -> float:
    """Up to which difference two accuracies near a share, of so many seeds with so many test nodes each, are
    not told apart, however well seeds agree.

    >>> round(untold(0.5, 5, 20), 2), round(untold(0.8, 1000, 3), 2)
    (0.14, 0.02)
    """
    return NormalDist().inv_cdf(0.975) * _error((share, share), nodes * count)


def too_few_nodes(row: Row) -> bool:
    """Whether not even `MOST_SEEDS` seeds on its test nodes tell what is near."""
    nodes = row["test_nodes"]
    return nodes is not None and untold(row["mean"], int(nodes), MOST_SEEDS) > APART


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
        are alike. It is never narrower than the test nodes leave it (`_opened`). None where seeds are too
        few."""
        shares = one["mean"], other["mean"]
        if pairs := self._paired(one, other):
            return _opened(seeds.paired(pairs, level), shares, _answers(one, *_columns(pairs)), level)
        mine, theirs = self._reached(one), self._reached(other)
        if min(len(mine), len(theirs)) < seeds.FEWEST:
            return None
        answers = _answers(one, mine.values(), theirs.values())
        return _opened(seeds.difference(_summary(mine), _summary(theirs), level), shares, answers, level)

    def shared(self, one: Row, other: Row, level: float = 0.95) -> tuple[int, tuple[float, float, float] | None]:
        """How many seeds both have, and by how much the one is better over these alone, with its interval;
        None where they are too few."""
        mine, theirs = self._reached(one), self._reached(other)
        pairs = [(mine[seed], theirs[seed]) for seed in sorted(mine.keys() & theirs.keys())]
        if len(pairs) < seeds.FEWEST:
            return len(pairs), None
        shares = fmean(pair[0] for pair in pairs), fmean(pair[1] for pair in pairs)
        return len(pairs), _opened(seeds.paired(pairs, level), shares, _answers(one, *_columns(pairs)), level)

    def clear(self, one: Row, other: Row, level: float = 0.95) -> bool:
        """Whether the one is clearly better: the interval of the difference lies above 0."""
        found = self.difference(one, other, level)
        return found is not None and found[1] > 0

    def above_guess(self, row: Row, level: float = 0.95) -> bool:
        """Whether it is clearly better than a guess, or no guess is known. How often a guess is right differs
        with the test nodes, so that three equal accuracies differ from it by what no seed of the model tells:
        the test nodes count here, too."""
        pairs = self._beside_guess(row)
        if not pairs:
            return True
        shares, (reached, _) = (row["mean"], row["guess"] or 0.0), _columns(pairs)
        found = _opened(seeds.paired(pairs, level), shares, _answers(row, reached), level)
        return found is not None and found[1] > 0

    def no_better_than_guess(self, row: Row) -> bool:
        """Whether there are seeds enough to ask, and its interval leaves open that a guess is as good."""
        return len(self._beside_guess(row)) >= seeds.FEWEST and not self.above_guess(row)

    def to_tell(self, one: Row, other: Row, level: float = 0.95) -> int | None:
        """With how many seeds each, all shared, one would be clearly better, if mean and spread stay as they
        are; None where not even `MOST_SEEDS` would do, or test nodes are too few. Where either has fewer than
        `FEWEST`, these tell more."""
        mine, theirs = self._reached(one), self._reached(other)
        if min(len(mine), len(theirs)) < seeds.FEWEST:
            return seeds.FEWEST
        if too_few_nodes(one) or too_few_nodes(other):
            return None
        apart = [first - second for first, second in self._paired(one, other)]
        spread = stdev(apart) if apart else math.hypot(stdev(mine.values()), stdev(theirs.values()))
        mean = fmean(apart) if apart else fmean(mine.values()) - fmean(theirs.values())
        error = _error((one["mean"], other["mean"]), one["test_nodes"])
        grows = min(_distinct(mine.values()), _distinct(theirs.values())) > 1
        return _enough(1 + min(len(mine), len(theirs)), mean, spread, level, error, grows=grows)

    def to_beat_guess(self, row: Row, level: float = 0.95) -> int | None:
        """With how many seeds it would be clearly better than a guess, if mean and spread stay as they are;
        None where not even `MOST_SEEDS` would do, or test nodes are too few. Where it has fewer than
        `FEWEST`, these tell more."""
        pairs = self._beside_guess(row)
        if len(pairs) < seeds.FEWEST:
            return seeds.FEWEST
        if too_few_nodes(row):
            return None
        apart = [reached - guess for reached, guess in pairs]
        if fmean(apart) <= 0:
            return None
        error = _error((row["mean"], row["guess"] or 0.0), row["test_nodes"])
        grows = _distinct(reached for reached, _ in pairs) > 1
        return _enough(1 + len(pairs), fmean(apart), stdev(apart), level, error, grows=grows)

    def to_narrow(self, row: Row, width: float) -> int | None:
        """With how many seeds the interval of its mean would be no wider, if the spread stays as it is; None
        where not even `MOST_SEEDS` would do, or test nodes are too few to tell anything then. Where it has
        fewer than `FEWEST`, these tell more."""
        reached = list(self._reached(row).values())
        if len(reached) < seeds.FEWEST:
            return seeds.FEWEST
        if too_few_nodes(row):
            return None
        spread = stdev(reached)
        wanted = (count for count in range(1 + len(reached), MOST_SEEDS + 1) if 2 * seeds.reach(count) * spread < width)
        return next(wanted, None)

    def _beside_guess(self, row: Row) -> list[tuple[float, float]]:
        """The accuracy of each seed, and how often a guess is right on the same nodes."""
        return [(accuracy, guess) for _, accuracy, guess in self._of(row) if guess is not None]

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
    found: tuple[float, float, float] | None, shares: tuple[float, float], answers: int | None, level: float
) -> tuple[float, float, float] | None:
    """The difference of two shares of the test nodes, with the wider of two intervals: that over seeds, and
    that of two shares of so many answers (Wald), as if they were of other nodes, which is rather too wide.
    Few seeds that agree by chance, or because a model says the same of everybody, are no certainty."""
    if found is None or answers is None:
        return found
    reach = NormalDist().inv_cdf((1 + level) / 2) * _error(shares, answers)
    return found[0], min(found[1], found[0] - reach), max(found[2], found[0] + reach)


def _error(shares: tuple[float, float], answers: int | None) -> float:
    """The standard error of the difference of two shares of so many answers; 0 where these are not known."""
    return 0.0 if answers is None else math.sqrt(sum(share * (1 - share) for share in shares) / answers)


def _answers(row: Row, *reached: Iterable[float]) -> int | None:
    """How many answers of its own a setting gave: those of seeds with the same accuracy count once."""
    nodes = row["test_nodes"]
    return None if nodes is None else int(nodes) * min(map(_distinct, reached))


def _distinct(reached: Iterable[float]) -> int:
    return len(set(reached))


def _columns(pairs: Iterable[tuple[float, float]]) -> tuple[list[float], list[float]]:
    held = list(pairs)
    return [one for one, _ in held], [other for _, other in held]


def _enough(first: int, mean: float, spread: float, level: float, error: float, *, grows: bool) -> int | None:
    """With how many seeds from `first` on an interval would leave 0 out: that over seeds and, with the
    standard `error` of one seed's test nodes, that of all their answers, which `grows` with the seeds; None
    where not even with `MOST_SEEDS`, or where all differ alike, so that nothing tells the spread."""
    if spread < seeds.NO_WIDTH:
        return None
    nodes = NormalDist().inv_cdf((1 + level) / 2) * error
    for count in range(first, MOST_SEEDS + 1):
        if max(seeds.reach(count, level) * spread, nodes / math.sqrt(count if grows else 1)) < abs(mean):
            return count
    return None


def _summary(reached: Mapping[int, float]) -> tuple[float, float, int]:
    values = list(reached.values())
    return fmean(values), stdev(values) / math.sqrt(len(values)), len(values)
