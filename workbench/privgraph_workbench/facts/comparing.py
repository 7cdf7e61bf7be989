"""Which method for this graph? What fits is trained at several epsilons and seeds, and a paragraph says what
to take. No Streamlit."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from privgraph.data.catalogue import dataset
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.options import OptionError, Scalar, parameters
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.queueing import STACK_LIMIT
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench.facts.advising import NETWORK, UNITS, stands_alone
from privgraph_workbench.facts.judging import keeps
from privgraph_workbench.facts.method_costs import PRIVACY
from privgraph_workbench.facts.row_words import both, counted, sound_at
from privgraph_workbench.facts.settling import Needed
from privgraph_workbench.facts.stretches import BLIND
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words.listing import told_in_list
from privgraph_workbench.words.naming import nodes_of
from privgraph_workbench.words.numbers import percent
from privgraph_workbench.words.statements import protect_nobody

EPSILONS: Mapping[str, tuple[float, ...]] = {"edge": (0.5, 1.0, 2.0, 4.0), "node": (1.0, 2.0, 4.0, 8.0)}
"""The budgets that are tried by default: those at which either unit is protected in practice."""
SEEDS = 3
REFERENCES = (BLIND, NETWORK)
"""What is trained without privacy beside: a model that reads no edge, and a network."""
AS_IN_GALLERY: Mapping[str, Mapping[str, str]] = {NETWORK: {"conv": "gcn"}}
"""Options of references that differ from their defaults: the network of the gallery, so that one's own runs
join its level and draw no second one beside it."""


def reference(name: str) -> dict[str, Scalar]:
    """The options with which a sweep or a comparison trains a method without privacy, to be compared with."""
    return {"unit": "none", **AS_IN_GALLERY.get(name, {})}


START_SECONDS = 4.0
"""To start a worker and load torch."""
LEADS: Mapping[str, tuple[str, ...]] = {"privgnn": ("release",), "pate": ("teacher", "noise"), "dp-gpl": ("weighting",)}
"""Methods with teachers, and the options by which their runs are grouped."""
TOLD = 2
"""Options that tell a setting from others of its method."""
UNKNOWN_SECONDS = 10.0
"""Of a run of a method of which no finished run tells its time."""


def fitting(data: DatasetSpec, unit: str) -> list[str]:
    """Methods that accept the graph and the unit, and classify its own nodes: those that draw parts of their
    own answer about other nodes, and are compared nowhere without a word (`apart`)."""
    return [
        name
        for name, method in METHODS.items()
        if method.refuses(data.task, data.undirected, unit) is None and not _apart(name) and name != BLIND
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
    shared: Mapping[str, object] | None = None,
    methods: Sequence[str] = (),
) -> list[RunSpec]:
    """All runs of the comparison, those without privacy first; with the options `shared` by all of them.

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
    asked: list[tuple[str, Mapping[str, object]]] = []
    for name in REFERENCES:
        if METHODS[name].refuses(spec.task, spec.undirected, "none") is None:
            asked.append((name, reference(name)))
    for name in methods or offered:
        if spec.task != "node classification" and METHODS[name].without_privacy == name:
            asked.append((name, {"unit": "none"}))
        asked += [(name, {"unit": unit, "epsilon": epsilon}) for epsilon in epsilons or EPSILONS[unit]]
    return [
        make_spec(name, data, {**(shared or {}), **options}, data_options=data_options, seed=seed)
        for seed in range(seeds)
        for name, options in asked
    ]


def settling(needed: Sequence[Needed], wanted: Sequence[RunSpec], network: RunSpec | None = None) -> list[RunSpec]:
    """The runs with which methods would be told apart: more seeds of those that are compared, at the budgets
    of `needed`, and of the model that needs no noise, which has no budget. Of the `network` that costs are
    counted from as many as of the method that needs most: over the seeds that both share a cost is told."""
    most = max((one.seeds for one in needed), default=0)
    costs = [] if network is None else [replace(network, seed=seed) for seed in range(most)]
    first = {one.method: one for one in wanted if one.unit != "none" or one.method == BLIND}
    return costs + [
        make_spec(
            one.method,
            first[one.method].dataset,
            {**first[one.method].options, **({} if one.method == BLIND else {"epsilon": one.epsilon})},
            data_options=first[one.method].data_options,
            seed=seed,
        )
        for one in needed
        for seed in range(one.seeds)
    ]


def networks(wanted: Sequence[RunSpec], records: Sequence[RunRecord]) -> list[RunRecord]:
    """Of finished runs those of networks without privacy on the graph of a comparison, at any options; where
    no plain network has run, those of methods without their noise."""
    graph = GraphId.of(wanted[0]).people
    here = [one for one in records if not one.unreadable and one.spec.unit == "none"]
    here = [one for one in here if GraphId.of(one.spec).people == graph]
    plain = [one for one in here if one.spec.method == NETWORK]
    known = [one for one in here if one.spec.method in METHODS]
    return plain or [one for one in known if METHODS[one.spec.method].uses_edges and not _apart(one.spec.method)]


