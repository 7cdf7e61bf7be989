"""How well vectors of texts predict relations, and classes, in a domain (section 4, Tasks and Metrics).

All of it reads the relations of the domain that is predicted in, which are the evaluator's: nothing of it
steers the training.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from torch import Tensor

from privgraph.methods.relations.options import CANDIDATES
from privgraph.streams import stream

SHOTS = 8
"""Labelled entities of each class, and as many for validation (Table 3)."""
TESTED = 1024
"""Entities whose class is asked for, at most: each must be encoded, and so many are enough for a share."""
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
"""Inverse strengths of the classifier's penalty, chosen on the validation entities."""


def asked_relations(relations: Tensor, most: int, seed: int, name: str = "test") -> Tensor:
    """(2, m) int64: at most `most` relations (0: all) in random order, each turned round by a coin.

    Row 0 asks, row 1 is its partner. Which are taken depends on `seed`, `name` and their number alone.
    """
    rng = stream(seed, f"evaluation/{name}")
    order = rng.permutation(relations.shape[1])[: most or None]
    turned = torch.from_numpy(rng.random(order.size) < 0.5)
    taken = relations[:, torch.from_numpy(order)]
    return torch.where(turned, taken.flip(0), taken)


def ranks(vectors: Tensor, asked: Tensor, candidates: int = CANDIDATES) -> Tensor:
    """(m',) float64: the rank of each partner among the partners of its batch, 1 for the best.

    vectors: (|V|, d), by whose inner products candidates are ranked. asked: (2, m), cut into batches of
    `candidates`; what is left over is not asked, unless there is no whole batch. A candidate that is the true
    partner itself, from another relation, does not count against it; a tie counts half.
    """
    size = min(candidates, asked.shape[1])
    found = []
    for start in range(0, asked.shape[1] - size + 1, size) if size else ():
        heads, tails = asked[:, start : start + size]
        scores = vectors[heads].double() @ vectors[tails].double().T
        # where vectors are not finite, the partner comes last: no comparison with such a score is true
        finite, own = torch.isfinite(scores), scores.diagonal()
        own = own.where(finite.diagonal(), -torch.inf).unsqueeze(1)
        scores = scores.where(finite, torch.inf)
        others = tails.unsqueeze(0) != tails.unsqueeze(1)
        above = ((scores > own) & others).sum(1)
        level = ((scores == own) & others).sum(1)
        found.append(1 + above.double() + level.double() / 2)
    return torch.cat(found) if found else torch.zeros(0, dtype=torch.float64)


def ranking(vectors: Tensor, asked: Tensor, candidates: int = CANDIDATES) -> dict[str, float]:
    """PREC@1 and MRR in [0, 1]; `accuracy` is PREC@1, the share of partners that are ranked first, of so many
    `relations`."""
    found = ranks(vectors, asked, candidates)
    if not found.numel():
        return {}
    accuracy = float((found == 1).double().mean())
    return {"accuracy": accuracy, "mrr": float((1 / found).mean()), "relations": float(found.numel())}


@dataclass(frozen=True, kw_only=True, eq=False)
class Classes:
    """Places (int64 arrays) of entities by whose vectors classes are learnt, chosen and tested."""

    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]

    @property
    def all(self) -> NDArray[np.int64]:
        return np.concatenate([self.train, self.validation, self.test])


def class_places(labels: Tensor, seed: int, shots: int = SHOTS, most: int = TESTED) -> Classes:
    """Which entities classes are learnt from and tested on, of labels (n,) int64 in which -1 is none.

    `shots` of each class teach, as many more choose the penalty, and `most` of all others at most are tested.
    Classes with fewer than twice the shots and one are left out.
    """
    rng, y = stream(seed, "evaluation/shots"), labels.numpy()
    parts: tuple[list[int], list[int], list[int]] = ([], [], [])
    for label in np.unique(y[y >= 0]):  # texts without a label are no class
        own = rng.permutation(np.flatnonzero(y == label))
        if own.size > 2 * shots:
            for part, taken in zip(parts, np.split(own, [shots, 2 * shots]), strict=True):
                part.extend(int(node) for node in taken)
    train, validation, test = (np.array(part, dtype=np.int64) for part in parts)
    return Classes(train=train, validation=validation, test=rng.permutation(test)[:most])


def few_shot_classes(vectors: Tensor, labels: Tensor, places: Classes) -> Mapping[str, float]:
    """Macro and micro F1 of classes of entities from a few labelled vectors of each class (Table 3).

    vectors: (n, d) of a frozen encoder, read at `places` alone; labels: (n,) int64. As many more of each
    class as teach choose the penalty of a logistic regression. Nothing where fewer than two classes are left,
    or where a vector is not finite.
    """
    y, train, validation, test = labels.numpy(), places.train, places.validation, places.test
    if np.unique(y[train]).size < 2 or not bool(torch.isfinite(vectors[places.all]).all()):
        return {}
    x = torch.nn.functional.normalize(vectors.double(), dim=1).numpy()
    fitted = [LogisticRegression(C=strength, max_iter=2000).fit(x[train], y[train]) for strength in STRENGTHS]
    best = max(fitted, key=lambda model: float(model.score(x[validation], y[validation])))
    said = best.predict(x[test])
    return {
        "macro_f1": float(f1_score(y[test], said, average="macro")),
        "micro_f1": float(f1_score(y[test], said, average="micro")),
    }
