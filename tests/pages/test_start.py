"""The Start page: doors, demo, recent runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from tests import full_gallery
from tests.pages.kept_runs import keep, spec
from tests.pages.test_data import counted as waited

from privgraph.privacy.kinds import Neighbours
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import describing
from privgraph_workbench.figures.runs.tradeoff_marks import FRONT
from privgraph_workbench.views.parts import statement
from privgraph_workbench.views.start.page import demo_spec
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import percent


def test_a_tab_is_titled_by_its_page(opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []
    monkeypatch.setattr(st, "set_page_config", lambda **given: titles.append(given["page_title"]))
    for page, title in (("start", "Start"), ("runs", "Runs"), ("tradeoffs", "Trade-offs")):
        opened(page)
        assert titles[-1] == f"{title} · privgraph"


def test_an_empty_store_offers_the_demo(opened: Callable[..., AppTest]) -> None:
    app = opened("start")
    assert {"### Explore", "### Teach", "### Report"} <= {text.value for text in app.markdown}
    assert "Nothing has run here yet" in app.info[0].value


@pytest.mark.long
def test_the_teach_door_leads_to_the_question_that_it_promises(opened: Callable[..., AppTest]) -> None:
    link = next(one.proto for one in opened("start").get("page_link") if "ask" in one.proto.label)
    query = dict(parse_qsl(link.query_string.removeprefix("?")))
    app = waited(opened("data", **query))
    assert not app.warning, app.warning
    said = [text.value for text in app.markdown]
    assert "##### What do neighbours give away?" in said
    assert any("Without noise nothing limits what a stranger learns" in text for text in said)
    assert meaning.risk("edge", 2.0, 1e-4, Neighbours.UNDIRECTED_EDGE) in said, "600 people, 4,800 friendships"
    described = describing.describe("social", demo_spec().data_options)
    assert described is not None
    assert described.vote is not None
    assert any(text.startswith(f"### {percent(described.vote)}\n") for text in said), "of this very graph"
    captions = [text.value for text in app.caption]
    assert any("This bound is the same for every graph" in text for text in captions)
    app.segmented_control(key="ask.epsilon").set_value(0.25).run()
    assert meaning.risk("edge", 0.25, 1e-4, Neighbours.UNDIRECTED_EDGE) in [text.value for text in app.markdown]
    further = next(one.proto for one in app.get("page_link") if "accuracy is left" in one.proto.label)
    asked = dict(parse_qsl(further.query_string.removeprefix("?")))
    assert asked.items() >= {**query, "method": "progap", "unit": "edge", "epsilon": "0.25"}.items()


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
    assert "nothing was trained now" in app.info[0].value
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
def test_with_the_gallery_the_first_page_shows_what_privacy_costs(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    keep(store, spec("gap", unit="edge"))
    assert not opened("start").get("bidi_component"), "no gallery, no curve"
    full_gallery.fill(store)
    app = opened("start")
    assert len(app.get("bidi_component")) == 1
    assert any("#### What does privacy cost?" in one.value for one in app.markdown)
    assert any("**10 to 30 seconds.**" in one.value for one in app.markdown)
    (drawn_beside,) = [one for one in app.columns if one.get("bidi_component")]
    assert any("**Hollow points**: what the paper's formula" in one.value for one in drawn_beside.markdown)
    assert app.toggle(key="gallery").label == "Gallery: runs that came along"
    curve = json.loads(app.get("bidi_component")[0].proto.json)["figure"]
    drawn = {trace.get("name") for trace in curve["data"]}
    assert FRONT not in drawn
    assert "Graph network (not private)" in drawn
    assert "ProGAP, not private" not in drawn, "it does what the network does"
    words = [note["text"] for note in curve["layout"].get("annotations", ())]
    assert not any("⚠" in text for text in words), "what a first look must know stands in the text beside it"
    assert any("each ε is that of one run alone" in one.value for one in app.caption)
    labels = [link.proto.label for link in app.get("page_link")]
    assert sum("Karate club" in label for label in labels) == 1, "recent runs are one's own"
    assert not any("from the gallery" in label for label in labels)
    app.toggle(key="gallery").set_value(False).run()
    assert not app.get("bidi_component"), "the switch hides it"


@pytest.mark.long
def test_the_switch_hides_the_gallery_on_every_page(opened: Callable[..., AppTest], store: RunStore) -> None:
    assert not opened("start").toggle, "where there is none, there is no switch"
    full_gallery.fill(store)
    app = opened("tradeoffs", data="social")
    assert any("came with the program (gallery)" in one.value for one in app.caption)
    hidden = opened("tradeoffs", data="social", gallery="false")
    assert not any("gallery)" in one.value for one in hidden.caption)
    assert "No finished run" in hidden.info[0].value
    (listed,) = (data for one in opened("runs").get("bidi_component") if "rows" in (data := json.loads(one.proto.json)))
    assert all(row["when"].startswith("gallery, ") for row in listed["rows"])
    assert "Nothing has run here yet" in opened("runs", gallery="false").info[0].value
    assert any("gallery]" in one.value for one in opened("teachers").markdown)


@pytest.mark.long
def test_a_run_of_the_gallery_is_marked_and_says_that_its_noise_is_public(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    full_gallery.fill(store)
    run = next(one for one in store.find(RunQuery(methods=("progap",), units=("edge",))))
    app = opened("train", run=run.id)
    told = "\n".join(one.value for one in app.markdown)
    assert "from the gallery" in told
    assert "protection. **Its noise is public: as run, it protects nobody" in told
    assert statement.PUBLIC in told, "on the card of the number, as heavy as it"
    assert "With secret noise: somebody who knows everything else guesses" in told
    app.session_state[f"tabs.{run.id}"] = "The promise"
    assert "the noise of this run is no secret" in "\n".join(one.value for one in app.run().markdown)


@pytest.mark.long
def test_what_is_drawn_again_while_a_demo_starts_is_called_a_replay(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    full_gallery.fill(store)
    store.submit(demo_spec())
    app = opened("train", run=demo_spec().id)
    titles = [
        json.loads(one.proto.json)["figure"]["layout"]["title"]["text"]
        for one in app.get("bidi_component")
        if "figure" in one.proto.json
    ]
    assert "Replay of a finished run: learning curves" in titles
