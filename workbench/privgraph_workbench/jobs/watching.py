"""Runs that somebody watches: what the store says of them and their curves. No Streamlit.

Every page of a run asks each second. The store is asked, and points are turned into a figure, once for all; a
figure that grows is handed out as a whole now and then, and in between as that and what came since.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
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
LEAST_GROWTH = 200
"""A figure is made anew when as many events came since as it was made of, and at least so many."""
MOST_NEW = 100
"""Points of one curve that are handed out beside the figure at most."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure as plotly's JSON with its name, and the points of each curve that came since it was made."""

    base: str
    figure: Mapping[str, Any]
    tail: Mapping[str, curves.Points]


@dataclass
class _Base:
    """A figure of the first `count` events, and of which attempt, stages and curves it is."""

    figure: Mapping[str, Any]
    count: int
    attempt: int
    stages: set[str]
    names: set[str]


@dataclass
class Watched:
    """A run with all its events; shared by threads, and never changed but by `look`."""

    record: RunRecord
    events: list[StoredEvent] = field(default_factory=list)
    _looked: float = 0.0
    _bases: dict[str, _Base] = field(default_factory=dict)
    _drawn: dict[str, tuple[int, Drawing]] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock)

    def look(self, store: RunStore, *, fresh: bool) -> None:
        """Ask the store again, unless it was asked just now. Raises `UnknownRun`."""
        with self._lock:
            if not fresh and time.monotonic() - self._looked < LOOK_EVERY:
                return
            # The record comes first: a run that is over has no events that come later.
            record = store.get(self.record.id)
            if record.created != self.record.created:  # it was deleted and submitted again
                self.events, self._bases, self._drawn = [], {}, {}
            known = self.events[-1].sequence if self.events else 0
            self.record, self.events = record, self.events + store.events(record.id, after=known)
            self._looked = time.monotonic()

    def drawing(self, theme: str) -> Drawing:
        """The curves of the run, the same object for all who ask before the next event."""
        with self._lock:
            count, drawn = len(self.events), self._drawn.get(theme)
            if drawn is None or drawn[0] != count:
                drawn = self._drawn[theme] = (count, self._draw(theme))
            return drawn[1]

    def _draw(self, theme: str) -> Drawing:
        base, tail = self._bases.get(theme), None
        if base is not None and (self.record.pending or base.count == len(self.events)):
            tail = _growth(base, self.events[base.count :])
        if base is None or tail is None:
            base, tail = _base(self.events, theme), {}
            self._bases[theme] = base
        name = f"{self.record.id}.{self.record.created}.{theme}.{base.count}"
        return Drawing(base=name, figure=base.figure, tail=tail)


@lru_cache(maxsize=16)
def _watched(store: RunStore, run: str) -> Watched:
    return Watched(store.get(run))


def watch(store: RunStore, run: str, *, fresh: bool = False) -> Watched:
    """The run as it is now, or as it was a moment ago if not `fresh`. Raises `UnknownRun`."""
    watched = _watched(store, run)
    watched.look(store, fresh=fresh)
    return watched


def _base(events: Sequence[StoredEvent], theme: str) -> _Base:
    rows = curves.data(events)
    figure = json.loads(figure_of("curves").plot(rows, theme).to_json())
    names = {trace["name"] for trace in figure["data"]}
    return _Base(figure, len(events), _attempt(events), {row["stage"] for row in rows}, names)


def _growth(base: _Base, events: Sequence[StoredEvent]) -> Mapping[str, curves.Points] | None:
    """What came since, by the name of its curve; None where the figure must be made anew."""
    if len(events) > max(base.count, LEAST_GROWTH) or _attempt(events) > base.attempt:
        return None
    rows = curves.data(events, limit=MOST_NEW)
    found = curves.points(rows)
    known = {row["stage"] for row in rows} <= base.stages and set(found) <= base.names
    return found if known else None


def _attempt(events: Sequence[StoredEvent]) -> int:
    return max((event.attempt for event in events if event.kind == "metric"), default=0)
