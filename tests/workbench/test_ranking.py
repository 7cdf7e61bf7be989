"""The ranking of a report follows the advice: a higher mean that is not told from a guess is ahead of
nothing, and differences are over the seeds that both settings share."""

from __future__ import annotations

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import placing, ranking
from privgraph_workbench.facts.expecting import Outlook
from privgraph_workbench.reporting import Drawn, findings
from privgraph_workbench.reporting.asked import Asked
from privgraph_workbench.words.bibliography import bibtex, references


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def filled(store: RunStore, method: str, reached: dict[int, float], unit: str = "node") -> list[RunRecord]:
    said = made_runs.statement(made_runs.node_entries(4.0) if unit == "node" else (), unit)
    return [
        made_runs.finish(
            store, made_runs.spec(method, unit=unit, seed=seed), value, said, more={"majority_class_accuracy": 0.4}
        )
        for seed, value in reached.items()
    ]


def test_a_higher_mean_that_is_not_told_from_a_guess_is_not_ahead(store: RunStore) -> None:
    sure = filled(store, "dp-mlp", {0: 0.52, 1: 0.53, 2: 0.54})
    wide = filled(store, "heter-poisson", {0: 0.40, 1: 0.62, 2: 0.84})
    said = ranking.ranked([wide, sure], 1)
    first = said.split("\n\n")[0]
    assert "**DP-MLP, node ε" in first
    assert "has the highest mean of those clearly better than a guess (40.0%), 53.0%." in first
    assert "is higher (62.0%), but its 3 seeds (" in first
    assert "do not tell it from a guess (40.0%)." in first
    assert "40.0%" not in ranking.ranked([wide, sure], 1, guess=False), "for others"


def test_differences_are_over_shared_seeds(store: RunStore) -> None:
    """The network's other seeds are easier: over the shared ones the noise costs 10 points, and not 28."""
    private = filled(store, "dp-mlp", {0: 0.50, 1: 0.52, 2: 0.54})
    bare = filled(store, "gnn", {0: 0.60, 1: 0.62, 2: 0.64, **dict.fromkeys(range(3, 10), 0.9)}, "none")
    said = ranking.ranked([private, bare], 2)
    assert "| −10.0; −10.0 to −10.0; 3 shared seeds |" in said
    few = ranking.ranked([private[:2], bare], 2)
    assert "2 shared seeds: too few to tell" in few


def test_what_is_said_of_a_run_is_over_shared_seeds_too(store: RunStore) -> None:
    private = filled(store, "dp-mlp", {0: 0.38, 1: 0.45, 2: 0.43})
    told = placing.sentence(private[0], "DP-MLP", None, Outlook(), private, setting=True)
    assert "not told apart from naming the largest class (95% interval −7 to 11 points)" in told


def test_figures_that_find_the_same_share_a_point(store: RunStore) -> None:
    rows = [{"graph": "A", "unit": "node", "title": "DP-MLP", "mean": 0.5, "low": None, "high": None, "seeds": 1,
             "epsilon": 1.0, "asked": 1.0, "method": "dp-mlp"}]  # fmt: skip
    twice = [Drawn(figure="tradeoff", rows=rows, title=title) for title in ("One", "Two")]
    said = findings.found(Asked(title="T", runs=[], figures=twice))
    assert said.count("- **Figure") == 1
    assert "**Figure 1, One; Figure 2, Two.** Hiding people: DP-MLP at" in said, "one candidate is no most accurate"


def test_data_sets_are_cited() -> None:
    assert "@inproceedings{yang2016revisiting," in bibtex(["cora"])
    (line,) = references(["cora", "products"])
    assert line.endswith("2016. For: Cora.")
