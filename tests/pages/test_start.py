"""The Start page: doors, demo, recent runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.test_data import counted as waited

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import describing
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts.beginning import demo_spec
from privgraph_workbench.words.numbers import percent


def test_a_tab_is_titled_by_its_page(opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []
    monkeypatch.setattr(st, "set_page_config", lambda **given: titles.append(given["page_title"]))
    for page, title in (("start", "Start"), ("runs", "Runs"), ("tradeoffs", "Trade-offs")):
        opened(page)
        assert titles[-1] == f"{title} · privgraph"


def test_an_empty_store_offers_the_demo_and_three_doors(opened: Callable[..., AppTest]) -> None:
    app = opened("start")
    assert app.title[0].value == "privgraph"
    assert len(app.info) == 1
    assert [one.value for one in app.markdown if one.value.startswith("### ")][:3] == [
        "### Explore",
        "### Teach",
        "### Report",
    ]
    assert len(app.get("bidi_component")) == 1, "the curve of the examples"


def test_the_teach_door_leads_to_the_network_of_the_demo(opened: Callable[..., AppTest]) -> None:
    queries = [dict(parse_qsl(one.proto.query_string.removeprefix("?"))) for one in opened("start").get("page_link")]
    query = next(one for one in queries if "data.nodes" in one)
    app = waited(opened("data", **{name.replace(".", "__"): value for name, value in query.items()}))
    assert not app.warning, app.warning
    described = describing.describe("social", demo_spec().data_options)
    assert described is not None
    assert described.vote is not None
    assert percent(described.vote) in {one.value for one in app.metric}, "of this very graph"


def test_the_demo_is_submitted_once_and_opened(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("start")
    app.button(key="demo").click().run()
    assert not app.exception
    runs = store.find(RunQuery())
    assert [run.id for run in runs] == [demo_spec().id]
    assert runs[0].tags == ("demo",)
    assert app.query_params["run"] == demo_spec().id
    assert app.title[0].value == "ProGAP on Made-up social network"
    again = opened("start").button(key="demo").click().run()
    assert store.count() == 1
    assert not again.info, "it is still under way"


def test_a_demo_that_has_ended_is_opened_as_such(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, demo_spec())
    app = opened("start").button(key="demo").click().run()
    assert len(app.info) == 1
    app.button(key="another").click().run()
    assert [run.spec.seed for run in store.find(RunQuery(states=("queued",)))] == [1]


def test_recent_runs_are_listed_with_what_they_came_to(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, spec(epsilon=3.0), accuracy=0.8123)
    for seed in range(9):
        keep(store, spec("mlp", seed=seed, unit="none"), state="queued")
    app = opened("start")
    links = [link.proto.label for link in app.get("page_link")]
    assert (
        sum(
            label.startswith("MLP (ignores edges), protects no person, seed ") and label.endswith(", on Karate club")
            for label in links
        )
        == 8
    )
    assert "All 10 runs" in links


@pytest.mark.long
def test_one_switch_shows_examples_or_ones_own_runs(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("runs", store="")
    assert app.button_group(key="store").value == "examples", "nothing of one's own has run"
    assert all(row["runs"][0]["id"].startswith("example/") for row in listed(app))
    run = keep(store, spec("gap", unit="edge"))
    own = opened("runs", store="")
    assert own.button_group(key="store").value == "mine"
    assert [one["id"] for row in listed(own) for one in row["runs"]] == [run]
    assert all(row["runs"][0]["id"].startswith("example/") for row in listed(opened("runs", store="examples")))


@pytest.mark.long
def test_an_example_is_opened_by_its_address_and_carries_the_badge(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    keep(store, spec("gap", unit="edge"))
    (one,) = queue.examples().find(RunQuery(methods=("progap",), units=("edge",), limit=1))
    app = opened("train", run=one.id, store="")
    assert not app.exception, app.exception
    assert app.button_group(key="store").value == "examples"
    assert "badge[:material/photo_library: example]" in "\n".join(one.value for one in app.markdown)


def listed(app: AppTest) -> list[dict[str, Any]]:
    """The rows of the list of runs."""
    told = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    return next(one["rows"] for one in told if "rows" in one)


def test_the_run_of_an_address_chooses_the_store_that_is_shown(opened: Callable[..., AppTest], store: RunStore) -> None:
    """Before what was shown last; what the switch has put into the address comes first of all."""
    own = keep(store, spec())
    example = queue.examples().find(RunQuery(limit=1))[0].id
    app = opened("attacks", store="")
    assert app.button_group(key="store").value == "mine"
    for run, shown in ((example, "examples"), (own, "mine"), (f"{example},{own}", "examples")):
        app.query_params["run" if "," not in run else "chosen"] = run
        if "," in run:
            del app.query_params["run"]
        app.run()
        assert not app.exception
        assert app.button_group(key="store").value == shown
    app.query_params["store"] = "mine"
    app.run()
    assert app.button_group(key="store").value == "mine"
