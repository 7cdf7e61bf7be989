"""Training GAP: encoder without edges, K noisy hops, classifier over all hops. See README.md for
equations."""

from collections.abc import Generator, Iterator, Sequence

import torch
from torch import Tensor

from privgraph.methods.aggregation.gap.config import Config
from privgraph.methods.aggregation.stack import Stack, groups
from privgraph.methods.training import Member
from privgraph.nn.inputs import Inputs, PerMember
from privgraph.nn.layers import BatchNorm, Dropout, GroupNorm, Layer, Linear, Selu, UnitNorm
from privgraph.nn.stacked import StackedNet, mlp_layers
from privgraph.progress import Event


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train every member; those that may share a computation do. See `methods.base.TrainEntry`."""
    for positions in groups(members, lambda config: config.width):
        yield from _train(Stack([members[position] for position in positions], positions))


def _train(stack: Stack) -> Iterator[tuple[int, Event]]:
    config = stack.config
    assert isinstance(config, Config)
    yield from stack.say("Encoder, without edges")
    encoder = _encoder(stack, config)
    yield from stack.train(encoder, [stack.features], "encoder")
    hops: list[Inputs] = [PerMember(_unit(encoder.branch_output(0, stack.features)))]
    for hop in range(1, config.depth + 1):
        newest = hops[-1]
        assert isinstance(newest, PerMember)
        noisy, spent = stack.aggregate(newest.values, f"hop {hop}")
        hops.append(PerMember(_unit(noisy)))
        yield from spent
    yield from stack.say(f"Classifier over {config.depth} hops")
    classifier = _classifier(stack, config, hops)
    yield from stack.train(classifier, hops, "classifier")
    yield from stack.finish(classifier, hops)


def _unit(table: Tensor) -> Tensor:
    """(S, d, |V|) with every node's row of norm 1."""
    return torch.nn.functional.normalize(table, p=2.0, dim=1)


def _after(config: Config, width: int) -> list[Layer]:
    """What follows a combination of embeddings: unit rows, batch or group norm, dropout, activation."""
    layers: list[Layer] = [UnitNorm(width), GroupNorm(width) if config.unit == "node" else BatchNorm(width)]
    if config.dropout > 0:
        layers.append(Dropout(width, config.dropout))
    return [*layers, Selu(width)]


def _encoder(stack: Stack, config: Config) -> StackedNet:
    norm = "group" if config.unit == "node" else "batch"
    inner = mlp_layers(
        stack.features.features, config.hidden, config.encoder_layers - 1, norm=norm, dropout=config.dropout
    )
    before = config.hidden if inner else stack.features.features
    trunk = [*_after(config, config.hidden), Linear(config.hidden, stack.classes)]
    net = StackedNet([[*inner, Linear(before, config.hidden)]], trunk, members=stack.size, device=stack.device)
    net.initialise(stack.net_generators("encoder"))
    return net


def _classifier(stack: Stack, config: Config, hops: Sequence[Inputs]) -> StackedNet:
    width = config.hidden * len(hops)
    branches = [[Linear(config.hidden, config.hidden)] for _ in hops]
    trunk = [*_after(config, width), Linear(width, stack.classes)]
    net = StackedNet(branches, trunk, members=stack.size, device=stack.device)
    net.initialise(stack.net_generators("classifier"))
    return net
