"""What a figure's file states beside the picture: footers, columns, and the text beside a CSV."""

from __future__ import annotations

import re
from dataclasses import replace

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.figures import export
from privgraph_workbench.words import statements


def test_columns_of_a_footer_stand_under_each_other_in_a_page(statement: PrivacyStatement) -> None:
    """A browser makes one space of several in the text of an SVG: there are none in the block."""
    held = {f"ProGAP, edge ε {value:g}": replace(statement, epsilon=value) for value in (10.0, 0.5)}
    drawing = export.export("degrees", [{"low": 1, "high": 1, "nodes": 1, "share": 1.0}], held, "svg").decode()
    texts = [text for text in re.findall(r">([^<>]+)<", drawing.partition("</metadata>")[2]) if "ProGAP" in text]
    assert len(texts) == 2
    assert not any("  " in text for text in texts)
    assert all("\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}" in text for text in texts)


def test_a_sound_epsilon_is_never_rounded_down(statement: PrivacyStatement) -> None:
    shown = dict(statements.three_numbers(replace(statement, epsilon=1.00001)))
    assert float(shown["sound ε"]) >= 1.00001
    assert dict(statements.three_numbers(replace(statement, epsilon=float("inf"))))["sound ε"] == "∞"
    audited = dict(statements.three_numbers(replace(statement, epsilon_audited=0.98765, audit_confidence=None)))[
        "ε audited"
    ]
    assert float(audited.removeprefix("at least ")) <= 0.98765


def test_the_text_beside_a_csv_says_each_sentence_once(statement: PrivacyStatement) -> None:
    """Of statements that differ in their numbers alone one is whole, and of others the lines that differ."""
    held = {f"ProGAP, edge ε {value:g}": replace(statement, epsilon=value) for value in (0.5, 2.0)}
    other = replace(statement, assumptions=("something else",))
    rows = [{"low": 1, "high": 1, "nodes": 1, "share": 1.0}]
    text = export.export("degrees", rows, {**held, "Z": other}, "txt").decode()
    assert text.count(f"Released: {statement.released}") == 2, "once for those that are alike, once for another"
    _, _, second = text.partition("ProGAP, edge ε 2\n----------------\n")
    first, own, *_ = second.split("\n")
    assert first == "As ProGAP, edge ε 0.5, with these lines in place of its own:"
    assert own.startswith("Sound epsilon: 2 at delta")
    _, _, third = text.partition("Z\n-\n")
    assert third.startswith("Protected: "), "whole: it assumes less, which no line of its own would tell"
    gaps = tuple(replace(gap, size="twice") for gap in statement.gaps)
    sized = export.export("degrees", rows, {"A": statement, "B": replace(statement, gaps=gaps)}, "txt").decode()
    assert sized.endswith("twice. Source: " + gaps[-1].source + ".\n")
    assert sized.count(gaps[-1].claim) == 1
    again = export.export("degrees", rows, {"A": statement, "B": statement}, "txt").decode()
    assert again.endswith("As A, word for word.\n")
