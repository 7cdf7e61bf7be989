"""What a running method tells: events that are stored, drawn and obeyed, and nothing else.

Each `yield` of a trainer is where progress is stored, a stop is obeyed and a heartbeat is written.
An event is a small frozen record; `to_record` and `from_record` are its stored form.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Progress:
    """`step` of `total` steps are done; `stage` is a short name for people."""

    step: int
    total: int
    stage: str = ""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A point of a curve.

    `name` is such as train_loss or val_accuracy (accuracies in [0, 1]); `step` counts along the whole
    run. `evaluator` marks a number that uses labels which only an evaluator knows, or private data:
    it is for study, and not part of what is released.
    """

    name: str
    value: float
    step: int
    stage: str = ""
    evaluator: bool = True


@dataclass(frozen=True, kw_only=True)
class Log:
    """A sentence for the run's log; `level` is info or warning."""

    message: str
    level: str = "info"


@dataclass(frozen=True, kw_only=True)
class Spent:
    """A mechanism was run: `entry` is the ledger entry as JSON (see `privacy.ledger`)."""

    entry: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """A file of the run, by its name inside the run's folder."""

    name: str
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Result:
    """The last event of a run that is done: final metrics (test_accuracy, val_accuracy, ...)."""

    metrics: Mapping[str, float] = field(default_factory=dict)


Event = Progress | Metric | Log | Spent | Artifact | Result

_KINDS: dict[str, type[Any]] = {
    "progress": Progress,
    "metric": Metric,
    "log": Log,
    "spent": Spent,
    "artifact": Artifact,
    "result": Result,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def to_record(event: Event) -> tuple[str, dict[str, Any]]:
    """The event's kind and its payload of plain JSON values.

    >>> to_record(Progress(step=1, total=2))
    ('progress', {'step': 1, 'total': 2, 'stage': ''})
    """
    return _NAMES[type(event)], {item.name: getattr(event, item.name) for item in dataclasses.fields(event)}


_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "int": int,
    "float": (int, float),
    "str": str,
    "bool": bool,
    "Mapping[str, Any]": Mapping,
    "Mapping[str, float]": Mapping,
}


def check_record(kind: str, payload: object) -> None:
    """Raise `ValueError` unless a payload is an object and, where its kind is known, has fields of the right
    types.

    What else it has is left alone: a later version may tell more of the same event.
    """
    if not isinstance(payload, Mapping):
        raise ValueError("no object")
    for item in dataclasses.fields(_KINDS[kind]) if kind in _KINDS else ():
        needed = item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
        if (needed or item.name in payload) and not isinstance(payload.get(item.name), _TYPES[str(item.type)]):
            raise ValueError(f"{item.name} is missing or no {item.type}")


def from_record(kind: str, payload: Mapping[str, Any]) -> Event:
    """The event that `to_record` wrote. Raises `ValueError` for an unknown kind."""
    if kind not in _KINDS:
        raise ValueError(f"there is no event of kind {kind}")
    event: Event = _KINDS[kind](**payload)
    return event
