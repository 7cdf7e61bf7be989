"""Which method for this graph? What fits is trained at several epsilons and seeds, and a paragraph says what
to take. No Streamlit."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from privgraph.data.catalogue import dataset
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.options import OptionError
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.queueing import STACK_LIMIT
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words.naming import nodes_of
from privgraph_workbench.words.numbers import percent

EPSILONS: Mapping[str, tuple[float, ...]] = {"edge": (0.5, 1.0, 2.0, 4.0), "node": (1.0, 2.0, 4.0, 8.0)}
"""The budgets that are tried by default: those at which either unit is protected in practice."""
SEEDS = 3
REFERENCES = ("mlp", "gnn")
"""What is trained without privacy beside: a model that reads no edge, and a network."""
START_SECONDS = 4.0
"""To start a worker and load torch."""
UNKNOWN_SECONDS = 10.0
"""Of a run of a method of which no finished run tells its time."""
HIDES = {"edge": "edges", "node": "people"}
UNITS = {"edge": "one edge", "node": "one person with everything about them"}


def fitting(data: DatasetSpec, unit: str) -> list[str]:
    """Methods that accept the graph and the unit, and classify its own nodes: those that draw parts of their
    own answer about other nodes, and are compared nowhere without a word (`apart`)."""
    return [
        name
        for name, method in METHODS.items()
        if method.refuses(data.task, data.undirected, unit) is None and not _apart(name) and name != "mlp"
    ]


def apart(data: DatasetSpec, unit: str) -> list[str]:
    """Methods that fit as well, in a setting of their own: some nodes are public, and private ones teach."""
    return [
        name
        for name, method in METHODS.items()
        if method.refuses(data.task, data.undirected, unit) is None and _apart(name)
    ]


def _apart(name: str) -> bool:
    return METHODS[name].own_parts and METHODS[name].tasks == ("node classification",)


def specs(
    data: str,
    unit: str,
    *,
    epsilons: Sequence[float] = (),
    seeds: int = SEEDS,
    data_options: Mapping[str, object] | None = None,
    methods: Sequence[str] = (),
) -> list[RunSpec]:
    """All runs of the comparison, those without privacy first.

    Raises `OptionError` where nothing fits, a method does not, or a number is out of range.
    """
    if unit not in UNITS:
        raise OptionError(f"unit must be one of {', '.join(UNITS)} (got {unit})")
    if not 1 <= seeds <= 20:
        raise OptionError(f"seeds must be from 1 to 20 (got {seeds})")
    spec = dataset(data)
    offered = fitting(spec, unit)
    if not offered:
        raise OptionError(f"no method protects {UNITS[unit]} of {spec.title}")
    unknown = [name for name in methods if name not in offered]
    if unknown:
        raise OptionError(f"{unknown[0]} does not fit; methods that do are {', '.join(offered)}")
    asked: list[tuple[str, dict[str, object]]] = []
    for name in REFERENCES:
        if METHODS[name].refuses(spec.task, spec.undirected, "none") is None:
            asked.append((name, {"unit": "none"}))
    for name in methods or offered:
        if spec.task != "node classification" and METHODS[name].without_privacy == name:
            asked.append((name, {"unit": "none"}))
        asked += [(name, {"unit": unit, "epsilon": epsilon}) for epsilon in epsilons or EPSILONS[unit]]
    return [
        make_spec(name, data, options, data_options=data_options, seed=seed)
        for seed in range(seeds)
        for name, options in asked
    ]


def seconds(wanted: Sequence[RunSpec], facts: PublicFacts | None, known: Sequence[RunRecord], workers: int) -> float:
    """About how long the runs take, by finished runs of the same methods, whose times are taken to grow with
    the nodes.

    `known`: finished runs of this machine, or of the gallery; the time of one that was trained together with
    others is that of all of them.
    """
    pace: dict[str, list[float]] = {}
    for one in known:
        nodes = None if one.unreadable else nodes_of(one)
        if one.seconds and nodes:
            pace.setdefault(one.spec.method, []).append(one.seconds / nodes)
    total = 0.0
    for name in {spec.method for spec in wanted}:
        runs = [spec for spec in wanted if spec.method == name]
        times = math.ceil(len(runs) / STACK_LIMIT) if runs[0].config().stacks else len(runs)
        each = statistics.median(pace[name]) * facts.nodes if name in pace and facts is not None else UNKNOWN_SECONDS
        total += times * (each + START_SECONDS)
    return total / max(1, workers)


def alike(wanted: Sequence[RunSpec], records: Sequence[RunRecord]) -> list[RunRecord]:
    """Of finished runs those that tell something of a comparison before it is done: equal to one of its runs
    but for the budget and the seed."""
    settings = {_setting(one) for one in wanted}
    return [one for one in records if one.state == "done" and not one.unreadable and _setting(one.spec) in settings]


def _setting(spec: RunSpec) -> tuple[object, ...]:
    rest = sorted((name, value) for name, value in spec.options.items() if name != "epsilon")
    return spec.method, spec.dataset, spec.split, tuple(rest), tuple(sorted(spec.data_options.items()))


def known_words(wanted: Sequence[RunSpec], done: Collection[str], used: int) -> str:
    """From how many of the finished runs `done` it is said, and what a full comparison still lacks."""
    of_method = Counter(one.method for one in wanted)
    lacks = Counter(one.method for one in wanted if one.id not in done)
    of = f"{used:,} of the {len(done):,}" if used < len(done) else f"{used:,}"
    said = f"From {of} finished run{'s' * (len(done) != 1)}{' here: those at default options' * (used < len(done))}"
    if not lacks:
        return f"{said}. The comparison is complete."
    parts = [
        f"{METHODS[name].title} ({count} run{'s' * (count != 1)})"
        if count == of_method[name]
        else f"{METHODS[name].title} ({count} of {of_method[name]} runs)"
        for name, count in lacks.items()
    ]
    many = f"Of the full comparison {lacks.total()} are missing: {', '.join(parts)}."
    return f"So far, {said[0].lower()}{said[1:]}. {many}"


def left_out(wanted: Sequence[RunSpec], records: Sequence[RunRecord], unit: str) -> str:
    """What finished runs of methods in a setting of their own reached on the graph of a comparison, and why
    that is no part of it; "" where none has one."""
    graph = GraphId.of(wanted[0]).people
    names = apart(dataset(wanted[0].dataset), unit)
    own = [one for one in records if not one.unreadable and one.spec.method in names and one.spec.unit == unit]
    rows = [row for row in tradeoff.data([one for one in own if GraphId.of(one.spec).people == graph]) if row["asked"]]
    best = {row["method"]: row for row in sorted(rows, key=lambda row: float(row["mean"]))}
    if not best:
        return ""
    said = [
        f"{METHODS[name].title} ({percent(best[name]['mean'])} at ε {best[name]['asked']:g})"
        for name in sorted(best, key=lambda name: -best[name]["mean"])
    ]
    return (
        f"Left out of this, each at the best setting tried: {', '.join(said)}. Each needs public nodes and hides only "
        "the private ones that teach; its accuracy is of other test nodes. If some nodes of yours are public, look at "
        "Teachers first."
    )


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What to take, and why, in sentences; `method` is None where nothing can be recommended. `runner_up` is
    the next best, None where there is none; `short` has both in a line. beats: it is known of no budget that
    a model without edges is as good there."""

    method: str | None
    runner_up: str | None
    sentences: tuple[str, ...]
    short: str = ""
    beats: bool = True

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def verdict(records: Sequence[RunRecord], unit: str) -> Verdict:
    """What the finished runs of a comparison say, also before all of them are finished: methods that share no
    epsilon with the others are left out, and named.

    The method with the highest accuracy, averaged over the epsilons at which all were trained, is taken. It
    is said where the runner-up cannot be told from it (their intervals over seeds overlap at every epsilon),
    where reading no edge at all is as good, and what privacy costs.
    """
    rows = [row for row in tradeoff.data(records) if not row["variant"]]
    private = [row for row in rows if row["unit"] == unit and row["asked"] is not None and row["method"] != "mlp"]
    at = {(row["method"], row["asked"]): row for row in private}
    methods = list(dict.fromkeys(row["method"] for row in private))
    if not methods:
        return Verdict(method=None, runner_up=None, sentences=("No method has a finished run yet.",))
    epsilons = {name: {epsilon for one, epsilon in at if one == name} for name in methods}
    apart: list[str] = []
    while not (common := sorted(set.intersection(*(epsilons[name] for name in methods)))):
        apart.append(min(methods, key=lambda name: len(epsilons[name])))
        methods.remove(apart[-1])
    means = {name: statistics.mean(at[name, epsilon]["mean"] for epsilon in common) for name in methods}
    order = sorted(methods, key=lambda name: -means[name])
    best, second = order[0], order[1] if len(order) > 1 else None
    span = f"ε {common[0]:g}" if len(common) == 1 else f"ε from {common[0]:g} to {common[-1]:g}"
    low, high = at[best, common[0]], at[best, common[-1]]
    worse = _no_better(best, at, common, rows)
    never = len(worse) == len(common)
    take = f"{METHODS[best].title} is the best, and not worth its price" if never else f"Take {METHODS[best].title}"
    said = [
        f"{take}. It protects {UNITS[unit]}, and reaches {percent(low['mean'])} at ε {common[0]:g}"
        + (f" and {percent(high['mean'])} at ε {common[-1]:g}." if len(common) > 1 else ".")
    ]
    if second is not None:
        said.append(_beside(best, second, at, common, means, span))
    said += _blind(best, at, common, rows)
    if apart:
        said.append(f"Not compared, for they share no ε with these: {', '.join(METHODS[one].title for one in apart)}.")
    network = next((row for row in rows if row["method"] == "gnn"), None)
    if network is not None:
        cost = network["mean"] - high["mean"]
        said.append(
            f"Privacy at ε {common[-1]:g} costs {_points(cost)} of accuracy beside a network without it "
            f"({percent(network['mean'])})."
            if cost > 0
            else f"At ε {common[-1]:g} it is as good as a network without privacy ({percent(network['mean'])})."
        )
    seeds = min(at[name, epsilon]["seeds"] for name in methods for epsilon in common)
    said.append(
        f"Means over {seeds} seed{'s' * (seeds != 1)}, measured on test labels: the choice itself reads private data, "
        "and no ε here pays for it; decide on a public graph that is like yours, or treat it as an assumption."
    )
    reached = f"{percent(low['mean'])} at ε {common[0]:g}"
    reached += f", {percent(high['mean'])} at ε {common[-1]:g}" if len(common) > 1 else ""
    short = f"To hide {HIDES[unit]}, take {METHODS[best].title}: {reached}."
    if never:
        blind = _reads_no_edge(rows)
        assert blind is not None  # it is no worse than that
        others = _others_beat(order[1:], at, common, rows)
        short = (
            f"To hide {HIDES[unit]}, {METHODS[best].title} is the best on average ({reached}), and does not beat a "
            f"model that reads no edge ({percent(blind['mean'])}) at any ε tried. {others}"
        ).rstrip()
    if second is not None:
        unsure = not any(_clear(at[best, epsilon], at[second, epsilon]) for epsilon in common)
        short += f" {METHODS[second].title} is {_points(means[best] - means[second])} behind on average"
        short += ", and cannot be told from it." if unsure else "."
    if worse and not never:
        short += f" It does not beat a model that reads no edge at ε {', '.join(f'{one:g}' for one in worse)}."
    return Verdict(method=best, runner_up=second, sentences=tuple(said), short=short, beats=not worse)


