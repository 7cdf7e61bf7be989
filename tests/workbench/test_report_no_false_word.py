"""What a report says of attacks, of bounds and of papers, where a small slip would say something false."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack
from tests.workbench.test_report_glance import points, told_of

from privgraph.attacks.record import AttackRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import report, reporting, tables
from privgraph_workbench.blocks import Table
from privgraph_workbench.facts import comparing, ranking
from privgraph_workbench.figures.attacks import attack_areas
from privgraph_workbench.figures.runs import compare
from privgraph_workbench.reporting import (
    Asked,
    Drawn,
    Told,
    glance_attacks,
    noises,
    other_questions,
    shown,
    verdicts,
)
from privgraph_workbench.reporting.twins import Twins
from privgraph_workbench.table_lines import Line
from privgraph_workbench.words import naming
from privgraph_workbench.words.bibliography import named, papers


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def _bare(store: RunStore, method: str = "mlp", seed: int = 0) -> Told:
    said = made_runs.statement((), unit="none")
    return reporting.told_of(store, made_runs.finish(store, made_runs.spec(method, unit="none", seed=seed), 0.6, said))


def test_a_bound_of_a_model_that_reads_no_edge_is_one_for_people_in_tables_and_chapters(store: RunStore) -> None:
    told = _bare(store)
    shown_of = replace(told.record, epsilon_audited=1.47, audit_confidence=0.95, audited_by="bavaria")
    (row,) = tables.in_words([Line(name="", label="MLP", record=shown_of, audited=shown_of)], {}).rows
    assert any(cell.startswith("people: at least 1.47") for cell in row), row
    said = shown_of.statement
    assert said is not None
    section = report._guarantee(said, "", None, no_edge=True)
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert any(value.startswith("people: at least 1.47") for _, value, _ in table.rows)
    assert "Protected: every edge, for none is read; no person." in str(section.blocks)


def test_another_method_that_has_an_option_of_the_network_cites_its_own_papers() -> None:
    spec = made_runs.spec("edge-rand", conv="gcn")
    assert set(papers([named(spec)])) == {"wu2022linkteller", "imola2022communication"}


def test_a_comparison_trains_the_network_of_the_gallery() -> None:
    networks = [one for one in comparing.specs("karate", "edge") if one.method == "gnn"]
    assert {one.options["conv"] for one in networks} == {"gcn"}


def test_a_model_without_privacy_has_no_promise_that_is_about_something_else(store: RunStore) -> None:
    run = _bare(store, "gnn")
    said = points(Asked(title="T", runs=[replace(run, attacks=[made_attack(run.record.id)])]))
    assert other_questions.NOT_THIS not in said["What attacks showed"]


def test_attacks_that_are_left_out_are_not_replaced_by_the_gallerys(store: RunStore) -> None:
    (own,) = told_of(store, (0,))
    alike = Twins(runs=[own.record], attacks=[made_attack(own.record.id)])
    line = Line(name="", label="ProGAP", record=own.record, untold=True)
    found = glance_attacks._strongest([line], {id(line): "ProGAP"}, {reporting.own_setting.setting(own.record): alike})
    assert found == {}
    open_ = replace(line, untold=False)
    assert glance_attacks._strongest([open_], {id(open_): "P"}, {reporting.own_setting.setting(own.record): alike})


def test_guessing_alone_closes_where_any_attack_finds_more(store: RunStore) -> None:
    runs = told_of(store, (0,))
    other = _bare(store, "gnn")
    found = [made_attack(runs[0].record.id, memory=2.0), made_attack(other.record.id, memory=0.0)]
    asked = Asked(title="T", runs=[replace(runs[0], attacks=found[:1]), replace(other, attacks=found[1:])])
    assert points(asked)["What attacks showed"].endswith(f"; {glance_attacks.GUESSING}.")


def _beside(store: RunStore, found: AttackRecord, asks: str = "who reads this") -> Drawn:
    (own,) = told_of(store, (0,))
    rows = [{**row, "asks": asks} for row in attack_areas.data([found], ["GAP"])]
    return Drawn(figure="attack_areas", rows=rows, runs=[own.record], beside=[replace(own, attacks=[found])])


def test_an_interval_that_holds_the_level_of_true_classes_is_no_more_than_that(store: RunStore) -> None:
    found = made_attack(memory=1.0)
    area, low, _ = found.found
    one = _beside(store, replace(found, attack="link", by_classes=(area + low) / 2))
    assert other_questions.of(one) == ""
    under = replace(
        one, beside=[replace(one.beside[0], attacks=[replace(found, attack="link", by_classes=low - 0.01)])]
    )
    assert other_questions.of(under)


def test_far_better_is_said_where_all_of_the_interval_is(store: RunStore) -> None:
    wide = replace(made_attack(memory=1.0), areas=(0.5, 0.7, 0.9))
    area, low, _ = wide.found
    assert low < 0.65 < area
    said = other_questions.of(_beside(store, wide))
    assert "is told better than by guessing" in said


def test_a_figure_of_several_questions_stands_under_none(store: RunStore) -> None:
    one = _beside(store, made_attack(memory=2.0))
    both = replace(one, rows=[*one.rows, {**one.rows[0], "asks": "who was trained on", "attack": "other"}])
    assert [asks for asks, _ in shown.of_attacks([both], [])] == [""]


def test_a_figure_of_more_settings_than_the_reports_keeps_its_clause_and_the_gallerys_answers_count(
    store: RunStore,
) -> None:
    one = _beside(store, found := made_attack(memory=2.0))
    line = Line(name="", label="ProGAP", record=one.runs[0], attacks=[found])
    more = replace(one, runs=[*one.runs, _bare(store, "gnn").record])
    assert shown.of_attacks([one], [line]) == [("", "See Figure 1.")]
    assert shown.of_attacks([more], [line])[0][1].startswith("Figure 1: GAP")
    assert "who was trained on" in dict(shown.of_attacks([more], []))
    assert "who was trained on" not in dict(shown.of_attacks([more], [], [[found]])), "the head speaks of it"


def test_what_similarity_tells_and_why_seeds_are_not_paired_is_short_at_a_glance(store: RunStore) -> None:
    edges = {"asks": "who is connected to whom", "by_classes": 0.81, "area_low": 0.79, "area_high": 0.83}
    rows = [{**edges, "attack": "MLP (ignores edges)", "area": 0.82, "epsilon": float("inf")},
            {**edges, "attack": "GAP", "area": 0.8, "epsilon": 1.0}]  # fmt: skip
    one = Drawn(figure="attack_areas", rows=rows)
    assert "Similarity alone" in verdicts.of(one)
    assert "Similarity alone" not in verdicts.drawn(one)
    weaker = Drawn(figure="tradeoff", rows=[], advice="**In short.** Take it.", unpaired="For others it is weaker.")
    (clause,) = shown.of_others([weaker])
    assert weaker.unpaired not in clause
    assert clause.count(shown.LESS) == 1


def test_a_row_over_several_that_becomes_one_run_has_its_seed(store: RunStore) -> None:
    runs = [_bare(store, seed=seed).record for seed in (5, 0)]
    own, came = replace(runs[0], gallery=False), replace(runs[1], gallery=True)
    other = told_of(store, (3,))[0].record
    figure = Drawn(figure="compare", rows=compare.data([own, came, other]), runs=[own, came, other])
    assert [row["seed"] for row in figure.rows if own.id in row["runs"].split()] == [None], "of two"
    rows = noises.split(figure, {naming.setting(own)}).rows
    assert [row["seed"] for row in rows if row["runs"].split() == [own.id]] == [5]


def test_how_well_it_works_has_both_ends(store: RunStore) -> None:
    (low,) = told_of(store, (0,), score=0.6)
    said = made_runs.statement(made_runs.edge_entries(9))
    high = reporting.told_of(store, made_runs.finish(store, made_runs.spec("gap"), 0.8, said))
    told = points(Asked(title="T", runs=[low, high]))["How well it works"]
    assert told.index("60.0%") < told.index("80.0%")


def test_brackets_are_explained_where_only_some_settings_have_them(store: RunStore) -> None:
    (plain,) = told_of(store, (0,))
    sampled = made_runs.finish(
        store, made_runs.spec(unit="node"), 0.7, made_runs.statement(made_runs.node_entries(4.0), "node")
    )
    blocks = tables.guarantees(
        [Line(name="", label="a", record=plain.record), Line(name="", label="b", record=sampled)], {}
    )
    assert any(tables.EXACT in block for block in blocks if isinstance(block, str))


def test_people_are_not_called_clearly_worse_than_a_guess_by_what_reads_no_edge(store: RunStore) -> None:
    said, more = made_runs.statement(made_runs.node_entries(4.0), "node"), {"majority_class_accuracy": 0.4}
    weak = [made_runs.finish(store, made_runs.spec("dp-mlp", unit="node", seed=seed), 0.4 + seed / 100, said, more=more)
            for seed in range(3)]  # fmt: skip
    high = [made_runs.finish(store, made_runs.spec("mlp", unit="none", seed=seed), 0.9, made_runs.statement((), "none"))
            for seed in range(3)]  # fmt: skip
    told = ranking.ranked([weak, high], 1)
    assert "not told from a guess" in told
    assert "clearly worse" not in told
