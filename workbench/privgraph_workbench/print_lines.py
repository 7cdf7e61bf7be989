"""What a page of print is made of: how wide letters and columns are, which words stay together, settings as
lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from privgraph_workbench.words.markup import unbroken

MISSING = "\u25a1"
"""Stands in print for a letter that the font does not have."""


def width_of(letter: str, family: str, *, bold: bool) -> float:
    """How wide a letter is, in sizes."""
    font = _font(family, bold=bold)
    font.set_size(100, 72)
    shown = letter if font.get_char_index(ord(letter)) else MISSING
    return float(font.load_char(ord(shown)).linearHoriAdvance) / 65536 / 100


def printable(said: str, family: str, *, bold: bool) -> str:
    """The text with a box in place of each letter that the font does not have."""
    font = _font(family, bold=bold)
    return "".join(one if font.get_char_index(ord(one)) else MISSING for one in said)


def _font(family: str, *, bold: bool) -> Any:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return get_font(findfont(FontProperties(family=family, weight="bold" if bold else "normal")))


def whole(said: str) -> str:
    """With spaces at which no line ends: the number of an epsilon, a delta or an option stands beside it."""
    return re.sub(r"[εδ] (?:[=≤] )?(?=\d)", lambda one: one[0].replace(" ", "\u00a0"), unbroken(said))


def within(wide: Sequence[float], least: Sequence[float], room: float) -> list[float]:
    """Widths of columns that fit into `room`: each gives way by the same share of what it has over `least`,
    which holds its longest word, or is an equal part of the room where that is longer.

    >>> within([10, 20], [5, 10], 40), within([30, 60], [10, 20], 60), within([90, 20], [90, 20], 60)
    ([10, 20], [20.0, 40.0], [40.0, 20.0])
    """
    if sum(wide) <= room:
        return list(wide)
    least = [min(one, room / len(least)) for one in least]  # a longer word is broken
    share = (room - sum(least)) / (sum(wide) - sum(least))
    return [few + share * (many - few) for many, few in zip(wide, least, strict=True)]


def settings(told: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """The settings of a run as lines of a table, those of a part of them by its name."""
    for name, value in told.items():
        if isinstance(value, dict):
            yield from settings(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
