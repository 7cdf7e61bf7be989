"""What attacks have shown of settings without a guarantee: of a model that reads no edge it is a bound for
people, and that of another model is its own."""

from __future__ import annotations

from dataclasses import replace

from tests.figures import made_runs

from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import statement_text
from privgraph_workbench.words.statements import _OF_NO_EDGE, cells, line, without_edges

BLIND, OPEN = "MLP (ignores edges) on Cora, protects no person", "Graph network (not private) on Cora, not private"


def _shown(bound: float) -> PrivacyStatement:
    said = made_runs.statement((), unit="none")
    return replace(said, epsilon_audited=bound, audit_confidence=0.95, audited_by="bavaria")


def test_a_line_says_that_it_is_of_people() -> None:
    said = _shown(1.47)
    assert cells(said, no_edge=True)[1:4] == ("edges 0, people ∞", "none", "people: at least 1.47")
    assert "people: at least 1.47" in line("MLP", said, no_edge=True)
    assert "people" not in line("GNN", said)
    assert cells(replace(said, epsilon_audited=None, audited_by=""), no_edge=True)[3] == "none yet"


def test_every_line_that_means_something_else_without_edges_is_one_of_a_statement() -> None:
    """So that a change of these words in the engine cannot leave them as they were."""
    said = statement_text(_shown(1.5))
    assert all(text in said for text in _OF_NO_EDGE)
    told = without_edges(said)
    assert not any(text in told for text in _OF_NO_EDGE)
    assert "Sound epsilon: 0 for edges" in told
    assert "Epsilon audited, for people: an attack has shown at least 1.5 with" in told
