"""Training of ordinary graph networks, with the best epoch chosen on validation nodes."""

from __future__ import annotations

import copy
from collections.abc import Generator, Iterator, Sequence
from itertools import pairwise

import torch
from torch import Tensor

from privgraph.data.graph import Graph, without_edges
from privgraph.methods.accuracies import SPLITS, test_measures
from privgraph.methods.baselines.options import GraphNetworkOptions
from privgraph.methods.outsider import Outsider
from privgraph.methods.training import Context, keep_predictions
from privgraph.nn.batched_gnn import BatchedNetworks, Surrounding, networks_at_once
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
    trained as one (`nn.batched_gnn`).
    """
    if contexts[0].device.type != "cpu":
        yield from fit_as_one(graphs, options, contexts)
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
        for kept in keep_predictions(contexts[index], member.scores.argmax(0), options.unit):
            yield index, kept
        test = member.test
        yield index, Result(metrics={**member.best, **test_measures(member.scores[:, test].t(), graph.y[test])})


def fit_as_one(
    graphs: Sequence[Graph], options: GraphNetworkOptions, contexts: Sequence[Context]
) -> Generator[tuple[int, Event], None, None]:
    """Train as `fit_together` does: networks of the same edges together, as many as a batch holds."""
    device = contexts[0].device
    x, y = graphs[0].x.to(device), graphs[0].y.to(device)
    networks = [_initial(graphs[0], options, context) for context in contexts]
    alike: dict[int, list[int]] = {}
    for index, graph in enumerate(graphs):
        alike.setdefault(id(graph.edge_index), []).append(index)
    for indices in alike.values():
        edges = graphs[indices[0]].edge_index.shape[1]
        size = networks_at_once(networks[0], len(y), edges)
        adjacency = graphs[indices[0]].adjacency().to(device, x.dtype)
        for start in range(0, len(indices), size):
            batch = indices[start : start + size]
            own = [(graphs[index], networks[index], contexts[index]) for index in batch]
            for place, event in _fit_batch(x, y, adjacency, own, options):
                yield batch[place], event


def _initial(graph: Graph, options: GraphNetworkOptions, context: Context) -> GraphNetwork:
    """A network on the context's device, with the weights that it starts from."""
    model = GraphNetwork(
        graph.x.shape[1],
        graph.num_classes,
        conv=options.conv,
        layers=options.layers,
        hidden=options.hidden,
        dropout=options.dropout,
        jump=options.jump,
    ).to(context.device, graph.x.dtype)
    initialise(model, context.generator("init"))
    return model


def _fit_batch(
    x: Tensor,
    y: Tensor,
    adjacency: Tensor,
    members: Sequence[tuple[Graph, GraphNetwork, Context]],
    options: GraphNetworkOptions,
) -> Generator[tuple[int, Event], None, None]:
    """Train one batch; the events' numbers are places in `members`."""
    graphs, networks, contexts = zip(*members, strict=True)
    pattern, batch = networks[0], BatchedNetworks(networks)
    around = Surrounding(pattern, adjacency)
    dropout = [context.generator("dropout") for context in contexts]
    masks = {name: torch.stack([getattr(graph, f"{name}_mask") for graph in graphs], 1).to(x.device) for name in SPLITS}
    counts = {name: mask.sum(0).tolist() for name, mask in masks.items()}
    weight = masks["train"].to(x.dtype) / masks["train"].sum(0)
    labels = y.clamp(min=0).view(-1, 1, 1).expand(-1, len(graphs), 1)
    optimiser = torch.optim.Adam(batch.own.values(), lr=options.learning_rate, weight_decay=options.weight_decay)
    best: list[dict[str, float]] = [{} for _ in graphs]
    kept_scores = x.new_zeros(0)
    states = batch.state()
    for epoch in range(1, options.epochs + 1):
        optimiser.zero_grad()
        log_probability = batch.logits(x, around, dropout).log_softmax(-1)
        losses = -(log_probability.gather(-1, labels).squeeze(-1) * weight).sum(0)
        torch.autograd.backward(losses.sum())
        optimiser.step()
        with torch.no_grad():
            scores = batch.logits(x, around)
            right = scores.argmax(-1) == y.unsqueeze(1)
            hits = [(right & mask).sum(0) for mask in masks.values()]
            told = torch.stack([one.double() for one in (losses.detach(), *hits)]).tolist()  # counts stay exact
        better = []
        for place, loss in enumerate(told[0]):
            accuracies = {
                f"{name}_accuracy": right_ones[place] / counts[name][place]
                for name, right_ones in zip(SPLITS, told[1:], strict=True)
                if counts[name][place]
            }
            if _better(accuracies, best[place]):
                best[place] = accuracies
                better.append(place)
            for event in _events(loss, accuracies, epoch, options.epochs):
                yield place, event
        if better:
            rows = torch.tensor(better, device=x.device)
            kept_scores = scores.clone() if epoch == 1 else kept_scores.index_copy_(1, rows, scores[:, rows])
            for name, value in batch.state().items():
                states[name][rows] = value[rows]
    for place, (graph, context) in enumerate(zip(graphs, contexts, strict=True)):
        if context.outsider is not None:
            pattern.load_state_dict(pattern.state_dict() | {name: value[place] for name, value in states.items()})
            _tell(context.outsider, copy.deepcopy(pattern).eval(), x, adjacency)
        own, test = kept_scores[:, place], graph.test_mask
        for kept in keep_predictions(context, own.argmax(-1), options.unit):
            yield place, kept
        yield place, Result(metrics={**best[place], **test_measures(own.cpu()[test], graph.y[test])})


def _tell(outsider: Outsider, model: GraphNetwork, x: Tensor, adjacency: Tensor) -> None:
    """Tell the outsider what the network says of everybody, and let it be asked again."""
    linked = model.prepare(adjacency)

    @torch.inference_mode()
    def changed(node: int, features: Tensor) -> Tensor:
        other = x.clone()
        other[node] = features.to(x)
        answer: Tensor = model(other, linked)
        return answer.cpu()

    with torch.no_grad():
        alone = model(x, model.prepare(without_edges(len(x)).to(x)))
        outsider.hears(linked=model(x, linked), alone=alone)
    outsider.may_ask(changed)


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
        self.scores = torch.zeros(0)
        """The logits (C, |V|) of the network of the best epoch."""
        self._state: tuple[Tensor, ...] = ()

    @torch.inference_mode()
    def epoch(self, work: Workspace) -> tuple[float, dict[str, float]]:
        """Take a step; loss before it, and accuracies after it."""
        loss = self._network.step(work)
        scores = self._network.evaluate()
        right = (scores.max(0).indices == self._around.y).float()
        hits = (self._masks @ right).tolist()
        accuracies = {
            f"{name}_accuracy": hit / count for (name, count), hit in zip(self._counts.items(), hits, strict=True)
        }
        if _better(accuracies, self.best):
            self.best, self.scores = accuracies, scores.clone()
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
