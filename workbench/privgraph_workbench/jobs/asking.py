"""The process that reads texts for all tabs of the app: one for each home. No Streamlit."""

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
