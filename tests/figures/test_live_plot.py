"""The live plot's Python half, without a browser (the rest is in tests/browser)."""

from __future__ import annotations

import pytest

from privgraph_workbench import live_plot
from privgraph_workbench.figures.graphs import degrees


def page() -> None:
    from privgraph_workbench import live_plot
    from privgraph_workbench.figures.graphs import degrees

    live_plot.show(degrees.plot(degrees.data([1, 1, 2])), key="first")
    live_plot.show(degrees.plot(degrees.data([3])), key="second", height=300, summary="said aloud")


def test_a_key_that_streamlit_keeps_for_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="two underscores"):
        live_plot.show(degrees.plot([]), key="a__b")
