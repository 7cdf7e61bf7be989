"""The page Report: what is kept anywhere is listed, ordered, and leaves as one archive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import offered_files
from tests.pages.kept_runs import keep, spec
from tests.pages.report_list import empty, listed

from privgraph.home import home
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked
from privgraph_workbench.reporting.counts import Counts
from privgraph_workbench.serving import shell
from privgraph_workbench.serving.offered_files import find
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import looks, preview, rows, setting_rows, sharing

Open = Callable[..., AppTest]


def test_nothing_kept_leads_to_where_things_are_kept(opened: Open, store: RunStore) -> None:
    app = opened("report")
    assert empty(app)
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


def test_runs_and_figures_are_kept_from_their_pages(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    app = opened("train", run=run)
    said = {key: app.button(key=key) for key in (f"collect.{run}", f"collect.curves.{run}")}
    assert [one.label for one in said.values()] == ["Add this run to report", "Add this figure to report"]
    assert [one.help.partition(" as it is")[0] for one in said.values()][1] == "Learning curves of a run"
    assert "Add to report" not in {one.label for one in app.button}, "each says what it adds"
    app.button(key=f"collect.{run}").click().run()
    app.button(key=f"collect.curves.{run}").click().run()
    kept = app.session_state["collected"]
    assert [(one.run, one.figure) for one in kept] == [(run, ""), ("", "curves")]
    assert not {f"collect.{run}", f"collect.curves.{run}"} & {button.key for button in app.button}, "each once"
    assert [one for one in (link.proto.label for link in app.get("page_link")) if one.startswith(collected.IN)] == [
        f"{collected.IN} (1 figure, 1 setting)"
    ] * 2, "where each was kept"
    assert f"collect.standing.{run}" in {button.key for button in app.button}, "all that is drawn can be kept"
    assert not app.toast
    app.switch_page(str(shell.folder() / "report.py")).run()
    assert not app.exception, app.exception
    assert len(listed(app)) == 2
    assert app.button(key="report_make").label == "Make the report"


def test_a_figure_that_others_are_not_given_says_so_where_it_is_kept(opened: Open, store: RunStore) -> None:
    app = opened("train", run=(run := keep(store, spec(epsilon=2.0))))
    for press in (True, False):
        (told,) = [one for one in app.markdown if collected.EYES in one.value]
        assert told.help.endswith("A report for others leaves such figures out: " + for_others.why_not("curves"))
        if press:
            app.button(key=f"collect.curves.{run}").click().run()
    kept = [one.figure for one in app.session_state["collected"]]
    assert kept == ["curves"]
    assert f"collect.standing.{run}" in {one.key for one in app.button}, "and nothing beside what leaves"


def test_which_figures_others_are_not_given_is_said_with_the_reason(opened: Open, store: RunStore) -> None:
    bare, run = (keep(store, one) for one in (spec("gnn"), spec(epsilon=2.0)))
    drawn = tradeoff.data([store.get(run)])
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run), Kept(figure="tradeoff", rows=drawn)]
    app.run()
    (said,) = [one.value for one in app.caption if sharing.WORDS in one.value]
    assert said == sharing.WORDS, "nothing else stays, nothing is public"
    assert app.radio(key="report_share").options == list(sharing.CHOICES.values())
    app.session_state["collected"] = [
        *(Kept(run=one) for one in (run, bare)),
        Kept(figure="tradeoff", rows=drawn),
        Kept(figure="answers", title="Votes [of] mine"),
        Kept(figure="curves"),
    ]
    app.run()
    assert not app.exception, app.exception
    (said,) = [one.value for one in app.caption if sharing.WORDS in one.value]
    assert "Left out are **Votes" in said
    assert "(they name single nodes or texts); **Learning curves** (they follow training" in said
    assert said.endswith(sharing.REPEATED)
    app.radio(key="report_share").set_value(False).run()
    assert not [one for one in app.caption if sharing.WORDS in one.value], "one's own holds everything"


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


def test_the_figures_of_its_runs_are_offered_beside_any_other_figure(opened: Open, store: RunStore) -> None:
    ids = [keep(store, spec(epsilon=epsilon)) for epsilon in (1.0, 2.0)]
    app = opened("report")
    other = collected.figure("degrees", [{"low": 1, "high": 1, "nodes": 1, "share": 1.0}], {})
    app.session_state["collected"] = [*(Kept(run=run) for run in ids), other]
    app.run()
    assert [one.value for one in app.markdown if one.help == rows.CHAPTER] == ["##### Runs"], (
        "what comes with runs is said"
    )
    app.button(key="report_figures").click().run()
    assert [one.figure for one in app.session_state["collected"]][2:] == ["degrees", "tradeoff", "compare"]
    assert "report_figures" not in {button.key for button in app.button}


def test_what_is_kept_is_there_after_a_reload(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    app = opened("train", run=run)
    app.button(key=f"collect.curves.{run}").click().run()
    app.button(key=f"collect.{run}").click().run()
    first = opened("report")
    assert len(listed(first)) == 2
    first.text_input(key="report_title").set_value("What it costs").run()
    first.text_area(key="report_remark").set_value("Not much.").run()
    again = opened("report")
    assert listed(again) == listed(first)
    assert again.text_input(key="report_title").value == "What it costs"
    assert again.text_area(key="report_remark").value == "Not much."
    again.button(key="report_clear").click().run()
    assert empty(opened("report"))


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
    assert not listed(waiting)
    opened("train", run=run).button(key=f"collect.{run}").click().run()
    assert len(listed(waiting.run())) == 1


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
    assert empty(app)


@pytest.mark.long
def test_the_page_of_the_report_can_be_looked_at_first(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run)]
    app.run()
    assert not app.get("iframe")
    app.button(key="report_preview").click().run()
    assert not app.exception, app.exception
    (shown,) = app.get("iframe")
    assert "<h1>Private learning on graphs</h1>" in shown.proto.srcdoc
    found = find(*dict(offered_files.links(app))[preview.TAB].split("/")[1:])
    assert found is not None
    assert found.shown, "in a tab, and not as a download"
    assert found.make() == shown.proto.srcdoc
    app.text_input(key="report_title").set_value("Another").run()
    (shown,) = app.get("iframe")
    assert "<h1>Another</h1>" in shown.proto.srcdoc, "it goes with what is written"
    assert app.button(key="report_preview").label == "Close the preview"
    app.button(key="report_preview").click().run()
    assert not app.get("iframe")
    assert app.button(key="report_make"), "which stands beside it all the time"


def test_where_rows_will_be_it_is_said_that_they_are_read_at_the_first_drawing_alone(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def reading(held: str) -> str:
        told.append(held)
        return "<p>Reading</p>"

    monkeypatch.setattr(looks, "reading", reading)
    app = opened("report")
    app.session_state["collected"] = [
        Kept(run=keep(store, spec(epsilon=2.0))),
        collected.figure("degrees", [{"low": 1, "high": 1, "nodes": 1, "share": 1.0}], {}),
    ]
    for _ in range(2):
        app.run()
        assert not app.exception, app.exception
        assert len(listed(app)) == 2
        drawn = {one.proto.body for one in app.get("html")}
        assert not {"<p>Reading</p>", looks.TO_COME} & drawn, "they are there"
    assert told == ["1 figure, 1 setting"]


def test_a_full_report_says_so_and_takes_no_more(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    app = opened("train", run=run)
    app.session_state["collected"] = [Kept(run=f"other-{place}") for place in range(collected.MOST)]
    app.run()
    button = app.button(key=f"collect.{run}")
    assert button.label == "The report is full"
    assert button.disabled


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
        amber = [place for place, one in enumerate(words) if sharing.NO_SECRET in one]
        marked = [one.value for one in app.caption if "Noise is public." in one.value]
        assert not amber or words[amber[0] + 1] == "##### Figures"
        return amber, marked, sum(sharing.TRIED in one.value for one in app.caption)

    assert told() == ([], [], 0), "its key is this home's own"
    find = RunStore.find
    monkeypatch.setattr(RunStore, "find", lambda *given: [replace(one, gallery=True) for one in find(*given)])
    amber, marked, tried = told()
    assert len(amber) == 1
    assert len(marked) == 2, "the figure's and the run's"
    assert tried == 1


def test_a_setting_that_has_a_run_with_secret_noise_is_not_to_be_trained_again(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [keep(store, spec(epsilon=epsilon, seed=seed)) for epsilon, seed in ((2.0, 0), (2.0, 1), (4.0, 0))]
    find = RunStore.find
    monkeypatch.setattr(
        RunStore, "find", lambda *given: [replace(one, gallery=one.spec.seed == 0) for one in find(*given)]
    )
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run) for run in runs]
    app.run()
    ways = [one.proto.label for one in app.get("page_link") if "epsilon" in one.proto.query_string]
    assert len(ways) == 1
    assert "ε 4 on Karate club with secret noise" in ways[0]


def test_public_noise_names_its_settings_with_the_way_to_each(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [keep(store, spec(epsilon=epsilon)) for epsilon in (2.0, 4.0)]
    find = RunStore.find
    monkeypatch.setattr(RunStore, "find", lambda *given: [replace(one, gallery=True) for one in find(*given)])
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run) for run in runs]
    app.run()
    (amber,) = [one.value for one in app.markdown if sharing.NO_SECRET in one.value]
    assert amber.startswith(":orange["), "no alarm"

    def ways() -> dict[str, str]:
        return {
            one.proto.label: one.proto.query_string
            for one in app.get("page_link")
            if "epsilon" in one.proto.query_string
        }

    (label,) = ways()
    assert label.startswith("Train ProGAP")
    assert "ε 2 on Karate club with secret noise" in label
    app.session_state["fold.public.True"] = True
    app.run()
    assert not app.exception, app.exception
    first, other = ways().items()
    assert "epsilon=2" in first[1]
    assert "ε 4 on Karate club" in other[0]
    assert "epsilon=4" in other[1]


def test_the_amber_line_counts_the_runs_that_the_report_counts(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed)) for seed in range(3)]
    find = RunStore.find
    monkeypatch.setattr(RunStore, "find", lambda *given: [replace(one, gallery=True) for one in find(*given)])
    app = opened("report")
    app.session_state["collected"] = [Kept(run=runs[0])]
    app.run()
    (amber,) = [one.value for one in app.markdown if sharing.NO_SECRET in one.value]
    assert "all 3 private runs" in amber, "those of its mean, too"
    asked = Asked(title="T", runs=[reporting.told_of(store, store.get(runs[0]))])
    words = Counts.of(asked).words
    assert words.startswith("3 runs")
    assert any(words in one.value for one in app.caption)


def test_a_card_says_of_how_many_of_its_runs_the_noise_is_public(store: RunStore) -> None:
    own, other = (store.get(keep(store, spec(epsilon=2.0, seed=seed))) for seed in (0, 1))
    shown = replace(other, gallery=True)
    assert setting_rows.public("Said.", [own]) == "Said."
    assert setting_rows.public("Said.", [shown]) == "**Noise is public.** Said."
    assert setting_rows.public("Said.", [own, shown]) == "**Noise of 1 of 2 runs is public.** Said."
