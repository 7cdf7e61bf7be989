"""What attacks found on settings, in a report's words, in its table and as numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import attack_table
from privgraph_workbench.blocks import Table
from privgraph_workbench.table_lines import Line
from privgraph_workbench.words import strongest
from privgraph_workbench.words.naming import graph_of
from privgraph_workbench.words.numbers import exact_percent, percent

NODES, EDGES = "who was trained on", "who is connected to whom"


@pytest.fixture(scope="module")
def attacks() -> dict[str, AttackRecord]:
    """Of nodes on two runs, one of them on a single run; of edges on one."""
    made = {
        "lira-a": made_attack("a", name="lira", memory=1.0),
        "lira-b": made_attack("b", name="lira", memory=1.0, seed=1),
        "rmia-a": made_attack("a", name="rmia", memory=2.0),
        "rmia-b": made_attack("b", name="rmia", memory=2.0, seed=1),
        "link": made_attack("b", name="link", memory=3.0),
    }
    link = made["link"]
    by_distance = replace(link.options, by="distance")
    return {**made, "link": replace(link, options=by_distance, by_classes=0.625, exposed=(), bound=None, steps=None)}


@pytest.fixture
def record() -> RunRecord:
    return made_runs.finish(RunStore.open(), made_runs.spec(), 0.7, made_runs.statement(made_runs.edge_entries(9)))


def _line(record: RunRecord, *made: AttackRecord, **more: Any) -> Line:
    return Line(name="n", label="ProGAP", record=record, attacks=made, seeds={"a": "3", "b": "4"}, **more)


def _rows(*lines: Line) -> list[tuple[str, ...]]:
    (found,) = attack_table.table(lines, {graph_of(one.record): graph_of(one.record) for one in lines})
    assert isinstance(found, Table)
    return [tuple(map(str, row)) for row in found.rows]


def test_each_question_has_its_strongest_attack_the_larger_area_first(attacks: dict[str, AttackRecord]) -> None:
    asked = [attacks["rmia-a"], attacks["lira-a"], attacks["link"]]
    assert strongest.strongest(asked) == strongest.strongest(asked[::-1]) == [attacks["link"], attacks["rmia-a"]]
    nodes, edges = attacks["rmia-a"], attacks["link"]
    said = strongest.words([nodes, edges], lambda run: f"seed {run}")
    first, second = said.split("; ")
    assert first.startswith(f"{EDGES}: AUC ")
    assert first.endswith(", on seed b")
    assert second.startswith(f"{NODES}: AUC ")
    assert second.endswith(", by RMIA, on seed a")
    assert strongest.words([]) == strongest.NONE


def test_the_rate_is_told_at_its_false_positives_and_beside_what_classes_find(attacks: dict[str, AttackRecord]) -> None:
    one = attacks["rmia-a"]
    rare = one.rare_found
    assert rare is not None
    assert rare.true > rare.false
    true, false = percent(rare.true), exact_percent(rare.false)
    assert f"), TPR {true} at {false} FPR, by RMIA" in strongest.words([one])
    assert strongest.cells(one, lambda run: f"seed {run}")[1::2] == ("RMIA, on seed a", f"{true} at {false}")
    link = attacks["link"]
    assert "), true classes alone 0.625" in strongest.words([link])
    assert strongest.cells(link)[2].endswith("); true classes alone 0.625")
    influence = replace(link, options=replace(link.options, by="influence"))
    assert "classes" not in strongest.words([influence]) + strongest.cells(influence)[2], "it reads no answers alone"


def test_the_mean_of_the_strongest_attack_stands_in_its_row_and_others_have_their_own(
    attacks: dict[str, AttackRecord], record: RunRecord
) -> None:
    line = _line(record, *attacks.values(), heading="Made-up social network")
    rmia, lira = line.attacked
    edges, nodes, other = _rows(line)
    assert {row[0] for row in (edges, nodes, other)} == {"ProGAP on Made-up social network"}
    assert (edges[1], edges[-1]) == (EDGES, ""), "made on a single run"
    assert nodes[1:3] == (NODES, f"RMIA, on {line.seed_of(strongest.strongest(line.attacks)[1].run)}")
    assert nodes[-1] == rmia.cell
    assert other[1:] == (NODES, "LiRA", "", "", lira.cell)


def test_a_setting_without_attacks_says_whether_any_was_made(
    attacks: dict[str, AttackRecord], record: RunRecord
) -> None:
    bare, untold = _line(record), _line(record, untold=True)
    assert attack_table.table([bare], {}) == []
    assert [row[1] for row in _rows(bare, untold)] == [strongest.NONE, attack_table.UNTOLD]
    assert attack_table.words(bare) == strongest.NONE
    means = _line(record, attacks["rmia-a"], attacks["rmia-b"]).attacked
    assert attack_table.words(_line(record, averaged=means)) == means[0].words, "none is told beside it"


def test_the_numbers_of_a_setting_are_of_its_strongest_attack_and_its_largest_mean(
    attacks: dict[str, AttackRecord], record: RunRecord
) -> None:
    one = attacks["rmia-a"]
    rare = one.rare_found
    assert rare is not None
    assert attack_table.numbers([attacks["lira-a"], one]) == {
        "strongest_attack": "rmia",
        "attack_asks": NODES,
        "attack_auc": round(one.found[0], 6),
        "attack_auc_low": round(one.found[1], 6),
        "attack_auc_high": round(one.found[2], 6),
        "attack_baseline": 0.5,
        "attack_fpr": rare.false,
        "attack_tpr": round(rare.true, 6),
    }
    third = made_attack("c", name="rmia", memory=2.0, seed=2)
    line = _line(record, *attacks.values(), third)
    mean = line.attacked[0]
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low < mean.mean < mean.high
    assert attack_table.averaged(line) == {
        "attack_of_mean": "rmia",
        "mean_auc_runs": 3,
        "mean_auc": mean.mean,
        "mean_auc_low": mean.low,
        "mean_auc_high": mean.high,
    }
    assert set(attack_table.averaged(_line(record)).values()) == {None}


def test_of_several_questions_the_one_that_exceeds_its_own_level_the_most_is_told() -> None:
    """An area of 0.823 on edges, of which true classes tell 0.817, is less than one of 0.766 on members."""
    members = made_attack(memory=1.0)
    edges = replace(
        made_attack(memory=2.0, seed=1), attack="link", options=AttackOptions(by="distance"), by_classes=0.9
    )
    assert edges.found[0] > members.found[0]
    told = attack_table.numbers([edges, members])
    assert (told["strongest_attack"], told["attack_baseline"]) == ("bavaria", 0.5)
    assert attack_table.numbers([edges])["attack_baseline"] == 0.9
    assert attack_table.numbers([replace(edges, by_classes=None)])["attack_baseline"] is None, "not measured"
    by_influence = replace(edges, options=AttackOptions(by="influence"))
    assert attack_table.numbers([by_influence, members])["strongest_attack"] == "link", "held against a guess"
