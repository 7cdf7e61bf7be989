"""Tables on pages: how wide their columns are, and where they are divided."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph_workbench.blocks import Table
from privgraph_workbench.print_lines import whole, within
from privgraph_workbench.print_paper import CELL, HEIGHT, LEADING, MARGIN, WIDTH, Paper

CELL_GAP = 10.0
"""Between two columns."""
FULL = HEIGHT - 2 * MARGIN
"""Of a page, what is written on."""
WHOLE, LONGEST = FULL / 3, 0.9 * FULL
"""A table that is no higher than the first is not divided; one that is no higher than the second, where not
much of a page is left empty for its sake."""
MOST_LEFT = 0.2 * FULL
"""So much of a page is left empty at most for the sake of what a figure states below it."""
LAST_ROWS = 3
"""Of a table that is divided, so many rows at least stand on its last page."""


class TablePaper(Paper):
    """Pages that tables are put on."""

    def laid(self, block: Table) -> tuple[list[float], list[list[list[str]]], list[float]]:
        """The widths of a table's columns, the lines of each cell, and the heights of its rows."""
        rows = [row for row in (block.head, *block.rows) if any(row)]
        bold = [any(block.head) and not place for place in range(len(rows))]
        wide = [
            max(self.measure(row[at], CELL, bold=head) for row, head in zip(rows, bold, strict=True)) + CELL_GAP
            for at in range(len(block.head))
        ]
        words = [
            max(
                self.measure(word, CELL, bold=head)
                for row, head in zip(rows, bold, strict=True)
                for word in whole(row[at]).split(" ")
            )
            + CELL_GAP
            for at in range(len(block.head))
        ]
        wide = within(wide, words, WIDTH - 2 * MARGIN)
        told = [
            [self.lines(cell, CELL, width - CELL_GAP + 0.1, bold=head) for cell, width in zip(row, wide, strict=True)]
            for row, head in zip(rows, bold, strict=True)
        ]
        return wide, told, [max(map(len, cells)) * CELL * LEADING + 4 for cells in told]

    def table(self, block: Table) -> None:
        wide, told, heights = self.laid(block)
        named = any(block.head)
        together = sum(heights)
        left = self.foot - self.y
        moved = together <= LONGEST and left <= MOST_LEFT  # not much is left empty for its sake
        self.room(together if together <= WHOLE or moved else sum(heights[:2]))
        for place, (cells, tall) in enumerate(zip(told, heights, strict=True)):
            page = self.number
            last = place == len(heights) - LAST_ROWS and place > 1  # none of them stands alone overleaf
            self.room(sum(heights[place:]) if last else tall)
            if named and place and self.number > page:  # what the columns are is said on each page
                self.row(told[0], wide, heights[0], bold=True)
            self.row(cells, wide, tall, bold=named and not place)

    def row(self, cells: Sequence[Sequence[str]], wide: Sequence[float], tall: float, *, bold: bool) -> None:
        """A row of a table, with a line below it."""
        x = MARGIN
        for lines, width in zip(cells, wide, strict=True):
            for at, line in enumerate(lines):
                self.text(x, self.y + CELL * (1 + at * LEADING), line, CELL, bold=bold)
            x += width
        self.y += tall
        self.box(MARGIN, self.y - 3, sum(wide), 0.5, self.colours.grid)
