"""What is known of runs, remembered for a page that asks for it at each drawing. No Streamlit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import expecting, placing
from privgraph_workbench.facts.finished import Finished
from privgraph_workbench.reporting.asked import Told, told_of

MOST = 240
"""Runs of which it is remembered: the latest."""


@dataclass(frozen=True, kw_only=True)
class _Key:
    """On what it rests, beside the run itself: the finished runs that are set beside it, and what audits and
    attacks have shown."""

    run: str
    beside: Finished
    evidence: tuple[float | None, ...]


def told(store: RunStore, records: Iterable[RunRecord]) -> dict[str, Told]:
    """`told_of` each of these runs, by their ids. It is read anew where a run has changed or is still on its
    way, where another one has finished beside it, and after an audit or an attack."""
    evidence = store.evidence_mark()
    beside: dict[tuple[tuple[str, ...], str], Finished] = {}
    found: dict[str, Told] = {}
    for one in records:
        among = placing.compared_with(one), one.spec.dataset
        if among not in beside:
            rows = expecting.known_by(store, *among) if among[0] else Finished.of(store, ())
            beside[among] = rows
        found[one.id] = _told(store, one, _Key(run=one.id, beside=beside[among], evidence=evidence))
    return found


def _told(store: RunStore, record: RunRecord, key: _Key) -> Told:
    with _lock:
        known = _kept.get(key)
    if known is not None and known.record == record:
        return known
    fresh = told_of(store, record)
    if not record.pending:  # else its events come without a word of it here
        with _lock:
            _kept[key] = fresh
            _kept.move_to_end(key)
            while len(_kept) > MOST:
                _kept.popitem(last=False)
    return fresh


_kept: OrderedDict[_Key, Told] = OrderedDict()
_lock = Lock()
