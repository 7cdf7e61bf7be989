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


def test_what_differs_is_said_and_in_which_methods() -> None:
    more, kept = _row("B", 1.5e-4), _row("C", neighbours="assigned node")
    assert guarantees.differ([more, _row()]) == (
        "Guarantees differ: δ is 0.0001 or 0.00015 (an ε at a larger δ promises less)."
    )
    said = guarantees.differ([_row(), more, kept])
    assert said.startswith("Guarantees differ: δ is 0.0001 or 0.00015 (an ε at a larger δ promises less), and ")
    assert said.endswith(
        "neighbouring datasets are not the same: add or remove one node with all its edges (A and B), or add or "
        "remove one node with all its edges, while all others keep their teachers (C)."
    )
    assert "δ" not in guarantees.differ([_row(), kept])
    several = guarantees.differ([_row(), more, _row(graph="karate")])
    assert several.startswith("Guarantees differ: on Cora, δ is ")
    assert "karate" not in several


def test_the_best_of_several_budgets_name_theirs_where_they_differ() -> None:
    first, more = _row(), _row(delta=1.5e-4, neighbours="assigned node")
    node, kept = (guarantees.RELATIONS[one] for one in (Neighbours.NODE, Neighbours.ASSIGNED_NODE))
    assert guarantees.columns({1.0: None, 2.0: first}) == {"δ": "0.0001", "neighbouring datasets": node}
    assert guarantees.columns({1.0: first, 2.0: more, 4.0: more}) == {
        "δ": "ε ≤ 1: 0.0001; ε ≤ 2 and 4: 0.00015",
        "neighbouring datasets": f"ε ≤ 1: {node}; ε ≤ 2 and 4: {kept}",
    }


@pytest.mark.parametrize("kind", list(Neighbours))
def test_every_kind_of_relation_has_words(kind: Neighbours) -> None:
    assert guarantees.relation(_row(neighbours=kind.value)) == guarantees.RELATIONS[kind]
    assert guarantees.RELATIONS[kind] != kind.value
