"""Bugs that are planted on purpose, and what catches each: proof that audits and tests are worth something.

A bug replaces product code from outside, for the length of a `with`; the product has no switch for it. Its check says
whether something is wrong, and what it saw: on clean code it must find nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor

from privgraph.audits.mechanism import audit
from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord
from privgraph.data.load import load
from privgraph.data.spec import PublicFacts
from privgraph.mechanisms import degree
from privgraph.mechanisms.aggregation import unit_rows
from privgraph.mechanisms.degree import bound_out_degree, pair_rank
from privgraph.mechanisms.entries import aggregation_sensitivity
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.gradients import PrivateGradients, clip_factors
from privgraph.mechanisms.noisy_max import NoisyGate
from privgraph.mechanisms.sampling import poisson_batch
from privgraph.mechanisms.spherical_laplace import SphericalLaplaceNoise
from privgraph.methods.base import Context, train_one
from privgraph.methods.dp_gnn.config import step_event
from privgraph.methods.heter_poisson.sampling import HeterPoisson
from privgraph.methods.privgnn.votes import weights
from privgraph.nn.training import fit_private
from privgraph.privacy.calibration import calibrate
from privgraph.registry import METHODS

FACTS = PublicFacts(nodes=600, edges=1800, entries=3600, features=20, classes=4, train_nodes=450)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether something is wrong, and in words what was seen."""

    wrong: bool
    seen: str


@dataclass(frozen=True, kw_only=True)
class Bug:
    """`plant` replaces code; `check` looks."""

    name: str
    where: str
    plant: Callable[[], AbstractContextManager[None]]
    caught_by: str
    check: Callable[[], Verdict]


# How a bug is planted


@contextmanager
def everywhere(original: Any, replacement: Any) -> Iterator[None]:
    """Put `replacement` wherever a module of the product knows `original`, and forget noise that was calibrated before."""
    assert _swap(original, replacement), f"no module knows {original}"
    try:
        yield
    finally:
        _swap(replacement, original)  # also in modules that were first imported meanwhile


@contextmanager
def instead(owner: type, name: str, replacement: Any) -> Iterator[None]:
    """Put `replacement` in the place of an attribute of a class."""
    with patch.object(owner, name, replacement):
        yield


def _swap(old: Any, new: Any) -> int:
    """In how many places of the product `new` now stands for `old`."""
    places = [(module, name) for module in _modules() for name, value in list(vars(module).items()) if value is old]
    for module, name in places:
        setattr(module, name, new)
    _forget()
    return len(places)


def _modules() -> list[ModuleType]:
    return [module for name, module in sorted(sys.modules.items()) if name.startswith("privgraph.")]


def _forget() -> None:
    for module in _modules():
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def other_gradients(change: Callable[[PrivateGradients], PrivateGradients]) -> AbstractContextManager[None]:
    """Private gradients whose noise is that of other settings than they say."""
    original = PrivateGradients.release

    def release(mechanisms: Any, *rest: Any) -> None:
        original([change(mechanism) for mechanism in mechanisms], *rest)

    return instead(PrivateGradients, "release", staticmethod(release))


def noise_reused() -> AbstractContextManager[None]:
    original, states = PrivateGradients.release, {}

    def release(mechanisms: Any, net: Any, valid: Tensor, noise: Any, *rest: Any) -> None:
        for generator in set(noise):
            generator.set_state(states.setdefault(id(generator), (generator, generator.get_state()))[1])
        original(mechanisms, net, valid, noise, *rest)

    return instead(PrivateGradients, "release", staticmethod(release))


def one_more_step() -> AbstractContextManager[None]:
    def fit(*inputs: Any, steps: int, **settings: Any) -> Any:
        return fit_private(*inputs, steps=steps + 1, **settings)

    return everywhere(fit_private, fit)


