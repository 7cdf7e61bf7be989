"""How well a run will do, before it begins: what finished runs of the same kind on the same graph have
reached, and how long they took. No Streamlit, no torch."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from privgraph.data.catalogue import dataset
from privgraph.data.spec import PublicFacts
from privgraph.methods.base import Plan
from privgraph.options import OptionError, Scalar, UnknownName
from privgraph.registry import METHODS, MethodSpec
from privgraph.runs.graph_id import GraphId
from privgraph.runs.queueing import STACK_LIMIT
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph_workbench.advice import BASELINE as BLIND
from privgraph_workbench.facts.references import GUARANTEE, chance, parts, without_privacy
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.sweeps import START_SECONDS
from privgraph_workbench.words import differences
from privgraph_workbench.words.naming import nodes_of, setting

MOST = 2000
"""Runs that are looked through at most, the newest first."""
BEYOND = 4
BEYOND_RUNS = ("below", "above")
"""Where a budget lies that no run is near: what it gives is unknown, though `at` names the nearest."""
RELATIONS = "relation prediction"
METRIC = "test_accuracy"


@dataclass(frozen=True, kw_only=True)
class Reached:
    """An accuracy over seeds."""

    epsilon: float | None
    """That was asked for; None: no noise."""
    mean: float
    low: float | None
    """End of the 95% interval; None for fewer than three seeds."""
    high: float | None
    records: tuple[RunRecord, ...]

    @property
    def seeds(self) -> int:
        return len(self.records)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval over seeds; of fewer than three runs the widest that their test nodes leave, None
        where these are not known."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        found = [chance(one.metrics) for one in self.records]
        known = [one for one in found if one is not None]
        return (min(one.low for one in known), max(one.high for one in known)) if len(known) == len(found) else None


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The accuracy to expect at an epsilon, with its interval as far as that is known. `how`: "measured"
    there; "between" two measured ones; "below" or "above" all of them, where it is that of the nearest.
    `near` are the measured ones that it comes from."""

    mean: float
    how: str
    near: tuple[Reached, ...]
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What finished runs say of a method on a graph: accuracy by epsilon, ascending, and what to read it
    beside (None: nobody knows). `differs` are the options, by their labels, in which these runs are not what
    is asked for."""

    points: tuple[Reached, ...] = ()
    majority: float | None = None
    blind: Reached | None = None
    bare: Reached | None = None
    differs: tuple[str, ...] = ()
    relations: bool = False

    def at(self, epsilon: float | None) -> Expected | None:
        """What to expect with that budget; None where no run tells. Between two measured budgets it is taken
        to be straight over the logarithm of epsilon."""
        if not self.points:
            return None
        first, last = self.points[0], self.points[-1]
        if epsilon is None or first.epsilon is None or last.epsilon is None:
            return _expected(first, "measured")
        for point in self.points:
            if point.epsilon is not None and math.isclose(point.epsilon, epsilon):
                return _expected(point, "measured")
        if epsilon < first.epsilon:
            return _expected(first, "below")
        if epsilon > last.epsilon:
            return _expected(last, "above")
        place = next(at for at, point in enumerate(self.points) if (point.epsilon or 0) > epsilon)
        left, right = self.points[place - 1], self.points[place]
        assert left.epsilon is not None  # as the first and the last have one
        assert right.epsilon is not None
        share = math.log(epsilon / left.epsilon) / math.log(right.epsilon / left.epsilon)

        def between(one: float, other: float) -> float:
            return one + share * (other - one)

        low = high = None
        if (ends := left.interval) is not None and (others := right.interval) is not None:
            low, high = between(ends[0], others[0]), between(ends[1], others[1])
        mean = between(left.mean, right.mean)
        return Expected(mean=mean, how="between", near=(left, right), low=low, high=high)

    def told(self, epsilon: float | None) -> Expected | None:
        """What to expect with that budget as far as runs of exactly these options speak of it: None below and
        above all measured budgets, and where the runs have other options."""
        at = self.at(epsilon)
        return None if at is None or self.differs or at.how in BEYOND_RUNS else at


def _expected(one: Reached, how: str) -> Expected:
    low, high = one.interval or (None, None)
    return Expected(mean=one.mean, how=how, near=(one,), low=low, high=high)


def finished(store: RunStore, methods: Iterable[str], graph: str = "") -> tuple[RunRecord, ...]:
    """The finished runs of these methods that can be read, on that data set or on any."""
    return _finished(store, tuple(methods), graph, store.done_mark(), store.evidence_mark())


@lru_cache(maxsize=32)
def _finished(
    store: RunStore, methods: tuple[str, ...], graph: str, *_marks: tuple[float | None, ...]
) -> tuple[RunRecord, ...]:
    query = RunQuery(methods=methods, datasets=(graph,) if graph else (), states=("done",), limit=MOST)
    return tuple(one for one in store.find(query) if not one.unreadable)


def of_setting(record: RunRecord, found: Iterable[RunRecord]) -> list[RunRecord]:
    """The measured runs of the setting of `record` among `found`, and itself, by seed.

    Trials of a tuning are not among them: the price of the tuning holds where neither what was tried and not
    released is told, nor how many were.
    """
    others = (one for one in found if record.tuning is None and one.tuning is None and METRIC in one.metrics)
    same = {one.id: one for one in (record, *others) if setting(one) == setting(record)}
    return sorted(same.values(), key=lambda one: (one.spec.seed, one.id))


def outlook(records: Sequence[RunRecord], spec: RunSpec) -> Outlook:
    """What the finished runs among `records` say of a run like `spec`, whatever its epsilon and seed."""
    here = [one for one in records if METRIC in one.metrics and GraphId.of(one.spec) == GraphId.of(spec)]
    own = [one for one in here if one.spec.method == spec.method and one.spec.unit == spec.unit]
    if spec.unit != "none":
        own = [one for one in own if one.spec.asked_epsilon is not None]
    chosen, differs = _nearest(own, spec.options, spec.asked_epsilon)
    method = METHODS[spec.method]
    return Outlook(
        points=_by_epsilon(chosen),
        majority=_majority(chosen or ([] if method.own_parts else here), method),
        blind=None if method.own_parts or BLIND in (spec.method, method.without_privacy) else _one(here, BLIND),
        bare=_bare(here, spec),
        differs=differs,
        relations=RELATIONS in method.tasks,
    )


def _nearest(
    records: Sequence[RunRecord], options: Mapping[str, Scalar], epsilon: float | None = None
) -> tuple[list[RunRecord], tuple[str, ...]]:
    """Those whose options are nearest to these, all with the same options but epsilon; and the labels of the
    options in which they differ from these. Runs beyond whose budgets `epsilon` lies count as if they
    differed in `BEYOND` options more."""
    groups: dict[tuple[tuple[str, Scalar], ...], list[RunRecord]] = {}
    domains = _domains(records[0].spec.dataset) if records else ()
    for one in records:
        groups.setdefault(_loose(one.spec.options, domains), []).append(one)
    if not groups:
        return [], ()
    asked = dict(_loose(options, domains))

    def away(key: tuple[tuple[str, Scalar], ...]) -> list[str]:
        held = dict(key)
        return sorted(name for name in asked.keys() | held.keys() if asked.get(name) != held.get(name))

    def beyond(key: tuple[tuple[str, Scalar], ...]) -> bool:
        held = [one.spec.asked_epsilon for one in groups[key] if one.spec.asked_epsilon is not None]
        return epsilon is not None and bool(held) and not min(held) <= epsilon <= max(held)

    best = min(groups, key=lambda key: (len(away(key)) + BEYOND * beyond(key), -len(groups[key])))
    method = groups[best][0].spec.method
    return groups[best], tuple(differences.title(name, (method,)) for name in away(best))


def _loose(options: Mapping[str, Scalar], domains: Sequence[str] = ()) -> tuple[tuple[str, Scalar], ...]:
    """What the accuracy hangs on besides the budget: of relations the two domains by their names though they
    are left to the method, and not `shots`, whose relations are another result's."""
    found = {name: value for name, value in options.items() if name not in (*GUARANTEE, "unit")}
    if "tested_on" in found and len(domains) > 1:
        learnt = found["trained_on"] = found.get("trained_on") or domains[0]
        found["tested_on"] = found["tested_on"] or next(one for one in domains if one != learnt)
        found.pop("shots", None)
    return tuple(sorted(found.items()))


