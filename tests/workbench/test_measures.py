"""A run on relations is scored by PREC@1, and is told by that name wherever a report tells it."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from tests.figures import made_relations, made_runs

from privgraph.progress import Metric
from privgraph.runs.records import RunRecord, StoredEvent
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.runs import compare, curves
from privgraph_workbench.words.measures import ACCURACY, PREC


@pytest.fixture
def related() -> list[RunRecord]:
    store = RunStore.open()
    return [
        made_relations.made_run(store, unit=unit, metrics={"test_accuracy": value})
        for unit, value in (("edge", 0.06), ("none", 0.09))
    ]


@pytest.fixture
def node() -> RunRecord:
    said = made_runs.statement(made_runs.edge_entries(9))
    return made_runs.finish(RunStore.open(), made_runs.spec(), 0.7, said)


def test_figures_have_it_on_their_axes(related: list[RunRecord], node: RunRecord) -> None:
    assert compare.chart(compare.data(related)).panels[0].x.title == f"{PREC} (percent)"
    assert compare.chart(compare.data([node])).panels[0].x.title == "test accuracy (percent)"
    assert compare.chart(compare.data([*related, node])).panels[0].x.title == f"{PREC} or test accuracy (percent)"
    events = [
        StoredEvent(
            sequence=step + 1,
            attempt=1,
            time=0.0,
            kind="metric",
            payload=asdict(Metric(name="test_accuracy", value=0.1, step=step)),
        )
        for step in (0, 4)
    ]
    for record, name, axis in ((related[0], PREC, PREC), (node, ACCURACY, "accuracy")):
        drawn = curves.chart(curves.data(events, record=record))
        assert drawn.panels[0].y.title == f"{axis} (percent)"
        assert [one.name for one in drawn.series] == [name]
