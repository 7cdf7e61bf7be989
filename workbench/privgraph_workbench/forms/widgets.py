"""Forms made from options: one widget a parameter, its value in the URL, its mistakes in one sentence.

Every widget is bound to the query parameter of its key, so that the address of a page is the form's content.
A wrong value never empties the form, and is said once: a text or a whole number stays as it was typed, with
the sentence of `options.parse` below; what a widget of an address cannot hold at all is named by `warn`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.options import OptionError, Parameter, Scalar, listed, parse
from privgraph_workbench.forms import beginnings, fields
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup, numbers, settings

COMMON = ("unit", "epsilon", "delta", "accounting")
"""Options that every method has: what somebody has chosen of these goes along to the next method."""
ROUND = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Budgets that are one click away."""
_OF = "form.of"


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What a form holds: valid values by option name; a sentence, which stands at its field already, by the
    label of each that is not; and a place below each field that leaves the choice to the method."""

    values: Mapping[str, Scalar] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, DeltaGenerator] = field(default_factory=dict)

    def __or__(self, other: Filled) -> Filled:
        return Filled(
            values={**self.values, **other.values},
            errors={**self.errors, **other.errors},
            left={**self.left, **other.left},
        )

    def fill_in(self, chosen: Mapping[str, Scalar]) -> None:
        """Write what the method chooses below the fields that leave it the choice."""
        for name, place in self.left.items():
            if name in chosen:
                place.caption(settings.left(chosen[name]))


def correct(errors: Iterable[str]) -> None:
    """Say where to look, in a place that cannot go on: at which labels a sentence stands."""
    st.info(f"Correct {listed(errors)} in the form first.", icon=":material/edit:")


# What an address says


def refuse(reason: str) -> None:
    """Say what the address has that is not admitted, and why (Markdown)."""
    st.warning(fill(texts("labels")["address"], reason=reason))


def leave_out(key: str, value: str, reason: str | None = None) -> None:
    """The same of a value that is none of those that are offered; it is taken out of the address."""
    refuse(reason or f"{key} has no value {markup.literal(value[:80])}")
    st.query_params[key] = [one for one in st.query_params.get_all(key) if one != value]


def warn(parameters: Sequence[Parameter], prefix: str = "", *, typed: bool = True) -> None:
    """Say why the address has a value that its option does not admit, unless its widget holds it, wrong as it
    is (`typed`: the widgets are those of a form)."""
    for parameter in parameters:
        key = prefix + parameter.name
        text = st.query_params.get(key)
        if text is None or (typed and fields.holds(parameter, text)):
            continue
        if key in st.session_state and fields.admitted(parameter, st.session_state[key]):
            continue  # somebody has chosen since, and the address follows
        try:
            fields.read(parameter, text)
        except OptionError as error:
            refuse(markup.literal(error))


# From one method to another


def turned(name: str) -> None:
    """Begin another method's form as the address has it, where a link has led there; before it is drawn."""
    before, st.session_state[_OF] = st.session_state.get(_OF), name
    for parameter in beginnings.of_method(name) if before not in (None, name) else ():
        st.session_state[parameter.name] = fields.asked(parameter, st.query_params.get(parameter.name))


def leave(name: str) -> None:
    """A method is left because it does not fit: what the address says of its options is not for another."""
    for parameter in beginnings.of_method(name):
        if parameter.name not in ("epsilon", "delta", "accounting"):
            st.query_params.pop(parameter.name, None)


def turn() -> None:
    """Somebody has chosen another method: its form begins anew, but for what was chosen of `COMMON`."""
    before, after = str(st.session_state.get(_OF)), str(st.session_state["method"])
    was = {one.name: one.default for one in beginnings.of_method(before)}
    for one in beginnings.of_method(after):
        held = st.session_state.get(one.name)
        chosen = [] if held is None or one.name not in COMMON else fields.admitted(one, held)
        if chosen in ([], [was.get(one.name)]):
            st.session_state[one.name] = fields.first(one)
    st.session_state[_OF] = after


# The form


def options_form(
    parameters: Sequence[Parameter],
    *,
    prefix: str = "",
    heading: bool = True,
    known: Mapping[str, Scalar] | None = None,
) -> Filled:
    """Draw the parameters group by group, and give what they hold.

    `heading` writes the groups' names. `known` are options that were chosen elsewhere, on which it may hang
    whether others are asked for.
    """
    filled, known = Filled(), known or {}
    for group in dict.fromkeys(parameter.option.group for parameter in parameters):
        inside = [one for one in parameters if one.option.group == group and _matters(one, {**known, **filled.values})]
        if heading and inside:
            st.markdown(f"##### {group}")
        filled |= _grid(inside, prefix, {**known, **filled.values})
    return filled


def ajar(fold: str, parameters: Sequence[Parameter], prefix: str = "") -> bool:
    """Whether a fold must stand open, because a wrong value is or was in it."""
    flag = f"ajar.{prefix}{fold}"
    found = bool(st.session_state.get(flag)) or any(_is_wrong(parameter, prefix) for parameter in parameters)
    st.session_state[flag] = found
    return found


