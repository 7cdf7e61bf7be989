"""The study of the frontier: its lines are valid runs, its file keeps them, and its table tells who leads."""

from pathlib import Path

import pytest

from privgraph.data.load import load
from privgraph.methods.training import planned
from privgraph.options import build
from privgraph.privacy.delta import edge_delta_rule
from privgraph.registry import method
from privgraph.studies import frontier, gcon
from privgraph.studies.frontier import GCON, LEVELS, Run


def test_every_line_has_a_plan_that_costs_what_it_says() -> None:
    graph = load("social", split_seed=0, data_options={"nodes": 300})
    for level, settings in LEVELS.items():
        for setting in settings:
            if setting.method and setting.method != "mlp":
                config = build(method(setting.method).load_config(), {**setting.options, "epsilon": 2.0})
                statement = planned(config, graph).plan.statement
                assert statement.unit == level.partition(",")[0], setting
                assert 1.98 < statement.epsilon <= 2.0, setting


def test_runs_are_kept_and_the_best_of_a_column_is_told(tmp_path: Path) -> None:
    runs = [
        Run("cora", "edge", "mlp", 0.0, 0, 0.7, 1.0),
        *(Run("cora", "edge", "gap", 1.0, seed, 0.6 + seed / 10, 1.0) for seed in range(3)),
    ]
    frontier.write(tmp_path / "runs.csv", runs)
    assert frontier.read(tmp_path / "runs.csv") == runs
    rows = [[cell.strip() for cell in row.split("|")] for row in frontier.tables(runs).splitlines() if "cora" in row]
    assert rows[0][2:5] == ["mlp", "**70.0** (1)", "**70.0** (1)"]
    assert rows[1][2:5] == ["gap", "", "**70.0 ± 10.0**"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gcon_is_worth_more_with_less_noise() -> None:
    graph = load("social", split_seed=0, data_options={"nodes": 600, "homophily": 0.9})
    delta = edge_delta_rule(graph.num_nodes)[0]
    little, much = (gcon.accuracy(graph, epsilon, delta, seed=0) for epsilon in (0.5, 1000.0))
    assert much > little + 0.1
    assert GCON in {setting.name for setting in LEVELS["edge"]}
