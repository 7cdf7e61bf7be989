"""How long ten seeds of edge-level ProGAP take as one stack, against single runs, on facebook-pages.

    python -m tests.benchmarks bench_stack [--seeds 10] [--threads 2] [--epochs 100] [--rounds 2]

Three comparisons, all of the same work, seed for seed:
- training: the stack against single runs of the same code, inside one warm process;
- runs: the stack against single runs as a worker makes them, each a fresh process that imports and loads;
- ordinary: the stack against an ordinary implementation (torch modules, autograd, torch.optim.Adam).
A single run has the better of one thread and --threads. Other work on the machine ruins threads that wait for
each other: run this alone.
"""

import sys
from collections.abc import Sequence

import torch
from tests.benchmarks.harness import alone, options, tell, timed
from tests.secrets_made_here import secret
from torch import nn

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.mechanisms.aggregation import AggregationPerturbation
from privgraph.methods.aggregation.progap.config import Config
from privgraph.methods.aggregation.progap.train import train
from privgraph.methods.training import Context, planned

DATASET = "facebook-pages"


def trained(config: Config, graphs: Sequence[Graph], seeds: Sequence[int]) -> None:
    """The seeds together."""
    for _ in train([planned(config, graphs[seed], Context(seed=seed)) for seed in seeds]):
        pass


class _Unit(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(x, dim=-1)


def ordinary(config: Config, graph: Graph, seed: int) -> None:
    """One edge-level run as one would write it without a stack: Algorithm 2 with modules and autograd."""
    torch.manual_seed(seed)
    train_rows, val_rows = graph.train_mask, graph.val_mask
    mechanism = AggregationPerturbation(unit="edge", std=config.scale(graph.facts), undirected=graph.undirected)
    cache, bases = [graph.x], nn.ModuleList()
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
            return head(torch.cat([base(x[rows]) for base, x in zip(bases, cache, strict=True)], 1))

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
            forward(torch.ones_like(train_rows))


def main() -> None:
    given = options(__doc__, seeds=10, threads=2, epochs=100, rounds=2, only=0)
    config = Config(unit="edge", epsilon=1.0, epochs=given.epochs)
    seeds = range(given.only or given.seeds)
    graphs = [load(DATASET, split_seed=seed) for seed in seeds]
    if given.only:  # a whole run
        trained(config, graphs, seeds)
        print("null")
        return

    def whole(count: int) -> None:
        alone("bench_stack", *sys.argv[1:], "--only", str(count))

    trained(config, graphs, seeds)  # warm
    few = seeds[:4]
    stack = timed(lambda: trained(config, graphs, seeds), given.rounds)
    singles = [
        timed(lambda: [trained(config, graphs, [seed]) for seed in few], given.rounds, threads) * (1 / len(few))
        for threads in (1, given.threads)
    ]
    single = min(singles, key=lambda cost: cost.clock)
    usual = timed(lambda: ordinary(config, graphs[0], 0), given.rounds)
    print(f"{DATASET}, {len(seeds)} seeds, {given.epochs} epochs a stage, {given.threads} threads")
    tell("one run of the same code", single)
    tell("one run, ordinary", usual)
    tell("the stack, in runs of the same code", stack, single)
    tell("the stack, in ordinary runs", stack, usual)
    stack_run, single_run = timed(lambda: whole(len(seeds)), given.rounds), timed(lambda: whole(1), given.rounds)
    print(f"  as processes: {stack_run.clock:.2f} s, {stack_run.clock / single_run.clock:.2f} single runs")
