"""Events, ledger entries and statements as strict JSON values, and back; and the reading of any record by its
class.

Infinity is the string "inf", what does not apply is null; NaN and Infinity tokens never occur. A record has
the fields of its class; an event names its class as well, under `kind`. Entries and statements name the
version of their form: without one they are of a version up to 0.5.0, which knew no kinds, and get them from
the names of then (`old_records`). Reading checks everything again, since the objects refuse to be built
wrong.
"""

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Hashable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from privgraph.privacy import events, old_records
from privgraph.privacy.kinds import FORM
from privgraph.privacy.ledger import LedgerEntry, WorstCase
from privgraph.privacy.statement import Gap, PrivacyStatement

Record = TypeVar("Record", bound=Hashable)
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
    return read_record(_EVENTS[kind], fields)


def entry_to_json(entry: LedgerEntry) -> dict[str, Any]:
    """A ledger entry as JSON values; of its worst case, what there is of it."""
    worst = {name: value for name, value in _fields_to_json(entry.worst).items() if value is not None}
    return {"version": FORM, **_fields_to_json(entry), "worst": worst}


def entry_from_json(record: object) -> LedgerEntry:
    """The entry that `entry_to_json` wrote, in this version or an earlier one. Raises `ValueError` for any
    other form."""
    fields = _mapping(record, "a ledger entry")
    return read_record(LedgerEntry, _formed(fields if "version" in fields else old_records.entry(fields)))


def statement_to_json(statement: PrivacyStatement) -> dict[str, Any]:
    """A statement as JSON values, its gaps and ledger included; `tuned` where it is."""
    fields = _fields_to_json(statement)
    if not fields["tuned"]:  # versions that did not know of it read it too
        del fields["tuned"]
    return {"version": FORM, **fields}


def statement_from_json(record: object, options: Mapping[str, Any] | None = None) -> PrivacyStatement:
    """The statement that `statement_to_json` wrote, in this version or an earlier one.

    `options` are those of its run: of an old statement they tell what its entries left out. Raises
    `ValueError` for any other form.
    """
    fields = _mapping(record, "a privacy statement")
    return old_records.rounded_up(
        read_record(
            PrivacyStatement, _formed(fields if "version" in fields else old_records.statement(fields, options))
        )
    )


def _formed(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record of this version's form, without that version. Raises `ValueError` for one of
    another form."""
    version = fields.pop("version")
    if type(version) is not int or version != FORM:
        raise ValueError(f"the form {version!r} of a privacy record is not known here, where {FORM} is")
    return fields


def _fields_to_json(instance: Any) -> dict[str, Any]:
    return {item.name: _to_json(getattr(instance, item.name)) for item in dataclasses.fields(instance)}


def _to_json(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return value.value
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return number_to_json(value)
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    if isinstance(value, LedgerEntry):
        return entry_to_json(value)
    if isinstance(value, Gap | WorstCase):
        return _fields_to_json(value)
    return event_to_json(value)


def read_record(kind: type[Record], fields: Mapping[str, Any]) -> Record:
    """An object of the dataclass `kind` from JSON values, each field checked against its declared type.

    A field may be a number, a text, a truth value, None, a tuple, a privacy event, or another dataclass.
    Raises `ValueError` for a field that is missing, unknown or of another type.
    """
    declared = _declared(kind)
    unknown = sorted(set(fields) - set(declared))
    if unknown:
        raise ValueError(f"{kind.__name__} has no field {unknown[0]!r}")
    missing = [name for name, (_, needed) in declared.items() if needed and name not in fields]
    if missing:
        raise ValueError(f"{kind.__name__} needs the field {missing[0]!r}")
    return kind(**{name: _read(declared[name][0], value, f"{kind.__name__}.{name}") for name, value in fields.items()})


@functools.lru_cache(maxsize=256)
def _declared(kind: type[Any]) -> dict[str, tuple[Any, bool]]:
    """The type of each field, and whether it has to be given."""
    hints = typing.get_type_hints(kind)
    return {
        item.name: (
            hints[item.name],
            item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING,
        )
        for item in dataclasses.fields(kind)
    }


def _mapping(record: object, what: str) -> dict[str, Any]:
    if not isinstance(record, Mapping):
        raise ValueError(f"{what} is an object with named fields (got {record!r})")
    return dict(record)


def _read(declared: Any, value: Any, where: str) -> Any:
    """A field from JSON, by its declared type."""
    if declared is float:
        try:
            return number_from_json(value)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    if declared in (str, int, bool):
        if type(value) is not declared:
            raise ValueError(f"{where} must be of type {declared.__name__} (got {value!r})")
        return value
    if isinstance(declared, type) and issubclass(declared, StrEnum):
        try:
            return declared(value)
        except ValueError:
            raise ValueError(f"{where} must be one of {', '.join(declared)} (got {value!r})") from None
    origin, inner = typing.get_origin(declared), typing.get_args(declared)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{where} must be a list (got {value!r})")
        kinds = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        if len(kinds) != len(value):
            raise ValueError(f"{where} must list {len(kinds)} values (got {value!r})")
        return tuple(_read(kind, item, where) for kind, item in zip(kinds, value, strict=True))
    if origin is types.UnionType and inner[-1] is types.NoneType:
        return None if value is None else _read(inner[0], value, where)
    if declared is LedgerEntry:
        return entry_from_json(value)
    if dataclasses.is_dataclass(declared) and declared not in _EVENTS.values():
        return read_record(typing.cast("type[Any]", declared), _mapping(value, where))
    return event_from_json(value)
