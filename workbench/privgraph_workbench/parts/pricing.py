"""What Accounting prices: a method on sizes, the linked epsilon and noise, and a second method beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec, PublicFacts, in_two_domains
from privgraph.methods.base import EPSILON
from privgraph.options import Option, OptionError, Parameter, parameters, parse, values
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph_workbench.facts import datasets, method_costs
from privgraph_workbench.facts.method_costs import Setting
from privgraph_workbench.forms import beginnings, data_options, widgets
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.numbers import number, option, upper

FIRST = "progap"
"""The method that is chosen at first."""
BUDGET_SECONDS = 0.6
"""How long one drawing of the page may compute; what is missing then is drawn next."""
SIZE = "size."
_TOLD = texts("accounting")
_HELP = _TOLD["options"]
TYPED: str = _TOLD["typed"]
SIZES = (
    Parameter("nodes", int, 10_000, Option(_HELP["nodes"], low=4, high=10**9, label="Nodes |V|")),
    Parameter("edges", int, 50_000, Option(_HELP["edges"], low=0, high=10**11, label="Edges |E|")),
    Parameter("train_nodes", int, 7_500, Option(_HELP["train_nodes"], low=1, high=10**9, label="Training nodes")),
    Parameter("classes", int, 5, Option(_HELP["classes"], low=2, high=10**5, label="Classes C")),
    Parameter("undirected", bool, True, Option(_HELP["undirected"], label="Undirected edges")),
)
SCALE = Parameter("scale", float, 1.0, Option(_HELP["scale"], low=0, low_open=True, high=1e12))


@dataclass(frozen=True)
class Priced:
    """A method with its noise, and its statement then."""

    setting: Setting
    noise: float
    said: PrivacyStatement

    @property
    def title(self) -> str:
        """The method with its unit."""
        return f"{METHODS[self.setting.name].title}, {self.said.unit}"

    def named(self, spec: DatasetSpec | None) -> tuple[str, dict[str, PrivacyStatement]]:
        """How files of this setting are named, and what they state."""
        place = spec.name.replace(":", "-") if spec else "typed"
        graph = naming.data_title(spec.name) if spec else TYPED
        label = f"{METHODS[self.setting.name].title} on {graph}, {self.said.unit}, noise {number(self.noise)}, planned"
        return f"{place}-{self.setting.name}-{self.said.unit}", {label: self.said}


def facts_of(spec: DatasetSpec | None) -> PublicFacts | str | None:
    """The sizes, None while they are being counted, or a sentence that says what is wrong with them."""
    if spec is not None:
        for complaint in widgets.complaints(data_options.known(spec), prefix="data.", typed=False):
            st.warning(complaint)
        try:
            return datasets.public_facts(spec, data_options.along(spec), "random")
        except (OptionError, DataError) as error:
            return str(error)
    for complaint in widgets.complaints(SIZES, prefix=SIZE):
        st.warning(complaint)
    filled = widgets.options_form(SIZES, prefix=SIZE, heading=False)
    if filled.errors:
        return widgets.pointer(filled.errors)
    nodes, edges, train, classes = (int(filled.values[one.name]) for one in SIZES[:4])
    if train > nodes:
        return f"train_nodes must be at most the number of nodes, {nodes:,} (got {train:,})"
    undirected = bool(filled.values["undirected"])
    # how many features there are enters no price
    return in_two_domains(
        PublicFacts(
            nodes=nodes,
            edges=edges,
            entries=edges * (2 if undirected else 1),
            features=1,
            classes=classes,
            train_nodes=train,
            undirected=undirected,
        )
    )


def fitting(spec: DatasetSpec | None) -> dict[str, str | None]:
    """Each method that protects something, and why it cannot be trained on this graph (None where it can)."""
    units = {name: method_costs.private_units(name) for name in method_costs.private_methods()}
    return {name: None if spec is None else beginnings.unfit(METHODS[name], spec, held) for name, held in units.items()}


def second_of(other: str, first: Setting, filled: widgets.Filled) -> Priced:
    """A second method at the same target, with its own defaults for the rest. Raises `OptionError`."""
    units = method_costs.private_units(other)
    unit = first.config.unit if first.config.unit in units else units[0]
    same = ("epsilon", "delta", "accounting") if unit == first.config.unit else ("epsilon", "accounting")
    wanted = {"epsilon": float(st.session_state.get("epsilon", first.config.epsilon)), **filled.values}
    kept = {name: wanted[name] for name in same if name in wanted}
    setting = method_costs.setting(other, {"unit": unit, **kept}, first.facts)
    noise = setting.noise() if setting.reads else math.nan
    return Priced(setting, noise, setting.at(noise))


def train_address(setting: Setting, spec: DatasetSpec) -> Mapping[str, str]:
    """The address of Train with these settings."""
    held = dict(values(setting.config))
    chosen = (*method_costs.PRIVACY, *setting.price.options)
    return {
        "method": setting.name,
        "data": spec.name,
        **widgets.address(data_options.along(spec), prefix="data."),
        **widgets.address({name: held[name] for name in chosen}, known=parameters(type(setting.config))),
    }


# Linked fields


def wanted_epsilon(config: type) -> float:
    """The epsilon of the page, else of the address, else of the method."""
    known = next(parameter for parameter in parameters(config) if parameter.name == "epsilon")
    for held in (st.session_state.get("epsilon"), st.query_params.get("epsilon")):
        try:
            if held is not None:
                return float(parse(known, held))
        except OptionError:
            continue  # `widgets.complaints` has said so
    return float(known.default)


def given_noise() -> float | None:
    """The noise of the address, where epsilon follows from it."""
    held = st.query_params.get("scale")
    if held is None:
        return None
    try:
        return float(parse(SCALE, held))
    except OptionError:
        st.warning(fill(_TOLD["unknown"], name="scale", value=markup.literal(held[:80])))
        return None


def linked_fields(setting: Setting, noise: float | None, given: PrivacyStatement | None) -> None:
    """Draw epsilon and noise side by side: whichever was changed last is asked for, and the other follows."""
    held = float(setting.config.epsilon)
    if given is not None:
        published = setting.config.accounting == "published" and given.epsilon_as_published is not None
        found = float((given.epsilon_as_published or 0.0) if published else given.epsilon)
        held = float(upper(found)) if float(EPSILON.low or 0) <= found <= float(EPSILON.high or math.inf) else held
    st.session_state["epsilon"] = held
    if noise is not None:
        st.session_state["scale"] = float(f"{noise:.6g}")
    elif "scale" not in st.session_state:
        st.session_state["scale"] = float(SCALE.default)
    left, right = st.columns(2)
    names = ("ε, follows", "Noise, asked for") if given else ("ε, asked for", "Noise, follows")
    hint = fill(_TOLD["noise"], noise=setting.price.noise)
    left.number_input(names[0], step=0.1, format="%.6g", key="epsilon", on_change=_want, help=_TOLD["epsilon"])
    right.number_input(names[1], step=0.1, format="%.6g", key="scale", on_change=_give, help=hint)
    if given is not None:
        try:
            before = float(parse(Parameter("epsilon", float, 1.0, EPSILON), st.query_params.get("epsilon", held)))
        except OptionError:
            before = held
        st.button(f"Back to ε {option(before)}", key="back", type="tertiary", icon=":material/undo:", on_click=_back)
    if refused := st.session_state.pop("refused", ""):
        st.error(refused)


def _back() -> None:
    st.query_params.pop("scale", None)
    st.session_state.pop("epsilon", None)


def _want() -> None:
    if (epsilon := _typed("epsilon", Parameter("epsilon", float, 1.0, EPSILON))) is not None:
        st.query_params.pop("scale", None)
        st.query_params["epsilon"] = option(epsilon)


def _give() -> None:
    if (noise := _typed("scale", replace(SCALE, name="noise"))) is not None:
        st.query_params["scale"] = option(noise)


def _typed(key: str, parameter: Parameter) -> float | None:
    """The number that was typed; None, and a sentence for the next drawing, where it is not admitted."""
    try:
        return float(parse(parameter, st.session_state[key]))
    except OptionError as error:
        st.session_state["refused"] = f"{markup.sentence(error)} {_TOLD['before']}"
        return None
