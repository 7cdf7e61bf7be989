"""Forms made from options: one widget a parameter, its value in the URL, its mistakes in one sentence.

Every widget is bound to the query parameter of its key, so that the address of a page is the form's content.
A wrong value never empties the form, and is said once: a text or a whole number stays as it was typed, with
the sentence of `options.parse` below; what a widget of an address cannot hold at all is named by
`complaints`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.options import OptionError, Parameter, Scalar, listed, parse
from privgraph_workbench.forms import beginnings, fields
from privgraph_workbench.words import markup, numbers, settings


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What a form holds: valid values by option name, and by label a sentence for each field that is not
    valid.

    The sentence stands at its field already. `left` has a place below each field that leaves the choice to
    the method, for what it comes to once that is known.
    """

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


def pointer(errors: Iterable[str]) -> str:
    """Where to look, for a place that cannot go on: the labels of the fields at which a sentence stands."""
    return f"Correct {listed(errors)} in the form first."


def complaints(parameters: Sequence[Parameter], prefix: str = "", *, typed: bool = True) -> list[str]:
    """A sentence, as Markdown, for each value in the page's address that its option does not admit and its
    widget cannot hold. `typed` says whether the widgets are those of a form, which hold wrong texts too."""
    sentences = []
    for parameter in parameters:
        text = st.query_params.get(prefix + parameter.name)
        if text is None or (typed and _holds(parameter, text)):
            continue
        key = prefix + parameter.name
        if key in st.session_state and _values(parameter, st.session_state[key]):
            continue  # somebody has chosen since, and the address follows
        try:
            _read(parameter, text)
        except OptionError as error:
            sentences.append(f"In this page's address, {markup.literal(error)}; it is left out.")
    return sentences


def warn(parameters: Sequence[Parameter], prefix: str = "", *, typed: bool = True) -> None:
    """Show these complaints."""
    for sentence in complaints(parameters, prefix, typed=typed):
        st.warning(sentence)


def _holds(parameter: Parameter, text: str) -> bool:
    """Whether the parameter's widget keeps that text of an address, right or wrong."""
    return fields.is_text(parameter) or (fields.is_whole(parameter) and text.lstrip("+-").isdecimal())


COMMON = ("unit", "epsilon", "delta", "accounting")
"""Options that every method has: what somebody has chosen of these goes along to the next method."""
_OF = "form.of"


def turned(name: str) -> None:
    """Begin another method's form with its own defaults, where a link or Back has led to it: of the method
    before, nothing may stand in it that the address does not say. Called before its fields are drawn, each
    time."""
    before, st.session_state[_OF] = st.session_state.get(_OF), name
    for parameter in beginnings.form_of(name) if before not in (None, name) else ():
        st.session_state[parameter.name] = _asked(parameter, st.query_params.get(parameter.name))


def leave(name: str) -> None:
    """A method is left because it does not fit: what the address says of its options is not for another."""
    for parameter in beginnings.form_of(name):
        if parameter.name not in ("epsilon", "delta", "accounting"):
            st.query_params.pop(parameter.name, None)


def turn() -> None:
    """Somebody has chosen another method: its form begins with its own defaults, but for what was chosen of
    `COMMON`."""
    before, after = str(st.session_state.get(_OF)), str(st.session_state["method"])
    was = {one.name: one.default for one in beginnings.form_of(before)}
    for one in beginnings.form_of(after):
        held = st.session_state.get(one.name)
        chosen = [] if held is None or one.name not in COMMON else _values(one, held)
        if chosen in ([], [was.get(one.name)]):
            st.session_state[one.name] = _first(one)
    st.session_state[_OF] = after


def _first(parameter: Parameter) -> object:
    """What a field holds before anybody has touched it, in the type of its widget."""
    if parameter.type is bool or parameter.option.choices:
        return parameter.default
    if fields.is_whole(parameter):
        return None if fields.is_left(parameter) else int(parameter.default)
    if fields.is_text(parameter):
        return "" if fields.is_left(parameter) else numbers.option(parameter.default)
    return float(parameter.default)


