"""Words of a picture in lines that fit on it, by the widths of their letters, and fonts of all alphabets."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from privgraph_workbench.words.markup import unbroken

SANS = "DejaVu Sans"
ROOM = 0.98
"""Of a width, what is filled: each program that shows a picture rounds letters in its own way."""
FALLBACKS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR"),
    *("WenQuanYi Zen Hei", "Droid Sans Fallback", "PingFang SC", "Hiragino Sans", "Apple SD Gothic Neo"),
    *("Microsoft YaHei", "SimHei", "Yu Gothic", "Malgun Gothic", "Arial Unicode MS", "Noto Sans", "Unifont"),
)
"""Fonts of other alphabets that pictures take letters from, where the computer has one of them."""
_COMMON = "\u0250"
"""Below it are the letters of Latin alphabets, all of which the font has."""


@lru_cache(maxsize=1)
def installed() -> tuple[str, ...]:
    """Those of `FALLBACKS` that this computer has."""
    from matplotlib.font_manager import fontManager

    there = {one.name for one in fontManager.ttflist}
    return tuple(one for one in FALLBACKS if one in there)


def families(said: str) -> list[str]:
    """The fonts that a picture with these words needs, the first first."""
    return [SANS, *(installed() if any(one >= _COMMON for one in said) else ())]


@lru_cache(maxsize=64)
def _font(bold: bool, fonts: tuple[str, ...]) -> Any:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    weight = "bold" if bold else "normal"
    return get_font([findfont(FontProperties(family=one, weight=weight)) for one in fonts])


@lru_cache(maxsize=4096)
def measured(said: str, size: float, *, bold: bool = False) -> float:
    """How wide a line is in letters of that size, in points."""
    from matplotlib import ft2font

    found: Any = ft2font
    flags = getattr(found, "LoadFlags", None)  # before matplotlib 3.10 a number of the module
    font = _font(bold, tuple(families(said)))
    font.set_size(100, 72)  # it is shared with whatever draws
    font.set_text(said, 0.0, flags=flags.NO_HINTING if flags else found.LOAD_NO_HINTING)
    return float(font.get_width_height()[0]) / 64 / 100 * size


def lines(said: str, size: float, inches: float, *, bold: bool = False) -> list[str]:
    """Words in lines that are no wider than so many inches; a word that is longer than a line is broken, and
    no line ends between an ε and its number."""
    room, found, line = 72 * ROOM * inches, list[str](), ""
    whole = re.sub(r"[εδ] (?:[=≤] )?(?=\d)", lambda one: one[0].replace(" ", "\u00a0"), unbroken(said))
    for word in whole.split(" "):
        longer = f"{line} {word}" if line else word
        if measured(longer, size, bold=bold) <= room:
            line = longer
            continue
        found += [line] * bool(line)
        while measured(word, size, bold=bold) > room and len(word) > 1:
            cut = next(
                end for end in range(len(word) - 1, 0, -1) if measured(word[:end], size, bold=bold) <= room or end == 1
            )
            found.append(word[:cut])
            word = word[cut:]
        line = word
    return [one.replace("\u00a0", " ") for one in [*found, *[line] * bool(line)]]
