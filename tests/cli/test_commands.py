"""Commands and what they leave behind."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.data import large_made_here
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack
from tests.pages.kept_runs import keep, spec
from tests.pages.test_tuned_runs import TERMS
from tests.tuning.worker_made_here import FACTS, MadeWorker, at_work

from privgraph.data.own.edges import Adjacency
from privgraph.home import home
from privgraph.options import parameters, parse
from privgraph.progress import Log
from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Mark, Trial
from privgraph_workbench.cli import main
from privgraph_workbench.commands.lists import COLUMNS, option_rows


def test_a_graph_that_is_not_added_to_its_end(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    files = [str(path) for path in large_made_here.write(tmp_path, "csv")]
    monkeypatch.setattr(Adjacency, "write", interrupted)
    assert main(["data", "add", *files]) == 130
    assert capsys.readouterr().err.endswith("privgraph: stopped; nothing of the graph was kept\n")
    assert list((home() / "uploads").iterdir()) == []


@pytest.mark.long
def test_no_command_that_trains_nothing_imports_torch(tmp_path: Path) -> None:
    code = (
        "import sys; from privgraph_workbench.cli import main; assert main(sys.argv[1:]) == 0; "
        "assert not {'torch', 'streamlit', 'plotly', 'matplotlib'} & set(sys.modules), 'slow imports'"
    )
    for line in ("list datasets", "list methods", "list runs", "account progap", "data list"):
        ran = subprocess.run([sys.executable, "-c", code, *line.split()], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr


def test_what_leaves_names_no_node_that_an_attack_exposes(store: RunStore, tmp_path: Path) -> None:
    run = keep(store, spec("dp-mlp", batch_size=8))
    made = replace(made_attack(), run=run)
    assert made.exposed
    store.add_attack(run, made)
    assert main(["export", run, "--format", "json", "--out", str(tmp_path)]) == 0
    (written,) = tmp_path.glob("*.json")
    (attack,) = json.loads(written.read_text())["attacks"]
    assert attack["attack"] == made.attack
    assert not {"exposed", "map_nodes", "map_edges"} & set(attack)


@pytest.mark.long
@pytest.mark.parametrize("tuned", [True, False])
def test_what_leaves_of_a_trial_tells_no_number_of_them(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tuned: bool
) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    events = [Log(message="worker 12 on cpu, 8 threads"), *made_runs.learning(3)]
    run = made_runs.finish(store, made_runs.spec(seed=3), 0.7, said, events).id
    find = RunStore.find

    def marked(self: RunStore, query: RunQuery) -> list[RunRecord]:
        mark = Mark(tuning="tune-gap-0", trial=Trial.RELEASED, terms=TERMS)
        return [replace(one, tuning=mark if tuned else None) for one in find(self, query)]

    monkeypatch.setattr(RunStore, "find", marked)
    assert main(["export", run, "--out", str(tmp_path), "--format", "json", "--format", "md"]) == 0
    text = (tmp_path / f"{run}.json").read_text()
    record = json.loads(text)
    timed = {"seconds", "peak_memory_mb", "attempt", "created", "started", "finished"} & set(record)
    assert (timed == set()) == tuned
    assert ("8 threads" in text) != tuned
    assert all(("time" in event) != tuned for event in record["events"])
    assert "metric" in [event["kind"] for event in record["events"]]
    assert ("- Seconds: " in (tmp_path / f"{run}.md").read_text()) != tuned


def strict(line: str) -> Any:
    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    return json.loads(line, parse_constant=refuse)


@pytest.mark.parametrize("name", METHODS)
def test_the_options_of_a_method(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """In the order of the configuration; what is shown as a default can be typed as it stands."""
    known = parameters(METHODS[name].load_config())
    assert main(["list", "options", name, "--json"]) == 0
    assert strict(capsys.readouterr().out) == option_rows(METHODS[name].load_config())
    assert main(["list", "options", name]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == list(COLUMNS["options"])
    places = [heading.index(word) for word in heading.split()]
    assert len(lines) == len(known)
    for line, one in zip(lines, known, strict=True):
        cells = [line[start:end].strip() for start, end in zip(places, [*places[1:], None], strict=True)]
        assert (cells[0], cells[1], cells[8]) == (one.name, one.type.__name__, one.option.help)
        assert parse(one, cells[2]) == one.default
        assert (cells[3], cells[7]) == (one.option.zero, one.option.unit)
        for choice in one.option.choices[:1]:
            assert cells[6].startswith(str(choice))


TUNE = ["tune", "gap", "--data", "karate", "--unit", "edge", "--set", "epochs=3"]


def test_the_price_is_told_without_training(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privgraph.tuning.request.describe", lambda *_, **__: FACTS)
    assert main([*TUNE, "--over", "depth=1,2", "--epsilon", "4", "--price"]) == 0
    assert "Trial epsilon with law fixed: 0." in capsys.readouterr().out
    assert main([*TUNE, "--accuracy", "0.8", "--price"]) == 0
    assert "at most 4 trials" in capsys.readouterr().out


def test_an_accuracy_that_is_out_of_reach_releases_nothing(store: RunStore) -> None:
    with at_work(MadeWorker(lambda spec: 0.5)):
        assert main([*TUNE, "--accuracy", "0.99", "--steps", "2", "--json"]) == 1
    assert store.count(RunQuery(states=("done",))) == 2


def test_the_smallest_epsilon_that_reaches_an_accuracy_is_told_with_what_looking_cost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with at_work(MadeWorker(lambda spec: 0.9 if float(spec.options["epsilon"]) > 1 else 0.2)):
        assert main([*TUNE, "--accuracy", "0.8", "--steps", "2", "--lowest", "0.5", "--highest", "8"]) == 0
    said = capsys.readouterr().out
    assert "Reached at epsilon: 2\n" in said
    assert float(said.split("Epsilon paid in all: ")[1].split()[0]) > 2
    assert "chosen by a tuning" in said
