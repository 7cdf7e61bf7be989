"""Edges that look at nothing."""

from itertools import combinations

import numpy as np


def random_graph(nodes: int, edges: int, seed: int) -> np.ndarray:
    """(2, edges) distinct pairs i < j, uniform, independent of anything else."""
    draw = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(nodes), 2)))
    return np.asarray(pairs[draw.permutation(len(pairs))[:edges]].T)
