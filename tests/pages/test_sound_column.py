"""Lists of runs show as sound what the noise does guarantee, and not what was asked for."""

from __future__ import annotations

from tests.pages.kept_runs import keep, spec

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.chart import upper
from privgraph_workbench.views import runs as page


def told_and_true(store: RunStore) -> tuple[set[str], str, str]:
    """The sound epsilon by all tables, the true one, and the one asked for, by a published formula."""
    run = keep(store, spec("gap", unit="edge", epsilon=2.0, accounting="published"))
    (found,), (record,) = store.find_rows(RunQuery(ids=(run,)), graphs=True), store.find(RunQuery(ids=(run,)))
    assert record.statement is not None
    told = {page.row(found)["sound_epsilon"], upper(found["sound_epsilon"])}
    told |= {column["sound ε"] for column in page.comparison([record]).values()}
    return told, upper(record.statement.epsilon), upper(found["epsilon"])


def test_every_table_of_runs_tells_the_sound_epsilon(store: RunStore) -> None:
    told, true, asked = told_and_true(store)
    assert true != asked, "a run whose sound epsilon is the one asked for shows nothing"
    assert told == {true}
