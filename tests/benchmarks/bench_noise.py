"""What noise costs that nobody can compute: whole runs with it, and with ordinary float32 normals and
uniforms in its place.

    python -m tests.benchmarks.bench_noise [--threads 2] [--rounds 3] [--small]

Three runs, each in CPU seconds of the same process, best of the rounds, turn about: NAP on a synthetic graph
of 1.8 million nodes and 80 million directed edges with one epoch of training (a stage of the paper has 100);
ten seeds of edge-level ProGAP as one stack; a run of HeterPoisson in the paper's settings. Goal: at most a
tenth more."""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import numpy as np
import torch
from tests.benchmarks.bench_nap import synthetic
from torch import Tensor

from privgraph.data.load import load
from privgraph.lattice import draw
from privgraph.mechanisms import aggregation
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.methods.aggregation.progap.config import Config
from privgraph.methods.aggregation.progap.train import train
from privgraph.methods.gradients.heter_poisson.config import Config as HeterPoisson
from privgraph.methods.gradients.heter_poisson.train import train as train_subgraphs
from privgraph.methods.training import Context, planned, train_one
from privgraph.streams import Secret

DATASET = "facebook-pages"


def add(self: GaussianNoise, values: Tensor, secret: Secret) -> Tensor:
    """float32 normals of torch's own generator."""
    return values.add_(torch.empty_like(values).normal_(generator=_plain(secret)), alpha=self.std)


def coins(self: Secret, chance: object, count: int | None = None) -> np.ndarray:
    """Uniforms in double precision of torch's own generator, compared with the chance."""
    size = np.shape(chance) if count is None else (count,)
    return (torch.rand(size, generator=_plain(self), dtype=torch.float64)).numpy() < chance


def unit_rows(rows: Tensor) -> Tensor:
    """Rows over their norms, and no more."""
    norms = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    return rows / (norms * (1 + 1e-6)).clamp_min_(1e-12)


def _plain(secret: Secret) -> torch.Generator:
    if not hasattr(secret, "plain"):
        secret.plain = torch.Generator().manual_seed(0)  # type: ignore[attr-defined]
    found: torch.Generator = secret.plain  # type: ignore[attr-defined]
    return found


@contextmanager
def ordinary() -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(patch.object(GaussianNoise, "add_", add))
        stack.enter_context(patch.object(Secret, "coins", coins))
        stack.enter_context(patch.object(aggregation, "unit_rows", unit_rows))
        yield


def compare(name: str, work: Callable[[], object], rounds: int) -> None:
    seconds = {"keyed": float("inf"), "ordinary": float("inf")}
    work()  # what is made once and kept is no part of either
    for _ in range(rounds):
        for kind in seconds:
            with ordinary() if kind == "ordinary" else ExitStack():
                start = time.process_time()
                work()
                seconds[kind] = min(seconds[kind], time.process_time() - start)
    keyed, plain = seconds["keyed"], seconds["ordinary"]
    print(f"{name:48} {keyed:8.2f} CPU s, {plain:8.2f} with ordinary noise: {keyed / plain - 1:+7.1%}", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small", action="store_true", help="a synthetic graph of a tenth of the size")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    stream, count = Secret(bytes(32), 0, "noise"), 2_000_000
    start = time.process_time()
    draw("gaussian", 1.0, stream, count)
    drawn = time.process_time() - start
    start = time.process_time()
    torch.empty(count).normal_()
    print(
        f"a number: {1e9 * drawn / count:.0f} ns on the lattice, "
        f"{1e9 * (time.process_time() - start) / count:.0f} in float32"
    )

    heter = HeterPoisson(preset="as-published", noise="gaussian", epsilon=8.0)
    pages = load(DATASET, split_seed=0)
    heter.plan(pages.facts)
    compare(
        "HeterPoisson, 50 steps on facebook-pages",
        lambda: list(train_one(train_subgraphs, heter, pages, Context())),
        options.rounds,
    )
    stack = Config(unit="edge", epsilon=1.0)
    graphs = [load(DATASET, split_seed=seed) for seed in range(10)]
    stack.plan(pages.facts)
    compare(
        "ProGAP, ten seeds as a stack on facebook-pages",
        lambda: list(train([planned(stack, graph, Context()) for graph in graphs])),
        max(1, options.rounds - 1),
    )
    scale = 10 if options.small else 1
    graph = synthetic(1_800_000 // scale, 80_000_000 // scale, 100, 10)
    large = Config(unit="edge", epsilon=1.0, depth=1, epochs=1, selection="last")
    large.plan(graph.facts)
    graph.adjacency()
    compare(
        f"a stage of one epoch, {graph.num_nodes:,} nodes",
        lambda: list(train([planned(large, graph, Context())])),
        max(1, options.rounds - 1),
    )
    rows, adjacency = torch.randn(graph.num_nodes, 16), graph.adjacency()
    compare(
        f"NAP alone, {graph.edge_index.shape[1]:,} edges",
        lambda: aggregation.AggregationPerturbation(unit="edge", std=5.0, undirected=False).release(
            adjacency, rows, Secret(bytes(32), 0, "noise")
        ),
        options.rounds,
    )


if __name__ == "__main__":
    main()
