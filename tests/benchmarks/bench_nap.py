"""NAP and one stage of ProGAP at the size of the paper's largest graph: 1.8 million nodes, 80 million
directed edges.

Prints the plain sparse-matrix product (torch CSR times a |V| x 16 table), NAP on the same table, one epoch of
a stage of ProGAP, and the peak memory of the process, graph included. The synthetic graph is made in chunks:
heavy-tailed in-degrees, uniform sources, rows sorted, no self-loops.
"""

import time

import torch
from tests.benchmarks.harness import Cost, options, tell, timed
from tests.secrets_made_here import secret
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.mechanisms.aggregation import AggregationPerturbation
from privgraph.methods.aggregation.progap.config import Config
from privgraph.methods.aggregation.progap.train import train
from privgraph.methods.training import Context, train_one
from privgraph.progress import Metric
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


def aggregated(adjacency: Tensor, rows: Tensor) -> tuple[Cost, Cost]:
    """A plain sparse product and a noisy aggregation, on the device of the two."""
    mechanism = AggregationPerturbation(unit="edge", std=5.0, undirected=False)
    product = timed(lambda: torch.mm(adjacency, rows)[0, 0].item(), 3)
    return product, timed(lambda: mechanism.release(adjacency, rows, secret())[0, 0].item(), 3)


def main() -> None:
    given = options(__doc__, nodes=1_800_000, edges=80_000_000, features=100, classes=10, threads=2, epochs=3)
    graph = synthetic(given.nodes, given.edges, given.features, given.classes)
    print(f"{graph.num_nodes:,} nodes, {graph.edge_index.shape[1]:,} directed edges")
    product, noisy = aggregated(graph.adjacency(), torch.randn(graph.num_nodes, WIDTH))
    tell("plain sparse product", product)
    tell("NAP", noisy, product)
    config = Config(unit="edge", epsilon=1.0, depth=1, epochs=given.epochs, selection="last")
    ends = [
        (time.perf_counter(), time.process_time())
        for event in train_one(train, config, graph, Context())
        if isinstance(event, Metric) and event.name == "val_accuracy" and event.stage == "stage 1"
    ]
    epoch = Cost(ends[-1][0] - ends[0][0], ends[-1][1] - ends[0][1]) * (1 / (len(ends) - 1))
    tell("one epoch of a stage of ProGAP", epoch, product)
    print(f"  peak memory {peak_memory_mb() / 2**10:.1f} GB")
