"""The live plot's Python half, without a browser (the rest is in tests/browser)."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from privgraph_workbench import live_plot
from privgraph_workbench.figures import figure_of


def page() -> None:
    from privgraph_workbench import live_plot
    from privgraph_workbench.figures import figure_of

    live_plot.show(figure_of("degrees").plot(figure_of("degrees").data([1, 1, 2])), key="first")
    live_plot.show(
        figure_of("degrees").plot(figure_of("degrees").data([3])), key="second", height=300, summary="said aloud"
    )


def test_it_hands_over_figure_height_and_words() -> None:
    shown = AppTest.from_function(page, default_timeout=30).run()
    assert not shown.exception
    sent = [json.loads(element.proto.json) for element in shown.main.children.values()]
    assert sent[1]["figure"]["layout"]["height"] == 300
    assert sent[0]["figure"]["data"][0]["y"] == [0, 2, 1]
    assert sent[0]["view"] is None
    for element in shown.main.children.values():
        assert len(element.proto.js_content) < 25_000  # the library itself is never sent with an update


def test_a_key_that_streamlit_keeps_for_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="two underscores"):
        live_plot.show(figure_of("degrees").plot([]), key="a__b")
