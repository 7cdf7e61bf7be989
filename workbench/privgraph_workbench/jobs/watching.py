"""Runs that somebody watches: what the store says of them and their curves. No Streamlit.

Every page of a run asks each second. The store is asked, and points are turned into a figure, once for all; a
figure that grows is handed out as a whole now and then, and in between as that and what came since.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
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
    """A figure of the first `count` events as plotly's JSON with its name (`base`), of which attempt, stages
    and curves it is, and the points of each curve that came since."""

    base: str
    figure: Mapping[str, Any]
    count: int
    attempt: int
    stages: Set[str]
    names: Set[str]
    tail: Mapping[str, curves.Points] = field(default_factory=dict)


@dataclass
class Watched:
    """A run with all its events; shared by threads, and never changed but by `look`."""

    record: RunRecord
    events: list[StoredEvent] = field(default_factory=list)
    _looked: float = 0.0
    _drawn: dict[str, Drawing] = field(default_factory=dict)
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

    def drawing(self, theme: str) -> Drawing:
        """The curves of the run, made anew where they are over or have grown by much."""
        with self._lock:
            drawn = self._drawn.get(theme)
            new = self.events[drawn.count :] if drawn else []
            grown = _grown(drawn, new) if drawn and (self.record.pending or not new) else None
            self._drawn[theme] = drawn = grown or self._made(theme)
            return drawn

    def _made(self, theme: str) -> Drawing:
        rows, count = curves.data(self.events), len(self.events)
        figure = json.loads(figure_of("curves").plot(rows, theme).to_json())
        return Drawing(
            base=f"{self.record.id}.{self.record.created}.{theme}.{count}",
            figure=figure,
            count=count,
            attempt=_attempt(self.events),
            stages={row["stage"] for row in rows},
            names={trace["name"] for trace in figure["data"]},
        )


@lru_cache(maxsize=16)
def _watched(store: RunStore, run: str) -> Watched:
    return Watched(store.get(run))


def watch(store: RunStore, run: str, *, fresh: bool = False) -> Watched:
    """The run as it is now, or as it was a moment ago if not `fresh`. Raises `UnknownRun`."""
    watched = _watched(store, run)
    watched.look(store, fresh=fresh)
    return watched


def _grown(drawn: Drawing, new: Sequence[StoredEvent]) -> Drawing | None:
    """The figure with what came since; None where it must be made anew."""
    if len(new) > max(drawn.count, LEAST_GROWTH) or _attempt(new) > drawn.attempt:
        return None
    rows = curves.data(new, limit=MOST_NEW)
    tail = curves.points(rows)
    known = {row["stage"] for row in rows} <= drawn.stages and tail.keys() <= drawn.names
    return replace(drawn, tail=tail) if known else None


def _attempt(events: Sequence[StoredEvent]) -> int:
    return max((event.attempt for event in events if event.kind == "metric"), default=0)
