"""The options of a data set as a form."""

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.options import OptionError, Scalar, build, parse
from privgraph_workbench.forms import beginnings, widgets
from privgraph_workbench.words import markup

_KEPT = "kept.data."


def first(spec: DatasetSpec) -> dict[str, Scalar]:
    """The options of a graph where nobody is asked for them: those with which its form begins."""
    return {one.name: one.default for one in beginnings.of_data(spec)}


def along(spec: DatasetSpec) -> dict[str, Scalar]:
    """The options of a graph: of its form on this page, else of the address, else as a form of this visit
    held them last, else as the form begins."""
    found = {**first(spec), **st.session_state.get(_KEPT + spec.name, {})}
    for one in beginnings.of_data(spec):
        key = f"data.{one.name}"
        with suppress(OptionError):
            found[one.name] = parse(one, st.session_state.get(key, st.query_params.get(key, found[one.name])))
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


def options_form(spec: DatasetSpec, *, flat: bool = False) -> widgets.Filled:
    """The set's own options as a form, folded away until something is wrong with one, unless it stands in a
    fold already (`flat`); nothing for most sets."""
    found, options_class = beginnings.of_data(spec), spec.load_options()
    if options_class is None:
        return widgets.Filled()
    widgets.warn(found, prefix="data.")
    title, opened = "Settings of this invented network", widgets.ajar("data", found, prefix="data.")
    with st.container() if flat else st.expander(title, expanded=opened, icon=":material/tune:", key="fold.data"):
        if flat:
            st.markdown(f"##### {title}")
        filled = widgets.options_form(found, prefix="data.", heading=False)
    if filled.errors:
        return filled
    try:
        build(options_class, filled.values)
    except OptionError as error:
        st.error(markup.sentence(error))
        return widgets.Filled(values=filled.values, errors={"the settings of this network": str(error)})
    st.session_state[_KEPT + spec.name] = dict(filled.values)
    return filled
