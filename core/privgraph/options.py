"""One description of a parameter, from which form, command line, documentation and validation are made.

A configuration is a frozen, keyword-only dataclass whose fields are annotated with an `Option`:

>>> from dataclasses import dataclass
>>> from typing import Annotated
>>> @dataclass(frozen=True, kw_only=True)
... class Config:
...     epsilon: Annotated[float, Option("privacy budget", unit="epsilon", low=0.01, high=100)] = 2.0
>>> build(Config, {"epsilon": "1.5"})
Config(epsilon=1.5)
>>> build(Config, {"epsilon": 0})
Traceback (most recent call last):
...
privgraph.options.OptionError: epsilon must be at least 0.01 (got 0)

This module imports neither torch nor anything else of the project.
"""

import dataclasses
import difflib
import functools
import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, TypeVar, cast, final, get_args, get_origin, get_type_hints

ConfigT = TypeVar("ConfigT")
RowT = TypeVar("RowT")

Scalar = bool | int | float | str

AUTO = "auto"
"""What 0 stands for where it leaves the choice to the method (`Option.zero`)."""

DATA, ENCODER = "data", "encoder"
"""What a value may name (`Option.names`): a data set, unless the catalogue has none of that name; an encoder
of texts."""

_SHOWN, _LISTED = 80, 300
_COMMA = re.compile(r"[+-]?\d*(,\d+)+([eE][+-]?\d+)?")
"""A number as many languages write it, with a comma."""


class OptionError(ValueError):
    """A value from outside that an option does not admit; the message is one sentence for its user."""


class UnknownName(ValueError, KeyError):
    """A name that is in no table; the message offers the nearest."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError shows its message in quotes


@final
class Table(Mapping[str, RowT]):
    """A table by name, read when somebody first asks; an unknown name gets `UnknownName`, with the nearest.

    `what` is the noun of a row, and `read` gives the rows.

    >>> table = Table("method", lambda: {"gap": 1, "progap": 2})
    >>> table["progap"], "progab" in table, table
    (2, False, <2 methods: gap, progap>)
    >>> table["progab"]
    Traceback (most recent call last):
    ...
    privgraph.options.UnknownName: there is no method progab; methods are gap, progap; did you mean progap?
    """

    def __init__(self, what: str, read: Callable[[], Mapping[str, RowT]]) -> None:
        self._what, self._read = what, read

    @cached_property
    def _rows(self) -> Mapping[str, RowT]:
        return self._read()

    def __getitem__(self, name: str) -> RowT:
        if name not in self:
            known = f"; {self._what}s are {listed(self)}{nearest(name, self)}"
            raise UnknownName(f"there is no {self._what} {short(name)}{known}")
        return self._rows[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<{len(self)} {self._what}s: {listed(self)}>"


@dataclass(frozen=True)
class Option:
    """What a parameter means and which values it admits.

    `help` is a sentence for someone who never read the paper. `low` and `high` are inclusive bounds
    unless `low_open`; a number between 0, which then has a meaning of its own, and `least` is refused: it is
    too small to compute with. `choices` lists the admitted values of a string or number. `group` names the
    part of the form; `advanced` ones are folded away. `scale` is `"log"` where a slider should be
    logarithmic. `where` names another option, and the values of it with which this one has a meaning: with
    any other it is read by nobody, and a form does not ask for it. `zero` says what 0 stands for where it is
    no number: `AUTO` where it leaves the choice to the method, else a few words such as `no limit`. `names`
    says of what the value is the name, where that must be on the machine that reads it: `DATA` or `ENCODER`.
    `late`: it came after runs were stored; a run's description leaves it out at its default, and equal runs
    keep equal ids.
    """

    help: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    least: float = 0.0
    choices: tuple[Scalar, ...] = ()
    label: str = ""
    group: str = "Model"
    advanced: bool = False
    scale: str = "linear"
    where: tuple[str, tuple[Scalar, ...]] | None = None
    zero: str = ""
    names: str = ""
    late: bool = False


@dataclass(frozen=True)
class Parameter:
    """An option bound to the field that it annotates."""

    name: str
    type: type
    default: Scalar
    option: Option

    @property
    def label(self) -> str:
        return self.option.label or self.name.replace("_", " ").capitalize()


def parameters(config: type) -> tuple[Parameter, ...]:
    """The parameters of a configuration class, in the order of its fields."""
    return _parameters(cast(Hashable, config))  # a class has a hash, though not for mypy


@functools.lru_cache(maxsize=256)
def _parameters(known: Hashable) -> tuple[Parameter, ...]:
    config = cast(type, known)
    hints = get_type_hints(config, include_extras=True)
    declared = []
    for field in dataclasses.fields(config):
        hint = hints[field.name]
        if get_origin(hint) is not Annotated:
            raise TypeError(f"{config.__name__}.{field.name} has no Option")
        base, *extras = get_args(hint)
        option = next(extra for extra in extras if isinstance(extra, Option))
        if base not in (bool, int, float, str):
            raise TypeError(f"{config.__name__}.{field.name} must be bool, int, float or str")
        if field.default is dataclasses.MISSING:
            raise TypeError(f"{config.__name__}.{field.name} needs a default")
        declared.append(Parameter(field.name, base, cast(Scalar, field.default), option))
    return tuple(declared)


def parse(parameter: Parameter, value: object) -> Scalar:
    """`value` as the parameter's type, within its bounds. Raises `OptionError` with one sentence."""
    name, option = parameter.name, parameter.option
    parsed = _convert(parameter, value)
    if option.choices and parsed not in option.choices:
        choices = [str(choice) for choice in option.choices]
        raise OptionError(
            f"{name} must be one of {listed(choices)} (got {short(value)}){nearest(short(value), choices)}"
        )
    if isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
        if math.isnan(parsed):
            raise OptionError(f"{name} must be a number (got nan)")
        if option.low is not None:
            if option.low_open and parsed <= option.low:
                raise OptionError(f"{name} must be greater than {option.low:g} (got {short(value)})")
            if parsed < option.low:
                raise OptionError(f"{name} must be at least {option.low:g} (got {short(value)})")
        if 0 < parsed < option.least:
            raise OptionError(f"{name} must be 0, or at least {option.least:g} (got {short(value)})")
        if option.high is not None and parsed > option.high:
            raise OptionError(f"{name} must be at most {option.high:g} (got {short(value)})")
    return parsed


