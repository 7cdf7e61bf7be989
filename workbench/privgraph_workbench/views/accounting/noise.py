"""Which noise it is, and what no noise can give, on the Accounting page: Figure 4 and Theorem 3 of
HeterPoisson."""

from __future__ import annotations

import streamlit as st

from privgraph.methods.aggregation.options import AggregationConfig
from privgraph.methods.base import EPSILON
from privgraph.methods.gradients.heter_poisson.config import Config
from privgraph.options import Option, Parameter
from privgraph.privacy.precision import precision_bound
from privgraph_workbench import live_plot
from privgraph_workbench.facts.method_costs import Setting
from privgraph_workbench.figures.noise import noise_shapes, precision
from privgraph_workbench.forms import widgets
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words.numbers import percent

PREFIX = "precision."
BOUND = (
    Parameter(
        "classes",
        int,
        10,
        Option("among how many classes a node's is looked for", low=2, high=10**5, label="Classes C"),
    ),
    Parameter("epsilon", float, 2.0, EPSILON),
    Parameter(
        "delta",
        float,
        1e-5,
        Option("chance that the guarantee may fail", low=0, high=0.1, low_open=False, label="δ (delta)"),
    ),
    Parameter(
        "share",
        float,
        0.0,
        Option(
            "share of the nodes that are of the class asked about; 0: all classes are equally large", low=0, high=0.99
        ),
    ),
)


def show(setting: Setting) -> None:
    """The shapes of noise for the method that draws another one, and the calculator for those whose noisy
    rows leave."""
    config = setting.config
    if isinstance(config, Config):
        with layout.fold("Which noise?", "shapes", icon=":material/blur_on:") as part:
            if part.open:
                _shapes()
    if isinstance(config, Config) or (isinstance(config, AggregationConfig) and config.covers_own_rows):
        with layout.fold(
            "What can anybody see in a private embedding?", "precision", icon=":material/visibility_off:"
        ) as part:
            if part.open:
                st.fragment(_calculator)()


def _shapes() -> None:
    st.markdown(
        "**Spherical Laplace** noise, as HeterPoisson draws it, is a Gaussian vector times one random size "
        "for all coordinates. Looked at in one coordinate it is ordinary Laplace noise. But a release has "
        "many coordinates, and **the other coordinates reveal the scale**: where they all came out small, "
        "the noise was small, and what was to be hidden shows."
    )
    rows = noise_shapes.data()
    live_plot.show(noise_shapes.plot(rows, layout.theme()), key="noise_shapes")
    figure_exports("noise_shapes", rows, {})


def _calculator() -> None:
    """Theorem 3, with the place of a class that is larger than others."""
    st.markdown(
        "Some methods release a noisy vector for **every** node. If each of them is private, nobody can "
        "tell its node's class well, however good the classifier: of the nodes that it says are of a class, "
        "no more than this share can be."
    )
    left, right = st.columns([1, 2], gap="large")
    with left:
        for complaint in widgets.complaints(BOUND, prefix=PREFIX):
            st.warning(complaint)
        filled = widgets.options_form(BOUND, prefix=PREFIX, heading=False)
    if filled.errors:
        return
    classes, epsilon = int(filled.values["classes"]), float(filled.values["epsilon"])
    delta, share = float(filled.values["delta"]), float(filled.values["share"]) or None
    highest = precision_bound(epsilon, delta, classes, share)
    with left, st.container(border=True):
        st.markdown(
            "Precision at most", help="Theorem 3 of HeterPoisson, Equation 8, with the class's own share of the nodes"
        )
        st.markdown(f"#### {percent(highest)}")
        st.caption(f"A blind guess is right in {percent(share or 1 / classes)} of cases.")
    with right:
        rows = precision.data(classes, delta, {"this setting": epsilon}, share)
        live_plot.show(precision.plot(rows, layout.theme()), key="precision")
        figure_exports("precision", rows, {})
    st.caption(
        "It holds where ε is counted under replacing a node by any other, where the classifier gives a "
        "class to as many nodes as have it, and where names tell nothing about classes. The paper states it "
        "for equally large classes."
    )
