"""EdgeRand: randomise the edges once, then train, choose the epoch and predict on the randomised graph
alone."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import torch

from privgraph.data.graph import Graph
from privgraph.mechanisms.randomised_response import pair_count, randomise
from privgraph.methods.baselines.edge_rand.config import Config
from privgraph.methods.baselines.network import fit
from privgraph.methods.training import Member
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Log, Spent
from privgraph.streams import Secret


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another: each has a graph of its own once it is randomised.

    Raises `TooManyEdges` where a privately counted graph comes out larger than `most_edges`.
    """
    for index, member in enumerate(members):
        edges, count = (member.context.secret(f"noise/{name}") for name in ("edges", "count"))
        noisy = randomised(member.graph, member.config, edges, count)
        for entry in member.plan.entries:
            member.context.ledger.add(entry)
        for entry in member.plan.entries:
            yield index, Spent(entry=entry_to_json(entry))
        yield index, Log(message=f"the randomised graph has {noisy.facts.edges:,} edges")
        for event in fit(noisy, member.config, member.context):
            yield index, event


def randomised(graph: Graph, config: Config, answers: Secret, count: Secret) -> Graph:
    """The same nodes with randomised edges: the pairs' `answers`, and a noisy `count` of edges where that is
    paid for."""
    nodes, edges, undirected = graph.num_nodes, graph.edge_index.numpy(), graph.undirected
    size: dict[str, Any] = {"undirected": undirected, "most_edges": config.most_edges}
    if config.counted:
        reported = config.counted.randomise(edges, nodes, answers, count, **size)
    else:
        response = config.uncounted(graph.facts.edges, pair_count(nodes, undirected))
        reported = randomise(edges, nodes, response, answers, **size)
    return replace(graph, edge_index=torch.from_numpy(reported), _cache={})
