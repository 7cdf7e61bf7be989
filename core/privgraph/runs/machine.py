"""What a worker uses of its machine: device, threads, memory. PyTorch is imported when it is asked about."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from privgraph.runs.launch import capacity, cores
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore

if TYPE_CHECKING:
    import torch


class DeviceError(Exception):
    """The device that was asked for is not there; the message is one sentence."""


def choose_device(asked: str) -> torch.device:
    """The device to train on; `auto` is CUDA where there is any. Raises `DeviceError`, and never falls back."""
    import torch

    available = torch.cuda.is_available()
    if asked == "cuda" and not available:
        raise DeviceError("the run asks for device cuda, and PyTorch finds no CUDA device on this machine")
    return torch.device("cuda" if available and asked != "cpu" else "cpu")


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


def fits_at_once(needed_mb: Sequence[float]) -> int:
    """How many of the runs can be trained together. Raises `TooLarge` where one alone does not fit."""
    most = max(needed_mb, default=0.0)
    refusal = too_large(most)
    if refusal:
        raise TooLarge(refusal)
    there = psutil.virtual_memory().total / 2**20
    return max(1, min(len(needed_mb), int(there // most))) if most > 0 else max(1, len(needed_mb))


def share_cores(store: RunStore) -> int:
    """Share the cores among the workers that run or are about to; OMP_NUM_THREADS has the last word."""
    import torch

    if not os.environ.get("OMP_NUM_THREADS"):
        workers = min(capacity(), max(1, store.leases.busy()) + store.count(RunQuery(states=("queued",))))
        torch.set_num_threads(max(1, cores() // workers))
    return torch.get_num_threads()


def peak_memory_mb() -> float:
    """The largest resident size that this process has had, in MiB.

    Linux's own high-water mark: what getrusage says there includes the process that this one was forked from.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (kib,) = (line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(kib) / 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
