"""DP-GNN (Daigavane et al. 2021, arXiv 2111.15521): node-level gradients of a graph network, several terms a
node.

One node with at most K kept in-neighbours and out-neighbours changes the loss terms of at most
N(K, r) = 1 + K + ... + K^r nodes within r hops. A batch of m of n training nodes, drawn without replacement,
holds rho of these terms, hypergeometric; each gradient changes by at most 2C. So a step is a Gaussian whose
shift is 2 C rho, and rho, whose law does not depend on the node's data, may be revealed (Theorem 1 of the
paper bounds the same mixture by joint convexity). The guarantee covers the weights: predictions read
neighbours at inference.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from privgraph.privacy.events import RevealedMixture
from privgraph.privacy.renyi import RenyiAccountant


def affected_terms(max_degree: int, hops: int) -> int:
    """N(K, r): how many loss terms one node can change, at most.

    >>> affected_terms(5, 1), affected_terms(5, 2)
    (6, 31)
    """
    if max_degree < 1 or hops < 0:
        raise ValueError(f"affected_terms needs a degree of at least 1 and no negative hops (got {max_degree}, {hops})")
    return sum(max_degree**hop for hop in range(hops + 1))


def step_event(*, noise_multiplier: float, nodes: int, batch: int, terms: int) -> RevealedMixture:
    """One step: noise of standard deviation `noise_multiplier` 2 C `terms`, on a batch drawn without
    replacement.

    `nodes` is the number of training nodes, `terms` the terms that one node can change (at most `nodes`
    of them exist). With rho of them in the batch the shift is 2 C rho, hence the multiplier
    `noise_multiplier` terms/rho.
    """
    if not 1 <= batch <= nodes:
        raise ValueError(f"a batch holds between 1 and {nodes} training nodes (got {batch})")
    present = min(terms, nodes)
    counts = np.arange(present + 1)
    counts = counts[(counts <= batch) & (batch - counts <= nodes - present)]
    # Hypergeometric, by log gammas: scipy.stats is slow to import, and forms need this module.
    weights = np.exp(_choose(present, counts) + _choose(nodes - present, batch - counts) - _choose(nodes, batch))
    kept = weights > 0
    weights = weights[kept] / weights[kept].sum()
    multipliers = [math.inf if rho == 0 else noise_multiplier * terms / int(rho) for rho in counts[kept]]
    return RevealedMixture(weights=tuple(float(weight) for weight in weights), noise_multipliers=tuple(multipliers))


def _choose(n: int, k: NDArray[np.int_] | int) -> NDArray[np.float64]:
    """log of n over k, elementwise."""
    return np.asarray(gammaln(n + 1) - gammaln(np.asarray(k) + 1) - gammaln(n - np.asarray(k) + 1))


def published_accountant() -> RenyiAccountant:
    """What the authors' code computes: orders 1.1, 1.2, ..., 9.9 and the improved conversion."""
    return RenyiAccountant([1 + tenth / 10 for tenth in range(1, 90)], "balle")
