"""Runs that somebody watches: what the store says of them and their curves, once for all who look. No
Streamlit.

Every page of a run asks each second. The store is asked, and points are turned into a figure, once for all
sessions of this process; and a figure that grows is handed out as a whole now and then, and in between as
that and what came since.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from privgraph.runs.records import RunRecord, StoredEvent
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.runs import curves

LOOK_EVERY = 0.5
"""Seconds for which what the store said is not asked again."""
MOST_RUNS = 16
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
    figure: Mapping[str, Any]
    count: int
    attempt: int
    stages: frozenset[str]
    names: frozenset[str]


@dataclass
class Watched:
    """A run with all its events; shared by threads, and never changed but by `look`."""

    record: RunRecord
    events: list[StoredEvent] = field(default_factory=list)
    looked: float = 0.0
    _bases: dict[str, _Base] = field(default_factory=dict)
    _drawn: dict[str, tuple[int, Drawing]] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock)

    def look(self, store: RunStore, record: RunRecord | None) -> None:
        """Ask the store again, unless it was asked just now and `record` is none. Raises `UnknownRun`."""
        with self._lock:
            if record is None and time.monotonic() - self.looked < LOOK_EVERY:
                return
            # The record comes first: a run that is over has no events that come later.
            self.record = record or store.get(self.record.id)
            known = self.events[-1].sequence if self.events else 0
            self.events = self.events + store.events(self.record.id, after=known)
            self.looked = time.monotonic()

    def drawing(self, theme: str) -> Drawing:
        """The curves of the run, the same object for all who ask before the next event."""
        with self._lock:
            count = len(self.events)
            if theme not in self._drawn or self._drawn[theme][0] != count:
                self._drawn[theme] = (count, self._draw(theme))
            return self._drawn[theme][1]

    def _draw(self, theme: str) -> Drawing:
        base = self._bases.get(theme)
        growing = base is not None and (self.record.pending or base.count == len(self.events))
        tail = _growth(base, self.events[base.count :]) if base is not None and growing else None
        if base is None or tail is None:
            base = self._bases[theme] = _base(self.events, theme)
            tail = {}
        return Drawing(
            base=f"{self.record.id}.{self.record.created}.{theme}.{base.count}", figure=base.figure, tail=tail
        )


_watched: OrderedDict[tuple[str, str, float], Watched] = OrderedDict()
_lock = RLock()


def watch(store: RunStore, run: str, *, fresh: bool = False) -> Watched:
    """The run as it is now, or as it was a moment ago if not `fresh`. Raises `UnknownRun`."""
    with _lock:
        watched = next((one for key, one in _watched.items() if key[:2] == (store.url, run)), None)
    record = store.get(run) if watched is None or fresh else None
    if record is not None:
        key = (store.url, run, record.created)  # a run that was deleted and submitted again begins anew
        with _lock:
            watched = _watched.setdefault(key, Watched(record))
            for old in [one for one in _watched if one[:2] == key[:2] and one != key]:
                del _watched[old]
            _watched.move_to_end(key)
            while len(_watched) > MOST_RUNS:
                _watched.popitem(last=False)
    assert watched is not None
    watched.look(store, record)
    return watched


def _base(events: list[StoredEvent], theme: str) -> _Base:
    rows = curves.data(events)
    figure = json.loads(figure_of("curves").plot(rows, theme).to_json())
    return _Base(
        figure=figure,
        count=len(events),
        attempt=_attempt(events),
        stages=frozenset(row["stage"] for row in rows),
        names=frozenset(trace["name"] for trace in figure["data"]),
    )


def _growth(base: _Base, events: list[StoredEvent]) -> Mapping[str, curves.Points] | None:
    """What came since, by the name of its curve; None where the figure must be made anew."""
    if len(events) > max(base.count, LEAST_GROWTH) or _attempt(events) > base.attempt:
        return None
    rows = curves.data(events, limit=MOST_NEW)
    found = curves.points(rows)
    known = {row["stage"] for row in rows} <= base.stages and set(found) <= base.names
    return found if known else None


def _attempt(events: list[StoredEvent]) -> int:
    return max((event.attempt for event in events if event.kind == "metric"), default=0)
