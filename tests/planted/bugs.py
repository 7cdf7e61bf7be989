"""Bugs of mechanisms, methods and keys, and what catches each: see `planting`."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from tests.data import uploads_made_here as made
from tests.planted.planting import Bug, Verdict, everywhere, instead, swapped
from tests.secrets_made_here import KEY
from tests.statistics import test_epoch_choice as epoch_choice
from torch import Tensor

from privgraph.audits.mechanism import audit
from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord
from privgraph.data.digest import graph_digest
from privgraph.data.load import load
from privgraph.data.spec import PublicFacts
from privgraph.lattice import add, draw
from privgraph.mechanisms import degree
from privgraph.mechanisms.aggregation import unit_rows
from privgraph.mechanisms.degree import bound_out_degree, pair_rank
from privgraph.mechanisms.entries import aggregation_sensitivity, chosen_epoch_entry, replaced_gradient_entry
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.gradients import PrivateGradients, clip_factors
from privgraph.mechanisms.noisy_max import NoisyGate, NoisyVotes
from privgraph.mechanisms.sampling import poisson_batch
from privgraph.mechanisms.spherical_laplace import SphericalLaplaceNoise
from privgraph.methods.gradients.dp_gnn.config import step_event
from privgraph.methods.gradients.heter_poisson.sampling import HeterPoisson
from privgraph.methods.keys import run_keys
from privgraph.methods.teachers.parts import split_parts
from privgraph.methods.teachers.privgnn.config import Config
from privgraph.methods.teachers.privgnn.table import class_sums
from privgraph.methods.teachers.privgnn.votes import GRID, PublicEncoder, weights
from privgraph.methods.training import Context, train_one
from privgraph.nn.training import fit_private
from privgraph.privacy.calibration import calibrate
from privgraph.privacy.events import Nothing
from privgraph.registry import METHODS
from privgraph.streams import Secret, noise_key

FACTS = PublicFacts(nodes=600, edges=1800, entries=3600, features=20, classes=4, train_nodes=450)


def other_gradients(change: Callable[[PrivateGradients], PrivateGradients]) -> AbstractContextManager[None]:
    """Private gradients whose noise is that of other settings than they say."""
    original = PrivateGradients.release

    def release(mechanisms: Any, *rest: Any) -> None:
        original([change(mechanism) for mechanism in mechanisms], *rest)

    return instead(PrivateGradients, "release", staticmethod(release))


class Rewound(Secret):
    """A stream that begins again where it began, at every `start`."""

    def __init__(self, original: Secret) -> None:
        self.name, self.original = original.name, original
        self.known = original.words(0)
        self.start()

    def start(self) -> None:
        self.at, self.stores = 0, {}

    def words(self, count: int) -> Any:
        missing = self.at + count - len(self.known)
        if missing > 0:
            self.known = np.concatenate([self.known, self.original.words(missing)])
        self.at += count
        return self.known[self.at - count : self.at].copy()


def noise_reused() -> AbstractContextManager[None]:
    original, known = PrivateGradients.release, {}

    def release(mechanisms: Any, net: Any, valid: Tensor, noise: Any, *rest: Any) -> None:
        again = {id(stream): known.setdefault(id(stream), Rewound(stream)) for stream in noise}
        for stream in again.values():
            stream.start()
        original(mechanisms, net, valid, [again[id(stream)] for stream in noise], *rest)

    return instead(PrivateGradients, "release", staticmethod(release))


def one_more_step() -> AbstractContextManager[None]:
    def fit(*inputs: Any, steps: int, **settings: Any) -> Any:
        return fit_private(*inputs, steps=steps + 1, **settings)

    return swapped(fit_private, fit)


def each_counted_once() -> AbstractContextManager[None]:
    """DP-GNN: a gradient that turns round is counted as one that is added: no term is the node's where it
    takes no part."""

    def event(noise_multiplier: float, max_degree: int, rate: float) -> Any:
        return replace(step_event(noise_multiplier, max_degree, rate), absent=0)

    return everywhere(step_event, event)


def replaced_counted_as_added() -> AbstractContextManager[None]:
    """GAP with own rows: the gradient that a record's replacement takes away is forgotten."""

    def entry(*given: Any) -> Any:
        honest = replaced_gradient_entry(*given)
        return replace(honest, event=replace(honest.event, absent=0))

    return everywhere(replaced_gradient_entry, entry)


def rule_skipped() -> AbstractContextManager[None]:
    original = HeterPoisson.formed

    def formed(self: HeterPoisson, centres: Tensor, kept: Tensor) -> Any:
        self.exclusive = False
        return original(self, centres, kept)

    return instead(HeterPoisson, "formed", formed)


def one_scale_for_all() -> AbstractContextManager[None]:
    def add(self: GaussianNoise, values: Tensor, secret: Secret) -> Tensor:
        return SphericalLaplaceNoise(std=self.std).add_(values, secret)

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

    return swapped(pair_rank, rank)


def choice_for_free() -> AbstractContextManager[None]:
    """The epoch that private labels chose is counted as if nobody had looked at them."""
    return everywhere(chosen_epoch_entry, lambda stage: replace(chosen_epoch_entry(stage), event=Nothing()))