def _points(share: float) -> str:
    """A difference of two percentages."""
    return f"{100 * share:.1f} points"


At = Mapping[tuple[str, float], Row]


def _beside(best: str, second: str, at: At, common: Sequence[float], means: Mapping[str, float], span: str) -> str:
    """How far ahead of the runner-up it is."""
    apart_at = [epsilon for epsilon in common if _clear(at[best, epsilon], at[second, epsilon])]
    title, lead = METHODS[second].title, _points(means[best] - means[second])
    if not apart_at:
        return (
            f"The runner-up is {title}, {lead} behind on average over {span}: over so few seeds the two cannot be told "
            "apart."
        )
    where = ", ".join(f"{epsilon:g}" for epsilon in apart_at)
    return f"The runner-up is {title}, {lead} behind on average over {span}, and clearly so at ε {where}."


def _clear(one: Row, other: Row) -> bool:
    """Whether the interval of one lies above that of the other."""
    return one["low"] is not None and other["high"] is not None and bool(one["low"] > other["high"])


def _reads_no_edge(rows: Sequence[Row]) -> Row | None:
    return next((row for row in rows if row["method"] == "mlp" and row["unit"] == "none"), None)


def _no_better(best: str, at: At, common: Sequence[float], rows: Sequence[Row]) -> list[float]:
    """The budgets at which it is no better than a model that reads no edge."""
    blind = _reads_no_edge(rows)
    return [] if blind is None else [epsilon for epsilon in common if at[best, epsilon]["mean"] <= blind["mean"]]


