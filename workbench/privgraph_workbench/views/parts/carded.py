"""A small table of words that is a card for each of its groups of rows where the page is as narrow as a
telephone."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import escape

import streamlit as st

Group = Sequence[Sequence[str]]
"""Rows under one heading, the first cell of the first. Later rows are shorter by the cells that are common to
the group: its heading, and whatever the first row has more. The second line of a cell, as of a verdict its
reasons, is small and stands below its row as wide as the table, for columns are narrow."""
SHORT = 24
"""Letters that stand in one line, but where a colon parts them."""
MARK = "▸"
"""With what the row begins that is told first."""
_INTERVAL = re.compile(r"\(−?\d+ to −?\d+\)")
BOUND = "≤ "
"""What stands with its number in one line, however narrow the column."""
MANY, SHORTER = 6, 12
"""In a table of more columns fewer letters do: its columns are narrow."""
NUMBERS = 7
"""In a table of so many columns numbers with their intervals still stand in one line."""

_STYLE = """<style>
.carded { border-collapse: collapse; width: 100%; font-size: 0.875rem; line-height: 1.35; }
.carded :is(th, td) { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem 0.3rem 0; font-weight: 400; }
.carded thead th { opacity: 0.75; font-size: 0.8rem; }
.carded tbody { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
.carded tbody th { font-weight: 600; white-space: nowrap; }
.carded tbody th small { display: block; font-weight: 400; font-size: 0.8rem; opacity: 0.75; max-width: 14rem;
white-space: normal; }
.carded .first { font-weight: 600; }
.carded .short { white-space: nowrap; }
.carded .marked tr:not(.more) td { font-weight: 600; }
.carded .more td { padding-top: 0; font-size: 0.8rem; opacity: 0.85; }
.carded .of { display: none; }
@media (max-width: 640px) {
.carded, .carded tbody, .carded tr, .carded tbody :is(th, td) { display: block; }
.carded thead { display: none; }
.carded .of { display: inline; }
.carded tbody { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 0.5rem;
padding: 0.5rem 0.75rem; margin-bottom: 0.75rem; }
.carded tbody th { padding: 0 0 0.25rem; font-size: 1rem; white-space: normal; }
.carded tbody th small { max-width: none; }
.carded tbody td { display: grid; grid-template-columns: 6.5rem 1fr; padding: 0.1rem 0; }
.carded tbody .more td { display: block; }
.carded tbody .more td::before { content: none; }
.carded tbody td::before { content: attr(data-label); opacity: 0.75; font-weight: 400; }
.carded tr + tr { margin-top: 0.4rem; }
}
</style>"""


def show(
    head: Sequence[str], groups: Sequence[Group], *, label: str, first: str = "", marked: Collection[int] = ()
) -> None:
    """A table called `label`; the second line of a heading is small. `first`: what the heading of a card
    begins with, where its column says that in a wide table. `marked`: the places of groups to begin with
    `MARK` and be bold, as a row is that has a cell with `MARK` in front."""
    columns = "".join(f'<th role="columnheader" scope="col">{escape(name)}</th>' for name in head)
    bodies = "".join(_body(head, group, first, place in marked) for place, group in enumerate(groups))
    st.html(
        f'{_STYLE}<table class="carded" role="table" aria-label="{escape(label)}"><thead role="rowgroup">'
        f'<tr role="row">{columns}</tr></thead>{bodies}</table>'
    )


def _body(head: Sequence[str], group: Group, first: str, marked: bool) -> str:
    rows = []
    shared = len(group[0]) - len(group[-1]) - 1 if len(group) > 1 else 0  # cells of all the rows, at the end
    lines = len(group) + sum(any("\n" in cell for cell in _own(row, place)) for place, row in enumerate(group))
    span = f' rowspan="{lines}"' if lines > 1 else ""
    for place, row in enumerate(group):
        cells, own = [], _own(row, place)
        told = any(cell.startswith(f"{MARK} ") for cell in own)
        if not place:
            title, _, more = row[0].partition("\n")
            small = f"<small>{escape(more)}</small>" if more else ""
            shown = f'<span class="of">{escape(first)}</span>{escape(title)}' if first else escape(title)
            shown = f"{MARK} {shown}" if marked else shown
            cells.append(f'<th role="rowheader" scope="rowgroup"{span}>{shown}{small}</th>')
        for at, (name, whole) in enumerate(zip(head[1:], own, strict=False)):
            text = whole.partition("\n")[0]
            of_all = not place and shared > 0 and at >= len(own) - shared
            common = span if of_all else ""
            wide = len(head) <= MANY or (len(head) <= NUMBERS and "%" in text)
            short = ": " not in text and len(text) <= (SHORT if wide else SHORTER)
            looks = " ".join(["short"] * short + ["first"] * (told and not of_all))
            cells.append(f'<td role="cell" data-label="{escape(name)}" class="{looks}"{common}>{_kept(text)}</td>')
        rows.append(f'<tr role="row">{"".join(cells)}</tr>')
        if said := "<br>".join(map(_beneath, filter(lambda cell: "\n" in cell, own))):
            rows.append(
                f'<tr role="row" class="more"><td role="cell" colspan="{len(head) - 1 - shared}">{said}</td></tr>'
            )
    looks = ' class="marked"' if marked else ""
    return f'<tbody role="rowgroup"{looks}>{"".join(rows)}</tbody>'


def _own(row: Sequence[str], place: int) -> Sequence[str]:
    """The cells of a row without the heading of its group."""
    return row if place else row[1:]


def _beneath(cell: str) -> str:
    """The second line of a cell, with its first in front, to be read without its column.

    >>> _beneath("tie\\nwith ProGAP & more")
    '<b>Tie</b> with ProGAP &amp; more'
    """
    word, _, more = cell.partition("\n")
    mark = "" if more.startswith(("with ", "from ")) else ":"
    return f"<b>{escape(word[:1].upper() + word[1:])}{mark}</b> {_kept(more)}"


def _kept(text: str) -> str:
    """A cell that may be broken, but for a bound and its number, and an interval of whole numbers.

    >>> _kept("strong: ≤ 73.2% & more"), _kept("0 (−1 to 2)")
    ('strong: ≤&nbsp;73.2% &amp; more', '0 (−1&nbsp;to&nbsp;2)')
    """
    held = escape(text).replace(BOUND, f"{BOUND.strip()}&nbsp;")
    return _INTERVAL.sub(lambda found: found[0].replace(" ", "&nbsp;"), held)
