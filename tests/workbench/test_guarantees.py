"""How guarantees of settings differ beside epsilon: in delta, and in what neighbouring datasets are."""

from __future__ import annotations

import pytest

from privgraph.privacy.kinds import Neighbours
from privgraph_workbench.facts import guarantees
from privgraph_workbench.figures.chart import Row


def _row(title: str = "A", delta: float | None = 1e-4, neighbours: str | None = "node", graph: str = "Cora") -> Row:
    return {"title": title, "delta": delta, "neighbours": neighbours, "graph": graph}


def test_settings_of_one_guarantee_are_said_to_differ_in_nothing() -> None:
    assert guarantees.differ([]) == ""
    assert guarantees.differ([_row("A"), _row("B")]) == ""
    other = _row("B", 1e-5, "assigned node", "karate")
    assert guarantees.differ([_row("A"), other]) == "", "on different graphs, which share no axis"
    assert guarantees.differ([_row("A"), _row("B", None, None)]) == "", "nothing is known of that one"


@pytest.mark.parametrize("kind", list(Neighbours))
def test_every_kind_of_relation_has_words(kind: Neighbours) -> None:
    assert guarantees.relation(_row(neighbours=kind.value)) == guarantees.RELATIONS[kind]
    assert guarantees.RELATIONS[kind] != kind.value
