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
    """Lines without their tables, and these as `aligned` lines, each below the line that stands in front of
    it and with an empty line after it.

    >>> set_apart(["Note.", "To hide edges:", "ε | Take", "ε 1 | GAP", "In brackets."])
    (['Note.', 'In brackets.'], ['To hide edges:', 'ε    Take', 'ε 1  GAP', ''])
    """
    left, apart = list[str](), list[str]()
    for one in tabled(lines):
        if isinstance(one, str):
            left.append(one)
            continue
        table = aligned(one, widest)
        width = max(LINE, *map(len, table))
        apart += [*(textwrap.wrap(left.pop(), width) if left else ()), *table, ""]
    return left, apart


def as_text(lines: Sequence[str]) -> list[str]:
    """Lines of a text file, each sentence with single spaces, and the tables among them aligned."""
    said = list[str]()
    for one in tabled(lines):
        said += [" ".join(one.split())] if isinstance(one, str) else aligned(one)
    return said
