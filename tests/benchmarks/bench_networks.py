"""Seconds of ordinary graph networks on one graph: side by side, and one at a time by PyTorch's layers.

Networks differ in seed and in half of the nodes, as the shadow models of an attack do. One at a time is
measured on --alone networks, with --threads inside operations (as PyTorch comes) and with one, and scaled.
"""

import numpy as np
import torch
from tests.benchmarks.harness import options, tell, timed
from tests.methods.layer_by_layer import fit_by_layers

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.splits import with_training
from privgraph.methods.baselines.gnn.config import Config
from privgraph.methods.baselines.network import fit_together
from privgraph.methods.outsider import Outsider
from privgraph.methods.training import Context


def main() -> None:
    given = options(__doc__, dataset="cora", networks=128, alone=2, epochs=200, threads=2, conv=["sage", "gcn"])
    graph = load(given.dataset, split_seed=0)
    graphs = [halved(graph, seed) for seed in range(given.networks)]

    def together(config: Config) -> None:
        list(fit_together(graphs, config, [Context(seed=seed, outsider=Outsider()) for seed in range(len(graphs))]))

    def in_turn(config: Config) -> None:
        for seed, own in enumerate(graphs[: given.alone]):
            list(fit_by_layers(own, config, Context(seed=seed, outsider=Outsider())))

    for conv in given.conv:
        config = Config(conv=conv, epochs=given.epochs)
        print(f"{given.dataset}, {conv}: {given.networks} networks, {given.epochs} epochs")
        stack = timed(lambda config=config: together(config))
        tell(f"side by side, on {given.threads} threads", stack)
        for threads in dict.fromkeys((given.threads, 1)):
            alone = timed(lambda config=config: in_turn(config), threads=threads) * (given.networks / given.alone)
            tell(f"one at a time, {threads} threads inside", alone, stack)


def halved(graph: Graph, seed: int) -> Graph:
    """The graph with another half of its training and test nodes to train on."""
    pool = (graph.train_mask | graph.test_mask).nonzero().squeeze(1)
    order = torch.from_numpy(np.random.default_rng(seed).permutation(len(pool)))
    half = len(pool) // 2
    return with_training(graph, pool[order[:half]].sort().values, pool[order[half:]].sort().values)
