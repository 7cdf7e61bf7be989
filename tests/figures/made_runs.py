"""Runs in a real store, made as a worker makes them, with statements from the real accountants."""

import json
from collections.abc import Mapping, Sequence
from math import sqrt
from types import MappingProxyType

from privgraph.privacy.accountants import RenyiAccountant
from privgraph.privacy.events import Gaussian, PoissonSampled
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import (
    GAP_UNDIRECTED_EDGE,
    RELATION_EDGE_UNDIRECTED,
    RELATION_NODE_OPT_OUT,
    RELATION_NONE,
    make_statement,
)
from privgraph.program import program
from privgraph.progress import Event, Log, Metric, Result
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.records import RunRecord, plain
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore

NEIGHBOURS = {"edge": Neighbours.UNDIRECTED_EDGE, "node": Neighbours.FROZEN_SAMPLE, "none": Neighbours.NONE}


def edge_entries(noise_std: float, depth: int = 2) -> tuple[LedgerEntry, ...]:
    """Noisy aggregates of an undirected graph: sensitivity sqrt 2 proved, 1 published."""
    return tuple(
        LedgerEntry(
            kind=MechanismKind.AGGREGATION,
            mechanism="noisy aggregation",
            stage=f"stage {stage}",
            event=Gaussian(noise_multiplier=noise_std / sqrt(2)),
            event_as_published=Gaussian(noise_multiplier=noise_std),
            noise_std=noise_std,
            sensitivity=sqrt(2),
        )
        for stage in range(1, depth + 1)
    )


def node_entries(noise_multiplier: float) -> tuple[LedgerEntry, ...]:
    """One noisy aggregate and a hundred private gradient steps."""
    return (
        LedgerEntry(
            kind=MechanismKind.AGGREGATION,
            mechanism="noisy aggregation",
            stage="stage 1",
            event=Gaussian(noise_multiplier=noise_multiplier * 4),
            noise_std=noise_multiplier * 40,
            sensitivity=10,
        ),
        LedgerEntry(
            kind=MechanismKind.GRADIENTS,
            mechanism="private gradients",
            stage="stage 1",
            event=PoissonSampled(rate=0.05, event=Gaussian(noise_multiplier=noise_multiplier)),
            count=100,
            noise_std=noise_multiplier,
            sensitivity=1,
            sampling_rate=0.05,
        ),
    )


def statement(entries: Sequence[LedgerEntry], unit: str = "edge", delta: float = 1e-5) -> PrivacyStatement:
    """The statement of a run with that ledger, both epsilons accounted."""
    return make_statement(
        unit=unit,
        neighbours=NEIGHBOURS[unit],
        relation={"edge": RELATION_EDGE_UNDIRECTED, "node": RELATION_NODE_OPT_OUT, "none": RELATION_NONE}[unit],
        release=Release.MODEL,
        released="the trained model and its predictions for every node",
        public=("the numbers of nodes and edges",),
        delta=0.0 if unit == "none" else delta,
        delta_rule="asked for",
        ledger=Ledger(entries),
        published=None if unit == "none" else RenyiAccountant(),
        gaps=(GAP_UNDIRECTED_EDGE,) if unit == "edge" else (),
    )


def learning(seed: int, stages: int = 3, steps: int = 40) -> list[Event]:
    """Metric events of a run whose accuracy rises towards 0.8."""
    events: list[Event] = [Log(message="the run begins")]
    for step in range(stages * steps):
        risen = 1 - 0.75 * 0.97**step + 0.01 * ((step * 7 + seed * 3) % 5 - 2)
        for name, value in (
            ("train_loss", 2.0 * 0.98**step + 0.02 * ((step * 5 + seed) % 3)),
            ("train_accuracy", 0.8 * risen),
            ("val_accuracy", 0.77 * risen),
        ):
            events.append(Metric(name=name, value=value, step=step, stage=f"stage {step // steps}"))
    return events


def spec(
    method: str = "progap",
    dataset: str = "social",
    *,
    unit: str = "edge",
    epsilon: float = 1.0,
    seed: int = 0,
    accounting: str = "sound",
    **options: bool | int | float | str,
) -> RunSpec:
    """A spec with some options."""
    chosen = {"unit": unit, "epsilon": epsilon, "delta": 0.0, "accounting": accounting, "depth": 2, **options}
    return RunSpec(method=method, dataset=dataset, options=chosen, seed=seed)


def begin(store: RunStore, run: str, events: Sequence[Event] = ()) -> str:
    """A worker takes the run, and tells that; its name."""
    worker = new_worker()
    assert store.leases.claim([run], worker) == [run]
    store.leases.made_by(worker, program())
    store.leases.append(run, list(events), worker)
    return worker


def end(
    store: RunStore,
    run: str,
    worker: str,
    said: PrivacyStatement,
    metrics: Mapping[str, float],
    state: str = "done",
    error: str = "",
) -> None:
    """The run ends as a worker ends it: one that is done with its numbers and its statement."""
    done = state == "done"
    outcome = Outcome(
        state=state,
        error=error,
        metrics=metrics if done else {},
        statement=statement_to_json(said) if done else None,
        seconds=3.5,
        peak_memory_mb=300.0,
        device="cpu",
    )
    store.leases.finish(run, worker, outcome, [Result(metrics=metrics)] if done else [])


def finish(
    store: RunStore,
    asked: RunSpec,
    accuracy: float,
    said: PrivacyStatement,
    events: Sequence[Event] = (),
    more: Mapping[str, float] = MappingProxyType({}),
) -> RunRecord:
    """Submit, claim, fill and finish a run of the store; the record as the store gives it back. `more`: what
    it has measured besides its accuracies."""
    run = store.submit(asked)
    metrics = {"test_accuracy": accuracy, "val_accuracy": accuracy - 0.01, "train_accuracy": accuracy + 0.02, **more}
    end(store, run, begin(store, run, events), said, metrics)
    return store.get(run)


def sweep(store: RunStore) -> list[RunRecord]:
    """Two methods at several budgets, two references, three seeds each, one data set."""
    records = []
    for seed in range(3):
        wobble = 0.012 * (seed - 1)
        for epsilon, noise in ((0.25, 40.0), (1.0, 11.0), (2.0, 6.0), (4.0, 3.2)):
            said = statement(edge_entries(noise))
            gained = 0.5 + 0.33 * epsilon / (epsilon + 0.4)
            records.append(finish(store, spec(epsilon=epsilon, seed=seed), gained + wobble, said))
            records.append(finish(store, spec("gap", epsilon=epsilon, seed=seed), gained - 0.06 - wobble, said))
        open_ = statement((), unit="none")
        records.append(finish(store, spec("progap", unit="none", seed=seed), 0.86 + wobble / 2, open_))
        nothing = statement((), unit="edge")
        records.append(finish(store, spec("mlp", seed=seed), 0.55 + wobble / 2, nothing))
    return records


def record(asked: RunSpec, said: PrivacyStatement | None) -> RunRecord:
    """A run as a store would give it back, done where it has a statement, without a store."""
    return RunRecord(
        id=asked.id,
        stored_spec=asked,
        state="queued" if said is None else "done",
        created=0.0,
        started=None,
        finished=None,
        heartbeat=None,
        attempt=1,
        progress=0.0 if said is None else 1.0,
        stage="",
        eta_seconds=None,
        metrics={} if said is None else {"test_accuracy": 0.7},
        statement_text=None if said is None else json.dumps(plain(statement_to_json(said))),
        seconds=None,
        peak_memory_mb=None,
        device="",
        error="",
        tags=(),
        note="",
        batch="",
        version=program(),
    )
