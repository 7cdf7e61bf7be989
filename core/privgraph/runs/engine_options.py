"""What is asked of an engine (`engines`), for the command line and forms. No torch, and no database."""

from dataclasses import dataclass
from typing import Annotated

from privgraph.options import Option, check
from privgraph.runs.pull_options import PullOptions

RETRIES = 2
"""How often a run of a sweep is queued again by itself after its worker was lost."""
IDLE_SECONDS = 30.0
"""Seconds without a run after which a worker of an engine ends."""


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """What is asked of an engine for each of its workers. `local` has workers of its own, and reads none."""

    workers: Annotated[int, Option("how many workers are started", low=1, high=10_000)] = 1
    cpus: Annotated[int, Option("processor cores of a worker", low=1, high=1024)] = 1
    gpus: Annotated[float, Option("GPUs of a worker", low=0, high=64)] = 0.0
    memory: Annotated[str, Option("memory of a worker, such as 8GB; empty leaves it to the engine")] = ""
    minutes: Annotated[int, Option("of slurm: minutes that a worker may take", unit="min", low=1, high=43_200)] = 240
    partition: Annotated[str, Option("of slurm: the partition; empty is the cluster's own choice")] = ""
    cluster: Annotated[str, Option("of slurm: local tries it without one", choices=("slurm", "local"))] = "slurm"
    address: Annotated[str, Option("of ray: address of a cluster; empty is RAY_ADDRESS, or one of its own")] = ""

    def __post_init__(self) -> None:
        check(self)
        _ = self.pull

    @property
    def pull(self) -> PullOptions:
        """How the workers pull."""
        return PullOptions(memory=self.memory, idle=IDLE_SECONDS)
