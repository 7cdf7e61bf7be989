"""Randomised response on the relations of a domain, then fine-tuning on those that answer 1."""

from collections.abc import Generator, Sequence
from typing import Any

import torch
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.mechanisms.randomised_response import randomise, symmetric
from privgraph.methods.relations.fine_tuning import FineTuning
from privgraph.methods.relations.relation_rand.config import Config
from privgraph.methods.training import Member
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Log, Spent
from privgraph.streams import Secret


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another: each has relations of its own once they are randomised."""
    for index, member in enumerate(members):
        answers, count = (member.context.secret(f"noise/{name}") for name in ("relations", "count"))
        reported = randomised(member.graph, member.config, answers, count)
        for entry in member.plan.entries:
            member.context.ledger.add(entry)
        for entry in member.plan.entries:
            yield index, Spent(entry=entry_to_json(entry))
        yield index, Log(message=f"{reported.shape[1]:,} pairs of texts answered that they are related")
        for event in FineTuning(member.config, member.graph, member.context, reported, None).run():
            yield index, event


def randomised(graph: Graph, config: Config, answers: Secret, count: Secret) -> Tensor:
    """(2, m) int64: the pairs u < v of the domain that answer 1, in time and memory of their number.

    `count` is the noise on the number of relations, where that is paid for. Raises `TooManyEdges` where more
    are expected than `most_relations`.
    """
    learnt, _ = config.domain_pair(graph.facts)
    own = (graph.domains == learnt).nonzero().squeeze(1)
    number = torch.full((graph.num_nodes,), -1, dtype=torch.int64)
    number[own] = torch.arange(own.numel())
    related, texts = number[graph.relations(learnt)], own.numel()
    both = torch.cat([related, related.flip(0)], 1).numpy()
    size: dict[str, Any] = {"undirected": True, "most_edges": config.most_relations}
    if config.counted:
        reported = config.counted.randomise(both, texts, answers, count, **size)
    else:
        reported = randomise(both, texts, symmetric(config.epsilon), answers, **size)
    pairs = torch.from_numpy(reported)
    return own[pairs[:, pairs[0] < pairs[1]]]
