"""The form of the Accounting page: a method on sizes, a second one beside it, what enters their prices."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec, PublicFacts, in_two_domains
from privgraph.options import Option, OptionError, Parameter, build, listed, parameters
from privgraph.registry import METHODS, MethodSpec
from privgraph_workbench.facts import datasets, method_costs
from privgraph_workbench.forms import beginnings, data_options, fields, widgets
from privgraph_workbench.views.parts import choosing
from privgraph_workbench.words import markup, meaning

TYPED = "typed sizes"
NOBODY = "nobody"
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


def fitting(spec: DatasetSpec | None) -> dict[str, str | None]:
    """Each method that protects something, and why it cannot be trained on this graph (None where it can)."""
    units = {name: method_costs.private_units(name) for name in method_costs.private_methods()}
    return {name: None if spec is None else beginnings.unfit(METHODS[name], spec, held) for name, held in units.items()}


def choose_method(spec: DatasetSpec | None) -> MethodSpec:
    """Of those that can be trained on this graph."""
    refused = fitting(spec)
    offered = sorted((name for name, why in refused.items() if why is None), key=lambda name: name != FIRST)
    asked = st.query_params.get("method")
    if asked is not None and asked not in offered:
        known = (
            f"there is no method {markup.literal(asked[:80])}"
            if asked not in METHODS
            else refused.get(asked) or f"{METHODS[asked].title} protects nothing"
        )
        widgets.leave(asked)
        st.warning(f"In this page's address, {known}; {offered[0]} is used instead.")
    titles = {name: METHODS[name].title for name in offered}
    help_ = "; ".join(f"{METHODS[name].title}: {METHODS[name].about}" for name in offered)
    if len(offered) < len(refused):
        help_ += f" Not offered for this graph: {listed(METHODS[name].title for name in refused if refused[name])}."
    name = choosing.one("Method", titles, "method", moved=widgets.turn, help=help_)
    widgets.turned(METHODS[name])
    return METHODS[name]


def choose_other(chosen: MethodSpec, spec: DatasetSpec | None) -> str | None:
    """A second method to stand beside the first, or None."""
    offered = [name for name, why in fitting(spec).items() if why is None and name != chosen.name]
    asked = st.query_params.get("with")
    if asked is not None and asked not in (*offered, NOBODY):
        st.warning(f"In this page's address, with has no value {markup.literal(asked[:80])} here; it is left out.")
        del st.query_params["with"]
    titles = {NOBODY: "nothing", **{name: METHODS[name].title for name in offered}}
    name = choosing.one("Compare with", titles, "with", help="A second method for the same ε, with its own defaults")
    return None if name == NOBODY else name


def choose_unit(chosen: MethodSpec, spec: DatasetSpec | None) -> str:
    """What is protected: only what the method does protect, on this graph, is offered."""
    known = {parameter.name: parameter for parameter in parameters(chosen.load_config())}
    private = method_costs.private_units(chosen.name)
    offered = tuple(one for one in private if spec is None or not chosen.refuses(spec.task, spec.undirected, one))
    own = known["unit"].default if known["unit"].default in offered else offered[0]
    protected = replace(known["unit"], default=own, option=replace(known["unit"].option, choices=offered))
    for complaint in widgets.complaints([protected]):
        st.warning(complaint)
    if not {st.query_params.get("unit"), st.session_state.get("unit")} & {*offered}:
        st.session_state["unit"] = own
    titles = {str(one): meaning.WHO[str(one)] for one in offered}
    unit = choosing.one("Who is protected", titles, "unit", row=True, width="stretch", help=fields.help(protected))
    st.caption(f"Protects {meaning.protected(unit, chosen.neighbours)}.")
    return unit


def options(chosen: MethodSpec, unit: str) -> widgets.Filled:
    """What else enters the price of this method, folded; epsilon and the noise stand beside the unit."""
    config = chosen.load_config()
    known = {parameter.name: parameter for parameter in parameters(config)}
    names = (*build(config, {"unit": unit}).price.options, "delta", "accounting")
    shown = [parameter for parameter in known.values() if parameter.name in names]
    for complaint in [*widgets.complaints(shown), *widgets.complaints([known["epsilon"]], typed=False)]:
        st.warning(complaint)
    _forget_noise_of_another(f"{chosen.name}/{unit}")
    filled = widgets.Filled(values={"unit": unit})
    wrong = widgets.ajar("options", shown)
    with st.expander(f"Options of {chosen.title}", icon=":material/tune:", expanded=wrong, key="fold.options"):
        plain = [replace(one, option=replace(one.option, advanced=False, group="Options")) for one in shown]
        return filled | widgets.options_form(plain, heading=False)


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
        ready = spec is None or datasets.public_facts(spec, data_options.along(spec), "random") is not None
    except (OptionError, DataError):
        ready = True
    if ready:
        st.rerun()
