"""Attacks as processes of their own (`examining`), and what an attack is told of a stored run. No torch."""

from collections.abc import Callable
from typing import Any

from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.options import OptionError
from privgraph.registry import attack as attack_spec
from privgraph.runs.examining import Examination, Examiner
from privgraph.runs.records import RunRecord, StoreError
from privgraph.runs.store import RunStore

Attacking = Examination[AttackOptions]
EXAMINER: Examiner[AttackOptions, AttackRecord] = Examiner("attack", AttackOptions, AttackRecord.from_json)

states, state, stop, outcome = EXAMINER.states, EXAMINER.state, EXAMINER.stop, EXAMINER.outcome


def _unread() -> Any:
    raise RuntimeError("the data of a run are read by the process that attacks it, and by no other")


def subject(record: RunRecord, graph: Callable[[], Any] = _unread) -> Attacked:
    """What an attack is told of a stored run: enough to ask whether it refuses the run, and what it costs.

    `graph` loads the run's data, with all edges, for the process that attacks it. Raises `StoreError` where
    the run has no result.
    """
    if record.state != "done" or record.statement is None:
        raise StoreError(f"only a run that is done can be attacked, and {record.id} is {record.state}")
    return Attacked(
        run=record.id,
        method=record.spec.method,
        config=record.spec.config(),
        statement=record.statement,
        graph=graph,
        split=record.spec.split,
        seed=record.spec.seed,
        accuracy=record.metrics.get("test_accuracy"),
        seconds=record.seconds,
        device=record.device or "cpu",
    )


def start(store: RunStore, run: str, attack: str, options: AttackOptions) -> str:
    """Start an attack on a run as a process of its own, and give its token.

    Raises `StoreError` where the run is not done or no process can be started, and `OptionError` where the
    attack refuses the run, or its method cannot be asked so.
    """
    record = store.get(run)
    told = subject(record)
    spec = attack_spec(attack)
    refusal = spec.refuses(told) or spec.unanswered(told, options)
    if refusal:
        raise OptionError(refusal)
    return EXAMINER.start(store, record, attack, options)
