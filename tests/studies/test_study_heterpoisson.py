"""HeterPoisson's study: what it would run, and how its tables read."""

from __future__ import annotations

import dataclasses

import pytest

from privgraph.methods.gradients.heter_poisson import study as study_heterpoisson
from privgraph.runs.store import RunStore
from privgraph.studies import cells as study_cells


@pytest.mark.parametrize("name", study_heterpoisson.PARTS)
def test_every_cell_is_a_valid_run(name: str) -> None:
    part = study_heterpoisson.PARTS[name](["twitch-de"])
    assert part.name == name
    assert part.cells
    assert len(set(part.cells)) == len(part.cells)
    for cell in part.cells:
        assert cell.spec(0).config() is not None


def test_a_row_appears_with_its_first_run() -> None:
    store = RunStore.open()
    for name, title in (
        ("comparison", "Table 2"),
        ("noise", "Figure 5"),
        ("rule", "Figure 6"),
        ("neighbourhoods", "Figure 7"),
    ):
        part = study_heterpoisson.PARTS[name](["cora"])
        assert study_cells.tables(store, [part], range(1)) == "No run of the study has ended yet.\n"
        first = part.cells[0]
        run = store.get(store.submit(first.spec(0)))
        record = dataclasses.replace(run, metrics={"test_accuracy": 0.5})
        text = part.text(lambda cell, first=first, record=record: [record] if cell == first else [], store)  # type: ignore[misc]
        assert text.startswith(title)
        assert text.count("50.0") == 1
        assert len(text.splitlines()) == 5
    store.close()
