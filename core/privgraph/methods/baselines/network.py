"""Training of ordinary graph networks, with the best epoch chosen on validation nodes."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.data.graph import Graph, without_edges
from privgraph.methods.accuracies import SPLITS, chance_level, split_accuracies
from privgraph.methods.baselines.options import GraphNetworkOptions
from privgraph.methods.training import Context, keep_predictions
from privgraph.nn.gnn import GraphNetwork, initialise
from privgraph.nn.stacked_gnn import Architecture, MemberNetwork, Surroundings, Workspace
from privgraph.nn.training import in_turn, one_thread_each
from privgraph.progress import Event, Metric, Progress, Result

LARGE = 1 << 20
"""Numbers in a layer's values, |V| x hidden, from which a network has all threads to itself."""


def fit(graph: Graph, options: GraphNetworkOptions, context: Context) -> Iterator[Event]:
    """Train one network as `fit_together` does."""
    for _, event in fit_together([graph], options, [context]):
        yield event


def fit_together(
    graphs: Sequence[Graph], options: GraphNetworkOptions, contexts: Sequence[Context]
) -> Generator[tuple[int, Event], None, None]:
    """Train a network on each graph, and end each with a `Result` at its epoch of best validation accuracy.

    Early epochs win ties. Without validation nodes the last epoch is taken. The graphs share features and
    labels; splits may differ, and edges where a split has dropped some. On a CPU the networks go through an
    epoch side by side (`nn.stacked_gnn`), and each computes what it would compute alone; elsewhere they are
    trained one after another, by PyTorch's own gradients.
    """
    if contexts[0].device.type != "cpu":
        for index, (graph, context) in enumerate(zip(graphs, contexts, strict=True)):
            for event in fit_by_layers(graph, options, context):
                yield index, event
        return
    graph = graphs[0]
    shape = Architecture(
        conv=options.conv,
        layers=options.layers,
        hidden=options.hidden,
        dropout=options.dropout,
        jump=options.jump,
        learning_rate=options.learning_rate,
        weight_decay=options.weight_decay,
    )
    around = Surroundings(graph.x, graph.y, graph.num_classes, graph.adjacency(), shape)
    known = {id(graph.edge_index): around}
    for own in graphs:
        if id(own.edge_index) not in known:
            known[id(own.edge_index)] = around.with_edges(own.adjacency())
    members = [_Member(known[id(own.edge_index)], own, context) for own, context in zip(graphs, contexts, strict=True)]
    small = graph.num_nodes * options.hidden < LARGE
    threads = min(len(members), torch.get_num_threads()) if small else 1
    cuts = [len(members) * part // threads for part in range(threads + 1)]
    parts = [(Workspace(around), members[start:stop]) for start, stop in pairwise(cuts)]
    # which of the two depends on the graph's size alone: sums of several threads are other floats than one's
    with one_thread_each(threads) if small else in_turn() as together:
        for epoch in range(1, options.epochs + 1):
            told = [losses for part in together(_epoch, parts) for losses in part]
            for index, (loss, accuracies) in enumerate(told):
                for event in _events(loss, accuracies, epoch, options.epochs):
                    yield index, event
    for index, member in enumerate(members):
        member.answer()
        for kept in keep_predictions(contexts[index], member.predicted, options.unit):
            yield index, kept
        yield index, Result(metrics={**member.best, **chance_level(graph.y[member.test])})


def _epoch(part: tuple[Workspace, list[_Member]]) -> list[tuple[float, dict[str, float]]]:
    work, members = part
    return [member.epoch(work) for member in members]


def _events(loss: float, accuracies: dict[str, float], epoch: int, epochs: int) -> Iterator[Event]:
    yield Metric(name="train_loss", value=loss, step=epoch)
    for name, value in accuracies.items():
        yield Metric(name=name, value=value, step=epoch)
    yield Progress(step=epoch, total=epochs, stage="training")


def _better(accuracies: dict[str, float], best: dict[str, float]) -> bool:
    return not best or "val_accuracy" not in accuracies or accuracies["val_accuracy"] > best["val_accuracy"]


class _Member:
    """A network of a stack, and its best epoch so far."""

    def __init__(self, around: Surroundings, graph: Graph, context: Context) -> None:
        self._around, self._outsider = around, context.outsider
        masks = {name: getattr(graph, f"{name}_mask") for name in SPLITS}
        self.test = masks["test"]
        self._network = MemberNetwork(around, masks["train"], context.generator("init"), context.generator("dropout"))
        self._counts = {name: int(mask.sum()) for name, mask in masks.items() if bool(mask.any())}
        self._masks = torch.stack([masks[name] for name in self._counts]).float()
        self.best: dict[str, float] = {}
        self.predicted = torch.zeros(0, dtype=torch.int64)
        """The classes (|V|,) that the network of the best epoch predicts."""
        self._state: tuple[Tensor, ...] = ()

    @torch.inference_mode()
    def epoch(self, work: Workspace) -> tuple[float, dict[str, float]]:
        """Take a step; loss before it, and accuracies after it."""
        loss = self._network.step(work)
        predicted = self._network.evaluate().max(0).indices
        right = (predicted == self._around.y).float()
        hits = (self._masks @ right).tolist()
        accuracies = {
            f"{name}_accuracy": hit / count for (name, count), hit in zip(self._counts.items(), hits, strict=True)
        }
        if _better(accuracies, self.best):
            self.best, self.predicted = accuracies, predicted
            if self._outsider is not None:
                self._state = self._network.state()
        return float(loss), accuracies

    @torch.inference_mode()
    def answer(self) -> None:
        """Tell the outsider, if there is one, what the network of the best epoch says."""
        if self._outsider is None:
            return
        self._network.restore(self._state)
        nodes = self._around.nodes
        alone = self._around.convolution_on(without_edges(nodes))
        self._outsider.hears(linked=self._network.evaluate().t(), alone=self._network.evaluate(alone).t())
        self._outsider.may_ask(self._changed)

    @torch.inference_mode()
    def _changed(self, node: int, features: Tensor) -> Tensor:
        return self._network.evaluate(changed=(node, features)).t()


def fit_by_layers(graph: Graph, options: GraphNetworkOptions, context: Context) -> Iterator[Event]:
    """One network as `fit_together` trains it, by the layers of `nn.gnn.GraphNetwork`, on any device."""
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
    kept: dict[str, Tensor] = {}
    predicted = torch.zeros(0, dtype=torch.int64)
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
            if _better(accuracies, best):
                best, predicted = accuracies, logits.argmax(dim=1)
                if unlinked is not None:
                    answers = {"linked": logits, "alone": model(x, unlinked)}
                    kept = {name: value.clone() for name, value in model.state_dict().items()}
        yield from _events(loss.item(), accuracies, epoch, options.epochs)
    if context.outsider is not None:
        model.load_state_dict(kept)

        @torch.inference_mode()
        def changed(node: int, features: Tensor) -> Tensor:
            other = x.clone()
            other[node] = features.to(x)
            answer: Tensor = model(other, adjacency)
            return answer.cpu()

        context.outsider.hears(**answers)
        context.outsider.may_ask(changed)
    yield from keep_predictions(context, predicted, options.unit)
    yield Result(metrics={**best, **chance_level(y[masks["test"]])})
