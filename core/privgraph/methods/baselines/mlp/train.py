"""Training of a stack of MLPs on features alone."""

from collections.abc import Generator, Sequence

import torch

from privgraph.methods.baselines.mlp.config import Config
from privgraph.methods.baselines.perceptron import epoch_events, labels_and_masks, network, results
from privgraph.methods.training import Member
from privgraph.nn.training import fit_full_batch
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Spent


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
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