def _domains(name: str) -> tuple[str, ...]:
    try:
        return dataset(name).domains
    except UnknownName:
        return ()


def _by_epsilon(records: Sequence[RunRecord]) -> tuple[Reached, ...]:
    by: dict[float | None, list[RunRecord]] = {}
    for one in records:
        by.setdefault(one.spec.asked_epsilon if one.spec.unit != "none" else None, []).append(one)
    return tuple(reached(by[epsilon], epsilon) for epsilon in sorted(by, key=lambda one: one or 0.0))


def reached(records: Sequence[RunRecord], epsilon: float | None = None) -> Reached:
    """The accuracy of these runs, of which there is at least one."""
    values = [one.metrics[METRIC] for one in records]
    mean, low, high = confidence(values, most=1.0)
    return Reached(epsilon=epsilon, mean=mean, low=low, high=high, records=tuple(records))


def _majority(records: Sequence[RunRecord], method: MethodSpec) -> float | None:
    name = "guessing_accuracy" if RELATIONS in method.tasks else "majority_class_accuracy"
    found = [one.metrics[name] for one in records if name in one.metrics]
    return statistics.fmean(found) if found else None


def _one(here: Sequence[RunRecord], method: str) -> Reached | None:
    """A method without protection, with the options that most of its runs have."""
    open_ = [one for one in here if one.spec.method == method and one.spec.unit == "none"]
    chosen, _ = _nearest(open_, open_[0].spec.options if open_ else {})
    return reached(chosen) if chosen else None


