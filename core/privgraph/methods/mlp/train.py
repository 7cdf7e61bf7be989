"""Training of a stack of MLPs on features alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch

from privgraph.methods.base import Member
from privgraph.methods.mlp.config import MlpOptions
from privgraph.nn.inputs import Shared
from privgraph.nn.layers import Linear
from privgraph.nn.stacked import StackedNet, mlp_layers
from privgraph.nn.training import Epoch, accuracies, fit_full_batch
from privgraph.privacy.serial import entry_to_json
from privgraph.progress import Event, Metric, Progress, Result, Spent

SPLITS = ("train", "val", "test")


def train(members: Sequence[Member]) -> Iterator[tuple[int, Event]]:
    """Train members of one stack key as one computation; the epoch of best validation accuracy is kept.

    Features and labels are public with respect to an edge, so that choosing the epoch costs no edge anything.
    """
    first = members[0].config
    for index, member in enumerate(members):
        spent = member.config.entry()
        member.context.ledger.add(spent)
        yield index, Spent(entry=entry_to_json(spent))
    net, inputs = network(members, norm="batch", dropout=first.dropout)
    labels, masks = labels_and_masks(members)
    validated = bool(masks["val"].any(dim=1).all())
    for epoch in fit_full_batch(
        net,
        [inputs],
        labels,
        train_masks=masks["train"],
        val_masks=masks["val"],
        learning_rates=torch.tensor([member.config.learning_rate for member in members]),
        epochs=first.epochs,
        weight_decay=first.weight_decay,
        selection="validation" if validated else "last",
        generators=[member.context.generator("dropout") for member in members],
    ):
        yield from epoch_events(epoch, range(len(members)), first.epochs)
    yield from results(net, inputs, members, range(len(members)))


def network(members: Sequence[Member], *, norm: str, dropout: float = 0.0) -> tuple[StackedNet, Shared]:
    """The members' networks, initialised from their own seeds, and the features that they share."""
    config: MlpOptions = members[0].config
    graph, device = members[0].graph, members[0].context.device
    features, classes = int(graph.x.shape[1]), graph.num_classes
    hidden = mlp_layers(features, config.hidden, config.layers - 1, norm=norm, dropout=dropout)
    if hidden:
        branch, trunk = hidden, [Linear(config.hidden, classes)]
    else:
        branch, trunk = [Linear(features, classes)], []
    net = StackedNet([branch], trunk, members=len(members), device=device)
    net.initialise([member.context.generator("init") for member in members])
    return net, Shared.of(graph.x.to(device))


def labels_and_masks(members: Sequence[Member]) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """The shared labels (|V|,), and the members' own splits, each (S, |V|)."""
    device = members[0].context.device
    masks = {
        name: torch.stack([getattr(member.graph, f"{name}_mask") for member in members]).to(device) for name in SPLITS
    }
    return members[0].graph.y.to(device), masks


def epoch_events(epoch: Epoch, indices: Sequence[int], total: int) -> Iterator[tuple[int, Event]]:
    """What an epoch tells of each member; a number that does not exist (nobody was drawn) is left out."""
    for place, index in enumerate(indices):
        told = {
            "train_loss": epoch.loss,
            "train_accuracy": epoch.train_accuracy,
            "val_accuracy": epoch.val_accuracy,
        }
        for name, values in told.items():
            if math.isfinite(value := float(values[place])):
                yield index, Metric(name=name, value=value, step=epoch.epoch)
        yield index, Progress(step=epoch.epoch, total=total, stage="training")


def results(
    net: StackedNet, inputs: Shared, members: Sequence[Member], indices: Sequence[int]
) -> Iterator[tuple[int, Event]]:
    """Each member's accuracies, with the parameters that its training left."""
    labels, masks = labels_and_masks(members)
    found = accuracies(net, [inputs], labels, [masks[name] for name in SPLITS])
    for place, index in enumerate(indices):
        metrics = {
            f"{name}_accuracy": float(values[place])
            for name, values in zip(SPLITS, found, strict=True)
            if bool(masks[name][place].any())
        }
        yield index, Result(metrics=metrics)
