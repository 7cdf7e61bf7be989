"""Why HeterPoisson took Laplace noise, and why Gaussian noise does, on the Accounting page: Equation 3, and
all coordinates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

import streamlit as st

from privgraph.data.spec import PublicFacts
from privgraph.methods.gradients.heter_poisson.config import PUBLISHED_CLIP, Config
from privgraph.options import Option, Parameter
from privgraph.papers import heter_poisson as heterpoisson
from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench import live_plot
from privgraph_workbench.facts.method_costs import Setting
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.noise import revealed_scale, terms
from privgraph_workbench.forms import widgets
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words.numbers import number, upper

PREFIX = "terms."
ORDER = Parameter(
    "order",
    float,
    2.0,
    Option("order of the Rényi divergence whose terms are shown: the paper takes the best up to 10", low=1.01, high=10,
           scale="log", label="Rényi order α"),
)  # fmt: skip


def show(
    setting: Setting, noise: float, said: PrivacyStatement, statements: Mapping[str, PrivacyStatement], name: str
) -> None:
    """The terms at this setting's noise, then one release read in all coordinates; nothing for other
    methods."""
    if not isinstance(setting.config, Config):
        return
    with layout.fold(
        "Why the paper took Laplace noise, and why we do not", "terms", icon=":material/functions:"
    ) as part:
        if part.open:
            st.fragment(_terms)(setting.config, setting.facts, noise, said, statements, name)
            _one_release(
                2 / noise, statements, name
            )  # one subgraph that holds the node moves the sum by twice the clip


def _one_release(shift: float, statements: Mapping[str, PrivacyStatement], name: str) -> None:
    st.markdown(
        "**One subgraph that holds the node, at this noise.** Lemma 1 looks at one coordinate and sees a "
        f"pure guarantee, ε = {number(math.sqrt(2) * shift)}, which never fails. Somebody who reads all "
        "coordinates knows how large the noise was, and δ falls so slowly that no useful ε is left."
    )
    rows = _limit(shift)
    live_plot.show(revealed_scale.plot(rows, layout.theme()), key=f"revealed_scale.{name}")
    figure_exports("revealed_scale", rows, statements, name=name)


@lru_cache(maxsize=64)
def _limit(shift: float) -> list[Row]:
    return revealed_scale.data(revealed_scale.one_release(shift, max(4.0, 6 * shift)))


def _terms(
    setting: Config,
    facts: PublicFacts,
    noise: float,
    said: PrivacyStatement,
    statements: Mapping[str, PrivacyStatement],
    name: str,
) -> None:
    for complaint in widgets.complaints([ORDER], prefix=PREFIX):
        st.warning(complaint)
    order = float(widgets.widget(ORDER, PREFIX))
    config, nodes = setting.resolved(), facts.nodes
    rows = terms.data(
        heterpoisson.terms(
            rate=setting.rate(facts),
            neighbours=config.neighbours,
            out_degree=nodes - 1,
            sigma=noise * PUBLISHED_CLIP,
            order=order,
        ),
        order,
    )
    sound = "none has been proved" if math.isinf(said.epsilon) else f"ε = {upper(said.epsilon)}"
    st.markdown(
        f"A node that is read by all {nodes - 1:,} others may be in k subgraphs at once. The paper adds up "
        "terms, **the chance of k times what k subgraphs reveal**, and with Gaussian noise the last ones "
        "overflow: so it called Gaussian noise hopeless. But so many subgraphs hardly ever meet. A sum must "
        "count them all the same; a privacy-loss distribution puts their chance into δ, and forgets them. "
        f"Counted so, this setting's sound epsilon: {sound}."
    )
    live_plot.show(terms.plot(rows, layout.theme()), key=f"terms.{name}")
    figure_exports("terms", rows, statements, name=name)
