"""The study of private relations: what it would run, and how its tables read."""

from __future__ import annotations

import dataclasses

import pytest

from privgraph.data.catalogue import dataset
from privgraph.methods.relations.relational import study
from privgraph.runs.store import RunStore
from privgraph.studies import cells as study_cells


@pytest.mark.parametrize("name", study.PARTS)
def test_every_cell_is_a_valid_run(name: str) -> None:
    part = study.PARTS[name](list(study.DOMAINS))
    assert part.name == name
    assert len(set(part.cells)) == len(part.cells) > 0
    for cell in part.cells:
        assert cell.spec(0).config() is not None


def test_the_domains_are_those_of_the_data() -> None:
    for name, (one, other) in study.DOMAINS.items():
        assert {one, other} <= set(dataset(name).domains), name


def test_each_domain_is_learnt_from_and_predicted_in_at_every_level() -> None:
    cells = study.comparison([study.STUDIED]).cells
    asked = {(dict(cell.options)["trained_on"], dict(cell.options)["tested_on"]) for cell in cells}
    assert asked == {("kitchen", "garden"), ("garden", "kitchen")}
    assert len(cells) == 2 * len(study.LEVELS)
    assert {(cell.method, dict(cell.options).get("epsilon")) for cell in cells} == {
        ("relational", None),
        ("relational", 10.0),
        ("relational", 4.0),
        ("relation-rand", 10.0),
        ("relation-rand", 4.0),
    }
    assert all(dict(cell.options)["shots"] == 16 for cell in cells)


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
    assert moved == {"negatives", "batch_size", "learning_rate", "clip", "noise_multiplier"}
    store = RunStore.open()
    first = part.cells[0]
    run = store.get(store.submit(first.spec(0)))
    record = dataclasses.replace(run, metrics={"test_accuracy": 0.25, "test_mrr": 0.5})
    text = part.text(lambda cell: [record] if cell == first else [], store)
    assert "| negatives k | 1 | 25.0 | 50.0 |" in text
    store.close()
