"""Losses of tuples from the vectors of their texts (PvGaLM, section 2).

A tuple is (u, v, w_1..w_k): the anchor, its partner, and k texts that the pair is held against. Scores are
z_0 = <h_u, h_v> and z_j = <h_u, h_wj>. A text that is drawn against a pair may be u or v itself, or a true
partner of u: draws read no relation (decoupled sampling), and so do not avoid any.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

TupleLoss = Callable[[Tensor], Tensor]
"""From vectors (B, 2 + k, d) to losses (B,): each tuple's own, of its own vectors alone."""


def info_nce(scores: Tensor) -> Tensor:
    """(B,): -log of the softmax of the first of (B, 1 + k) scores; stable at any size."""
    return torch.logsumexp(scores, 1) - scores[:, 0]


def hinge(scores: Tensor, margin: float) -> Tensor:
    """(B,): the mean over the k others of max(0, margin + z_j - z_0)."""
    return (margin + scores[:, 1:] - scores[:, :1]).clamp_min(0).mean(1)


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """The loss of a tuple: `kind` info-nce or hinge (with `margin`), of scores that are inner products
    (`similarity` dot) or cosines over a `temperature`."""

    kind: str = "info-nce"
    similarity: str = "cosine"
    temperature: float = 0.05
    margin: float = 1.0

    def scores(self, vectors: Tensor) -> Tensor:
        """(B, 1 + k) from vectors (B, 2 + k, d)."""
        if self.similarity == "cosine":
            vectors = torch.nn.functional.normalize(vectors, dim=-1)
        found = torch.einsum("bd,bjd->bj", vectors[:, 0], vectors[:, 1:])
        return found / self.temperature if self.similarity == "cosine" else found

    def __call__(self, vectors: Tensor) -> Tensor:
        found = self.scores(vectors)
        return info_nce(found) if self.kind == "info-nce" else hinge(found, self.margin)
