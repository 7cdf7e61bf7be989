"""Many settings in one table: a line each, no column without content, and attacks by what they ask."""

from __future__ import annotations

from dataclasses import replace

from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.attacks.record import AttackRecord
from privgraph.privacy.kinds import Adversary
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import attack_table, compact_table, tables
from privgraph_workbench.blocks import Block, Remark, Table
from privgraph_workbench.table_lines import Line
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import number


def _audited(record: RunRecord, bound: float) -> RunRecord:
    return replace(record, epsilon_audited=bound, audit_confidence=0.95, adversary=Adversary.WORST_CASE)


def _lines() -> list[Line]:
    """Two settings of three seeds each."""
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    found = []
    for method in ("gap", "progap"):
        held = [
            made_runs.finish(store, made_runs.spec(method=method, seed=seed), 0.7 + seed / 100, said)
            for seed in range(3)
        ]
        found.append(Line(name=method, label=f"{method}, edge ε 1", record=held[0], same=held))
    return found


def _tables(told: list[Block]) -> list[Table]:
    return [one for one in told if isinstance(one, Table)]


def _said(told: list[Block]) -> str:
    return " ".join(one for one in told if isinstance(one, str))


def test_a_setting_is_a_line_of_numbers_with_units_in_the_head() -> None:
    lines = _lines()
    told = compact_table.told(lines, {})
    (table,) = _tables(told)
    assert table.head[-1] == "Test accuracy (95% interval; seeds)"
    assert table.rows[0][-1] == "71.0% (68.5 to 73.5; 3)"
    whole = tables.in_words(lines, {}, warned=True)
    assert [row[1] for row in table.rows] == [row[2] for row in whole.rows], "each sound ε, with its notes"
    assert [row[2] for row in table.rows] == [row[3] for row in whole.rows], "and each as published"


def test_no_column_is_empty_for_all() -> None:
    audited = EPSILONS["audited"].title
    lines = _lines()
    (bare,) = _tables(told := compact_table.told(lines, {}))
    assert audited not in bare.head
    assert compact_table.NO_BOUND in _said(told)
    assert compact_table.UNATTACKED.format("any of these settings") in _said(told)
    (table,) = _tables(
        told := compact_table.told([replace(lines[0], record=_audited(lines[0].record, 0.2)), lines[1]], {})
    )
    at = table.head.index(audited)
    assert "at least 0.2" in table.rows[0][at]
    assert table.rows[1][at] == ""
    assert compact_table.EMPTY_BOUND in _said(told)
    assert "none yet" not in str(told)
    assert all(any(row[place] for row in table.rows) for place in range(len(table.head)))


def _attacked(line: Line, *attacks: AttackRecord) -> Line:
    return replace(line, attacks=[replace(one, run=line.record.id) for one in attacks])


def test_attacks_stand_by_what_they_ask_with_all_their_numbers() -> None:
    first, second = _lines()
    one = made_attack(first.record.id)
    told = compact_table.told([_attacked(first, one), second], {})
    _, attacks = _tables(told)
    asks = attack_table.table([_attacked(first, one)], {})[0]
    assert isinstance(asks, Table)
    assert len(attacks.rows) == 1, "the one that was not attacked has no row"
    label, _, name, area, rate = asks.rows[0]
    assert attacks.rows[0] == (label, name, area, rate)
    assert any(isinstance(each, Remark) and asks.rows[0][1] in each.text for each in told)
    assert compact_table.UNATTACKED.format("the other setting") in _said(told)
    assert "none made" not in str(told)


def test_notes_stand_in_one_paragraph_and_what_two_share_is_one_note() -> None:
    store = RunStore.open()
    said = made_runs.statement(made_runs.edge_entries(9))
    assert said.epsilon > 0
    lines = [
        Line(
            name=str(seed),
            label=str(seed),
            record=_audited(made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said), 0.1 * seed),
        )
        for seed in (1, 2)
    ]
    told = compact_table.told(lines, {})
    (notes,) = [one for one in told if isinstance(one, str) and one.startswith("[1]")]
    assert notes.count("Audited: confidence 95%") == 1
    assert "[2]" in notes
    assert number(0.1) in str(told)
