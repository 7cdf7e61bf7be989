"""Rows of accuracy against epsilon for tests."""

from __future__ import annotations


def point(epsilon: float, mean: float, **other: object) -> dict[str, object]:
    row = {
        **dict.fromkeys(("asked", "epsilon_as_published", "low", "high")),
        **dict.fromkeys(("reference", "data_dependent"), False),
        **{"method": "gap", "title": "GAP", "graph": "karate", "nodes": 34, "network": "", "unit": "edge"},
        **{"variant": "", "epsilon": epsilon, "mean": mean, "seeds": 1, "test_nodes": 5, "composed": 1},
        **{
            "metric": "test_accuracy",
            "evaluator": True,
            "runs": f"run-{epsilon:g}",
            "source": "own",
            "guess": None,
            "epsilon_audited": None,
        },
    }
    return {**row, **other}
