"""Estimates of memory, held against what the machine has. No torch."""

from __future__ import annotations

from collections.abc import Sequence

import psutil


class TooLarge(Exception):
    """A run is taken to need more memory than the machine has; the message is one sentence."""


def too_large(needed_mb: float) -> str:
    """Why a run of that estimate is refused here, or ""."""
    there = psutil.virtual_memory().total / 2**20
    if needed_mb <= there:
        return ""
    return (
        f"this run needs about {needed_mb:,.0f} MB of memory, and this machine has {there:,.0f} MB: "
        "choose a smaller graph, batch or hidden size"
    )


def fits_at_once(needed_mb: Sequence[float], limit_mb: float | None = None) -> int:
    """How many of the runs can be trained together on this machine, or within `limit_mb` of it. Raises
    `TooLarge` where one alone does not fit the machine."""
    most = max(needed_mb, default=0.0)
    refusal = too_large(most)
    if refusal:
        raise TooLarge(refusal)
    there = psutil.virtual_memory().total / 2**20
    if limit_mb is not None:
        there = min(there, limit_mb)
    return max(1, min(len(needed_mb), int(there // most))) if most > 0 else max(1, len(needed_mb))
