"""Randomised response on the relations of a domain, then fine-tuning on those that answer 1."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import torch
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.mechanisms.randomised_response import randomise
from privgraph.methods.relations.fine_tuning import FineTuning
from privgraph.methods.relations.relation_rand.config import Config
from privgraph.methods.training import Member
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Log, Spent
from privgraph.streams import Secret


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another: each has relations of its own once they are randomised."""
    for index, member in enumerate(members):
        reported = randomised(member.graph, member.config, member.context.secret("noise/relations"))
        for entry in member.plan.entries:
            member.context.ledger.add(entry)
        for entry in member.plan.entries:
            yield index, Spent(entry=entry_to_json(entry))
        yield index, Log(message=f"{reported.shape[1]:,} pairs of texts answered that they are related")
        for event in FineTuning(member.config, member.graph, member.context, reported, None).run():
            yield index, event


def randomised(graph: Graph, config: Config, answers: Secret) -> Tensor:
    """(2, m) int64: the pairs u < v of the domain that answer 1, in time and memory of their number.

    Raises `TooManyEdges` where more are expected than `most_relations`.
    """
    facts = graph.facts
    learnt, _ = config.domain_pair(facts)
    own = (graph.domains == learnt).nonzero().squeeze(1)
    number = torch.full((graph.num_nodes,), -1, dtype=torch.int64)
    number[own] = torch.arange(own.numel())
    reported = randomise(
        number[graph.relations(learnt)].numpy(),
        own.numel(),
        config.probabilities(facts),
        answers,
        undirected=True,
        most_edges=config.most_relations,
    )
    pairs = torch.from_numpy(reported)
    return own[pairs[:, pairs[0] < pairs[1]]]
