"""An author's own words on the page Report: that nobody checked them is said, and which of their numbers no
result of the report is; and a figure's caption of one's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.blocks import Folded, Picture, Remark, Section, Table
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
        ("ε = 0 and 0%", ["ε = 0", "0% at ε = 0"]),
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


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("At ε = 1 it reaches 64% accuracy.", []),
        ("At ε = 8 it reaches 64% accuracy.", ["64% as an accuracy at ε = 8"]),
        ("at ε = 3 it gets 91%", ["ε = 3", "91% at ε = 3"]),
        ("at ε = 8 it gets 91%", ["91% at ε = 8"]),
        ("70% at ε = 8 and 64% at ε = 1", []),
        ("At ε = 8 a model without privacy has 98.5%", []),  # which is told of no ε
        ("At ε = 8 it is better. It has 64%.", []),
        ("At ε = 8 it costs 64% of accuracy.", []),
    ],
)
def test_a_percent_beside_an_epsilon_is_one_of_that_epsilon(words: str, missing: list[str]) -> None:
    pairs = frozenset({(Decimal("0.9997"), Decimal("64.3")), (Decimal(8), Decimal("70.1"))})
    known = replace(_known(percents="98.5", accuracies="64.3 70.1", epsilons="0.9997 8"), pairs=pairs)
    assert claims.unfounded(words, known) == missing


def test_an_epsilon_and_its_percents_are_read_from_rows_columns_sentences_and_figures(store: RunStore) -> None:
    run = store.get(keep(store, spec(epsilon=2.0), accuracy=0.75))
    told = Section(
        "What is reported",
        [
            Table(("Setting", "sound ε", "Test accuracy"), (("A", "0.9997", "64.3%"), ("B", "8", "70.1%"))),
            Table(("", "C", "D"), (("sound ε", "3", "4"), ("Test accuracy", "33%", "44%"))),
            Table(("Method", "ε 5", "ε 6"), (("E", "55%", "66%"),)),
            Remark("- At ε 7 it is 77%. At ε 9 it is 88%; without, 99%."),
            Picture("tradeoff", tradeoff.data([run])),
        ],
    )
    known = claims.results([(told, {}), (Section("F, ε 10", [Remark("- Found are 11%.")]), {})])
    said = ("0.9997 64.3", "8 70.1", "3 33", "4 44", "5 55", "6 66", "7 77", "9 88", "10 11", "2 75")
    alike = [tuple(map(Decimal, one.split())) for one in said]
    for budget, share in alike:
        assert claims.unfounded(f"{share}% at ε {budget}", known) == [], (budget, share)
        other = next(one for one, _ in alike if one != budget)
        assert claims.unfounded(f"{share}% at ε {other}", known) == [f"{share}% at ε {other}"]
    assert claims.unfounded("99% at ε 9", known) == []


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
    known = _known(percents="12.5", accuracies="60.0 64.3 70.0 81.0 82.5", epsilons="0.9997 3 4 5.17")
    assert replace(claims.results([(told, {})]), pairs=frozenset()) == known


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
    assert re.search(r"Author:(<[^>]*>)* What \*hiding\* edges costs: 12%\.", shown.proto.srcdoc)
    (look,) = [one for one in again.button if str(one.key).startswith("look.")]
    look.click().run()
    (field,) = [one for one in again.text_area if str(one.key).startswith("report_caption.")]
    assert field.value == kept.caption
    field.set_value("Turned \u202eround").run()
    assert "A caption has letters that can be seen (got U+202E)" in again.error[0].value
    assert "report_make" not in {button.key for button in again.button}
