"""An author's own words on the page Report: that nobody checked them is said, and which of their numbers no
result of the report is; and a figure's caption of one's own."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.blocks import Folded, Remark, Section, Table
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import claims, own_words

Open = Callable[..., AppTest]


def _known(*, percents: str = "", accuracies: str = "", epsilons: str = "") -> claims.Results:
    said = (frozenset(map(Decimal, one.split())) for one in (f"{percents} {accuracies}", accuracies, epsilons))
    every, reached, budgets = said
    return claims.Results(percents=every, accuracies=reached, epsilons=budgets)


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("ProGAP leaks nothing.", []),
        ("Its accuracy is 99%.", ["99% as an accuracy"]),
        ("Found are 99%.", []),  # which rounds what an attack has found
        ("It has 64.3% accuracy, **64 %** and 64 percent.", []),
        ("It has 64.2%.", ["64.2%"]),
        ("At ε = 0.5, and at epsilon of 1", ["ε = 0.5"]),
        (r"$\\varepsilon = 2$ and ε 2, twice ε 2", ["epsilon = 2", "ε 2"]),
        ("ε = 0 and 0%", ["ε = 0", "0%"]),
        ("ε 1: 64%", []),
        ("an attack finds 98.5% at 7% FPR, accuracy 64.3% (95% interval)", []),
        ("it costs 99% of accuracy", []),
        ("99% and 12% and 99%: 12%", ["12%"]),
        ("Graph42 has 5e3 nodes, version 1.2", []),
    ],
)
def test_numbers_that_no_result_is_are_named_as_they_are_written(words: str, missing: list[str]) -> None:
    known = _known(percents="98.5", accuracies="64.3", epsilons="0.9997")
    assert claims.unfounded(words, known) == missing


def test_results_are_read_from_tables_and_findings_and_not_from_explanations() -> None:
    told = Section(
        "What is reported",
        [
            "Protection is called weak up to 99%.",
            ["At ε 77 nothing is left."],
            Remark("- Test accuracy 64.3% (95% interval 60.0% to 70.0%).\n- A coin is right in 50%.\n- ε 3 to 4"),
            Folded("More", [Table(("", "Model"), (("sound ε", "0.9997 [1]"), ("Test accuracy", "81.0%")))]),
            Table(
                ("Setting", "ε audited", "Test accuracy", claims.GUESSED), (("A", "at least 5.17", "82.5%", "100%"),)
            ),
            Table(("", "A"), ((claims.GUESSED, "98%"), ("Found", "12.5% at 5% FPR"))),
        ],
    )
    assert claims.results([(told, {})]) == _known(
        percents="12.5", accuracies="60.0 64.3 70.0 81.0 82.5", epsilons="0.9997 3 4 5.17"
    )


def test_a_remark_is_challenged_beside_how_it_reads(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0), accuracy=0.75)
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run)]
    app.run()
    assert not [one for one in app.caption if own_words.UNCHECKED in one.value], "nothing is written yet"

    def told(remark: str) -> tuple[list[str], list[str]]:
        app.text_area(key="report_remark").set_value(remark).run()
        assert not app.exception, app.exception
        (read,) = [one.proto.body for one in app.get("html") if "own words, not checked" in one.proto.body]
        assert f"<p>{remark.split()[0]}" in read
        said = [one.value for one in app.caption if own_words.UNCHECKED in one.value]
        return said, [one.value for one in app.warning]

    assert told("ProGAP leaks nothing.") == ([own_words.UNCHECKED], [])
    said, (warned,) = told("ProGAP leaks nothing: accuracy 99%, at ε = 0.125 and ε = 2.")
    assert said == [own_words.UNCHECKED]
    assert warned.startswith("Not found in this report: **99% as an accuracy** and **ε = 0.125**.")
    assert told("It has 75% accuracy at ε = 2.") == ([f"{own_words.UNCHECKED} {own_words.FOUND}"], [])


def test_a_caption_of_ones_own_is_kept_and_goes_with_its_figure(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0), accuracy=0.75)
    figure = collected.figure("tradeoff", tradeoff.data([store.get(run)]), {}, runs=[run])
    app = opened("train", run=run)
    app.button(key=f"collect.{run}").click().run()
    app = opened("report")
    app.session_state["collected"].append(figure)
    app.run()
    (look,) = [one for one in app.button if str(one.key).startswith("look.")]
    look.click().run()
    (field,) = [one for one in app.text_area if str(one.key).startswith("report_caption.")]
    assert field.proto.max_chars == reporting.CAPTION
    field.set_value("What *hiding*\nedges costs: 12%").run()
    assert not app.exception, app.exception
    assert "“What \\*hiding\\* edges costs: 12%.”" in [one.value for one in app.caption], "on its card, as text"
    assert any("**12%**" in one.value for one in app.warning)
    again = opened("report")
    (kept,) = [one for one in again.session_state["collected"] if one.figure]
    assert kept.caption == "What *hiding*\nedges costs: 12%", "another tab has it"
    again.button(key="report_preview").click().run()
    (shown,) = again.get("iframe")
    assert "<p>What *hiding* edges costs: 12%. " in shown.proto.srcdoc
    (look,) = [one for one in again.button if str(one.key).startswith("look.")]
    look.click().run()
    (field,) = [one for one in again.text_area if str(one.key).startswith("report_caption.")]
    assert field.value == kept.caption
    field.set_value("Turned \u202eround").run()
    assert "A caption has letters that can be seen (got U+202E)" in again.error[0].value
    assert "report_make" not in {button.key for button in again.button}