def each_counted_once() -> AbstractContextManager[None]:
    """DP-GNN: a gradient that turns round is counted as one that is added: k + c instead of 2 k + c."""

    def event(noise_multiplier: float, max_degree: int, rate: float) -> Any:
        honest = step_event(noise_multiplier, max_degree, rate)
        shifts = [round(noise_multiplier / noise) for noise in honest.noise_multipliers]
        return replace(
            honest,
            noise_multipliers=tuple(
                noise_multiplier / (shift - shift // 2) if shift else float("inf") for shift in shifts
            ),
        )

    return everywhere(step_event, event)


def rule_skipped() -> AbstractContextManager[None]:
    original = HeterPoisson.formed

    def formed(self: HeterPoisson, centres: Tensor, coins: Tensor) -> Any:
        self.exclusive = False
        return original(self, centres, coins)

    return instead(HeterPoisson, "formed", formed)


def one_scale_for_all() -> AbstractContextManager[None]:
    def add(self: GaussianNoise, values: Tensor, generator: torch.Generator) -> Tensor:
        return SphericalLaplaceNoise(std=self.std).add_(values, generator)

    return instead(GaussianNoise, "add_", add)


def bounded_by_reader() -> AbstractContextManager[None]:
    """Every reader bounds its own list, so that nothing bounds by how many one node is read."""

    def bound(edge_index: Tensor, nodes: int, max_degree: int, seed: int) -> Tensor:
        return bound_out_degree(edge_index.flip(0), nodes, max_degree, seed)

    return everywhere(bound_out_degree, bound)


def drawn_again() -> AbstractContextManager[None]:
    """Ranks hang on all edges that there are: when one goes, everybody's list is drawn again."""

    def rank(source: Tensor, target: Tensor, seed: int) -> Tensor:
        return pair_rank(source, target, seed + source.numel())

    return everywhere(pair_rank, rank)


def rounded_down() -> AbstractContextManager[None]:
    return everywhere(calibrate, lambda *given, **settings: np.floor(10 * calibrate(*given, **settings)) / 10)


# What looks for it


def audited(method: str, trials: int = 4000, **options: object) -> Callable[[], Verdict]:
    """The audit of mechanisms on a plan: wrong where it shows more than the sound epsilon."""

    def check() -> Verdict:
        config = METHODS[method].load_config()(**options)
        statement = config.plan(FACTS).statement
        subject = Subject(run="planted", method=method, config=config, statement=statement, graph=lambda: None)  # type: ignore[arg-type,return-value]
        *_, record = audit(subject, AuditOptions(trials=trials))
        assert isinstance(record, AuditRecord)
        return Verdict(
            wrong=record.refutes_sound, seen=f"audited {record.epsilon:.1f} for a claimed {record.sound:.1f}"
        )

    return check


class Counter:
    """A witness that counts releases."""

    def __init__(self) -> None:
        self.seen = 0

    def join(self, total: Tensor, clip: float) -> None:
        """Adds nothing."""

    def see(self, released: Tensor) -> None:
        self.seen += 1


def releases_are_all_in_the_ledger() -> Verdict:
    graph = load("social", data_options={"nodes": 60, "degree": 4.0, "features": 6})
    counter = Counter()
    context = Context(witness=counter)
    config = METHODS["dp-mlp"].load_config()(epochs=2, batch_size=10, hidden=4)
    for _ in train_one(METHODS["dp-mlp"].load_train(), config, graph, context):
        pass
    told = sum(entry.count for entry in context.ledger.entries)
    return Verdict(wrong=counter.seen != told, seen=f"{counter.seen} releases, {told} in the ledger")


def strangers_keep_their_lists() -> Verdict:
    """When a node is gone, who never pointed to it keeps the same out-edges: what freezing a sample relies on."""
    graph, gone = load("social", data_options={"nodes": 80, "degree": 8.0, "features": 2}), 0
    edges = graph.edge_index
    left = edges[:, (edges != gone).all(0)]
    lists = [
        {source: frozenset(own[1, own[0] == source].tolist()) for source in range(1, graph.num_nodes)}
        for own in (part[:, degree.bound_out_degree(part, graph.num_nodes, 3, 0)] for part in (edges, left))
    ]
    knew = set(edges[0, edges[1] == gone].tolist())
    changed = sum(lists[0][source] != lists[1][source] for source in lists[0] if source not in knew)
    return Verdict(wrong=changed > 0, seen=f"{changed} lists changed of nodes that never pointed to who left")


def epsilon_is_kept() -> Verdict:
    statement = METHODS["dp-mlp"].load_config()(epsilon=4.0, epochs=5).plan(FACTS).statement
    return Verdict(wrong=statement.epsilon > 4.0, seen=f"costs {statement.epsilon:.2f} where 4 was asked")


MECHANISMS = "audit mechanism"
WHOLE = {"epochs": 5, "batch_size": 450}
"""Few steps, in which every node takes part."""

BUGS = (
    Bug(
        name="noise at half scale",
        where="mechanisms/gradients.py",
        plant=lambda: other_gradients(lambda one: replace(one, noise_multiplier=one.noise_multiplier / 2)),
        caught_by=MECHANISMS,
        check=audited("dp-mlp", epsilon=4.0, **WHOLE),
    ),
    Bug(
        name="clip not applied",
        where="mechanisms/gradients.py",
        plant=lambda: everywhere(clip_factors, lambda squared_norms, clips: torch.ones_like(squared_norms)),
        caught_by=MECHANISMS,
        check=audited("dp-mlp", epsilon=4.0, **WHOLE),
    ),
    Bug(
        name="noise not scaled by the clip",
        where="mechanisms/gradients.py",
        plant=lambda: other_gradients(lambda one: replace(one, noise_multiplier=one.noise_multiplier / one.clip)),
        caught_by=MECHANISMS,
        check=audited("dp-mlp", epsilon=4.0, clip=3.0, **WHOLE),
    ),
    Bug(
        name="sampling rate understated",
        where="mechanisms/sampling.py",
        plant=lambda: everywhere(
            poisson_batch,
            lambda examples, rate, generator: poisson_batch(examples, min(1.0, 4 * rate), generator),
        ),
        caught_by=MECHANISMS,
        check=audited("dp-mlp", epsilon=2.0, epochs=2, batch_size=45),
    ),
    Bug(
        name="noise drawn once and reused",
        where="mechanisms/gradients.py",
        plant=noise_reused,
        caught_by=MECHANISMS,
        check=audited("dp-mlp", epsilon=2.0, **WHOLE),
    ),
    Bug(
        name="sensitivity of NAP forgotten: rows of any length",
        where="mechanisms/aggregation.py",
        plant=lambda: everywhere(unit_rows, lambda rows: rows),
        caught_by=MECHANISMS,
        check=audited("gap", trials=1000, unit="edge", epsilon=2.0),
    ),
    Bug(
        name="sensitivity of NAP forgotten: one row where D move",
        where="mechanisms/entries.py",
        plant=lambda: everywhere(aggregation_sensitivity, lambda unit, undirected, max_degree: 1.0),
        caught_by=MECHANISMS,
        check=audited("gap", trials=2000, unit="node", epsilon=2.0, depth=4, epochs=1, batch_size=450, max_degree=16),
    ),
    Bug(
        name="one scalar mixing variable for all coordinates",
        where="mechanisms/gaussian.py",
        plant=one_scale_for_all,
        caught_by=MECHANISMS,
        check=audited("gap", trials=9000, unit="edge", epsilon=2.0),
    ),
    Bug(
        name="add where replace was claimed",
        where="methods/dp_gnn/config.py",
        plant=each_counted_once,
        caught_by=MECHANISMS,
        check=audited("dp-gnn", trials=16_000, epsilon=2.0, max_degree=8, **WHOLE),
    ),
    Bug(
        name="one more composition than counted",
        where="nn/training.py",
        plant=one_more_step,
        caught_by="releases against the ledger",
        check=releases_are_all_in_the_ledger,
    ),
    Bug(
        name="central/peripheral rule skipped",
        where="methods/heter_poisson/sampling.py",
        plant=rule_skipped,
        caught_by=MECHANISMS,
        check=audited("heter-poisson", epsilon=2.0, exclusive=True, neighbours=8, batch_size=441, epochs=3),
    ),
    Bug(
        name="degree bound drawn for each reader's list",
        where="mechanisms/degree.py",
        plant=bounded_by_reader,
        caught_by=MECHANISMS,
        check=audited("gap", trials=4000, unit="node", epsilon=2.0, depth=4, epochs=1, batch_size=450, max_degree=2),
    ),
    Bug(
        name="degree bound drawn again when a node leaves",
        where="mechanisms/degree.py",
        plant=drawn_again,
        caught_by="lists of strangers",
        check=strangers_keep_their_lists,
    ),
    Bug(
        name="calibration rounded down",
        where="privacy/calibration.py",
        plant=rounded_down,
        caught_by="epsilon of the plan",
        check=epsilon_is_kept,
    ),
    Bug(
        name="a vote may weigh any amount",
        where="methods/privgnn/votes.py",
        plant=lambda: everywhere(weights, lambda queries, nodes: queries @ nodes.T),
        caught_by=MECHANISMS,
        check=audited("privgnn", trials=1000, epsilon=2.0, queries=50),
    ),
    Bug(
        name="a gate without noise",
        where="mechanisms/noisy_max.py",
        plant=lambda: instead(
            NoisyGate, "passes", lambda self, counts, generator: counts.max(axis=-1) > self.threshold
        ),
        caught_by=MECHANISMS,
        check=audited("privgnn", epsilon=1.0, release="ensemble", gate=2.0, queries=50),
    ),
)
