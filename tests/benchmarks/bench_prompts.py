"""Seconds to tune and to ask the teachers of DP-GPL: as one stack, one at a time, and as PyTorch Geometric
has it.

    python -m tests.benchmarks.bench_prompts [--dataset cora] [--backbone gat] [--prompt gpf-plus] [--threads
    2]

One at a time is the same code with a stack of one. Plain is a module of PyTorch Geometric on the slots'
ego-graphs without empty places, and an optimiser, a teacher after another; it knows gpf-plus alone. Both are
measured on a few teachers and scaled. Seconds are by the clock; CPU seconds, on one thread, are what to
compare on a machine with other work. The best round counts.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Generator

import torch
from tests.benchmarks.bench_teachers import timed
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.data import Batch, Data

from privgraph.data.load import load
from privgraph.methods.prompts.few_shot import fresh_prompt
from privgraph.methods.prompts.pretrained import PreparedGraph, prepare, recipe_of
from privgraph.methods.prompts.prompt.config import Config
from privgraph.methods.training import Context
from privgraph.nn.backbones import network
from privgraph.nn.ego_graphs import EgoGraphs
from privgraph.nn.prompt_tuning import PLACES, Tuning, tune, votes
from privgraph.nn.prompts import Prompts, packed
from privgraph.progress import Event


def last(steps: Generator[Event, None, PreparedGraph]) -> PreparedGraph:
    """What a generator returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: PreparedGraph = end.value
            return found


class Plain(nn.Module):
    """GPF-plus as one would write it with PyTorch Geometric; the network is frozen by not giving it to the
    optimiser."""

    def __init__(self, body: nn.Module, features: int, hidden: int, classes: int, tokens: int) -> None:
        super().__init__()
        self.body = body
        self.keys = nn.Linear(features, tokens, bias=False)
        self.vectors = nn.Parameter(torch.randn(tokens, features) * 0.1)
        self.head = nn.Linear(hidden, classes)

    def forward(self, batch: Data) -> Tensor:
        x = batch.x + self.keys(batch.x).softmax(1) @ self.vectors
        said: Tensor = self.head(self.body(x, batch.edge_index)[batch.ptr[:-1]])
        return said

    def tuned(self, batch: Data, labels: Tensor, epochs: int, rate: float) -> Plain:
        own = [*self.keys.parameters(), self.vectors, *self.head.parameters()]
        optimiser = torch.optim.Adam(own, lr=rate)
        for _ in range(epochs):
            optimiser.zero_grad()
            functional.cross_entropy(self(batch), labels).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        return self


def sparse(table: Tensor, egos: EgoGraphs) -> Data:
    """The ego-graphs side by side, without empty places; each begins with its centre."""
    graphs = []
    for nodes, adjacency in zip(egos.nodes, egos.adjacency, strict=True):
        there = nodes >= 0
        edges = adjacency[there][:, there].nonzero().t().contiguous()
        graphs.append(Data(x=table[nodes[there]], edge_index=edges))
    return Batch.from_data_list(graphs)  # type: ignore[no-any-return]


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", default="cora")
    parser.add_argument("--backbone", default="gat")
    parser.add_argument("--prompt", default="gpf-plus")
    parser.add_argument("--teachers", type=int, default=200)
    parser.add_argument("--slots", type=int, default=5)
    parser.add_argument("--questions", type=int, nargs="+", default=[50, 500])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--alone", type=int, default=10)
    parser.add_argument("--plain", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    config = Config(backbone=options.backbone, prompt=options.prompt, pretrain_epochs=0)
    context = Context()
    prepared = last(prepare(load(options.dataset, split_seed=0), config, context, done=0, total=0))
    backbone, table, recipe = prepared.backbone, prepared.table, recipe_of(config)
    teachers, slots = options.teachers, options.slots
    nodes = prepared.private_nodes[torch.arange(teachers * slots) % len(prepared.private_nodes)]
    egos, labels = packed(prepared.egos(nodes), PLACES), prepared.labels[nodes].view(teachers, slots)
    fresh = Prompts.joined([fresh_prompt(prepared, table, recipe, context)] * teachers)
    filled = float(egos.present.float().mean())
    print(
        f"{options.dataset}, {options.backbone}, {options.prompt}: {teachers} teachers of {slots} nodes, "
        f"{recipe.epochs} epochs; {egos.nodes.shape[1]} places an ego-graph, {filled:.0%} of them taken"
    )

    def stacked() -> Prompts:
        *_, tuned = tune(fresh, backbone, table, egos, labels, recipe)
        assert isinstance(tuned, Prompts)
        return tuned

    def one_by_one() -> None:
        for teacher in range(options.alone):
            own = egos.take(slice(teacher * slots, (teacher + 1) * slots))
            one = slice(teacher, teacher + 1)
            tuning = Tuning(fresh.take(one), backbone, table, own, labels[one], recipe)
            for _ in range(recipe.epochs):
                tuning.step()

    body = network(options.backbone, table.shape[1], config.hidden, torch.Generator())
    batches = [sparse(table, egos.take(slice(t * slots, (t + 1) * slots))) for t in range(options.plain)]

    def plain() -> list[Plain]:
        return [
            Plain(body, table.shape[1], config.hidden, prepared.classes, config.tokens).tuned(
                batch, own, recipe.epochs, recipe.learning_rate
            )
            for batch, own in zip(batches, labels, strict=False)
        ]

    many, _ = timed(stacked, options.rounds, options.threads)
    single, busy = timed(stacked, options.rounds, 1)
    alone, alone_busy = timed(one_by_one, options.rounds, 1)
    rows = [
        ("stacked", single, busy),
        (f"one at a time ({options.alone} measured)", alone, alone_busy, options.alone),
    ]
    if options.prompt == "gpf-plus":
        usual, usual_busy = timed(plain, options.rounds, 1)
        rows.append((f"plain ({options.plain} measured)", usual, usual_busy, options.plain))
    print(f"tuning\n  {'stacked':32}{many:8.1f} s on {options.threads} threads")
    tell(rows, teachers, many, busy, options.threads)
    tuned = stacked()
    for count in options.questions:
        asked = prepared.egos(prepared.test_nodes[:count])
        ask = lambda asked=asked: list(votes(tuned, backbone, table, asked))  # noqa: E731
        many, _ = timed(ask, options.rounds, options.threads)
        single, busy = timed(ask, options.rounds, 1)
        rows = [("stacked", single, busy)]
        if options.prompt == "gpf-plus":
            together, models = sparse(table, asked), plain()

            def each(together: Data = together, models: list[Plain] = models) -> None:
                with torch.no_grad():
                    for model in models:
                        model(together)

            usual, usual_busy = timed(each, options.rounds, 1)
            rows.append((f"plain ({options.plain} measured)", usual, usual_busy, options.plain))
        print(f"votes on {len(asked):,} nodes\n  {'stacked':32}{many:8.2f} s on {options.threads} threads")
        tell(rows, teachers, many, busy, options.threads)


def tell(
    rows: list[tuple[str, float, float] | tuple[str, float, float, int]],
    teachers: int,
    many: float,
    busy: float,
    threads: int,
) -> None:
    """Seconds of each way, scaled to all teachers, and how many times those of the stack."""
    for title, seconds, spent, *measured in rows:
        scale = teachers / measured[0] if measured else 1.0
        print(
            f"  {title:32}{seconds * scale:8.2f} s on one thread, {seconds * scale / many:5.1f} times stacked "
            f"on {threads}; {spent * scale:.2f} CPU s, {spent * scale / busy:.2f} times those of the stack"
        )


if __name__ == "__main__":
    main()
