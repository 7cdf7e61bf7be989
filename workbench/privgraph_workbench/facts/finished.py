"""Finished runs as a key of what is computed from them and remembered. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore


@dataclass(frozen=True, kw_only=True)
class Finished:
    """Finished runs of the store at `url`: the id of each, and when it was stored. A finished run never
    changes, but another one may have its id: a run of the gallery makes room for one's own, and a deleted one
    may be trained again. What audits and attacks have shown of it can grow: `evidence` marks how far that
    was."""

    url: str
    runs: tuple[tuple[str, float], ...]
    evidence: tuple[float | None, ...] = ()

    @staticmethod
    def of(store: RunStore, rows: Iterable[Mapping[str, Any]]) -> Finished:
        """Those of these light rows of the store (`RunStore.find_rows`), in their order; a damaged row has no
        time, and counts as stored at 0."""
        runs = tuple((str(row["id"]), float(row["created"] or 0)) for row in rows)
        return Finished(url=store.url, runs=runs, evidence=store.evidence_mark())

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(run for run, _ in self.runs)

    def readable(self, store: RunStore) -> list[RunRecord]:
        """The runs themselves but for those that this version cannot read."""
        return [one for one in self.read(store) if not one.unreadable]

    def read(self, store: RunStore) -> Sequence[RunRecord]:
        """The runs themselves, also those that cannot be read."""
        return _read(store, self)


def rows(store: RunStore, query: RunQuery) -> tuple[Mapping[str, Any], ...]:
    """The light rows of finished runs, with their graphs, which a page asks for many times as it is drawn;
    tags are those of when another run was last done."""
    return _rows(store, replace(query, states=("done",)), store.done_mark())


@lru_cache(maxsize=32)
def _rows(store: RunStore, query: RunQuery, _mark: tuple[float | None, ...]) -> tuple[Mapping[str, Any], ...]:
    return tuple(store.find_rows(query, graphs=True))


@lru_cache(maxsize=8)  # those that one page asks for, again and again
def _read(store: RunStore, done: Finished) -> tuple[RunRecord, ...]:
    """The runs, each read from the store and its statement from JSON once: thousands take seconds."""
    return tuple(store.find(RunQuery(ids=done.ids))) if done.runs else ()
