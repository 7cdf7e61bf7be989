"""What stands together on a page of print, how full the last one is, and the outline of its chapters."""

from __future__ import annotations

import re
from typing import Any

import pytest

from privgraph_workbench import print_outline, printing
from privgraph_workbench.blocks import Folded, Remark, Section, Table, Told

ROWS = tuple((f"row {at}", "1") for at in range(20))


@pytest.fixture
def placed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Each line that is put down, with the number of its page, over all layings."""
    found: list[tuple[int, str]] = []
    put = printing._Paper.text

    def seen(self: printing._Paper, x: float, y: float, said: str, *rest: float, **looks: Any) -> None:
        found.append((self.number, said))
        put(self, x, y, said, *rest, **looks)

    monkeypatch.setattr(printing._Paper, "text", seen)
    return found


def _pages(placed: list[tuple[int, str]]) -> dict[str, int]:
    """The page of each line as it was put down last."""
    return {said: page for page, said in placed}


def _filled(lines: int) -> Section:
    return Section("Before", [f"line {at}" for at in range(lines)])


def test_a_chain_of_headings_is_not_parted_from_what_it_leads_to(placed: list[tuple[int, str]]) -> None:
    for lines in range(25, 36):
        placed.clear()
        told: Told = [
            (_filled(lines), {}),
            (Section("Appendix", ["Each in full."]), {}),
            (Section("A model"), {}),
            (Section("What was run", [Table(("A", "B"), ROWS[:8])], deep=True), {}),
        ]
        printing.pdf("T", told)
        pages = _pages(placed)
        assert pages["Appendix"] == pages["A model"] == pages["What was run"] == pages["row 0"], lines


def test_words_that_lead_to_a_table_do_not_stand_alone(placed: list[tuple[int, str]]) -> None:
    for folded in (False, True):
        for lines in range(28, 36):
            placed.clear()
            lead = [Remark("**Attacks**"), Table(("A", "B"), ROWS[:9])]
            told: Told = [(Section("All", [*_filled(lines).blocks, *([Folded("x", lead)] if folded else lead)]), {})]
            printing.pdf("T", told)
            pages = _pages(placed)
            assert pages["Attacks"] == pages["row 0"], lines


def test_a_last_page_has_more_than_two_lines(placed: list[tuple[int, str]]) -> None:
    for lines in range(30, 40):
        placed.clear()
        printing.pdf("T", [(Section("All", [f"line {at}" for at in range(lines)]), {})])
        pages = [page for said, page in _pages(placed).items() if said.startswith("line")]
        on_last = [page for page in pages if page == max(pages)]
        assert len(on_last) > 2, lines


def test_chapters_are_an_outline_that_opens_their_pages() -> None:
    told: Told = [(_filled(60), {}), (Section("Ends with ε"), {}), (Section("Deep", ["x"], deep=True), {})]
    made = printing.pdf("T", told)
    titles = [bytes.fromhex(one.decode()).decode("utf-16") for one in re.findall(rb"/Title <([0-9a-f]+)>", made)]
    assert titles == ["Before", "Ends with ε"]
    kids = print_outline._KIDS.search(made)
    assert kids is not None
    pages = re.findall(rb"(\d+) 0 R", kids[1])
    places = re.findall(rb"/Dest \[(\d+) 0 R /Fit\]", made)
    assert [pages.index(one) for one in places] == [0, 1]
    table = int(re.findall(rb"startxref\s+(\d+)", made)[-1])
    assert made[table:].startswith(b"xref\n"), "the last table of objects is where the file says"
    for name, at in re.findall(rb"(\d+) 1\n(\d{10}) 00000 n", made[table:]):
        assert made[int(at) :].startswith(name + b" 0 obj")
    assert made == printing.pdf("T", told)
    with pytest.raises(ValueError, match="PDF"):
        print_outline.outlined(b"%PDF-1.4 nothing", [("A", 1)])


def test_a_stop_behind_bold_words_stands_on_their_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: dict[str, float] = {}
    put = printing._Paper.text

    def seen(self: printing._Paper, x: float, y: float, said: str, *rest: float, **looks: Any) -> None:
        lines[said] = y
        put(self, x, y, said, *rest, **looks)

    monkeypatch.setattr(printing._Paper, "text", seen)
    for start in ("", "l"):
        for words in range(71, 76):
            lines.clear()
            printing.pdf("T", [(Section("All", [Remark(f"{start}{'i ' * words}it **protects nobody**. Then")]), {})])
            assert lines["."] == lines["nobody"], (start, words)
