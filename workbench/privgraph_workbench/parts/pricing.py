"""What Accounting prices: a method on sizes, and the linked fields of epsilon and noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec, PublicFacts, in_two_domains
from privgraph.methods.base import EPSILON
from privgraph.options import Option, OptionError, Parameter, parameters, parse
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph_workbench.facts import datasets
from privgraph_workbench.facts.method_costs import Setting
from privgraph_workbench.forms import beginnings, data_options, widgets
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.numbers import number, option, upper

BUDGET_SECONDS = 0.6
"""How long one drawing of the page may compute; what is missing then is drawn next."""
words = texts("accounting")
_HELP = words["options"]
TYPED: str = words["typed"]
SIZES = (
    Parameter("nodes", int, 10_000, Option(_HELP["nodes"], low=4, high=10**9, label="Nodes |V|")),
    Parameter("edges", int, 50_000, Option(_HELP["edges"], low=0, high=10**11, label="Edges |E|")),
    Parameter("train_nodes", int, 7_500, Option(_HELP["train_nodes"], low=1, high=10**9, label="Training nodes")),
    Parameter("classes", int, 5, Option(_HELP["classes"], low=2, high=10**5, label="Classes C")),
    Parameter("undirected", bool, True, Option(_HELP["undirected"], label="Undirected edges")),
)
SCALE = Parameter("scale", float, 1.0, Option(_HELP["scale"], low=0, low_open=True, high=1e12))
LEAST, MOST = float(EPSILON.low or 0), float(EPSILON.high or math.inf)


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
    known, prefix = (SIZES, "size.") if spec is None else (beginnings.of_data(spec), "data.")
    widgets.warn(known, prefix=prefix, typed=spec is None)
    if spec is not None:
        return counted(spec)
    filled = widgets.options_form(SIZES, prefix="size.", heading=False)
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


def counted(spec: DatasetSpec) -> PublicFacts | str | None:
    """The same of a graph."""
    try:
        return datasets.public_facts(spec, data_options.along(spec), "random")
    except (OptionError, DataError) as error:
        return str(error)


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
    try:
        return None if held is None else float(parse(SCALE, held))
    except OptionError:
        st.warning(fill(words["unknown"], name="scale", value=markup.literal(str(held)[:80])))
        return None


def linked_fields(setting: Setting, noise: float | None, given: PrivacyStatement | None) -> None:
    """Draw epsilon and noise side by side: whichever was changed last is asked for, and the other follows."""
    wanted = held = float(setting.config.epsilon)
    if given is not None:
        published = setting.config.accounting == "published" and given.epsilon_as_published is not None
        found = float((given.epsilon_as_published or 0.0) if published else given.epsilon)
        held = float(upper(found)) if LEAST <= found <= MOST else held
    st.session_state["epsilon"] = held
    if noise is not None:
        st.session_state["scale"] = float(f"{noise:.6g}")
    st.session_state.setdefault("scale", float(SCALE.default))

    def want() -> None:
        st.query_params.pop("scale", None)
        st.query_params["epsilon"] = option(st.session_state["epsilon"])

    def give() -> None:
        st.query_params["scale"] = option(st.session_state["scale"])

    def back() -> None:
        st.query_params.pop("scale", None)
        st.session_state.pop("epsilon", None)

    left, right = st.columns(2)
    names = ("ε, follows", "Noise, asked for") if given else ("ε, asked for", "Noise, follows")
    hint = fill(words["noise"], noise=setting.price.noise)
    form: dict[str, Any] = {"step": 0.1, "format": "%.6g"}
    left.number_input(names[0], LEAST, MOST, key="epsilon", on_change=want, help=words["epsilon"], **form)
    right.number_input(names[1], 0.0, SCALE.option.high, key="scale", on_change=give, help=hint, **form)
    if given is not None:
        try:
            wanted = float(parse(Parameter("epsilon", float, 1.0, EPSILON), st.query_params.get("epsilon", held)))
        except OptionError:
            wanted = held
        st.button(f"Back to ε {option(wanted)}", key="back", type="tertiary", icon=":material/undo:", on_click=back)