def loudest_sets_the_scale() -> AbstractContextManager[None]:
    """Vectors of a table scaled by the longest of all private nodes, so that one node moves everybody
    else's."""

    def private(self: PublicEncoder, x: Tensor) -> Any:
        raw = self.raw(x)
        return np.trunc(raw / np.linalg.norm(raw, axis=1).max(initial=1e-12) / GRID) * GRID

    return instead(PublicEncoder, "private", private)


def rounded_down() -> AbstractContextManager[None]:
    return everywhere(calibrate, lambda *given, **settings: np.floor(10 * calibrate(*given, **settings)) / 10)


def data_left_out() -> AbstractContextManager[None]:
    """The key of a run comes from its spec alone, as once it did."""
    return everywhere(graph_digest, lambda graph, key, known=None: b"")


def name_without_key() -> AbstractContextManager[None]:
    return everywhere(noise_key, lambda folder: bytes(32))


# What looks for it


@cache  # bugs that are looked for in one way have the same check: clean code is looked at once for all of them
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
    """An observer that counts releases."""

    def __init__(self) -> None:
        self.seen = 0

    def join(self, total: Tensor, clip: float) -> None:
        """Adds nothing."""

    def see(self, released: Tensor) -> None:
        self.seen += 1


def releases_are_all_in_the_ledger() -> Verdict:
    graph = load("social", data_options={"nodes": 60, "degree": 4.0, "features": 6})
    counter = Counter()
    context = Context(observer=counter, noise_key=KEY)
    config = METHODS["dp-mlp"].load_config()(epochs=2, batch_size=10, hidden=4)
    for _ in train_one(METHODS["dp-mlp"].load_train(), config, graph, context):
        pass
    told = sum(entry.count for entry in context.ledger.entries)
    return Verdict(wrong=counter.seen != told, seen=f"{counter.seen} releases, {told} in the ledger")


def strangers_keep_their_lists() -> Verdict:
    """When a node is gone, who never pointed to it keeps the same out-edges: what freezing a sample relies
    on."""
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


def a_table_loses_one_vector() -> Verdict:
    """When a private node is gone, its own column has changed by 1 at most, and every other number is what it
    was."""
    parts = split_parts(load("social", data_options={"nodes": 80, "degree": 4.0, "features": 6}), Config())
    encoder, labels = PublicEncoder.of(parts.public, 6), parts.private.y.numpy()

    def sums(kept: Any) -> Any:
        return class_sums(encoder.private(parts.private.x[kept]), labels[kept], parts.public.num_classes)

    everybody = np.arange(len(labels))
    lost = [sums(everybody) - sums(np.delete(everybody, node)) for node in everybody]
    others = sum(bool(np.delete(gone, labels[node], axis=1).any()) for node, gone in enumerate(lost))
    most = max(float(np.linalg.norm(gone)) for gone in lost)
    return Verdict(
        wrong=others > 0 or most > 1, seen=f"{others} departures moved other classes; the largest move is {most:.2f}"
    )


def epsilon_is_kept() -> Verdict:
    config = METHODS["dp-mlp"].load_config()(epsilon=4.0, epochs=5)
    statement = config.at(FACTS, config.scale(FACTS))  # a plan would refuse it
    return Verdict(wrong=statement.epsilon > 4.0, seen=f"costs {statement.epsilon:.2f} where 4 was asked")


def one_edge_less_has_other_noise() -> Verdict:
    """The same run, trained again when a friendship is gone: what its two releases have in common."""
    graph = load("karate")
    less = replace(graph, edge_index=graph.edge_index[:, graph.edge_index.sum(0) > 1])  # nodes 0 and 1 part
    drawn = []
    for one in (graph, less):
        (key,) = run_keys(b"secret", ["the same run"], [one], "cpu")
        drawn.append(draw("gaussian", 1.0, Context(noise_key=key.noise).secret("noise/aggregation"), 2000))
    alike = float(np.corrcoef(*drawn)[0, 1])
    return Verdict(wrong=abs(alike) > 0.2, seen=f"noise on two graphs has a correlation of {alike:.2f}")


def names_cannot_be_compared() -> Verdict:
    """Who has the same graph, on another machine, and stores it there."""
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        names = []
        for folder in (one, other):
            with patch.dict(os.environ, {"PRIVGRAPH_HOME": folder}):
                names.append(made.taken({"graph.npz": made.npz(made.arrays())}).name)
    same = names[0] == names[1]
    return Verdict(wrong=same, seen=f"{'the same name' if same else 'two names'} on two machines")


def choice_is_covered() -> Verdict:
    claimed, shown = epoch_choice.claimed_and_shown(runs=150)
    return Verdict(wrong=shown > claimed, seen=f"a label shows {shown:.2f} for a claimed {claimed:.2f}")


WHOLE = {"epochs": 5, "batch_size": 450}
"""Few steps, in which every node takes part."""

