"""Commands and what they leave behind."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.data import large_made_here
from tests.figures.made_attacks import attack as made_attack
from tests.pages.kept_runs import keep, spec

from privgraph.data.large.edges import Adjacency
from privgraph.home import home
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main


def test_a_graph_that_is_not_added_to_its_end(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    files = [str(path) for path in large_made_here.write(tmp_path, "csv")]
    monkeypatch.setattr(Adjacency, "write", interrupted)
    assert main(["data", "add", *files]) == 130
    assert capsys.readouterr().err.endswith("privgraph: stopped; nothing of the graph was kept\n")
    assert list(home().glob("cache/large/*")) == []


@pytest.mark.long
def test_no_command_that_trains_nothing_imports_torch(tmp_path: Path) -> None:
    code = (
        "import sys; from privgraph_workbench.cli import main; assert main(sys.argv[1:]) == 0; "
        "assert not {'torch', 'streamlit', 'plotly', 'matplotlib'} & set(sys.modules), 'slow imports'"
    )
    for line in ("list datasets", "list methods", "list runs", "account progap", "data list"):
        ran = subprocess.run([sys.executable, "-c", code, *line.split()], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr


def test_what_leaves_names_no_node_that_an_attack_exposes(tmp_path: Path) -> None:
    store = RunStore.open()
    run = keep(store, spec("dp-mlp", batch_size=8))
    made = replace(made_attack(), run=run)
    assert made.exposed
    store.add_attack(run, made)
    assert main(["export", run, "--format", "json", "--out", str(tmp_path)]) == 0
    (written,) = tmp_path.glob("*.json")
    (attack,) = json.loads(written.read_text())["attacks"]
    assert attack["attack"] == made.attack
    assert not {"exposed", "map_nodes", "map_edges"} & set(attack)
