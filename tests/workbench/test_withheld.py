"""What tells seeds is numbered, so that what was apart stays apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.withheld import Withheld


def test_equal_seeds_stay_equal_and_others_apart() -> None:
    hidden = Withheld()
    assert hidden.text("GAP, seed 11; ProGAP, seed 4; GAP, seed 11") == "GAP, seed #1; ProGAP, seed #1; GAP, seed #1"
    assert hidden.text("GAP, seed 4; ProGAP, seed 4") == "GAP, seed #2; ProGAP, seed #1", "each of its own setting"
    rows = hidden.rows([{"run": "a", "seed": 4, "value": 4}, {"run": "b", "seed": None, "value": 1.5}])
    assert rows == [{"run": "a", "seed": "#1", "value": 4}, {"run": "b", "seed": None, "value": 1.5}]
    assert hidden.labelled({"GAP, seed 11": 1}) == {"GAP, seed #1": 1}


@pytest.mark.parametrize("dataset", ["cora", "facebook-pages", "social"])
def test_an_id_and_its_end_are_one_run(dataset: str) -> None:
    hidden, run = Withheld(), make_spec("gnn", dataset, {}, seed=3).id
    other = make_spec("gnn", dataset, {}, seed=4).id
    assert hidden.text(f"{run} {other}") == "run-01 run-02"
    assert hidden.text(f"GNN ({other[-4:]})") == "GNN (run-02)"


def test_the_ends_of_a_range_of_seeds_are_numbered() -> None:
    assert Withheld().text("seeds 3 to 5, and seed 5") == "seeds #1 to #2, and seed #2"


def test_words_and_numbers_stay() -> None:
    assert Withheld().text("upload-16805cce52e2f00d-0123456789ab of upload:16805cce52e2f00d") == (
        "run-01 of upload:16805cce52e2f00d"
    )
    said = "three seeds, epsilon 8 (0.95), 2026-11-25, sha256, per-node, (1234567)"
    assert Withheld().text(said) == said


def test_a_run_keeps_what_it_found_and_loses_its_seed() -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    record = made_runs.finish(RunStore.open(), made_runs.spec(seed=5), 0.7, said)
    shown = Withheld().record(record)
    assert (shown.id, shown.spec.seed, shown.metrics) == ("run-01", 0, {"test_accuracy": 0.7})
    assert shown.statement == record.statement


def test_an_error_names_neither_run_nor_path_nor_seeds() -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    record = made_runs.finish(RunStore.open(), made_runs.spec(seed=5), 0.7, said)
    error = f"cannot write /home/ada/runs/{record.id}/answers.npz of {record.id}: seeds 5, 8 and 11, seed 8, 3 of 4"
    shown = Withheld().record(replace(record, error=error))
    assert shown.error == "cannot write (path withheld) of run-01: seeds #1, #2 and #3, seed #2, 3 of 4"


def test_a_run_loses_what_its_owner_noted() -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    record = made_runs.finish(RunStore.open(), made_runs.spec(seed=5), 0.7, said)
    shown = Withheld().record(replace(record, note="of Ada's clinic", batch="clinic"))
    assert (shown.note, shown.batch) == ("", "")
