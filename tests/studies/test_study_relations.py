"""The study of private relations: what it would run, and how its tables read."""

from __future__ import annotations

import dataclasses

import pytest
from tests.figures.made_attacks import attack

from privgraph.methods.relations.relational import study
from privgraph.runs.store import RunStore
from privgraph.studies import cells as study_cells
from privgraph.studies import relation_attacks


@pytest.mark.parametrize("name", study.PARTS)
def test_every_cell_is_a_valid_run(name: str) -> None:
    part = study.PARTS[name](list(study.DOMAINS))
    assert part.name == name
    assert len(set(part.cells)) == len(part.cells) > 0
    for cell in part.cells:
        assert cell.spec(0).config() is not None


def test_tables_hold_what_runs_have_reached() -> None:
    store = RunStore.open()
    part = study.comparison([study.STUDIED])
    assert study_cells.tables(store, [part], range(1)) == "No run of the study has ended yet.\n"
    first = part.cells[0]
    run = store.get(store.submit(first.spec(0)))
    names = ("accuracy", "mrr", "few_shot_accuracy", "few_shot_mrr", "macro_f1", "micro_f1")
    metrics = {f"base_{name}": number / 100 for number, name in enumerate(names, start=11)}
    metrics |= {f"test_{name}": number / 100 for number, name in enumerate(names, start=31)}
    record = dataclasses.replace(run, metrics=metrics)
    text = part.text(lambda cell: [record] if cell == first else [], store)
    one, two, three = text.split("Table ")[1:]
    for told, base, test in (
        (one, "| base | 11.0 | 12.0 |", "| ∞ | 31.0 | 32.0 |"),
        (two, "| base | 13.0 | 14.0 |", "| ∞ | 33.0 | 34.0 |"),
        (three, "| base | 15.0 | 16.0 |", "| ∞ | 35.0 | 36.0 |"),
    ):
        assert base in told
        assert test in told
        assert told.count("products, kitchen → garden") == 2
        assert "garden → kitchen" not in told
    store.close()


def test_figures_move_one_option_each() -> None:
    part = study.options([study.STUDIED])
    moved = {name for cell in part.cells for name, _ in cell.options}
    assert moved == {"accounting", "negatives", "batch_size", "learning_rate", "clip", "noise_multiplier"}
    store = RunStore.open()
    first = part.cells[0]
    run = store.get(store.submit(first.spec(0)))
    record = dataclasses.replace(run, metrics={"test_accuracy": 0.25, "test_mrr": 0.5})
    text = part.text(lambda cell: [record] if cell == first else [], store)
    assert "| negatives k | 1 | 25.0 | 50.0 |" in text
    store.close()


def test_table_4_is_of_attacks_on_runs_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore.open()
    assert list(relation_attacks.cells()) == list(study.LEVELS)
    bare, private = (relation_attacks.cells()[level] for level in ("∞", "10"))
    runs = {cell: [store.get(store.submit(cell.spec(seed))) for seed in (0, 1)] for cell in (bare, private)}
    monkeypatch.setattr(relation_attacks, "done", lambda _, cell, __: runs.get(cell, []))
    memory = {run.id: strength for cell, strength in ((bare, 2.0), (private, 0.0)) for run in runs[cell]}
    kept = {
        run: dataclasses.replace(
            attack(run, name="relations", memory=strong, targets=1, seed=place), signed_rank=0.25, bound=place / 10
        )
        for place, (run, strong) in enumerate(memory.items())
    }
    monkeypatch.setattr(relation_attacks, "found", lambda _, run, *__: kept.get(run.id))
    told = relation_attacks.text(store, (0, 1))
    for level, cell, bound in (("∞", bare, ">= 0.1"), ("10", private, ">= 0.3")):
        seen = [kept[run.id].outcome for run in runs[cell]]
        (line,) = (line for line in told.splitlines() if line.startswith(f"| {level} |"))
        cut = [entry.strip() for entry in line.split("|")[2:-1]]
        assert cut[0].split()[0] == f"{50 * sum(one.rates[-1].true for one in seen):.1f}"
        assert cut[1].split()[0] == f"{50 * sum(one.area for one in seen):.1f}"
        assert cut[2:] == ["0.25, 0.25", bound]
    assert "| 4 |" not in told
    store.close()
