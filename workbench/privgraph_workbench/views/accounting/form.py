"""The form of the Accounting page: which method on which sizes, and the options that enter its price."""

from __future__ import annotations

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec, PublicFacts, in_two_domains
from privgraph.options import Option, OptionError, Parameter, Scalar, build, parameters, values
from privgraph.registry import METHODS, MethodSpec
from privgraph_workbench.facts import datasets, method_costs
from privgraph_workbench.forms import widgets
from privgraph_workbench.views.parts import choosing
from privgraph_workbench.words import markup, meaning, naming

TYPED = "typed sizes"
FIRST = "progap"
"""The method that a reader without one finds chosen."""
SIZE = "size."
SIZES = (
    Parameter("nodes", int, 10_000, Option("how many nodes the graph has", low=4, high=10**9, label="Nodes |V|")),
    Parameter("edges", int, 50_000, Option("how many connections it has", low=0, high=10**11, label="Edges |E|")),
    Parameter(
        "train_nodes", int, 7_500, Option("labelled nodes that train", low=1, high=10**9, label="Training nodes")
    ),
    Parameter("classes", int, 5, Option("how many classes there are", low=2, high=10**5, label="Classes C")),
    Parameter(
        "undirected",
        bool,
        True,
        Option("an undirected edge is two entries of the adjacency matrix", label="Undirected edges"),
    ),
)


def choose_data() -> DatasetSpec | None:
    """A graph of the catalogue, or None for sizes that are typed."""
    specs = {spec.name: spec for spec in datasets.choices() if datasets.unavailable(spec) is None}
    asked = st.query_params.get("data")
    if asked is not None and asked != TYPED and asked not in specs:
        st.warning(f"In this page's address, {datasets.complaint(asked)}.")
    name = choosing.one(
        "Data",
        {**choosing.graphs(specs.values()), TYPED: TYPED},
        "data",
        help=f"Only its public sizes enter the price. Choose {TYPED} for a graph that is not here",
    )
    return specs.get(name)


def facts(spec: DatasetSpec | None) -> PublicFacts | str | None:
    """The sizes, None while they are being counted, or a sentence that says what is wrong with them."""
    if spec is not None:
        st.caption(naming.about(spec))
        try:
            return datasets.public_facts(spec, _data_options(spec), "random")
        except (OptionError, DataError) as error:
            return str(error)
    for complaint in widgets.complaints(SIZES, prefix=SIZE):
        st.warning(complaint)
    filled = widgets.options_form(SIZES, prefix=SIZE, heading=False)
    if filled.errors:
        return widgets.pointer(filled.errors)
    held = dict(filled.values)
    if held["train_nodes"] > held["nodes"]:  # type: ignore[operator]
        return f"train_nodes must be at most the number of nodes, {held['nodes']:,} (got {held['train_nodes']:,})"
    undirected, edges = bool(held["undirected"]), int(held["edges"])
    known_sizes = PublicFacts(
        nodes=int(held["nodes"]),
        edges=edges,
        entries=2 * edges if undirected else edges,
        features=1,  # how many features there are enters no price
        classes=int(held["classes"]),
        train_nodes=int(held["train_nodes"]),
        undirected=undirected,
    )
    return in_two_domains(known_sizes)


def _data_options(spec: DatasetSpec) -> dict[str, Scalar]:
    found = spec.load_options()
    return dict(values(found())) if found else {}


def choose_method() -> MethodSpec:
    offered = sorted(method_costs.private_methods(), key=lambda name: name != FIRST)
    asked = st.query_params.get("method")
    if asked is not None and asked not in offered:
        known = (
            f"{METHODS[asked].title} protects nothing"
            if asked in METHODS
            else f"there is no method {markup.literal(asked[:80])}"
        )
        st.warning(f"In this page's address, {known}; {offered[0]} is used instead.")
    titles = {name: METHODS[name].title for name in offered}
    name = choosing.one("Method", titles, "method", moved=widgets.turn, help="Every method that protects something")
    widgets.turned(METHODS[name])
    st.caption(f"**{METHODS[name].title}**: {METHODS[name].about}")
    return METHODS[name]


def options(chosen: MethodSpec, spec: DatasetSpec | None) -> widgets.Filled:
    """What enters the price of this method, but for epsilon and the noise, which stand beside the curve."""
    config = chosen.load_config()
    known = {parameter.name: parameter for parameter in parameters(config)}
    offered = method_costs.private_units(chosen.name)
    refused: dict[Scalar, str] = {
        unit: "It protects nothing, and costs nothing" if unit == "none" else f"{chosen.title} does not protect it"
        for unit in known["unit"].option.choices
        if unit not in offered
    }
    unit = widgets.widget(known["unit"], disabled=refused)
    st.caption(f"Protects {meaning.protected(str(unit), chosen.neighbours)}.")
    names = (*build(config, {"unit": unit}).price.options, "delta", "accounting")
    shown = [parameter for parameter in known.values() if parameter.name in names]
    beside_the_noise = widgets.complaints([known["epsilon"]], typed=False)
    for complaint in [*widgets.complaints([*shown, known["unit"]]), *beside_the_noise]:
        st.warning(complaint)
    _forget_noise_of_another(f"{chosen.name}/{unit}")
    return widgets.Filled(values={"unit": unit}) | widgets.options_form(shown)


def _forget_noise_of_another(asked: str) -> None:
    """A noise that was given to another method, or for another unit, means nothing here."""
    if st.session_state.get("scale.of", asked) != asked:
        st.query_params.pop("scale", None)
    st.session_state["scale.of"] = asked


def await_facts() -> None:
    """Draw the page again when the sizes are there, or cannot be had."""
    name = str(st.session_state.get("data"))
    spec = next((one for one in datasets.choices() if one.name == name), None)
    try:
        ready = spec is None or datasets.public_facts(spec, _data_options(spec), "random") is not None
    except (OptionError, DataError):
        ready = True
    if ready:
        st.rerun()
