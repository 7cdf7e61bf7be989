"""What tuning on a few private nodes shares: who they are, and how an evaluator judges what was tuned."""

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.methods.accuracies import test_measures
from privgraph.methods.prompts.options import PromptOptions
from privgraph.methods.prompts.pretrained import PreparedGraph, prepare
from privgraph.methods.training import Context
from privgraph.nn.ego_graphs import EgoGraphs
from privgraph.nn.prompts import PromptRecipe, Prompts
from privgraph.progress import Event, Metric, Progress
from privgraph.streams import stream

AT_ONCE = 256
"""Ego-graphs that are judged in one pass."""
BUILT = 16 * AT_ONCE
"""Ego-graphs that are held at once."""

Answering = Callable[[EgoGraphs], Tensor]
"""Logits (G, C) of G ego-graphs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Shots:
    """The nodes that are tuned on: (n,) int64 node numbers, -1 at an empty slot, and their labels (n,), -1
    likewise."""

    nodes: Tensor
    labels: Tensor


def ready(
    graph: Graph, options: PromptOptions, context: Context, *, total: int
) -> Generator[Event, None, tuple[PreparedGraph, Tensor]]:
    """The prepared graph with its backbone, and the table of features, on the run's device. Raises as
    `prepare`."""
    prepared = yield from prepare(graph, options, context, done=0, total=total)
    device = context.device
    return replace(prepared, backbone=prepared.backbone.to(device)), prepared.table.to(device)


def chosen_by_label(prepared: PreparedGraph, shots: int, seed: int) -> Shots:
    """The first `shots` private nodes of each class in the order of the stream `split/shots`; fewer where
    there are fewer.

    Choosing by label reads all private labels.
    """
    order = torch.from_numpy(stream(seed, "split/shots").permutation(len(prepared.labels)))
    private = torch.zeros(len(prepared.labels), dtype=torch.bool)
    private[prepared.private_nodes] = True
    order = order[(private & prepared.present)[order]]
    labels = prepared.labels[order]
    nodes = torch.cat([order[labels == label][:shots] for label in range(prepared.classes)])
    return Shots(nodes=nodes, labels=prepared.labels[nodes])


def assigned(prepared: PreparedGraph, slots: int, seed: int) -> Shots:
    """The first `slots` of the roster of private nodes in the order of the stream `split/shots`; no label is
    looked at.

    Who is on the roster is public. The slots of those who opted out stay empty, and nobody moves up.
    """
    order = torch.from_numpy(stream(seed, "split/shots").permutation(len(prepared.labels)))
    private = torch.zeros(len(prepared.labels), dtype=torch.bool)
    private[prepared.private_nodes] = True
    nodes = order[private[order]][:slots]
    nodes = torch.where(prepared.present[nodes], nodes, -1)
    return Shots(nodes=nodes, labels=torch.where(nodes >= 0, prepared.labels[nodes.clamp(min=0)], -1))


def fresh_prompt(prepared: PreparedGraph, table: Tensor, recipe: PromptRecipe, context: Context) -> Prompts:
    """One prompt, from the stream `init/prompt`; gppt's kinds come from the public nodes' embeddings."""
    structure = prepared.public_embeddings(table) if recipe.kind == "gppt" else None
    return Prompts.initial(recipe, prepared.backbone, prepared.classes, [context.generator("init/prompt")], structure)


class Judge:
    """An evaluator, who knows the labels of public nodes: queries are the validation nodes, which no prompt
    is tuned on."""

    def __init__(self, prepared: PreparedGraph, shots: Shots, device: torch.device) -> None:
        self._prepared, self._shots, self._device = prepared, shots, device
        self._queries = prepared.egos(prepared.query_nodes).to(device)

    @torch.no_grad()
    def told(self, answering: Answering, loss: float, step: int, stage: str = "training") -> Iterator[Event]:
        """The curves' points after an epoch."""
        if math.isfinite(loss):  # else nobody has been drawn yet
            yield Metric(name="train_loss", value=loss, step=step, stage=stage)
        said = answering(self._queries).argmax(-1).cpu()
        right = float((said == self._prepared.labels[self._prepared.query_nodes]).float().mean())
        yield Metric(name="val_accuracy", value=right, step=step, stage=stage)

    def accuracies(self, answering: Answering) -> dict[str, float]:
        """On the nodes tuned on (train), queries (val) and test nodes; and the chance level."""
        parts = {
            "train": self._shots.nodes[self._shots.nodes >= 0],
            "val": self._prepared.query_nodes,
            "test": self._prepared.test_nodes,
        }
        said = {name: self._answers(answering, nodes) for name, nodes in parts.items()}
        truth = {name: self._prepared.labels[nodes] for name, nodes in parts.items()}
        found = {f"{name}_accuracy": _share(said[name].argmax(-1) == truth[name]) for name in parts}
        return {**found, **test_measures(said["test"], truth["test"])}

    def accuracy(self, answering: Answering, nodes: Tensor) -> float:
        """The share of `nodes` (n,) whose class is named."""
        said = self._answers(answering, nodes).argmax(-1)
        return _share(said == self._prepared.labels[nodes])

    @torch.no_grad()
    def _answers(self, answering: Answering, nodes: Tensor) -> Tensor:
        """(n, C): what is said of `nodes` (n,)."""
        said = [torch.zeros(0, self._prepared.classes)]
        for first in range(0, len(nodes), BUILT):
            own = nodes[first : first + BUILT]
            egos = self._prepared.egos(own)
            for start in range(0, len(own), AT_ONCE):
                said.append(answering(egos.take(slice(start, start + AT_ONCE)).to(self._device)).cpu())
        return torch.cat(said)


def _share(right: Tensor) -> float:
    return int(right.sum()) / len(right)


def progress(done: int, total: int) -> Progress:
    return Progress(step=done, total=total, stage="training")
