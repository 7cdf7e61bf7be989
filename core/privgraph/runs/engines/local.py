"""The engine of this machine: as many processes as there is room for, which `launch` starts. No torch."""

from collections.abc import Sequence

from privgraph.runs.engine_options import EngineOptions
from privgraph.runs.launch import launch
from privgraph.runs.store import RunStore


class Processes:
    """Started where there is room, each for one stack of runs, which it ends with."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    def look(self, left: Sequence[str]) -> bool:
        launch(self._store, left, others=False)
        return True

    def leave(self) -> None:
        """They end by themselves."""

    def stop(self) -> None:
        """They end by themselves."""


def check(_store: RunStore, _options: EngineOptions) -> None:
    """This machine is always there."""


def start(store: RunStore, _options: EngineOptions) -> Processes:
    return Processes(store)
