"""Seconds of ordinary graph networks on one graph: side by side, and one at a time by PyTorch's layers.

    python -m tests.benchmarks.bench_networks [--dataset cora] [--networks 128] [--alone 2] [--epochs 200]
    [--threads 2] [--conv sage gcn ...]

Networks differ in seed and in half of the nodes, as the shadow models of an attack do. One at a time is
measured on --alone networks, with --threads inside operations (as PyTorch comes) and with one, and scaled.
Seconds are by the clock; CPU seconds are what to compare on a machine with other work. Test accuracies of
both ways stand beside them.
"""

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from tests.methods.layer_by_layer import fit_by_layers

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.splits import with_training
from privgraph.methods.baselines.gnn.config import Config
from privgraph.methods.baselines.network import fit_together
from privgraph.methods.baselines.options import CONVOLUTIONS
from privgraph.methods.outsider import Outsider
from privgraph.methods.training import Context
from privgraph.progress import Event, Result


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", default="cora")
    parser.add_argument("--networks", type=int, default=128)
    parser.add_argument("--alone", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--conv", nargs="*", choices=CONVOLUTIONS, default=["sage", "gcn"])
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    graph = load(options.dataset, split_seed=0)
    graphs = [halved(graph, seed) for seed in range(options.networks)]
    for conv in options.conv:
        config = Config(conv=conv, epochs=options.epochs)
        print(f"{options.dataset}, {conv}: {options.networks} networks, {options.epochs} epochs")
        contexts = [Context(seed=seed, outsider=Outsider()) for seed in range(options.networks)]
        events = (event for _, event in fit_together(graphs, config, contexts))
        stack, busy, accuracy = measured(events, options.networks)
        print(f"  {f'side by side, on {options.threads} threads':44}{stack:9.1f} s, {busy:9.1f} CPU s; {accuracy}")
        for threads in dict.fromkeys((options.threads, 1)):
            torch.set_num_threads(threads)
            seconds, spent, accuracy = measured(in_turn(graphs[: options.alone], config), options.networks)
            print(
                f"  {f'one at a time, {threads} threads inside':44}{seconds:9.1f} s, {spent:9.1f} CPU s; {accuracy}: "
                f"{seconds / stack:5.1f} times side by side, {spent / busy:5.1f} times in CPU s"
            )
        torch.set_num_threads(options.threads)


def halved(graph: Graph, seed: int) -> Graph:
    """The graph with another half of its training and test nodes to train on."""
    pool = (graph.train_mask | graph.test_mask).nonzero().squeeze(1)
    order = torch.from_numpy(np.random.default_rng(seed).permutation(len(pool)))
    half = len(pool) // 2
    return with_training(graph, pool[order[:half]].sort().values, pool[order[half:]].sort().values)


def in_turn(graphs: Sequence[Graph], config: Config) -> Iterator[Event]:
    for seed, graph in enumerate(graphs):
        yield from fit_by_layers(graph, config, Context(seed=seed, outsider=Outsider()))


def measured(events: Iterator[Event], networks: int) -> tuple[float, float, str]:
    """Seconds and CPU seconds of so many networks, and the mean test accuracy of those that were trained."""
    begin, busy = time.perf_counter(), time.process_time()
    found = [event.metrics["test_accuracy"] for event in events if isinstance(event, Result)]
    scale = networks / len(found)
    seconds, spent = (time.perf_counter() - begin) * scale, (time.process_time() - busy) * scale
    return seconds, spent, f"test accuracy {100 * np.mean(found):.1f} ({len(found)})"


if __name__ == "__main__":
    main()
