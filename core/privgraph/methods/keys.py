"""The keys of a run's secret streams, and of an audit's own training.

What a run releases is a function of its spec, its data, the program and the device, and of noise. Two runs
that differ in any of these may be released both, and their guarantees compose, if their noise is independent;
with common noise, the difference of the two releases shows without any noise what differs. So a key of a run
comes from all four, and from the installation's secret: equal for the same of all four, and to everybody
without the secret independent of any other.

The number of threads belongs to the device: it decides in which order sums are made, and where a record
brings features whose classes tie, a last digit decides much. So do the libraries of linear algebra, their
threads and kernels, and the runs that are trained together with it (`in_company`). Not in a key is the order
of sums on a GPU.

Where the installation's key is no secret (`streams.OPEN_KEY`) nothing is hidden, whatever a key hangs on.
There it hangs on run, data and weights that were read alone, so that other machines and later versions draw
the same noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import scipy.linalg
import torch
from threadpoolctl import threadpool_info

from privgraph.data.digest import Known, graph_digest
from privgraph.data.graph import Graph
from privgraph.program import program
from privgraph.streams import OPEN_KEY, derived_key


@dataclass(frozen=True, kw_only=True)
class Keys:
    """`noise`: of the run alone. `shared`: of all runs on the same data by the same program and kind of
    device. `open`: neither is a secret."""

    noise: bytes = field(repr=False)
    shared: bytes = field(repr=False)
    open: bool = False


def libraries() -> str:
    """What decides in which order sums are made beside torch's threads: each library of linear algebra, its
    threads and kernels."""
    assert scipy.linalg  # its library is listed once it is loaded
    found = [
        (f"{one.get('internal_api')} {one.get('version')} {one.get('architecture', '')} {one.get('num_threads')}")
        for one in threadpool_info()
    ]
    return ", ".join([torch.backends.cpu.get_cpu_capability(), *sorted(set(found))])


def in_company(key: bytes, runs: Sequence[str]) -> bytes:
    """The key of a run that is trained together with others, all of them in order.

    A stack rounds otherwise than a run alone, and after a hundred steps what noise is added to differs: the
    same noise would show the difference.
    """
    return derived_key(key, "company", *runs)


def run_keys(installation: bytes, runs: Sequence[str], graphs: Sequence[Graph], device: str) -> Iterator[Keys]:
    """Keys of `runs`, each a text that says what is run (all of it), on its graph; `device` is cpu or cuda.

    `installation` is the secret that stays on this machine (`streams.noise_key`).
    """
    known: Known = {}
    place = f"{device}, {torch.get_num_threads()} threads, {libraries()}"
    for run, graph in zip(runs, graphs, strict=True):
        data = graph_digest(graph, derived_key(installation, "data"), known)
        where = (data,) if installation == OPEN_KEY else (data, program(), place)
        yield Keys(
            noise=derived_key(installation, "noise", run, *where),
            shared=derived_key(installation, "shared", *where),
            open=installation == OPEN_KEY,
        )
