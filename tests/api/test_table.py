"""`privgraph.table`: a row a setting."""

import pytest
from tests.figures import made_runs

import privgraph as pg
from privgraph.runs.store import RunStore


def test_a_row_a_setting() -> None:
    store = RunStore.open()
    said = made_runs.statement(made_runs.edge_entries(4.0))
    for seed in range(3):
        made_runs.finish(store, made_runs.spec(seed=seed), 0.7 + 0.01 * seed, said)
    table = pg.table(store)
    assert len(table) == 1
    assert (table.seeds[0], table.source[0]) == (3, "own")
    assert table["mean"][0] == pytest.approx(0.71)
    assert table.low[0] < 0.71 < table.high[0]
    assert table.epsilon[0] == said.epsilon
    assert "runs" not in table
    run = pg.Run(store.find()[0], store)
    assert list(pg.table(run).seeds) == list(pg.table([run]).seeds) == [1]
