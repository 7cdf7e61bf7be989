"""`privgraph compare` and `privgraph examples`: what is printed, and what is refused."""

from __future__ import annotations

import json

import pytest

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main

SMALL = ["--data-set", "nodes=120", "--data-set", "degree=6"]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.mark.long
def test_what_fits_is_trained_and_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["compare", "social", "--unit", "edge", "--epsilons", "2", "--seeds", "1", "--methods", "gap,edge-rand"]
    assert main([*asked, *SMALL, "--json"]) == 0
    told = capsys.readouterr()
    record = json.loads(told.out.splitlines()[-1])
    (advice,) = record["advice"]
    assert advice == {"epsilon": 2.0, "outcome": "unknown", "take": [], "at": 2.0}, "one seed each says nothing"
    assert {row["method"] for row in record["rows"]} == {"gap", "edge-rand", "mlp", "gnn"}
    assert all(row["epsilon"] <= 2 for row in record["rows"] if row["unit"] == "edge")
    assert "4 runs, about" in told.err
    assert RunStore.open().count(RunQuery(tags=("compare",), states=("done",))) == 4
    assert main([*asked, *SMALL]) == 0
    assert "EdgeRand" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("compare social --unit person", "unit must be one of edge, node"),
        ("compare products --unit node", "no method protects"),
        ("compare social --unit edge --epsilons 1,two", "epsilons must be positive numbers"),
        ("compare social --unit edge --epsilons -1", "epsilons must be positive numbers"),
        ("compare social --unit edge --seeds 0", "seeds must be from 1 to 20"),
        ("compare nowhere --unit edge", "nowhere"),
        ("examples --again", "say which"),
        ("examples no-such-run", "no-such-run"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    assert main(line.split()) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.long
def test_examples_are_listed_and_each_says_how_it_is_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "--json"]) == 0
    run = json.loads(capsys.readouterr().out)["social"][0]
    assert main(["examples"]) == 0
    assert f"  {run}" in capsys.readouterr().out
    assert main(["examples", run]) == 0
    told = capsys.readouterr().out
    assert f"privgraph examples {run} --again" in told
    assert main(["examples", run.removeprefix("example/"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["run"] == run
    assert main(["show", run, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["run"] == run
