"""HeterPoisson's noise, and what no noise can give: folds of Accounting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.methods.base import EPSILON
from privgraph.methods.gradients.heter_poisson.config import PUBLISHED_CLIP, Config
from privgraph.options import Option, Parameter
from privgraph.papers import heter_poisson
from privgraph.privacy.precision import precision_bound
from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench import live_plot
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.noise import noise_shapes, precision, revealed_scale, terms
from privgraph_workbench.forms import widgets
from privgraph_workbench.parts import layout
from privgraph_workbench.parts.file_links import figure_exports
from privgraph_workbench.parts.pricing import Priced
from privgraph_workbench.text import texts
from privgraph_workbench.words.numbers import percent

words = texts("accounting")
helps = words["options"]
ORDER = Parameter("order", float, 2.0, Option(helps["order"], low=1.01, high=10, scale="log", label="Rényi order α"))
BOUND = (
    Parameter("classes", int, 10, Option(helps["classes"], low=2, high=10**5, label="Classes C")),
    Parameter("epsilon", float, 2.0, EPSILON),
    Parameter("delta", float, 1e-5, Option(helps["delta"], low=0, high=0.1, low_open=False, label="δ (delta)")),
    Parameter("share", float, 0.0, Option(helps["share"], low=0, high=0.99)),
)

Statements = Mapping[str, PrivacyStatement]


def show(figure: ModuleType, rows: Sequence[Row], name: str, statements: Statements | None = None) -> None:
    """A figure with its files."""
    kind = figure.__name__.rpartition(".")[2]
    live_plot.show(figure_of(kind).plot(rows, layout.theme()), key=f"{kind}.{name}")
    figure_exports(kind, rows, statements or {}, name=name)


def of_heter_poisson(one: Priced, spec: DatasetSpec | None) -> None:
    """The shapes of noise, the terms of the paper's sum, and one release read in all coordinates."""
    config, name = one.setting.config, one.named(spec)[0]
    with layout.fold("Which noise?", "shapes", icon=":material/blur_on:") as part:
        if part.open:
            st.caption(words["spherical"])
            show(noise_shapes, noise_shapes.data(), "shapes")
    if isinstance(config, Config) and one.setting.reads:
        with layout.fold("Laplace or Gaussian noise", "terms", icon=":material/functions:") as part:
            if part.open:
                st.fragment(paper_terms)(config, one, spec)
                st.caption(words["one_release"])
                shift = 2 / one.noise  # one subgraph that holds the node moves the sum by twice the clip
                rows = revealed_scale.data(revealed_scale.one_release(shift, max(4.0, 6 * shift)))
                show(revealed_scale, rows, name, one.named(spec)[1])


def paper_terms(config: Config, one: Priced, spec: DatasetSpec | None) -> None:
    """Equation 3 of the paper, term by term, at an order."""
    for complaint in widgets.complaints([ORDER], prefix="terms."):
        st.warning(complaint)
    st.caption(words["terms"])
    order = float(widgets.widget(ORDER, "terms."))
    found = heter_poisson.terms(
        rate=config.rate(one.setting.facts),
        neighbours=config.resolved().neighbours,
        out_degree=one.setting.facts.nodes - 1,
        sigma=one.noise * PUBLISHED_CLIP,
        order=order,
    )
    show(terms, terms.data(found, order), *one.named(spec))


def private_rows() -> None:
    """Theorem 3 of HeterPoisson as a calculator."""
    st.caption(words["precision"])
    left, right = st.columns([1, 2], gap="large")
    with left:
        for complaint in widgets.complaints(BOUND, prefix="precision."):
            st.warning(complaint)
        filled = widgets.options_form(BOUND, prefix="precision.", heading=False)
        if filled.errors:
            return
        classes, epsilon = int(filled.values["classes"]), float(filled.values["epsilon"])
        delta, share = float(filled.values["delta"]), float(filled.values["share"]) or None
        st.metric("Precision at most", percent(precision_bound(epsilon, delta, classes, share)))
        st.metric("Guessing", percent(share or 1 / classes))
    with right:
        show(precision, precision.data(classes, delta, {"this setting": epsilon}, share), "calculator")
