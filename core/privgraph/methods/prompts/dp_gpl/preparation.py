"""What all teachers and the student of a run have in common: slots, the standardised network, and the public
graph."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from privgraph.methods.prompts.dp_gpl.config import Config
from privgraph.methods.prompts.dp_gpl.partition import (
    Assignment,
    Draws,
    Floats,
    by_private_centrality,
    by_public_centrality,
    uniform,
)
from privgraph.methods.prompts.dp_gpl.pooling import centred
from privgraph.methods.prompts.pretrained import PreparedGraph
from privgraph.nn.standardise import standardised
from privgraph.streams import stream

JUDGED = 500
"""Test nodes on which teachers are judged, at most: the first of a public order. The student is judged on
all."""


def standing(prepared: PreparedGraph, table: Tensor) -> PreparedGraph:
    """The same prepared graph, its backbone where the `table` is and standardised by the public nodes'
    embeddings."""
    moved = replace(prepared, backbone=prepared.backbone.to(table.device))
    return replace(moved, backbone=standardised(moved.backbone, moved.public_embeddings(table)))


def assign(prepared: PreparedGraph, config: Config, draws: Draws) -> Assignment:
    """Who sits where, as `weighting` says."""
    roster, nodes, here = prepared.private_nodes.numpy(), prepared.labels.shape[0], prepared.present.numpy()
    room = config.room(nodes)
    if config.weighting == "uniform":
        return uniform(roster, here, room, draws)
    if config.weighting == "private-centrality":
        weights, ranks = config.public_weights()
        return by_public_centrality(roster, here, prepared.public_degree.numpy(), room, weights, ranks, draws)
    return by_private_centrality(
        roster, here, centralities(prepared, config), room, config.w_min, config.w_max, config.scores, draws
    )


def centralities(prepared: PreparedGraph, config: Config) -> Floats:
    """(|V|,) degree centrality: in the private graph, as published, or of public neighbours among public
    nodes."""
    if config.weighting == "private-centrality":
        public: Floats = prepared.public_degree.numpy() / max(len(prepared.public_nodes), 1)
        return public
    private: Floats = prepared.private_degree.numpy() / max(len(prepared.private_nodes) - 1, 1)
    return private


def judged_nodes(prepared: PreparedGraph, seed: int) -> Tensor:
    """The test nodes on which teachers are judged, in a public order."""
    order = stream(seed, "split/judged").permutation(len(prepared.test_nodes))[:JUDGED]
    return prepared.test_nodes[torch.from_numpy(order)]


def public_features(prepared: PreparedGraph, table: Tensor) -> Floats:
    """(n, d) what public nodes have in common: embeddings, and features averaged twice over neighbours and
    the node itself."""
    public, (source, target) = prepared.public_nodes, prepared.public_edges()
    smooth = prepared.table[public].double()
    degree = torch.bincount(target, minlength=len(public)).unsqueeze(1) + 1
    for _ in range(2):
        smooth = smooth.index_add(0, target, smooth[source]) / degree
    embedded: Floats = prepared.public_embeddings(table).double().cpu().numpy()
    return np.concatenate([centred(embedded), centred(smooth.numpy())], axis=1)
