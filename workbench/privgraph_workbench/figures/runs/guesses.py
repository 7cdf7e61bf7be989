"""What takes no learning on the test nodes of runs: one level for a graph and a protected unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from privgraph.runs.records import RunRecord
from privgraph_workbench.words.naming import graph_of, unit_of

Measured = tuple[str, str, float | None]
"""A graph, the unit that is protected, and on how many test nodes."""
GUESSES = ("majority_class_accuracy", "guessing_accuracy")


def of_setting(members: Sequence[RunRecord], guesses: Mapping[Measured, Mapping[int, float]]) -> float | None:
    """What takes no learning on the same test nodes: naming the largest class, or a partner at random. Of
    private settings one level for a graph and a protected unit, over all the seeds that ran there: a line
    each would differ by their seeds alone."""
    if unit_of(members[0]) != "none" and (same := guesses.get(_measured_on(members[0]))):
        return fmean(same.values())
    known = [one.metrics[name] for one in members for name in GUESSES if name in one.metrics]
    return fmean(known) if known else None


def by_seed(done: Sequence[RunRecord]) -> dict[Measured, dict[int, float]]:
    """The guess of each seed of private runs, for each graph, unit and number of test nodes."""
    found: dict[Measured, dict[int, float]] = {}
    for one in done:
        known = next((one.metrics[name] for name in GUESSES if name in one.metrics), None)
        if known is not None and unit_of(one) != "none":
            found.setdefault(_measured_on(one), {})[one.spec.seed] = known
    return found


def _measured_on(record: RunRecord) -> Measured:
    return graph_of(record), unit_of(record), record.metrics.get("test_nodes")
