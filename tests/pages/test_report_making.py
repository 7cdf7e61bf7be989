"""The page Report: the archive is made beside it, and waits where it was begun."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import offered_files
from tests.pages.kept_runs import keep, spec

from privgraph.options import OptionError
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import making

Open = Callable[..., AppTest]


def test_a_report_is_made_step_by_step_and_waits_until_something_changes(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[float, str]] = []
    told: list[str] = []

    def build(asked: reporting.Asked, step: reporting.Step) -> bytes:
        told.append(asked.title)
        for one in ((0.0, "figure 1 of 2 on the page"), (1.0, "done")):
            steps.append(one)
            step(*one)
        return b"x" * 1_200_000

    monkeypatch.setattr(reporting, "build", build)
    app = opened("report")
    run = keep(store, spec(epsilon=2.0))
    app.session_state["collected"] = [Kept(run=run)]
    app.run()
    assert not offered_files.labels(app)
    assert "With 2 figures in its appendix and a notebook: about 30 s." in [one.value for one in app.caption]
    assert "**1 setting (1 run), for others**" in [one.value for one in app.markdown]
    app.button(key="report_make").click().run()
    assert not app.exception, app.exception
    assert "report_cancel" not in {button.key for button in app.button}, "only while it is made"
    assert steps[0][1] == "figure 1 of 2 on the page"
    assert offered_files.labels(app) == [making.LATEST]
    assert "report_make" not in {button.key for button in app.button}, "the link stands in its place"
    (about,) = [one.value for one in app.caption if "zip, " in one.value]
    assert re.fullmatch(r"for others, made \d\d:\d\d, 0 figures; zip, 1.2 MB", about), about
    app.run()
    assert offered_files.labels(app), "it waits"
    other = opened("report")
    other.session_state["collected"] = [Kept(run=run)]
    assert offered_files.labels(other.run()), "in another tab, too"
    assert told == ["Private learning on graphs"]
    app.text_input(key="report_title").set_value("Another").run()
    former = [making.FORMER]
    assert offered_files.labels(app) == former, "what was made is of another title"
    assert f"{making.BEFORE}: {about}" in [one.value for one in app.caption]
    assert app.button(key="report_make")
    app.toggle(key="report_appendix").set_value(False).run()
    assert "With a notebook: about 20 s." in [one.value for one in app.caption], "which has the figures"

    def refuse(asked: reporting.Asked, step: reporting.Step) -> bytes:
        raise OptionError("an executed notebook needs privgraph[notebooks]")

    monkeypatch.setattr(reporting, "build", refuse)
    app.button(key="report_make").click().run()
    assert "An executed notebook needs" in app.error[0].value
    assert offered_files.labels(app) == former

    def fail(asked: reporting.Asked, step: reporting.Step) -> bytes:
        raise RuntimeError("no glyphs")

    monkeypatch.setattr(reporting, "build", fail)
    app.button(key="report_make").click().run()
    assert app.error[0].value.startswith("The report could not be made. Nothing that was collected is lost")
    assert app.exception[0].message == "no glyphs"
    assert app.button(key="report_make"), "it can be tried again"


def test_what_is_changed_meanwhile_stops_no_report(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, begun, ended = threading.Event(), threading.Event(), threading.Event()

    def build(asked: reporting.Asked, step: reporting.Step) -> bytes:
        begun.set()
        try:
            while not go_on.wait(0.01):
                step(0.5, "figure 1 of 2 on the page")
            return asked.title.encode()
        finally:
            ended.set()

    monkeypatch.setattr(reporting, "build", build)
    app = opened("report")
    app.session_state["collected"] = [Kept(run=keep(store, spec(epsilon=5.0)))]
    app.run()
    app.button(key="report_make").click().run()
    assert begun.is_set()
    app.text_input(key="report_title").set_value("Another").run()
    assert not app.exception, app.exception
    assert making.CHANGED in [one.value for one in app.caption]
    assert not ended.is_set()
    assert "report_make" not in {button.key for button in app.button}, "one at a time"
    go_on.set()
    app.session_state[making.BUILDING][1].wait(10)
    app.run()
    assert offered_files.labels(app) == [making.FORMER], "of the title that it had"
    assert app.button(key="report_make")

    go_on.clear()
    ended.clear()
    app.button(key="report_make").click().run()
    app.button(key="report_cancel").click().run()
    assert ended.wait(10)
    app.run()
    assert app.button(key="report_make")
    assert "report_cancel" not in {button.key for button in app.button}
    assert not app.exception, app.exception


def test_whom_it_is_for_is_kept_with_the_list_and_the_archive_stays_offered(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "build", lambda asked, step: b"x" * 100_000)
    run = keep(store, spec(epsilon=3.0))
    opened("train", run=run).button(key=f"collect.{run}").click().run()
    app = opened("report")
    assert app.radio(key="report_share").value is True, "a new report is for others"
    app.radio(key="report_share").set_value(False).run()
    app.button(key="report_make").click().run()
    again = opened("report")
    assert not again.exception, again.exception
    assert not again.radio(key="report_share").value
    assert offered_files.labels(again) == [making.LATEST]
    assert any(one.value.startswith("for myself, made ") for one in again.caption)
    again.radio(key="report_share").set_value(True).run()
    fresh = opened("report")
    assert offered_files.labels(fresh) == [making.FORMER]
    assert any(one.value.startswith(f"{making.BEFORE}: for myself, made ") for one in fresh.caption)
    again.button(key="report_clear").click().run()
    opened("train", run=run).button(key=f"collect.{run}").click().run()
    fresh = opened("report")
    assert fresh.radio(key="report_share").value, "what begins anew is for others"
    assert not offered_files.labels(fresh)
