"""Estimates of memory, held against what the machine has. No torch."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import psutil

from privgraph.data import catalogue
from privgraph.data.errors import DataError
from privgraph.data.sizes import known_facts
from privgraph.methods.base import memory_estimate
from privgraph.options import OptionError, Scalar
from privgraph.registry import UnknownName
from privgraph.runs.spec import RunSpec

Items = tuple[tuple[str, Scalar], ...]


class TooLarge(Exception):
    """A run is taken to need more memory than the machine has; the message is one sentence."""


def estimate(spec: RunSpec) -> float:
    """The MiB that a run is taken to need, as far as its data's sizes are known without them; 0 where they
    are not, or no worker will begin it: whoever has the data finds out."""
    if spec.split == "inductive":
        return 0.0  # of a graph that is smaller by the split
    try:
        return _estimate(spec.method, spec.dataset, _items(spec.options), _items(spec.data_options))
    except (OptionError, UnknownName, DataError):
        return 0.0


def _items(options: Mapping[str, Scalar]) -> Items:
    return tuple(sorted(options.items()))


@lru_cache(maxsize=4096)
def _estimate(method: str, dataset: str, options: Items, data_options: Items) -> float:
    """Of a setting, once for all of its seeds."""
    facts = known_facts(catalogue.dataset(dataset), dict(data_options))
    config = RunSpec(method=method, dataset=dataset, options=dict(options)).config()
    return 0.0 if facts is None else memory_estimate(config, facts)


def machine_mb() -> float:
    """The memory of this machine."""
    return psutil.virtual_memory().total / 2**20


def too_large(needed_mb: float) -> str:
    """Why a run of that estimate is refused here, or ""."""
    there = machine_mb()
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
    there = machine_mb()
    if limit_mb is not None:
        there = min(there, limit_mb)
    return max(1, min(len(needed_mb), int(there // most))) if most > 0 else max(1, len(needed_mb))
