"""What a figure's file states beside the picture: footers, columns, and the text beside a CSV."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.figures import made_runs
from tests.figures.made_audits import audit

from privgraph.privacy.kinds import Adversary
from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.figures import export, notes
from privgraph_workbench.figures.audits import audit_roc
from privgraph_workbench.words import statements


def test_equal_statements_are_said_once_and_many_are_counted(statement: PrivacyStatement) -> None:
    same = notes.notes([], {f"seed {seed}": statement for seed in range(5)})
    assert len(same) == 1
    assert same[0].startswith("seed 0, seed 1, seed 2 and 2 more: unit: edge")
    many = {str(place): replace(statement, epsilon=float(place + 1)) for place in range(9)}
    assert notes.notes([], many)[-1].startswith("and 3 more statements")


def test_a_footer_is_a_sorted_block(statement: PrivacyStatement) -> None:
    held = {f"ProGAP, edge ε {value:g}": replace(statement, epsilon=value) for value in (10.0, 0.5, 2.0)}
    title, *lines = notes.block(held)
    assert [line.split("  ")[0] for line in lines] == ["ProGAP, edge ε 0.5", "ProGAP, edge ε 2", "ProGAP, edge ε 10"]
    assert {line.index(" edge  ") for line in lines} == {title.index(" protects")}, "columns stand under each other"
    many = {str(place): replace(statement, epsilon=float(place + 1)) for place in range(9)}
    assert notes.block(many)[-1].startswith("and 3 more statements")
    assert len(notes.block(many, most=9)) == 10
    (short, *rest) = notes.block({"word " * 30: statement})[1:]
    assert short.split()[0] == rest[0].split()[0] == "word"
    assert max(map(len, rest)) <= notes.LABEL + 2


def test_a_picture_of_all_that_it_states_leaves_no_line_out(statement: PrivacyStatement) -> None:
    """Eight methods: more than a short list holds, and each has its row below the whole picture."""
    held = {
        f"{method}, edge ε {value}": replace(statement, epsilon=float(value), delta=1e-5 / (place + 1))
        for place, method in enumerate(("A", "B", "C", "D", "E", "F", "G", "H"))
        for value in (1, 2)
    }
    assert notes.block(held)[-1] == "and 2 more statements, in this file's metadata"
    seven = {label: said for label, said in held.items() if label[0] != "H"}
    assert len(notes.stated(seven)[1]) == 7, "to say that there is one more takes as much room"
    assert notes.stated(seven)[2] == 0
    lines = notes.block(held, notes.ROOM, single=notes.MOST_NOTES)
    assert [one[0] for one in lines[1:]] == list("ABCDEFGH")
    with export.drawing():
        drawn = export.drawn_of("tradeoff", [], held, "light", titled=True)
        drawn.draw_without_rendering()
        said, last = " ".join(text.get_text() for text in drawn.subfigs[-1].texts), drawn.subfigs[-1].texts[-1]
        blank = last.get_window_extent().y0 / drawn.dpi
    assert "more statement" not in said
    assert all(f"{name}, edge" in said.replace("\N{NO-BREAK SPACE}", " ") for name in "ABCDEFGH")
    assert 0 <= blank < 0.3, "the page ends where its last line does"


def test_a_long_footer_has_a_line_for_each_method_and_names_the_graph_once(statement: PrivacyStatement) -> None:
    bare = replace(statement, epsilon_audited=None, audit_confidence=None, adversary=None)
    held = {
        f"{method} on Cora, edge ε {value:g}": replace(bare, epsilon=value, epsilon_as_published=value / 2)
        for method in ("GAP", "ProGAP")
        for value in (10.0, 0.5, 2.0, 4.0)
    }
    held["GAP on Cora, edge ε 4"] = replace(bare, epsilon=4.0, epsilon_audited=1.5)
    title, *lines = notes.block(held)
    assert title.startswith("on Cora ")
    assert [line.split("  ")[0] for line in lines] == ["GAP, edge ε 0.5 to 10", "ProGAP, edge ε 0.5 to 10"]
    assert "  0.5 to 10  " in lines[1]
    assert "  0.25 to 5  " in lines[1]
    assert "at ε 4: at least 1.5; the other 3 not audited" in lines[0]
    assert "none yet" in lines[1]
    assert "more statements" not in "".join(lines)
    sized = {name.replace("Cora", "Social (nodes 600, degree 8)"): said for name, said in held.items()}
    title, *lines = notes.block(sized)
    assert title.startswith("on Social (nodes 600, degree 8) ")
    assert lines[0].startswith("GAP, edge ε 0.5 to 10")


def test_a_statement_with_much_to_say_stays_within_the_picture(statement: PrivacyStatement) -> None:
    """What no column has room for stands above the table, in lines of the width of the picture."""
    long = replace(
        statement, epsilon=8.0, epsilon_as_published=0.2, adversary=Adversary.WORST_CASE,
        ledger=(made_runs.edge_entries(9)[0],),
    )  # fmt: skip
    held = {"GAP on Cora, edge ε 8, trained with a great many options, seed 0": long}
    assert max(len(one) for one in notes.block(held)) * 0.61 * 7 < 72 * 8.0 * 0.97, "seven points in eight inches"
    with export.drawing():
        drawn = export.drawn_of("audit_roc", audit_roc.data(audit(), "log"), held, "light", titled=True)
        drawn.draw_without_rendering()
        *_, lower = drawn.subfigs
        edge = drawn.bbox.x1
        assert all(text.get_window_extent().x1 <= edge for text in lower.texts)
        said = " ".join(" ".join(text.get_text() for text in lower.texts).split())
    for words in (
        "mechanisms played",
        "An attack refutes the published ε",
        "which no attack can cross",
        "So the curve decides nothing",
    ):
        assert words in said


def test_names_that_hold_commas_are_told_apart(statement: PrivacyStatement) -> None:
    held = {f"{method} on Cora, not private": statement for method in ("GCN", "MLP")}
    head, line = notes.block(held)
    assert head.startswith("on Cora ")
    assert line.startswith("GCN, not private; MLP, not private  ")


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


def test_what_a_picture_states_can_be_read(statement: PrivacyStatement) -> None:
    """However much there is to say of an audit: a column has the number, and a line above says how."""
    audited = replace(statement, epsilon_audited=1.43, audit_confidence=0.95, adversary=Adversary.WORST_CASE)
    name = "ProGAP on Made-up social network (nodes 600, degree 16, homophily 0.85), edge ε "
    held = {f"{name}{value:g}": replace(audited, epsilon=value) for value in (10.0, 0.5)}
    assert sum("at least 1.43  " in line for line in notes.block(held)) == 2
    assert sum("confidence 95%, mechanisms played" in line for line in notes.told(held)) == 1, "once for both"
    drawn = export.export("degrees", [{"low": 1, "high": 1, "nodes": 1, "share": 1.0}], held, "svg").decode()
    sizes = [float(size) for size in re.findall(r"font(?:-size)?: (?:[a-z0-9]+ )?([0-9.]+)px", drawn)]
    assert sizes
    assert min(sizes) >= 7.5


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
