"""A report as a PDF: words, tables and pictures one below the other on pages of A4."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import takewhile, zip_longest
from typing import Any

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench import print_boxes
from privgraph_workbench.blocks import (
    Block,
    Code,
    Draw,
    Folded,
    Picture,
    Remark,
    Section,
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
from privgraph_workbench.figures.chart import NARROW as INCHES
from privgraph_workbench.figures.export import DPI, drawing
from privgraph_workbench.print_lines import settings
from privgraph_workbench.print_outline import outlined
from privgraph_workbench.print_paper import CELL, HEIGHT, LEADING, MARGIN, SIZE, SMALL, WIDTH, Known
from privgraph_workbench.print_table import FULL, LONGEST, MOST_LEFT, WHOLE, TablePaper

TITLE, PART, DEEP = 19.0, 14.0, 10.5
DEEPER, LEAST = (0.0, 4.0, 8.0, 12.0, -12.0, -24.0, -48.0, -72.0), 110.0
"""By how much pages are written on further down, or less far, where a last page would have less on it than
`LEAST`: the first that helps."""
GAP = 7.0
"""Between two blocks."""
WITH_NEXT, HEADED = 90.0, 2.8
"""What has to fit below a heading: none stands alone at the end of a page; how tall one of a line is, in
sizes."""
SMALLEST = 0.65
"""A wide picture gives way so far, where it fits on a page that way together with what stands below it."""
NARROW, LARGE, BESIDE, OVER = 256.0, 420.0, 14.0, 40.0
"""How wide a narrow picture is, and one that was chosen, below which words stand; how far from it the words
beside it stand, and how far these reach below it: what goes on further stands below both."""
NOTE, NOTE_GAP, NOTE_LEADING = 7.2, 4.0, 1.36
"""The letters of what is said of a picture, and between two paragraphs and two lines of it."""


def pdf(title: str, sections: Told, draw: Draw = drawn, author: str = "", *, whom: str = "", under: str = "") -> bytes:
    """The sections below that title and the line `under` it; where some are chapters, with a list of
    contents. `whom` it is for stands on each page."""
    # matplotlib takes as long to import as a page to draw: only who takes a report away waits for it
    from matplotlib.backends.backend_pdf import PdfPages

    written = io.BytesIO()
    about = {"Title": title, "Creator": f"privgraph {version('privgraph')}", "CreationDate": None}
    about |= {"Author": author} if author else {}
    known = Known()
    with drawing():
        tried: dict[float, tuple[list[int], float]] = {}
        for deeper in DEEPER:
            paper = _Paper(title, lambda _: None, draw, known, whom, deeper)
            begins = _lay(paper, sections, [0] * len(sections), under)
            tried[deeper] = begins, LEAST if paper.number == 1 else min(LEAST, paper.y - MARGIN)
            if tried[deeper][1] >= LEAST:
                break
        deeper = max(tried, key=lambda one: tried[one][1])  # of equal ones the first
        begins, _ = tried[deeper]
        with PdfPages(written, metadata=about) as pages:
            _lay(_Paper(title, pages.savefig, draw, known, whom, deeper), sections, begins, under)
    chapters = [(section.title, page) for (section, _), page in zip(sections, begins, strict=True) if not section.deep]
    return outlined(written.getvalue(), chapters)


def _lay(paper: _Paper, sections: Told, begins: Sequence[int], under: str) -> list[int]:
    """Put all on the paper; the page on which each section begins, which the contents tell by `begins`."""
    found = []
    paper.heading(paper.title, TITLE)
    if under:
        paper.put(Small(under), {})
    if said := print_boxes.told([paper.title, *(text for one, _ in sections for text in print_boxes.texts(one))]):
        paper.put(Small(said), {})
    entries = contents(sections)
    opening = _openings(paper, sections)
    for place, (section, statements) in enumerate(sections):
        below, core = opening[place]
        paper.heading(section.title, DEEP if section.deep else PART, below, core)
        found.append(paper.number)
        first = next((one for one in section.blocks[:3] if isinstance(one, Picture | Table)), None)
        for block, after in zip_longest(section.blocks, section.blocks[1:]):
            if isinstance(block, Picture):  # with its settings, in small letters below it
                caption = paper.tall(after) + GAP if isinstance(after, Small) else 0.0
                paper.picture(block, statements, caption, headed=block is first)
            elif block is not None:
                paper.lead(block, after)
                paper.put(block, statements)
        if not place and len(entries) > 1:
            paper.contents([(title, begins[at]) for at, title in entries])
    paper.end()
    return found


def _openings(
    paper: _Paper, sections: Sequence[tuple[Section, Mapping[str, PrivacyStatement]]]
) -> list[tuple[float, float]]:
    """Of each section what stands on one page with its heading (`_below`); of one that is a chapter of its
    own, or the words that lead to one, all that and the beginning of the next."""
    found: list[tuple[float, float]] = []
    for section, said in reversed(sections):
        below, core = _below(paper, section, said)
        if found and not section.deep and all(isinstance(one, str) for one in section.blocks):
            words = sum(paper.tall(one) + GAP for one in section.blocks)
            if words <= WHOLE:
                below, core = (HEADED * PART + words + one for one in found[-1])
        found.append((below, core))
    return found[::-1]


def _below(paper: _Paper, section: Section, statements: Mapping[str, PrivacyStatement]) -> tuple[float, float]:
    """How tall what stands on one page with its heading is: words, and the picture or table that they lead
    to; and without what a picture states below it."""
    blocks = section.blocks
    end = next((place for place, one in enumerate(blocks[:3]) if isinstance(one, Picture | Table)), 0)
    words = sum(paper.least(one, statements) for one in blocks[:end])
    last = blocks[end] if blocks else ""
    if isinstance(last, Table) and (tall := paper.tall(last)) <= LONGEST:
        return words + tall, words + paper.least(last, statements)
    if not isinstance(last, Picture):
        return (words + paper.least(last, statements),) * 2
    caption = blocks[end + 1] if blocks[end + 1 :] else ""
    whole, core = paper.needs(last, statements, paper.tall(caption) + GAP if isinstance(caption, Small) else 0.0)
    return words + whole, words + core


class _Paper(TablePaper):
    """Headings, tables and pictures on pages."""

    def heading(self, said: str, size: float, below: float = 0.0, core: float = 0.0) -> None:
        """On one page with what is below it: so high, or at least the `core` of it."""
        lines = self.lines(said, size, WIDTH - 2 * MARGIN, bold=True)
        own = size * (1.5 + 1.3 * len(lines))
        self.keep_together(own + max(below, WITH_NEXT), own + max(core or below, WITH_NEXT))
        self.y += size * (0.9 if self.y > MARGIN else 0.2)
        for line in lines:
            self.y += size
            self.text(MARGIN, self.y, line, size, bold=True)
            self.y += size * 0.3
        self.y += 4

    def keep_together(self, whole: float, core: float) -> None:
        """A new page, where the `whole` does not fit on this one; but for its `core` alone, where much of the
        page would be left empty."""
        left = self.foot - self.y
        self.room(core if core <= left and left > MOST_LEFT else whole)

    def lead(self, block: Block, after: Block | None) -> None:
        """Words that lead to commands or to a table stand above these: not alone at a page's foot."""
        if isinstance(block, str) and isinstance(after, Code):
            self.room(self.tall(block) + GAP + self.tall(after))
        if isinstance(block, Remark) and isinstance(after, Table):
            words = sum(self.tall(one) + GAP for one in parts_of(block.text) if isinstance(one, str))
            tall = self.tall(after)
            self.room(words + (tall if tall <= WHOLE else sum(self.laid(after)[2][:3])))

    def contents(self, entries: Sequence[tuple[str, int]]) -> None:
        """Titles in two columns, each with its page at the right edge of its column."""
        half, step = math.ceil(len(entries) / 2), CELL * LEADING
        wide = (WIDTH - 2 * MARGIN - 2 * BESIDE) / 2
        told = [(self.lines(title, CELL, wide - 24), str(page)) for title, page in entries]
        pairs = [told[at : at + half + 1 : half] for at in range(half)]
        tall = [step * max(len(lines) for lines, _ in pair) for pair in pairs]
        self.heading("Contents", DEEP, min(sum(tall), FULL / 2))
        for pair, height in zip(pairs, tall, strict=True):
            self.room(height)
            for column, (lines, page) in enumerate(pair):
                left = MARGIN + column * (wide + 2 * BESIDE)
                for place, line in enumerate(lines):
                    self.text(left, self.y + CELL + place * step, line, CELL)
                self.text(left + wide - self.measure(page, CELL), self.y + CELL, page, CELL)
            self.y += height
        self.y += GAP

    def put(self, block: Block, statements: Mapping[str, PrivacyStatement]) -> None:
        if isinstance(block, Table):
            self.table(block)
        elif isinstance(block, Picture):
            self.picture(block, statements)
            return
        elif isinstance(block, Code):
            self.code(block)
        elif isinstance(block, Warned):
            self.warning(block)
        elif isinstance(block, Folded):  # paper folds nothing
            for one, after in zip_longest(block.blocks, block.blocks[1:]):
                if one is not None:
                    self.lead(one, after)
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

    def code(self, block: Code) -> None:
        if block.title:
            told = [*settings(json.loads(block.text))]
            third = math.ceil(len(told) / 3)
            rows = zip_longest(told[:third], told[third : 2 * third], told[2 * third :], fillvalue=("", ""))
            table = Table(("",) * 6, tuple(tuple(cell for pair in row for cell in pair) for row in rows))
            self.room(SIZE * LEADING + min(self.tall(table), WHOLE))
            self.words(f"{block.title}:")
            self.table(table)
            return
        width = WIDTH - 2 * MARGIN - 20
        self.boxed(
            [piece for line in block.text.split("\n") for piece in self.lines(line, SMALL, width, mono=True)],
            SMALL,
            mono=True,
        )

    def needs(
        self, block: Picture, statements: Mapping[str, PrivacyStatement], caption: float = 0.0
    ) -> tuple[float, float]:
        """How tall a picture is with all that stands around it and a `caption` below that, at least; and
        without its tables and the caption."""
        above, under = around(block, statements)
        warned = sum(len(self.lines(f"⚠ {one}", SIZE, WIDTH - 2 * MARGIN)) for one in above) * SIZE * LEADING
        _, width, tall = self.drawn(block, statements)
        beside, further = self.divided(under, tall) if width == NARROW else ([], under)
        core = warned + NOTE_GAP + GAP
        core += max(tall, self.column(beside)) if width == NARROW else SMALLEST * tall
        words = [] if width == NARROW else list(takewhile(lambda one: isinstance(one, str), further))
        return core + self.under(further) + caption, core + self.under(words)

    def under(self, told: Sequence[Block]) -> float:
        """How tall what stands below a picture is."""
        width = WIDTH - 2 * MARGIN
        words = [one for one in told if isinstance(one, str)]
        return self.column(words, width) + sum(self.tall(one) + GAP for one in told if not isinstance(one, str))

    def divided(self, under: Sequence[Block], tall: float) -> tuple[list[str], list[Block]]:
        """What stands beside a narrow picture that is so tall, and what below both."""
        beside: list[str] = []
        for place, one in enumerate(under):
            if not isinstance(one, str) or (beside and self.column([*beside, one]) > tall + OVER):
                return beside, list(under[place:])
            beside.append(one)
        return beside, []

    def column(self, said: Sequence[str], width: float = WIDTH - 2 * MARGIN - NARROW - BESIDE) -> float:
        """How tall words are that stand beside a narrow picture."""
        return sum(len(self.lines(one, NOTE, width)) * NOTE * NOTE_LEADING + NOTE_GAP for one in said)

    def note(self, said: str, indent: float = 0.0) -> None:
        self.words(said, indent=indent, size=NOTE, leading=NOTE_LEADING)
        self.y += NOTE_GAP

    def least(self, block: Block, statements: Mapping[str, PrivacyStatement]) -> float:
        """How much of it has to stand on the page where it begins."""
        if isinstance(block, Remark):
            first = [one[:2] if isinstance(one, list) else one for one in parts_of(block.text)[:1]]
            return sum(self.tall(one) + GAP for one in first if not isinstance(one, Table))
        if isinstance(block, Picture):
            return self.needs(block, statements)[1]
        tall = self.tall(block)
        if isinstance(block, Table) and tall > WHOLE:
            return sum(self.laid(block)[2][:2])
        return min(tall, WHOLE) + GAP

    def tall(self, part: Block) -> float:
        """How tall a paragraph, a list or a table is."""
        if isinstance(part, Table):
            return sum(self.laid(part)[2])
        indent = 12 if isinstance(part, list) else 0
        told = part if isinstance(part, list) else [part] if isinstance(part, str) else []
        if isinstance(part, Code):
            return min(WHOLE, (part.text.count("\n") + 2) * SMALL * LEADING)
        if isinstance(part, Small):
            return len(self.lines(part.text, SMALL, WIDTH - 2 * MARGIN)) * SMALL * LEADING
        lines = sum(len(self.lines(unmarked(one), SIZE, WIDTH - 2 * MARGIN - indent)) for one in told)
        return lines * SIZE * LEADING

    def drawn(self, block: Picture, statements: Mapping[str, PrivacyStatement]) -> tuple[Any, float, float]:
        """The picture in pixels, as wide as the page or narrow, with its width and height in points."""
        from matplotlib.image import imread

        if id(block) not in self.known.pixels:
            self.known.pixels[id(block)] = imread(io.BytesIO(self.draw(block, statements).pixels))
        pixels = self.known.pixels[id(block)]
        tall, wide = pixels.shape[:2]
        if wide <= 1.01 * INCHES * DPI:
            width = LARGE if block.chosen else NARROW
            return pixels, width, width * tall / wide
        width = min(WIDTH - 2 * MARGIN, (HEIGHT - 2 * MARGIN - WITH_NEXT) * wide / tall)
        return pixels, width, width * tall / wide

    def picture(
        self,
        block: Picture,
        statements: Mapping[str, PrivacyStatement],
        caption: float = 0.0,
        *,
        headed: bool = False,
    ) -> None:
        """In pixels: as lines it is a file of its own. Around it what it warns of, and what it states: of a
        narrow one beside it. A wide one is a little smaller where all that fits on the page then; `caption`:
        how tall what is put next is, which belongs to it. `headed`: its heading has kept room for it."""
        warned, told = around(block, statements)
        whole, core = self.needs(block, statements, caption)
        self.keep_together(core if headed else whole, core)
        for one in warned:
            self.words(f"⚠ {one}", colour=self.colours.warning)
        self.y += NOTE_GAP
        pixels, width, height = self.drawn(block, statements)
        if width == NARROW:
            top, (beside, told) = self.y, self.divided(told, height)
            self.image(pixels, MARGIN, width, height)
            for said in beside:
                self.note(said, NARROW + BESIDE)
            self.y = max(self.y, top + height + GAP)
        else:
            under = self.under(told) + caption
            left = self.foot - self.y - GAP
            left -= under if SMALLEST * height + under <= left else 0
            if left < height <= left / SMALLEST:
                width, height = width * left / height, left
            self.room(height)
            self.image(pixels, (WIDTH - width) / 2, width, height)
            self.y += height + GAP
        for below in told:
            if isinstance(below, str):
                self.note(below)
            else:
                self.put(below, statements)

    def image(self, pixels: Any, left: float, width: float, height: float) -> None:
        corner = left / WIDTH, 1 - (self.y + height) / HEIGHT
        axis = self.page.add_axes((*corner, width / WIDTH, height / HEIGHT))
        axis.imshow(pixels, aspect="auto", interpolation="none")
        axis.set_axis_off()
