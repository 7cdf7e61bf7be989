"""How long ten seeds of edge-level ProGAP take as one stack, against runs of their own, on facebook-pages.

    python tests/benchmarks/bench_stack.py [--seeds 10] [--threads 2] [--epochs 100] [--rounds 2]

Three comparisons, all of the same work, seed for seed (the results are compared as well):
- training: the stack against single runs of the same code, inside one warm process;
- runs: the stack against single runs as a worker makes them, each a fresh process that imports and loads;
- ordinary: the stack against an ordinary implementation (torch modules, autograd, torch.optim.Adam).
Times are wall-clock seconds, the best of the rounds; a single run has the better of one thread and --threads.
Other work on the machine ruins threads that wait for each other: run this alone.
"""

import argparse
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence

import torch
from tests.secrets_made_here import secret
from torch import nn

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.mechanisms.aggregation import AggregationPerturbation
from privgraph.methods.aggregation.progap.config import Config
from privgraph.methods.aggregation.progap.train import train
from privgraph.methods.training import Context, planned
from privgraph.progress import Result

DATASET = "facebook-pages"


def accuracies(config: Config, graphs: Sequence[Graph], seeds: Sequence[int]) -> list[float]:
    """Test accuracies of the seeds, trained together."""
    members = [planned(config, graphs[seed], Context(seed=seed)) for seed in seeds]
    found = [0.0] * len(members)
    for position, event in train(members):
        if isinstance(event, Result):
            found[position] = event.metrics["test_accuracy"]
    return found


class _Unit(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(x, dim=-1)


def ordinary(config: Config, graph: Graph, seed: int) -> float:
    """One edge-level run as one would write it without a stack: Algorithm 2 with torch modules and
    autograd."""
    torch.manual_seed(seed)
    train_rows, val_rows = graph.train_mask, graph.val_mask
    mechanism = AggregationPerturbation(unit="edge", std=config.scale(graph.facts), undirected=graph.undirected)
    cache, bases = [graph.x], nn.ModuleList()
    logits = torch.empty(0)
    for stage in range(config.depth + 1):
        if stage:
            with torch.no_grad():
                embeddings = bases[-1](cache[-1])
            cache.append(mechanism.release(graph.adjacency(), embeddings, secret(seed + stage)))
        width = cache[-1].shape[1]
        bases.append(nn.Sequential(nn.Linear(width, config.hidden), nn.SELU(), nn.BatchNorm1d(config.hidden)))
        head = nn.Sequential(_Unit(), nn.Linear(config.hidden * (stage + 1), graph.num_classes))
        model = nn.ModuleList([bases, head])
        optimiser = torch.optim.Adam(model.parameters(), lr=config.learning_rate)
        best, best_state = -1.0, model.state_dict()

        def forward(rows: torch.Tensor, head: nn.Module = head) -> torch.Tensor:
            out: torch.Tensor = head(torch.cat([base(x[rows]) for base, x in zip(bases, cache, strict=True)], 1))
            return out

        for _ in range(config.effective_epochs):
            model.train()
            optimiser.zero_grad()
            nn.functional.cross_entropy(forward(train_rows), graph.y[train_rows]).backward()
            optimiser.step()
            model.eval()
            with torch.no_grad():
                accuracy = float((forward(val_rows).argmax(1) == graph.y[val_rows]).double().mean())
            if accuracy > best:
                best, best_state = accuracy, {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(best_state)
        model.eval()
        with torch.no_grad():
            logits = forward(torch.ones_like(train_rows))
    return float((logits.argmax(1) == graph.y)[graph.test_mask].double().mean())


def timed(work: Callable[[], object], rounds: int) -> float:
    """Seconds of the best round."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", type=int, default=0, help="train seeds 0 .. ONLY-1 and stop (a whole run)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    config = Config(unit="edge", epsilon=1.0, epochs=options.epochs)
    count = options.only or options.seeds
    graphs = [load(DATASET, split_seed=seed) for seed in range(count)]
    if options.only:
        accuracies(config, graphs, range(count))
        return

    def whole(seeds: int) -> None:
        script = [sys.executable, __file__, "--only", str(seeds), "--threads", str(options.threads)]
        subprocess.run([*script, "--epochs", str(options.epochs)], check=True)

    seeds = list(range(count))
    together = accuracies(config, graphs, seeds)
    alone = [accuracies(config, graphs, [seed])[0] for seed in seeds[:4]]
    spread = max(abs(one - other) for one, other in zip(together[:4], alone, strict=True))
    print(
        f"{DATASET}: {graphs[0].num_nodes:,} nodes, {count} seeds, {options.epochs} epochs a stage, "
        f"{options.threads} threads"
    )
    print(f"same results: test accuracies of a seed alone and in the stack differ by at most {spread:.4f}")
    stack = timed(lambda: accuracies(config, graphs, seeds), options.rounds)
    singles = {}
    for threads in sorted({1, options.threads}):
        torch.set_num_threads(threads)
        singles[threads] = timed(lambda: [accuracies(config, graphs, [seed]) for seed in seeds[:4]], options.rounds) / 4
        print(f"training   one run with {threads} threads {singles[threads]:6.2f} s")
    torch.set_num_threads(options.threads)
    single = min(singles.values())
    print(
        f"training   stack {stack:7.2f} s   one run {single:6.2f} s   stack = {stack / single:5.2f} runs "
        f"(goal 4; {count / (stack / single):.1f} times faster than one after another)"
    )
    stack_run = timed(lambda: whole(count), options.rounds)
    single_run = timed(lambda: [whole(1) for _ in range(4)], 1) / 4
    print(
        f"whole runs stack {stack_run:7.2f} s   one run {single_run:6.2f} s   stack = "
        f"{stack_run / single_run:5.2f} runs (goal 4)"
    )
    usual = timed(lambda: ordinary(config, graphs[0], 0), options.rounds)
    print(f"ordinary   stack {stack:7.2f} s   one run {usual:6.2f} s   stack = {stack / usual:5.2f} runs (goal 4)")


if __name__ == "__main__":
    main()
