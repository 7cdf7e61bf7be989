"""Runs that somebody watches: what the store says of them and their curves. No Streamlit.

Every page of a run asks each second. The store is asked, and a figure is made, once for all of them.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from threading import RLock
from typing import Any

from privgraph.runs.records import RunRecord, StoredEvent
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.runs import curves

LOOK_EVERY = 0.5
"""Seconds for which what the store said is not asked again."""
DRAW_EVERY = 5.0
"""Seconds after which a figure that grows is made anew; at once where it grows by a tenth."""
LIVE_LIMIT = 300
"""Points of one curve while a run goes on."""


@dataclass
class Watched:
    """A run with all its events; shared by threads, and never changed but by `look`."""

    record: RunRecord
    events: list[StoredEvent] = field(default_factory=list)
    _looked: float = 0.0
    _drawn: dict[str, tuple[Mapping[str, Any], bool, int, float]] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock)

    def look(self, store: RunStore, *, fresh: bool) -> None:
        """Ask the store again, unless it was asked just now. Raises `UnknownRun`."""
        with self._lock:
            if not fresh and time.monotonic() - self._looked < LOOK_EVERY:
                return
            # The record comes first: a run that is over has no events that come later.
            record = store.get(self.record.id)
            if record.created != self.record.created:  # it was deleted and submitted again
                self.events, self._drawn = [], {}
            known = self.events[-1].sequence if self.events else 0
            self.record, self.events = record, self.events + store.events(record.id, after=known)
            self._looked = time.monotonic()

    def figure(self, theme: str) -> Mapping[str, Any]:
        """The curves of the run as plotly's JSON."""
        with self._lock:
            live, now = self.record.pending, time.monotonic()
            drawn, of, count, made = self._drawn.get(theme, ({}, not live, 0, 0.0))
            new = len(self.events) - count
            if of != live or (new and (10 * new > count or now - made > DRAW_EVERY)):
                rows = curves.data(self.events, limit=LIVE_LIMIT if live else curves.LIMIT)
                drawn = json.loads(figure_of("curves").plot(rows, theme).to_json())
                self._drawn[theme] = drawn, live, len(self.events), now
            return drawn


@lru_cache(maxsize=16)
def _watched(store: RunStore, run: str) -> Watched:
    return Watched(store.get(run))


def watch(store: RunStore, run: str, *, fresh: bool = False) -> Watched:
    """The run as it is now, or as it was a moment ago if not `fresh`. Raises `UnknownRun`."""
    watched = _watched(store, run)
    watched.look(store, fresh=fresh)
    return watched
