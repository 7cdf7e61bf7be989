"""The head of a report speaks of attacks that figures alone show, in the sentence on attacks."""

from __future__ import annotations

import pytest
from tests.workbench.made_reports import two_runs
from tests.workbench.test_report_glance import attacks, points, told_of

from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.reporting import Asked, glance_attacks


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def test_attack_figures_answer_what_attacks_showed(store: RunStore) -> None:
    runs = told_of(store, (0, 1, 2))
    (tradeoff, *_) = reporting.usual(runs)
    answers = points(Asked(title="T", runs=runs, figures=[tradeoff, attacks()]))
    assert answers["What attacks showed"] == (
        f"{glance_attacks.ELSEWHERE} who was trained on: Figure 2: GAP, edge ε 1: no better than guessing "
        "(AUC 0.51); without privacy: no better than guessing (AUC 0.52)."
    )
    assert answers["What the figures show"].startswith("Figure 1: Hiding edges: ProGAP at sound ε 0.8142, 70.0%")
    assert "Figure 2" not in answers["What the figures show"], "it is told with the attacks"


def test_without_attack_figures_it_is_said_that_none_was_made(store: RunStore) -> None:
    runs = told_of(store, (0,))
    assert points(Asked(title="T", runs=runs))["What attacks showed"] == glance_attacks.UNATTACKED


def test_a_figure_of_attacks_that_are_told_already_is_named() -> None:
    runs = two_runs()
    answers = points(Asked(title="T", runs=runs, figures=reporting.usual(runs)))
    assert answers["What attacks showed"].endswith("; see Figure 3.")
    assert answers["What attacks showed"].count("AUC 0") <= 2
