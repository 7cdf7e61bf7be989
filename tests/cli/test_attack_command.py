"""`privgraph attack`: what it prints where, its exit codes, and what is exported."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.figures.made_attacks import attack as made_attack
from tests.runs.runs_made_here import done

import privgraph as pg
from privgraph.attacks.record import AttackRecord
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main
from privgraph_workbench.commands.examine import attack_lines
from privgraph_workbench.leaks import Leak, outcomes

COMMAND = [sys.executable, "-m", "privgraph_workbench.cli"]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def a_run() -> str:
    options = {"epochs": 2, "hidden": 8}
    return done(RunStore.open(), make_spec("dp-mlp", "social", options, data_options={"nodes": 120, "degree": 6}))


@pytest.mark.long
def test_an_attack_and_everything_after_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = a_run()
    command = [*COMMAND, "attack", run[:20], "rmia", "--shadows", "14", "--targets", "2", "--online", "no", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    (line,) = ran.stdout.splitlines()
    record = AttackRecord.from_json(json.loads(line))
    assert (record.run, record.attack, record.models, record.options.online) == (run, "rmia", 16, False)
    assert ran.stderr.startswith("Pairwise comparison (RMIA): 16 trainings like the run's own")
    assert RunStore.open().attacks(run) == [record]
    assert main(["export", run, "--out", str(tmp_path), "--format", "json", "--format", "md"]) == 0
    exported = json.loads((tmp_path / f"{run}.json").read_text())
    names = {"exposed", "map_nodes", "map_edges"}  # nodes that an attack exposes are for the evaluator's eyes
    assert exported["attacks"] == [{key: value for key, value in json.loads(line).items() if key not in names}]
    assert f"## Attack 1\n- Run: {run}\n- Attack: {record.title}\n" in (tmp_path / f"{run}.md").read_text()
    capsys.readouterr()
    assert main(["show", run]) == 0
    (told,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("Attack "))
    assert told.startswith(f"Attack {record.title}: {record.found[0]:.3f} (")
    assert f"), {outcomes(RunStore.open(), run)[0][1]}" in told
    assert (record.bound is None) == ("epsilon at least" not in told)

    # Python says the same of the run
    store = RunStore.open()
    found = pg.attack(pg.Run(store.get(run), store), "rmia", shadows=14, targets=2, online=False)
    assert (record.turn, found.turn) == (1, 2)
    alone = {"seconds": 0.0, "turn": 0, "notes": (), "bound": 0.0}  # a later turn has to be surer
    assert replace(found, **alone) == replace(record, **alone)  # type: ignore[arg-type]


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


def test_an_attack_in_plain_lines() -> None:
    made = made_attack(targets=3)
    found = replace(
        made.outcome, members=120, others=40, area=0.61, area_low=0.55, area_high=0.66, balanced_accuracy=0.58
    )
    record = replace(
        made, title="Told", run="a-run", outcome=found, areas=(0.61, 0.7, 0.79), bound=2.34567, sound=1.23456,
        delta=1e-5, models=27, seconds=1.25, knows=("it asks",), notes=("by the way",),
    )  # fmt: skip
    lines = dict(attack_lines(record, Leak.SOME))
    assert (lines["Run"], lines["Attack"], lines["Outcome"]) == ("a-run", "Told", Leak.SOME)
    # of three, by Student's t: 4.303 times 0.09 by the root of 3
    assert lines["Area under the ROC curve"] == "0.700 (0.476 to 0.924)"
    assert lines["Attacked models"] == "3, 0.610 to 0.790"
    # of 40 others, one in a hundred is less than one
    assert [name for name in lines if name.startswith("True positives")] == ["True positives at 5.0% false positives"]
    assert lines["Balanced accuracy of the best threshold"] == "58.0%"
    assert lines["Targets"] == "120 nodes trained on, 40 nodes not trained on"
    assert (lines["Epsilon at least"], lines["Sound epsilon"], lines["Delta"]) == ("2.34", "1.235", "1e-05")
    assert (lines["Sound epsilon refuted"], lines["Attacker"], lines["Note"]) == ("yes", "it asks", "by the way")
    assert dict(attack_lines(replace(record, sound=2.4)))["Sound epsilon refuted"] == "no"


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


def test_the_list_of_attacks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "attacks", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == list(pg.ATTACKS)
    assert {option["name"] for option in rows[0]["options"]} >= {"shadows", "targets", "query"}
