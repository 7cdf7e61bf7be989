"""Training of a stack of MLPs with private gradients (DP-Adam)."""

from collections.abc import Generator, Iterator, Sequence

import torch

from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.methods.baselines.perceptron import epoch_events, labels_and_masks, network, results
from privgraph.methods.gradients.dp_mlp.config import Config
from privgraph.methods.training import Member
from privgraph.nn.training import fit_private
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Spent


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members of one stack key; those with equally many training nodes are one computation.

    Group normalisation with one group keeps examples apart, so that per-example gradients exist.
    """
    groups: dict[int, list[int]] = {}
    for index, member in enumerate(members):
        groups.setdefault(member.graph.facts.train_nodes, []).append(index)
    for indices in groups.values():
        yield from _train_stack([members[index] for index in indices], indices)


def _train_stack(members: Sequence[Member[Config]], indices: Sequence[int]) -> Iterator[tuple[int, Event]]:
    config = members[0].config
    train_nodes = members[0].graph.facts.train_nodes
    rate, steps = config.rate(train_nodes), config.steps(train_nodes)
    mechanisms = [
        PrivateGradients(
            clip=member.config.clip, noise_multiplier=member.plan.scale, rate=rate, expected_batch=rate * train_nodes
        )
        for member in members
    ]
    net, inputs = network(members, norm="group")
    labels, masks = labels_and_masks(members)
    for epoch in fit_private(
        net,
        [inputs],
        labels,
        rosters=torch.stack([member.graph.training_roster for member in members]).to(labels.device),
        train_masks=masks["train"],
        val_masks=masks["val"],
        learning_rates=torch.tensor([member.config.learning_rate for member in members]),
        gradients=mechanisms,
        epochs=config.epochs,
        steps=steps,
        sampling=[member.context.secret("sampling/batches") for member in members],
        noise=[member.context.secret("noise/gradients") for member in members],
        selection=config.selection,
        observers=[member.context.observer for member in members],
    ):
        count = epoch.epoch * steps // config.epochs - (epoch.epoch - 1) * steps // config.epochs
        spent = [mechanism.entry("training", count) for mechanism in mechanisms]
        # All ledgers before any event: whoever stops at an event has spent what all members have.
        for member, entry in zip(members, spent, strict=True):
            member.context.ledger.add(entry)
        for index, entry in zip(indices, spent, strict=True):
            yield index, Spent(entry=entry_to_json(entry))
        yield from epoch_events(epoch, indices, config.epochs)
    for index, member in zip(indices, members, strict=True):
        for entry in member.config.unpaid():
            member.context.ledger.add(entry)
            yield index, Spent(entry=entry_to_json(entry))
    yield from results(net, inputs, members, indices)
