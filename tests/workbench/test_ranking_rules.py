"""By which rule a setting of a report is ahead: against what it must be better, how sure, and what is told of
the others."""

from __future__ import annotations

import pytest
from tests.figures import made_runs
from tests.workbench.test_ranking import filled

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import ranking

NOT_RANKED = "Different guarantees are not ranked."
SURE = {0: 0.52, 1: 0.53, 2: 0.54}


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def edges(store: RunStore, method: str, reached: dict[int, float]) -> list[RunRecord]:
    said = made_runs.statement(made_runs.edge_entries(9))
    return [
        made_runs.finish(store, made_runs.spec(method, seed=seed), value, said, more={"majority_class_accuracy": 0.4})
        for seed, value in reached.items()
    ]


def row(said: str, method: str) -> str:
    (line,) = [one for one in said.splitlines() if one.startswith(f"| {method}")]
    return line


def test_people_are_held_against_a_guess_and_edges_against_what_reads_none(store: RunStore) -> None:
    node, edge = filled(store, "dp-mlp", SURE), edges(store, "gap", SURE)
    blind = filled(store, "mlp", {0: 0.9, 1: 0.91, 2: 0.92}, "none")
    said = ranking.ranked([node, edge, blind], 3)
    assert "| yes, better than a guess (40.0%) |" in row(said, "DP-MLP")
    assert "| no, clearly worse than MLP (ignores edges) (91.0%) |" in row(said, "GAP")
    assert NOT_RANKED in said
    # also where it has no row of its own
    beside = ranking.ranked([node, edge], 2, beside=blind)
    assert "| no, clearly worse than MLP (ignores edges) (91.0%) |" in row(beside, "GAP")
    assert "| MLP" not in beside
    assert "| yes, better than a guess (40.0%) |" in row(beside, "DP-MLP")
    assert NOT_RANKED not in ranking.ranked([node, blind], 2), "of one unit there is one guarantee"


def test_the_more_methods_are_tried_at_a_budget_the_clearer_each_must_be(store: RunStore) -> None:
    """Clear at 95%, and not at the level of five."""
    best = filled(store, "dp-mlp", {0: 0.423, 1: 0.433, 2: 0.443})
    others = [
        filled(store, method, {0: 0.1, 1: 0.2, 2: 0.3}) for method in ("gap", "progap", "heter-poisson", "dp-gnn")
    ]
    assert "| yes, better than a guess (40.0%) |" in row(ranking.ranked([best, others[0]], 2), "DP-MLP")
    assert "| not told from a guess (40.0%) |" in row(ranking.ranked([best, *others], 5), "DP-MLP")


def test_what_is_nothing_to_take_is_not_said_to_be_as_good(store: RunStore) -> None:
    sure, wide = filled(store, "dp-mlp", SURE), filled(store, "heter-poisson", {0: 0.3, 1: 0.5, 2: 0.7})
    said = ranking.ranked([sure, wide], 2)
    assert "has the highest mean accuracy, 53.0% (not told apart)." in said
    assert "Not told apart from it" not in said


def test_that_one_setting_has_too_few_seeds_is_said(store: RunStore) -> None:
    sure, few = filled(store, "dp-mlp", SURE), filled(store, "heter-poisson", {0: 0.4, 1: 0.41})
    assert ranking.FEW in ranking.ranked([sure, few], 2)
    enough = filled(store, "gap", {0: 0.4, 1: 0.41, 2: 0.42})
    assert ranking.FEW not in ranking.ranked([sure, enough], 2)


def test_of_the_others_the_best_of_each_method_has_a_row(store: RunStore) -> None:
    own, best = filled(store, "dp-mlp", SURE), filled(store, "gap", {0: 0.48, 1: 0.49, 2: 0.5})
    said = made_runs.statement(made_runs.node_entries(4.0), "node")
    worse = [
        made_runs.finish(store, made_runs.spec("gap", unit="node", seed=seed, hidden=8), 0.45, said)
        for seed in range(3)
    ]
    short = ranking.ranked([own, worse, best], 1, all_of=False)
    assert "49.0%" in row(short, "GAP"), "one row, and that of the best"
    assert ranking.ranked([own, worse, best], 2, all_of=False).count("| GAP") == 2, "those of the report have theirs"


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (SURE, "has the highest mean of those that keep their ε and are clearly better than a guess (40.0%), 53.0%."),
        ({0: 0.3, 1: 0.4, 2: 0.5}, "none that keeps its ε is clearly better than a guess (40.0%); **DP-MLP"),
        ({0: 0.5, 1: 0.51}, "has the highest mean accuracy of those that keep their ε, 50.5% (too few seeds)."),
    ],
)
def test_what_does_not_keep_its_budget_is_behind_what_does(store: RunStore, kept: dict[int, float], said: str) -> None:
    """It is far more accurate, and the table calls it clearly better than a guess, too."""
    keeps, loose = filled(store, "dp-mlp", kept), made_runs.statement(made_runs.node_entries(0.5), "node")
    exceeds = [
        made_runs.finish(
            store,
            made_runs.spec("gap", unit="node", seed=seed, accounting="published"),
            0.8 + seed / 100,
            loose,
            more={"majority_class_accuracy": 0.4},
        )
        for seed in range(3)
    ]
    assert loose.epsilon > 1
    told = ranking.ranked([exceeds, keeps], 2).split("\n\n")[0]
    assert "**DP-MLP" in told
    assert said in told
    bare = filled(store, "gnn", {0: 0.9, 1: 0.91}, "none")
    beside = ranking.ranked([exceeds, keeps, bare], 3)
    assert ("accuracy of the private settings that keep their ε" in beside) == (kept != SURE)
    alike = ranking.ranked([keeps, filled(store, "progap", {0: 0.2, 1: 0.21, 2: 0.22})], 2)
    assert "keep" not in alike, "where all keep theirs"


