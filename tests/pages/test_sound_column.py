"""Lists of runs show as sound what the noise does guarantee, and not what was asked for."""

from tests.pages.kept_runs import keep, spec

from privgraph.privacy.rounding import upper
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench import summary
from privgraph_workbench.figures.runs import compare
from privgraph_workbench.parts import run_rows


def told_and_true(store: RunStore) -> tuple[set[str], str, str]:
    """The sound epsilon by all tables, the true one, and the one asked for, by a published formula."""
    run = keep(store, spec("gap", unit="edge", epsilon=2.0, accounting="published"))
    (found,), (record,) = store.find_rows(RunQuery(ids=(run,)), graphs=True), store.find(RunQuery(ids=(run,)))
    assert record.statement is not None
    told = {run_rows.rows([[found]], {})[0]["epsilons"][0]["text"], upper(found["sound_epsilon"])}
    told |= {upper(row["epsilon"]) for row in compare.data([record])}
    told |= set(map(upper, summary.of_records([record]).epsilon))
    return told, upper(record.statement.epsilon), upper(found["epsilon"])


def test_every_table_of_runs_tells_the_sound_epsilon(store: RunStore) -> None:
    told, true, asked = told_and_true(store)
    assert true != asked, "a run whose sound epsilon is the one asked for shows nothing"
    assert told == {true}