def shared_options(data: DatasetSpec, run: RunSpec, unit: str) -> dict[str, Scalar]:
    """Of a data set of several domains, which of them a run learns from and is tested on, and whatever else
    all methods that fit have in common: these are compared at its options, for no default says them."""
    if not data.domains or run.options.get("unit") != unit:
        return {}
    known = [{one.name for one in parameters(METHODS[name].load_config())} for name in fitting(data, unit)]
    common = set.intersection(*known) - set(PRIVACY)
    return {name: value for name, value in run.options.items() if name in common}


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
    but for the budget and the seed, and no trial of a tuning."""
    settings = {_setting(one) for one in wanted}
    done = [one for one in records if one.state == "done" and not one.unreadable and stands_alone(one)]
    return [one for one in done if _setting(one.spec) in settings]


def _setting(spec: RunSpec) -> tuple[object, ...]:
    rest = sorted((name, value) for name, value in spec.options.items() if name != "epsilon")
    return spec.method, spec.dataset, spec.split, tuple(rest), tuple(sorted(spec.data_options.items()))


def lacking(wanted: Sequence[RunSpec], done: Collection[str], network: Row | None = None) -> list[RunSpec]:
    """The runs that a full comparison lacks. The network without privacy that costs are counted from,
    whatever its options, is as good as the one of default options, once it has as many seeds."""
    enough = network is not None and network["method"] == NETWORK and network["seeds"] >= SEEDS
    return [one for one in wanted if one.id not in done and not (enough and one.method == NETWORK)]


def network_words(network: Row | None) -> str:
    """Which network without privacy costs are counted from."""
    if network is None:
        return "No network without privacy has run on these test nodes, so that no cost is known."
    named = [network["title"]] * (network["method"] != NETWORK) + [network["variant"]] * bool(network["variant"])
    options = f" ({', '.join(named)})" if named else ""
    return (
        f"Costs are counted from the most accurate network without privacy that has run here{options}: "
        f"{percent(network['mean'])}, {counted(network['seeds'], 'seed')}."
    )


def known_words(
    wanted: Sequence[RunSpec],
    done: Collection[str],
    used: int,
    ran: Collection[str] = (),
    network: Row | None = None,
    needed: Sequence[Needed] = (),
) -> str:
    """From how many of the finished runs `done` it is said, and what a full comparison still lacks: of
    references that `ran` here at other options, that too; `network`: what costs are counted from;
    `needed`: the seeds with which methods would be told apart."""
    of_method = Counter(one.method for one in wanted)
    lacks = Counter(one.method for one in lacking(wanted, done, network))
    said = used_words(used, len(done)).rstrip(".")
    if not lacks:
        return f"{said}. Every method and epsilon of the comparison has run{_open(needed)}."
    parts = []
    for name, count in lacks.items():
        runs = f"{count} run{'s' * (count != 1)}" if count == of_method[name] else f"{count} of {of_method[name]} runs"
        other = "; further ones here have other options" if name in ran and name in REFERENCES else ""
        parts.append(f"{METHODS[name].title} ({runs}{other})")
    many = f"Of the full comparison {lacks.total()} are missing: {', '.join(parts)}."
    return f"{said}. {many}"


def _open(needed: Sequence[Needed]) -> str:
    """At which epsilons more seeds would tell methods apart."""
    budgets = sorted({one.epsilon for one in needed})
    need = "needs" if len(budgets) == 1 else "need"
    return f"; ε {both([f'{one:g}' for one in budgets])} {need} more seeds" if budgets else ""


def used_words(used: int, done: int) -> str:
    """From how many of the finished runs it is said.

    >>> used_words(3, 3)
    'From 3 finished runs.'
    >>> used_words(1, 3)
    'From 1 finished run at default options; 2 more, at others or without noise, are drawn.'
    """
    left = done - used
    drawn = f"at others or without noise, {'is' if left == 1 else 'are'} drawn"
    more = f" at default options; {left:,} more, {drawn}" if left else ""
    return f"From {used:,} finished run{'s' * (used != 1)}{more}."


@dataclass(frozen=True, kw_only=True)
class WithPublic:
    """What has the highest means where some nodes are public. rows: at each sound epsilon that has a higher
    one than all smaller ones, the setting that has it; words: what tells these apart, by the ids of a row's
    runs; tried: of how many means these are; left: how many more there are whose sound epsilon exceeds the
    one asked for; public: how many of their runs protect nobody ("": none)."""

    rows: tuple[Row, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    tried: int = 0
    left: int = 0
    public: str = ""


def with_public(wanted: Sequence[RunSpec], records: Sequence[RunRecord], unit: str) -> WithPublic:
    """Of methods in a setting of their own on the graph of a comparison, from settings with three seeds or
    more, at the epsilon that their noise does guarantee. What is promised at an epsilon is promised at every
    larger one, if delta is no larger there."""
    graph = GraphId.of(wanted[0]).people
    names = apart(dataset(wanted[0].dataset), unit)
    own = [one for one in records if not one.unreadable and one.spec.method in names and one.spec.unit == unit]
    own = [one for one in own if GraphId.of(one.spec).people == graph and stands_alone(one)]
    seen = [row for row in tradeoff.data(own) if row["asked"] is not None and row["low"] is not None]
    rows = [row for row in seen if keeps(row)]
    best: list[Row] = []
    for row in sorted(rows, key=lambda row: (sound_at(row), -row["mean"])):
        if not any(one["mean"] >= row["mean"] and one["delta"] <= row["delta"] for one in best):
            best.append(row)
    told = told_in_list(own)
    behind = {run for row in best for run in str(row["runs"]).split()}
    return WithPublic(
        rows=tuple(best),
        words={row["runs"]: ", ".join(told[str(row["runs"]).split()[0]][:TOLD]) for row in best},
        tried=len(rows),
        left=len(seen) - len(rows),
        public=protect_nobody([one.statement for one in own if one.id in behind and one.statement]),
    )
