"""How wide letters are, in which font, and where a line may end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from privgraph_workbench.words.markup import unbroken

SANS, MONO = "DejaVu Sans", "DejaVu Sans Mono"
NO_WIDTH = "\u2060"
"""Keeps Streamlit from reading an address into a text. Figures leave it out, whose font shows it."""
_COMMON = "\u0250"
"""Below it are the letters of Latin alphabets, all of which the font has."""
MISSING = "\u25a1"
"""Stands for a letter that no font has."""


FALLBACKS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR"),
    *("Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback", "PingFang SC"),
    *("Hiragino Sans", "Hiragino Sans GB", "Apple SD Gothic Neo", "Microsoft YaHei", "SimHei", "Yu Gothic"),
    *("MS Gothic", "Malgun Gothic", "Arial Unicode MS", "Noto Sans", "Unifont"),
)
"""Fonts of other alphabets that figures take letters from, where the computer has one of them."""


@lru_cache(maxsize=4)
def installed(families: tuple[str, ...]) -> tuple[str, ...]:
    """Those of these fonts that this computer has."""
    from matplotlib.font_manager import fontManager

    there = {one.name for one in fontManager.ttflist}
    return tuple(one for one in families if one in there)


def family_of(letter: str, family: str, *, bold: bool) -> str:
    """The font that has the letter: that one, else one of `FALLBACKS`; "" where none has it."""
    if letter < _COMMON or _font(family, bold=bold).get_char_index(ord(letter)):
        return family
    return next((one for one in installed(FALLBACKS) if _font(one, bold=bold).get_char_index(ord(letter))), "")


def runs(said: str, family: str, *, bold: bool) -> list[tuple[str, str]]:
    """A text in pieces of one font each, with that font; a box stands for what none has.

    >>> runs("Zoë", SANS, bold=False)
    [('Zoë', 'DejaVu Sans')]
    """
    if all(one < _COMMON for one in said):
        return [(said, family)]
    fonts = ((one, family_of(one, family, bold=bold)) for one in said)
    shown = ((one, font) if font else (MISSING, family) for one, font in fonts)
    return [("".join(one for one, _ in held), font) for font, held in groupby(shown, key=lambda pair: pair[1])]


def width_of(letter: str, family: str, *, bold: bool) -> float:
    """How wide a letter is, in sizes."""
    ((shown, own),) = runs(letter, family, bold=bold)
    font = _font(own, bold=bold)
    font.set_size(100, 72)
    return float(font.load_char(ord(shown)).linearHoriAdvance) / 65536 / 100


def nearer(pair: str, family: str, *, bold: bool) -> float:
    """By how much the second of two letters stands nearer to the first than this one is wide (negative), or
    farther, in sizes; letters of two fonts are put down one by one."""
    from matplotlib import ft2font

    (shown, own), *apart = runs(pair, family, bold=bold)
    if apart:
        return 0.0
    font = _font(own, bold=bold)
    font.set_size(100, 72)
    first, second = (font.get_char_index(ord(one)) for one in shown)
    modes = getattr(ft2font, "Kerning", None)  # before matplotlib 3.10 a number of the module
    mode = getattr(ft2font if modes is None else modes, "KERNING_UNFITTED" if modes is None else "UNFITTED")
    return float(font.get_kerning(first, second, mode)) / 64 / 100


def further(said: str) -> tuple[str, ...]:
    """The fonts that a figure with these words needs beside its own, where this computer has them."""
    if all(one < _COMMON for one in said):
        return ()
    needed = {family_of(one, SANS, bold=False) for one in said if not one.isspace()} - {SANS, ""}
    return tuple(one for one in installed(FALLBACKS) if one in needed)


def _font(family: str, *, bold: bool) -> Any:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return get_font(findfont(FontProperties(family=family, weight=weight_of(family, bold=bold))))


def weight_of(family: str, *, bold: bool) -> str:
    """Fonts of other alphabets are there in one weight."""
    return "bold" if bold and family in (SANS, MONO) else "normal"


def whole(said: str) -> str:
    """With spaces at which no line ends: the number of an epsilon, a delta or an option stands beside it."""
    said = said.replace(NO_WIDTH, "")
    return re.sub(r"[εδ] (?:[=≤] )?(?=\d)", lambda one: one[0].replace(" ", "\u00a0"), unbroken(said))


_RUN = re.compile(r"[a-z][a-z0-9-]*-([0-9a-f]{12})(?![0-9a-f])")
"""The id of a run, and the digest at its end."""
_DIGITS = re.compile(r"\d[\d.,]*(?:e[+-]?\d+)?%?")
"""What no line ends in, where a word that is longer than a line is broken: a number with what closes it."""


def broken_at(word: str, fits: Sequence[int]) -> int:
    """Where a word ends that is longer than a line: of the places that fit, the largest first, at the last of
    its spaces, else at the first in no number; a number that no line holds is whole.

    >>> broken_at("least\u00a00.533,", [9, 8, 7, 6, 5, 4, 3, 2, 1]), broken_at("0.5333", [3, 2, 1])
    (6, 6)
    >>> broken_at("abcdef12", [7, 6, 5]), broken_at("gap-cora-b8ed00c1d2e3", [12, 11, 10, 9, 8])
    (6, 9)
    """
    if run := _RUN.search(word):  # before its digest, which is whole
        parted = [at for at in fits if at == run.start(1)]
        if parted:
            return parted[0]
    spaces = [at for at in fits if word[at - 1] == "\u00a0"]
    apart = [at for at in fits if not any(one.start() < at < one.end() for one in _DIGITS.finditer(word))]
    return (spaces or apart or [_whole_number(word, fits[0])])[0]


def _whole_number(word: str, at: int) -> int:
    return next(one.end() for one in _DIGITS.finditer(word) if one.start() < at < one.end())
