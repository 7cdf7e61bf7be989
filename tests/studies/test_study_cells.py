"""Studies that are made of cells: what they would run, and how their tables read."""

import dataclasses
from collections.abc import Callable

import pytest

from privgraph.methods.gradients.heter_poisson import study as heter_poisson
from privgraph.methods.prompts.dp_gpl import study as dp_gpl
from privgraph.methods.relations.relational import study as relational
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph.studies import cells as study_cells
from privgraph.studies.cells import Cell, Part

PARTS: list[tuple[str, Callable[..., Part], list[str]]] = [
    *((name, dp_gpl.PARTS[name], ["dblp"]) for name in dp_gpl.PARTS),
    *((name, heter_poisson.PARTS[name], ["twitch-de"]) for name in heter_poisson.PARTS),
    *((name, relational.PARTS[name], list(relational.DOMAINS)) for name in relational.PARTS),
]
TITLES = [
    *((dp_gpl.PARTS["queries"], "Figure 7"), (dp_gpl.PARTS["gradients"], "All private nodes")),
    *((dp_gpl.PARTS["dpsgd"], "Table 6"), (dp_gpl.PARTS["few-shot"], "Table 5")),
    (dp_gpl.PARTS["overview"], "Our defaults"),
    *((heter_poisson.PARTS["comparison"], "Table 2"), (heter_poisson.PARTS["noise"], "Figure 5")),
    *((heter_poisson.PARTS["rule"], "Figure 6"), (heter_poisson.PARTS["neighbourhoods"], "Figure 7")),
]


@pytest.mark.parametrize(("name", "make", "data"), PARTS)
def test_every_cell_is_a_valid_run(name: str, make: Callable[..., Part], data: list[str]) -> None:
    part = make(data)
    assert part.name == name
    assert part.cells
    for cell in part.cells:
        assert cell.spec(0).config() is not None


def told(store: RunStore, part: Part, metrics: dict[str, float]) -> str:
    """The tables of a part whose first cell alone is done."""
    assert study_cells.tables(store, [part], range(1)) == "No run of the study has ended yet.\n"
    first = part.cells[0]
    record: RunRecord = dataclasses.replace(store.get(store.submit(first.spec(0))), metrics=metrics)
    return part.text(lambda cell: [record] if cell == first else [], store)


@pytest.mark.parametrize(("make", "title"), TITLES)
def test_a_row_appears_with_its_first_run(make: Callable[..., Part], title: str, store: RunStore) -> None:
    text = told(store, make(["cora"]), {"test_accuracy": 0.5})
    assert text.startswith(title)
    assert text.count("50.0") == 1
    assert len(text.splitlines()) == 5


def test_tables_of_relations_hold_what_runs_have_reached(store: RunStore) -> None:
    names = ("accuracy", "mrr", "few_shot_accuracy", "few_shot_mrr", "macro_f1", "micro_f1")
    metrics = {f"base_{name}": number / 100 for number, name in enumerate(names, start=11)}
    metrics |= {f"test_{name}": number / 100 for number, name in enumerate(names, start=31)}
    one, two, three = told(store, relational.comparison([relational.STUDIED]), metrics).split("Table ")[1:]
    for table, base, test in (
        (one, "| base | 11.0 | 12.0 |", "| ∞ | 31.0 | 32.0 |"),
        (two, "| base | 13.0 | 14.0 |", "| ∞ | 33.0 | 34.0 |"),
        (three, "| base | 15.0 | 16.0 |", "| ∞ | 35.0 | 36.0 |"),
    ):
        assert base in table
        assert test in table
        assert table.count("products, kitchen → garden") == 2
        assert "garden → kitchen" not in table


def test_figures_of_relations_move_one_option_each(store: RunStore) -> None:
    part = relational.options([relational.STUDIED])
    moved = {name for cell in part.cells for name, _ in cell.options}
    assert moved == {"accounting", "negatives", "batch_size", "learning_rate", "clip", "noise_multiplier"}
    assert "| negatives k | 1 | 25.0 | 50.0 |" in told(store, part, {"test_accuracy": 0.25, "test_mrr": 0.5})


def test_settings_of_one_row_of_dp_gpl() -> None:
    uniform, plain, open_, weighted, ranked = (
        cell.spec(0).config().resolved() for cell in dp_gpl.settings("cora", "gat", {"prompt": "gppt"})
    )
    assert (plain.threshold, plain.gate_sigma, plain.vote_sigma) == (170, 5, 100)
    assert (open_.gate_sigma, open_.vote_sigma, open_.shots) == (0, 100, 5)
    assert (weighted.weighting, ranked.weighting) == ("centrality", "private-centrality")
    assert uniform.epsilon == ranked.epsilon == 2
    assert {config.delta for config in (uniform, plain, open_, weighted, ranked)} == {dp_gpl.DELTA}
    assert {config.prompt for config in (uniform, plain, open_, weighted, ranked)} == {"gppt"}


@pytest.mark.long
def test_a_cell_that_is_done_is_told_and_not_trained_again(store: RunStore) -> None:
    quick = {"teachers": 3, "queries": 5, "hidden": 8, "pretrain_epochs": 2, "epochs": 2, "student_epochs": 2}
    cell = Cell.of("dp-gpl", "karate", quick)
    run = store.submit(cell.spec(0), tags=[dp_gpl.TAG])
    part = Part("one", (cell,), lambda read, _: study_cells.priced(read(cell)))
    assert "No run" in study_cells.tables(store, [part], range(1))
    (records,) = study_cells.train(store, part, range(1), dp_gpl.TAG, 4)
    assert [(record.state, record.error) for record in records] == [("done", "")]
    assert "(sound 2, published" in study_cells.tables(store, [part], range(1))
    finished = store.get(run).finished
    (again,) = study_cells.train(store, part, range(1), dp_gpl.TAG, 4)
    assert again[0].finished == finished
