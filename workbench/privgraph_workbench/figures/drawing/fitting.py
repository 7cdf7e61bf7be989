"""Words of a picture in lines that fit on it: by the widths of their letters, for a count of letters cuts off
what has many wide ones."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from privgraph_workbench.figures.drawing.letters import SANS, broken_at, nearer, whole, width_of

ROOM = 0.98
"""Of a width, what is filled: each program that shows a picture rounds letters in its own way."""

_width = lru_cache(maxsize=4096)(width_of)
_nearer = lru_cache(maxsize=16384)(nearer)


def measured(said: str, size: float, *, bold: bool = False) -> float:
    """How wide a line is in letters of that size, in points."""
    letters = sum(_width(letter, SANS, bold=bold) for letter in said)
    return size * (letters + sum(_nearer(first + second, SANS, bold=bold) for first, second in pairwise(said)))


def lines(said: str, size: float, inches: float, *, bold: bool = False) -> list[str]:
    """Words in lines that are no wider than so many inches; a word that is longer than a line is broken, and
    no line ends between an ε and its number."""
    room, found, line = 72 * ROOM * inches, list[str](), ""
    for word in whole(said).split():
        longer = f"{line} {word}" if line else word
        if measured(longer, size, bold=bold) <= room:
            line = longer
            continue
        found += [line] * bool(line)
        while measured(word, size, bold=bold) > room and len(word) > 1:
            ends = range(len(word) - 1, 0, -1)
            cut = broken_at(word, [end for end in ends if end == 1 or measured(word[:end], size, bold=bold) <= room])
            if cut == len(word):  # a number is whole
                break
            found.append(word[:cut])
            word = word[cut:]
        line = word
    return [one.replace("\u00a0", " ") for one in [*found, *[line] * bool(line)]]
