"""What a report says first and in one voice: of a model that reads no edge, of what costs are counted from,
what each figure finds, and at which settings it was drawn."""

from __future__ import annotations

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import report, reporting, tables
from privgraph_workbench.figures import notes
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.tables import Line
from privgraph_workbench.words import meaning
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.statements import EVERY_EDGE


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def bare(store: RunStore, method: str, accuracies: tuple[float, ...], **options: str) -> list[RunRecord]:
    """Runs of a method without privacy, a seed for each accuracy."""
    said = made_runs.statement((), unit="none")
    return [
        made_runs.finish(store, made_runs.spec(method=method, unit="none", seed=seed, **options), value, said)
        for seed, value in enumerate(accuracies)
    ]


def private(store: RunStore, accuracies: tuple[float, ...], epsilon: float = 1.0) -> list[RunRecord]:
    said = made_runs.statement(made_runs.edge_entries(9))
    return [
        made_runs.finish(store, made_runs.spec(seed=seed, epsilon=epsilon), value, said)
        for seed, value in enumerate(accuracies)
    ]


def test_a_model_that_reads_no_edge_hides_every_one_and_no_person(store: RunStore) -> None:
    (blind,), (network,) = bare(store, "mlp", (0.7,)), bare(store, "gnn", (0.8,))
    own = statements_of([blind, network])
    _, rows, _ = notes.stated(own)
    protects = {name: cells[:2] for name, cells in rows}
    assert protects["MLP (ignores edges), protects no person"] == EVERY_EDGE
    assert protects["Graph network (not private), not private"] == ("nothing", "∞")
    assert f"protects {EVERY_EDGE[0]} · sound ε: {EVERY_EDGE[1]}" in "".join(notes.notes([], own))

    lines = [Line(name=one.spec.method, label=one.spec.method, record=one) for one in (blind, network)]
    guaranteed = tables.guarantees(lines, {})[0]
    assert isinstance(guaranteed, tables.Table)
    assert [row[1:3] for row in guaranteed.rows] == [EVERY_EDGE, ("nothing", "∞")]
    assert [row[1:3] for row in tables.in_words(lines, {}).rows] == [EVERY_EDGE, ("nothing", "∞")]

    for one, there in ((blind, True), (network, False)):
        said = report.markdown(one, [])
        assert (meaning.NO_EDGE in said) is there
        assert ("Nothing is guaranteed" in said) is not there
    told = reporting.told_of(store, blind).said
    assert "protects no person; it reads no edge, and so hides every one" in told
    rows_of = tradeoff.data([blind, *private(store, (0.75,))])
    assert "ε = 0 for edges); no person is protected" in " ".join(tradeoff.chart(rows_of).notes)
