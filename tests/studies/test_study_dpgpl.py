"""DP-GPL's study: what it would run, how its tables read, and that it goes on where it was."""

from __future__ import annotations

import dataclasses

import pytest

from privgraph.methods.prompts.dp_gpl import study as study_dpgpl
from privgraph.runs.store import RunStore
from privgraph.studies import cells as study_cells
from privgraph.studies.cells import Cell, Part


@pytest.mark.parametrize("name", study_dpgpl.PARTS)
def test_every_cell_is_a_valid_run(name: str) -> None:
    part = study_dpgpl.PARTS[name](["dblp"])
    assert part.name == name
    assert part.cells
    for cell in part.cells:
        assert cell.spec(0).config() is not None


def test_settings_of_one_row() -> None:
    uniform, plain, open_, weighted, ranked = (
        cell.spec(0).config().resolved() for cell in study_dpgpl.settings("cora", "gat", {"prompt": "gppt"})
    )
    assert (plain.threshold, plain.gate_sigma, plain.vote_sigma) == (170, 5, 100)
    assert (open_.gate_sigma, open_.vote_sigma, open_.shots) == (0, 100, 5)
    assert (weighted.weighting, ranked.weighting) == ("centrality", "private-centrality")
    assert uniform.epsilon == ranked.epsilon == 2
    assert {config.delta for config in (uniform, plain, open_, weighted, ranked)} == {study_dpgpl.DELTA}
    assert {config.prompt for config in (uniform, plain, open_, weighted, ranked)} == {"gppt"}


def test_a_row_appears_with_its_first_run() -> None:
    """What each part's tables would be, were one of its cells done."""
    store = RunStore.open()
    for name, title in (
        ("queries", "Figure 7"),
        ("gradients", "All private nodes"),
        ("dpsgd", "Table 6"),
        ("few-shot", "Table 5"),
        ("overview", "Our defaults"),
    ):
        part = study_dpgpl.PARTS[name](["cora"])
        first = part.cells[0]
        run = store.get(store.submit(first.spec(0)))
        record = dataclasses.replace(run, metrics={"test_accuracy": 0.5})
        text = part.text(lambda cell, first=first, record=record: [record] if cell == first else [], store)  # type: ignore[misc]
        assert text.startswith(title)
        assert text.count("50.0") == 1
        assert len(text.splitlines()) == 5
    store.close()


@pytest.mark.long
def test_a_cell_that_is_done_is_told_and_not_trained_again() -> None:
    cell = Cell.of(
        "dp-gpl",
        "karate",
        {"teachers": 3, "queries": 5, "hidden": 8, "pretrain_epochs": 2, "epochs": 2, "student_epochs": 2},
    )
    store = RunStore.open()
    spec = cell.spec(0)
    run = store.submit(spec, tags=[study_dpgpl.TAG])
    part = Part("one", (cell,), lambda read, _: study_cells.priced(read(cell)))
    assert "No run" in study_cells.tables(store, [part], range(1))
    (records,) = study_cells.train(store, part, range(1), study_dpgpl.TAG, 4)
    assert [(record.state, record.error) for record in records] == [("done", "")]
    told = study_cells.tables(store, [part], range(1))
    assert "(sound 2, published" in told
    finished = store.get(run).finished
    (again,) = study_cells.train(store, part, range(1), study_dpgpl.TAG, 4)
    assert again[0].finished == finished
    store.close()
