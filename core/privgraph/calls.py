"""What a call that was written wrongly is told: one sentence in place of Python's `TypeError`.

It imports nothing of the project but `options`.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from privgraph.options import OptionError, nearest, short

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def in_words(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Make a function refuse arguments that it does not have, or lacks, with one sentence (`OptionError`).

    >>> @in_words
    ... def load(name: str, *, seed: int = 0) -> None: ...
    >>> load("karate", sed=1)
    Traceback (most recent call last):
    ...
    privgraph.options.OptionError: load has no argument sed; arguments are name, seed; did you mean seed?
    """
    signature = inspect.signature(function)

    @wraps(function)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise OptionError(_misuse(function, signature, args, kwargs) or str(error)) from None
        return function(*args, **kwargs)

    return called


def _misuse(
    function: Callable[..., object],
    signature: inspect.Signature,
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
) -> str | None:
    """What is wrong with these arguments; None where the signature admits them."""
    name, about = function.__name__, function.__doc__ or ""
    parameters = {one.name: one for one in signature.parameters.values() if one.kind in _NAMED}
    kinds = {one.kind for one in signature.parameters.values()}
    first = [one.name for one in parameters.values() if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    rest = [one for one in parameters if one not in first]
    if inspect.Parameter.VAR_POSITIONAL not in kinds and len(args) > len(first):
        named = f"; write the others with their names, such as {rest[0]}=..." if rest else ""
        several = "argument" if len(first) == 1 else "arguments"
        placed = f"{len(first)} {several} by position ({', '.join(first)})"
        return f"{name} takes {placed}{named} (got {short(args[len(first)])} as well)"
    twice = [one for one in first[: len(args)] if one in kwargs]
    if twice:
        return f"{name} was given {twice[0]} twice: by position, and with its name"
    unknown = [one for one in kwargs if one not in parameters]
    if unknown and inspect.Parameter.VAR_KEYWORD not in kinds:
        known = f"arguments are {', '.join(parameters)}{nearest(unknown[0], parameters)}"
        return f"{name} has no argument {short(unknown[0])}; {known}"
    given = {*first[: len(args)], *kwargs}
    missing = [
        one.name for one in parameters.values() if one.default is inspect.Parameter.empty and one.name not in given
    ]
    if missing:
        return f"{name} needs {' and '.join(missing)}{_described(about, missing[0])}"
    return None


def _described(about: str, name: str) -> str:
    """What the docstring says of an argument, up to the first full stop; "" where it says nothing."""
    entry = re.search(rf"^ +{name}: (.+(?:\n {{12}}.+)*)", about, re.MULTILINE)
    return "" if entry is None else f" ({' '.join(entry[1].split()).partition('. ')[0].rstrip('.').replace('`', '')})"
