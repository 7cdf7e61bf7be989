"""A report has one verdict and one difference: what its ranking says of a budget is what the advice says."""

from __future__ import annotations

import math

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advising, ranking
from privgraph_workbench.reporting import Drawn, main_findings, verdicts


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def at(store: RunStore, method: str, scores: list[float], epsilon: float = 1.0) -> list[RunRecord]:
    bare = method in ("gnn", "mlp")
    said = made_runs.statement(() if bare else made_runs.edge_entries(9), "none" if bare else "edge")
    return [
        made_runs.finish(
            store,
            made_runs.spec(method, unit="none" if bare else "edge", seed=seed, epsilon=epsilon),
            score,
            said,
            more={"majority_class_accuracy": 0.2},
        )
        for seed, score in enumerate(scores)
    ]


def test_ties_are_named_at_the_level_of_the_advice_also_of_settings_without_a_row(store: RunStore) -> None:
    groups = [
        at(store, "progap", [0.80, 0.81, 0.82]),
        at(store, "gap", [0.80, 0.81, 0.808]),
        at(store, "edge-rand", [0.795, 0.81, 0.813]),
        at(store, "mlp", [0.40, 0.41, 0.42]),
    ]
    records = [one for group in groups for one in group]
    (stretch,) = advising.verdict(records, "edge").stretches
    assert stretch.verdict == "tie of 3"
    for all_of in (True, False):
        said = ranking.ranked(groups, 1, all_of=all_of)
        first = said.split("\n\n| Setting")[0]
        assert "81.0% (tie of 3)." in first
        named = first.partition("Not told apart from it: ")[2]
        assert "GAP" in named
        assert "EdgeRand" in named
        assert all(f"| {label}" in said for label in ("GAP, edge", "EdgeRand, edge")), "whoever is named has a row"


def test_too_few_seeds_are_said_as_in_the_advice(store: RunStore) -> None:
    groups = [
        at(store, "progap", [0.60, 0.61, 0.62]),
        at(store, "gap", [0.35, 0.60, 0.50]),
        at(store, "mlp", [0.40, 0.41, 0.42]),
    ]
    (stretch,) = advising.verdict([one for group in groups for one in group], "edge").stretches
    assert stretch.verdict == "too few seeds"
    said = ranking.ranked(groups, 3)
    assert "61.0% (too few seeds)." in said
    assert "GAP (48.3%) is not told apart from ProGAP" in said.replace("\\", "")


def test_a_cost_and_a_difference_of_the_table_are_the_same_number(store: RunStore) -> None:
    """The network has seeds that the method lacks, and does worse on them: neither place counts these."""
    groups = [
        at(store, "progap", [0.80, 0.81, 0.82]),
        at(store, "gap", [0.70, 0.71, 0.72]),
        at(store, "mlp", [0.40, 0.41, 0.42]),
        at(store, "gnn", [0.88, 0.93, 0.89, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
    ]
    (stretch,) = advising.verdict([one for group in groups for one in group], "edge").stretches
    assert stretch.candidates[0].cost == "9"
    assert "| −9.0; " in ranking.ranked(groups, 4)


def test_what_similarity_alone_tells_is_no_leak_of_a_model() -> None:
    """Of edges an MLP is the level that others are held against: it reads none."""
    plain = {"asks": "who is connected to whom", "by_classes": 0.81, "area_low": 0.79, "area_high": 0.83}
    rows = [
        {
            **plain,
            "attack": "MLP (ignores edges), protects no person: stolen edges",
            "area": 0.823,
            "epsilon": math.inf,
        },
        {**plain, "attack": "ProGAP, edge ε 1: stolen edges", "area": 0.798, "epsilon": 1.0},
        {**plain, "attack": "GNN, not private: stolen edges", "area": 0.81, "epsilon": math.inf},
    ]
    similar = "Similarity alone, by a model that reads no edge: AUC 0.823."
    for told in (verdicts.of(Drawn(figure="attack_areas", rows=rows)), main_findings.of("attack_areas", rows)):
        told = told.replace("\\", "")
        assert told.endswith(similar)
        assert "MLP" not in told
        assert "ProGAP, edge ε 1" in told
    alone = verdicts.of(Drawn(figure="attack_areas", rows=rows[:1]))
    assert "Similarity alone" not in alone, "it is what was asked for"
    assert "similarity alone, and no leak: it reads no edge (AUC 0.823)" in alone
    (area,) = main_findings.areas(rows[:1])["who is connected to whom", ""]
    assert area.means == "similarity alone, and no leak, for it reads no edge; true classes alone have 0.81"