def _convert(parameter: Parameter, value: object) -> Scalar:
    name, kind = parameter.name, parameter.type
    if kind is bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in ("true", "yes", "on", "1"):
            return True
        if isinstance(value, str) and value.lower() in ("false", "no", "off", "0"):
            return False
        raise OptionError(f"{name} must be true or false (got {short(value)})")
    if kind is str:
        if isinstance(value, str):
            return value
        raise OptionError(f"{name} must be text (got {short(value)})")
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise OptionError(f"{name} must be a number (got {short(value)})")
    if isinstance(value, str) and not value.strip():
        raise OptionError(f"{name} must be a number (nothing was given)")
    try:
        number = float(value)
    except ValueError:
        if isinstance(value, str) and _COMMA.fullmatch(value.strip()):
            raise OptionError(
                f"{name} must be written with a decimal point, not with a comma (got {short(value)})"
            ) from None
        raise OptionError(f"{name} must be a number (got {short(value)})") from None
    except OverflowError:
        raise OptionError(f"{name} is too large (got {short(value)})") from None
    if kind is int:
        if not number.is_integer():
            raise OptionError(f"{name} must be a whole number (got {short(value)})")
        return int(value) if isinstance(value, int) else int(number)
    return number


def build(config: type[ConfigT], values: Mapping[str, object]) -> ConfigT:
    """A configuration from loose values (text of a command line, a form, JSON); the rest are defaults."""
    known = {parameter.name: parameter for parameter in parameters(config)}
    for name in values:
        if name not in known:
            raise OptionError(f"there is no option {short(name)}; options are {listed(known)}{nearest(name, known)}")
    return config(**{name: parse(known[name], value) for name, value in values.items()})


def left(config: object) -> tuple[str, ...]:
    """The options of a configuration that it leaves to its method."""
    return tuple(
        parameter.name
        for parameter in parameters(type(config))
        if parameter.option.zero == AUTO and getattr(config, parameter.name) == 0
    )


def values(config: object) -> dict[str, Scalar]:
    """The plain values of a configuration, by field name."""
    return {field.name: getattr(config, field.name) for field in dataclasses.fields(cast(Any, config))}


def check(config: object) -> None:
    """Raise `OptionError` unless every field of a configuration lies within its option; for
    `__post_init__`."""
    for parameter in parameters(type(config)):
        value = getattr(config, parameter.name)
        parsed = parse(parameter, value)
        if type(parsed) is not type(value) and not (parameter.type is float and isinstance(value, int)):
            raise OptionError(f"{parameter.name} must be of type {parameter.type.__name__} (got {short(repr(value))})")


def short(value: object) -> str:
    """A value as a sentence repeats it: never more than 80 letters of it, in one line, and each one that can
    be shown.

    >>> short("x" * 10_000) == "x" * 80 + "…"
    True
    >>> print(short("two\\nlines"))
    two\\nlines
    """
    try:
        text = str(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return "a number of thousands of digits"
    shown = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text[:_SHOWN])
    return shown if len(text) <= _SHOWN else f"{shown}…"


def listed(names: Iterable[str]) -> str:
    """Names as a sentence lists them: all of a few, and of many the first.

    >>> listed(["gap", "progap"])
    'gap, progap'
    """
    every = list(names)
    fitting = every
    while len(", ".join(fitting)) > _LISTED:
        fitting = fitting[:-1]
    return ", ".join(fitting) + (f" and {len(every) - len(fitting)} others" if len(fitting) < len(every) else "")


def nearest(name: object, known: Iterable[str]) -> str:
    """A clause that offers the nearest known name, or nothing.

    >>> nearest("progab", ["progap", "gap"])
    '; did you mean progap?'
    """
    close = difflib.get_close_matches(short(name), list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""
