"""What a worker uses of its machine: device, threads, memory. PyTorch is imported when it is asked about."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from privgraph.runs.launch import capacity, cores
from privgraph.runs.store import RunStore

if TYPE_CHECKING:
    import torch


class DeviceError(Exception):
    """The device that was asked for is not there; the message is one sentence."""


def choose_device(asked: str) -> torch.device:
    """The device to train on; `auto` is CUDA where there is any. Raises `DeviceError`, and never falls
    back."""
    import torch

    available = torch.cuda.is_available()
    if asked == "cuda" and not available:
        raise DeviceError("the run asks for device cuda, and PyTorch finds no CUDA device on this machine")
    return torch.device("cuda" if available and asked != "cpu" else "cpu")


def share_cores(store: RunStore) -> int:
    """Share the cores among the workers that run or are about to; OMP_NUM_THREADS has the last word."""
    import torch

    if not os.environ.get("OMP_NUM_THREADS"):
        most = max(1, capacity())
        workers = min(most, max(1, store.leases.busy()) + store.leases.waiting(most))
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
