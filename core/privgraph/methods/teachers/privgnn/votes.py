"""Weighted votes: every sampled private node votes for its own label, as strongly as it resembles the query.

How alike two nodes are is learnt from the public graph alone. The vote of a private node u for a query v is
cos(phi(u), psi(v)) e_y(u): phi reads u's own features and nothing else that is private (no edge, no other
node), psi the query's public neighbourhood. So u adds at most 1 in L2 to the votes, in one class, and changes
nobody else's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import eigh

from privgraph.data.graph import Graph
from privgraph.methods.teachers.student import mean_adjacency

Array = NDArray[np.float64]

WIDEST = 2048
"""Features that the encoder reads at most: those that vary most among public nodes."""
FLOOR = 1e-4
"""Directions whose public variance is below this share of the largest are noise, and are left out."""
SHARPNESS = 2.0
"""How fast chances fall with pooled scores, in their standard deviations."""
RIDGE = 2.0
"""What is added to every variance before whitening, in units of the sum of all over the number of public
nodes."""
HOPS = 3
"""How often a query's embedding is averaged with its neighbours'."""
GRID = 2.0**-30
"""Every number of phi is a whole multiple of it."""
FINE = 2**20
"""Steps from 0 to the largest feature, and weight, in which phi is computed: `WIDEST` products add up
exactly."""


@dataclass(frozen=True, eq=False)
class PublicEncoder:
    """phi(x) = W (x - mean), scaled to norm 1; made from the public graph, without any label.

    W first whitens the public features and then keeps the directions z in which joined nodes are most alike,
    those of largest E[z(v) mean of z over v's neighbours]: what changes slowly along edges follows classes
    where edges do. Of n public nodes, features whose variances sum to s seem to vary by about s/n in
    directions in which they do not (Marchenko and Pastur): that scale is added to every variance before
    whitening, so that faint directions stay faint where there are few nodes for many features.
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
        directions = signed(directions)
        kept = variances > FLOOR * variances[-1]
        whitening = directions[:, kept] / np.sqrt(variances[kept] + RIDGE * variances.sum() / len(x))
        white = centred @ torch.from_numpy(whitening)
        smooth = (white.T @ (mean_adjacency(public).double() @ white)).numpy() / len(x)
        _, slow = eigh((smooth + smooth.T) / 2)
        weights = whitening @ signed(slow)[:, ::-1][:, :dimensions]
        return PublicEncoder(columns.numpy(), x[:, columns].mean(0).numpy(), weights)

    @property
    def dimensions(self) -> int:
        return int(self.weights.shape[1])

    def raw(self, x: torch.Tensor) -> Array:
        """W (x - mean), (n, d) from features (n, F), not scaled."""
        embedded: Array = (x.double().numpy()[:, self.columns] - self.mean) @ self.weights
        return embedded

    def private(self, x: torch.Tensor) -> Array:
        """phi, (n, d), of multiples of `GRID`: each row a function of its own row of x (n, F) alone, of norm
        at most 1.

        To the last bit, and total: a record whose numbers are not all finite has the row of zeros, and any
        other is scaled by its own largest number before anything is multiplied, so that nothing overflows.
        Products are of whole numbers and add up to less than 2^53, so that they are exact in whatever order
        they are added, and however many records there are beside this one.
        """
        rows = whole(x.double().numpy()[:, self.columns] - self.mean, FINE)
        weights = whole(self.weights.reshape(1, -1), FINE).reshape(self.weights.shape)
        steps = whole(rows @ weights, 4 * FINE)
        norms = np.sqrt(np.square(steps).sum(axis=1, keepdims=True))
        # less than 1 by more than what the root and the division may round
        inside = (1 - 2.0**-40) / GRID
        scaled: Array = np.trunc(np.divide(inside * steps, norms, out=np.zeros_like(steps), where=norms > 0)) * GRID
        return scaled

    def public(self, graph: Graph) -> Array:
        """psi, (n, d): phi before scaling, averaged over `HOPS` hops of the public graph, (1 + M)^`HOPS`,
        then scaled."""
        embedded, means = torch.from_numpy(self.raw(graph.x)), mean_adjacency(graph).double()
        for _ in range(HOPS):
            embedded = embedded + means @ embedded
        return unit(embedded.numpy())


def signed(directions: Array) -> Array:
    """Columns (d, k) turned so that the largest number of each is positive: libraries give either sign, by
    their threads."""
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=0)[None], axis=0)
    turned: Array = directions * np.where(largest < 0, -1.0, 1.0)
    return turned


