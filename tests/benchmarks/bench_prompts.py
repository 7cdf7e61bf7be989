"""Seconds to tune and to ask the teachers of DP-GPL: as one stack, one at a time, and as PyTorch Geometric
has it.

One at a time is the same code with a stack of one. Plain is a module of PyTorch Geometric on the slots'
ego-graphs without empty places, and an optimiser, a teacher after another. Both are measured on a few
teachers and scaled.
"""

import torch
from tests.benchmarks.harness import options, tell, timed
from tests.methods.drained import returned
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.data import Batch, Data

from privgraph.data.load import load
from privgraph.methods.prompts.few_shot import fresh_prompt
from privgraph.methods.prompts.pretrained import prepare, recipe_of
from privgraph.methods.prompts.prompt.config import Config
from privgraph.methods.training import Context
from privgraph.nn.backbones import network
from privgraph.nn.ego_graphs import EgoGraphs
from privgraph.nn.prompt_tuning import PLACES, Tuning, tune, votes
from privgraph.nn.prompts import Prompts, packed

SLOTS = 5


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
        return self.head(self.body(x, batch.edge_index)[batch.ptr[:-1]])

    def tuned(self, batch: Data, labels: Tensor, epochs: int, rate: float) -> "Plain":
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
    given = options(
        __doc__,
        dataset="cora",
        backbone="gat",
        teachers=200,
        questions=[50, 500],
        threads=2,
        alone=10,
        plain=3,
        rounds=2,
    )
    config = Config(backbone=given.backbone, prompt="gpf-plus", pretrain_epochs=0)
    prepared = returned(prepare(load(given.dataset, split_seed=0), config, Context(), done=0, total=0))
    backbone, table, recipe = prepared.backbone, prepared.table, recipe_of(config)
    nodes = prepared.private_nodes[torch.arange(given.teachers * SLOTS) % len(prepared.private_nodes)]
    egos, labels = packed(prepared.egos(nodes), PLACES), prepared.labels[nodes].view(given.teachers, SLOTS)
    fresh = Prompts.joined([fresh_prompt(prepared, table, recipe, Context())] * given.teachers)
    print(f"{given.dataset}, {given.backbone}: {given.teachers} teachers of {SLOTS} nodes, {recipe.epochs} epochs")

    def stacked() -> Prompts:
        *_, tuned = tune(fresh, backbone, table, egos, labels, recipe)
        assert isinstance(tuned, Prompts)
        return tuned

    def own(teacher: int) -> EgoGraphs:
        return egos.take(slice(teacher * SLOTS, (teacher + 1) * SLOTS))

    def one_by_one() -> None:
        for teacher in range(given.alone):
            one = slice(teacher, teacher + 1)
            tuning = Tuning(fresh.take(one), backbone, table, own(teacher), labels[one], recipe)
            for _ in range(recipe.epochs):
                tuning.step()

    body = network(given.backbone, table.shape[1], config.hidden, torch.Generator())
    batches = [sparse(table, own(teacher)) for teacher in range(given.plain)]

    def plain() -> list[Plain]:
        return [
            Plain(body, table.shape[1], config.hidden, prepared.classes, config.tokens).tuned(
                batch, wanted, recipe.epochs, recipe.learning_rate
            )
            for batch, wanted in zip(batches, labels, strict=False)
        ]

    stack = timed(stacked, given.rounds, given.threads)
    tell(f"tuning, stacked on {given.threads} threads", stack)
    tell("stacked on one", timed(stacked, given.rounds, 1), stack)
    tell("one at a time", timed(one_by_one, given.rounds, 1) * (given.teachers / given.alone), stack)
    tell("plain", timed(plain, given.rounds, 1) * (given.teachers / given.plain), stack)
    tuned, models = stacked(), plain()
    for count in given.questions:
        asked = prepared.egos(prepared.test_nodes[:count])
        together = sparse(table, asked)

        def ask(asked: EgoGraphs = asked) -> None:
            list(votes(tuned, backbone, table, asked))

        def ask_plain(together: Data = together) -> None:
            with torch.no_grad():
                for model in models:
                    model(together)

        stack = timed(ask, given.rounds, given.threads)
        tell(f"votes on {count} nodes, on {given.threads} threads", stack)
        tell("on one", timed(ask, given.rounds, 1), stack)
        tell("plain", timed(ask_plain, given.rounds, 1) * (given.teachers / given.plain), stack)
