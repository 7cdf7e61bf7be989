"""Events, ledger entries and statements as strict JSON values, and back.

Infinity is the string "inf", what does not apply is null; NaN and Infinity tokens never occur. A record has
the fields of its class; an event names its kind as well. Reading checks everything again, since the
objects refuse to be built wrong.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from privgraph.privacy import events
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import Gap, PrivacyStatement

_EVENTS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        events.Nothing,
        events.NonPrivate,
        events.Gaussian,
        events.Laplace,
        events.PureDP,
        events.BoundedRange,
        events.RandomizedResponse,
        events.Atoms,
        events.PoissonSampled,
        events.SampledOnce,
        events.SampledTerms,
        events.SampledSubgraphs,
        events.RevealedMixture,
        events.Repeated,
        events.Composed,
    )
}


def number_to_json(value: float) -> float | str:
    """The number, or "inf" for infinity. Raises `ValueError` for NaN and minus infinity.

    >>> number_to_json(float("inf"))
    'inf'
    """
    if math.isfinite(value):
        return value
    if value == math.inf:
        return "inf"
    raise ValueError(f"{value} has no place in a privacy record")


def number_from_json(value: object) -> float:
    """The number that `number_to_json` wrote. Raises `ValueError` for anything else.

    >>> number_from_json("inf")
    inf
    """
    if value == "inf":
        return math.inf
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"a privacy record holds a number or 'inf' (got {value!r})")
    return value


def event_to_json(event: events.PrivacyEvent) -> dict[str, Any]:
    """The event as JSON values, its class under the key `kind`."""
    if type(event).__name__ not in _EVENTS:
        raise ValueError(f"{type(event).__name__} is no privacy event")
    return {"kind": type(event).__name__, **_fields_to_json(event)}


def event_from_json(record: object) -> Any:
    """The event that `event_to_json` wrote. Raises `ValueError` for any other form."""
    fields = _mapping(record, "an event")
    kind = fields.pop("kind", None)
    if not isinstance(kind, str) or kind not in _EVENTS:
        raise ValueError(f"there is no privacy event of kind {kind!r}")
    return _build(_EVENTS[kind], fields)


def entry_to_json(entry: LedgerEntry) -> dict[str, Any]:
    """A ledger entry as JSON values."""
    return _fields_to_json(entry)


def entry_from_json(record: object) -> LedgerEntry:
    """The entry that `entry_to_json` wrote. Raises `ValueError` for any other form."""
    entry: LedgerEntry = _build(LedgerEntry, _mapping(record, "a ledger entry"))
    return entry


def statement_to_json(statement: PrivacyStatement) -> dict[str, Any]:
    """A statement as JSON values, its gaps and ledger included."""
    return _fields_to_json(statement)


def statement_from_json(record: object) -> PrivacyStatement:
    """The statement that `statement_to_json` wrote. Raises `ValueError` for any other form."""
    statement: PrivacyStatement = _build(PrivacyStatement, _mapping(record, "a privacy statement"))
    return statement


def _fields_to_json(instance: Any) -> dict[str, Any]:
    return {item.name: _to_json(getattr(instance, item.name)) for item in dataclasses.fields(instance)}


def _to_json(value: Any) -> Any:
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return number_to_json(value)
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    if isinstance(value, LedgerEntry):
        return entry_to_json(value)
    if isinstance(value, Gap):
        return _fields_to_json(value)
    return event_to_json(value)


def _mapping(record: object, what: str) -> dict[str, Any]:
    if not isinstance(record, Mapping):
        raise ValueError(f"{what} is an object with named fields (got {record!r})")
    return dict(record)


def _build(kind: type[Any], fields: dict[str, Any]) -> Any:
    known = {item.name: str(item.type) for item in dataclasses.fields(kind)}
    unknown = sorted(set(fields) - set(known))
    if unknown:
        raise ValueError(f"{kind.__name__} has no field {unknown[0]!r}")
    missing = [
        item.name
        for item in dataclasses.fields(kind)
        if item.name not in fields
        and item.default is dataclasses.MISSING
        and item.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise ValueError(f"{kind.__name__} needs the field {missing[0]!r}")
    return kind(**{name: _read(known[name], value, f"{kind.__name__}.{name}") for name, value in fields.items()})


def _read(declared: str, value: Any, where: str) -> Any:
    """A field from JSON, by its declared type (the annotations are strings here)."""
    if declared.endswith("| None"):
        if value is None:
            return None
        declared = declared.removesuffix("| None").strip()
    if declared == "float":
        try:
            return number_from_json(value)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    simple: dict[str, type] = {"str": str, "int": int, "bool": bool}
    if declared in simple:
        if type(value) is not simple[declared]:
            raise ValueError(f"{where} must be of type {declared} (got {value!r})")
        return value
    if declared.startswith("tuple["):
        if not isinstance(value, list | tuple):
            raise ValueError(f"{where} must be a list (got {value!r})")
        return tuple(_item(declared, item, where) for item in value)
    return event_from_json(value)


def _item(declared: str, value: Any, where: str) -> Any:
    if declared == "tuple[tuple[str, float], ...]":
        if not isinstance(value, list | tuple) or len(value) != 2 or not isinstance(value[0], str):
            raise ValueError(f"{where} must list pairs of a name and a number (got {value!r})")
        return value[0], number_from_json(value[1])
    inner = declared.removeprefix("tuple[").removesuffix(", ...]")
    if inner == "LedgerEntry":
        return entry_from_json(value)
    if inner == "Gap":
        return _build(Gap, _mapping(value, "a gap"))
    return _read(inner, value, where)
