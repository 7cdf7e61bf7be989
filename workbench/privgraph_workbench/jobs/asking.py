"""The process that reads texts for the pages: one for each home, started by the first question. No Streamlit.

It belongs to the app and not to a tab, so that all tabs share what it keeps in memory. It ends by itself:
when it is idle, and with the app (`privgraph.runs.asking`).
"""

from __future__ import annotations

from functools import lru_cache

from privgraph.home import home
from privgraph.runs.asking import Asker


def asker() -> Asker:
    """Whom a page asks."""
    return _asker(str(home()))


@lru_cache(maxsize=8)
def _asker(folder: str) -> Asker:
    return Asker()