def whole(rows: Array, largest: int) -> Array:
    """Each row (n, k) scaled so that its number of largest size is +-`largest`, then rounded to whole
    numbers.

    By that row alone; a row of zeros stays, and one that is not finite becomes zeros.
    """
    size = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    fits = np.isfinite(size) & (size > 0)
    scaled: Array = np.rint(np.divide(rows, size, out=np.zeros_like(rows), where=fits) * largest)
    return scaled


def unit(rows: Array) -> Array:
    """Rows scaled to norm 1; a row of zeros stays, and so does none that is not finite."""
    if not np.isfinite(rows).all():
        raise ArithmeticError("an embedding is not finite")
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Array = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 1e-12)
    return scaled


def weights(queries: Array, nodes: Array) -> Array:
    """(q, n): each node's vote for each query, from unit rows (q, d) and (n, d); clipped, so that rounding
    cannot exceed 1."""
    cosines: Array = np.clip(queries @ nodes.T, -1.0, 1.0)
    return cosines


def count_votes(weighted: Array, labels: NDArray[np.int64], classes: int) -> Array:
    """(q, C): the sum over nodes of weight times the unit vector of their label; who is not sampled weighs 0.

    Unit: one private node; relation: add or remove it. Sensitivity 1 in L2 and L1: its column of `weighted`
    goes, every other stays as it is, and its vote is one number of size at most 1 in one class.
    """
    own = np.zeros((len(labels), classes))
    own[np.arange(len(labels)), labels] = 1
    votes: Array = weighted @ own
    return votes


def pool(noisy: Array, asked: Array, everybody: Array, std: float) -> Array:
    """What all noisy votes together say of each public node, (n, C): post-processing of what was released.

    Without noise the votes are linear in psi, votes_c(v) = t_c . psi(v), up to who was sampled. The t_c are
    estimated by ridge regression of `noisy` (q, C) on `asked` (q, d) and a constant, with the noise's known
    variance over a prior variance that is read off the noisy votes themselves. The score of class c is t_c .
    psi / sqrt(|t_c|), for `everybody` (n, d): a class with more private nodes casts more votes, and would win
    too often by t_c . psi alone.
    """
    z = np.concatenate([asked, np.ones((len(asked), 1))], axis=1)
    noise = std * std
    prior = max(float(np.square(noisy).mean()) - noise, 0.05 * noise)
    rule = np.linalg.solve(z.T @ z + noise / prior * np.eye(z.shape[1]), z.T @ noisy)[:-1]
    scores: Array = everybody @ balanced(rule)
    return scores


def balanced(rule: Array) -> Array:
    """Columns t_c of `rule` (d, C), divided by the root of their lengths: large classes no longer win by
    their size alone."""
    lengths = np.linalg.norm(rule, axis=0)
    least = 0.2 * np.median(lengths)  # a class that was hardly heard would be all noise, made loud
    scaled: Array = rule / np.sqrt(np.maximum(lengths, max(least, 1e-12)))
    return scaled


def chances(scores: Array) -> NDArray[np.float32]:
    """(n, C) probabilities from pooled scores: the softmax of scores over their standard deviation, times
    `SHARPNESS`."""
    spread = float(scores.std())
    sharp = SHARPNESS * scores / spread if spread > 0 else np.zeros_like(scores)
    powers = np.exp(sharp - sharp.max(axis=1, keepdims=True))
    shares: NDArray[np.float32] = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares
