"""`privgraph tune`: trained by workers, told in words and as JSON, refused in one sentence."""

from __future__ import annotations

import json

import pytest
from tests.tuning.worker_made_here import FACTS, MadeWorker, at_work

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main

GAP = ["tune", "gap", "--data", "karate", "--unit", "edge", "--set", "epochs=3"]


def test_the_price_is_told_without_training(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [*GAP, "--over", "depth=1,2", "--epsilon", "4", "--price"]
    monkeypatch.setattr("privgraph.tuning.request.describe", lambda *_, **__: FACTS)
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "about 20 trials, how many is drawn and not told" in said
    assert "Papernot and Steinke 2022, Theorem 2" in said
    assert "Epsilon of a trial alone with --law fixed: 0." in said
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["epsilon"] <= 4
    assert main([*GAP, "--accuracy", "0.8", "--price"]) == 0
    assert "at most 4 trials" in capsys.readouterr().out
    assert not RunStore.open().count()


def test_an_accuracy_that_is_out_of_reach_releases_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with at_work(MadeWorker(lambda spec: 0.5)):
        assert main([*GAP, "--accuracy", "0.99", "--steps", "2"]) == 1
    said = capsys.readouterr().out
    assert "Released: nothing" in said
    assert RunStore.open().count(RunQuery(states=("done",))) == 2


def test_the_smallest_epsilon_that_reaches_an_accuracy_is_told_with_what_looking_cost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with at_work(MadeWorker(lambda spec: 0.9 if float(spec.options["epsilon"]) > 1 else 0.2)):
        assert main([*GAP, "--accuracy", "0.8", "--steps", "2", "--lowest", "0.5", "--highest", "8"]) == 0
    said = capsys.readouterr().out
    assert "Reached at epsilon: 2\n" in said
    assert float(said.split("Epsilon paid in all: ")[1].split()[0]) > 2
    assert "chosen by a tuning" in said
