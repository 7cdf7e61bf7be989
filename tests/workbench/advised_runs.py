"""Finished runs from which tests are told what to take."""

from __future__ import annotations

from dataclasses import replace

from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore


def filled(store: RunStore, accuracies: dict[str, list[float]], reference: dict[str, float]) -> list[RunRecord]:
    """Finished runs of methods, with an accuracy for each seed, at epsilon 1 and, a tenth higher, at 4."""
    for name, told in accuracies.items():
        for epsilon, more in ((1.0, 0.0), (4.0, 0.1)):
            said = made_runs.statement(made_runs.edge_entries(9 if epsilon == 1 else 3))
            for seed, accuracy in enumerate(told):
                spec = made_runs.spec(name, epsilon=epsilon, seed=seed, unit="edge")
                made_runs.finish(store, spec, accuracy + more, said)
    for name, accuracy in reference.items():
        for seed in range(3):
            made_runs.finish(
                store, made_runs.spec(name, seed=seed, unit="none"), accuracy, made_runs.statement((), unit="none")
            )
    return list(store.find())


def finished(store: RunStore, reached: dict[str, dict[float, list[float]]]) -> list[RunRecord]:
    """Runs of people, an accuracy for each seed at each epsilon, and a guess that is right in 40%."""
    for name, budgets in reached.items():
        for epsilon, told in budgets.items():
            for seed, accuracy in enumerate(told):
                said = made_runs.statement(made_runs.node_entries(3.0), unit="node")
                spec = made_runs.spec(name, epsilon=epsilon, seed=seed, unit="node")
                made_runs.finish(store, spec, accuracy, said)
    return [replace(one, metrics={**one.metrics, "majority_class_accuracy": 0.4}) for one in store.find()]
