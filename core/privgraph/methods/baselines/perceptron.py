"""A stack of perceptrons on features alone: what the MLP and the DP-MLP share."""

import math
from collections.abc import Iterator, Sequence

import torch

from privgraph.methods.accuracies import SPLITS, test_measures
from privgraph.methods.baselines.mlp.config import MlpOptions
from privgraph.methods.training import Member, keep_predictions
from privgraph.nn.inputs import Shared
from privgraph.nn.layers import EVALUATION, Linear
from privgraph.nn.stacked import StackedNet, mlp_layers
from privgraph.nn.training import Epoch, accuracies
from privgraph.progress import Event, Metric, Progress, Result


def network(members: Sequence[Member[MlpOptions]], *, norm: str, dropout: float = 0.0) -> tuple[StackedNet, Shared]:
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


def labels_and_masks(members: Sequence[Member[MlpOptions]]) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """The shared labels (|V|,), and the members' own splits, each (S, |V|)."""
    device = members[0].context.device
    masks = {
        name: torch.stack([getattr(member.graph, f"{name}_mask") for member in members]).to(device) for name in SPLITS
    }
    return members[0].graph.y.to(device), masks


def epoch_events(epoch: Epoch, indices: Sequence[int], total: int) -> Iterator[tuple[int, Event]]:
    """What an epoch tells of each member; a number that does not exist (nobody was drawn) is left out."""
    for place, index in enumerate(indices):
        metrics = {
            "train_loss": epoch.loss,
            "train_accuracy": epoch.train_accuracy,
            "val_accuracy": epoch.val_accuracy,
        }
        for name, values in metrics.items():
            if math.isfinite(value := float(values[place])):
                yield index, Metric(name=name, value=value, step=epoch.epoch)
        yield index, Progress(step=epoch.epoch, total=total, stage="training")


def results(
    net: StackedNet, inputs: Shared, members: Sequence[Member[MlpOptions]], indices: Sequence[int]
) -> Iterator[tuple[int, Event]]:
    """Each member's accuracies, with the parameters that its training left."""
    labels, masks = labels_and_masks(members)
    found = accuracies(net, [inputs], labels, [masks[name] for name in SPLITS])
    said = net.forward([inputs], EVALUATION).transpose(1, 2)
    for index, member, logits in zip(indices, members, said, strict=True):
        if member.context.outsider is not None:
            member.context.outsider.hears(linked=logits)
        for kept in keep_predictions(member.context, logits.argmax(1), member.config.unit):
            yield index, kept
    for place, index in enumerate(indices):
        test = masks["test"][place]
        metrics = {
            f"{name}_accuracy": float(values[place])
            for name, values in zip(SPLITS, found, strict=True)
            if bool(masks[name][place].any())
        }
        yield index, Result(metrics={**metrics, **test_measures(said[place][test], labels[test])})
