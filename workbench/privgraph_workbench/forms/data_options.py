"""The options of a data set as a form."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext, suppress

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.data.spec import DatasetSpec
from privgraph.options import OptionError, Parameter, Scalar, build, parameters, parse
from privgraph_workbench.forms import beginnings, widgets
from privgraph_workbench.words import markup

_KEPT = "kept.data."


def known(spec: DatasetSpec) -> tuple[Parameter, ...]:
    """The options of a set as its form begins; nothing for most sets."""
    options_class = spec.load_options()
    return () if options_class is None else beginnings.of_data(spec.name, parameters(options_class))


def held(spec: DatasetSpec) -> dict[str, Scalar]:
    """What the form of the chosen set holds, before it is drawn; where that is wrong, what it begins with."""
    found = {one.name: one.default for one in known(spec)}
    for one in known(spec):
        typed = st.session_state.get(f"data.{one.name}", st.query_params.get(f"data.{one.name}"))
        with suppress(OptionError):
            found[one.name] = one.default if typed is None else parse(one, typed)
    return found


def along(spec: DatasetSpec) -> dict[str, Scalar]:
    """The options of a graph on a page without a form for them: of its address, else as a form of this visit
    held them last, else as the form begins."""
    found = {**beginnings.data_options(spec), **st.session_state.get(_KEPT + spec.name, {})}
    for one in known(spec):
        with suppress(OptionError):
            found[one.name] = parse(one, st.query_params.get(f"data.{one.name}", found[one.name]))
    return found


def sizes(spec: DatasetSpec, values: Mapping[str, Scalar]) -> dict[str, int | None]:
    """Nodes, edges, features and classes of a graph with these options, as far as they are known."""
    found = {"nodes": spec.nodes, "edges": spec.edges, "features": spec.features, "classes": spec.classes}
    if "nodes" in values and "degree" in values:
        found |= {name: int(values[name]) for name in ("nodes", "features", "classes") if name in values}
        found["edges"] = round(int(values["nodes"]) * float(values["degree"]) / 2)
    if "products" in values:
        found["nodes"] = len(spec.domains) * int(values["products"])
    return found


def options_form(spec: DatasetSpec, *, expanded: bool = False, within: DeltaGenerator | None = None) -> widgets.Filled:
    """The set's own options as a form, folded away until something is wrong with one; nothing for most sets.
    `within`: it stands in a fold already, and this is the place before that for what does not go together."""
    options_class = spec.load_options()
    if options_class is None:
        return widgets.Filled()
    found = known(spec)
    widgets.warn(found, prefix="data.")
    flat = within is not None
    title = "Settings of this invented network"
    if flat:
        st.markdown(f"##### {title}")
    folded = (
        nullcontext()
        if flat
        else st.expander(
            title,
            expanded=widgets.ajar("data", found, prefix="data.") or expanded,
            icon=":material/tune:",
            key="fold.data",
        )
    )
    with folded:
        filled = widgets.options_form(found, prefix="data.", heading=False, flat=flat)
    if filled.errors:
        return filled
    try:
        build(options_class, filled.values)
    except OptionError as error:
        (within or st).error(markup.sentence(error))
        return widgets.Filled(values=filled.values, errors={"the settings of this network": str(error)})
    st.session_state[_KEPT + spec.name] = dict(filled.values)
    return filled
