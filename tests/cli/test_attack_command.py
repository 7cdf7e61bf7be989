"""`privgraph attack`: what it prints where, its exit codes, and what is exported."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.figures.made_attacks import attack as made_attack
from tests.runs.runs_made_here import done

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main


def a_run() -> str:
    options = {"epochs": 2, "hidden": 8}
    return done(RunStore.open(), make_spec("dp-mlp", "social", options, data_options={"nodes": 120, "degree": 6}))


def test_what_leaves_names_no_node_that_an_attack_exposes(tmp_path: Path) -> None:
    store, run = RunStore.open(), a_run()
    made = replace(made_attack(), run=run)
    assert made.exposed
    store.add_attack(run, made)
    assert main(["export", run, "--format", "json", "--out", str(tmp_path)]) == 0
    (written,) = tmp_path.glob("*.json")
    (attack,) = json.loads(written.read_text())["attacks"]
    assert attack["attack"] == made.attack
    assert not {"exposed", "map_nodes", "map_edges"} & set(attack)


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["lirra"], 2, "there is no attack lirra"),
        (["lira", "--shadows", "many"], 2, "shadows must be a number (got many)"),
        (["lira", "--query", "alone"], 2, "cannot be asked about a node"),
        (["lira", "--shadows", "5"], 1, "5 shadow models are too few"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = a_run()
    assert main(["attack", run, *arguments]) == code
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err.splitlines()[-1]
