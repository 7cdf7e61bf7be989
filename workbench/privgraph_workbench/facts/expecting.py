"""How well a run will do, before it begins: by finished runs on the same graph."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from privgraph.data.catalogue import dataset
from privgraph.options import OptionError, Scalar, UnknownName
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph_workbench.advice import BASELINE
from privgraph_workbench.facts.references import GUARANTEE, parts, without_privacy
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.settings import setting_rows
from privgraph_workbench.words import settings
from privgraph_workbench.words.naming import RELATIONS, titled

MOST = 2000
"""Runs that are looked through at most, the newest first."""
BEYOND = 4
"""A setting whose budgets lie all on one side counts as if it differed in so many options more."""
METRIC = "test_accuracy"
ENDS = ("mean", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What finished runs say of a method on a graph: rows of settings (`settings.setting_rows`)."""

    points: tuple[Row, ...] = ()
    """Of the method, by ascending target epsilon."""
    majority: float | None = None
    """The accuracy of guessing."""
    blind: Row | None = None
    """Of a model that reads no edge."""
    bare: Row | None = None
    """Of the same method without privacy, or of what stands in for it."""
    differs: tuple[str, ...] = ()
    """Labels of the options in which `points` are not what is asked for."""
    relations: bool = False

    def expected(self, epsilon: float | None) -> Row | None:
        """Mean, low, high and seeds at a budget, straight over the logarithm of epsilon between two measured
        ones; None beyond them, and where no run of these options tells."""
        if not self.points or self.differs:
            return None
        if epsilon is None or self.points[0]["asked"] is None:
            return self.points[0]
        for one in self.points:
            if math.isclose(one["asked"], epsilon):
                return one
        place = sum(one["asked"] < epsilon for one in self.points)
        if place in (0, len(self.points)):
            return None
        left, right = self.points[place - 1], self.points[place]
        share = math.log(epsilon / left["asked"]) / math.log(right["asked"] / left["asked"])
        known = left["low"] is not None and right["low"] is not None
        row = {end: left[end] + share * (right[end] - left[end]) for end in (ENDS if known else ENDS[:1])}
        return {"low": None, "high": None, **row, "seeds": min(left["seeds"], right["seeds"])}


def known(store: RunStore, methods: Iterable[str], graph: str = "") -> tuple[list[RunRecord], list[Row]]:
    """The finished runs of these methods that can be read, on that data set or on any, and their settings."""
    return _known(store, tuple(methods), graph, store.done_mark(), store.evidence_mark())


@lru_cache(maxsize=32)
def _known(
    store: RunStore, methods: tuple[str, ...], graph: str, *_marks: tuple[float | None, ...]
) -> tuple[list[RunRecord], list[Row]]:
    query = RunQuery(methods=methods, datasets=(graph,) if graph else (), states=("done",), limit=MOST)
    records = [one for one in store.find(query) if not one.unreadable]
    return records, setting_rows(records)


def beside(store: RunStore, spec: RunSpec) -> tuple[list[RunRecord], list[Row]]:
    """The same of the run's method and of what it is read beside, on its data."""
    return known(store, dict.fromkeys((spec.method, METHODS[spec.method].without_privacy, BASELINE)), spec.dataset)


def outlook(rows: Iterable[Row], spec: RunSpec) -> Outlook:
    """What settings of finished runs say of a run like `spec`, whatever its epsilon and seed."""
    graph, method = titled(spec.dataset, GraphId.of(spec).words()), METHODS[spec.method]
    here = [row for row in rows if row["graph"] == graph]
    own = [row for row in here if row["method"] == spec.method and row["unit"] == spec.unit]
    if spec.unit != "none":
        own = [row for row in own if row["asked"] is not None]
    chosen, differs = _nearest(own, spec)
    guesses = [row["guess"] for row in chosen or ([] if method.own_parts else here) if row["guess"] is not None]
    open_ = [row for row in here if row["method"] == BASELINE and row["unit"] == "none"]
    apart = method.own_parts or BASELINE in (spec.method, method.without_privacy)
    return Outlook(
        points=tuple(sorted(chosen, key=lambda row: row["asked"] or 0.0)),
        majority=statistics.fmean(guesses) if guesses else None,
        blind=None if apart else max(open_, key=lambda row: row["seeds"], default=None),
        bare=_bare(here, spec),
        differs=differs,
        relations=RELATIONS in method.tasks,
    )


def _nearest(rows: Sequence[Row], spec: RunSpec) -> tuple[list[Row], tuple[str, ...]]:
    """The rows whose options are nearest to these, all with the same options but epsilon; and the labels of
    the options in which they differ."""
    wanted, asked = _loose(spec.options, spec.dataset), spec.asked_epsilon
    groups: dict[str, tuple[list[str], list[Row]]] = {}
    for row in rows:
        held = _loose(row["options"], spec.dataset)
        away = sorted(name for name in wanted.keys() | held.keys() if wanted.get(name) != held.get(name))
        groups.setdefault(str(held), (away, []))[1].append(row)

    def distance(group: tuple[list[str], list[Row]]) -> tuple[int, int]:
        budgets = [row["asked"] for row in group[1] if row["asked"] is not None]
        beyond = asked is not None and bool(budgets) and not min(budgets) <= asked <= max(budgets)
        return len(group[0]) + BEYOND * beyond, -sum(row["seeds"] for row in group[1])

    away, best = min(groups.values(), key=distance, default=([], []))
    return best, tuple(settings.title(name, (spec.method,)) for name in away)


def _loose(options: Mapping[str, Scalar], data: str) -> dict[str, Scalar]:
    """What the accuracy hangs on besides the budget: of relations the two domains by their names though they
    are left to the method, and not `shots`, whose relations are another result's."""
    found = {name: options[name] for name in sorted(options) if name not in (*GUARANTEE, "unit")}
    if "tested_on" in found:
        try:
            domains = dataset(data).domains
        except UnknownName:
            domains = ()
        if len(domains) > 1:
            learnt = found["trained_on"] = found.get("trained_on") or domains[0]
            found["tested_on"] = found["tested_on"] or next(one for one in domains if one != learnt)
            found.pop("shots", None)
    return found


def _bare(here: Sequence[Row], spec: RunSpec) -> Row | None:
    """The same without privacy; where the method draws its own parts, on the same parts or not at all."""
    try:
        wanted = without_privacy(spec)
    except (OptionError, UnknownName):  # of an earlier version, with options that are admitted no more
        return None
    if wanted is None:
        return None
    same = parts(spec) if wanted.method != spec.method else {}
    open_ = [
        row
        for row in here
        if row["method"] == wanted.method
        and row["unit"] == "none"
        and all(row["options"].get(name) == value for name, value in same.items())
    ]
    chosen, differs = _nearest(open_, wanted)
    return None if not chosen or (differs and METHODS[wanted.method].own_parts) else chosen[0]
