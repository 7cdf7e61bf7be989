"""Runs for whoever may not learn which of them share a seed. Whoever trains a model without noise again knows
the result of each seed, and by the interval of differences seed by seed those of another setting. The seeds
of runs that came with the program are known to all: among these there is nothing to hide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from privgraph.privacy.events import NonPrivate
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.words.naming import setting

FEWEST = 2
"""Seeds that a mean is over at least: that of one is its own result."""


def is_fixed(said: PrivacyStatement | None) -> bool:
    """Whether the seed alone decides what a run gives: nothing that it did is private, or it did nothing."""
    return (
        said is None
        or said.unit == "none"
        or all(isinstance(entry.event, NonPrivate) or not entry.count for entry in said.ledger)
    )


def public(records: Iterable[RunRecord]) -> bool:
    """Whether all of these runs came with the program, so that their seeds and results are known to all."""
    return all(one.gallery for one in records)


def apart(records: Iterable[RunRecord]) -> list[RunRecord]:
    """The runs as if no two settings shared a seed, in the order of their results, unless all came with the
    program; without a setting that has no noise and one run of one's own, for what is said beside it would
    tell its result."""
    records = list(records)
    if public(records):
        return records
    groups: dict[str, list[RunRecord]] = {}
    for one in records:
        groups.setdefault(setting(one), []).append(one)
    kept = [
        one
        for _, held in sorted(groups.items())
        if len(held) >= FEWEST or not is_fixed(held[0].statement) or public(held)
        for one in sorted(held, key=lambda one: sorted(one.metrics.items()))
    ]
    return [
        one if one.stored_spec is None else replace(one, stored_spec=replace(one.stored_spec, seed=seed))
        for seed, one in enumerate(kept)
    ]
