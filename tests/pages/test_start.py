"""The Start page: doors, demo, recent runs."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.views.start import demo_spec


def test_an_empty_store_offers_the_demo(opened: Callable[..., AppTest]) -> None:
    app = opened("start")
    assert {"### Explore", "### Teach", "### Report"} <= {text.value for text in app.markdown}
    assert "Nothing has run here yet" in app.info[0].value


def test_the_demo_is_submitted_once_and_opened(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("start")
    app.button(key="demo").click().run()
    assert not app.exception
    runs = store.find(RunQuery())
    assert [run.id for run in runs] == [demo_spec().id]
    assert runs[0].tags == ("demo",)
    assert app.query_params["run"] == demo_spec().id
    assert app.title[0].value == "ProGAP"
    again = opened("start").button(key="demo").click().run()
    assert store.count() == 1
    assert not again.info, "it is still under way"


def test_a_demo_that_has_ended_is_opened_as_such(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, demo_spec())
    app = opened("start").button(key="demo").click().run()
    assert "nothing was trained now" in app.info[0].value
    app.button(key="another").click().run()
    assert [run.spec.seed for run in store.find(RunQuery(states=("queued",)))] == [1]


def test_recent_runs_are_listed_with_what_they_came_to(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, spec(epsilon=3.0), accuracy=0.8123)
    for seed in range(9):
        keep(store, spec("mlp", seed=seed, unit="none"), state="queued")
    app = opened("start")
    links = [link.proto.label for link in app.get("page_link")]
    assert sum(label.startswith("MLP (ignores edges) on karate") for label in links) == 8
    assert "All 10 runs" in links
