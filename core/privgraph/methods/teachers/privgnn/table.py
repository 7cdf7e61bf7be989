"""One table for all queries: what the private nodes of each class look like together, released once.

Votes are linear in the query: the votes of all private nodes u for a query v are
sum_u (phi(u) . psi(v)) e_y(u) = T' psi(v), where column c of T (d, C) is the sum of phi(u) over the private
nodes of class c. Whoever has T with noise answers any query, and any number of them, without asking again.

Unit: one private node, with its features, its label and all its edges. Relation: add or remove it.
Sensitivity of T: 1 in L2. Proof sketch: without node z the term phi(z) e_y(z)' is missing, and nothing else
is another: phi(u) is a function of u's own features and of the public graph, to the last bit
(`votes.PublicEncoder.private`), no edge is read, and the sum is exact, so that its rounding does not depend
on who is in it. The missing term has |phi(z)| <= 1 in one column. Guarantee: one Gaussian mechanism of noise
multiplier sigma, without sampling; all that is made of the noisy table is post-processing.
"""

import numpy as np
from numpy.typing import NDArray

from privgraph.methods.teachers.privgnn.options import MOST_NODES
from privgraph.methods.teachers.privgnn.votes import GRID, Array, balanced, count_votes


def class_sums(phi: Array, labels: NDArray[np.int64], classes: int) -> Array:
    """T (d, C): the sum of phi (n, d) over the nodes of each class; the votes for the d axes.

    Exact in whatever order it is summed: terms are multiples of `GRID` = 2^-30, and sums stay below 2^23.
    Raises `ValueError` for more nodes than that holds for, or for terms of another kind.
    """
    if len(labels) > MOST_NODES:
        raise ValueError(f"class_sums adds at most {MOST_NODES:,} nodes exactly (got {len(labels):,})")
    if not np.array_equal(np.rint(phi / GRID) * GRID, phi):
        raise ValueError("class_sums needs terms that are whole multiples of 2^-30")
    return count_votes(phi.T, labels, classes)


def class_scores(noisy: Array, everybody: Array) -> Array:
    """(n, C): how much each of `everybody` (n, d) is like each class, from the noisy table (d, C):
    post-processing."""
    scores: Array = everybody @ balanced(noisy)
    return scores
