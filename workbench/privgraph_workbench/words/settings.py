"""A run's settings as people read them; what was left to its method says so, and what it came to."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from privgraph.methods.base import filled_in
from privgraph.options import OptionError, Scalar, UnknownName, parameters
from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord


def left(value: Scalar) -> str:
    """What a method chose for an option that was left to it.

    >>> left(100), left(0.031924448)
    ('auto (100)', 'auto (0.03192)')
    """
    return f"auto ({value:.4g})" if isinstance(value, float) else f"auto ({value})"


def word(method: str, name: str, value: Scalar) -> Scalar:
    """An option's value, or the word for a 0 that is no number."""
    return _zeros(method).get(name, value) if value == 0 else value


def shown(record: RunRecord) -> dict[str, Scalar]:
    """The run's options, with what its method chose where that is known."""
    own, method = chosen(record), record.spec.method
    known = record.spec.options.items()
    return {name: left(own[name]) if name in own else word(method, name, value) for name, value in known}


def chosen(record: RunRecord) -> dict[str, Scalar]:
    """What the run's method chose for the options that were left to it, as far as it is known."""
    try:
        return filled_in(record.spec.config(), record.statement)
    except (OptionError, UnknownName):  # a run of another version: its statement tells
        return {}


def title(name: str, methods: Iterable[str]) -> str:
    """An option's name for people, as the form of one of the methods has it."""
    known = (one for method in methods if method in METHODS for one in parameters(METHODS[method].load_config()))
    return "ε asked for" if name == "epsilon" else next((one.label for one in known if one.name == name), name)


@lru_cache(maxsize=64)
def _zeros(method: str) -> Mapping[str, str]:
    known = parameters(METHODS[method].load_config()) if method in METHODS else ()
    return {parameter.name: parameter.option.zero for parameter in known if parameter.option.zero}
