"""Which method to take at which epsilon: one rule over the table of runs. No Streamlit.

Two methods differ significantly where the 95% interval of their difference leaves out 0: paired over shared
seeds where most are shared (Student), else of two means (Welch 1947), and never narrower than the test nodes
allow (Wald). At each epsilon two families of comparisons, with the baseline and with the best method, each
have a chance of at most 5% of a wrong answer (Bonferroni; for the best, Hsu 1984).
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

import numpy as np
import pandas as pd
from scipy import stats

from privgraph.privacy.kinds import Neighbours, Release
from privgraph.registry import METHODS
from privgraph_workbench.summary import FEWEST, confidence
from privgraph_workbench.text import texts

BASELINE = "mlp"
"""The method that reads no edge, and so hides every one."""
NETWORK = "gnn"
"""The network without privacy from which costs are counted."""
WRONG = 0.05
_OPT_OUT = (Neighbours.FROZEN_ROSTER, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES)


class Outcome(StrEnum):
    """What the runs at one epsilon say."""

    TAKE = "take"
    """One method is significantly the best."""
    OPEN = "open"
    """Several beat the baseline, and no one of them all others."""
    BASELINE = "baseline"
    """None beats the baseline, or what a smaller epsilon gave."""
    UNKNOWN = "unknown"
    """Too few seeds."""


class Verdict(StrEnum):
    """How one method compares at one epsilon."""

    BEST = "best"
    """Significantly better than every other."""
    TIED = "not significant"
    """Does not differ significantly from the best."""
    WORSE = "worse"
    """Significantly worse than the best."""
    BASELINE = "no gain"
    """Does not beat the baseline."""
    FEW = "too few seeds"
    REFERENCE = "baseline"
    """The model that reads no edge."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """One method at one epsilon: columns of `[advice]` in text/columns.toml, the method by its name."""

    method: str
    accuracy: float
    low: float
    high: float
    seeds: int
    cost: float | None
    cost_low: float | None
    cost_high: float | None
    verdict: Verdict
    promise: str


@dataclass(frozen=True, kw_only=True)
class Advice:
    """What the runs of one graph say at one epsilon."""

    epsilon: float
    outcome: Outcome
    take: tuple[str, ...]
    """The best method and those that do not differ significantly, or the baseline (none for people)."""
    at: float
    """The epsilon at which to take it: a smaller one where nothing here beats what that gave."""
    methods: tuple[Method, ...]
    """By accuracy, the highest first; the baseline last."""


def advise(frame: pd.DataFrame, unit: str) -> list[Advice]:
    """Decide at each epsilon at which two or more methods have run.

    Methods that hide edges are compared with a model that reads none, those that hide people with a guess.
    Each method is taken at its most frequent options, and only where its sound epsilon keeps the target.

    Args:
        frame: What `summary.runs` returns, of one graph and one source.
        unit: "edge" or "node".
    """
    apart = [name for name, one in METHODS.items() if one.own_parts and one.tasks == ("node classification",)]
    frame = frame[~frame.method.isin(apart)]  # which answer about nodes of their own choice
    frame = _usual(frame.dropna(subset=["accuracy"]))
    network = _network(frame)
    free = frame[(frame.method == BASELINE) & (frame.unit == "none")] if unit == "edge" else frame.iloc[:0]
    if len(free) and not better(free, _guess(free)):
        free = free.iloc[:0]
    private = frame[(frame.unit == unit) & (frame.epsilon <= frame.asked) & (frame.method != BASELINE)]
    network = network[network.test_nodes.isin(private.test_nodes.unique())]
    found: list[Advice] = []
    kept: list[tuple[float, pd.DataFrame]] = []
    for epsilon in sorted(private.asked.unique()):
        here = private[private.asked == epsilon]
        held = {str(name): rows for name, rows in here.groupby("method")}
        if len(held) > 1:
            one, best = _decide(float(epsilon), held, free, network, kept)
            found.append(one)
            kept += [] if best is None else [(float(epsilon), best)]
    return found


def _decide(
    epsilon: float,
    held: dict[str, pd.DataFrame],
    free: pd.DataFrame,
    network: pd.DataFrame,
    kept: Sequence[tuple[float, pd.DataFrame]],
) -> tuple[Advice, pd.DataFrame | None]:
    order = sorted(held, key=lambda name: -held[name].accuracy.mean())
    enough = [name for name in order if len(held[name]) >= FEWEST]
    level, rest = _together(len(held)), _together(len(held) - 1)
    useful = [name for name in enough if better(held[name], free if len(free) else _guess(held[name]), level)]
    beaten = {name for name in useful if any(better(held[one], held[name], rest) for one in useful)}
    taken: tuple[str, ...] = (BASELINE,) if enough and len(free) else ()
    at, best, outcome = epsilon, None, Outcome.BASELINE if enough else Outcome.UNKNOWN
    if useful:
        open_ = [name for name in useful if name not in beaten]
        first = min(open_, key=lambda name: (len(missing(held[name])), order.index(name)))
        taken = (first, *(one for one in useful if one != first and not better(held[first], held[one], rest)))
        best, mean = held[first], held[first].accuracy.mean()
        unsure = (one for one in enough if one not in useful and held[one].accuracy.mean() > mean)
        taken += tuple(one for one in unsure if not better(best, held[one], rest))
        outcome = Outcome.TAKE if len(taken) == 1 else Outcome.OPEN
    before = max(
        (one for one in kept if best is None or missing(one[1]) <= missing(best)),
        key=lambda one: float(one[1].accuracy.mean()),
        default=None,
    )
    lost = before is not None and (best is None or best.accuracy.mean() < before[1].accuracy.mean())
    if enough and before is not None and lost and not any(better(held[name], before[1], level) for name in enough):
        at, taken, outcome, best = before[0], (str(before[1].method.iloc[0]),), Outcome.BASELINE, None

    def verdict(name: str) -> Verdict:
        if name in taken and (name in useful or best is not None):
            return Verdict.BEST if len(taken) == 1 else Verdict.TIED
        if name not in useful:
            return Verdict.BASELINE if name in enough else Verdict.FEW
        return Verdict.WORSE if name in beaten else Verdict.TIED

    methods = [_method(name, held[name], network, verdict(name)) for name in order]
    if len(free):
        methods.append(_method(BASELINE, free, network, Verdict.REFERENCE))
    return Advice(epsilon=epsilon, outcome=outcome, take=taken, at=at, methods=tuple(methods)), best


def _method(name: str, rows: pd.DataFrame, network: pd.DataFrame, verdict: Verdict) -> Method:
    mean, low, high = (math.nan if one is None else one for one in confidence([*rows.accuracy], most=1.0))
    lost = difference(network, rows) if len(network) else None
    cost = [100 * one for one in lost] if lost else [None] * 3
    return Method(
        method=name,
        accuracy=mean,
        low=low,
        high=high,
        seeds=rows.seed.nunique(),
        cost=cost[0],
        cost_low=cost[1],
        cost_high=cost[2],
        verdict=verdict,
        promise=", ".join(sorted(missing(rows))),
    )


def table(found: Sequence[Advice]) -> pd.DataFrame:
    """A row for each method at each epsilon; the columns are those of `[advice]` in text/columns.toml."""
    rows = [{"epsilon": at.epsilon, **asdict(one)} for at in found for one in at.methods]
    titles = {name: one.title for name, one in METHODS.items()}
    return pd.DataFrame(rows, columns=list(texts("columns")["advice"])).replace({"method": titles})


def difference(one: pd.DataFrame, other: pd.DataFrame, level: float = 0.95) -> tuple[float, float, float] | None:
    """By how much the runs of one setting are more accurate than those of another (mean, low, high); None for
    too few seeds."""
    mine, theirs = (dict(zip(frame.seed, frame.accuracy, strict=True)) for frame in (one, other))
    shared = sorted(mine.keys() & theirs.keys())
    if len(shared) >= FEWEST and 2 * len(shared) > max(len(mine), len(theirs)):
        x, y = (np.array([held[seed] for seed in shared]) for held in (mine, theirs))
        samples = [x - y]
    elif min(len(mine), len(theirs)) >= FEWEST:
        x, y = np.array([*mine.values()]), np.array([*theirs.values()])
        samples = [x, y]
    else:
        return None
    parts = [float(values.var(ddof=1)) / len(values) for values in samples]
    total, reach = sum(parts), 0.0
    if total:  # the degrees of freedom of Welch are for one sample those of Student
        freedom = total**2 / sum(part**2 / (len(values) - 1) for part, values in zip(parts, samples, strict=True))
        reach = float(stats.t.ppf((1 + level) / 2, freedom)) * math.sqrt(total)
    guess = one.run.equals(other.run)  # of the same runs, so that its agreement over seeds tells nothing
    distinct = len(set(x)) if guess else min(len(set(x)), len(set(y)))  # seeds that agree count once
    if (answers := float(one.test_nodes.iloc[0]) * distinct) > 0:
        spread = sum(mean * (1 - mean) for mean in (one.accuracy.mean(), other.accuracy.mean()))
        reach = max(reach, float(stats.norm.ppf((1 + level) / 2) * math.sqrt(spread / answers)))
    mean = float(x.mean() - y.mean())
    return mean, mean - reach, mean + reach


def better(one: pd.DataFrame, other: pd.DataFrame, level: float = 0.95) -> bool:
    """Whether one setting is significantly more accurate than another; also where the other is not known."""
    if not len(other) or other.accuracy.isna().all():
        return True
    found = difference(one, other, level)
    return found is not None and found[1] > 0


def missing(rows: pd.DataFrame) -> frozenset[str]:
    """What the promise of a setting to a person leaves out: people who were never there, and predictions."""
    first = rows.iloc[0]
    if first.unit != "node":
        return frozenset()
    found = {"opt-out only"} if first.neighbours in {one.value for one in _OPT_OUT} else set()
    found |= {"one of two records"} if first.neighbours == Neighbours.REPLACED_RECORD.value else set()
    return frozenset(found | ({"weights only"} if first.release == Release.WEIGHTS.value else set()))


def _usual(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs of each method and unit at its most frequent options."""
    if frame.empty:
        return frame
    usual = frame.groupby(["method", "unit"]).options.transform(lambda held: held.mode().iloc[0])
    return frame[frame.options == usual]


def _network(frame: pd.DataFrame) -> pd.DataFrame:
    """The network without privacy; where none has run, the best method that reads edges without its noise."""
    bare = frame[(frame.unit == "none") & (frame.method != BASELINE)]
    plain = bare[bare.method == NETWORK]
    if len(plain) or bare.empty:
        return plain
    reads = bare[[METHODS[name].uses_edges if name in METHODS else False for name in bare.method]]
    return reads[reads.method == reads.groupby("method").accuracy.mean().idxmax()] if len(reads) else reads


def _guess(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(accuracy=rows.guess)


def _together(comparisons: int) -> float:
    """The level of each interval where so many comparisons answer one question."""
    return max(0.95, 1 - 2 * WRONG / max(1, comparisons))
