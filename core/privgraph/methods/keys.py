"""The keys of a run's secret streams, and of an audit's own training.

What a run releases is a function of its spec, its data, the program and the device, and of noise. Two runs
that differ in any of these may be released both, and their guarantees compose, if their noise is independent;
with common noise, the difference of the two releases shows without any noise what differs. So a key of a run
comes from all four, and from the installation's secret: equal for the same of all four, and to everybody
without the secret independent of any other.

The number of threads belongs to the device: it decides in which order sums are made, and where a record
brings features whose classes tie, a last digit decides much. So do the libraries of linear algebra, their
threads and kernels, and the runs that are trained together with it (`in_company`). The libraries that torch
was built with do not show which kernels they choose; by what they choose them is in the key: the processor,
and variables of the environment. Not in a key is the order of sums on a GPU.

Where the installation's key is no secret (`streams.OPEN_KEY`) nothing is hidden, whatever a key hangs on.
There it hangs on run, data and weights that were read alone, so that other machines and later versions draw
the same noise.
"""

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

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


STEERS = ("ATEN_", "DNNL_", "KMP_", "MKL_", "OMP_", "ONEDNN_", "OPENBLAS_", "TORCH_")
"""Variables of the environment by which libraries choose their kernels begin like this."""


@cache
def processor() -> str:
    """The processor's maker and model, and what it can do; what `platform` knows where the system does not
    tell."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(errors="replace").split("\n\n")[0].splitlines()
        wanted = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags", "Features", "CPU part")
        return "; ".join(line for line in lines if line.partition(":")[0].strip() in wanted)
    return f"{platform.machine()} {platform.processor()}"


def libraries() -> str:
    """What decides in which order sums are made beside torch's threads: the processor, each library of linear
    algebra, its threads and kernels, and what tells it to choose others."""
    assert scipy.linalg  # its library is listed once it is loaded
    found = [
        (f"{one.get('internal_api')} {one.get('version')} {one.get('architecture', '')} {one.get('num_threads')}")
        for one in threadpool_info()
    ]
    steered = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith(STEERS))
    return ", ".join([torch.__config__.show(), processor(), *sorted(set(found)), *steered])


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