def test_settings_whose_noise_was_given_are_ranked_without_an_epsilon_after_the_budgets(store: RunStore) -> None:
    """For none of them an ε was asked: there is no budget to name."""

    def made(method: str, level: float, **options: float) -> list[RunRecord]:
        said = made_runs.statement(made_runs.edge_entries(9))
        return [
            made_runs.finish(
                store,
                made_runs.spec(method, "products", seed=seed, **options),
                level + seed / 100,
                said,
                more={"majority_class_accuracy": 0.1},
            )
            for seed in range(3)
        ]

    given = [made("relational", 0.6, noise_multiplier=2.0), made("relational", 0.7, noise_multiplier=1.0)]
    assert {one.spec.asked_epsilon for group in given for one in group} == {None}
    alone = ranking.ranked(given, 2).split("\n\n| Setting")[0]
    assert alone.startswith("**PvGaLM")
    assert "has the highest mean" in alone
    assert "71.0%" in alone
    assert "At ε" not in alone
    asked = [made("relational", 0.5), made("relation-rand", 0.3)]
    assert {one.spec.asked_epsilon for group in asked for one in group} == {1.0}
    one, other = ranking.ranked([*given, *asked], 4).split("\n\n| Setting")[0].splitlines()
    assert one.startswith("- At ε 1: **PvGaLM")
    assert "51.0%" in one
    assert other.startswith("- **PvGaLM")
    assert "71.0%" in other


def test_which_settings_have_no_row_is_told_below_the_table(store: RunStore) -> None:
    def at(method: str, epsilon: float, reached: float) -> list[RunRecord]:
        said, more = made_runs.statement(made_runs.edge_entries(9 / epsilon)), {"majority_class_accuracy": 0.4}
        return [
            made_runs.finish(
                store, made_runs.spec(method, epsilon=epsilon, seed=seed), reached + seed / 100, said, more=more
            )
            for seed in range(3)
        ]

    groups = [at("progap", 1.0, 0.8), at("gap", 1.0, 0.5), at("gap", 2.0, 0.9)]
    said = ranking.ranked(groups, 1, all_of=False)
    assert sum(one.startswith("| GAP") for one in said.splitlines()) == 1
    assert ranking.ROWS.format(settings=3, rows=2) in said
    assert "have a row" not in ranking.ranked(groups, 1), "nothing is left out"


def test_what_has_the_highest_mean_at_a_budget_has_a_row_where_what_comes_first_has_too_few_seeds(
    store: RunStore,
) -> None:
    def at(method: str, epsilon: float, *reached: float) -> list[RunRecord]:
        said, more = made_runs.statement(made_runs.edge_entries(9 / epsilon)), {"majority_class_accuracy": 0.4}
        made = [made_runs.spec(method, epsilon=epsilon, seed=seed) for seed in range(len(reached))]
        return [made_runs.finish(store, one, value, said, more=more) for one, value in zip(made, reached, strict=True)]

    blind = [
        made_runs.finish(
            store, made_runs.spec("mlp", unit="none", seed=seed), 0.8, made_runs.statement((), unit="none")
        )
        for seed in range(3)
    ]
    groups = [at("progap", 1.0, 0.5), at("edge-rand", 1.0, 0.80, 0.81, 0.82), at("edge-rand", 2.0, 0.9, 0.91, 0.92)]
    table = ranking.ranked(groups, 1, all_of=False, beside=blind).partition("\n\n| Setting")[2]
    assert "| EdgeRand, edge ε 0.8" in table, "not told from what reads no edge, and the best there is"
    assert table.count("\n| EdgeRand") == 2
