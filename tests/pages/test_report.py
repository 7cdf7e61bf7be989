"""The page Report: entries are added, ordered, named and made; its file survives tabs and damage."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.parts import cart
from privgraph_workbench.report.asked import Entry
from privgraph_workbench.words.naming import statements_of

Open = Callable[..., AppTest]


@pytest.fixture
def kept(store: RunStore) -> list[Entry]:
    """A figure, and the settings of two runs."""
    ids = [keep(store, spec(seed=seed, epsilon=2.0)) for seed in (0, 1)]
    records = store.find(RunQuery(ids=tuple(ids)))
    made = [
        Entry.of("tradeoff", tradeoff.data(records), statements_of(records), ids),
        Entry.of("one_release", [{"epsilon": 1.0, "best": 0.7, "asked": 1.0}], {}),
        Entry(runs=tuple(ids)),
    ]
    cart.add(made)
    return made


def test_nothing_is_there_at_first(opened: Open) -> None:
    app = opened("report")
    assert len(app.info) == 1
    assert not [one for one in app.button if one.label == "Make the report"]


def test_entries_are_moved_named_and_removed(opened: Open, kept: list[Entry]) -> None:
    app = opened("report")
    first, second, third = (one.mark for one in kept)
    assert app.button(key=f"Up.{first}").disabled
    assert app.button(key=f"Down.{third}").disabled
    app.button(key=f"Down.{first}").click().run()
    assert [one.mark for one in cart.entries()] == [second, first, third]
    app.text_input(key=f"title.{second}").set_value("Named <b>").run()
    app.text_area(key=f"caption.{second}").set_value("Said").run()
    app.text_input(key="report.title").set_value("Ours").run()
    assert (cart.entries()[0].title, cart.entries()[0].caption) == ("Named <b>", "Said")
    app.button(key=f"Remove.{first}").click().run()
    assert not app.exception
    assert [one.mark for one in cart.entries()] == [second, third]
    assert opened("report").text_input(key="report.title").value == "Ours"


def test_it_is_made_and_offered(opened: Open, kept: list[Entry]) -> None:
    app = opened("report")
    next(one for one in app.button if one.label == "Make the report").click().run()
    assert not app.exception
    for _ in range(240):
        if any("report.zip" in one.proto.body for one in app.get("html")):
            break
        threading.Event().wait(0.5)
        app.run()
    assert not app.exception
    assert not app.error
    assert not [one for one in app.button if one.label == "Make the report"]
    app.text_input(key="report.title").set_value("Another").run()
    assert [one for one in app.button if one.label == "Make the report"]


def test_a_run_and_a_figure_are_added_from_their_pages(opened: Open, run: str) -> None:
    app = opened("train", run=run)
    app.button(key=f"collect.{run}").click().run()
    assert [one.runs for one in cart.entries()] == [(run,)]
    assert not [one for one in app.button if one.key == f"collect.{run}"]


def test_two_tabs_lose_nothing(store: RunStore, kept: list[Entry]) -> None:
    more = [Entry(runs=(f"run{place}",)) for place in range(20)]
    threads = [threading.Thread(target=cart.add, args=([one],)) for one in more]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert {one.mark for one in cart.entries()} == {one.mark for one in (*kept, *more)}
    cart.add(more)
    assert len(cart.entries()) == len(kept) + len(more)


@pytest.mark.parametrize("content", ["{", "[]", '{"entries": [{"figure": "no such"}], "words": {}}', json.dumps(None)])
def test_a_broken_file_is_set_aside(opened: Open, content: str) -> None:
    cart.path().parent.mkdir(parents=True, exist_ok=True)
    cart.path().write_text(content)
    app = opened("report")
    assert len(app.warning) == 1
    assert cart.path().with_suffix(".unreadable").read_text() == content
    assert not opened("report").warning
