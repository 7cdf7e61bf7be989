"""Training of an ordinary graph network, with the best epoch chosen on validation nodes."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.data.graph import Graph, without_edges
from privgraph.methods.accuracies import SPLITS, chance_level, split_accuracies
from privgraph.methods.baselines.options import GraphNetworkOptions
from privgraph.methods.training import Context
from privgraph.nn.gnn import GraphNetwork, initialise
from privgraph.progress import Event, Metric, Progress, Result


def fit(graph: Graph, options: GraphNetworkOptions, context: Context) -> Iterator[Event]:
    """Train on `graph` as it is and end with a `Result` at the epoch of best validation accuracy.

    Early epochs win ties. Without validation nodes the last epoch is taken.
    """
    device = context.device
    x, y = graph.x.to(device), graph.y.to(device)
    masks = {name: getattr(graph, f"{name}_mask").to(device) for name in SPLITS}
    model = GraphNetwork(
        x.shape[1],
        graph.num_classes,
        conv=options.conv,
        layers=options.layers,
        hidden=options.hidden,
        dropout=options.dropout,
        jump=options.jump,
        generator=context.generator("dropout"),
    ).to(device)
    initialise(model, context.generator("init"))
    adjacency = model.prepare(graph.adjacency().to(device))
    optimiser = torch.optim.Adam(model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay)
    unlinked = model.prepare(without_edges(graph.num_nodes).to(device)) if context.outsider is not None else None
    best: dict[str, float] = {}
    answers: dict[str, Tensor] = {}
    for epoch in range(1, options.epochs + 1):
        model.train()
        optimiser.zero_grad()
        logits = model(x, adjacency)
        loss = functional.cross_entropy(logits[masks["train"]], y[masks["train"]])
        torch.autograd.backward(loss)
        optimiser.step()
        model.eval()
        with torch.no_grad():
            logits = model(x, adjacency)
            accuracies = split_accuracies(logits.argmax(dim=1), y, masks)
            if not best or "val_accuracy" not in accuracies or accuracies["val_accuracy"] > best["val_accuracy"]:
                best = accuracies
                if unlinked is not None:
                    answers = {"linked": logits, "alone": model(x, unlinked)}
        yield Metric(name="train_loss", value=loss.item(), step=epoch)
        for name, value in accuracies.items():
            yield Metric(name=name, value=value, step=epoch)
        yield Progress(step=epoch, total=options.epochs, stage="training")
    if context.outsider is not None:
        context.outsider.hears(**answers)
    yield Result(metrics={**best, **chance_level(y[masks["test"]])})
