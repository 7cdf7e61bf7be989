"""What the first page of a report says of each figure: the number, how sure it is, and what it means."""

from __future__ import annotations

from typing import Any

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.attacks import attack_areas, attack_exposure, attack_kept, attack_roc, attack_scores
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import compare, tradeoff
from privgraph_workbench.reporting import main_findings
from privgraph_workbench.words.numbers import number, percent

CAVEAT = "A guess by chance has an area of 0.5"


def roc(**changed: Any) -> list[Row]:
    return attack_roc.data([attack(**changed)], "log", ["Its run"], ["node"], ["Cora"])


def test_an_attack_is_told_by_its_area_its_rare_rate_and_what_they_mean() -> None:
    found = attack(memory=1.0)
    area, low, high = map(number, found.found)
    rare = found.rare_found
    assert rare is not None
    said = main_findings.of("attack_roc", roc(memory=1.0))
    assert said == (
        f"AUC {area} (95% interval {low} to {high}), TPR {percent(rare.true)} at {100 * rare.false:g}% FPR "
        f"({percent(rare.low)} to {percent(rare.high)}): better than guessing who was trained on (0.5)."
    )
    assert ": far better than guessing who" in main_findings.of("attack_roc", roc(memory=3.0))
    nothing = main_findings.of("attack_roc", roc(memory=0.0))
    assert nothing.endswith("no better than guessing who was trained on, which is no proof that nobody can tell.")
    assert CAVEAT not in said + nothing


def test_of_several_attacks_the_strongest_is_named_and_what_privacy_leaves() -> None:
    held = [attack(memory=memory, sound=sound) for memory, sound in ((0.0, 2.0), (0.6, 4.0), (2.0, float("inf")))]
    names = ["Kept", "Private", "Bare"]
    for figure, rows in (
        ("attack_roc", attack_roc.data(held, "log", names, ["node", "node", "none"], ["Cora"] * 3)),
        ("attack_areas", attack_areas.data(held, names)),
    ):
        said = main_findings.of(figure, rows)
        assert said.startswith("Strongest of 3: Bare. AUC ")
        assert "With privacy at most Private: AUC " in said
        assert said.endswith("Of 1 of the 2 private runs more is found than by guessing.")
    apart = attack_roc.data(held[:2], "log", names[:2], ["node"] * 2, ["Cora", "Citeseer"])
    said = main_findings.of("attack_roc", apart)
    assert "On Cora: AUC" in said
    assert " On Citeseer: AUC" in said, "areas on different graphs are not ranked"


def test_rows_that_an_earlier_version_kept_say_what_they_have() -> None:
    new = ("attack_name", "rare_low", "rare_high", "confidence", "guessing", "drawn")
    old = [{key: value for key, value in row.items() if key not in new} for row in roc(memory=0.0)]
    said = main_findings.of("attack_roc", old)
    assert said.startswith("AUC ")
    assert "(interval " in said
    assert "no better than guessing" in said


def test_edges_are_held_against_what_their_classes_tell() -> None:
    rows = [{**row, "by_classes": 0.99, "asks": "who is connected to whom"} for row in roc(memory=1.0)]
    said = main_findings.of("attack_roc", rows)
    assert said.endswith(": no more than the true classes alone tell of who is connected to whom (0.99).")
    assert "better than guessing" not in said


def test_who_keeps_it_names_the_best_that_does_and_the_worst_that_does_not() -> None:
    held = [attack(memory=memory, sound=sound) for memory, sound in ((0.0, 2.0), (0.6, 4.0), (2.0, float("inf")))]
    rows = attack_kept.data(held, ["GAP", "ProGAP", "Network"], [True, False, False])
    said = main_findings.of("attack_kept", rows)
    assert said.startswith(
        "1 of 2 private runs keep who was trained on, as far as these attacks tell; that is no proof."
    )
    assert "The most accurate of them: GAP at sound ε 2, test accuracy 61.0%, AUC " in said
    assert "Most is found of ProGAP at sound ε 4: AUC " in said
    assert "Without privacy at most Network: AUC " in said


def test_a_run_without_privacy_is_not_counted_among_those_that_keep_it() -> None:
    held = [attack(memory=memory, sound=sound) for memory, sound in ((0.0, 2.0), (0.0, float("inf")))]
    said = main_findings.of("attack_kept", attack_kept.data(held, ["GAP", "Network"], [True, True]))
    assert said.startswith("1 of 1 private runs keep who was trained on")
    _, low, high = map(number, held[0].found)
    assert f"(95% interval {low} to {high})" in said


def test_more_than_classes_tell_is_for_the_interval_to_say() -> None:
    (row,) = roc(memory=1.0)[:1]
    for classes, says in ((row["area_low"] - 0.01, ": more than the true"), (row["area_low"] + 0.001, ": perhaps no")):
        rows = [{**one, "by_classes": classes, "asks": "who is connected to whom"} for one in roc(memory=1.0)]
        assert says in main_findings.of("attack_roc", rows)


def test_exposure_and_scores_say_whether_it_is_more_than_chance() -> None:
    for memory, more in ((0.0, False), (3.0, True)):
        rows = attack_exposure.data(attack(memory=memory))
        said = main_findings.of("attack_exposure", rows)
        most = max(rows, key=lambda row: row["exposure"])
        assert f"with a mean exposure of {number(most['exposure'])}" in said
        assert ("In none of " not in said) is more
    said = main_findings.of("attack_scores", attack_scores.data(attack()))
    assert "in common: of these nobody can tell by the score" in said


@pytest.mark.parametrize(("figure", "module"), [("tradeoff", tradeoff), ("compare", compare)])
def test_units_are_not_ranked_and_each_epsilon_is_the_sound_one(figure: str, module: Any) -> None:
    store = RunStore.open()
    edge = made_runs.finish(store, made_runs.spec(), 0.7, made_runs.statement(made_runs.edge_entries(9)))
    said = made_runs.statement(made_runs.node_entries(4.0), "node")
    node = made_runs.finish(store, made_runs.spec(unit="node"), 0.8, said)
    told = main_findings.of(figure, module.data([edge, node]))
    assert "Hiding edges: ProGAP at sound ε " in told
    assert "; hiding people: ProGAP at sound ε " in told, "of one candidate there is no most accurate"
    assert told.count("ε") == told.count("sound ε")


def test_a_figure_without_a_finding_of_its_own_tells_its_summary() -> None:
    rows = [{"low": 1, "high": 1, "nodes": 3, "share": 0.375}, {"low": 2, "high": 2, "nodes": 5, "share": 0.625}]
    assert main_findings.of("degrees", rows).startswith("Degree distribution: most nodes, 5, have degree 2")
