"""The engine of Slurm: an array of equal workers, through submitit. No torch.

The store's URL, which may hold a password, goes to the jobs by the environment that Slurm hands on, and into
no file. With `cluster` local, submitit's own executor starts the same jobs on this machine.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from privgraph.home import home
from privgraph.runs.engine_options import EngineOptions
from privgraph.runs.engines import EngineError, surroundings
from privgraph.runs.engines.task import work
from privgraph.runs.store import RunStore


class Jobs:
    """The jobs of an array."""

    def __init__(self, jobs: Sequence[Any]) -> None:
        self._jobs = jobs

    def look(self, _left: Sequence[str]) -> bool:
        return not all(job.done() for job in self._jobs)

    def leave(self) -> None:
        """Those at work end by themselves; those that have not begun need not."""
        for job in self._jobs:
            if job.state == "PENDING":
                job.cancel()

    def stop(self) -> None:
        for job in self._jobs:
            if not job.done():
                job.cancel()


def check(store: RunStore, options: EngineOptions) -> None:
    """Raises `EngineError` where there is no Slurm, where it could not open the store, and for a part of a
    GPU."""
    if not options.gpus.is_integer():
        raise EngineError(f"slurm gives a worker whole GPUs: gpus must be a whole number (got {options.gpus:g})")
    if options.cluster == "slurm" and store.database.engine.dialect.name == "sqlite":
        raise EngineError("slurm needs a store that all machines reach: set PRIVGRAPH_STORE to a PostgreSQL database")
    if options.cluster == "slurm" and shutil.which("sbatch") is None:
        raise EngineError("slurm takes no jobs from this machine: there is no sbatch among its commands")


def start(store: RunStore, options: EngineOptions) -> Jobs:
    """Submit an array of workers. Raises `EngineError` where the cluster refuses."""
    import submitit

    memory = options.pull.memory_mb
    asked: dict[str, Any] = {"name": "privgraph", "timeout_min": options.minutes, "cpus_per_task": options.cpus}
    asked |= {"gpus_per_node": int(options.gpus)} if options.gpus else {}
    asked |= {} if memory is None else {"mem_gb": memory / 2**10}
    if options.cluster == "slurm":
        asked |= {"slurm_array_parallelism": options.workers}
        asked |= {"slurm_partition": options.partition} if options.partition else {}
    words = options.pull.command()[4:]
    try:
        executor = submitit.AutoExecutor(folder=home() / "slurm" / "%j", cluster=options.cluster)
        executor.update_parameters(**asked)
        with _environment(surroundings(store)):
            return Jobs(executor.map_array(work, [{}] * options.workers, [words] * options.workers))
    except (RuntimeError, OSError, submitit.core.utils.FailedSubmissionError) as error:
        raise EngineError(f"slurm takes no jobs ({' '.join(str(error).split())[:200]})") from error


@contextmanager
def _environment(added: dict[str, str]) -> Iterator[None]:
    """This process's environment with `added`, which a job's process is given."""
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