def _asked(parameter: Parameter, text: str | None) -> object:
    """What a field holds at an address with this text, which a text field keeps though it be wrong."""
    first = _first(parameter)
    if text is None or fields.is_text(parameter):
        return first if text is None else text
    try:
        found = _read(parameter, text)
    except OptionError:
        return int(text) if fields.is_whole(parameter) and _holds(parameter, text) else first
    return first if found == parameter.default else found


def put(parameters: Sequence[Parameter], values: Mapping[str, Scalar], prefix: str = "") -> None:
    """Begin a form with these values, and with defaults for the rest. Called before its fields are drawn."""
    for parameter in parameters:
        value = values.get(parameter.name)
        st.session_state[prefix + parameter.name] = _asked(parameter, None if value is None else numbers.option(value))


def _values(parameter: Parameter, held: object) -> list[Scalar]:
    """What a field holds: several values where it is one of budgets, and none where it is wrong."""
    with suppress(OptionError):
        if fields.is_budget(parameter) and isinstance(held, str):
            return list(fields.budgets(parameter, held))
        return [_read(parameter, held)]
    return []


def _held(parameter: Parameter, prefix: str) -> object:
    key = prefix + parameter.name
    return st.session_state.get(key, st.query_params.get(key))


def options_form(
    parameters: Sequence[Parameter],
    *,
    prefix: str = "",
    heading: bool = True,
    flat: bool = False,
    known: Mapping[str, Scalar] | None = None,
) -> Filled:
    """Draw the parameters group by group, the advanced ones folded away, and give what they hold.

    `heading` writes the groups' names; `flat` folds nothing: the form stands in a fold itself.
    `known` are options that were chosen elsewhere, on which it may hang whether others are asked for.
    """
    filled, known = Filled(), known or {}
    for group in dict.fromkeys(parameter.option.group for parameter in parameters):
        inside = [
            parameter
            for parameter in parameters
            if parameter.option.group == group and _matters(parameter, {**known, **filled.values})
        ]
        plain = [parameter for parameter in inside if flat or not parameter.option.advanced]
        advanced = [parameter for parameter in inside if not flat and parameter.option.advanced]
        if plain:
            if heading:
                st.markdown(f"##### {group}")
            filled |= _grid(plain, prefix, {**known, **filled.values})
        if advanced:
            with st.expander(
                f"{group}: more options", expanded=ajar(group, advanced, prefix), key=f"fold.{prefix}{group}"
            ):
                filled |= _grid(advanced, prefix, {**known, **filled.values})
    return filled


def ajar(fold: str, parameters: Sequence[Parameter], prefix: str = "") -> bool:
    """Whether a fold must stand open, because a wrong value is or was in it: its sentence must be seen, and a
    fold that closes over a hand that has just corrected it startles."""
    flag = f"ajar.{prefix}{fold}"
    found = bool(st.session_state.get(flag)) or any(_is_wrong(parameter, prefix) for parameter in parameters)
    st.session_state[flag] = found
    return found


def is_moved(parameter: Parameter, prefix: str = "") -> bool:
    """Whether a field holds another value than it begins with, right or wrong."""
    held = _held(parameter, prefix)
    return held is not None and _values(parameter, held) != [parameter.default]


def _is_wrong(parameter: Parameter, prefix: str) -> bool:
    held = _held(parameter, prefix)
    if held is None or (isinstance(held, str) and not _holds(parameter, held)):
        return False
    return not _values(parameter, held)


def _matters(parameter: Parameter, known: Mapping[str, Scalar]) -> bool:
    """Whether anybody reads the option, given what is known of the form so far (an option that is not in it:
    yes)."""
    if parameter.option.where is None:
        return True
    name, among = parameter.option.where
    return name not in known or known[name] in among


def _grid(parameters: Sequence[Parameter], prefix: str, known: Mapping[str, Scalar]) -> Filled:
    values: dict[str, Scalar] = {}
    errors: dict[str, str] = {}
    left: dict[str, DeltaGenerator] = {}
    small = [parameter for parameter in parameters if not fields.is_wide(parameter)]
    columns = iter(st.columns(2) * math.ceil(len(small) / 2)) if small else iter(())
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


