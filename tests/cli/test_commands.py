"""The command line as other tools use it: JSON keys, sentences, exit codes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.data import large_made_here

from privgraph.data.large.edges import Adjacency
from privgraph.home import home
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main


def usage(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The sentence that bad usage gets; nothing is printed beside it, and no run is stored."""
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("privgraph: ")
    return said.err.removeprefix("privgraph: ").strip()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "say what to do: one of app, run"),
        ("rnu mlp", "there is no command rnu; .*did you mean run"),
        ("run progab --data karate", "there is no method progab; .*did you mean progap"),
        ("run mlp --data karatte", "there is no data set karatte; did you mean karate"),
        ("run mlp", "the following arguments are required: --data"),
        ("run mlp --data karate --epsilon 0", "epsilon must be at least 0.01 .got 0"),
        ("run mlp --data karate --epsilon much", "epsilon must be a number .got much"),
        ("run mlp --data karate --unit egde", "unit must be one of .*did you mean edge"),
        ("run mlp --data karate --seed x", "seed must be a whole number .got x"),
        ("run mlp --data karate --device gpu", "device must be one of auto, cpu, cuda"),
        ("run mlp --data karate --set epochs", "--set takes KEY=VALUE .got epochs"),
        ("run mlp --data karate --set epoch=3", "there is no option epoch; .*did you mean epochs"),
        (
            "run mlp --data karate --epochs 3",
            "has no flag --epochs; an option of the method is given as --set epochs=VALUE",
        ),
        ("run mlp --data karate --data-set nodes=3", "has no options of its own"),
        ("run mlp --data social --data-set nodes=3", "nodes must be at least 20"),
        ("list method", "there is no list of method; .*did you mean methods"),
        ("list options", "list options needs the name of a method .see: privgraph list methods"),
        ("list options progap gap", "privgraph list does not know what to do with gap"),
        ("show no-such-run", "there is no run no-such-run"),
        ("data shw", "takes one of list, show, check, path, add .*did you mean show"),
        ("data show", "needs the name of a data set"),
        ("data add", "data add needs files"),
        ("account progap --nodes 10 --edges 46", "edges must be at most the number of pairs of 10 nodes"),
        ("account mlp --data-set nodes=50", "--data-set needs --data"),
        ("account relational --data karate", "is for relation prediction, not for node classification"),
        ("app --port x", "invalid int value"),
    ],
)
def test_bad_usage_gets_one_sentence(capsys: pytest.CaptureFixture[str], line: str, sentence: str) -> None:
    assert re.search(sentence, usage(capsys, *line.split()))
    assert RunStore.open().count() == 0


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


def test_a_store_that_cannot_be_used_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for url, sentence in (
        ("mysql://here/runs", "must be SQLite or PostgreSQL (got mysql)"),
        ("nonsense", "must be a database URL"),
        ("postgresql+psycopg://me:secret@127.0.0.1:9/runs", "does not answer"),
    ):
        monkeypatch.setenv("PRIVGRAPH_STORE", url)
        assert main(["list", "runs"]) == 1
        said = capsys.readouterr().err
        assert sentence in said
        assert "secret" not in said
        assert said.count("\n") == 1


@pytest.mark.long
def test_no_command_that_trains_nothing_imports_torch(tmp_path: Path) -> None:
    code = (
        "import sys; from privgraph_workbench.cli import main; assert main(sys.argv[1:]) == 0; "
        "assert not {'torch', 'streamlit', 'plotly', 'matplotlib'} & set(sys.modules), 'slow imports'"
    )
    for line in ("list datasets", "list methods", "list runs", "account progap", "data list"):
        ran = subprocess.run([sys.executable, "-c", code, *line.split()], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
