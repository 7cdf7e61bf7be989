"""The tab On the graph of a run: what it predicts for a node and those around it."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.methods import predictions
from privgraph.runs.store import RunStore


def _opened(app: AppTest, run: str, tab: str = "On the graph", seconds: float = 60) -> AppTest:
    """The run's page with that tab open, and the graph read."""
    app.session_state[f"tabs.{run}"] = tab
    app.run()
    deadline = time.monotonic() + seconds
    while any("is being read" in caption.value for caption in app.caption):
        assert time.monotonic() < deadline, "the graph was never read"
        time.sleep(0.3)
        app.run()
    assert not app.exception, app.exception
    return app


@pytest.mark.long
def test_right_and_wrong_predictions_are_counted_around_a_node(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec())
    predictions.write(store.folder(run), np.zeros(34, dtype=np.int64))  # one class for everybody
    app = _opened(opened("train", run=run), run)
    app.number_input(f"on_graph.{run}").set_value(11)
    _opened(app, run)
    # node 11 of the karate club knows the instructor alone, who is among those around it
    shown = {metric.label: metric.value for metric in app.metric}
    assert {"Class of node 11", "Predicted"} <= set(shown)
    right, of = (int(word) for word in shown["Right predictions"].split(" of "))
    assert 0 < right < of
    app.button(key=f"another_node.{run}").click().run()
    assert 0 <= app.session_state[f"on_graph.{run}"] < 34
    assert not app.exception


def test_a_file_that_cannot_be_read_says_so(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec())
    (store.folder(run) / predictions.NAME).write_bytes(b"no archive")
    assert len(_opened(opened("train", run=run), run).error) == 1


def test_a_run_without_predictions_has_no_such_tab(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec())
    app = opened("train", run=run)
    assert "On the graph" not in [tab.label for tab in app.tabs]