def widget(parameter: Parameter, prefix: str = "", *, percent: bool = False) -> Scalar:
    """Draw one parameter and give its value; a share in `percent` where figures beside it are. Raises
    `OptionError` for text that the option does not admit."""
    key = prefix + parameter.name
    option, label = parameter.option, fields.label(parameter)
    shared: dict[str, Any] = {"key": key, "help": fields.help(parameter), "bind": "query-params"}
    if fields.is_text(parameter) and isinstance(st.session_state.get(key), int | float):  # of another page's widget
        st.session_state[key] = numbers.option(st.session_state[key])
    if parameter.type is bool:
        return bool(st.toggle(label, value=bool(parameter.default), **shared))
    if option.choices:
        return _choice(parameter, label, shared)
    if fields.is_whole(parameter):
        # Streamlit would keep a number beyond its bounds from us, and the form would stand at another one.
        whole = None if fields.is_left(parameter) else int(parameter.default)
        held = st.number_input(label, value=whole, step=1, placeholder=option.zero or None, **shared)
        return _read(parameter, held)
    if fields.is_share(parameter):
        ends = float(option.low or 0), float(option.high or 1)
        return parse(
            parameter,
            st.slider(label, *ends, float(parameter.default), 0.01, format="percent" if percent else None, **shared),
        )
    default = "" if fields.is_left(parameter) else numbers.option(parameter.default)
    return _read(parameter, st.text_input(label, value=default, placeholder=option.zero or None, **shared))


def _read(parameter: Parameter, held: object) -> Scalar:
    """What a field holds; one that is empty, or says so in a word, leaves the choice to the method."""
    left = held is None or (isinstance(held, str) and held.strip() in ("", parameter.option.zero))
    return parse(parameter, 0 if left and fields.is_left(parameter) else held)


ROUND = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Budgets that are one click away."""


def budgets(parameter: Parameter) -> list[float]:
    """One epsilon or several: typed to the digit, and beside it round numbers to choose one by a click. The
    address holds what was typed. Raises `OptionError`."""
    key, low, high = parameter.name, float(parameter.option.low or 0), float(parameter.option.high or 1)
    typed, clicked = st.columns([1, 2])
    held = st.session_state.get(key)
    if isinstance(held, int | float):  # of another page's widget
        st.session_state[key] = numbers.option(held)
    text = typed.text_input(
        fields.label(parameter),
        value=numbers.option(parameter.default),
        key=key,
        help=f"{fields.help(parameter)} Several, with spaces between them, are several runs.",
        bind="query-params",
    )
    offered, round_ = [one for one in ROUND if low <= one <= high], f"{key}.round"
    st.session_state[round_] = next((one for one in offered if text.strip() == numbers.option(one)), None)

    def choose() -> None:
        if (one := st.session_state[round_]) is not None:
            st.session_state[key] = numbers.option(one)

    hint = "Left: more private, more noise. Right: less private, more accurate. Type several for a run each"
    shared: dict[str, Any] = {"key": round_, "on_change": choose, "format_func": numbers.option, "help": hint}
    clicked.pills("Target ε", offered, **shared)
    return fields.budgets(parameter, text)


def _choice(parameter: Parameter, label: str, shared: dict[str, Any]) -> Scalar:
    offered, default = parameter.option.choices, parameter.default
    if st.session_state.get(shared["key"], default) not in offered:
        st.session_state[shared["key"]] = default
    if len(offered) <= 5:
        return parse(
            parameter,
            st.segmented_control(label, offered, default=default, required=True, width="stretch", **shared),
        )
    return parse(parameter, st.selectbox(label, offered, index=offered.index(default), **shared))


def address(values: Mapping[str, Scalar], prefix: str = "", known: Iterable[Parameter] = ()) -> dict[str, str]:
    """The query parameters that fill a form with these values; what a field of the `known` ones says by
    standing empty has none."""
    empty = {parameter.name for parameter in known if fields.is_left(parameter)}
    return {prefix + name: numbers.option(value) for name, value in values.items() if value != 0 or name not in empty}
