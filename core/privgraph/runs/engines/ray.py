"""The engine of Ray: the same worker as tasks, with the GPUs and memory that they ask for. No torch.

Ray starts a task again whose machine died. A head that dies forgets its tasks, and no run: the store knows
what is left, and the next crew takes it.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from privgraph.runs.engine_options import EngineOptions
from privgraph.runs.engines import EngineError, surroundings
from privgraph.runs.engines.task import work
from privgraph.runs.store import RunStore

TASK_RETRIES = 3
"""How often Ray starts a worker again whose process or machine died."""


class Tasks:
    """The tasks of one crew."""

    def __init__(self, tasks: Sequence[Any]) -> None:
        self._tasks = tasks

    def look(self, _left: Sequence[str]) -> bool:
        import ray

        _, going = ray.wait(self._tasks, num_returns=len(self._tasks), timeout=0)
        return bool(going)

    def leave(self) -> None:
        """They would end with this process, and not by themselves."""
        self.stop()

    def stop(self) -> None:
        """Interrupt them, as Ctrl-C would: they give their runs back."""
        import ray

        _, going = ray.wait(self._tasks, num_returns=len(self._tasks), timeout=0)
        for task in going:
            with suppress(ray.exceptions.RayError):
                ray.cancel(task)


def check(_store: RunStore, _options: EngineOptions) -> None:
    """Only the cluster knows how many machines would open the store (`start`)."""


def start(store: RunStore, options: EngineOptions) -> Tasks:
    """Start workers as tasks. Raises `EngineError` where no cluster answers, or its machines could not open
    the store."""
    import ray

    try:
        if not ray.is_initialized():
            ray.init(address=options.address or None, include_dashboard=False, log_to_driver=False)
        machines = {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise EngineError(f"no Ray cluster answers ({' '.join(str(error).split())[:200]})") from error
    if len(machines) > 1 and store.database.engine.dialect.name == "sqlite":
        raise EngineError("ray needs a store that all machines reach: set PRIVGRAPH_STORE to a PostgreSQL database")
    memory = options.pull.memory_mb
    asked: dict[str, Any] = {"num_cpus": options.cpus, "num_gpus": options.gpus, "max_retries": TASK_RETRIES}
    asked |= {} if memory is None else {"memory": int(memory * 2**20)}
    task = ray.remote(work).options(**asked)
    words, told = options.pull.command()[4:], surroundings(store)
    return Tasks([task.remote(told, words) for _ in range(options.workers)])