BUGS = (
    Bug(
        "noise at half scale",
        "mechanisms/gradients.py",
        lambda: other_gradients(lambda one: replace(one, noise_multiplier=one.noise_multiplier / 2)),
        audited("dp-mlp", epsilon=4.0, **WHOLE),
    ),
    Bug(
        "clip not applied",
        "mechanisms/gradients.py",
        lambda: swapped(clip_factors, lambda squared_norms, clips: torch.ones_like(squared_norms)),
        audited("dp-mlp", epsilon=4.0, **WHOLE),
    ),
    Bug(
        "noise not scaled by the clip",
        "mechanisms/gradients.py",
        lambda: other_gradients(lambda one: replace(one, noise_multiplier=one.noise_multiplier / one.clip)),
        audited("dp-mlp", epsilon=4.0, clip=3.0, **WHOLE),
    ),
    Bug(
        "sampling rate understated",
        "mechanisms/sampling.py",
        lambda: swapped(
            poisson_batch,
            lambda examples, rate, *rest: poisson_batch(examples, min(1.0, 4 * rate), *rest),
        ),
        audited("dp-mlp", epsilon=2.0, epochs=2, batch_size=45),
    ),
    Bug(
        "noise drawn once and reused", "mechanisms/gradients.py", noise_reused, audited("dp-mlp", epsilon=2.0, **WHOLE)
    ),
    Bug(
        "sensitivity of NAP forgotten: rows of any length",
        "mechanisms/aggregation.py",
        lambda: swapped(unit_rows, lambda rows: rows),
        audited("gap", trials=1000, unit="edge", epsilon=2.0),
    ),
    Bug(
        "sensitivity of NAP forgotten: one row where D move",
        "mechanisms/entries.py",
        lambda: everywhere(aggregation_sensitivity, lambda unit, undirected, max_degree: 1.0),
        audited("gap", trials=2000, unit="node", epsilon=2.0, depth=4, epochs=1, batch_size=450, max_degree=16),
    ),
    Bug(
        "one scalar mixing variable for all coordinates",
        "mechanisms/gaussian.py",
        one_scale_for_all,
        audited("gap", trials=9000, unit="edge", epsilon=2.0),
    ),
    Bug(
        "add where replace was claimed",
        "methods/gradients/dp_gnn/config.py",
        each_counted_once,
        audited("dp-gnn", trials=16_000, epsilon=2.0, max_degree=8, **WHOLE),
    ),
    Bug(
        "a replaced record's old gradient forgotten",
        "mechanisms/entries.py",
        replaced_counted_as_added,
        audited("gap", unit="node", own_rows=True, epsilon=4.0, depth=1, **WHOLE),
    ),
    Bug("one more composition than counted", "nn/training.py", one_more_step, releases_are_all_in_the_ledger),
    Bug(
        "central/peripheral rule skipped",
        "methods/gradients/heter_poisson/sampling.py",
        rule_skipped,
        audited("heter-poisson", trials=2000, epsilon=2.0, exclusive=True, neighbours=8, batch_size=441, epochs=3),
    ),
    Bug(
        "degree bound drawn for each reader's list",
        "mechanisms/degree.py",
        bounded_by_reader,
        audited("gap", trials=4000, unit="node", epsilon=2.0, depth=4, epochs=1, batch_size=450, max_degree=2),
    ),
    Bug("degree bound drawn again when a node leaves", "mechanisms/degree.py", drawn_again, strangers_keep_their_lists),
    Bug("the epoch chosen by private labels for free", "mechanisms/entries.py", choice_for_free, choice_is_covered),
    Bug("calibration rounded down", "privacy/calibration.py", rounded_down, epsilon_is_kept),
    Bug(
        "a vote may weigh any amount",
        "methods/teachers/privgnn/votes.py",
        lambda: swapped(weights, lambda queries, nodes: queries @ nodes.T),
        audited("privgnn", trials=1000, epsilon=2.0, release="votes", queries=50),
    ),
    Bug(
        "a vector of the table may have any length",
        "methods/teachers/privgnn/votes.py",
        lambda: instead(PublicEncoder, "private", lambda self, x: self.raw(x)),
        audited("privgnn", trials=1000, epsilon=2.0),
    ),
    Bug(
        "the loudest private node scales everybody's vector",
        "methods/teachers/privgnn/votes.py",
        loudest_sets_the_scale,
        a_table_loses_one_vector,
    ),
    Bug(
        "a table with less noise than its entry says",
        "mechanisms/noisy_max.py",
        lambda: instead(
            NoisyVotes,
            "noisy",
            lambda self, votes, secret: add("gaussian", self.std / 2, votes, secret),
        ),
        audited("privgnn", trials=9000, epsilon=2.0),
    ),
    Bug(
        "a gate without noise",
        "mechanisms/noisy_max.py",
        lambda: instead(NoisyGate, "passes", lambda self, counts, secret: counts.max(axis=-1) > self.threshold),
        audited("privgnn", epsilon=1.0, release="ensemble", gate=2.0, queries=50),
    ),
    Bug("the same noise on other data", "methods/keys.py", data_left_out, one_edge_less_has_other_noise),
    Bug("an upload's name is a hash without a key", "data/uploads.py", name_without_key, names_cannot_be_compared),
)
