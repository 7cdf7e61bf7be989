"""Which widget a parameter gets, and what stands in it and at it. Pure functions; no Streamlit."""

import math
from contextlib import suppress
from typing import Any, Literal

from privgraph.options import OptionError, Parameter, Scalar, parse
from privgraph_workbench.words import numbers

Kind = Literal["switch", "choice", "whole", "share", "text"]
MOST_BUDGETS = 12
"""Epsilons that are asked for at once."""


def kind(parameter: Parameter) -> Kind:
    """A share fills a stretch of about one, and hundredths are fine enough; a text holds what is typed."""
    option = parameter.option
    if parameter.type is bool:
        return "switch"
    if option.choices:
        return "choice"
    if parameter.type is int:
        return "whole"
    if parameter.type is not float or option.scale != "linear" or option.low_open:
        return "text"
    hundredths, width = 100 * float(parameter.default), (option.high or math.inf) - (option.low or 0.0)
    fine = math.isclose(hundredths, round(hundredths), abs_tol=1e-9)
    return "share" if option.low is not None and 0.5 <= width <= 1 and fine else "text"


def is_left(parameter: Parameter) -> bool:
    """Whether the field stands empty at its default, since that is a 0 that is no number."""
    return bool(parameter.option.zero) and parameter.default == 0


def is_wide(parameter: Parameter) -> bool:
    return len(parameter.option.choices) > 2


def holds(parameter: Parameter, text: str) -> bool:
    """Whether the parameter's widget keeps that text of an address, right or wrong."""
    what = kind(parameter)
    return what == "text" or (what == "whole" and text.lstrip("+-").isdecimal())


def first(parameter: Parameter) -> Any:
    """What a field holds before anybody has touched it, in the type of its widget."""
    what, default = kind(parameter), parameter.default
    if what == "whole":
        return None if is_left(parameter) else default
    if what == "text":
        return "" if is_left(parameter) else numbers.option(default)
    return float(default) if what == "share" else default


def asked(parameter: Parameter, text: str | None) -> object:
    """What a field holds at an address with this text, which a text field keeps though it be wrong."""
    if text is None or kind(parameter) == "text":
        return first(parameter) if text is None else text
    try:
        found = read(parameter, text)
    except OptionError:
        return int(text) if holds(parameter, text) else first(parameter)
    return first(parameter) if found == parameter.default else found


def read(parameter: Parameter, held: object) -> Scalar:
    """What a field holds; one that is empty, or says so in a word, leaves the choice to the method. Raises
    `OptionError`."""
    left = held is None or (isinstance(held, str) and held.strip() in ("", parameter.option.zero))
    return parse(parameter, 0 if left and is_left(parameter) else held)


def budgets(parameter: Parameter, text: str) -> list[float]:
    """The epsilons of a text, ascending, each once. Raises `OptionError` with one sentence.

    >>> from privgraph.methods.base import EPSILON
    >>> budgets(Parameter("epsilon", float, 1.0, EPSILON), "2, 0.5; 2 8")
    [0.5, 2.0, 8.0]
    """
    parts = [part.rstrip(",") for part in text.replace(";", " ").split()] or [text]
    found = sorted({float(parse(parameter, part)) for part in parts})
    if len(found) > MOST_BUDGETS:
        raise OptionError(f"{parameter.name} takes {MOST_BUDGETS} values at most (got {len(found)})")
    return found


def admitted(parameter: Parameter, held: object) -> list[Scalar]:
    """What a field holds: several values where it is one of budgets, and none where it is wrong."""
    with suppress(OptionError):
        if parameter.option.unit == "epsilon" and isinstance(held, str):
            return list(budgets(parameter, held))
        return [read(parameter, held)]
    return []


def help(parameter: Parameter) -> str:
    option = parameter.option
    text = option.help[:1].upper() + option.help[1:] + "."
    bounds = []
    if option.low is not None:
        bounds.append(f"{'above' if option.low_open else 'from'} {option.low:g}")
    if option.high is not None:
        bounds.append(f"up to {option.high:g}")
    default = option.zero if is_left(parameter) else numbers.option(parameter.default)
    return f"{text} Values {' '.join(bounds)}; default {default}." if bounds else text
