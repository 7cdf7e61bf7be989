"""The adversary of a white-box audit: it may add gradients of its own to a sum, and sees all that is released.

What is released is public by the guarantee; that it is looked at costs nothing. A run of the workbench has no witness.
"""

from __future__ import annotations

from typing import Protocol

from torch import Tensor


class Witness(Protocol):
    """Called by a mechanism on private gradients in every step, in this order."""

    def join(self, total: Tensor, clip: float) -> None:
        """Add canaries, each of norm at most `clip`, to the sum (P,) of clipped gradients, in place, before the noise."""

    def see(self, released: Tensor) -> None:
        """Look at the noisy sum (P,), before it is scaled by anything."""
