"""The page Report says of a kept trade-off which runs finished since, and takes them in when it is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.report_list import listed

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import newer_runs
from privgraph_workbench.words.naming import statements_of

Open = Callable[..., AppTest]


@pytest.fixture
def app(opened: Open, store: RunStore) -> AppTest:
    """The page with a trade-off between two other figures."""
    runs = [store.get(keep(store, spec(epsilon=epsilon))) for epsilon in (1.0, 2.0)]
    bare = store.get(keep(store, spec("gnn")))
    app = opened("report")
    held = [
        collected.figure("tradeoff", tradeoff.data([bare]), {}),
        collected.figure("tradeoff", tradeoff.data(runs), statements_of(runs), [one.id for one in runs]),
        Kept(figure="curves"),
    ]
    app.session_state["collected"] = held
    app.run()
    assert not app.exception, app.exception
    return app


def _offers(app: AppTest) -> list[str]:
    return [one.value for one in app.caption if one.value.endswith("this figure.")]


def test_newer_runs_are_told_and_taken_in_when_asked_alone(app: AppTest, store: RunStore) -> None:
    assert not _offers(app)
    kept = app.session_state["collected"][1]
    app.button(key=f"look.{kept.mark}").click().run()
    app.text_input(key=f"report_title.{kept.mark}").set_value("Mine").run()
    app.text_area(key=f"report_caption.{kept.mark}").set_value("As I see it").run()
    more = [keep(store, spec(epsilon=2.0, seed=1), accuracy=0.9), keep(store, spec(epsilon=4.0), accuracy=0.95)]
    keep(store, spec(epsilon=2.0, unit="node"))
    app.run()
    assert _offers(app) == ["2 newer runs fit this figure."]
    assert len(app.session_state["collected"][1].rows) == 2, "never by itself"
    assert app.button(key=f"newer.{kept.mark}").label == newer_runs.TAKE
    app.button(key=f"newer.{kept.mark}").click().run()
    assert not app.exception, app.exception
    assert not _offers(app)
    fresh = app.session_state["collected"]
    assert [one.figure for one in fresh] == ["tradeoff", "tradeoff", "curves"]
    assert (fresh[1].title, fresh[1].caption) == ("Mine", "As I see it")
    assert {run for row in fresh[1].rows for run in row["runs"].split()} == {*kept.runs, *more}
    assert set(fresh[1].runs) == {*kept.runs, *more}
    assert [row["seeds"] for row in fresh[1].rows if row["asked"] == 2.0] == [2]
    assert "1: Mine" in listed(app)
    assert app.text_input(key=f"report_title.{fresh[1].mark}").value == "Mine", "it is looked at still"


def test_one_run_is_told_as_one(app: AppTest, store: RunStore) -> None:
    keep(store, spec("gnn", seed=3))
    app.run()
    (first, _, _) = app.session_state["collected"]
    assert _offers(app) == ["1 newer run fits this figure."]
    assert app.button(key=f"newer.{first.mark}").label == "Take it in"


def test_where_the_same_figure_was_kept_anew_that_one_gives_way(app: AppTest, store: RunStore) -> None:
    first, second, third = app.session_state["collected"]
    keep(store, spec("gnn", seed=3))
    app.run()
    app.button(key=f"newer.{first.mark}").click().run()
    fresh = app.session_state["collected"][0]
    app.session_state["collected"] = [first, second, third, fresh]
    app.run()
    app.button(key=f"newer.{first.mark}").click().run()
    assert not app.exception, app.exception
    assert [one.mark for one in app.session_state["collected"]] == [fresh.mark, second.mark, third.mark]
