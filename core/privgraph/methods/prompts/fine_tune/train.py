"""The whole pre-trained network with a linear head, trained on a few private nodes without protection."""

import math
from collections.abc import Generator, Iterator, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.methods.prompts.few_shot import Judge, chosen_by_label, progress, ready
from privgraph.methods.prompts.fine_tune.config import Config
from privgraph.methods.prompts.prompt.config import entry
from privgraph.methods.training import Member
from privgraph.nn.ego_graphs import EgoGraphs
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Result, Spent


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another: each has a network and private nodes of its own."""
    for index, member in enumerate(members):
        for event in _train_one(member):
            yield index, event


def _train_one(member: Member[Config]) -> Iterator[Event]:
    config = member.config
    context, device = member.context, member.context.device
    spent = entry()
    context.ledger.add(spent)
    yield Spent(entry=entry_to_json(spent))
    total = config.pretrain_epochs + config.epochs
    prepared, table = yield from ready(member.graph, config, context, total=total)
    backbone = prepared.backbone.trainable()
    bound, draws = 1 / math.sqrt(config.hidden), context.generator("init/head")
    weight, bias = (
        torch.empty(shape, device=device).uniform_(-bound, bound, generator=draws).requires_grad_()
        for shape in ((prepared.classes, config.hidden), (prepared.classes,))
    )

    def answering(asked: EgoGraphs) -> Tensor:
        x = table[asked.nodes.clamp(min=0)] * asked.present.unsqueeze(-1)
        read = backbone.embed(x.unsqueeze(0), asked.adjacency.unsqueeze(0), asked.present.unsqueeze(0), asked.near)
        return functional.linear(read[0], weight, bias)

    shots = chosen_by_label(prepared, config.shots, context.seed)
    judge = Judge(prepared, shots, device)
    lower_bound = judge.accuracy(answering, prepared.test_nodes)
    egos, labels = prepared.egos(shots.nodes).to(device), shots.labels.to(device)
    optimiser = torch.optim.Adam([*backbone.weights.values(), weight, bias], lr=config.learning_rate)
    for epoch in range(1, config.epochs + 1):
        optimiser.zero_grad()
        loss = functional.cross_entropy(answering(egos), labels)
        torch.autograd.backward(loss)
        optimiser.step()
        step = config.pretrain_epochs + epoch
        yield from judge.told(answering, loss.item(), step)
        yield progress(step, total)
    yield Result(metrics={**judge.accuracies(answering), "lower_bound": lower_bound})
