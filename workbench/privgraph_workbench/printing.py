"""A report as a PDF: words, tables and pictures one below the other on pages of A4."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from itertools import zip_longest
from typing import Any

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.blocks import (
    Block,
    Code,
    Draw,
    Folded,
    Picture,
    Remark,
    Small,
    Table,
    Told,
    Warned,
    around,
    contents,
    drawn,
    parts_of,
    spans_of,
    unmarked,
)
from privgraph_workbench.figures.export import drawing
from privgraph_workbench.print_lines import printable, settings, whole, width_of, within
from privgraph_workbench.theme import theme

WIDTH, HEIGHT, MARGIN = 595.3, 841.9, 54.0
"""Of a page, in points."""
SANS, MONO = "DejaVu Sans", "DejaVu Sans Mono"
SIZE, CELL, SMALL, LEADING = 9.0, 8.2, 7.5, 1.5
"""Of words, of tables and of code in points; from line to line in sizes."""
TITLE, PART, DEEP = 19.0, 14.0, 10.5
GAP, CELL_GAP = 7.0, 10.0
"""Between two blocks, and between two columns of a table."""
WITH_NEXT = 90.0
"""What has to fit below a heading: none stands alone at the end of a page."""
SMALLEST = 0.6
"""A picture gives way so far, where it fits on a page that way together with what stands below it."""
FULL = HEIGHT - 2 * MARGIN
"""Of a page, what is written on."""
WHOLE = FULL / 4
"""A table that is no higher is not divided."""
TOGETHER = 5
"""Lines of a paragraph or point that are not divided."""


def pdf(title: str, sections: Told, draw: Draw = drawn, author: str = "") -> bytes:
    """The sections below that title; where some are chapters, with a list of contents."""
    # matplotlib takes as long to import as a page to draw: only who takes a report away waits for it
    from matplotlib.backends.backend_pdf import PdfPages

    written = io.BytesIO()
    about = {"Title": title, "Creator": f"privgraph {version('privgraph')}", "CreationDate": None}
    about |= {"Author": author} if author else {}
    pixels: dict[int, Any] = {}
    with drawing():
        begins = _lay(_Paper(title, lambda _: None, draw, pixels), sections, [0] * len(sections))
        with PdfPages(written, metadata=about) as pages:
            _lay(_Paper(title, pages.savefig, draw, pixels), sections, begins)
    return written.getvalue()


def _lay(paper: _Paper, sections: Told, begins: Sequence[int]) -> list[int]:
    """Put all on the paper; the page on which each section begins, which the contents tell by `begins`."""
    found = []
    paper.heading(paper.title, TITLE)
    if len(entries := contents(sections)) > 1:
        paper.contents([(title, begins[place]) for place, title in entries])
    opening = [sum(paper.least(one, said) for one in _opening(section.blocks)) for section, said in sections]
    for place, (section, statements) in enumerate(sections):
        below = opening[place]
        if not section.blocks:  # a chapter of its own, with the heading and the beginning of its first part
            below = PART + sum(opening[place + 1 : place + 2])
        paper.heading(section.title, DEEP if section.deep else PART, below)
        found.append(paper.number)
        for block in section.blocks:
            paper.put(block, statements)
    paper.end()
    return found


def _opening(blocks: Sequence[Block]) -> Sequence[Block]:
    """What stands on one page with its heading: words, and the picture or table that they lead to."""
    end = next((place for place, one in enumerate(blocks[:3]) if isinstance(one, Picture | Table)), 0)
    return blocks[: end + 1]


class _Paper:
    """Pages that are filled from above; `y` is how far down, in points from the upper edge."""

    def __init__(
        self, title: str, keep: Callable[[Any], None], draw: Draw = drawn, pixels: dict[int, Any] | None = None
    ) -> None:
        self.title, self.keep, self.draw = title, keep, draw
        self.pixels = {} if pixels is None else pixels
        self.colours = theme("light")
        self.letters: dict[tuple[str, bool], dict[str, float]] = {}
        self.number = 0
        self.begin()

    def begin(self) -> None:
        from matplotlib.figure import Figure

        self.page = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
        self.y, self.number = MARGIN, self.number + 1

    def end(self) -> None:
        foot = HEIGHT - MARGIN / 2
        title = self.lines(self.title, SMALL, WIDTH - 2 * MARGIN - 40)[0]
        self.text(MARGIN, foot, title, SMALL, colour=self.colours.muted)
        self.text(WIDTH - MARGIN - 12, foot, str(self.number), SMALL, colour=self.colours.muted)
        self.keep(self.page)

    def room(self, needed: float) -> None:
        """A new page, where so much does not fit on this one."""
        if self.y + needed > HEIGHT - MARGIN and self.y > MARGIN:
            self.end()
            self.begin()

    def text(
        self, x: float, y: float, said: str, size: float, *, bold: bool = False, mono: bool = False, colour: str = ""
    ) -> None:
        self.page.text(
            x / WIDTH,
            1 - y / HEIGHT,
            printable(said, MONO if mono else SANS, bold=bold),
            fontsize=size,
            family=MONO if mono else SANS,
            weight="bold" if bold else "normal",
            color=colour or self.colours.text,
            va="baseline",
            parse_math=False,
        )

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        from matplotlib.patches import Rectangle

        corner = (x / WIDTH, 1 - (y + height) / HEIGHT)
        self.page.add_artist(Rectangle(corner, width / WIDTH, height / HEIGHT, facecolor=colour, linewidth=0, zorder=0))

    def measure(self, said: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
        """How wide a line is, in points: the sum of its letters."""
        known = self.letters.setdefault((MONO if mono else SANS, bold), {})
        for letter in set(said) - known.keys():
            known[letter] = width_of(letter, MONO if mono else SANS, bold=bold)
        return sum(known[letter] for letter in said) * size

    def lines(self, said: str, size: float, width: float, *, bold: bool = False, mono: bool = False) -> list[str]:
        """The words in lines of that width; a word that is longer than a line is broken."""
        found, line = [], ""
        for word in whole(said).split(" "):
            longer = f"{line} {word}" if line else word
            if self.measure(longer, size, bold=bold, mono=mono) <= width:
                line = longer
                continue
            if line:
                found.append(line)
            while self.measure(word, size, bold=bold, mono=mono) > width:
                cut = next(
                    end for end in range(len(word) - 1, 0, -1)
                    if end == 1 or self.measure(word[:end], size, bold=bold, mono=mono) <= width
                )  # fmt: skip
                found.append(word[:cut])
                word = word[cut:]
            line = word
        return [*found, line]

    def heading(self, said: str, size: float, below: float = 0.0) -> None:
        """On one page with what is below it: so high at least."""
        self.room(size + max(below + 2 * size, WITH_NEXT))
        self.y += size * (0.9 if self.y > MARGIN else 0.2)
        for line in self.lines(said, size, WIDTH - 2 * MARGIN, bold=True):
            self.y += size
            self.text(MARGIN, self.y, line, size, bold=True)
            self.y += size * 0.3
        self.y += 4

    def contents(self, entries: Sequence[tuple[str, int]]) -> None:
        """Titles, each with its page at the right edge."""
        step = SIZE * LEADING
        self.heading("Contents", DEEP)
        for title, page in entries:
            self.room(2 * step)
            first, *more = self.lines(title, SIZE, WIDTH - 2 * MARGIN - 40)
            self.text(MARGIN, self.y + SIZE, first, SIZE)
            self.text(WIDTH - MARGIN - 18, self.y + SIZE, str(page), SIZE)
            self.y += step
            for line in more:
                self.text(MARGIN, self.y + SIZE, line, SIZE)
                self.y += step
        self.y += GAP

    def words(self, said: str, *, indent: float = 0, point: bool = False, colour: str = "", size: float = SIZE) -> None:
        step = size * LEADING
        lines = self.lines(said, size, WIDTH - 2 * MARGIN - indent)
        self.room(step * min(len(lines), TOGETHER))
        for place, line in enumerate(lines):
            self.room(step)
            if point and not place:
                self.text(MARGIN + indent - 9, self.y + size, "•", size)
            self.text(MARGIN + indent, self.y + size, line, size, colour=colour)
            self.y += step

    def spans(self, said: Sequence[tuple[str, bool]], *, point: bool) -> None:
        """Words of which some are bold, in lines as wide as the page."""
        left, step, space = MARGIN + (12 if point else 0), SIZE * LEADING, self.measure(" ", SIZE)
        plain = "".join(text for text, _ in said)
        self.room(step * min(len(self.lines(plain, SIZE, WIDTH - MARGIN - left)), TOGETHER))
        if point:
            self.text(left - 9, self.y + SIZE, "•", SIZE)
        x, glued = left, True
        for text, bold in said:
            for word in re.findall(r"[ \n\t]+|[^ \n\t]+", whole(text)):
                if word.isspace():
                    glued = False
                    continue
                for piece in self.lines(word, SIZE, WIDTH - MARGIN - left, bold=bold):
                    wide = self.measure(piece, SIZE, bold=bold)
                    x += 0 if glued or x == left else space
                    if x > left and x + wide > WIDTH - MARGIN:
                        x, self.y = left, self.y + step
                        self.room(step)
                    self.text(x, self.y + SIZE, piece, SIZE, bold=bold)
                    x, glued = x + wide, True
        self.y += step

    def put(self, block: Block, statements: Mapping[str, PrivacyStatement]) -> None:
        if isinstance(block, Table):
            self.table(block)
        elif isinstance(block, Picture):
            self.picture(block, statements)
        elif isinstance(block, Code):
            self.code(block)
        elif isinstance(block, Warned):
            self.warning(block)
        elif isinstance(block, Folded):  # paper folds nothing
            for one in block.blocks:
                self.put(one, statements)
            return
        elif isinstance(block, Small):
            self.words(block.text, size=SMALL, colour=self.colours.muted)
        elif isinstance(block, Remark):
            parts = parts_of(block.text)
            for part, after in zip_longest(parts, parts[1:]):
                if isinstance(part, str) and after is not None:  # what leads to a list or table stands above it
                    first = after[:1] if isinstance(after, list) else after
                    self.room(self.tall(part) + GAP + min(self.tall(first), WHOLE))
                if isinstance(part, Table):
                    self.put(part, {})
                    continue
                for one in part if isinstance(part, list) else [part]:
                    self.spans(spans_of(one), point=isinstance(part, list))
                self.y += GAP
            return
        elif isinstance(block, list):
            for one in block:
                self.words(one, indent=12, point=True)
        else:
            self.words(block)
        self.y += GAP

    def warning(self, block: Warned) -> None:
        """In a box, its title in bold above it."""
        width = WIDTH - 2 * MARGIN - 20
        above = self.lines(f"{block.title}.", SIZE, width, bold=True)
        self.boxed([*above, *self.lines(block.text, SIZE, width)], SIZE, bar=True, bold=len(above))

    def boxed(self, lines: Sequence[str], size: float, *, bar: bool = False, mono: bool = False, bold: int = 0) -> None:
        """Lines on a ground of their own, the first `bold` of them; in the colour of warnings at their side
        where `bar`."""
        step = size * LEADING
        if len(lines) * step < HEIGHT / 3:
            self.room(len(lines) * step + 8)
        for place, line in enumerate(lines):
            self.room(step)
            self.box(MARGIN, self.y, WIDTH - 2 * MARGIN, step + 0.4, self.colours.surface)
            if bar:
                self.box(MARGIN, self.y, 3, step + 0.4, self.colours.warning)
            self.text(MARGIN + 10, self.y + size * 1.1, line, size, mono=mono, bold=place < bold)
            self.y += step

    def code(self, block: Code) -> None:
        if block.title:
            told = [*settings(json.loads(block.text))]
            half = math.ceil(len(told) / 2)
            pairs = zip_longest(told[:half], told[half:], fillvalue=("", ""))
            table = Table(("",) * 4, tuple((*first, *second) for first, second in pairs))
            self.room(SIZE * LEADING + self.height(table, {}))
            self.words(f"{block.title}:")
            self.table(table)
            return
        width = WIDTH - 2 * MARGIN - 20
        self.boxed(
            [piece for line in block.text.split("\n") for piece in self.lines(line, SMALL, width, mono=True)],
            SMALL,
            mono=True,
        )

    def height(self, block: Block, statements: Mapping[str, PrivacyStatement]) -> float:
        """How much of a page a picture with the warnings above it, or a table, takes at least where it is not
        divided; 0 for all else. What stands below a picture may go on overleaf: a page that is left half
        empty for it is no easier to read."""
        if isinstance(block, Picture):
            warned, _ = self.beside(block, statements)
            return SMALLEST * self.drawn(block, statements)[2] + warned + GAP
        tall = self.tall(block) if isinstance(block, Table) else 0.0
        return tall if tall <= WHOLE else 0.0

    def least(self, block: Block, statements: Mapping[str, PrivacyStatement]) -> float:
        """How much of it has to stand on the page where it begins."""
        if isinstance(block, Remark):
            first = parts_of(block.text)[:1]
            return sum(self.tall(one) + GAP for one in first if not isinstance(one, Table))
        return self.height(block, statements) or min(self.tall(block), WHOLE)

    def beside(self, block: Picture, statements: Mapping[str, PrivacyStatement]) -> tuple[float, float]:
        """How tall what stands above a picture is, and what stands below it."""
        above, below = around(block, statements)
        warned = sum(len(self.lines(f"⚠ {one}", SIZE, WIDTH - 2 * MARGIN)) for one in above) * SIZE * LEADING
        return warned, sum(self.tall(one) + GAP for one in below)

    def tall(self, part: Block) -> float:
        """How tall a paragraph, a list or a table is."""
        if isinstance(part, Table):
            return sum(self.laid(part)[2])
        indent = 12 if isinstance(part, list) else 0
        told = part if isinstance(part, list) else [part] if isinstance(part, str) else []
        lines = sum(len(self.lines(unmarked(one), SIZE, WIDTH - 2 * MARGIN - indent)) for one in told)
        return lines * SIZE * LEADING

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
                for word in row[at].split(" ")
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
        self.room(self.height(block, {}) or sum(heights[:2]))
        for place, (cells, tall) in enumerate(zip(told, heights, strict=True)):
            page = self.number
            self.room(tall)
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

    def drawn(self, block: Picture, statements: Mapping[str, PrivacyStatement]) -> tuple[Any, float, float]:
        """The picture in pixels, as wide as the page, with its width and height in points."""
        from matplotlib.image import imread

        if id(block) not in self.pixels:
            self.pixels[id(block)] = imread(io.BytesIO(self.draw(block, statements).pixels))
        pixels = self.pixels[id(block)]
        tall, wide = pixels.shape[:2]
        width = min(WIDTH - 2 * MARGIN, (HEIGHT - 2 * MARGIN - WITH_NEXT) * wide / tall)
        return pixels, width, width * tall / wide

    def picture(self, block: Picture, statements: Mapping[str, PrivacyStatement]) -> None:
        """In pixels: as lines it is a file of its own. A little smaller where it fits on the page then.
        Around it what it warns of, and what it states."""
        warned, told = around(block, statements)
        self.room(self.height(block, statements))
        for one in warned:
            self.words(f"⚠ {one}", colour=self.colours.warning)
        pixels, width, height = self.drawn(block, statements)
        under = self.beside(block, statements)[1]
        left = HEIGHT - MARGIN - self.y - GAP
        left -= under if SMALLEST * height + under <= left else 0
        if left < height <= left / SMALLEST:
            width, height = width * left / height, left
        self.room(height)
        corner = (WIDTH - width) / 2 / WIDTH, 1 - (self.y + height) / HEIGHT
        axis = self.page.add_axes((*corner, width / WIDTH, height / HEIGHT))
        axis.imshow(pixels, aspect="auto", interpolation="none")
        axis.set_axis_off()
        self.y += height + GAP
        for block_below in told:
            self.put(block_below, statements)
