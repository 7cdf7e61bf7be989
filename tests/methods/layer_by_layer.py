"""The slow twin of `methods.baselines.network`: one network, by PyTorch Geometric's layers and autograd."""

from collections.abc import Iterable, Iterator

import torch
from torch.nn import functional

from privgraph.data.graph import Graph, without_edges
from privgraph.methods.accuracies import SPLITS, split_accuracies, test_measures
from privgraph.methods.baselines.options import GraphNetworkOptions
from privgraph.methods.training import Context
from privgraph.nn.gnn import GraphNetwork, initialise
from privgraph.progress import Event, Metric, Result


def fit_by_layers(graph: Graph, options: GraphNetworkOptions, context: Context) -> Iterator[Event]:
    """One network, whose best epoch by validation accuracy counts; an outsider hears what it says."""
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
    ).to(device, x.dtype)
    initialise(model, context.generator("init"))
    adjacency = model.prepare(graph.adjacency().to(device, x.dtype))
    unlinked = model.prepare(without_edges(graph.num_nodes).to(device, x.dtype))
    optimiser = torch.optim.Adam(model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay)
    best: dict[str, float] = {}
    answers = {}
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
                best, said = accuracies, logits
                answers = {"linked": logits, "alone": model(x, unlinked)}
        yield Metric(name="train_loss", value=loss.item(), step=epoch)
    if context.outsider is not None:
        context.outsider.hears(**answers)
    yield Result(metrics={**best, **test_measures(said[masks["test"]], y[masks["test"]])})


def losses(events: Iterable[Event]) -> list[float]:
    """The curve of training losses."""
    return [event.value for event in events if isinstance(event, Metric) and event.name == "train_loss"]