def _bare(here: Sequence[RunRecord], spec: RunSpec) -> Reached | None:
    """The same without privacy; where the method draws its own parts, on the same parts or not at all."""
    try:
        wanted = without_privacy(spec)
    except (OptionError, UnknownName):  # of an earlier version, with options that are admitted no more
        return None
    if wanted is None:
        return None
    same = parts(spec) if wanted.method != spec.method else {}
    open_ = [
        one
        for one in here
        if one.spec.method == wanted.method
        and one.spec.unit == "none"
        and all(one.spec.options.get(name) == value for name, value in same.items())
    ]
    chosen, differs = _nearest(open_, wanted.options)
    return None if not chosen or (differs and METHODS[wanted.method].own_parts) else reached(chosen)


# How long it takes


def seconds(
    plans: Sequence[Plan],
    spec: RunSpec,
    known: Sequence[RunRecord],
    facts_of: Callable[[RunSpec], PublicFacts | None],
    seeds: int,
    workers: int,
) -> float | None:
    """About how long runs of these plans take, each with so many seeds; None where no finished run tells.

    By finished runs of the method, on the same data if there are any: their times are taken to grow with
    nodes and steps. The time of one that was trained together with others is that of all of them.
    """
    own = [one for one in known if one.spec.method == spec.method and one.seconds]
    own = [one for one in own if one.spec.dataset == spec.dataset] or own
    paces = [pace for one in own[:50] if (pace := _pace(one, facts_of(one.spec)))]
    if not paces or not plans:
        return None
    count = len(plans) * seeds
    times = math.ceil(count / STACK_LIMIT) if type(plans[0].config).stacks else count
    work = statistics.fmean(plan.facts.nodes * plan.steps for plan in plans)
    return times * (statistics.median(paces) * work + START_SECONDS) / min(times, max(1, workers))


def _pace(record: RunRecord, facts: PublicFacts | None) -> float | None:
    """Seconds for one node and step."""
    nodes = nodes_of(record)
    if facts is None or not nodes or not record.seconds:
        return None
    try:
        steps = record.spec.config().work(facts, 1.0).steps
    except (OptionError, ValueError, ZeroDivisionError, UnknownName):  # of another version, or with noise of its own
        return None
    return record.seconds / (nodes * steps) if steps else None
