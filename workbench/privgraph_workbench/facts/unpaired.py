"""Runs for whoever may not learn which of them share a seed. Whoever trains a model without noise again knows
the result of each seed, and by the interval of differences seed by seed those of another setting. The seeds
of runs that came with the program are known to all: among these there is nothing to hide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count

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
    """The runs as if no setting with runs of one's own shared a seed with another, in the order of results;
    settings of the gallery alone keep theirs, which are known to all. Without a setting that has no noise and
    one run of one's own, for what is said beside it would tell its result."""
    records = list(records)
    if public(records):
        return records
    groups: dict[tuple[str, bool], list[RunRecord]] = {}
    for one in records:
        groups.setdefault((setting(one), one.gallery), []).append(one)
    kept = [
        one
        for _, held in sorted(groups.items())
        if len(held) >= FEWEST or not is_fixed(held[0].statement) or public(held)
        for one in sorted(held, key=lambda one: sorted(one.metrics.items()))
    ]
    known = {key for key, held in groups.items() if public(held)}
    fresh = count(1 + max((one.spec.seed for key in known for one in groups[key]), default=-1))
    return [
        one
        if one.stored_spec is None or (setting(one), one.gallery) in known
        else replace(one, stored_spec=replace(one.stored_spec, seed=next(fresh)))
        for one in kept
    ]
