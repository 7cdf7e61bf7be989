"""The page Report: the example is apart from one's own list."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import offered_files
from tests.pages.kept_runs import keep, spec
from tests.pages.report_list import empty, listed

from privgraph.home import home
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.report import example, making

Open = Callable[..., AppTest]


def test_without_the_gallery_there_is_no_example(opened: Open, store: RunStore) -> None:
    assert not example.there()
    assert "report_example" not in {button.key for button in opened("report").button}


@pytest.mark.long
def test_an_example_is_shown_and_made_without_a_trace_in_ones_own_list(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[reporting.Asked] = []
    monkeypatch.setattr(reporting, "build", lambda one, step: asked.append(one) or b"x" * 100_000)
    app = opened("report")
    app.button(key="report_example").click().run()
    assert not app.exception, app.exception
    assert not empty(app)
    assert len(listed(app)) == 5
    assert any(one.value.startswith("**Example: 2 figures, 3 settings") for one in app.markdown), "not one's own"
    assert not {one.key for one in app.button} & {"close.0", "arrow_upward.0", "report_clear"}, "it is looked at alone"
    assert not app.text_input, "its words are its own"
    app.button(key="report_make").click().run()
    assert offered_files.labels(app) == [making.LATEST]
    (one,) = asked
    assert one.share, "as every report begins"
    assert [figure.figure for figure in one.figures] == ["tradeoff", "attack_roc"]
    assert len({row["method"] for row in one.figures[0].rows}) > 2, "a curve each"
    assert len({row["asked"] for row in one.figures[0].rows if row["method"] == "progap"}) > 3, "of several budgets"
    assert {row["attack_name"] for row in one.figures[1].rows} == {"link"}
    assert len({row["run"] for row in one.figures[1].rows if row["run"]}) == 2, "with privacy and without"
    assert [told.record.spec.method for told in one.runs] == [method for method, *_ in example.RUNS]
    assert one.runs[0].record.statement is not None
    assert one.runs[0].record.statement.epsilon < float("inf")
    app.button(key="report_leave_example").click().run()
    assert empty(app)
    assert not list(home().glob("report*.json")), "nothing was kept"
    assert not offered_files.labels(app)


@pytest.mark.long
def test_the_example_stands_beside_a_list_that_it_does_not_touch(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    opened("train", run=run).button(key=f"collect.{run}").click().run()
    (file,) = home().glob("report*.json")
    before = file.read_bytes()
    app = opened("report")
    app.button(key="report_example").click().run()
    assert app.button(key="report_leave_example").label == "To my own report (1 setting)"
    assert any("it holds 1 setting." in one.value for one in app.markdown)
    app.button(key="report_leave_example").click().run()
    assert [one.run for one in app.session_state["collected"]] == [run]
    assert len(listed(app)) == 1
    assert file.read_bytes() == before


def test_what_is_kept_is_counted_in_the_bar_of_pages(opened: Open, store: RunStore) -> None:
    def counts(app: AppTest) -> list[str]:
        return [one.proto.body for one in app.get("html") if 'href$="/report"' in one.proto.body]

    run = keep(store, spec(epsilon=2.0))
    app = opened("train", run=run)
    assert not counts(app)
    app.button(key=f"collect.{run}").click().run()
    (told,) = counts(app)
    assert 'content: "1 setting" / ""' in told, "in words"
    assert f"{collected.IN} (1 setting)" in [link.proto.label for link in app.get("page_link")]
