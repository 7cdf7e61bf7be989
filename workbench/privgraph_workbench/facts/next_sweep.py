"""What to train next on a graph: what its figure lacks, or more of what is taken. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privgraph_workbench.facts import one_sentence
from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.facts.stretches import BLIND
from privgraph_workbench.figures.chart import Row


@dataclass(frozen=True)
class Sweep:
    """Methods, each at all of these epsilons."""

    methods: tuple[str, ...]
    epsilons: tuple[float, ...]


def lacking(rows: Sequence[Row], unit: str, fitting: Sequence[str]) -> Sweep | None:
    """Of the methods that fit those that have not run, at the epsilons at which others have; where all have,
    those that lack the same epsilons, of such the most: a sweep runs each of its methods at each epsilon.
    None where nothing is lacking, or nothing has run."""
    ran, epsilons = _ran(rows, unit), _epsilons(rows, unit)
    lacks: dict[tuple[float, ...], list[str]] = {}
    for name in fitting:
        if left := tuple(one for one in epsilons if (name, one) not in ran):
            lacks.setdefault(left, []).append(name)
    if not lacks:
        return None
    left = epsilons if epsilons in lacks else max(lacks, key=lambda one: len(one) * len(lacks[one]))
    return Sweep(tuple(lacks[left]), left)


def rivals(rows: Sequence[Row], said: Verdict) -> Sweep | None:
    """The method that is told first and its rival, which has the next highest mean there, at all epsilons of
    the figure; the two highest ones where no method is told. None where none has run."""
    epsilons, places = _epsilons(rows, said.unit), one_sentence.marked(said).places
    if not epsilons:
        return None
    told = said.stretches[places[-1]] if places else None
    where = epsilons[-1] if told is None else told.epsilons[-1]
    there = [row for row in _private(rows, said.unit) if row["asked"] == where]
    highest = [row["method"] for row in sorted(there, key=lambda row: -float(row["mean"]))]
    taken = [] if told is None else [name for name in told.takes[:1] if name != BLIND]
    return Sweep(tuple(dict.fromkeys([*taken, *highest]))[:2], epsilons)


def _private(rows: Sequence[Row], unit: str) -> list[Row]:
    return [row for row in rows if row["unit"] == unit and row["asked"] is not None and row["method"] != BLIND]


def _ran(rows: Sequence[Row], unit: str) -> set[tuple[str, float]]:
    return {(row["method"], row["asked"]) for row in _private(rows, unit)}


def _epsilons(rows: Sequence[Row], unit: str) -> tuple[float, ...]:
    """At which a method has run."""
    return tuple(sorted({epsilon for _, epsilon in _ran(rows, unit)}))
