"""Rows that the gallery puts into the tables: each comes to its own run, though all come at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.figures.made_attacks import attack as made_attack
from tests.runs.test_gallery import SOCIAL, SPECS, shown, trained

from privgraph.runs import gallery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import audit_turns, audits, events, origins, runs


def _rows(store: RunStore, query: sa.Select[Any]) -> list[tuple[Any, ...]]:
    with store.database.read() as connection:
        return [tuple(_value(one) for one in row) for row in connection.execute(query)]


def _value(cell: Any) -> Any:
    """What a cell says; of a record whatever the order of its names."""
    return json.loads(cell) if isinstance(cell, str) and cell.startswith("{") else cell


def _opened(tmp_path: Path, name: str) -> RunStore:
    return RunStore.open(f"sqlite:///{tmp_path / name}.sqlite", tmp_path / name)


def test_rows_of_several_runs_come_to_their_own(tmp_path: Path) -> None:
    """Runs of no, one and several audits side by side, some turns of which came to nothing."""
    source, other = _opened(tmp_path, "source"), _opened(tmp_path, "other")
    specs = [SPECS[0], make_spec("mlp", "social", data_options=SOCIAL), SPECS[1]]
    first, bare, last = [trained(source, spec) for spec in specs]
    source.add_audit(first, shown(source, first))
    for _ in range(2):
        source.begin_audit(last)
        source.add_audit(last, shown(source, last))
    source.add_attack(last, made_attack(last))
    with source.database.submitting() as connection:
        connection.execute(runs.update().where(runs.c.id == bare).values(sound_epsilon=float("inf")))
    gallery.write(source, {"all": specs}, tmp_path / "gallery.json.xz")
    assert gallery.bring_in(other, tmp_path / "gallery.json.xz") == 3
    of_run = sa.select(runs.c.id).order_by(runs.c.id)
    for query in (
        of_run.add_columns(runs.c.sound_epsilon, runs.c.delta, runs.c.attempt, runs.c.test_accuracy),
        of_run.add_columns(origins.c.attempt, origins.c.version).join(origins, origins.c.run == runs.c.number),
        of_run.add_columns(audit_turns.c.turn, audits.c.record)
        .join(audit_turns, audit_turns.c.run == runs.c.number)
        .outerjoin(audits, audits.c.number == audit_turns.c.audit)
        .order_by(audit_turns.c.turn),
    ):
        came = _rows(other, query)
        assert came == _rows(source, query)
        assert len(came) >= 3
    assert {run: len(other.audits(run)) for run in (first, bare, last)} == {first: 1, bare: 0, last: 2}
    assert [len(other.attacks(run)) for run in (first, bare, last)] == [0, 0, 1]
    assert _rows(other, sa.select(runs.c.sound_epsilon).where(runs.c.id == bare)) == [(float("inf"),)]
    told = of_run.add_columns(events.c.sequence, events.c.attempt, events.c.kind, events.c.time).join(events)
    kept = {tuple(row[:-1]): row[-1] for row in _rows(source, told)}
    for *event, time in _rows(other, told):
        assert time == pytest.approx(kept[tuple(event)], abs=0.01, rel=0)
