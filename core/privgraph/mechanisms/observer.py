"""The adversary of a white-box audit: it may add gradients of its own to a sum, and sees all that is
released.

What is released is public by the guarantee; that it is looked at costs nothing. A run of the workbench has no
observer.
"""

from typing import Protocol

from torch import Tensor


class Observer(Protocol):
    """Called by a mechanism on private gradients in every step, in this order."""

    def join(self, total: Tensor, clip: float) -> None:
        """Add canaries to the sum (P,) of gradients clipped to norm `clip`, in place, before the noise.

        A canary is what one protected unit may do to the sum by the mechanism's own proof.
        """

    def see(self, released: Tensor) -> None:
        """Look at the noisy sum (P,), before it is scaled by anything."""
