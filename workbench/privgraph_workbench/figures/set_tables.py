"""Tables among the lines of a figure's files: set as text, their columns stand under each other."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from itertools import groupby

APART = " | "
"""Between the cells of a line."""
WIDEST = 44
"""Letters of a column of a text file; what is longer goes on below."""
NARROWER = 26
"""And of one below a picture, which is narrower."""
BETWEEN = "  "
LINE = 60
"""Letters of a line above a table, which may be narrower."""

Cells = tuple[tuple[str, ...], ...]
"""Rows of a table, its head first."""


def tabled(lines: Iterable[str]) -> list[str | Cells]:
    """Lines below a figure as a page has them: those of a table as its cells, and not as they stand in a
    text.

    >>> tabled(["To hide edges:", "ε | Take", "ε 1 | GAP", "In brackets: intervals."])
    ['To hide edges:', (('ε', 'Take'), ('ε 1', 'GAP')), 'In brackets: intervals.']
    """
    found: list[str | Cells] = []
    for cells, held in groupby(lines, lambda line: line.count(APART)):
        same = list(held)
        if cells and len(same) > 1:
            found.append(tuple(tuple(line.split(APART)) for line in same))
        else:
            found += same
    return found


def aligned(cells: Cells, widest: int = WIDEST) -> list[str]:
    """A table as lines with columns of equal width, none of them wider than so many letters.

    >>> aligned((("ε", "Verdict"), ("ε 1", "tie with GAP (80.0%)")), 10)
    ['ε    Verdict', 'ε 1  tie with', '     GAP', '     (80.0%)']
    """
    rows = [[textwrap.wrap(cell, widest) or [""] for cell in row] for row in cells]
    widths = [max(len(line) for row in rows for line in row[place]) for place in range(len(cells[0]))]
    lines = []
    for row in rows:
        for place in range(max(map(len, row))):
            parts = (cell[place] if place < len(cell) else "" for cell in row)
            lines.append(BETWEEN.join(part.ljust(width) for part, width in zip(parts, widths, strict=True)).rstrip())
    return lines


def set_apart(lines: Iterable[str], widest: int = NARROWER) -> tuple[list[str], list[str]]:
    """Lines in front of the heading of the first table; and it and all after it in their order, for letters
    of one width: tables `aligned`, each directly below its heading, and what is said of them wrapped below.

    >>> set_apart(["Note.", "To hide edges:", "ε | Take", "ε 1 | GAP", "In brackets."])
    (['Note.'], ['To hide edges:', 'ε    Take', 'ε 1  GAP', '', 'In brackets.', ''])
    """
    parts = tabled(lines)
    tables = [place for place, one in enumerate(parts) if not isinstance(one, str)]
    if not tables:
        return [one for one in parts if isinstance(one, str)], []
    shown = {place: aligned(one, widest) for place, one in enumerate(parts) if not isinstance(one, str)}
    width = max(LINE, *(len(line) for held in shown.values() for line in held))
    first, apart = max(0, tables[0] - 1), list[str]()
    for place, one in enumerate(parts[first:], first):
        if place in shown:
            apart += [*shown[place], ""]
        elif isinstance(one, str):
            apart += [""] * (place + 1 in shown and place > first)  # between what is said of one table and the next
            apart += textwrap.wrap(one, width, subsequent_indent="   " * (place + 1 not in shown))
    return [one for one in parts[:first] if isinstance(one, str)], [*apart, *[""] * (apart[-1] != "")]


def as_text(lines: Sequence[str]) -> list[str]:
    """Lines of a text file, each sentence with single spaces, and the tables among them aligned, each with an
    empty line in front of its heading and one after it."""
    said, parts = list[str](), tabled(lines)
    for one, after in zip(parts, [*parts[1:], ""], strict=True):
        if not isinstance(one, str):
            said += [*aligned(one), ""]
            continue
        heads = not isinstance(after, str) and said and said[-1]
        said += [*([""] if heads else []), " ".join(one.split())]
    return said
