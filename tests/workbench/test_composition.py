"""What several runs have shown together: at which delta, of which runs, and in which words."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import composition, method_costs
from privgraph_workbench.words.numbers import rounded_delta, stated


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def run(store: RunStore, seed: int, said: PrivacyStatement | None = None, asked: RunSpec | None = None) -> RunRecord:
    said = said or made_runs.statement(made_runs.edge_entries(9))
    return made_runs.finish(store, asked or made_runs.spec(seed=seed), 0.7, said)


def shown(epsilon: float, delta: float) -> str:
    return f"ε = {stated('sound', epsilon)} at δ = {rounded_delta(delta)}"


def test_runs_of_two_deltas_are_priced_at_the_larger(store: RunStore) -> None:
    small, large = (made_runs.statement(made_runs.edge_entries(9), delta=delta) for delta in (1e-6, 1e-3))
    told = composition.together([run(store, 0, small), run(store, 1, large)])
    assert shown(method_costs.cost((*small.ledger, *large.ledger), 1e-3), 1e-3) in told


def test_what_a_tuning_chose_adds_its_epsilon_and_its_delta(store: RunStore) -> None:
    """Its ledger is that of one run of all that were tried, and is not what they cost."""
    plain = made_runs.statement(made_runs.edge_entries(9), delta=1e-5)
    chosen = replace(plain, epsilon=3.0, delta=2e-5, tuned=True)
    told = composition.together([run(store, 0, plain), run(store, 1, plain), run(store, 2, chosen)])
    assert shown(method_costs.cost(plain.ledger * 2, 1e-5) + 3.0, 2e-5 + 1e-5) in told


def test_the_runs_that_are_told_have_a_number_of_their_own(store: RunStore) -> None:
    runs = [run(store, seed) for seed in range(3)]
    ledger = made_runs.statement(made_runs.edge_entries(9)).ledger
    told = composition.together(runs[:2], runs[2:])
    assert "3 private runs (2 told here, 1 behind means and figures) have shown " in told
    assert f"have shown {shown(method_costs.cost(ledger * 3, 1e-5), 1e-5)}; the 2 alone " in told
    assert f"; the 2 alone {shown(method_costs.cost(ledger * 2, 1e-5), 1e-5)}." in told


def test_of_too_many_different_mechanisms_the_epsilons_are_added(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composition, "MOST", 1)
    said = [made_runs.statement(made_runs.edge_entries(noise), delta=1e-5) for noise in (9, 9, 12)]
    runs = [run(store, seed, one) for seed, one in enumerate(said)]
    added, delta = (math.fsum(getattr(one, name) for one in said) for name in ("epsilon", "delta"))
    exact = method_costs.cost(tuple(entry for one in said for entry in one.ledger), 3e-5)
    assert added > exact, "sound, and looser"
    told = composition.together(runs[:1], runs[1:])
    assert f"have shown {shown(added, delta)} (each run's added: more than 1 different mechanisms)" in told
    assert set(composition.of_each(runs).values()) == {(added, delta)}
    assert "added" not in composition.together(runs[:2]), "two runs of one mechanism"
    monkeypatch.setattr(composition, "MOST", 2)
    assert "added" not in composition.together(runs)


def test_where_the_deltas_reach_1_nothing_is_said_to_be_proved(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composition, "MOST", 1)
    said = [made_runs.statement(made_runs.edge_entries(noise), delta=0.5) for noise in (9, 12)]
    runs = [run(store, seed, one) for seed, one in enumerate(said)]
    assert "have shown so much that no ε is proved" in composition.together(runs)
    assert composition.of_each(runs) == {}


def test_runs_without_noise_are_said_to_be_in_no_number(store: RunStore) -> None:
    runs = [run(store, seed) for seed in range(2)]
    assert composition.together(runs).endswith("Runs without noise are not in this number: they protect nobody.")
    node = run(store, 0, made_runs.statement(made_runs.node_entries(4.0), "node"), made_runs.spec(unit="node"))
    assert composition.together([*runs, node]).endswith("Runs without noise are in no line: they protect nobody.")


def test_a_file_calls_the_number_sound(store: RunStore) -> None:
    said = composition.plain([run(store, seed) for seed in range(2)])
    ledger = made_runs.statement(made_runs.edge_entries(9)).ledger
    assert f"composed sound ε = {stated('sound', method_costs.cost(ledger * 2, 1e-5))} at" in said
    assert "*" not in said


def test_graphs_of_one_title_are_told_apart(store: RunStore) -> None:
    large = replace(made_runs.spec(), data_options={"nodes": 900, "degree": 16.0})
    runs = [
        *(run(store, seed) for seed in range(2)),
        *(run(store, seed, asked=replace(large, seed=seed)) for seed in range(2)),
    ]
    lines = [line for line in composition.together(runs).splitlines() if line.startswith("- ")]
    assert len({line.partition(", edge-level")[0] for line in lines}) == 2, lines
