"""Rows of accuracy against epsilon for tests."""

from __future__ import annotations

from privgraph_workbench.figures.runs import tradeoff


def plainly(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The rows of the figure with sound epsilons alone, and without the front."""
    return tradeoff.shown(rows, published=False, front=False)


def point(epsilon: float, mean: float, **other: object) -> dict[str, object]:
    row = {
        **dict.fromkeys(("asked", "epsilon_as_published", "low", "high")),
        **dict.fromkeys(("reference", "data_dependent"), False),
        **{"method": "gap", "title": "GAP", "graph": "karate", "nodes": 34, "network": "", "unit": "edge"},
        **{"variant": "", "epsilon": epsilon, "mean": mean, "seeds": 1, "test_nodes": 5, "composed": 1},
        **{"metric": "test_accuracy", "evaluator": True, "runs": f"run-{epsilon:g}"},
    }
    return {**row, **other}