def is_moved(parameter: Parameter) -> bool:
    """Whether the address has another value than the field begins with, right or wrong."""
    held = _held(parameter)
    return parameter.name in st.query_params and fields.admitted(parameter, held) != [parameter.default]


def _held(parameter: Parameter, prefix: str = "") -> object:
    key = prefix + parameter.name
    return st.session_state.get(key, st.query_params.get(key))


def _is_wrong(parameter: Parameter, prefix: str) -> bool:
    held = _held(parameter, prefix)
    if held is None or (isinstance(held, str) and not fields.holds(parameter, held)):
        return False
    return not fields.admitted(parameter, held)


def _matters(parameter: Parameter, known: Mapping[str, Scalar]) -> bool:
    """Whether anybody reads the option, given what is known of the form so far."""
    name, among = parameter.option.where or ("", ())
    return name not in known or known[name] in among


def _grid(parameters: Sequence[Parameter], prefix: str, known: Mapping[str, Scalar]) -> Filled:
    values: dict[str, Scalar] = {}
    errors: dict[str, str] = {}
    left: dict[str, DeltaGenerator] = {}
    small = sum(not fields.is_wide(parameter) for parameter in parameters)
    columns = iter(st.columns(2) * math.ceil(small / 2)) if small else iter(())
    for parameter in parameters:
        if not _matters(parameter, {**known, **values}):
            continue
        with st.container() if fields.is_wide(parameter) else next(columns):
            try:
                value = values[parameter.name] = widget(parameter, prefix)
            except OptionError as error:
                errors[parameter.label] = str(error)
                st.error(markup.sentence(error))
                continue
            if parameter.option.zero and value == 0:
                left[parameter.name] = st.empty()
                if st.session_state.get(prefix + parameter.name) not in (None, ""):
                    left[parameter.name].caption(f"0: {parameter.option.zero}")
    return Filled(values=values, errors=errors, left=left)


def _shared(parameter: Parameter, prefix: str = "") -> dict[str, Any]:
    """What every widget is given."""
    key, unit, name = prefix + parameter.name, parameter.option.unit, parameter.label
    if fields.kind(parameter) == "text" and isinstance(st.session_state.get(key), int | float):
        st.session_state[key] = numbers.option(st.session_state[key])  # of another page's widget
    label = name if unit.lower() in ("", parameter.name.lower(), name.lower()) else f"{name} ({unit})"
    return {"label": label, "key": key, "help": fields.help(parameter), "bind": "query-params"}


def widget(parameter: Parameter, prefix: str = "", *, percent: bool = False) -> Scalar:
    """Draw one parameter and give its value; a share in `percent` where figures beside it are. Raises
    `OptionError` for text that the option does not admit."""
    option, default, shared = parameter.option, fields.first(parameter), _shared(parameter, prefix)
    held: object
    match fields.kind(parameter):
        case "switch":
            return bool(st.toggle(value=bool(default), **shared))
        case "choice":
            if st.session_state.get(shared["key"], default) not in option.choices:
                st.session_state[shared["key"]] = default
            if len(option.choices) <= 5:
                shared |= {"default": default, "required": True, "width": "stretch"}
                held = st.segmented_control(options=option.choices, **shared)
            else:
                held = st.selectbox(options=option.choices, index=option.choices.index(parameter.default), **shared)
            return parse(parameter, held)
        case "whole":
            # with bounds, Streamlit would keep a number beyond them from us: the form would stand at another
            held = st.number_input(value=default, step=1, placeholder=option.zero or None, **shared)
        case "share":
            shared |= {"step": 0.01, "format": "percent" if percent else None}
            held = st.slider(
                min_value=float(option.low or 0), max_value=float(option.high or 1), value=default, **shared
            )
        case "text":
            held = st.text_input(value=str(default), placeholder=option.zero or None, **shared)
    return fields.read(parameter, held)


def budgets(parameter: Parameter) -> list[float]:
    """One epsilon or several: typed to the digit, and beside it round numbers to choose one by a click. The
    address holds what was typed. Raises `OptionError`."""
    key, low, high = parameter.name, float(parameter.option.low or 0), float(parameter.option.high or 1)
    typed, clicked = st.columns([1, 2])
    shared = _shared(parameter)
    shared["help"] += " Several, with spaces between them, are several runs."
    text = typed.text_input(value=numbers.option(parameter.default), **shared)
    offered, round_ = [one for one in ROUND if low <= one <= high], f"{key}.round"
    st.session_state[round_] = next((one for one in offered if text.strip() == numbers.option(one)), None)

    def choose() -> None:
        if (one := st.session_state[round_]) is not None:
            st.session_state[key] = numbers.option(one)

    hint = "Left: more private, more noise. Right: less private, more accurate. Type several for a run each"
    clicked.pills("Target ε", offered, key=round_, on_change=choose, format_func=numbers.option, help=hint)
    return fields.budgets(parameter, text)
