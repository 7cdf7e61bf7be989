"""The options of a data set as a form."""

from __future__ import annotations

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.options import OptionError, build, parameters
from privgraph_workbench.forms import widgets
from privgraph_workbench.words import markup


def options_form(spec: DatasetSpec, *, expanded: bool = False) -> widgets.Filled:
    """The set's own options as a form, folded away until something is wrong with one; nothing for most
    sets."""
    options_class = spec.load_options()
    if options_class is None:
        return widgets.Filled()
    known = parameters(options_class)
    for complaint in widgets.complaints(known, prefix="data."):
        st.warning(complaint)
    with st.expander(
        "Settings of this invented network",
        expanded=widgets.ajar("data", known, prefix="data.") or expanded,
        icon=":material/tune:",
        key="fold.data",
    ):
        filled = widgets.options_form(known, prefix="data.", heading=False)
    if filled.errors:
        return filled
    try:
        build(options_class, filled.values)
    except OptionError as error:
        st.error(markup.sentence(error))
        return widgets.Filled(values=filled.values, errors={"the settings of this network": str(error)})
    return filled
