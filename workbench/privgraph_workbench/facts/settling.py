"""With how many seeds what is open at a budget would be settled. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privgraph_workbench.facts import tied
from privgraph_workbench.facts.judging import WIDE, Judged, Seen, apart, level_of
from privgraph_workbench.facts.seedwise import together
from privgraph_workbench.figures.chart import Row

NEAR = 0.005
"""Accuracies that are no further apart make no difference to anybody."""


@dataclass(frozen=True, kw_only=True)
class Needed:
    """How many seeds a method would need at a budget to be told from another there, about. Of what needs no
    noise the budget says only where it was compared."""

    method: str
    epsilon: float
    seeds: int


def needed(one: Judged, seen: Seen) -> tuple[Needed, ...]:
    """The seeds of each method with which what is open would be settled: the best told from all others;
    what needs no noise or less of it from those methods that may be clearly better with so many, else
    from all that may be far from it; where nothing beats a guess the one that needs fewest to do so. None
    where `seedwise.MOST_SEEDS` would not do, where two are next to equally accurate, or where nothing is
    open: in a tie it makes no difference which is taken. What needs no noise and is not told from a guess
    keeps a budget open like a method, and needs seeds, too."""
    if one.kind == "nothing":
        return _beating(one, seen) if one.wide else ()
    if one.kind == "unsure":
        return _begun(one, seen)
    if one.kind == "several" and not one.wide:
        return ()  # a tie, whichever of them is ahead
    if one.kind in ("one", "several"):
        return _told(one.best, [*one.alike, *one.beside], level_of(one.rows), one, seen)
    taken = seen.free if one.kind == "blind" else one.before
    if taken is None or not one.wide:
        return ()
    level = together(len(one.rows))
    far = [row for row in tied.tied(one, seen) if row is not taken and apart(taken, row, seen, level)]
    above = [row for row in far if row["mean"] > taken["mean"] and _told(taken, [row], level, one, seen)]
    return _told(taken, above or far, level, one, seen)


def count(found: Sequence[Needed]) -> int:
    """How many seeds the one that needs most of them does; 0 where nothing is needed, or nothing would do."""
    return max((one.seeds for one in found), default=0)


def _told(taken: Row, others: Sequence[Row], level: float, one: Judged, seen: Seen) -> tuple[Needed, ...]:
    """The seeds with which one is told from each of the others, whichever is the better one."""
    seeds: dict[tuple[str, float], int] = {}
    for row in others:
        told = seen.seeds.to_tell(taken, row, level)
        if told is None or abs(taken["mean"] - row["mean"]) < NEAR * seen.scale:
            return ()
        for name in (_named(taken, one), _named(row, one)):
            seeds[name] = max(told, seeds.get(name, 0))
    return tuple(Needed(method=name, epsilon=epsilon, seeds=told) for (name, epsilon), told in seeds.items())


def _beating(one: Judged, seen: Seen) -> tuple[Needed, ...]:
    level = together(len(one.rows))
    counts = [(told, row) for row in one.rows if (told := seen.seeds.to_beat_guess(row, level)) is not None]
    if not counts:
        return ()
    told, row = min(counts, key=lambda each: (each[0], -float(each[1]["mean"])))
    method, epsilon = _named(row, one)
    found = [Needed(method=method, epsilon=epsilon, seeds=told)]
    if seen.free is not None and (free := seen.seeds.to_beat_guess(seen.free)) is not None:
        found.append(Needed(method=seen.free["method"], epsilon=epsilon, seeds=free))
    return tuple(found)


def _begun(one: Judged, seen: Seen) -> tuple[Needed, ...]:
    told = seen.seeds.to_narrow(one.best, WIDE * seen.scale)
    method, epsilon = _named(one.best, one)
    return () if told is None else (Needed(method=method, epsilon=epsilon, seeds=told),)


def _named(row: Row, one: Judged) -> tuple[str, float]:
    """A method and the budget at which it is trained: what needs no noise has none of its own."""
    asked = row["asked"]
    return row["method"], float(one.best["asked"] if asked is None else asked)
