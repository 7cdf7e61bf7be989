"""What finished runs of a comparison say: what to take, and how sure that is. No Streamlit."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privgraph.options import listed
from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words.numbers import percent

HIDES = {"edge": "edges", "node": "people"}
UNITS = {"edge": "one edge", "node": "one person with everything about them"}
BLIND = "mlp"
"""A model that reads no edge: it hides all of them, and needs no noise for it."""
WIDE = 0.3
"""An interval as wide as that says too little to choose by."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What to take, and why, in sentences; `method` is None where nothing can be recommended, and a model
    that reads no edge where edges are to be hidden and nothing is clearly better. `runner_up` is the next
    best, None where there is none; `short` has both in a line. beats: enough has run, and at every budget the
    method is clearly better than a model that reads no edge, as far as one has run."""

    method: str | None
    runner_up: str | None
    sentences: tuple[str, ...]
    short: str = ""
    beats: bool = True

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def verdict(records: Sequence[RunRecord], unit: str, expected: Sequence[str] = ()) -> Verdict:
    """What the finished runs of a comparison say, also before all of them are finished: methods that share no
    epsilon with the others are left out, and named, and so are those `expected` that have not run.

    The method with the highest accuracy, averaged over the epsilons at which all were trained, is taken, if
    its interval over seeds lies above that of a model that reads no edge. It is said where the runner-up
    cannot be told from it (their intervals overlap at every epsilon), what privacy costs, and where too
    little has run to say anything.
    """
    rows = [row for row in tradeoff.data(records) if not row["variant"]]
    private = [row for row in rows if row["unit"] == unit and row["asked"] is not None and row["method"] != BLIND]
    at = {(row["method"], row["asked"]): row for row in private}
    methods = list(dict.fromkeys(row["method"] for row in private))
    if not methods:
        return Verdict(method=None, runner_up=None, sentences=("No method has a finished run yet.",))
    absent = [METHODS[name].title for name in expected if name not in methods]
    epsilons = {name: {epsilon for one, epsilon in at if one == name} for name in methods}
    apart: list[str] = []
    while not (common := sorted(set.intersection(*(epsilons[name] for name in methods)))):
        apart.append(min(methods, key=lambda name: len(epsilons[name])))
        methods.remove(apart[-1])
    means = {name: statistics.mean(at[name, epsilon]["mean"] for epsilon in common) for name in methods}
    order = sorted(methods, key=lambda name: -means[name])
    best, second = order[0], order[1] if len(order) > 1 else None
    title = METHODS[best].title
    low, high = at[best, common[0]], at[best, common[-1]]
    reached = f"{percent(low['mean'])} at ε {common[0]:g}"
    further = f"{percent(high['mean'])} at ε {common[-1]:g}" if len(common) > 1 else ""
    blind = next((row for row in rows if row["method"] == BLIND and row["unit"] == "none"), None)
    worse = _no_better(best, at, common, blind)
    never = len(worse) == len(common)
    thin = _thin(best, at, common, absent, len(expected))
    instead = never and unit == "edge" and not thin
    said = [f"Too little has run to choose by: {thin}."] if thin else []
    if instead and blind is not None:
        said.append(
            f"Take the model that ignores edges ({percent(blind['mean'])}): it hides every edge without noise, and "
            f"{title}, the best that adds noise, is not clearly better at any ε tried."
        )
    elif never and not thin:
        said.append(f"{title} is the best, and not worth its price.")
    else:
        said.append(f"{title} is the best so far." if thin else f"Take {title}.")
    subject = title if instead else "It"
    said.append(f"{subject} protects {UNITS[unit]}, and reaches {' and '.join(filter(None, (reached, further)))}.")
    if second is not None:
        said.append(_beside(best, second, at, common, means))
    said += _beside_blind(title, unit, worse, common, blind)
    if apart:
        said.append(f"Not compared, for they share no ε with these: {', '.join(METHODS[one].title for one in apart)}.")
    if absent:
        said.append(f"Not run yet: {', '.join(absent)}.")
    network = next((row for row in rows if row["method"] == "gnn"), None)
    if network is not None:
        cost = network["mean"] - high["mean"]
        said.append(
            f"Privacy at ε {common[-1]:g} costs {_points(cost)} of accuracy beside a network without it "
            f"({percent(network['mean'])})."
            if cost > 0
            else f"At ε {common[-1]:g} {title} is as good as a network without privacy ({percent(network['mean'])})."
        )
    seeds = min(at[name, epsilon]["seeds"] for name in methods for epsilon in common)
    said.append(
        f"Means over {seeds} seed{'s' * (seeds != 1)}{' or more' * (seeds < _most(at))}, measured on test labels: the "
        "choice itself reads private data, and no ε here pays for it; decide on a public graph that is like yours, or "
        "treat it as an assumption."
    )
    told = ", ".join(filter(None, (reached, further)))
    if thin:
        short = f"Too little has run to say what hides {HIDES[unit]} best: {thin}. So far {title} reached {told}."
        return Verdict(method=best, runner_up=second, sentences=tuple(said), short=short, beats=False)
    short = f"To hide {HIDES[unit]}, take {title}: {told}."
    if never and blind is not None:
        others = _others_beat(order[1:], at, common, blind)
        short = (
            f"To hide edges, take the model that ignores them: {_with_interval(blind)} without any noise. {title} is "
            f"the best that adds noise ({told}), and does not clearly beat it at any ε tried. {others}"
            if instead
            else f"To hide {HIDES[unit]}, {title} is the best on average ({told}), and does not clearly beat a model "
            f"that reads no edge ({percent(blind['mean'])}) at any ε tried. {others}"
        ).rstrip()
    if second is not None:
        unsure = not any(_clear(at[best, epsilon], at[second, epsilon]) for epsilon in common)
        behind = f" {METHODS[second].title} is {_points(means[best] - means[second])} behind {title} on average"
        short += behind + (", and cannot be told from it." if unsure else ".")
    if worse and not never and blind is not None:
        short += f" {title} does not clearly beat a model that reads no edge ({percent(blind['mean'])})"
        short += f" at ε {_epsilons(worse)}."
    if absent:
        short += f" Not run yet: {', '.join(absent)}."
    if instead:
        return Verdict(method=BLIND, runner_up=best, sentences=tuple(said), short=short, beats=False)
    return Verdict(method=best, runner_up=second, sentences=tuple(said), short=short, beats=not worse)


At = Mapping[tuple[str, float], Row]


def _most(at: At) -> int:
    return max(int(row["seeds"]) for row in at.values())


def _points(share: float) -> str:
    """A difference of two percentages."""
    return f"{100 * share:.1f} points"


def _epsilons(found: Sequence[float]) -> str:
    return ", ".join(f"{one:g}" for one in found)


def _with_interval(row: Row) -> str:
    span = "" if row["low"] is None else f" (95% over seeds: {percent(row['low'])} to {percent(row['high'])})"
    return f"{percent(row['mean'])}{span}"


def _thin(best: str, at: At, common: Sequence[float], absent: Sequence[str], expected: int) -> str:
    """Why nothing can be chosen yet: half of the methods have not run, or nobody knows how good the best one
    is; "" where something can."""
    held = [at[best, epsilon] for epsilon in common if at[best, epsilon]["low"] is not None]
    surest = min(held, key=lambda row: float(row["high"] - row["low"]), default=None)
    reasons = []
    if 2 * len(absent) >= max(1, expected):
        reasons.append(f"{listed(absent)} {'have' if len(absent) > 1 else 'has'} not run")
    if surest is None:
        reasons.append(f"{METHODS[best].title}, the best so far, has fewer than three seeds")
    elif surest["high"] - surest["low"] > WIDE:
        ends = f"{percent(surest['low'])} to {percent(surest['high'])}"
        reasons.append(f"over seeds, {METHODS[best].title}, the best so far, has an interval of {ends}")
    return "; ".join(reasons)


def _beside(best: str, second: str, at: At, common: Sequence[float], means: Mapping[str, float]) -> str:
    """How far ahead of the runner-up it is."""
    span = f"ε {common[0]:g}" if len(common) == 1 else f"ε from {common[0]:g} to {common[-1]:g}"
    apart_at = [epsilon for epsilon in common if _clear(at[best, epsilon], at[second, epsilon])]
    title, lead = METHODS[second].title, _points(means[best] - means[second])
    if not apart_at:
        return (
            f"The runner-up is {title}, {lead} behind on average over {span}: over so few seeds the two cannot be told "
            "apart."
        )
    return f"The runner-up is {title}, {lead} behind on average over {span}, and clearly so at ε {_epsilons(apart_at)}."


def _clear(one: Row, other: Row) -> bool:
    """Whether the interval of one lies above that of the other; where the other has too few seeds for one,
    above its mean."""
    end = other["mean"] if other["high"] is None else other["high"]
    return one["low"] is not None and bool(one["low"] > end)


def _no_better(name: str, at: At, common: Sequence[float], blind: Row | None) -> list[float]:
    """The budgets at which it is not clearly better than a model that reads no edge."""
    return [] if blind is None else [epsilon for epsilon in common if not _clear(at[name, epsilon], blind)]


def _others_beat(others: Sequence[str], at: At, common: Sequence[float], blind: Row) -> str:
    """Which of the other methods clearly beats a model that reads no edge, and where."""
    better = {name: [one for one in common if one not in _no_better(name, at, common, blind)] for name in others}
    said = [f"{METHODS[name].title} does at ε {_epsilons(where)}" for name, where in better.items() if where]
    return f"{', '.join(said)}." if said else "Nor does any other method." * bool(others)


def _beside_blind(
    title: str, unit: str, worse: Sequence[float], common: Sequence[float], blind: Row | None
) -> list[str]:
    """Where a model that reads no edge may be as good, and hides every edge without noise."""
    if blind is None:
        return []
    if not worse:
        return [f"A model that reads no edge reaches {percent(blind['mean'])}: edges are worth their price here."]
    many = "at any ε tried" if len(worse) == len(common) else f"at ε {_epsilons(worse)}"
    hides = (
        " That model needs no noise to hide edges, for it reads none: take it there."
        if unit == "edge"
        else " That model protects nobody's features or label, though."
    )
    return [f"{title} does not clearly beat a model that reads no edge, {_with_interval(blind)}, {many}.{hides}"]
