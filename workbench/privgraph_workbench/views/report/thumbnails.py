"""Thumbnails of the figures of the list: drawn beside the page, one after another, and then remembered."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import streamlit as st

from privgraph_workbench.figures import thumbnail
from privgraph_workbench.figures.chart import Row

_log = logging.getLogger(__name__)
MOST = 300
"""Thumbnails that are remembered: the latest."""
Key = tuple[str, str]
"""The mark of a figure, and the theme."""


class Thumbnails:
    """What was drawn by now. A figure that cannot be drawn has an empty one: the list has its title, and the
    figure itself says why when somebody looks at it."""

    def __init__(self) -> None:
        self._made: dict[Key, bytes] = {}
        self._waiting: set[Key] = set()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="thumbnails")

    def of(self, key: Key, figure: str, rows: Sequence[Row]) -> bytes | None:
        """The picture; None while it is not drawn yet, and it is begun."""
        with self._lock:
            if key in self._made:
                return self._made[key]
            if key not in self._waiting:
                self._waiting.add(key)
                self._pool.submit(self._draw, key, figure, rows)
        return None

    def lacks(self, keys: Sequence[Key]) -> int:
        """How many of these are still to come."""
        with self._lock:
            return sum(key in self._waiting for key in keys)

    def finish(self) -> None:
        """Wait until all that was begun is drawn."""
        self._pool.submit(lambda: None).result()

    def _draw(self, key: Key, figure: str, rows: Sequence[Row]) -> None:
        try:
            made = thumbnail.png(figure, rows, key[1])
        except Exception:
            # what a thread raises reaches nobody; the list goes on without a picture
            _log.exception("no thumbnail of %s", figure)
            made = b""
        with self._lock:
            self._made[key] = made
            self._waiting.discard(key)
            for old in list(self._made)[:-MOST]:
                del self._made[old]


@st.cache_resource
def drawn() -> Thumbnails:
    """Those of all visitors: a figure looks the same to everybody."""
    return Thumbnails()
