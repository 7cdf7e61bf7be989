"""Which noise it is, and what no noise can give, on the Accounting page: Figure 4 and Theorem 3 of HeterPoisson."""

from __future__ import annotations

import streamlit as st

from privgraph_workbench import live_plot
from privgraph_workbench.figures import noise_shapes
from privgraph_workbench.views import common
from privgraph_workbench.views.export import figure_exports


def show(classes: int | None) -> None:
    """The shapes of noise."""
    st.markdown("### Which noise?")
    st.markdown(
        "**Spherical Laplace** noise, as HeterPoisson draws it, is a Gaussian vector times one random size for all coordinates. "
        "Looked at in one coordinate it is ordinary Laplace noise. But a release has many coordinates, and **the other coordinates "
        "reveal the scale**: where they all came out small, the noise was small, and what was to be hidden shows."
    )
    rows = noise_shapes.data()
    live_plot.show(noise_shapes.plot(rows, common.theme()), key="noise_shapes")
    figure_exports("noise_shapes", rows, {})
