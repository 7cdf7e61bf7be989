"""Pages of A4 that are filled from above: words, boxes and lines, each where the one before it ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from privgraph_workbench.blocks import Draw, drawn
from privgraph_workbench.print_lines import MONO, SANS, broken_at, nearer, runs, weight_of, whole, width_of
from privgraph_workbench.theme import theme

WIDTH, HEIGHT, MARGIN = 595.3, 841.9, 54.0
"""Of a page, in points."""
SIZE, CELL, SMALL, LEADING = 9.0, 8.2, 7.5, 1.5
"""Of words, of tables and of code in points; from line to line in sizes."""
QUOTES = "“”‘’"
TOGETHER = 5
"""Lines of a paragraph or point that are not divided."""


def _apart(pair: str) -> bool:
    """Whether these letters are put down one by one: matplotlib writes a quotation mark and the letter beside
    it by two alphabets, and moves them together twice."""
    return (pair[0] in QUOTES) != (pair[1] in QUOTES)


def _pieces(said: str) -> list[str]:
    """A line in pieces that are put down one by one.

    >>> _pieces("see “All” now"), _pieces("")
    (['see ', '“', 'All', '”', ' now'], [''])
    """
    return [one for one in re.split(f"([{QUOTES}]+)", said) if one] or [said]


@dataclass
class Known:
    """What was measured: pictures by their blocks, letters and pairs of them by fonts, words by their looks,
    and the lines that they make. A print is laid twice, and measured once."""

    pixels: dict[int, Any] = field(default_factory=dict)
    letters: dict[tuple[str, bool], dict[str, float]] = field(default_factory=dict)
    wide: dict[tuple[str, float, bool, bool], float] = field(default_factory=dict)
    lines: dict[tuple[str, float, float, bool, bool], list[str]] = field(default_factory=dict)


class Paper:
    """Pages that are filled from above; `y` is how far down, in points from the upper edge, `foot` how far
    they are written on, `deeper` than `MARGIN` leaves."""

    def __init__(
        self,
        title: str,
        keep: Callable[[Any], None],
        draw: Draw = drawn,
        known: Known | None = None,
        whom: str = "",
        deeper: float = 0.0,
    ) -> None:
        self.foot = HEIGHT - MARGIN + deeper
        self.title, self.keep, self.draw, self.whom = title, keep, draw, whom
        self.known = Known() if known is None else known
        self.colours = theme("light")
        self.number = 0
        self.begin()

    def begin(self) -> None:
        from matplotlib.figure import Figure

        self.page = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
        self.y, self.number = MARGIN, self.number + 1

    def end(self) -> None:
        foot = HEIGHT - MARGIN / 2
        whom = f" · {self.whom}" if self.whom else ""
        room = WIDTH - 2 * MARGIN - 40 - self.measure(whom, SMALL)
        self.text(MARGIN, foot, self.lines(self.title, SMALL, room)[0] + whom, SMALL, colour=self.colours.muted)
        self.text(WIDTH - MARGIN - 12, foot, str(self.number), SMALL, colour=self.colours.muted)
        self.keep(self.page)

    def room(self, needed: float) -> None:
        """A new page, where so much does not fit on this one."""
        if self.y + needed > self.foot and self.y > MARGIN:
            self.end()
            self.begin()

    def text(
        self, x: float, y: float, said: str, size: float, *, bold: bool = False, mono: bool = False, colour: str = ""
    ) -> None:
        family = MONO if mono else SANS
        for piece in _pieces(said):
            for part, font in runs(piece, family, bold=bold):
                self.page.text(
                    x / WIDTH,
                    1 - y / HEIGHT,
                    part,
                    fontsize=size,
                    family=font,
                    weight=weight_of(font, bold=bold),
                    color=colour or self.colours.text,
                    va="baseline",
                    parse_math=False,
                )
                x += self.measure(part, size, bold=bold, mono=mono)

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        from matplotlib.patches import Rectangle

        corner = (x / WIDTH, 1 - (y + height) / HEIGHT)
        self.page.add_artist(Rectangle(corner, width / WIDTH, height / HEIGHT, facecolor=colour, linewidth=0, zorder=0))

    def measure(self, said: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
        """How wide a line is as it is drawn, in points: its letters, but for what they move together."""
        key = said, size, bold, mono
        if key not in self.known.wide:
            self.known.wide[key] = self._measured(said, size, bold=bold, mono=mono)
        return self.known.wide[key]

    def _measured(self, said: str, size: float, *, bold: bool, mono: bool) -> float:
        known = self.known.letters.setdefault((MONO if mono else SANS, bold), {})
        for letter in set(said) - known.keys():
            known[letter] = width_of(letter, MONO if mono else SANS, bold=bold)
        pairs = [first + second for first, second in pairwise(said)]
        for pair in set(pairs) - known.keys():
            known[pair] = 0.0 if _apart(pair) else nearer(pair, MONO if mono else SANS, bold=bold)
        return (sum(known[letter] for letter in said) + sum(known[pair] for pair in pairs)) * size

    def lines(self, said: str, size: float, width: float, *, bold: bool = False, mono: bool = False) -> list[str]:
        """The words in lines of that width; a word that is longer than a line is broken."""
        key = said, size, width, bold, mono
        if key not in self.known.lines:
            self.known.lines[key] = self._lined(said, size, width, bold=bold, mono=mono)
        return list(self.known.lines[key])

    def _lined(self, said: str, size: float, width: float, *, bold: bool, mono: bool) -> list[str]:
        found, line = [], ""
        for word in whole(said).split(" "):
            longer = f"{line} {word}" if line else word
            if self._measured(longer, size, bold=bold, mono=mono) <= width:
                line = longer
                continue
            if line:
                found.append(line)
            while self._measured(word, size, bold=bold, mono=mono) > width:
                fits = [
                    end for end in range(len(word) - 1, 0, -1)
                    if end == 1 or self._measured(word[:end], size, bold=bold, mono=mono) <= width
                ]  # fmt: skip
                cut = broken_at(word, fits)
                if cut == len(word):  # a number, which is whole though its column is narrow
                    break
                found.append(word[:cut])
                word = word[cut:]
            line = word
        return [*found, line]

    def words(
        self,
        said: str,
        *,
        indent: float = 0,
        point: bool = False,
        colour: str = "",
        size: float = SIZE,
        leading: float = LEADING,
    ) -> None:
        step = size * leading
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
        words: list[tuple[str, bool, bool]] = []  # each with whether it is bold, and hangs on the one before
        for text, bold in said:
            for word in re.findall(r"[ \n\t]+|[^ \n\t]+", whole(text)):
                if word.isspace():
                    glued = False
                    continue
                pieces = self.lines(word, SIZE, WIDTH - MARGIN - left, bold=bold)
                words += [(piece, bold, glued if not place else True) for place, piece in enumerate(pieces)]
                glued = True
        tails = [0.0] * (len(words) + 1)  # how wide what hangs on each is
        for place in reversed(range(1, len(words))):
            piece, bold, hangs = words[place]
            tails[place - 1] = (self.measure(piece, SIZE, bold=bold) + tails[place]) if hangs else 0.0
        for (piece, bold, hangs), tail in zip(words, tails, strict=False):
            wide = self.measure(piece, SIZE, bold=bold)
            x += 0 if hangs or x == left else space
            if x > left and (x + wide > WIDTH - MARGIN or (not hangs and x + wide + tail > WIDTH - MARGIN)):
                x, self.y = left, self.y + step
                self.room(step)
            self.text(x, self.y + SIZE, piece, SIZE, bold=bold)
            x += wide
        self.y += step

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
