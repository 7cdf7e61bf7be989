"""Finished runs are read once, all of them, and anew after each change."""

from __future__ import annotations

import pytest
from tests.benchmarks import bench_page
from tests.figures import made_runs
from tests.figures.made_audits import audit as made_audit

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import finished
from privgraph_workbench.facts.finished import Finished
from privgraph_workbench.views.tradeoffs import known

EDGE = RunQuery(units=("none", "edge"))


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def kept(store: RunStore, seed: int = 0) -> str:
    said = made_runs.statement(made_runs.edge_entries(3.0))
    return made_runs.finish(store, made_runs.spec(seed=seed), 0.8, said).id


def test_runs_and_what_was_shown_of_them_are_as_they_are_now(store: RunStore) -> None:
    run = kept(store)
    assert [row["id"] for row in finished.rows(store, EDGE)] == [run]
    before = Finished.of(store, finished.rows(store, EDGE))
    assert before.read(store)[0] is before.read(store)[0], "read once"
    store.add_audit(run, made_audit(run))
    after = Finished.of(store, finished.rows(store, EDGE))
    assert [one.epsilon_audited for one in before.read(store)] == [None]
    assert [one.epsilon_audited for one in after.read(store)] == [store.get(run).epsilon_audited] != [None]
    other = kept(store, seed=1)
    assert {row["id"] for row in finished.rows(store, EDGE)} == {run, other}
    store.delete(other)
    assert [row["id"] for row in finished.rows(store, EDGE)] == [run]


def test_no_run_is_left_out_of_a_figure_however_many_there_are(store: RunStore) -> None:
    """What all of them have shown together would be too small."""
    bench_page.fill(2010)
    found = known.rows_of(RunQuery(units=("none", "edge"), states=("done",)), None)
    assert len(found) == 2010
