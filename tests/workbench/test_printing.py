"""A report as a PDF: every page is an A4 page, no line leaves it, and equal reports are equal bytes."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

import pytest

from privgraph_workbench import print_lines, print_paper, printing
from privgraph_workbench.blocks import Block, Code, Picture, Remark, Section, Small, Table, Told, Warned

SECTIONS: Told = [
    (Section("What is reported", [Warned("Careful. " * 40), Remark("We **saw** `it`.\n\n- one\n- two")]), {}),
    (Section("A run"), {}),
    (Section("Numbers", [Table(("Name", "Value"), (("a" * 300, "1"), ("b", "2 " * 200)))], deep=True), {}),
    (Section("How to repeat it", [Code("privgraph run " + "--set x=1 " * 60)], deep=True), {}),
    (Section("Words", ["word " * 3000, ["point " * 100]], deep=True), {}),
]


@pytest.mark.long
def test_pages_are_a4_and_equal_reports_are_equal_bytes() -> None:
    made = printing.pdf("A title", SECTIONS)
    boxes = re.findall(rb"/MediaBox \[ ?([^\]]*)\]", made)
    assert len(boxes) > 3
    for box in boxes:
        assert [float(one) for one in box.split()] == pytest.approx([0, 0, 595.3, 841.9], abs=0.5)
    assert made == printing.pdf("A title", SECTIONS)
    assert made != printing.pdf("Another", SECTIONS)


@pytest.mark.long
def test_no_line_leaves_the_page_and_no_word_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[tuple[float, float, str, float, bool, bool]] = []
    put = printing._Paper.text

    def seen(
        self: printing._Paper, x: float, y: float, said: str, size: float, *, bold: bool = False, mono: bool = False,
        colour: str = "",
    ) -> None:  # fmt: skip
        placed.append((x + self.measure(said, size, bold=bold, mono=mono), y, said, size, bold, mono))
        put(self, x, y, said, size, bold=bold, mono=mono, colour=colour)

    monkeypatch.setattr(printing._Paper, "text", seen)
    printing.pdf("A title", SECTIONS)
    assert max(right for right, *_ in placed) <= printing.WIDTH - printing.MARGIN + 0.5
    assert max(y for _, y, *_ in placed) <= printing.HEIGHT
    told = " ".join(said for _, _, said, *_ in placed).split()
    assert told.count("word") % 3000 == 0
    assert told.count("word") >= 2 * 3000, "at least once to find the pages, and once on them"
    assert "".join(told).count("a" * 20) >= 10
    assert "**saw**" not in told
    assert "saw" in told
    assert "a" * 300 in "".join(said for *_, said, size, _, _ in placed if set(said) == {"a"})


@pytest.mark.long
def test_a_print_has_contents_and_its_settings_as_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[tuple[int, str]] = []
    put = printing._Paper.text

    def seen(self: printing._Paper, x: float, y: float, said: str, *rest: float, **looks: Any) -> None:
        placed.append((self.number, said))
        put(self, x, y, said, *rest, **looks)

    monkeypatch.setattr(printing._Paper, "text", seen)
    settings = json.dumps({"method": "gap", "options": {"depth": 2}})
    printing.pdf("A title", [*SECTIONS, (Section("Another run", [Code(settings, title="Settings")]), {})])
    last = placed[len(placed) // 2 :]  # the first half is what finds the pages
    texts = [said for _, said in last]
    start = texts.index("Contents")
    chapters = dict(zip(texts[start + 1 : start + 5 : 2], texts[start + 2 : start + 5 : 2], strict=True))
    for title in ("A run", "Another run"):
        (page,) = [number for number, said in last[start + 5 :] if said == title]
        assert chapters[title] == str(page), "where it begins"
    assert texts[texts.index("depth") + 1] == "2"
    assert not any("{" in said for said in texts)


def test_what_is_measured_is_what_is_drawn() -> None:
    from matplotlib.textpath import TextToPath

    paper = printing._Paper("A title", lambda page: None)
    from matplotlib.font_manager import FontProperties

    for said in ("Somebody who knows everything else", "ε 2, δ 0.0001"):
        font = FontProperties(family=print_paper.SANS, size=printing.SIZE)
        wide = TextToPath().get_text_width_height_descent(said, font, ismath=False)[0]
        assert paper.measure(said, printing.SIZE) == pytest.approx(wide, rel=0.05)


def placed_lines(monkeypatch: pytest.MonkeyPatch, sections: Any) -> list[tuple[int, str]]:
    """What stands on which page."""
    placed: list[tuple[int, str]] = []
    put = printing._Paper.text

    def seen(self: printing._Paper, x: float, y: float, said: str, *rest: float, **looks: Any) -> None:
        placed.append((self.number, said))
        put(self, x, y, said, *rest, **looks)

    monkeypatch.setattr(printing._Paper, "text", seen)
    printing.pdf("A title", sections)
    return placed[len(placed) // 2 :]  # the first half is what finds the pages


@pytest.mark.long
def test_a_long_table_names_its_columns_on_each_page(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple((str(place), "x") for place in range(120))
    lines = placed_lines(monkeypatch, [(Section("Long", [Table(("Place", "Value"), rows)]), {})])
    pages = {page for page, said in lines if said == "x"}
    assert len(pages) == 3
    assert [page for page, said in lines if said == "Place"] == sorted(pages)


@pytest.mark.long
@pytest.mark.parametrize("before", [30, 38, 44])
def test_what_belongs_together_stands_on_one_page(monkeypatch: pytest.MonkeyPatch, before: int) -> None:
    """A picture with its heading, its settings and what it states; a table with what leads to it."""
    rows = [{"low": place, "high": place, "nodes": 3, "share": 0.1} for place in range(1, 9)]
    figure: list[Block] = [f"Settings: {'many, ' * 60}", Picture("degrees", rows)]
    advice = Remark("**Take**\n\n| ε | Take |\n| --- | --- |\n" + "\n".join(f"| {place} | it |" for place in range(9)))
    sections: Told = [(Section("Before", ["line " * 15] * before), {}), (Section("Drawn", [*figure, advice]), {})]
    lines = placed_lines(monkeypatch, sections)
    (heading,) = [page for page, said in lines if said == "Drawn"]
    below = [page for page, said in lines if said.startswith(("Settings", "No privacy guarantee"))]
    assert set(below) == {heading}
    lead, column = [page for page, said in lines if said == "Take"]
    assert {page for page, said in lines if said == "it"} == {lead} == {column}


@pytest.mark.long
def test_small_figures_stand_two_to_a_page_each_with_its_words_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"low": place, "high": place, "nodes": 3, "share": 0.1} for place in range(1, 9)]
    figures: Told = [
        (Section(f"Figure {place}", ["What it finds.", Picture("degrees", rows), Small(f"Settings {place}")]), {})
        for place in range(1, 5)
    ]
    lines = placed_lines(monkeypatch, [(Section("Before", ["word"]), {}), *figures])
    starts = {said: page for page, said in lines if re.fullmatch(r"Figure \d", said)}
    ends = {said: page for page, said in lines if said.startswith("Settings")}
    assert [starts[f"Figure {place}"] for place in range(1, 5)] == [1, 1, 2, 2], "two to a page"
    assert [ends[f"Settings {place}"] for place in range(1, 5)] == [1, 1, 2, 2], "each with its settings"


@pytest.mark.long
def test_a_small_figure_that_was_chosen_stands_large_with_its_words_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"low": place, "high": place, "nodes": 3, "share": 0.1} for place in range(1, 9)]
    wide: list[float] = []
    put = printing._Paper.image

    def seen(self: printing._Paper, pixels: Any, left: float, width: float, height: float) -> None:
        wide.append(width)
        put(self, pixels, left, width, height)

    monkeypatch.setattr(printing._Paper, "image", seen)
    for chosen in (True, False):
        placed_lines(monkeypatch, [(Section("Figure", [Picture("degrees", rows, chosen=chosen)]), {})])
    assert wide == [printing.LARGE] * 2 + [printing.NARROW] * 2, "each is laid twice"


@pytest.mark.parametrize("before", [40, 44])
def test_words_that_lead_to_a_part_stand_on_its_page_and_a_long_list_is_divided(
    monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    points = Remark("\n".join(f"- point {place} {'of many words ' * 12}" for place in range(20)))
    sections: Told = [
        (Section("Before", ["line " * 15] * before), {}),
        (Section("Appendix", ["What stands here."]), {}),
        (Section("Words", [points]), {}),
    ]
    lines = placed_lines(monkeypatch, sections)
    page = {said: place for place, said in lines}
    told = [place for place, said in lines if "point" in said]
    assert page["Appendix"] == page["Words"] == told[0]
    assert len(set(told)) > 1


def test_letters_that_the_font_does_not_have_are_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no error at the end of a minute's work."""
    drawn: list[str] = []
    text = printing._Paper.text
    monkeypatch.setattr(
        printing._Paper,
        "text",
        lambda self, x, y, said, *rest, **more: (drawn.append(said), text(self, x, y, said, *rest, **more)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = printing.pdf("漢字 🙂", [(Section("مرحبا", [Remark("A remark: 漢字, é.")]), {})], author="漢")
    assert made.startswith(b"%PDF")
    assert any("漢字" in one for one in drawn)
    monkeypatch.setattr(print_lines, "FALLBACKS", ())
    assert print_lines.runs("漢字, é", print_paper.SANS, bold=False) == [("□□, é", print_paper.SANS)]
    assert print_lines.width_of("漢", print_paper.SANS, bold=False) == print_lines.width_of(
        "□", print_paper.SANS, bold=False
    )
