"""Predictions that are averaged over edges among nodes that do not train: post-processing of a release."""

import torch
from torch import Tensor


def smoothed(logs: Tensor, edge_index: Tensor, training: Tensor, rounds: int) -> Tensor:
    """Logarithms of class probabilities (|V|, C): half a node's own, half the mean over in-neighbours.

    Unit: a training node; relation: it opts out, degrees stay. It costs no epsilon. Proof: an edge counts
    where both ends do not train, and a degree counts such edges alone, so that neither hangs on a training
    node's record; rows of training nodes stay as they are, and are read by nobody. What is averaged are
    predictions that the run releases. Nodes that do not train have no guarantee here: a neighbour's
    prediction tells of theirs.

    Args:
        logs: (|V|, C) logarithms of probabilities, one row a node.
        edge_index: (2, |E|) rows (source, target).
        training: (|V|,) bool, who trains.
        rounds: How often; each round reaches one hop further.
    """
    source, target = edge_index[:, ~training[edge_index].any(0)]
    degree = torch.bincount(target, minlength=training.numel()).unsqueeze(1)
    found = logs
    for _ in range(rounds):
        means = torch.zeros_like(logs).index_add_(0, target, found[source]) / degree.clamp_min(1)
        found = torch.where(degree > 0, (logs + means) / 2, logs)
    return found
