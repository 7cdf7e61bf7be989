"""Which widget a parameter gets, and what stands at it. Pure functions; no Streamlit."""

from __future__ import annotations

import math

from privgraph.options import OptionError, Parameter, parse
from privgraph_workbench.words import numbers


def is_budget(parameter: Parameter) -> bool:
    """Whether several values may be typed at once."""
    return parameter.option.unit == "epsilon"


MOST_BUDGETS = 12
"""Epsilons that are asked for at once."""


def budgets(parameter: Parameter, text: str, most: int = MOST_BUDGETS) -> list[float]:
    """The epsilons of a text, ascending, each once. Raises `OptionError` with one sentence.

    >>> from privgraph.methods.base import EPSILON
    >>> budgets(Parameter("epsilon", float, 1.0, EPSILON), "2, 0.5; 2 8")
    [0.5, 2.0, 8.0]
    """
    parts = [part.rstrip(",") for part in text.replace(";", " ").split()] or [text]
    found = sorted({float(parse(parameter, part)) for part in parts})
    if len(found) > most:
        raise OptionError(f"{parameter.name} takes {most} value{'s' * (most != 1)} at most (got {len(found)})")
    return found


def is_text(parameter: Parameter) -> bool:
    """Whether its widget is a text, which holds whatever was typed."""
    option = parameter.option
    if parameter.type is bool or option.choices or is_whole(parameter):
        return False
    return not is_share(parameter)


def is_left(parameter: Parameter) -> bool:
    """Whether the field stands empty at its default, since that is a 0 that is no number."""
    return bool(parameter.option.zero) and parameter.default == 0


def is_whole(parameter: Parameter) -> bool:
    return parameter.type is int and not parameter.option.choices


def is_share(parameter: Parameter) -> bool:
    """Whether the values fill a stretch of about one, and hundredths are fine enough."""
    option = parameter.option
    if parameter.type is not float or option.scale != "linear" or option.low_open:
        return False
    if option.low is None or option.high is None or not 0.5 <= option.high - option.low <= 1:
        return False
    return math.isclose(100 * float(parameter.default), round(100 * float(parameter.default)), abs_tol=1e-9)


def is_wide(parameter: Parameter) -> bool:
    return len(parameter.option.choices) > 2


def label(parameter: Parameter) -> str:
    shown = unit(parameter)
    return f"{parameter.label} ({shown})" if shown else parameter.label


def unit(parameter: Parameter) -> str:
    """The unit of an option's values, where it says something that its name does not."""
    own = parameter.option.unit
    return own if own.lower() not in (parameter.name.lower(), parameter.label.lower()) else ""


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
