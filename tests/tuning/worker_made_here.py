"""A worker that does not train: it takes what is queued, and finishes it with the statement of its plan."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from privgraph.data.spec import PublicFacts
from privgraph.privacy.serialisation import statement_to_json
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.tuning import conducting, request

FACTS = {
    "task": "node classification",
    "nodes": 2000,
    "edges": 9000,
    "entries": 18000,
    "features": 16,
    "classes": 4,
    "undirected": True,
    "split": {"train": 1500, "val": 200, "test": 300},
}
SIZES = PublicFacts(**{name: FACTS[name] for name in FACTS if name not in ("task", "split")}, train_nodes=1500)


def gap(**options: object) -> RunSpec:
    return make_spec("gap", "cora", {"unit": "edge", **options})


class MadeWorker:
    """Finishes each queued run with `accuracy(spec)`, or fails with its text; interrupted after `most`."""

    def __init__(self, accuracy: Callable[[RunSpec], float | str], most: int | None = None) -> None:
        self.accuracy, self.most, self.done = accuracy, most, list[RunSpec]()

    def launch(self, store: RunStore, own: Sequence[str] = (), *, others: bool = True) -> list[str]:
        for waiting in store.find(RunQuery(states=("queued",))):
            if not others and waiting.id not in own:
                continue
            if self.most is not None and len(self.done) >= self.most:
                raise KeyboardInterrupt
            worker = new_worker()
            store.leases.claim([waiting.id], worker)
            store.leases.finish(waiting.id, worker, self.outcome(waiting.spec))
            self.done.append(waiting.spec)
        return []

    def outcome(self, spec: RunSpec) -> Outcome:
        found = self.accuracy(spec)
        if isinstance(found, str):
            return Outcome(state="failed", error=found)
        statement: Any = spec.config().plan(SIZES).statement
        metrics = {"val_accuracy": found, "test_accuracy": 0.5}
        return Outcome(state="done", metrics=metrics, statement=statement_to_json(statement))


@contextmanager
def at_work(worker: MadeWorker) -> Iterator[MadeWorker]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conducting, "launch", worker.launch)
        patch.setattr(conducting, "_LOOK_SECONDS", 0.0)
        patch.setattr(request, "describe", lambda *_, **__: FACTS)
        yield worker


def noisier(spec: RunSpec) -> RunSpec:
    """The same with half the epsilon."""
    return replace(spec, options={**spec.options, "epsilon": float(spec.options["epsilon"]) / 2})
