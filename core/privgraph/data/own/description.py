"""How one's own files are meant: what a person says of them, and what is asked where two readings are
plausible. No torch."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from privgraph.data.errors import UploadError
from privgraph.data.own.limits import shown
from privgraph.options import listed, nearest


@dataclass(frozen=True, kw_only=True)
class Description:
    """What columns mean. A field that is None is guessed, and the guess is told.

    Args:
        edges: The place of the file of edges among the files, from 0.
        id: The column of the nodes with their names.
        source: The column of the edges with one end.
        target: The column of the edges with the other end.
        label: The column of the nodes with their class.
        features: The columns that are features; none of them gives each node the constant 1. A column of
            words becomes a feature of 0 and 1 for each of its categories, and the list of categories counts
            as public.
        ignore: Columns that are not read.
        split: A column of the words train, val and test, or three columns of 0 and 1 in this order.
        weight: The column of the edges with their weights: 0 means no edge, and otherwise they are not used.
        directed: Whether an edge goes from its source to its target alone.
        text: The column with texts; relations between texts are learnt then, and there are no features.
        domain: The column with the domains of texts.
        halves: Whether texts without domains are put into two random halves, by a public draw.
        header: Whether the first line of a table has the names of its columns.
        lines: `edges`, or `adjacency` where each line is a node and its neighbours.
        decimal: The mark of decimals, a point or a comma; the other one stands between thousands.
        missing: The number that stands in for a cell without one.
        unlabelled: Labels that mean that a node has none.
    """

    edges: int | None = None
    id: str | None = None
    source: str | None = None
    target: str | None = None
    label: str | None = None
    features: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    split: tuple[str, ...] | None = None
    weight: str | None = None
    directed: bool = False
    text: str | None = None
    domain: str | None = None
    halves: bool = False
    header: bool | None = None
    lines: str | None = None
    decimal: str | None = None
    missing: float | None = None
    unlabelled: tuple[str, ...] | None = None


_QUESTIONS = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))
KEYS = tuple(field.name for field in fields(Description))
_CHOICES = {"lines": ("edges", "adjacency"), "decimal": (".", ",")}
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", tuple: "a list of texts"}


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked: the `key` of a description, what it is about, and the plausible values with their
    meanings."""

    key: str
    about: str
    choices: tuple[tuple[Any, str], ...]


class Unclear(UploadError):
    """Two readings are plausible; the message spells out both."""

    def __init__(self, key: str, *values: Any, means: Iterable[str] = (), **slots: str) -> None:
        told = _QUESTIONS[key]
        about = told["about"].format(**slots)
        choices = tuple(zip(values, means or told["means"], strict=False))
        self.question = Question(key=key, about=about, choices=choices)
        ways = [f"{key} = {_written(value)} ({meaning})" for value, meaning in choices[:4]]
        ways += [told["other"].format(**slots)] if "other" in told else []
        super().__init__(f"{about}: say {' or '.join(ways)}")


def _written(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, str):
        return f'"{shown(value)}"'
    return str(value).lower()


def described(said: Mapping[str, Any]) -> Description:
    """The description in a mapping, as TOML, keyword arguments or words of a command line have it. Raises
    `UploadError`."""
    hints = get_type_hints(Description)
    found: dict[str, Any] = {}
    for key, value in said.items():
        if key not in KEYS:
            raise UploadError(f"A description has no {shown(key)}{nearest(key, KEYS)}")
        found[key] = _value(key, value, hints[key])
        if key in _CHOICES and found[key] not in (None, *_CHOICES[key]):
            raise UploadError(f"{key} must be one of {listed(map(repr, _CHOICES[key]))} (got {shown(value)})")
    if len(found.get("split") or ("",)) not in (1, 3):
        raise UploadError("split must be one column, or three: training, validation and test")
    return Description(**found)


def _value(key: str, value: Any, hint: Any) -> Any:
    """A value of its type; words of a command line are taken for it, with commas between the items of a
    list."""
    hints = [one for one in get_args(hint) if one is not type(None)] if isinstance(hint, UnionType) else [hint]
    kind = get_origin(hints[0]) or hints[0]
    if value is None and hints != [hint]:
        return None
    if kind is tuple and isinstance(value, str):
        value = [one.strip() for one in value.split(",") if one.strip()]
    if kind is tuple and isinstance(value, Sequence) and all(isinstance(one, str | int) for one in value):
        return tuple(map(str, value))
    if kind is bool and value in (True, False, "true", "false"):
        return value in (True, "true")
    if kind is str and isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    if kind in (int, float) and not isinstance(value, bool):
        with suppress(TypeError, ValueError, OverflowError):
            number = float(value)
            if kind is float and abs(number) < float("inf"):
                return number
            if number == int(number) >= 0:
                return int(number)
    raise UploadError(f"{key} must be {_KINDS[kind]} (got {shown(value)})")


def from_toml(path: Path) -> Mapping[str, Any]:
    """What a TOML file says. Raises `UploadError`."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UploadError(f"{shown(path.name)} cannot be opened: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UploadError(f"{shown(path.name)} is no TOML file: {shown(error, 100)}") from None
