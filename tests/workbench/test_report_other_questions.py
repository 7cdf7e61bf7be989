"""A figure of attacks says what another question's attacks found on the same settings: of edges nothing, and
of who was trained on nearly all, is half an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.attacks.record import AttackRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures.attacks import attack_areas
from privgraph_workbench.reporting import Asked, Drawn, chapters, findings, first_page, glance, shown, verdicts
from privgraph_workbench.reporting import other_questions as others
from privgraph_workbench.words.markup import literal


def _figure(found: AttackRecord, unit: str = "edge", *, seed: int = 0, **of_rows: object) -> Drawn:
    """Edges that are asked for, on a run of which `found` was asked as well."""
    store = RunStore.open()
    entries = {"edge": made_runs.edge_entries(9), "node": made_runs.node_entries(4.0), "none": ()}[unit]
    said = made_runs.statement(entries, unit)
    run = made_runs.finish(store, made_runs.spec("gap", unit=unit, seed=seed), 0.7, said)
    told = replace(reporting.told_of(store, run), attacks=[replace(found, run=run.id)])
    rows = attack_areas.data([replace(found, run=run.id)], ["GAP"])
    rows = [{**row, "asks": "who is connected to whom", **of_rows} for row in rows]
    return Drawn(figure="attack_areas", rows=rows, runs=[run], beside=[told])


def test_what_was_found_of_another_question_stands_behind_what_is_drawn() -> None:
    one = _figure(made_attack(memory=2.0))
    said = others.of(one)
    assert said.startswith("Who was trained on, not drawn here, is told far better than by guessing: GAP")
    assert ": AUC 0.9" in said
    assert said.endswith(f", by BaVarIA; {others.NOT_THIS}.")
    assert literal(said) in findings.of(one)
    assert verdicts.of(one).endswith(literal(said))
    (_, (asks, glanced)) = shown.of_attacks([one], [])
    assert asks == "who was trained on", "in the line of its own question"
    assert glanced in literal(said)


def test_at_a_glance_it_stands_once() -> None:
    one = _figure(made_attack(memory=2.0))
    other = replace(one, rows=[{**row, "asks": "who was trained on"} for row in one.rows])
    assert [asks for asks, _ in shown.of_attacks([one, other], [])] == [
        "who is connected to whom",
        "who was trained on",
    ], "the other figure has it"
    lines = first_page.all_settings(asked := Asked(title="T", runs=one.beside), chapters.chapters_of(asked))
    assert shown.of_attacks([one], lines) == [("", "See Figure 1.")], "so has the table"
    assert others.NOT_THIS in glance.answers(asked, lines, "").text


@pytest.mark.parametrize(("unit", "says"), [("edge", True), ("node", False), ("none", False)])
def test_only_an_epsilon_for_edges_hides_not_this(unit: str, says: bool) -> None:
    said = others.of(_figure(made_attack(memory=2.0), unit))
    assert said
    assert (others.NOT_THIS in said) is says


def test_what_found_nothing_is_not_told() -> None:
    assert others.of(_figure(made_attack(memory=0.0))) == ""
    assert others.of(_figure(made_attack(memory=2.0), seed=1, asks="who was trained on")) == "", "it is what is drawn"


def test_a_private_model_is_told_before_one_without_privacy() -> None:
    private, bare = _figure(made_attack(memory=1.0)), _figure(made_attack(memory=3.0), "none")
    both = replace(private, beside=[*bare.beside, *private.beside])
    assert others.NOT_THIS in others.of(both)
    assert others.NOT_THIS not in others.of(bare)


def test_edges_count_beyond_what_true_classes_tell() -> None:
    found = made_attack(memory=1.0)
    assert "better than by true classes alone (0.5): " in others.of(_figure(replace(found, by_classes=0.5)))
    assert others.of(_figure(replace(found, by_classes=0.95), seed=1)) == ""
