"""What several runs have shown together: at which delta, and of which runs."""

import math
from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.home import home
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import EXAMPLE, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import composition, method_costs
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import cart
from privgraph_workbench.words.numbers import rounded_delta, stated


def run(store: RunStore, seed: int, said: PrivacyStatement | None = None, asked: RunSpec | None = None) -> RunRecord:
    said = said or made_runs.statement(made_runs.edge_entries(9))
    return made_runs.finish(store, asked or made_runs.spec(seed=seed), 0.7, said)


def price(*records: RunRecord) -> tuple[str, str]:
    (row,) = composition.together(records)
    assert row["private runs"] == str(len(records))
    return row["sound ε of all"], row["δ"]


def shown(epsilon: float, delta: float) -> tuple[str, str]:
    return stated("sound", epsilon), rounded_delta(delta)


def test_runs_of_two_deltas_are_priced_at_the_larger(store: RunStore) -> None:
    small, large = (made_runs.statement(made_runs.edge_entries(9), delta=delta) for delta in (1e-6, 1e-3))
    cost = method_costs.cost((*small.ledger, *large.ledger), 1e-3)
    assert price(run(store, 0, small), run(store, 1, large)) == shown(cost, 1e-3)


def test_what_a_tuning_chose_adds_its_epsilon_and_its_delta(store: RunStore) -> None:
    """Its ledger is that of one run of all that were tried, and is not what they cost."""
    plain = made_runs.statement(made_runs.edge_entries(9), delta=1e-5)
    chosen = replace(plain, epsilon=3.0, delta=2e-5, tuned=True)
    told = price(run(store, 0, plain), run(store, 1, plain), run(store, 2, chosen))
    assert told == shown(method_costs.cost(plain.ledger * 2, 1e-5) + 3.0, 2e-5 + 1e-5)


def test_of_too_many_different_mechanisms_the_epsilons_are_added(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composition, "MOST", 1)
    said = [made_runs.statement(made_runs.edge_entries(noise), delta=1e-5) for noise in (9, 9, 12)]
    runs = [run(store, seed, one) for seed, one in enumerate(said)]
    added, delta = (math.fsum(getattr(one, name) for one in said) for name in ("epsilon", "delta"))
    exact = method_costs.cost(tuple(entry for one in said for entry in one.ledger), 3e-5)
    assert added > exact, "sound, and looser"
    assert price(*runs) == shown(added, delta)
    monkeypatch.setattr(composition, "MOST", 2)
    assert price(*runs) != shown(added, delta)


def test_where_the_deltas_reach_1_nothing_is_proved(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composition, "MOST", 1)
    said = [made_runs.statement(made_runs.edge_entries(noise), delta=0.5) for noise in (9, 12)]
    assert price(*(run(store, seed, one) for seed, one in enumerate(said)))[0] == "∞"


def test_two_units_are_never_one_number(store: RunStore) -> None:
    edges = [run(store, seed) for seed in range(2)]
    node = run(store, 0, made_runs.statement(made_runs.node_entries(4.0), "node"), made_runs.spec(unit="node"))
    assert [one["unit"] for one in composition.together([*edges, node])] == ["edge"]
    assert composition.together([edges[0], node]) == []


@pytest.mark.parametrize("shown", [True, False])
def test_an_id_says_in_which_store_its_run_is(monkeypatch: pytest.MonkeyPatch, shown: bool) -> None:
    monkeypatch.setattr(queue, "_shown", [lambda: shown])
    assert queue.of(f"{EXAMPLE}mlp-karate-0123456789ab") is queue.examples()
    assert queue.of("mlp-karate-0123456789ab") is queue.own()
    assert queue.store() is (queue.examples() if shown else queue.own())


def test_each_who_logs_in_has_a_file_whose_name_tells_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = []
    for who in ({}, {"email": "ann@example.org", "name": "Sam"}, {"email": "bob@example.org", "name": "Sam"}):
        monkeypatch.setattr(cart.st, "user", who)
        paths.append(cart.path())
    assert len(set(paths)) == 3
    assert {one.parent for one in paths} == {home()}
    assert not [one for one in paths if "ann" in one.name or "@" in one.name or "Sam" in one.name]