def _others_beat(others: Sequence[str], at: At, common: Sequence[float], rows: Sequence[Row]) -> str:
    """Which of the other methods beats a model that reads no edge, and where."""
    better = {name: [one for one in common if one not in _no_better(name, at, common, rows)] for name in others}
    said = [
        f"{METHODS[name].title} does at ε {', '.join(f'{one:g}' for one in where)}"
        for name, where in better.items()
        if where
    ]
    return f"{', '.join(said)}." if said else "Nor does any other method." * bool(others)


def _blind(best: str, at: At, common: Sequence[float], rows: Sequence[Row]) -> list[str]:
    """Where a model that reads no edge is as good, and hides every edge without noise."""
    blind = _reads_no_edge(rows)
    if blind is None:
        return []
    worse = _no_better(best, at, common, rows)
    if not worse:
        return [f"A model that reads no edge reaches {percent(blind['mean'])}: edges are worth their price here."]
    many = "at every ε tried" if len(worse) == len(common) else f"at ε {', '.join(f'{one:g}' for one in worse)}"
    hides = (
        " It needs no noise to hide edges, for it reads none: take it there."
        if at[best, common[0]]["unit"] == "edge"
        else " It protects nobody's features or label, though."
    )
    return [f"A model that reads no edge is as good {many} ({percent(blind['mean'])}).{hides}"]
