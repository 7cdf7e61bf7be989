"""What an attacker outside may learn of a released model: its answers about every node. Needs torch."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

import torch
from torch import Tensor

WAYS = ("linked", "alone")
"""Ways of asking about a node: `linked` with its edges in the graph, `alone` with its features and no
edge."""

Changed = Callable[[int, Tensor], Tensor]
"""Asks the released model once more, with other features (F,) of one node: logits (|V|, C), with all
edges."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """Node numbers (n,) int64: who was learnt from (`taught`), who might have been drawn in their place and
    was not (`spared`), and nodes that are learnt from by no draw, on which the model is judged (`judged`)."""

    taught: Tensor
    spared: Tensor
    judged: Tensor


@final
@dataclass(eq=False)
class Outsider:
    """Somebody who asks what a run releases about all nodes: an attack, in the place of `Context.outsider`.

    A trainer tells it, once, the logits of the model that the run ends with. Nothing flows back into the
    training, and a run that nobody attacks computes none of it.

    Args:
        logits: By way of asking (`WAYS`), (|V|, C) on the CPU.
        parts: Who was learnt from, where the method itself has drawn that.
        changed: Asks that model again, where its trainer lets it be asked: an ordinary graph network reads
            features and edges anew for each answer. Methods that release answers through noise do not: what
            they read of the graph was paid for once, and other features would be a query that nobody paid.
    """

    logits: dict[str, Tensor] = field(default_factory=dict)
    parts: Parts | None = None
    changed: Changed | None = field(default=None, repr=False)

    def hears(self, **answers: Tensor) -> None:
        """Logits (|V|, C) by way of asking. Raises `ValueError` for another way, or a second answer."""
        for way, logits in answers.items():
            if way not in WAYS:
                raise ValueError(f"a model is asked in the ways {', '.join(WAYS)} (got {way})")
            if way in self.logits:
                raise ValueError(f"the trainer has answered twice in the way {way}")
            if logits.dim() != 2:
                raise ValueError(f"logits must have shape (nodes, classes) (got {tuple(logits.shape)})")
            self.logits[way] = logits.detach().to("cpu", torch.float32, copy=True)

    def may_ask(self, changed: Changed) -> None:
        """Lets it ask again. Raises `ValueError` for a second offer."""
        if self.changed is not None:
            raise ValueError("the trainer has let the model be asked twice")
        self.changed = changed
