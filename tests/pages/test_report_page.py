"""The page Report: what is kept anywhere is listed, ordered, and leaves as one archive."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import offered_files
from tests.pages.kept_runs import keep, spec

from privgraph.home import home
from privgraph.options import OptionError
from privgraph.runs import gallery
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import making, page, sharing

Open = Callable[..., AppTest]


def _empty(app: AppTest) -> bool:
    return any("Nothing is kept yet" in one.value for one in app.markdown)


def _listed(app: AppTest) -> list[str]:
    return [one.value.partition("] ")[2] for one in app.markdown if one.value.startswith((page.RUN, page.FIGURE))]


def test_nothing_kept_leads_to_where_things_are_kept(opened: Open, store: RunStore) -> None:
    app = opened("report")
    assert _empty(app)
    assert {link.proto.label for link in app.get("page_link")} >= {"Trade-offs", "Runs", "Attacks"}


def test_nothing_kept_shows_what_comes_out_and_offers_the_run_one_came_from(opened: Open, store: RunStore) -> None:
    for name in reporting.FILES:
        assert any(name in str(table.value) for table in opened("report").table)
    assert "report_last" not in {button.key for button in opened("report").button}, "there is no run"
    older, newer = (keep(store, spec(epsilon=epsilon)) for epsilon in (1.0, 2.0))
    assert "ε 2" in opened("report").button(key="report_last").label, "the latest of one's own"
    app = opened("train", run=older)
    app.switch_page(str(shell.folder() / "report.py")).run()
    assert "ε 1" in app.button(key="report_last").label, "where somebody looked at one, that"
    app.button(key="report_last").click().run()
    assert [one.run for one in app.session_state["collected"]] == [older]
    assert "report_last" not in {button.key for button in app.button}, "it is in"
    assert "report_figures" not in {button.key for button in app.button}, "its chapter brings its own"
    assert newer not in {one.run for one in app.session_state["collected"]}


@pytest.mark.long
def test_an_example_is_one_click(opened: Open, store: RunStore) -> None:
    assert "report_example" not in {button.key for button in opened("report").button}, "there is no gallery"
    gallery.bring_in(store)
    app = opened("report")
    app.button(key="report_example").click().run()
    assert not app.exception, app.exception
    kept = app.session_state["collected"]
    methods = [store.get(one.run).spec.method for one in kept if one.run]
    assert methods == [method for method, *_ in page.EXAMPLE]
    assert [one.figure for one in kept if one.figure] == ["tradeoff", "compare"]
    assert app.button(key="report_make").label == "Make the report"


def test_runs_and_figures_are_kept_from_their_pages(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    app = opened("train", run=run)
    app.button(key=f"collect.{run}").click().run()
    app.button(key=f"collect.curves.{run}").click().run()
    kept = app.session_state["collected"]
    assert [(one.run, one.figure) for one in kept] == [(run, ""), ("", "curves")]
    assert not {f"collect.{run}", f"collect.curves.{run}"} & {button.key for button in app.button}, "each once"
    assert sum(link.proto.label == collected.IN for link in app.get("page_link")) == 2, "where each was kept"
    assert f"collect.standing.{run}" in {button.key for button in app.button}, "all that is drawn can be kept"
    assert not app.toast
    app.switch_page(str(shell.folder() / "report.py")).run()
    assert not app.exception, app.exception
    assert len(_listed(app)) == 2
    assert app.button(key="report_make").label == "Make the report"


def test_which_figures_others_are_not_given_is_said_with_the_reason(opened: Open, store: RunStore) -> None:
    bare, run = (keep(store, one) for one in (spec("gnn"), spec(epsilon=2.0)))
    rows = tradeoff.data([store.get(run)])
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run), Kept(figure="tradeoff", rows=rows)]
    app.run()
    (said,) = [one.value for one in app.caption if sharing.LEFT_OUT in one.value]
    assert said == f"- {sharing.LEFT_OUT}\n- {sharing.KEPT}\n- {sharing.WORDS}", "nothing else stays, nothing is public"
    app.session_state["collected"] = [
        *(Kept(run=one) for one in (run, bare)),
        Kept(figure="tradeoff", rows=rows),
        Kept(figure="answers", title="Votes [of] mine"),
        Kept(figure="curves"),
    ]
    app.run()
    assert not app.exception, app.exception
    (said,) = [one.value for one in app.caption if sharing.LEFT_OUT in one.value]
    assert len(said.splitlines()) == 3
    assert "Left out are **Votes" in said
    assert "(they name single nodes or texts); **Learning curves of a run** (they follow training" in said
    assert said.endswith(sharing.REPEATED)
    app.toggle(key="report_share").set_value(False).run()
    assert not [one for one in app.caption if sharing.LEFT_OUT in one.value], "one's own holds everything"


def test_what_is_kept_is_ordered_and_taken_out(opened: Open, store: RunStore) -> None:
    ids = [keep(store, spec(method, epsilon=2.0, unit="edge")) for method in ("progap", "gap")]
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run) for run in ids]
    app.run()
    assert [one.split(",")[0] for one in _listed(app)] == ["ProGAP", "GAP"]
    idle = {button.key for button in app.button if button.disabled}
    assert idle == {"arrow_upward.0", "arrow_downward.1"}, "there is no way up from the first, nor down from the last"
    app.button(key="arrow_downward.0").click().run()
    assert [one.split(",")[0] for one in _listed(app)] == ["GAP", "ProGAP"]
    app.button(key="close.0").click().run()
    assert [one.split(",")[0] for one in _listed(app)] == ["ProGAP"]
    assert not app.exception, app.exception


def test_what_is_taken_out_is_put_back_to_its_place(opened: Open, store: RunStore) -> None:
    ids = [keep(store, spec(method, epsilon=2.0, unit="edge")) for method in ("progap", "gap")]
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run) for run in ids]
    app.run()
    for last in ("close.0", "close.0"):
        app.button(key=last).click().run()
    assert _empty(app)
    app.button(key="report_undo").click().run()
    assert [one.run for one in app.session_state["collected"]] == ids[1:], "what was taken out last"
    assert "report_undo" not in {button.key for button in app.button}
    app.session_state["collected"] = [Kept(run=run) for run in ids]
    app.run()
    app.button(key="close.0").click().run()
    assert any(one.value == "A run was taken out." for one in app.markdown)
    app.button(key="report_undo").click().run()
    assert [one.run for one in app.session_state["collected"]] == ids, "first again"
    assert [one.split(",")[0] for one in _listed(opened("report"))] == ["ProGAP", "GAP"], "in the file as well"
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
    app.session_state["collected"] = figures
    app.run()
    assert _listed(app) == [
        "**1: Accuracy against privacy, hiding edges, Karate club**",
        "**2: Accuracy against privacy, hiding people, Karate club**",
    ]
    told = [one.value for one in app.caption if one.value.startswith("Hiding edges: ")]
    assert told[0].endswith(" What to take stands below it.")
    mark = page.mark(figures[1])
    app.session_state[f"fold.figure.{mark}"] = True
    app.run()
    app.text_input(key=f"report_title.{mark}").set_value("People on karate").run()
    assert not app.exception, app.exception
    assert _listed(app)[1] == "**2: People on karate**"
    assert [one.title for one in app.session_state["collected"]] == ["", "People on karate"]
    assert _listed(opened("report"))[1] == "**2: People on karate**", "after a reload"
    assert collected._is_in(figures[1], app.session_state["collected"]), "it is the same figure"


def test_figures_and_runs_have_an_order_each_as_in_the_report(opened: Open, store: RunStore) -> None:
    ids = [keep(store, spec(method, epsilon=2.0, unit="edge")) for method in ("progap", "gap")]
    figure = collected.figure("degrees", [{"low": 1, "high": 1, "nodes": 1, "share": 1.0}], {})
    app = opened("report")
    app.session_state["collected"] = [Kept(run=ids[0]), figure, Kept(run=ids[1])]
    app.run()
    assert [one.split(",")[0] for one in _listed(app)][1:] == ["ProGAP", "GAP"], "figures come first"
    assert {button.key for button in app.button if button.disabled} == {
        "arrow_upward.0", "arrow_upward.1", "arrow_downward.1", "arrow_downward.2"
    }  # fmt: skip
    app.button(key="arrow_downward.0").click().run()
    assert [one.split(",")[0] for one in _listed(app)][1:] == ["GAP", "ProGAP"], "past the figure between them"


def test_runs_of_a_setting_are_one_card(opened: Open, store: RunStore) -> None:
    """They are one chapter of the report, and go together; two presses of a slow page take out one."""
    ids = [keep(store, spec("progap", epsilon=2.0, unit="edge", seed=seed)) for seed in (0, 3)]
    other = keep(store, spec("gap", epsilon=2.0, unit="edge"))
    app = opened("report")
    app.session_state["collected"] = [Kept(run=ids[0]), Kept(run=other), Kept(run=ids[1])]
    app.run()
    assert [one.split(",")[0] for one in _listed(app)] == ["ProGAP", "GAP"]
    assert _listed(app)[0].endswith(": 2 runs"), "as the report for others has it"
    app.toggle(key="report_share").set_value(False).run()
    assert _listed(app)[0].endswith(": 2 runs, seeds 0, 3")
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
        collected.remove([Kept(run="a")])
    assert kept == [Kept(run="b")]
    collected.arrange([Kept(run="a"), Kept(run="b")])
    assert kept == [Kept(run="b")]


def test_a_list_that_is_emptied_asks_first(opened: Open, store: RunStore) -> None:
    app = opened("report")
    app.session_state["collected"] = [Kept(run=keep(store, spec(epsilon=2.0)))]
    app.run()
    (asks,) = [one.proto.popover for one in app.get("popover")]
    assert asks.label == "Begin anew", "one click asks, the next one wipes"
    assert app.button(key="report_clear").label == "Empty the report"
    app.button(key="report_clear").click().run()
    assert _empty(app)


def test_a_run_that_was_deleted_and_an_empty_title_are_told(opened: Open, store: RunStore) -> None:
    run, gone = (keep(store, spec(epsilon=epsilon)) for epsilon in (1.0, 2.0))
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run), Kept(run=gone)]
    store.delete(gone)
    app.run()
    assert any("There is no run" in one.value for one in app.warning)
    assert app.button(key="report_make")
    app.text_input(key="report_title").set_value(" ").run()
    assert "the title of a report has 1 to 200 letters" in app.error[0].value.lower()
    assert "report_make" not in {button.key for button in app.button}


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
    (takes,) = [one.value for one in app.caption if "meanwhile" in one.value]
    said, _, ways = takes.partition(". ")
    assert said == "0 figures, 2 more in the appendix and a notebook: about 30 s"
    assert ways == "What you change meanwhile is not in it."
    app.button(key="report_make").click().run()
    assert not app.exception, app.exception
    assert "report_cancel" not in {button.key for button in app.button}, "only while it is made"
    assert steps[0][1] == "figure 1 of 2 on the page"
    (label,) = offered_files.labels(app)
    made = re.fullmatch(r"Download the report (\(for others, made \d\d:\d\d, 0 figures; zip, 1.2 MB\))", label)
    assert made, label
    app.run()
    assert offered_files.labels(app), "it waits"
    other = opened("report")
    other.session_state["collected"] = [Kept(run=run)]
    assert offered_files.labels(other.run()), "in another tab, too"
    assert told == ["Private learning on graphs"]
    app.text_input(key="report_title").set_value("Another").run()
    former = [f"Download the former report, without what was changed since {made[1]}"]
    assert offered_files.labels(app) == former, "what was made is of another title"
    assert app.button(key="report_make")
    app.toggle(key="report_appendix").set_value(False).run()
    assert any(one.value.startswith("0 figures and a notebook") for one in app.caption), "which has the figures"

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
    assert offered_files.labels(app)[0].startswith("Download the former report"), "of the title that it had"
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


def test_the_figures_of_its_runs_are_offered_beside_any_other_figure(opened: Open, store: RunStore) -> None:
    ids = [keep(store, spec(epsilon=epsilon)) for epsilon in (1.0, 2.0)]
    app = opened("report")
    other = collected.figure("degrees", [{"low": 1, "high": 1, "nodes": 1, "share": 1.0}], {})
    app.session_state["collected"] = [*(Kept(run=run) for run in ids), other]
    app.run()
    assert sum(one.value == page.CHAPTER for one in app.caption) == 1, "what comes with runs is said"
    app.button(key="report_figures").click().run()
    assert [one.figure for one in app.session_state["collected"]][2:] == ["degrees", "tradeoff", "compare"]
    assert "report_figures" not in {button.key for button in app.button}


def test_what_is_kept_is_there_after_a_reload(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    app = opened("train", run=run)
    app.button(key=f"collect.curves.{run}").click().run()
    app.button(key=f"collect.{run}").click().run()
    first = opened("report")
    assert len(_listed(first)) == 2
    first.text_input(key="report_title").set_value("What it costs").run()
    first.text_area(key="report_remark").set_value("Not much.").run()
    again = opened("report")
    assert _listed(again) == _listed(first)
    assert again.text_input(key="report_title").value == "What it costs"
    assert again.text_area(key="report_remark").value == "Not much."
    again.button(key="report_clear").click().run()
    assert _empty(opened("report"))


def test_more_runs_than_a_report_holds_do_not_make_it_full(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collected, "MOST", 1)
    runs = [keep(store, spec(seed=seed)) for seed in (0, 1)]
    button = opened("runs", chosen=",".join(runs)).button(key="collect_chosen")
    assert button.disabled
    assert button.label == "Too many for a report"
    assert "holds 1 runs and figures at most: it has 0, and these are 2 more" in button.help


def test_a_second_tab_sees_what_the_first_has_kept_since(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    waiting = opened("report")
    assert not _listed(waiting)
    opened("train", run=run).button(key=f"collect.{run}").click().run()
    assert len(_listed(waiting.run())) == 1


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"kept": [{"run": 1}], "words": {}}', '{"kept": 5, "words": {}}',
     '{"kept": [{"run": "", "figure": "no such", "rows": [], "statements": {}}], "words": {}}'],
)  # fmt: skip
def test_a_file_that_is_no_list_of_kept_things_is_told(opened: Open, store: RunStore, text: str) -> None:
    opened("train", run=(run := keep(store, spec(epsilon=2.0)))).button(key=f"collect.{run}").click().run()
    (file,) = home().glob("report*.json")
    file.write_text(text)
    app = opened("report")
    assert not app.exception
    aside = file.with_suffix(".unreadable.json")
    assert f"begins anew, and what was there is in {aside.name}." in app.warning[0].value
    assert aside.read_text() == text
    assert _empty(app)


@pytest.mark.long
def test_the_page_of_the_report_can_be_looked_at_first(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run)]
    app.session_state["fold.preview"] = True
    app.run()
    assert not app.exception, app.exception
    (shown,) = app.get("iframe")
    assert "<h1>Private learning on graphs</h1>" in shown.proto.srcdoc


def test_a_full_report_says_so_and_takes_no_more(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    app = opened("train", run=run)
    app.session_state["collected"] = [Kept(run=f"other-{place}") for place in range(collected.MOST)]
    app.run()
    button = app.button(key=f"collect.{run}")
    assert button.label == "The report is full"
    assert button.disabled


def test_whom_it_is_for_is_kept_with_the_list_and_the_archive_stays_offered(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "build", lambda asked, step: b"x" * 100_000)
    run = keep(store, spec(epsilon=3.0))
    opened("train", run=run).button(key=f"collect.{run}").click().run()
    app = opened("report")
    assert app.toggle(key="report_share").value, "a new report is for others"
    app.toggle(key="report_share").set_value(False).run()
    app.button(key="report_make").click().run()
    again = opened("report")
    assert not again.exception, again.exception
    assert not again.toggle(key="report_share").value
    (label,) = offered_files.labels(again)
    assert label.startswith("Download the report (for myself, made ")
    again.toggle(key="report_share").set_value(True).run()
    (label,) = offered_files.labels(opened("report"))
    assert label.startswith("Download the former report, without what was changed since (for myself, made ")
    again.button(key="report_clear").click().run()
    opened("train", run=run).button(key=f"collect.{run}").click().run()
    fresh = opened("report")
    assert fresh.toggle(key="report_share").value, "what begins anew is for others"
    assert not offered_files.labels(fresh)


def test_public_noise_is_said_above_figures_and_on_every_card(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = keep(store, spec(epsilon=2.0))
    figure = collected.figure("tradeoff", tradeoff.data([store.get(run)]), {}, runs=[run])

    def told() -> tuple[list[int], list[str], int]:
        app = opened("report")
        app.session_state["collected"] = [Kept(run=run), figure]
        app.run()
        assert not app.exception, app.exception
        words = [one.value for one in app.markdown]
        red = [place for place, one in enumerate(words) if sharing.NO_SECRET in one]
        marked = [one.value for one in app.caption if "Noise is public." in one.value]
        assert not red or words[red[0] + 1] == "##### Figures"
        return red, marked, sum(sharing.TRIED in one.value for one in app.caption)

    assert told() == ([], [], 0), "its key is this home's own"
    find = RunStore.find
    monkeypatch.setattr(RunStore, "find", lambda *given: [replace(one, gallery=True) for one in find(*given)])
    red, marked, tried = told()
    assert len(red) == 1
    assert len(marked) == 2, "the figure's and the run's"
    assert tried == 1
