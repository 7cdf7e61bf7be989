"""What is written of a run: its events, how far it is, and what it came to. No torch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from privgraph.progress import Event, Progress, to_record
from privgraph.runs.records import plain
from privgraph.runs.tables import events, runs

if TYPE_CHECKING:
    from privgraph.runs.leases import Outcome


def append(connection: sa.Connection, row: Any, new: Sequence[Event], time: float) -> int:
    """Append events to the run of that row, which is locked, and give the last sequence number."""
    records = [to_record(event) for event in new]
    values = [
        {
            "run": row.number,
            "sequence": row.last_sequence + position,
            "attempt": row.attempt,
            "time": time,
            "kind": kind,
            "payload": json.dumps(plain(payload), allow_nan=False),
        }
        for position, (kind, payload) in enumerate(records, start=1)
    ]
    if values:
        connection.execute(events.insert(), values)
        change = {"last_sequence": values[-1]["sequence"]} | _progress(row, new, time)
        connection.execute(runs.update().where(runs.c.number == row.number).values(**change))
    return int(row.last_sequence) + len(values)


def _progress(row: Any, new: Sequence[Event], time: float) -> dict[str, Any]:
    """What the newest progress event changes in the run's row.

    The pace of a run is taken from the last moment at which nothing was done yet: loading data does not
    count.
    """
    latest = next((event for event in reversed(new) if isinstance(event, Progress)), None)
    if latest is None:
        return {}
    done = min(1.0, max(0.0, latest.step / latest.total)) if latest.total > 0 else 0.0
    change = {"progress": done, "stage": latest.stage, "progress_time": time}
    if row.training_since is None or done == 0:
        change |= {"training_since": time, "training_from": done}
    return change


def outcome_row(outcome: Outcome, time: float) -> dict[str, Any]:
    """What the columns of a run hold once it came to that."""
    metrics, statement = outcome.metrics or {}, outcome.statement or {}
    change: dict[str, Any] = {
        "state": outcome.state,
        "error": outcome.error,
        "finished": time,
        "heartbeat": time,
        "metrics": json.dumps(plain(metrics), allow_nan=False),
        "statement": json.dumps(plain(statement), allow_nan=False) if statement else None,
        "seconds": outcome.seconds,
        "peak_memory_mb": outcome.peak_memory_mb,
        "device": outcome.device,
        "sound_epsilon": _number(statement.get("epsilon")),
        "published_epsilon": _number(statement.get("epsilon_as_published")),
        "audited_epsilon": _number(statement.get("epsilon_audited")),
        "delta": _number(statement.get("delta")),
    }
    for name in ("test_accuracy", "val_accuracy", "train_accuracy"):
        change[name] = _number(metrics.get(name))
    if outcome.state == "done":
        change |= {"progress": 1.0, "stage": ""}
    return change


def _number(value: Any) -> float | None:
    """A number of a statement, where infinity is the text inf."""
    return None if value is None else float(value)
