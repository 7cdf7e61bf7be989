"""How long PrivGNN's teachers take together, against one by one and against PyTorch Geometric, and their
memory.

    python -m tests.benchmarks.bench_teachers [--queries 100 1000] [--threads 2] [--alone 40] [--plain 5]
    [--rounds 2] python -m tests.benchmarks.bench_teachers --memory [--teachers 1000] [--epochs 2]

Teachers are those of the paper: for each query a Poisson sample (rate 0.3) of the private half of the graph,
the K = 300 nearest of it by euclidean distance, their induced subgraph, two-layer GraphSAGE with 64 hidden
units, 200 epochs. What is compared is training and asking them; choosing the nodes is the same work for all
and told apart.

- stacked: as `privgnn` trains them, in a frame (no model depends on another, not even by rounding); and
  loose, with every model's unused features left out;
- one by one: the same code with one model a chunk, on one thread; the first --alone teachers, scaled;
- plain: PyTorch Geometric's layers, autograd, torch.optim.Adam, on one thread; the first --plain teachers,
  scaled.

Seconds are by the clock; CPU seconds a teacher, on one thread, are what to compare on a machine with other
work. The best of the rounds counts.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.splits import subgraph
from privgraph.methods.teachers.options import PartitionOptions
from privgraph.methods.teachers.parts import split_parts
from privgraph.methods.teachers.privgnn.teachers import bags_of_words
from privgraph.nn import small_graphs
from privgraph.nn.gnn import SAGEConv
from privgraph.nn.small_graphs import Answer, Frame, Recipe, SmallGraph, train_small_graphs
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
) -> list[Answer]:
    """All answers."""
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
    return [event for event in events if isinstance(event, Answer)]


def one_by_one(
    private: Graph, public: Graph, tasks: Sequence[SmallGraph], recipe: Recipe, frame: Frame | None = None
) -> list[Answer]:
    """The same code, one model at a time."""
    cache, small_graphs.CACHE_BYTES = small_graphs.CACHE_BYTES, 0
    try:
        return together(private, public, tasks, recipe, frame)
    finally:
        small_graphs.CACHE_BYTES = cache


class Plain(nn.Module):
    """A teacher as one would write it with PyTorch Geometric."""

    def __init__(self, features: int, classes: int, recipe: Recipe) -> None:
        super().__init__()
        self.first, self.norm = SAGEConv(features, recipe.hidden, aggr="mean"), nn.BatchNorm1d(recipe.hidden)
        self.second, self.dropout = SAGEConv(recipe.hidden, classes, aggr="mean"), nn.Dropout(recipe.dropout)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        h = self.dropout(torch.relu(self.norm(self.first(x, edge_index))))
        return self.second(h, edge_index).log_softmax(1)  # type: ignore[no-any-return]


def plain(private: Graph, public: Graph, tasks: Sequence[SmallGraph], recipe: Recipe) -> list[Tensor]:
    """The queries' log-posteriors."""
    posteriors = []
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
            posteriors.append(model(public.x, public.edge_index)[task.queries])
    return posteriors


def timed(work: Callable[[], object], rounds: int, threads: int) -> tuple[float, float]:
    """Seconds by the clock and of the processors, of the best round."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    best = (float("inf"), float("inf"))
    for _ in range(rounds):
        start, busy = time.perf_counter(), time.process_time()
        work()
        best = min(best, (time.perf_counter() - start, time.process_time() - busy))
    torch.set_num_threads(before)
    return best


def compare(name: str, counts: Sequence[int], threads: int, alone: int, usual: int, rounds: int) -> None:
    """Print the times of one graph's teachers."""
    parts = split_parts(load(name, split_seed=0), PartitionOptions(private=0.5))
    private, public, recipe = parts.private, parts.public, Recipe()
    start = time.perf_counter()
    tasks = list(Teachers(private, public.x, max(counts)))
    print(
        f"{name}: {private.num_nodes:,} private nodes, {private.x.shape[1]} features; nodes of {len(tasks)} teachers "
        f"chosen in {time.perf_counter() - start:.1f} s"
    )
    frame = Frame(places=NEAREST, sparse=bags_of_words(public.x))
    single, single_busy = timed(lambda: one_by_one(private, public, tasks[:alone], recipe, frame), rounds, 1)
    ordinary, ordinary_busy = timed(lambda: plain(private, public, tasks[:usual], recipe), rounds, 1)
    answers = together(private, public, tasks[:100], recipe, frame)
    right = [int(answer.log_posterior.argmax()) == int(public.y[tasks[answer.index].queries]) for answer in answers]
    print(f"the first {len(right)} teachers name the class of {sum(right) / len(right):.0%} of their queries")
    for count in counts:
        own = tasks[:count]
        many, _ = timed(lambda own=own: together(private, public, own, recipe, frame), rounds, threads)
        stacked, busy = timed(lambda own=own: together(private, public, own, recipe, frame), rounds, 1)
        loose, loose_busy = timed(lambda own=own: together(private, public, own, recipe), rounds, 1)
        print(f"|Q| = {count:,}")
        print(f"  stacked    {many:8.1f} s on {threads} threads")
        for title, seconds, spent in (
            ("stacked", stacked, busy / count),
            ("loose", loose, loose_busy / count),
            (f"one by one ({alone} measured)", single / alone * count, single_busy / alone),
            (f"plain ({usual} measured)", ordinary / usual * count, ordinary_busy / usual),
        ):
            print(
                f"  {title:26}{seconds:8.1f} s on one thread, {spent:.4f} CPU s a teacher: "
                f"{seconds / many:5.1f} times stacked on {threads}, {spent / (busy / count):5.2f} times its CPU seconds"
            )


def memory(teachers: int, nodes: int, features: int, epochs: int) -> None:
    """Train teachers on a random graph with dense features, and print the process's peak."""
    generator = torch.Generator().manual_seed(0)
    pairs = torch.randint(nodes, (2, 10 * nodes), generator=generator)
    pairs = torch.unique(torch.cat([pairs, pairs.flip(0)], 1), dim=1)
    edges = pairs[:, pairs[0] != pairs[1]].flip(0)  # sorted by target
    nobody = torch.zeros(nodes, dtype=torch.bool)
    graph = Graph(
        name="random",
        x=torch.randn(nodes, features, generator=generator),
        y=torch.randint(6, (nodes,), generator=generator),
        edge_index=edges,
        train_mask=~nobody,
        val_mask=nobody,
        test_mask=nobody,
    )
    start = time.perf_counter()
    answers = together(graph, graph, Teachers(graph, graph.x, teachers), Recipe(epochs=epochs))
    print(
        f"{len(answers):,} teachers of {epochs} epochs on {nodes:,} nodes with {features} dense features: "
        f"{time.perf_counter() - start:.1f} s, peak {peak_memory_mb() * 2**20 / 1e9:.2f} GB"
    )


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", default="fb100-johnshopkins55")
    parser.add_argument("--queries", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--alone", type=int, default=40)
    parser.add_argument("--plain", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--memory", action="store_true", help="measure memory instead")
    parser.add_argument("--teachers", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--features", type=int, default=500)
    parser.add_argument("--epochs", type=int, default=2)
    options = parser.parse_args()
    if options.memory:
        torch.set_num_threads(options.threads)
        memory(options.teachers, options.nodes, options.features, options.epochs)
    else:
        compare(options.dataset, options.queries, options.threads, options.alone, options.plain, options.rounds)


if __name__ == "__main__":
    main()
