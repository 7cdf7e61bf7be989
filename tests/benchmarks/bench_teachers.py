"""How long PrivGNN's teachers take together, against one by one and against PyTorch Geometric, and their
memory (--memory).

Teachers are those of the paper: for each query a Poisson sample (rate 0.3) of the private half of the graph,
the K = 300 nearest of it by euclidean distance, their induced subgraph, two-layer GraphSAGE with 64 hidden
units, 200 epochs. What is compared is training and asking them; choosing the nodes is the same work for all.

- stacked: as `privgnn` trains them, in a frame (no model depends on another, not even by rounding);
- one by one: the same code with one model a chunk, on one thread; the first --alone teachers, scaled;
- plain: PyTorch Geometric's layers, autograd, torch.optim.Adam, on one thread; the first --plain, scaled.
"""

from collections.abc import Sequence
from unittest.mock import patch

import torch
from tests.benchmarks.bench_nap import synthetic
from tests.benchmarks.harness import options, tell, timed
from torch import Tensor, nn

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.splits import subgraph
from privgraph.methods.teachers.options import PartitionOptions
from privgraph.methods.teachers.parts import split_parts
from privgraph.methods.teachers.privgnn.teachers import bags_of_words
from privgraph.nn import small_graphs
from privgraph.nn.gnn import SAGEConv
from privgraph.nn.small_graphs import Frame, Recipe, SmallGraph, train_small_graphs
from privgraph.runs.machine import peak_memory_mb

GAMMA, NEAREST = 0.3, 300


class Teachers(Sequence[SmallGraph]):
    """The teachers of the first queries, each made when it is asked for."""

    def __init__(self, private: Graph, public: Tensor, count: int) -> None:
        self._private, self._public, self._count = private, public, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, position: int) -> SmallGraph:  # type: ignore[override]
        if not 0 <= position < self._count:
            raise IndexError(position)
        query = position % self._public.shape[0]
        drawn = torch.rand(self._private.num_nodes, generator=torch.Generator().manual_seed(position)) < GAMMA
        sample = drawn.nonzero().squeeze(1)
        distance = torch.cdist(self._public[query : query + 1], self._private.x[sample])[0]
        nodes = sample[distance.topk(min(NEAREST, sample.numel()), largest=False).indices].sort().values
        small = subgraph(self._private, nodes)
        return SmallGraph(nodes=nodes, edge_index=small.edge_index, labels=small.y, queries=torch.tensor([query]))


def streams(position: int) -> tuple[torch.Generator, torch.Generator]:
    """A teacher's streams for weights and for dropout."""
    return torch.Generator().manual_seed(2 * position), torch.Generator().manual_seed(2 * position + 1)


def together(
    private: Graph, public: Graph, tasks: Sequence[SmallGraph], recipe: Recipe, frame: Frame | None = None
) -> None:
    """All of them, trained and asked."""
    events = train_small_graphs(
        private.x,
        tasks,
        classes=private.num_classes,
        recipe=recipe,
        evaluation_x=public.x,
        evaluation_adjacency=public.adjacency(),
        generators=streams,
        frame=frame,
    )
    for _ in events:
        pass


class Plain(nn.Module):
    """A teacher as one would write it with PyTorch Geometric."""

    def __init__(self, features: int, classes: int, recipe: Recipe) -> None:
        super().__init__()
        self.first, self.norm = SAGEConv(features, recipe.hidden, aggr="mean"), nn.BatchNorm1d(recipe.hidden)
        self.second, self.dropout = SAGEConv(recipe.hidden, classes, aggr="mean"), nn.Dropout(recipe.dropout)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        h = self.dropout(torch.relu(self.norm(self.first(x, edge_index))))
        return self.second(h, edge_index).log_softmax(1)  # type: ignore[no-any-return]


def plain(private: Graph, public: Graph, tasks: Sequence[SmallGraph], recipe: Recipe) -> None:
    """Each trained, and asked its query."""
    for task in tasks:
        model = Plain(private.x.shape[1], private.num_classes, recipe)
        optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
        x = private.x[task.nodes]
        for _ in range(recipe.epochs):
            optimiser.zero_grad()
            nn.functional.nll_loss(model(x, task.edge_index), task.labels).backward()
            optimiser.step()
        model.eval()
        with torch.no_grad():
            model(public.x, public.edge_index)[task.queries]


def main() -> None:
    given = options(
        __doc__,
        dataset="fb100-johnshopkins55",
        queries=[100, 1000],
        threads=2,
        alone=40,
        plain=5,
        rounds=2,
        memory=False,
    )
    if given.memory:
        graph = synthetic(20_000, 400_000, 500, 6)
        together(graph, graph, Teachers(graph, graph.x, 1000), Recipe(epochs=2))
        print(f"1,000 teachers, 20,000 nodes, 500 dense features: peak {peak_memory_mb() * 2**20 / 1e9:.2f} GB")
        return
    parts, recipe = split_parts(load(given.dataset, split_seed=0), PartitionOptions(private=0.5)), Recipe()
    private, public = parts.private, parts.public
    tasks = list(Teachers(private, public.x, max(given.queries)))
    frame = Frame(places=NEAREST, sparse=bags_of_words(public.x))

    def stacked(count: int) -> None:
        together(private, public, tasks[:count], recipe, frame)

    with patch.object(small_graphs, "CACHE_BYTES", 0):
        single = timed(lambda: stacked(given.alone), given.rounds, 1) * (1 / given.alone)
    usual = timed(lambda: plain(private, public, tasks[: given.plain], recipe), given.rounds, 1) * (1 / given.plain)
    for count in given.queries:
        print(f"{given.dataset}, {count:,} teachers")
        stack = timed(lambda count=count: stacked(count), given.rounds, given.threads)
        tell(f"stacked, on {given.threads} threads", stack)
        tell("stacked, on one", timed(lambda count=count: stacked(count), given.rounds, 1), stack)
        tell("one by one", single * count, stack)
        tell("plain", usual * count, stack)
