"""Audits as processes of their own (`examining`), and what an audit is told of a stored run. No torch."""

from collections.abc import Callable
from typing import Any

from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord
from privgraph.options import OptionError
from privgraph.registry import audit as audit_spec
from privgraph.runs.examining import Examination, Examiner
from privgraph.runs.records import RunRecord, StoreError
from privgraph.runs.store import RunStore

Auditing = Examination[AuditOptions]
EXAMINER: Examiner[AuditOptions, AuditRecord] = Examiner("audit", AuditOptions, AuditRecord.from_json)

states, state, stop, outcome = EXAMINER.states, EXAMINER.state, EXAMINER.stop, EXAMINER.outcome


def _unread() -> Any:
    raise RuntimeError("the data of a run are read by the process that audits it, and by no other")


def subject(record: RunRecord, graph: Callable[[], Any] = _unread) -> Subject:
    """What an audit is told of a stored run: enough to ask whether it refuses the run, and what it costs.

    `graph` loads the run's data for the process that audits it. Raises `StoreError` where the run has no
    result.
    """
    if record.state != "done" or record.statement is None:
        raise StoreError(f"only a run that is done can be audited, and {record.id} is {record.state}")
    return Subject(
        run=record.id,
        method=record.spec.method,
        config=record.spec.config(),
        statement=record.statement,
        graph=graph,
        seed=record.spec.seed,
        seconds=record.seconds,
        device=record.device or "cpu",
    )


def start(store: RunStore, run: str, audit: str, options: AuditOptions) -> str:
    """Start an audit of a run as a process of its own, and give its token.

    Raises `StoreError` where the run is not done or no process can be started, and `OptionError` where the
    audit refuses the run.
    """
    record = store.get(run)
    refusal = audit_spec(audit).refuses(subject(record))
    if refusal:
        raise OptionError(refusal)
    return EXAMINER.start(store, record, audit, options)
