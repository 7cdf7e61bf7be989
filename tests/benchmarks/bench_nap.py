"""NAP and one stage of ProGAP at the size of the paper's largest graph: 1.8 million nodes, 80 million
directed edges.

    python tests/benchmarks/bench_nap.py [--nodes 1800000] [--edges 80000000] [--threads 2]

Prints the plain sparse-matrix product (torch CSR times a |V| x 16 table), NAP on the same table, one epoch
and one whole stage of ProGAP (its noisy aggregation and its training), and the peak memory of the process,
graph included. The synthetic graph is made in chunks: heavy-tailed in-degrees, uniform sources, rows sorted,
no self-loops.
"""

import argparse
import time
import warnings

import torch
from tests.secrets_made_here import secret

from privgraph.data.graph import Graph
from privgraph.mechanisms.aggregation import AggregationPerturbation
from privgraph.methods.aggregation.progap.config import Config
from privgraph.methods.aggregation.progap.train import train
from privgraph.methods.training import Context, planned
from privgraph.progress import Log, Metric, Result, Spent
from privgraph.runs.machine import peak_memory_mb

WIDTH = 16


def synthetic(nodes: int, edges: int, features: int, classes: int) -> Graph:
    """A directed graph of about that size."""
    generator = torch.Generator().manual_seed(0)
    weight = torch.rand(nodes, generator=generator).clamp_min_(1e-4).pow_(-0.5)
    degrees = (weight / weight.sum() * edges).clamp_max_(nodes // 4).round_().to(torch.int64)
    total = int(degrees.sum())
    edge_index = torch.empty(2, total, dtype=torch.int64)
    filled, step = 0, max(1, nodes // 64)
    for start in range(0, nodes, step):
        target = torch.arange(start, min(start + step, nodes)).repeat_interleave(degrees[start : start + step])
        source = torch.randint(nodes, (target.numel(),), generator=generator)
        key = torch.unique(target[source != target] * nodes + source[source != target])
        edge_index[0, filled : filled + key.numel()] = key % nodes
        edge_index[1, filled : filled + key.numel()] = key // nodes
        filled += key.numel()
    y = torch.randint(classes, (nodes,), generator=generator)
    part = torch.rand(nodes, generator=generator)
    return Graph(
        name="synthetic",
        x=torch.randn(nodes, features, generator=generator),
        y=y,
        edge_index=edge_index[:, :filled],
        train_mask=part < 0.75,
        val_mask=(part >= 0.75) & (part < 0.85),
        test_mask=part >= 0.85,
        undirected=False,
    )


def peak() -> float:
    """Peak resident memory of this process, GB."""
    return peak_memory_mb() / 2**10


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1_800_000)
    parser.add_argument("--edges", type=int, default=80_000_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2, help="epochs that are timed; a stage of the paper has 100")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    start = time.perf_counter()
    graph = synthetic(options.nodes, options.edges, options.features, options.classes)
    adjacency = graph.adjacency()
    print(
        f"graph: {graph.num_nodes:,} nodes, {graph.edge_index.shape[1]:,} directed edges, "
        f"made in {time.perf_counter() - start:.1f} s, {peak():.1f} GB so far"
    )
    rows = torch.randn(graph.num_nodes, WIDTH)
    seconds = {}
    for name in ("product", "NAP"):
        best = float("inf")
        for _ in range(2):
            start = time.perf_counter()
            if name == "product":
                torch.mm(adjacency, rows)
            else:
                AggregationPerturbation(unit="edge", std=5.0, undirected=False).release(adjacency, rows, secret())
            best = min(best, time.perf_counter() - start)
        seconds[name] = best
        print(f"{name:8} {best:8.2f} s   {best / seconds['product']:5.2f} products   peak {peak():.1f} GB")
    config = Config(unit="edge", epsilon=1.0, depth=1, epochs=options.epochs, selection="last")
    began = time.perf_counter()
    marks: dict[str, float] = {}
    epochs: list[float] = []
    for _, event in train([planned(config, graph, Context())]):
        now = time.perf_counter() - began
        if isinstance(event, Log):
            marks[event.message] = now
        elif isinstance(event, Spent):
            marks["aggregated"] = now
        elif isinstance(event, Metric) and event.name == "val_accuracy" and event.stage == "stage 1":
            epochs.append(now)
        elif isinstance(event, Result):
            marks["done"] = now
    aggregation = marks["aggregated"] - marks["Stage 0 of 1"]
    trained = marks["done"] - marks["Stage 1 of 1"]
    print(
        f"stage 1 of ProGAP, {options.epochs} epochs: {trained:.1f} s, {trained / options.epochs:.2f} s an epoch = "
        f"{trained / options.epochs / seconds['product']:.2f} products (a stage of 100 would take about "
        f"{trained / options.epochs * 100:.0f} s, and its one aggregation {seconds['NAP']:.1f} s)"
    )
    print(f"from the start of stage 0 to the noisy sums of stage 1: {aggregation:.1f} s")
    print(f"peak memory {peak():.1f} GB (limit 12)")


if __name__ == "__main__":
    main()
