"""What is observed: every method of the table, each unit, and every option that changes what is paid for.

No two numbers that a trainer could mistake for one another are equal here: the seed of a run is not that of
its split, training, validation and test have sizes of their own, and where nodes are protected some have
opted out, so that fewer train, and sit on fewer seats, than the public numbers say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch
from tests.planted.planting import everywhere, instead
from torch import Tensor

from privgraph.data.build import canonical_edges
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.neighbours import with_node_nulled
from privgraph.data.splits import partition
from privgraph.options import OptionError, build, parameters
from privgraph.privacy.accountants import PLDAccountant, RenyiAccountant, TightAccountant
from privgraph.privacy.calibration import calibrate
from privgraph.privacy.composition import flatten
from privgraph.privacy.events import NonPrivate, PrivacyEvent
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph.testing.methods import RELATIONS

QUICK: dict[str, float] = {
    "epsilon": 4.0,
    "epochs": 3,
    "hidden": 8,
    "depth": 2,
    "batch_size": 30,
    "clip": 3.0,
    "max_degree": 3,
    "neighbours": 3,
    "queries": 60,
    "teachers": 5,
    "pretrain_epochs": 2,
    "student_epochs": 3,
    "pretrain": 2,
    "shots": 0,
    "threshold": 1.0,
    "learning_rate": 0.05,
}
"""Small values of options that several methods have, and a clip that is not 1; the rest are defaults."""

SWITCHES: dict[str, object] = {"gate": 0.5, "gate_sigma": 9.0}
"""Options that are off at 0, and pay for something of their own where they are on."""

SPLIT_SEED, SEED = 1, 3
"""Of the split, and of everything else."""

ABSENT, MORE_ABSENT = 7, 18
"""How many nodes have opted out, and how many in the other dataset."""

NAMED_SETTINGS = ("preset", "accounting")
"""Options that stand for others, or choose the size of the noise alone."""


@dataclass(frozen=True)
class Case:
    """One run: a method, a unit, and the options that differ from `QUICK`."""

    method: str
    unit: str
    changed: tuple[tuple[str, object], ...] = ()

    def __str__(self) -> str:
        return "-".join([self.method, self.unit, *(f"{name}={value}" for name, value in self.changed)])

    def config(self, **given: object) -> Any:
        kind = METHODS[self.method].load_config()
        lows = {parameter.name: parameter.option.low for parameter in parameters(kind)}
        quick: dict[str, object] = {
            name: max(value, lows[name] or 0.0) for name, value in QUICK.items() if name in lows
        }
        if self.task == RELATIONS:
            quick |= {"encoder": "tiny", "steps": 3, "rank": 2, "negatives": 2}
        return build(kind, {**quick, "unit": self.unit, **dict(self.changed), **given})

    @property
    def task(self) -> str:
        return METHODS[self.method].tasks[0]

    def statement(self) -> PrivacyStatement:
        statement: PrivacyStatement = self.config().plan(graph(self.task).facts).statement
        return statement

    @property
    def graph(self) -> Graph:
        """What it is trained on: where nodes are protected, some of them have opted out."""
        return _graph_of(self)

    @property
    def sparse(self) -> Case:
        """With samples so small that now and then nobody is in one."""
        length = ("steps", 20) if self.task == RELATIONS else ("epochs", 1)
        return Case(self.method, self.unit, (*self.changed, ("batch_size", 2), length))

    def __hash__(self) -> int:
        return hash(str(self))


@cache
def _graph_of(case: Case) -> Graph:
    """Of one case always the same tensors, as in a stack."""
    everybody = graph(case.task)
    return everybody if case.unit == "edge" else opted_out(everybody, case.config(), ABSENT)


def cases() -> tuple[Case, ...]:
    """Every protected method and unit, and each choice that brings a new kind of entry to the ledger."""
    with unpriced():
        return tuple(case for name, spec in METHODS.items() for unit in spec.units for case in _cases(Case(name, unit)))


def _cases(plain: Case) -> Iterator[Case]:
    """The plain case, and what is one or two changes away from it and has an entry that none before had."""
    known = _kinds(plain)
    if NonPrivate in {event for _, event, *_ in known}:
        return
    new_cases = [plain]
    yield plain
    for depth in (1, 2):
        for near in [case for case in new_cases if len(case.changed) == depth - 1]:
            for changed in _changes(near):
                case = Case(plain.method, plain.unit, (*near.changed, changed))
                try:
                    kinds = _kinds(case)
                except OptionError:
                    continue
                if not kinds <= known and NonPrivate not in {event for _, event, *_ in kinds}:
                    known |= kinds
                    new_cases.append(case)
                    yield case


def _changes(case: Case) -> Iterator[tuple[str, object]]:
    kind = METHODS[case.method].load_config()
    default = case.config()
    for parameter in parameters(kind):
        if parameter.name in ("unit", *NAMED_SETTINGS, *dict(case.changed)):
            continue
        if parameter.name in SWITCHES:
            yield parameter.name, SWITCHES[parameter.name]
        for value in (False, True) if parameter.type is bool else parameter.option.choices or ():
            if value != getattr(default, parameter.name):
                yield parameter.name, value


def _kinds(case: Case) -> set[tuple[Any, ...]]:
    """What the ledger holds, but for stages and numbers."""
    return {
        (entry.kind, type(entry.event), type(getattr(entry.event, "event", None)), entry.norm)
        for entry in case.statement().ledger
    }


@contextmanager
def unpriced() -> Iterator[None]:
    """No noise is calibrated and no epsilon computed meanwhile: for the kinds of entries alone."""

    def epsilon(self: object, event: PrivacyEvent, delta: float) -> float:
        return math.inf if any(isinstance(one, NonPrivate) for one, _ in flatten(event)) else 1.0

    with ExitStack() as stack:
        stack.enter_context(everywhere(calibrate, lambda *given, **settings: 5.0))
        for accountant in (TightAccountant, PLDAccountant, RenyiAccountant):
            stack.enter_context(instead(accountant, "epsilon", epsilon))
        yield


@cache
def graph(task: str = "node classification") -> Graph:
    """A graph with a hub, and with features that point the same way, so that nothing cancels in a sum; or
    texts and relations."""
    if task == RELATIONS:
        return load("products", split_seed=SPLIT_SEED, data_options={"products": 60, "purchases": 3.0})
    social = load("social", split_seed=SPLIT_SEED, data_options={"nodes": 160, "degree": 6.0, "features": 24})
    hub, others = 0, torch.arange(1, social.num_nodes, 2)
    pairs = torch.stack([torch.full_like(others, hub), others])
    edges = canonical_edges(torch.cat([social.edge_index, pairs], dim=1), social.num_nodes, True)
    return replace(social, x=social.x + 3, edge_index=edges, _cache={})


def opted_out(graph: Graph, config: Any, most: int) -> Graph:
    """The same roster with `most` private nodes that have no record."""
    order = torch.randperm(graph.num_nodes, generator=torch.Generator().manual_seed(7))
    for node in order[private_nodes(graph, config)[order]][:most].tolist():
        if node not in graph.absent:
            graph = with_node_nulled(graph, node)
    return graph


def private_nodes(graph: Graph, config: Any) -> Tensor:
    """(|V|,) bool: whose records are private; where there are public nodes, a share by `sizes`."""
    if not hasattr(config, "sizes"):
        return torch.ones(graph.num_nodes, dtype=torch.bool)
    sizes = config.sizes(graph.num_nodes)
    shares = [sizes.private, sizes.train, sizes.val, sizes.test]
    private, *_ = partition(graph.num_nodes, shares, graph.split_seed or 0, "private")
    return private


def other_dataset(graph: Graph, config: Any) -> Graph:
    """The same public numbers, and everything that `config.unit` protects is another.

    Edges: fewer, between others. Nodes: also the features and labels of all private nodes, of whom more have
    opted out.
    """
    dice = torch.Generator().manual_seed(5)
    if graph.texts:
        return replace(graph, edge_index=_related_anew(graph, dice), _cache={})
    private = private_nodes(graph, config)
    x, y = graph.x, graph.y
    if config.unit == "node":
        x = torch.where(private.unsqueeze(1), torch.randn(x.shape, generator=dice) - 1, x)
        y = torch.where(private, (y + 1) % graph.num_classes, y)
        here = graph.present
        x, y = x * here.unsqueeze(1), y * here
    other = replace(graph, x=x, y=y, edge_index=_rewired(graph, private & graph.present, dice), _cache={})
    return opted_out(other, config, MORE_ABSENT) if config.unit == "node" else other


def _related_anew(graph: Graph, dice: torch.Generator) -> Tensor:
    """Fewer relations inside the first domain, between others; the second's are the evaluator's."""
    first = (graph.domains == 0).nonzero().squeeze(1)
    kept = graph.edge_index[:, ~(graph.domains[graph.edge_index] == 0).all(0)]
    edges, wanted = kept, kept.shape[1] + (graph.edge_index.shape[1] - kept.shape[1]) * 9 // 10
    while edges.shape[1] < wanted:
        pair = first[torch.randint(first.numel(), (2, 1), generator=dice)]
        if pair[0] != pair[1]:
            edges = canonical_edges(torch.cat([edges, pair], dim=1), graph.num_nodes, graph.undirected)
    return edges


def _rewired(graph: Graph, private: Tensor, dice: torch.Generator) -> Tensor:
    """Edges at private nodes are drawn anew, fewer than there were; those among public nodes stay."""
    source, target = graph.edge_index
    kept = ~(private[source] | private[target])
    edges = graph.edge_index[:, kept]
    wanted = edges.shape[1] + (graph.edge_index.shape[1] - edges.shape[1]) * 9 // 10
    while edges.shape[1] < wanted:
        pair = torch.randint(graph.num_nodes, (2, 1), generator=dice)
        if pair[0] != pair[1] and bool(private[pair].any()) and bool(graph.present[pair].all()):
            edges = canonical_edges(torch.cat([edges, pair], dim=1), graph.num_nodes, graph.undirected)
    return edges
