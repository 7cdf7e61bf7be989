"""The page Report: its list is ordered, named, taken out and put back."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_runs import edge_entries, statement
from tests.pages.kept_runs import keep, spec
from tests.pages.report_list import empty, listed

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.views.parts import collected, kept_file
from privgraph_workbench.views.parts.collected import Kept

Open = Callable[..., AppTest]


def test_what_is_kept_is_ordered_and_taken_out(opened: Open, store: RunStore) -> None:
    ids = [keep(store, spec(method, epsilon=2.0, unit="edge")) for method in ("progap", "gap")]
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run) for run in ids]
    app.run()
    assert [one.split(",")[0] for one in listed(app)] == ["ProGAP", "GAP"]
    idle = {button.key for button in app.button if button.disabled}
    assert idle == {"arrow_upward.0", "arrow_downward.1"}, "there is no way up from the first, nor down from the last"
    app.button(key="arrow_downward.0").click().run()
    assert [one.split(",")[0] for one in listed(app)] == ["GAP", "ProGAP"]
    app.button(key="close.0").click().run()
    assert [one.split(",")[0] for one in listed(app)] == ["ProGAP"]
    assert not app.exception, app.exception


def test_what_is_taken_out_is_put_back_to_its_place(opened: Open, store: RunStore) -> None:
    ids = [keep(store, spec(method, epsilon=2.0, unit="edge")) for method in ("progap", "gap")]
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run) for run in ids]
    app.run()
    for last in ("close.0", "close.0"):
        app.button(key=last).click().run()
    assert empty(app)
    app.button(key="report_undo").click().run()
    assert [one.run for one in app.session_state["collected"]] == ids[1:], "what was taken out last"
    assert "report_undo" not in {button.key for button in app.button}
    app.session_state["collected"] = [Kept(run=run) for run in ids]
    app.run()
    app.button(key="close.0").click().run()
    assert any(one.value == "A run was taken out." for one in app.markdown)
    app.button(key="report_undo").click().run()
    assert [one.run for one in app.session_state["collected"]] == ids, "first again"
    assert [one.split(",")[0] for one in listed(opened("report"))] == ["ProGAP", "GAP"], "in the file as well"
    app.button(key="close.0").click().run()
    app.button(key="report_clear").click().run()
    assert "report_undo" not in {button.key for button in app.button}, "there is nothing that it was part of"


def test_figures_of_one_title_are_told_apart_and_named(opened: Open, store: RunStore) -> None:
    for unit in ("edge", "node"):
        keep(store, spec(epsilon=2.0, unit=unit))
    records = list(store.find())
    figures = [
        collected.figure("tradeoff", tradeoff.data([one]), {}, advice=advice)
        for one, advice in zip(sorted(records, key=lambda one: one.spec.unit), ("Take it.", ""), strict=True)
    ]
    app = opened("report")
    app.session_state["collected"] = list(figures)
    app.run()
    assert listed(app) == [
        "1: Accuracy against privacy, hiding edges, Karate club",
        "2: Accuracy against privacy, hiding people, Karate club",
    ]
    told = [one.value for one in app.caption if one.value.startswith("Hiding edges: ")]
    assert not told[0].endswith(" What to take stands below it."), "advice of other runs is left out"
    mark = figures[1].mark
    app.session_state[f"fold.figure.{mark}"] = True
    app.run()
    app.text_input(key=f"report_title.{mark}").set_value("People on karate").run()
    assert not app.exception, app.exception
    assert listed(app)[1] == "2: People on karate"
    assert [one.title for one in app.session_state["collected"]] == ["", "People on karate"]
    assert listed(opened("report"))[1] == "2: People on karate", "after a reload"
    assert collected._is_in(figures[1], app.session_state["collected"]), "it is the same figure"


def test_figures_and_runs_have_an_order_each_as_in_the_report(opened: Open, store: RunStore) -> None:
    ids = [keep(store, spec(method, epsilon=2.0, unit="edge")) for method in ("progap", "gap")]
    figure = collected.figure("degrees", [{"low": 1, "high": 1, "nodes": 1, "share": 1.0}], {})
    app = opened("report")
    app.session_state["collected"] = [Kept(run=ids[0]), figure, Kept(run=ids[1])]
    app.run()
    assert [one.split(",")[0] for one in listed(app)][1:] == ["ProGAP", "GAP"], "figures come first"
    assert {button.key for button in app.button if button.disabled} == {
        "arrow_upward.0", "arrow_upward.1", "arrow_downward.1", "arrow_downward.2"
    }  # fmt: skip
    app.button(key="arrow_downward.0").click().run()
    assert [one.split(",")[0] for one in listed(app)][1:] == ["GAP", "ProGAP"], "past the figure between them"


def test_runs_of_a_setting_are_one_card(opened: Open, store: RunStore) -> None:
    """They are one chapter of the report, and go together; two presses of a slow page take out one."""
    ids = [keep(store, spec("progap", epsilon=2.0, unit="edge", seed=seed)) for seed in (0, 3)]
    other = keep(store, spec("gap", epsilon=2.0, unit="edge"))
    app = opened("report")
    app.session_state["collected"] = [Kept(run=ids[0]), Kept(run=other), Kept(run=ids[1])]
    app.run()
    assert [one.split(",")[0] for one in listed(app)] == ["ProGAP", "GAP"]
    assert listed(app)[0].endswith(": 2 runs"), "as the report for others has it"
    app.radio(key="report_share").set_value(False).run()
    assert listed(app)[0].endswith(": 2 runs, seeds 0 and 3")
    app.button(key="arrow_downward.0").click().run()
    assert [one.run for one in app.session_state["collected"]] == [other, *ids]
    app.button(key="close.1").click().run()
    assert [one.run for one in app.session_state["collected"]] == [other]
    assert not app.exception, app.exception


def test_what_is_gone_already_is_not_taken_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [Kept(run="a"), Kept(run="b")]
    monkeypatch.setattr(collected, "everything", lambda: kept)
    monkeypatch.setattr(collected, "keep", lambda: None)
    for _ in range(2):
        collected.remove(["a"])
    assert kept == [Kept(run="b")]
    collected.move(["b"], before="a")
    collected.move(["a"], behind="b")
    assert kept == [Kept(run="b")]


def test_a_press_that_comes_twice_moves_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [Kept(run=run) for run in "abc"]
    monkeypatch.setattr(collected, "everything", lambda: kept)
    monkeypatch.setattr(collected, "keep", lambda: None)
    for _ in range(2):
        collected.move(["c"], before="b")
        assert [one.run for one in kept] == ["a", "c", "b"]
    collected.move(["a"], behind="c")
    assert [one.run for one in kept] == ["c", "a", "b"]


def test_a_figure_is_kept_with_which_runs_came_with_the_program(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [store.get(keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.7)) for seed in range(3)]
    find = RunStore.find
    came = [replace(one, gallery=one.spec.seed > 0) for one in runs]
    monkeypatch.setattr(
        RunStore, "find", lambda *given: [replace(one, gallery=one.spec.seed > 0) for one in find(*given)]
    )
    one = collected.figure("tradeoff", tradeoff.data(came), {}, [])
    told = collected._with_origins(one)
    assert set(told.came) == {run.id for run in runs[1:]}
    assert told.mark == one.mark
    assert collected._with_origins(Kept(run=runs[0].id)).came == ()
    kept_file.save([told], {})
    (read,), _ = kept_file.read(9, ())
    assert read.came == told.came


def test_a_mark_outlives_the_file_and_tells_figures_apart() -> None:
    """A button that was drawn before the file was read names what is in it."""
    said = statement(edge_entries(9))
    one = collected.figure("tradeoff", [{"x": (1, 2.5), "y": math.inf}], {"A": said}, ["a"], "Take it.")
    other = collected.figure("tradeoff", one.rows, {"A": replace(said, epsilon_audited=0.5)}, ["a"], "Take it.")
    kept_file.save([replace(one, title="T", caption="C"), Kept(run="a")], {})
    (read, run), _ = kept_file.read(9, ())
    assert (read.title, read.caption) == ("T", "C")
    assert read.mark == one.mark != other.mark
    assert run.mark == "a"


def _two(opened: Open, store: RunStore) -> tuple[AppTest, list[Kept]]:
    """Two figures, written, the second of them unfolded."""
    runs = [keep(store, spec(method, epsilon=2.0, unit="edge")) for method in ("progap", "gap")]
    figures = [collected.figure("tradeoff", tradeoff.data([store.get(run)]), {}, runs=[run]) for run in runs]
    app = opened("report")
    app.session_state["collected"] = list(figures)
    app.run()
    app.text_area(key="report_remark").set_value("Two figures").run()
    app.button(key=f"look.{figures[1].mark}").click().run()
    return app, figures


@pytest.mark.parametrize("press", ["arrow_upward.1", "arrow_downward.0", "close.0", "look"])
def test_what_is_typed_to_a_figure_outlives_the_button_that_is_pressed_at_once(
    opened: Open, store: RunStore, press: str
) -> None:
    app, figures = _two(opened, store)
    mark = figures[1].mark
    app.text_input(key=f"report_title.{mark}").set_value("Mine")
    app.text_area(key=f"report_caption.{mark}").set_value("What it costs")
    app.text_area(key="report_remark").set_value("Not much")
    app.button(key=f"look.{mark}" if press == "look" else press).click().run()  # all of it in one run
    assert not app.exception, app.exception
    for tab in (app, opened("report")):
        (kept,) = [one for one in tab.session_state["collected"] if one.mark == mark]
        assert (kept.title, kept.caption) == ("Mine", "What it costs")
        assert tab.text_area(key="report_remark").value == "Not much"
        assert any("What it costs" in one.value for one in tab.caption), "on its card"
    order = [one.mark for one in app.session_state["collected"]]
    whole = [one.mark for one in figures]
    assert order == {"look": whole, "close.0": whole[1:]}.get(press, whole[::-1])


def test_what_is_taken_out_comes_back_with_what_was_typed(opened: Open, store: RunStore) -> None:
    app, figures = _two(opened, store)
    app.text_area(key=f"report_caption.{figures[1].mark}").set_value("What it costs")
    app.button(key="close.1").click().run()
    app.button(key="report_undo").click().run()
    assert [one.caption for one in app.session_state["collected"]] == ["", "What it costs"]


def test_a_tab_that_was_drawn_before_overwrites_nothing_of_another(opened: Open, store: RunStore) -> None:
    """Neither by a button, nor by a field in which nobody has written."""
    app, figures = _two(opened, store)
    mark = figures[1].mark
    other = opened("report")
    other.button(key=f"look.{mark}").click().run()
    other.text_area(key=f"report_caption.{mark}").set_value("Of the other tab")
    other.text_input(key="report_title").set_value("Title of the other tab").run()
    run = keep(store, spec("gnn"))
    opened("train", run=run).button(key=f"collect.{run}").click().run()
    app.text_area(key="report_remark").set_value("Mine")
    app.button(key="arrow_upward.1").click().run()
    assert not app.exception, app.exception
    for tab in (app, opened("report")):
        kept = tab.session_state["collected"]
        assert [one.mark for one in kept] == [mark, figures[0].mark, run]
        assert kept[0].caption == "Of the other tab"
        assert tab.text_input(key="report_title").value == "Title of the other tab"
        assert tab.text_area(key="report_remark").value == "Mine"
    assert app.text_area(key=f"report_caption.{mark}").value == "Of the other tab"


def test_a_list_that_is_emptied_asks_first(opened: Open, store: RunStore) -> None:
    app = opened("report")
    app.session_state["collected"] = [Kept(run=keep(store, spec(epsilon=2.0)))]
    app.run()
    (asks,) = [one.proto.popover for one in app.get("popover")]
    assert asks.label == "Begin anew", "one click asks, the next one wipes"
    assert app.button(key="report_clear").label == "Empty the report"
    app.button(key="report_clear").click().run()
    assert empty(app)
