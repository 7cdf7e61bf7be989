"""Weighted votes: every sampled private node votes for its own label, as strongly as it resembles the query.

How alike two nodes are is learnt from the public graph alone. The vote of a private node u for a query v is
cos(phi(u), psi(v)) e_y(u): phi reads u's own features and nothing else that is private (no edge, no other node), psi
the query's public neighbourhood. So u adds at most 1 in L2 to the votes, in one class, and changes nobody else's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import eigh

from privgraph.data.graph import Graph
from privgraph.methods.student import mean_adjacency

Array = NDArray[np.float64]

WIDEST = 2048
"""Features that the encoder reads at most: those that vary most among public nodes."""
FLOOR = 1e-4
"""Directions whose public variance is below this share of the largest are noise, and are left out."""
SHARPNESS = 2.0
"""How fast chances fall with pooled scores, in their standard deviations."""
RIDGE = 1e-3
"""What is added to every variance before whitening, as a share of the largest: faint directions stay faint."""


@dataclass(frozen=True, eq=False)
class PublicEncoder:
    """phi(x) = W (x - mean), scaled to norm 1; made from the public graph, without any label.

    W first whitens the public features and then keeps the directions z in which joined nodes are most alike, those of
    largest E[z(v) mean of z over v's neighbours]: what changes slowly along edges follows classes where edges do.
    """

    columns: NDArray[np.int64]
    mean: Array
    weights: Array

    @staticmethod
    def of(public: Graph, dimensions: int) -> PublicEncoder:
        """Learn at most `dimensions` directions; fewer where the features have fewer."""
        x = public.x.double()
        spread = x.var(0, correction=0)
        columns = spread.argsort(descending=True, stable=True)[: min(WIDEST, int((spread > 0).sum()))].sort().values
        if not columns.numel():
            return PublicEncoder(columns.numpy(), np.zeros(0), np.zeros((0, 1)))
        centred = x[:, columns] - x[:, columns].mean(0)
        variances, directions = eigh((centred.T @ centred / len(x)).numpy())
        kept = variances > FLOOR * variances[-1]
        whitening = directions[:, kept] / np.sqrt(variances[kept] + RIDGE * variances[-1])
        white = centred @ torch.from_numpy(whitening)
        smooth = (white.T @ (mean_adjacency(public).double() @ white)).numpy() / len(x)
        _, slow = eigh((smooth + smooth.T) / 2)
        return PublicEncoder(columns.numpy(), x[:, columns].mean(0).numpy(), whitening @ slow[:, ::-1][:, :dimensions])

    @property
    def dimensions(self) -> int:
        return int(self.weights.shape[1])

    def raw(self, x: torch.Tensor) -> Array:
        """W (x - mean), (n, d) from features (n, F), not scaled."""
        embedded: Array = (x.double().numpy()[:, self.columns] - self.mean) @ self.weights
        return embedded

    def private(self, x: torch.Tensor) -> Array:
        """phi, (n, d): each row from its own row of x (n, F) alone, of norm 1 at most, or zeros."""
        return unit(self.raw(x))

    def public(self, graph: Graph) -> Array:
        """psi, (n, d): phi before scaling, averaged over two hops of the public graph (1 + 2 M + M^2), then scaled."""
        own, means = torch.from_numpy(self.raw(graph.x)), mean_adjacency(graph).double()
        once = means @ own
        return unit((own + 2 * once + means @ once).numpy())


def unit(rows: Array) -> Array:
    """Rows scaled to norm 1; a row of zeros stays, and so does none that is not finite."""
    if not np.isfinite(rows).all():
        raise ArithmeticError("an embedding is not finite")
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Array = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 1e-12)
    return scaled


def weights(queries: Array, nodes: Array) -> Array:
    """(q, n): each node's vote for each query, from unit rows (q, d) and (n, d); clipped, so that rounding cannot exceed 1."""
    cosines: Array = np.clip(queries @ nodes.T, -1.0, 1.0)
    return cosines


def count_votes(weighted: Array, labels: NDArray[np.int64], classes: int) -> Array:
    """(q, C): the sum over nodes of weight times the unit vector of their label; who is not sampled weighs 0.

    Unit: one private node; relation: add or remove it. Sensitivity 1 in L2 and L1: its column of `weighted` goes,
    every other stays as it is, and its vote is one number of size at most 1 in one class.
    """
    own = np.zeros((len(labels), classes))
    own[np.arange(len(labels)), labels] = 1
    votes: Array = weighted @ own
    return votes


def pool(noisy: Array, asked: Array, everybody: Array, std: float) -> Array:
    """What all noisy votes together say of each public node, (n, C): post-processing of what was released.

    Without noise the votes are linear in psi, votes_c(v) = t_c . psi(v), up to who was sampled. The t_c are estimated by
    ridge regression of `noisy` (q, C) on `asked` (q, d) and a constant, with the noise's known variance over a prior
    variance that is read off the noisy votes themselves. The score of class c is t_c . psi / sqrt(|t_c|), for `everybody`
    (n, d): a class with more private nodes casts more votes, and would win too often by t_c . psi alone.
    """
    z = np.concatenate([asked, np.ones((len(asked), 1))], axis=1)
    noise = std * std
    prior = max(float(np.square(noisy).mean()) - noise, 0.05 * noise)
    rule = np.linalg.solve(z.T @ z + noise / prior * np.eye(z.shape[1]), z.T @ noisy)[:-1]
    lengths = np.linalg.norm(rule, axis=0)
    least = 0.2 * np.median(lengths)  # a class that was hardly heard would be all noise, made loud
    scores: Array = everybody @ (rule / np.sqrt(np.maximum(lengths, max(least, 1e-12))))
    return scores


def chances(scores: Array) -> NDArray[np.float32]:
    """(n, C) probabilities from pooled scores: the softmax of scores over their standard deviation, times `SHARPNESS`."""
    spread = float(scores.std())
    sharp = SHARPNESS * scores / spread if spread > 0 else np.zeros_like(scores)
    powers = np.exp(sharp - sharp.max(axis=1, keepdims=True))
    shares: NDArray[np.float32] = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares
