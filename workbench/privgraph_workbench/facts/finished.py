"""Finished runs as a key of what is computed from them and remembered. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore


@dataclass(frozen=True, kw_only=True)
class Finished:
    """Finished runs of the store at `url`: the id of each, and when it was stored. A finished run never
    changes, but another one may have its id: a run of the gallery makes room for one's own, and a deleted one
    may be trained again."""

    url: str
    runs: tuple[tuple[str, float], ...]

    @staticmethod
    def of(store: RunStore, rows: Iterable[Mapping[str, Any]]) -> Finished:
        """Those of these light rows of the store (`RunStore.find_rows`), in their order; a damaged row has no
        time, and counts as stored at 0."""
        return Finished(url=store.url, runs=tuple((str(row["id"]), float(row["created"] or 0)) for row in rows))

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(run for run, _ in self.runs)

    def readable(self, store: RunStore) -> list[RunRecord]:
        """The runs themselves but for those that this version cannot read."""
        return [one for one in self.read(store) if not one.unreadable]

    def read(self, store: RunStore, methods: tuple[str, ...] = ()) -> list[RunRecord]:
        """The runs themselves, of these methods or of any; those among them that cannot be read, too."""
        return store.find(RunQuery(ids=self.ids, methods=methods)) if self.runs else []
