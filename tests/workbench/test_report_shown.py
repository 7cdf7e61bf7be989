"""The head of a report has a clause for each chosen figure, and speaks of attacks that figures alone show."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.workbench.made_reports import two_runs
from tests.workbench.test_report_glance import points, told_of

from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.reporting import Asked, Drawn, glance, shown, verdicts


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


ROW = {"asks": "who was trained on", "area_low": 0.45, "area_high": 0.6, "curve": "attack"}


def attacks() -> Drawn:
    """A figure of an attack on a run that is in the report by its figure alone."""
    rows = [{**ROW, "attack": "GAP, edge ε 1", "area": 0.51, "epsilon": 1.0}]
    return Drawn(figure="attack_areas", rows=rows, title="Who was trained on")


def test_each_figure_has_a_clause_and_attack_figures_answer_what_attacks_showed(store: RunStore) -> None:
    runs = told_of(store, (0, 1, 2))
    (tradeoff, *_) = reporting.usual(runs)
    answers = points(Asked(title="T", runs=runs, figures=[tradeoff, attacks()]))
    assert list(answers)[2:5] == ["How well it works", glance.FIGURES, "What attacks showed"]
    said = verdicts.of(tradeoff).replace("\\", "")
    assert answers[glance.FIGURES] == f"Figure 1: {said}"
    assert answers["What attacks showed"] == (
        f"{glance.ELSEWHERE} Figure 2: GAP, edge ε 1: no better than guessing (AUC 0.51)."
    )


def test_without_attack_figures_it_is_said_that_none_was_made(store: RunStore) -> None:
    runs = told_of(store, (0,))
    answers = points(Asked(title="T", runs=runs))
    assert answers["What attacks showed"] == glance.UNATTACKED
    assert glance.FIGURES not in answers


def test_a_figure_of_attacks_that_are_told_already_is_named() -> None:
    runs = two_runs()
    answers = points(Asked(title="T", runs=runs, figures=reporting.usual(runs)))
    assert answers["What attacks showed"].endswith("See Figure 3.")
    assert "Figure 3" not in answers[glance.FIGURES]
    assert answers["What attacks showed"].count("AUC 0") <= 2


def test_of_many_figures_the_first_have_a_clause(store: RunStore) -> None:
    (one, *_) = reporting.usual(told_of(store, (0, 1)))
    figures = [replace(one, title=str(place)) for place in range(shown.MOST + 2)]
    said = shown.of_others(figures)
    assert len(said) == shown.MOST + 1
    assert said[-1] == "2 more figures stand below."
