"""The student of PrivGNN and PATE: a two-layer GraphSAGE on the public graph, trained on what was released.

Everything here is post-processing: it reads the public graph (features and edges), the released labels, and
nothing private. The true public labels are read by an evaluator alone, for curves and results, and steer
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from privgraph.data.graph import Graph
from privgraph.methods.accuracies import test_measures
from privgraph.methods.teachers.options import StudentOptions
from privgraph.methods.training import Context
from privgraph.progress import Event, Metric, Progress

NEGATIVES = 5
"""Random nodes that each end of an edge is held against in pre-training."""
EDGES_AN_EPOCH = 20_000
"""Edges that one epoch of pre-training looks at, at most."""


class Sage(nn.Module):
    """Two layers of GraphSAGE with mean aggregation (Hamilton et al. 2017, Algorithm 1; PrivGNN, Appendix
    G.1).

    h = dropout(relu(batch norm(W [x, mean x] + b))), logits = V [h, mean h] + c; the mean over no neighbours
    is 0.
    """

    def __init__(self, features: int, hidden: int, outputs: int, generator: torch.Generator) -> None:
        super().__init__()
        self.first = nn.Linear(2 * features, hidden, device=generator.device)
        self.norm = nn.BatchNorm1d(hidden, device=generator.device)
        self.second = nn.Linear(2 * hidden, outputs, device=generator.device)
        for layer in (self.first, self.second):
            bound = 1 / math.sqrt(layer.in_features / 2)  # as two layers, one a kind of input
            for parameter in layer.parameters():
                nn.init.uniform_(parameter, -bound, bound, generator=generator)

    def finish(self, read: Tensor, means: Tensor, kept: Tensor | None = None) -> Tensor:
        """From `first` of the table, (n, hidden), to the outputs (n, C); `kept` (n, hidden) is dropout's
        mask."""
        hidden = functional.relu(self.norm(read))
        if kept is not None:
            hidden = hidden * kept
        outputs: Tensor = self.second(torch.cat([hidden, means @ hidden], dim=1))
        return outputs


@dataclass(frozen=True, eq=False)
class Table:
    """What every epoch reads of the public graph: [x, mean x] (|V|, 2F), and the averaging matrix (|V|,
    |V|)."""

    rows: Tensor
    means: Tensor

    @staticmethod
    def of(public: Graph, device: torch.device) -> Table:
        means, x = mean_adjacency(public).to(device), public.x.to(device)
        return Table(torch.cat([x, means @ x], dim=1), means)


def mean_adjacency(graph: Graph) -> Tensor:
    """(|V|, |V|) sparse CSR: row i averages over the j with an edge j -> i, and is empty where there is
    none."""
    adjacency = graph.adjacency()
    pointers = adjacency.crow_indices()
    degrees = pointers.diff()
    values = (1.0 / degrees.clamp(min=1)).repeat_interleave(degrees)
    return torch.sparse_csr_tensor(
        pointers, adjacency.col_indices(), values, size=adjacency.shape, check_invariants=False
    )


def fit_student(
    public: Graph,
    rows: Tensor,
    targets: Tensor,
    *,
    options: StudentOptions,
    context: Context,
    done: int,
    total: int,
    judged: Graph | None = None,
    whole: Graph | None = None,
) -> Generator[Event, None, Tensor]:
    """Train on `rows` (q,) of the public graph with `targets`, (q,) int64 labels or (q, C) soft ones;
    transductive.

    Yields curves and progress, of which `done` steps lie behind and which take `options.pretrain +
    options.epochs` more of `total`; returns logits (|V-public|, C) on the CPU. The last epoch is kept: no
    label chooses one. Where another graph is `judged`, curves and logits are those of its nodes: inductive.
    An outsider of the context is told the logits of all nodes of the graph `whole`, where it is given. Raises
    `ValueError` without rows.
    """
    if not rows.numel():
        raise ValueError("the student needs at least one labelled node")
    device = context.device
    judged = judged or public
    table = Table.of(public, device)
    other = table if judged is public else Table.of(judged, device)
    initial = context.generator("init/student")
    model = Sage(public.x.shape[1], options.hidden, public.num_classes, initial)
    if options.pretrain:
        yield from _reconstruct(public, table, model, options, context, done, total)
        done += options.pretrain
    dropout = context.generator("dropout/student")
    optimiser = torch.optim.Adam(model.parameters(), lr=options.learning_rate)
    rows, targets = rows.to(device), targets.to(device)
    read = model.first(table.rows)
    for epoch in range(1, options.epochs + 1):
        model.train()
        optimiser.zero_grad()
        logits = model.finish(read, table.means, _kept(read, options.dropout, dropout))
        loss = functional.cross_entropy(logits[rows], targets)
        torch.autograd.backward(loss)
        optimiser.step()
        # what the first layer says to its new weights serves this evaluation and the next step
        read = model.first(table.rows)
        asked = read if other is table else model.first(other.rows)
        for name, value in student_metrics(judged, _evaluate(model, asked, other)).items():
            yield Metric(name=name, value=value, step=done + epoch, stage="student")
        yield Metric(name="train_loss", value=loss.item(), step=done + epoch, stage="student")
        yield Progress(step=done + epoch, total=total, stage="student")
    if context.outsider is not None and whole is not None:
        every = Table.of(whole, device)
        context.outsider.hears(linked=_evaluate(model, model.first(every.rows), every))
    return _evaluate(model, asked, other).cpu()


def student_metrics(public: Graph, logits: Tensor) -> Mapping[str, float]:
    """The share of right predictions on each mask that has nodes, by labels that an evaluator alone knows."""
    right = (logits.argmax(dim=1).cpu() == public.y).float()
    masks = {name: getattr(public, f"{name}_mask") & (public.y >= 0) for name in ("train", "val", "test")}
    return {f"{name}_accuracy": float(right[mask].mean()) for name, mask in masks.items() if bool(mask.any())}


def final_metrics(public: Graph, logits: Tensor) -> dict[str, float]:
    """The same at the end of a run, with what naming the largest class of the test nodes reaches."""
    return {**student_metrics(public, logits), **test_measures(logits[public.test_mask], public.y[public.test_mask])}


def _evaluate(model: Sage, read: Tensor, table: Table) -> Tensor:
    model.eval()
    with torch.no_grad():
        return model.finish(read, table.means)


def _kept(like: Tensor, dropout: float, generator: torch.Generator) -> Tensor | None:
    """What dropout multiplies with: 0, or one over the share that is kept."""
    if dropout == 0:
        return None
    return (torch.rand(like.shape, generator=generator, device=like.device) >= dropout).float().div_(1 - dropout)


def _reconstruct(
    public: Graph, table: Table, model: Sage, options: StudentOptions, context: Context, done: int, total: int
) -> Generator[Event, None, None]:
    """Graph reconstruction (Appendix D.7; Hamilton et al. 2017, Equation 1): joined nodes get similar
    embeddings.

    The loss of an edge (u, v) is -log s(z_u z_v) - sum over `NEGATIVES` nodes n of log s(-z_u z_n), with n
    drawn by degree^(3/4). The embeddings z come from a second layer of their own; what the student keeps is
    its first layer.
    """
    if not public.edge_index.shape[1]:
        raise ValueError("pre-training reconstructs edges, and the public graph has none")
    generator = context.generator("pretrain")
    body = Sage(public.x.shape[1], options.hidden, options.hidden, context.generator("init/pretrain"))
    body.first, body.norm = model.first, model.norm
    edges = public.edge_index.to(context.device)
    commonness = torch.bincount(edges[1], minlength=public.num_nodes).double().pow(0.75)
    optimiser = torch.optim.Adam(body.parameters(), lr=options.learning_rate)
    for epoch in range(1, options.pretrain + 1):
        body.train()
        optimiser.zero_grad()
        read = body.first(table.rows)
        outputs = body.finish(read, table.means, _kept(read, options.dropout, generator))
        embedded = functional.normalize(outputs, dim=1)
        drawn = torch.randint(
            edges.shape[1],
            (min(EDGES_AN_EPOCH, edges.shape[1]),),
            generator=generator,
            device=context.device,
        )
        source, target = edges[:, drawn]
        others = torch.multinomial(commonness, drawn.numel() * NEGATIVES, replacement=True, generator=generator)
        together = (embedded[source] * embedded[target]).sum(1)
        apart = (embedded[source].repeat_interleave(NEGATIVES, dim=0) * embedded[others]).sum(1)
        loss = -functional.logsigmoid(together).mean() - NEGATIVES * functional.logsigmoid(-apart).mean()
        torch.autograd.backward(loss)
        optimiser.step()
        yield Metric(name="pretrain_loss", value=loss.item(), step=done + epoch, stage="pre-training", evaluator=False)
        yield Progress(step=done + epoch, total=total, stage="pre-training")
