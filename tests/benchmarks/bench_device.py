"""Whole runs on the processor and on a CUDA device of one machine, in one process.

    python -m tests.benchmarks.bench_device [--only NAME ...] [--threads 8] [--encoder minilm]

Each row trains the same members by the same trainer with the same noise key, on either device: reading the
graph and calibrating the noise come before the clock starts, and everything that is released is made within
it. One round more on the device warms it, and the best round counts. Accuracies of both stand beside the
seconds: noise and samples are the same on both, initial weights and dropout are drawn by each device's own
generator. `nap` is one noisy aggregation (NAP, ProGAP equation 4) of 16 columns on 1.8 million nodes and 80
million directed edges, beside the plain sparse product on the same device.
"""

import argparse
import json
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from tests.benchmarks.bench_nap import WIDTH, synthetic
from tests.secrets_made_here import KEY, secret

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.mechanisms.aggregation import AggregationPerturbation
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
                      {"unit": "edge", "epsilon": 10.0}),
}  # fmt: skip


def measured(
    row: Row, graphs: Sequence[Graph], device: str, rounds: int, more: Mapping[str, object]
) -> tuple[float, float, float]:
    """Seconds of the best round, mean accuracy, and peak memory of the device in GB."""
    spec = method(row.method)
    config = build(spec.load_config(), {**row.options, **more})
    best, right = float("inf"), float("nan")
    for _ in range(rounds):
        contexts = [Context(seed=seed, device=torch.device(device), noise_key=KEY) for seed in range(row.seeds)]
        members = [planned(config, graph, context) for graph, context in zip(graphs, contexts, strict=True)]
        if device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        start = time.perf_counter()
        results = [event for _, event in spec.load_train()(members) if isinstance(event, Result)]
        if device == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
        right = float(np.mean([result.metrics[row.metric] for result in results]))
    return best, right, torch.cuda.max_memory_allocated() / 1e9 if device == "cuda" else 0.0


def compare(name: str, row: Row, rounds: int, more: Mapping[str, object]) -> None:
    """Print a row's seconds on either device."""
    graphs = [load(row.data, split_seed=seed) for seed in range(row.seeds)]
    there, right_there, memory = measured(row, graphs, "cuda", 1 + rounds, more)
    here, right_here, _ = measured(row, graphs, "cpu", rounds, more)
    print(
        f"{row.title}, {row.data}: {there:.2f} s on the device ({memory:.2f} GB), {here:.2f} s without it = "
        f"{here / there:.1f} times as long; {row.metric} {100 * right_there:.1f} and {100 * right_here:.1f}"
    )
    print(json.dumps({"row": name, "cuda": there, "cpu": here, "gb": memory, "accuracy": [right_there, right_here]}))


def nap(nodes: int, edges: int) -> None:
    """Print seconds of one noisy aggregation on either device."""
    graph = synthetic(nodes, edges, 1, 2)
    adjacency, rows = graph.adjacency(), torch.randn(nodes, WIDTH)
    mechanism = AggregationPerturbation(unit="edge", std=5.0, undirected=False)
    for device in ("cuda", "cpu"):
        there, own = adjacency.to(device), rows.to(device)
        found = {}
        for name in ("product", "NAP"):
            best = float("inf")
            for _ in range(3):
                if device == "cuda":
                    torch.cuda.synchronize()
                start = time.perf_counter()
                _ = torch.mm(there, own) if name == "product" else mechanism.release(there, own, secret())
                if device == "cuda":
                    torch.cuda.synchronize()
                best = min(best, time.perf_counter() - start)
            found[name] = best
        print(f"nap on {device}: {json.dumps(found)}, {graph.edge_index.shape[1]:,} directed edges")


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=[*ROWS, "nap"], default=[*ROWS, "nap"])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--encoder", default="minilm", help="encoder of the row relational: a name or a folder")
    parser.add_argument("--nodes", type=int, default=1_800_000)
    parser.add_argument("--edges", type=int, default=80_000_000)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        parser.exit(1, "this benchmark needs a CUDA device, and PyTorch finds none\n")
    torch.set_num_threads(options.threads)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {options.threads} threads", flush=True)
    for name in options.only:
        start = time.perf_counter()
        try:
            if name == "nap":
                nap(options.nodes, options.edges)
            else:
                compare(
                    name,
                    ROWS[name],
                    options.rounds,
                    {"encoder": options.encoder} if name == "relational" else {},
                )
        except (RuntimeError, ValueError, KeyError):
            traceback.print_exc()
        print(f"  ({time.perf_counter() - start:.0f} s for both)", flush=True)


if __name__ == "__main__":
    main()
