"""The rows of the page Report, as tests read them."""

from __future__ import annotations

import re

from streamlit.testing.v1 import AppTest

_BAR = re.compile(r"\*\*((?:Example: )?\d+ (figure|run|setting)s?[ ,]|It is ready)")
_ROW = re.compile(r"\*\*(.+)\*\*(?: :gray-badge\[.+\])?")


def listed(app: AppTest) -> list[str]:
    """The titles of the rows, in order; those of figures begin with their number."""
    found = [_ROW.fullmatch(one.value) for one in app.markdown if not _BAR.match(one.value)]
    return [one[1] for one in found if one]


def empty(app: AppTest) -> bool:
    """Whether nothing is kept."""
    return any("Nothing is kept yet" in one.value for one in app.markdown)
