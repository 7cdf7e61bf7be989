"""DP-GNN: Adam on noisy sums of clipped gradients, one gradient a sampled subgraph."""

from collections.abc import Generator, Iterator, Sequence

import torch
from torch.nn import functional

from privgraph.data.graph import without_edges
from privgraph.mechanisms.gradients import SUMS, PrivateGradients
from privgraph.mechanisms.sampling import poisson_batch
from privgraph.methods.accuracies import SPLITS, split_accuracies, test_measures
from privgraph.methods.gradients.dp_gnn.config import Config
from privgraph.methods.gradients.dp_gnn.network import SubgraphNetwork
from privgraph.methods.gradients.dp_gnn.subgraphs import by_width, frozen_subgraphs, widths
from privgraph.methods.training import Member, keep_predictions
from privgraph.nn.optim import StackedAdam
from privgraph.nn.tables import BLOCK
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Metric, Progress, Result, Spent
from privgraph.streams import stream_seed


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another: each has neighbour lists of its own."""
    for index, member in enumerate(members):
        for event in _train_one(member):
            yield index, event


def _train_one(member: Member[Config]) -> Iterator[Event]:
    config = member.config
    context, graph, facts = member.context, member.graph, member.graph.facts
    device = context.device
    multiplier = member.plan.scale
    rate, steps = config.rate(facts.train_nodes), config.steps(facts.train_nodes)
    mechanism = PrivateGradients(
        clip=config.clip, noise_multiplier=multiplier, rate=rate, expected_batch=rate * facts.train_nodes
    )
    x, y, adjacency = graph.x.to(device), graph.y.to(device), graph.adjacency().to(device)
    masks = {name: getattr(graph, f"{name}_mask").to(device) for name in SPLITS}
    roots, subgraphs = frozen_subgraphs(
        graph.edge_index.to(device),
        graph.training_roster.to(device),
        config.max_degree,
        stream_seed(context.seed, "split/degree"),
    )
    here = masks["train"][roots]
    network = SubgraphNetwork(facts.features, config.hidden, facts.classes, device)
    for width in widths(config.max_degree):
        network.require_places_alike(width)
    network.initialise(context.generator("init"))
    optimiser = StackedAdam(network.parameters, torch.tensor([config.learning_rate], device=device))
    sampling, noise = context.secret("sampling/batches"), context.secret("noise/gradients")
    unlinked = without_edges(facts.nodes).to(device) if context.outsider is not None else None
    best: dict[str, float] = {}
    answers: dict[str, torch.Tensor] = {}
    said = torch.zeros(0)
    for epoch in range(1, config.epochs + 1):
        total_loss, drawn = 0.0, 0
        count = epoch * steps // config.epochs - (epoch - 1) * steps // config.epochs
        for _ in range(count):
            batch = poisson_batch(roots.numel(), rate, sampling, device)
            batch = batch[here[batch]]  # who opted out keeps the coin, and is in no batch
            # An empty sample is a step too: noise alone, as the accounting assumes.
            total = torch.zeros_like(network.gradients, dtype=SUMS)
            for part, width in by_width(subgraphs, batch, BLOCK):
                valid = torch.arange(BLOCK, device=device).unsqueeze(0) < part.numel()
                filled = functional.pad(part, (0, BLOCK - part.numel()))
                losses, _ = network.backward(x, subgraphs[filled, : 1 + width], y[roots[filled]])
                PrivateGradients.clip_and_sum([mechanism], network, valid)
                total += network.gradients
                total_loss, drawn = total_loss + float(losses[: part.numel()].sum()), drawn + part.numel()
            network.gradients.copy_(total)
            PrivateGradients.perturb([mechanism], network, [noise], [context.observer])
            optimiser.step(network.gradients)
        spent = config.entry(facts, multiplier, count)
        context.ledger.add(spent)
        yield Spent(entry=entry_to_json(spent))
        logits = network.predict(x, adjacency)
        accuracies = split_accuracies(logits.argmax(dim=1), y, masks)
        better = "val_accuracy" in accuracies and accuracies["val_accuracy"] > best.get("val_accuracy", -1.0)
        if config.selection == "last" or better:
            best, said = accuracies, logits
            if unlinked is not None:
                answers = {"linked": logits, "alone": network.predict(x, unlinked)}
        if drawn:
            yield Metric(name="train_loss", value=total_loss / drawn, step=epoch)
        for name, value in accuracies.items():
            yield Metric(name=name, value=value, step=epoch)
        yield Progress(step=epoch, total=config.epochs, stage="training")
    if context.outsider is not None:
        context.outsider.hears(**answers)
    for chosen in config.unpaid():
        context.ledger.add(chosen)
        yield Spent(entry=entry_to_json(chosen))
    yield from keep_predictions(context, said.argmax(dim=1), config.unit)
    yield Result(metrics={**best, **test_measures(said[masks["test"]], y[masks["test"]])})
