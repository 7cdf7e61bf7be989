"""Print stands as it is read: no letter without width, no second space, no mark of Markdown, no raw key; and
letters that its font lacks are known before it is made."""

from __future__ import annotations

from itertools import pairwise

import pytest

from privgraph_workbench import blocks, print_boxes, print_lines, printing
from privgraph_workbench.blocks import Remark, Section, Table
from privgraph_workbench.print_paper import SIZE
from privgraph_workbench.words.markup import literal


def test_what_is_set_off_for_streamlit_is_not_in_a_report() -> None:
    said = "PREC@1 a_b [x] 1 * 2 & <b> `c`"
    html = blocks.as_html(Remark(literal(said)), {})
    assert html == "<p>PREC@1 a_b [x] 1 * 2 &amp; &lt;b&gt; `c`</p>"
    assert blocks.spans_of(literal(said)) == [(said, False)]
    assert blocks.as_html(Remark("*so* and \\*not so\\*"), {}) == "<p><em>so</em> and *not so*</p>"


def test_a_word_is_as_wide_as_it_is_drawn() -> None:
    paper = printing._Paper("T", lambda _: None)
    apart = sum(paper.measure(one, SIZE) for one in "AVATAR")
    assert paper.measure("AVATAR", SIZE) < apart - 1, "letters that move together leave no gap behind them"
    quoted = sum(paper.measure(one, SIZE) for one in ("“", "All", "”"))
    assert paper.measure("“All”", SIZE) == pytest.approx(quoted)


def test_no_letter_of_a_line_is_drawn_where_the_next_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[tuple[float, str]] = []
    paper = printing._Paper("T", lambda _: None)
    monkeypatch.setattr(paper.page, "text", lambda x, y, said, **_: placed.append((x * printing.WIDTH, said)))
    paper.put(Remark(literal("PREC@1 from “All together” on")), {})
    assert [said for _, said in placed] == ["PREC@1", "from", "“", "All", "together", "”", "on"]
    space = paper.measure(" ", SIZE)
    for (x, said), (after, word) in pairwise(placed):
        gap = after - x - paper.measure(said, SIZE)
        assert gap == pytest.approx(0 if said == "“" or word == "”" else space, abs=0.01), (said, word)


def test_letters_that_no_font_has_are_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(print_lines, "FALLBACKS", ())
    assert print_lines.lacking("王伟, Zoë & Łukasz; ε ≤ 1\n⚠") == "王伟"
    assert printing.pdf("王伟", [(Section("A", ["b"]), {})]).startswith(b"%PDF")
    said = print_boxes.told(["王伟", "Zoë", "王"])
    assert "has 2 letters of it (U+738B, U+4F1F): □ stands for each" in said
    assert print_boxes.told(["Zoë", "ε ≤ 1"]) == ""
    assert "名" in "".join(print_boxes.texts(Section("A", ["b", Remark("**c**"), Table(("名",), (("d",),))])))


def test_letters_of_another_alphabet_are_drawn_from_a_font_that_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever fonts the computer has: one that matplotlib brings along stands for them."""
    script = "\ue000"  # of no alphabet: STIX alone has a letter there
    monkeypatch.setattr(print_lines, "FALLBACKS", ("STIXNonUnicode",))
    assert print_lines.runs(f"a{script}b", print_lines.SANS, bold=True) == [
        ("a", print_lines.SANS),
        (script, "STIXNonUnicode"),
        ("b", print_lines.SANS),
    ]
    assert print_lines.lacking(f"a{script}") == ""
    assert print_lines.further(f"a{script}") == ("STIXNonUnicode",)
    assert print_lines.further("Zoë") == ()
    assert print_lines.nearer(f"a{script}", print_lines.SANS, bold=False) == 0.0
    assert b"STIXNonUnicode" in printing.pdf(f"a{script}", [(Section("A", ["b"]), {})])


def test_settings_are_words() -> None:
    told = dict(print_lines.settings({"method": "gap", "options": {"learning_rate": 0.1}, "data_options": {"a_b": 1}}))
    assert told == {"method": "gap", "learning rate": "0.1", "graph: a b": "1"}
