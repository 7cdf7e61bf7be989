"""Training GAP and ProGAP as stacks: members, their masks, noise, ledgers and events."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.mechanisms.aggregation import AggregationPerturbation, release_stack
from privgraph.mechanisms.degree import bounded_graph
from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.methods import predictions
from privgraph.methods.accuracies import test_measures
from privgraph.methods.aggregation.options import AggregationConfig, unprotected_training
from privgraph.methods.training import ConfigT, Member
from privgraph.nn.inputs import Inputs, Shared
from privgraph.nn.layers import EVALUATION
from privgraph.nn.stacked import StackedNet
from privgraph.nn.training import Epoch, fit_full_batch, fit_private
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Artifact, Event, Log, Metric, Progress, Result, Spent
from privgraph.streams import stream_seed

MEMORY_BUDGET = 2 << 30
"""Bytes of activations that a stack may take; more members are trained in several stacks."""
CURVE_POINTS = 300
"""Points of each curve that a run tells, whatever its number of epochs."""


def groups(members: Sequence[Member[ConfigT]], width: Callable[[ConfigT], int]) -> list[list[int]]:
    """Positions of members that are trained together: equal stacking keys, graphs and training sizes, in the
    budget.

    Members of a stack share features, labels and edges; their splits may differ. `width` is how many numbers
    a node has in a pass of such a configuration, beside its classes.
    """
    graphs: list[Graph] = []
    by_key: dict[tuple[object, ...], list[int]] = {}
    for position, member in enumerate(members):
        graph = member.graph
        known = next((number for number, other in enumerate(graphs) if _same_graph(graph, other)), len(graphs))
        if known == len(graphs):
            graphs.append(graph)
        key = (known, *member.config.stack_key(), graph.facts.train_nodes)
        by_key.setdefault(key, []).append(position)
    result = []
    for positions in by_key.values():
        first = members[positions[0]]
        numbers = width(first.config) + first.graph.num_classes
        size = max(1, MEMORY_BUDGET // (first.graph.num_nodes * numbers * 4 * 14))
        result += [positions[start : start + size] for start in range(0, len(positions), size)]
    return result


def _same_graph(one: Graph, other: Graph) -> bool:
    return one is other or all(_same(getattr(one, name), getattr(other, name)) for name in ("edge_index", "x", "y"))


def _same(one: Tensor, other: Tensor) -> bool:
    return one is other or one.data_ptr() == other.data_ptr() or torch.equal(one, other)


def macro_precision(predicted: Tensor, labels: Tensor, classes: int) -> float:
    """The share of right answers among those for a class, averaged over the classes (HeterPoisson, Table 3).

    predicted, labels: (n,) class numbers. A class that is never said has precision 0.

    >>> macro_precision(torch.tensor([0, 0, 1, 1]), torch.tensor([0, 1, 1, 1]), 3)
    0.5
    """
    said = torch.bincount(predicted, minlength=classes)
    right = torch.bincount(predicted[predicted == labels], minlength=classes)
    return float((right.double() / said.clamp_min(1)).mean())


@dataclass(eq=False)
class Stack:
    """Members trained as one computation. Events carry the member's position in the caller's list."""

    members: Sequence[Member[AggregationConfig]]
    positions: Sequence[int]
    scales: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.config = self.members[0].config
        graph = self.members[0].graph
        self.device = self.members[0].context.device
        self.size = len(self.members)
        self.classes, self.nodes = graph.num_classes, graph.num_nodes
        self.labels = graph.y.to(self.device)
        x = graph.x.to(self.device)
        # How many numbers are zero is private where nodes are, and decides the order of everybody's sums:
        # never sparse there.
        self.features = Shared(rows=x, columns=x.t()) if self.config.unit == "node" else Shared.of(x)
        self.rosters, self.train_masks, self.val_masks, self.test_masks = (
            torch.stack([getattr(member.graph, name) for member in self.members]).to(self.device)
            for name in ("training_roster", "train_mask", "val_mask", "test_mask")
        )
        self.scales = [member.plan.scale for member in self.members]
        self._adjacencies = [adjacency.to(self.device) for adjacency in self._bounded()]
        if self.config.unit != "node":
            self._adjacencies = self._adjacencies[:1] * self.size
        self._done = 0
        self._total = self.members[0].plan.steps

    def _bounded(self) -> list[Tensor]:
        if self.config.unit != "node":
            return [self.members[0].graph.adjacency()]
        adjacencies = []
        for member in self.members:
            seed = stream_seed(member.context.seed, "split/degree")
            both_ways = member.config.covers_own_rows
            adjacencies.append(bounded_graph(member.graph, member.config.max_degree, seed, both_ways).adjacency())
        return adjacencies

    def net_generators(self, stage: str) -> list[torch.Generator]:
        """Each member's own generator for a stage's weights."""
        return [member.context.generator(f"init/{stage}") for member in self.members]

    def say(self, message: str) -> Iterator[tuple[int, Event]]:
        """A sentence for every member's log."""
        for position in self.positions:
            yield position, Log(message=message)

    def aggregate(self, embeddings: Tensor, stage: str) -> tuple[Tensor, list[tuple[int, Event]]]:
        """NAP, once: noisy aggregates (S, d, |V|) of embeddings (S, d, |V|), and what it cost."""
        mechanisms = [
            AggregationPerturbation(
                unit=member.config.unit,
                std=member.config.aggregation_std(scale),
                undirected=member.graph.undirected,
                max_degree=member.config.max_degree,
                own_rows=member.config.covers_own_rows,
            )
            for member, scale in zip(self.members, self.scales, strict=True)
        ]
        secrets = [member.context.secret(f"noise/aggregation/{stage}") for member in self.members]
        noisy = release_stack(mechanisms, self._adjacencies, embeddings, secrets)
        return noisy, self._spend([mechanism.entry(stage) for mechanism in mechanisms])

    def train(self, net: StackedNet, inputs: Sequence[Inputs], stage: str) -> Iterator[tuple[int, Event]]:
        """Train a stage's network in place, telling curves and what it cost."""
        config = self.config
        rates = torch.tensor([member.config.learning_rate for member in self.members], device=self.device)
        selection = "validation" if config.chooses_epoch else "last"
        spent: list[tuple[int, Event]]
        if config.unit == "node":
            plans = [member.config.sampling(member.graph.facts) for member in self.members]
            mechanisms = [
                PrivateGradients(
                    clip=member.config.clip, noise_multiplier=scale, rate=plan.rate, expected_batch=plan.expected_batch
                )
                for member, scale, plan in zip(self.members, self.scales, plans, strict=True)
            ]
            steps = plans[0].steps
            epochs = fit_private(
                net,
                inputs,
                self.labels,
                rosters=self.rosters,
                train_masks=self.train_masks,
                val_masks=self.val_masks,
                learning_rates=rates,
                gradients=mechanisms,
                epochs=config.effective_epochs,
                steps=steps,
                sampling=[member.context.secret(f"sampling/{stage}") for member in self.members],
                noise=[member.context.secret(f"noise/gradients/{stage}") for member in self.members],
                dropout=[member.context.secret(f"sampling/dropout/{stage}") for member in self.members],
                weight_decay=config.weight_decay,
                selection=selection,
                observers=[member.context.observer for member in self.members],
            )
            yield from self._tell(epochs, stage)
            paid = [
                member.config.training_entries(member.graph.facts, scale, stage)
                for member, scale in zip(self.members, self.scales, strict=True)
            ]
            spent = [event for entries in zip(*paid, strict=True) for event in self._spend(entries)]
        else:
            epochs = fit_full_batch(
                net,
                inputs,
                self.labels,
                train_masks=self.train_masks,
                val_masks=self.val_masks,
                learning_rates=rates,
                epochs=config.effective_epochs,
                weight_decay=config.weight_decay,
                selection=selection,
                generators=[member.context.generator(f"dropout/{stage}") for member in self.members],
            )
            yield from self._tell(epochs, stage)
            bare = [member.config.unit == "none" for member in self.members]
            spent = self._spend([unprotected_training(stage) if open_ else None for open_ in bare])
        yield from spent

    def finish(self, net: StackedNet, inputs: Sequence[Inputs]) -> Iterator[tuple[int, Event]]:
        """Predict every node from what is cached, and end each member's run with its result."""
        logits = net.forward(inputs, EVALUATION)
        predicted = logits.argmax(1)
        right = predicted == self.labels
        for index, (position, member) in enumerate(zip(self.positions, self.members, strict=True)):
            metrics = {}
            for name in ("test", "val", "train"):
                mask = getattr(self, f"{name}_masks")[index]
                if bool(mask.any()):
                    metrics[f"{name}_accuracy"] = float(right[index][mask].double().mean())
            test = self.test_masks[index]
            if bool(test.any()):
                metrics |= test_measures(logits[index][:, test].t(), self.labels[test])
                metrics["test_precision"] = macro_precision(predicted[index][test], self.labels[test], self.classes)
            if member.context.outsider is not None:
                member.context.outsider.hears(linked=logits[index].t())
            if member.context.folder is not None:
                probabilities = logits[index].softmax(0).t().cpu().numpy()
                predictions.write(
                    member.context.folder,
                    predicted[index].cpu().numpy(),
                    probabilities=probabilities.astype(np.float32),
                )
                # At edge level all predictions are covered; at node level a node's own is not, and without
                # privacy none.
                kept = "" if member.config.unit == "edge" else " (not for release)"
                yield position, Artifact(name=predictions.NAME, title=f"Predicted class of every node{kept}")
            yield position, Result(metrics=metrics)

    def _tell(self, epochs: Iterator[Epoch], stage: str) -> Iterator[tuple[int, Event]]:
        stride = math.ceil(self._total / CURVE_POINTS)
        last = self._done + self.config.effective_epochs
        for record in epochs:
            self._done += 1
            if self._done % stride and self._done != last:
                continue
            curves = {
                "train_loss": record.loss.tolist(),
                "train_accuracy": record.train_accuracy.tolist(),
                "val_accuracy": record.val_accuracy.tolist(),
            }
            for index, position in enumerate(self.positions):
                for name, values in curves.items():
                    if math.isfinite(values[index]):
                        yield position, Metric(name=name, value=values[index], step=self._done, stage=stage)
                yield position, Progress(step=self._done, total=self._total, stage=stage)

    def _spend(self, entries: Sequence[LedgerEntry | None]) -> list[tuple[int, Event]]:
        events: list[tuple[int, Event]] = []
        for position, member, entry in zip(self.positions, self.members, entries, strict=True):
            if entry is not None:
                member.context.ledger.add(entry)
                events.append((position, Spent(entry=entry_to_json(entry))))
        return events
