"""Colours, dashes, markers and fonts, light and dark: one table for the page, its figures and their exports.

The hues are close to those of Okabe and Ito (2008), moved until every line stands out from its background by
3:1 and every text by 4.5:1 (WCAG 2.2, 1.4.11 and 1.4.3), and any two lines stay apart for people who lack one
of the three kinds of cones. Colour is never the only channel: a slot also chooses a dash and a marker. The
three epsilons have a colour and a mark each (`EPSILONS`), which no slot shares.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from privgraph.options import nearest

FONT = "Source Sans, Source Sans Pro, DejaVu Sans, Helvetica, Arial, sans-serif"
FONT_SIZE = 14

Epsilon = Literal["sound", "published", "audited"]


@dataclass(frozen=True, kw_only=True)
class Theme:
    """A background and what is drawn on it; `lines` are the series colours by slot, all as #rrggbb. Those of
    the three epsilons can be read as text too."""

    name: str
    background: str
    surface: str
    text: str
    muted: str
    grid: str
    warning: str
    sound: str
    published: str
    audited: str
    lines: tuple[str, ...]


_LOOKS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
THEMES = {name: Theme(name=name, **look | {"lines": tuple(look["lines"])}) for name, look in _LOOKS["themes"].items()}
LIGHT, DARK = THEMES["light"], THEMES["dark"]

NEUTRAL = 6
"""The slot of what is there to compare with, and belongs to no group: it is grey."""
FILES: Mapping[str, Any] = _LOOKS["files"]
"""Fonts of pictures in files, the first and those of other alphabets, and their markers by symbol."""
SLOTS: Mapping[str, int] = _LOOKS["slots"]
"""The slot of each method."""

# By slot, in plotly's words; bars are hatched with patterns.
DASHES = ("solid", "4px,2px", "8px,3px,2px,3px", "15px,3px,2px,3px", "5px,2px,1px,2px", "10px,3px")
MARKERS = ("square", "triangle-down", "cross", "x", "star", "pentagon", "octagon", "hexagon")
PATTERNS = ("", "x", "-", ".", "+", "|")


@dataclass(frozen=True, kw_only=True)
class Mark:
    """How one of the three epsilons is told apart without its colour: symbol, dash and hatching in plotly's
    words, the same symbol as a letter, and the name under which Streamlit has its colour
    (serving/.streamlit/config.toml)."""

    title: str
    symbol: str
    hollow: bool
    dash: str
    pattern: str
    glyph: str
    ink: str

    @property
    def label(self) -> str:
        """The title behind its mark, as Markdown of Streamlit."""
        return f":{self.ink}[{self.glyph}] {self.title}"


EPSILONS: Mapping[Epsilon, Mark] = {kind: Mark(**_LOOKS["epsilons"][kind]) for kind in get_args(Epsilon)}


def theme(name: str) -> Theme:
    """The theme of that name. Raises `ValueError` for another name."""
    if name not in THEMES:
        raise ValueError(f"theme must be one of {', '.join(THEMES)} (got {name}){nearest(name, THEMES)}")
    return THEMES[name]
