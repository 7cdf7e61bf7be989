"""Which settings the gallery that comes with the program has, and their runs as they came, whatever is left
of them in a store."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from privgraph.attacks.record import AttackRecord
from privgraph.runs import gallery
from privgraph.runs.records import RunRecord

BEYOND = 2**30
"""By how much the seeds of `shipped` runs are above their own: a seed that one's own run has, too, would have
the number of that run."""

MARK = "gallery-"
"""What stands before the id of a run that has that of one's own."""


def has(record: RunRecord) -> bool:
    """Whether the gallery has runs of the setting of this one, with whatever seeds."""
    return record.stored_spec is not None and _key(record.stored_spec.to_json()) in _settings()


def shipped(records: Iterable[RunRecord]) -> tuple[list[RunRecord], list[AttackRecord]]:
    """All runs that the gallery has of the settings of these, and the attacks on them, under ids and seeds
    that no run of a store has."""
    keys = {_key(one.stored_spec.to_json()) for one in records if one.stored_spec is not None}
    runs, attacks = _shipped(frozenset(keys & _settings().keys()))
    return list(runs), list(attacks)


def with_own_seeds(runs: Iterable[RunRecord]) -> list[RunRecord]:
    """The runs, those that were `shipped` with the seeds that they came with, by which the gallery's settings
    are compared."""
    return [
        replace(one, stored_spec=replace(one.stored_spec, seed=one.spec.seed - BEYOND))
        if one.gallery and one.stored_spec is not None and one.spec.seed >= BEYOND
        else one
        for one in runs
    ]


def displaced(ids: Iterable[str]) -> tuple[list[RunRecord], list[AttackRecord]]:
    """The gallery's runs in whose place those of one's own with these ids stand, and the attacks on them,
    `MARK` before their ids."""
    taken = set(ids) & {run for held in _settings().values() for run in held}
    runs, attacks = _as_they_came(frozenset(taken))
    return (
        [replace(one, id=f"{MARK}{one.id}") for one in runs],
        [replace(one, run=f"{MARK}{one.run}") for one in attacks],
    )


@lru_cache(maxsize=16)
def _as_they_came(ids: frozenset[str]) -> tuple[list[RunRecord], list[AttackRecord]]:
    return gallery.shipped(ids) if ids else ([], [])


@lru_cache(maxsize=16)
def _shipped(keys: frozenset[str]) -> tuple[tuple[RunRecord, ...], tuple[AttackRecord, ...]]:
    ids = {run for key in keys for run in _settings()[key]}
    runs, attacks = _as_they_came(frozenset(ids))
    return (
        tuple(
            replace(one, id=_renamed(one.id), stored_spec=replace(one.spec, seed=one.spec.seed + BEYOND))
            for one in runs
        ),
        tuple(replace(one, run=_renamed(one.run)) for one in attacks),
    )


def _renamed(run: str) -> str:
    """Another id of the same form."""
    method, _, _ = run.rpartition("-")
    return f"{method}-{sha256(f'gallery {run}'.encode()).hexdigest()[:12]}"


@lru_cache(maxsize=1)
def _settings() -> Mapping[str, tuple[str, ...]]:
    """The ids of the gallery's runs by their settings."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    if gallery.FILE.is_file():
        for one in (one for chapter in gallery.content().values() for one in chapter):
            found[_key(one["run"]["spec"])][one["run"]["id"]] = None
    return {key: tuple(held) for key, held in found.items()}


def _key(spec: Mapping[str, Any]) -> str:
    return json.dumps({name: value for name, value in spec.items() if name != "seed"}, sort_keys=True)
