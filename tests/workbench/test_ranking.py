"""The ranking of a report follows the advice: a higher mean that is not told from a guess is ahead of
nothing, and differences are over the seeds that both settings share."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import placing, ranking
from privgraph_workbench.facts.expecting import Outlook
from privgraph_workbench.reporting import Drawn, findings
from privgraph_workbench.words.bibliography import bibtex, references
from privgraph_workbench.words.naming import run_labels


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
    assert "has the highest mean of those clearly better than a guess (40.0%), 53.0% (not told apart)." in first
    assert "is higher (62.0%), but its 3 seeds (" in first
    assert "do not tell it from a guess (40.0%)." in first
    assert "40.0%" not in ranking.ranked([wide, sure], 1, guess=False), "for others"


def test_differences_are_over_shared_seeds(store: RunStore) -> None:
    """The network's other seeds are easier: over the shared ones the noise costs 10 points, and not 28."""
    private = filled(store, "dp-mlp", {0: 0.50, 1: 0.52, 2: 0.54})
    bare = filled(store, "gnn", {0: 0.60, 1: 0.62, 2: 0.64, **dict.fromkeys(range(3, 10), 0.9)}, "none")
    said = ranking.ranked([private, bare], 2)
    assert "| −10.0; −10.0 to −10.0; 3 shared seeds |" in said
    assert "3 shared seeds |" in ranking.ranked([private, bare], 2, guess=False), "of the gallery alone, for others too"
    others = ranking.ranked([private, bare], 2, guess=False, paired=False)
    assert "shared seeds |" not in others, "runs of one's own"
    assert ranking.BY_MEANS.format("test accuracy") in others
    came = [[replace(one, gallery=True) for one in held] for held in (private, bare)]
    assert "| −10.0; −10.0 to −10.0; 3 shared seeds |" in ranking.ranked(came, 2, guess=False, paired=False)
    few = ranking.ranked([private[:2], bare], 2)
    assert "2 shared seeds: too few to tell" in few


def test_what_is_said_of_a_run_is_over_shared_seeds_too(store: RunStore) -> None:
    private = filled(store, "dp-mlp", {0: 0.38, 1: 0.45, 2: 0.43})
    told = placing.sentence(private[0], "DP-MLP", None, Outlook(), private, setting=True)
    assert "not told apart from naming the largest class (95% interval −7 to 11 points)" in told


def test_one_candidate_is_no_most_accurate() -> None:
    rows = [{"graph": "A", "unit": "node", "title": "DP-MLP", "mean": 0.5, "low": None, "high": None, "seeds": 1,
             "epsilon": 1.0, "asked": 1.0, "method": "dp-mlp"}]  # fmt: skip
    assert findings.of(Drawn(figure="tradeoff", rows=rows)).startswith("Hiding people: DP-MLP at")


def test_data_sets_are_cited() -> None:
    assert "@inproceedings{yang2016revisiting," in bibtex(["cora"])
    (line,) = references(["cora", "products"])
    assert line.endswith("2016. For: Cora.")


def test_private_settings_are_ranked_at_each_budget_by_itself(store: RunStore) -> None:
    """The largest budget is ahead of nothing, and a model without privacy may be above them all."""

    def at(method: str, epsilon: float, level: float, step: float) -> list[RunRecord]:
        said = made_runs.statement(made_runs.edge_entries(9))
        made = [made_runs.spec(method, seed=seed, epsilon=epsilon) for seed in range(3)]
        return [
            made_runs.finish(store, one, level + place * step, said, more={"majority_class_accuracy": 0.2})
            for place, one in enumerate(made)
        ]

    groups = [
        at("progap", 8.0, 0.95, 0.001),
        at("gap", 8.0, 0.94, 0.009),
        at("progap", 1.0, 0.7, 0.001),
        at("gap", 1.0, 0.6, 0.001),
    ]
    groups.append(filled(store, "gnn", {0: 0.98, 1: 0.985, 2: 0.99}, "none"))
    said = ranking.ranked(groups, len(groups)).split("\n\n| Setting")[0]
    one, eight = said.splitlines()
    assert one.startswith("- At ε 1: **ProGAP")
    assert eight.startswith("- At ε 8: **ProGAP")
    assert "has the highest mean accuracy of the private settings, 70.1%." in one
    assert "Not told apart from it: GAP" in eight
    assert "Not told apart" not in one
    short = ranking.ranked(groups, 1, all_of=False)
    head, _, table = short.partition("\n\n| Setting")
    named = run_labels([group[0] for group in groups], privacy_too=True, seeds=False)
    assert sum(f"| {one} |" in table for one in named) < len(named), "not all have a row"
    assert all(f"| {one} |" in table for one in named if f"**{one}**" in head or f": {one}" in head)
    assert "of the private settings" not in ranking.ranked(groups[:4], 4), "there are no others"
