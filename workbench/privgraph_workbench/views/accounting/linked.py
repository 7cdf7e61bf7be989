"""Epsilon and noise as two linked fields, on the Accounting page: one is asked for, the other follows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.methods.base import EPSILON
from privgraph.options import Option, OptionError, Parameter, parameters, parse
from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.facts.method_costs import Setting
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import option, upper

SCALE = Parameter(
    "scale", float, 1.0, Option("the scale of the noise; epsilon follows from it", low=0, low_open=True, high=1e12)
)


def wanted_epsilon(config: type) -> float:
    """What the page holds, else the address, else the method's own."""
    known = next(parameter for parameter in parameters(config) if parameter.name == "epsilon")
    for held in (st.session_state.get("epsilon"), st.query_params.get("epsilon")):
        try:
            if held is not None:
                return float(parse(known, held))
        except OptionError:
            continue  # `forms.complaints` has said so
    return float(known.default)


def given_noise() -> float | None:
    """The noise of the address, where epsilon follows from it."""
    held = st.query_params.get("scale")
    if held is None:
        return None
    try:
        return float(parse(SCALE, held))
    except OptionError as error:
        st.warning(f"In this page's address, {markup.literal(error)}; the noise follows from ε instead.")
        return None


def fields(
    setting: Setting, noise: float | None, from_noise: PrivacyStatement | None, knobs: Sequence[DeltaGenerator]
) -> None:
    """Epsilon and noise side by side: whichever was changed last is asked for, and the other follows; both
    say which they are."""
    held, fits, given = float(setting.config.epsilon), True, from_noise is not None
    if from_noise is not None:
        published = setting.config.accounting == "published" and from_noise.epsilon_as_published is not None
        found = float((from_noise.epsilon_as_published or 0.0) if published else from_noise.epsilon)
        fits = float(EPSILON.low or 0) <= found <= float(EPSILON.high or math.inf)
        held = float(upper(found)) if fits else held
    st.session_state["epsilon"] = held
    if noise is not None:
        st.session_state["scale"] = float(f"{noise:.6g}")
    elif "scale" not in st.session_state:
        st.session_state["scale"] = float(SCALE.default)
    knobs[1].number_input(
        ("ε, which follows" if fits else "ε of before") if given else "ε, as asked",
        step=0.1,
        format="%.6g",
        key="epsilon",
        on_change=_want,
        help=f"{EPSILON.help.capitalize()}. Whoever changes it asks for it, and the noise follows",
    )
    knobs[2].number_input(
        "Noise, as asked" if given else "Noise, which follows",
        step=0.1,
        format="%.6g",
        key="scale",
        on_change=_give,
        help=f"The {setting.price.noise}. Whoever changes it asks for it, and ε follows",
    )
    if given:
        before = option(_asked_before(type(setting.config)))
        said = "What this noise comes to" if fits else "The noise comes to another, below"
        with knobs[1].container(gap=None):
            st.caption(f"{said}; asked for in place of ε {before}.")
            st.button(f"Back to ε {before}", key="back", type="tertiary", icon=":material/undo:", on_click=_back)
    else:
        knobs[2].caption("The least noise that keeps ε.")
    refused = st.session_state.pop("refused", "")
    if refused:
        st.error(refused)


def waiting(config: type, knobs: Sequence[DeltaGenerator]) -> None:
    """Both fields as they were, while something else of the form is wrong: nothing follows from them now."""
    noise = st.query_params.get("scale")
    for place, label, held in zip(
        knobs[1:3], ("ε", "Noise"), (option(wanted_epsilon(config)), noise or "follows from ε"), strict=True
    ):
        place.text_input(label, value=held, disabled=True, key=f"waiting.{label}.{held}")


def _asked_before(config: type) -> float:
    """The epsilon that was asked for before a noise was: the address keeps it."""
    known = next(parameter for parameter in parameters(config) if parameter.name == "epsilon")
    try:
        return float(parse(known, st.query_params.get("epsilon", known.default)))
    except OptionError:
        return float(known.default)


def _back() -> None:
    """Epsilon is asked for again, as before a noise was given."""
    st.query_params.pop("scale", None)
    st.session_state.pop("epsilon", None)


def _want() -> None:
    epsilon = _typed("epsilon", Parameter("epsilon", float, 1.0, EPSILON))
    if epsilon is not None:
        st.query_params.pop("scale", None)
        st.query_params["epsilon"] = option(epsilon)


def _give() -> None:
    noise = _typed("scale", replace(SCALE, name="noise"))  # as its field is called
    if noise is not None:
        st.query_params["scale"] = option(noise)


def _typed(key: str, parameter: Parameter) -> float | None:
    """The number that was typed; None, and a sentence for the next redraw, where it is not admitted."""
    try:
        return float(parse(parameter, st.session_state[key]))
    except OptionError as error:
        st.session_state["refused"] = f"{markup.sentence(error)} The numbers are those of before."
        return None
