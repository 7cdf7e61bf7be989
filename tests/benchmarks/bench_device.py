"""Whole runs on the processor and on a CUDA device of one machine, in one process.

Each row trains the same members by the same trainer with the same noise key, on either device: reading the
graph and calibrating the noise come before the clock starts, and everything that is released is made within
it. One round more on the device warms it, and the best round counts. Accuracies of both stand beside the
seconds: noise and samples are the same on both, initial weights and dropout are drawn by each device's own
generator. `nap` is one noisy aggregation (NAP, ProGAP equation 4) of 16 columns on 1.8 million nodes and 80
million directed edges, beside the plain sparse product on the same device.
"""

import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from tests.benchmarks.bench_nap import WIDTH, aggregated, synthetic
from tests.benchmarks.harness import options, tell, timed
from tests.secrets_made_here import KEY

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.methods.training import Context, planned
from privgraph.options import build
from privgraph.progress import Result
from privgraph.registry import method


@dataclass(frozen=True)
class Row:
    """What is trained: a method with options on a graph, once for each of `seeds` seeds, as one stack; and
    the metric that is compared."""

    title: str
    method: str
    data: str
    options: Mapping[str, object] = field(default_factory=dict)
    seeds: int = 1
    metric: str = "test_accuracy"


ROWS = {
    "progap": Row("ProGAP, edges protected, ten seeds", "progap", "facebook-pages", {"unit": "edge"}, 10),
    "gap": Row("GAP, nodes protected", "gap", "facebook-pages", {"unit": "node", "epsilon": 8.0}),
    "gnn": Row("128 graph networks (gcn)", "gnn", "cora", {"unit": "none", "conv": "gcn"}, 128),
    "privgnn": Row("PrivGNN, 1,000 teachers", "privgnn", "fb100-johnshopkins55", {"unit": "node", "queries": 1000}),
    "dp-gpl": Row("DP-GPL, 200 prompts (gat, gpf-plus)", "dp-gpl", "cora",
                  {"unit": "node", "backbone": "gat", "prompt": "gpf-plus", "epochs": 100}),
    "heter-poisson": Row("HeterPoisson, the paper's settings", "heter-poisson", "facebook-pages",
                         {"unit": "node", "preset": "as-published", "epsilon": 8.0}),
    "relational": Row("Relations by LoRA on an encoder of MiniLM's size", "relational", "products",
                      {"unit": "edge", "epsilon": 10.0, "encoder": "minilm"}),
}  # fmt: skip


def measured(row: Row, graphs: Sequence[Graph], device: str, rounds: int) -> tuple[float, float, float]:
    """Seconds of the best round, mean accuracy, and peak memory of the device in GB."""
    spec = method(row.method)
    config, results = build(spec.load_config(), row.options), []
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()

    def work() -> None:
        contexts = [Context(seed=seed, device=torch.device(device), noise_key=KEY) for seed in range(row.seeds)]
        members = [planned(config, graph, context) for graph, context in zip(graphs, contexts, strict=True)]
        results[:] = [event for _, event in spec.load_train()(members) if isinstance(event, Result)]
        if device == "cuda":
            torch.cuda.synchronize()

    config.plan(graphs[0].facts)
    seconds = timed(work, rounds).clock
    right = float(np.mean([result.metrics[row.metric] for result in results]))
    return seconds, right, torch.cuda.max_memory_allocated() / 1e9 if device == "cuda" else 0.0


def compare(row: Row, rounds: int) -> None:
    """Print a row's seconds on either device."""
    graphs = [load(row.data, split_seed=seed) for seed in range(row.seeds)]
    there, right_there, memory = measured(row, graphs, "cuda", 1 + rounds)
    here, right_here, _ = measured(row, graphs, "cpu", rounds)
    print(
        f"{row.title}, {row.data}: {there:.2f} s on the device ({memory:.2f} GB), {here:.2f} s without it = "
        f"{here / there:.1f} times as long; {row.metric} {100 * right_there:.1f} and {100 * right_here:.1f}"
    )


def main() -> None:
    given = options(
        __doc__, only=[*ROWS, "nap"], threads=torch.get_num_threads(), rounds=1, nodes=1_800_000, edges=80_000_000
    )
    if not torch.cuda.is_available():
        sys.exit("this benchmark needs a CUDA device, and PyTorch finds none")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {given.threads} threads", flush=True)
    for name in given.only:
        try:
            if name in ROWS:
                compare(ROWS[name], given.rounds)
                continue
            adjacency, rows = synthetic(given.nodes, given.edges, 1, 2).adjacency(), torch.randn(given.nodes, WIDTH)
            for device in ("cuda", "cpu"):
                product, noisy = aggregated(adjacency.to(device), rows.to(device))
                tell(f"plain sparse product on {device}", product)
                tell(f"NAP on {device}", noisy, product)
        except (RuntimeError, ValueError, KeyError):
            traceback.print_exc()
