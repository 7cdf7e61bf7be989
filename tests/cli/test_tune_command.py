"""`privgraph tune`: trained by workers, told in words and as JSON, refused in one sentence."""

from __future__ import annotations

import json

import pytest
from tests.tuning.worker_made_here import FACTS, MadeWorker, at_work

import privgraph as pg
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph.runs.trials import NOT_RELEASED
from privgraph_workbench.cli import main

GAP = ["tune", "gap", "--data", "karate", "--unit", "edge", "--set", "epochs=3"]
CHOOSE = [*GAP, "--over", "depth=1,2", "--law", "fixed", "--trials", "2", "--epsilon", "3"]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)


@pytest.mark.long
def test_options_are_chosen_and_the_release_holds_the_price(capsys: pytest.CaptureFixture[str]) -> None:
    """Here, in Python and when it is asked again it is one and the same tuning."""
    assert main([*CHOOSE, "--json"]) == 0
    told = capsys.readouterr()
    record = json.loads(told.out.splitlines()[-1])
    released = record["released"]
    assert released["privacy"]["epsilon"] == record["terms"]["epsilon"] <= 3
    assert released["tuning"]["trial"] == "released"
    assert released["tuning"]["id"] == record["tuning"]
    assert "Trials: 2 trials\nEpsilon of all trials: " in told.err
    store = RunStore.open()
    assert store.count(RunQuery(states=("done",), batch=record["tuning"])) == 2

    assert main(CHOOSE) == 0
    again = capsys.readouterr()
    assert f"{record['tuning']} is done" in again.err
    assert f"Tuning: chosen by a tuning {record['tuning']}" in again.out
    tuned = pg.tune("gap", on="karate", unit="edge", epochs=3, over={"depth": [1, 2]}, law="fixed", trials=2, epsilon=3)
    assert tuned.id == record["tuning"]
    assert tuned.best is not None
    assert tuned.best.id == released["run"]
    assert tuned.epsilon == tuned.best.epsilon
    assert len(tuned.tried) == 2
    assert "is released, sound epsilon" in repr(tuned)

    assert main(["list", "runs", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert sorted(row["tuning"] for row in rows) == ["chosen by a tuning", NOT_RELEASED]
    (other,) = (row["id"] for row in rows if row["tuning"] == NOT_RELEASED)
    assert main(["show", other]) == 0
    assert f"Tuning: {NOT_RELEASED}" in capsys.readouterr().out


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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tune gap --data karate --epsilon 2", "say what to choose"),
        ("tune gap --data karate --over depth=1,2", "what the whole tuning may cost"),
        ("tune gap --data karate --over depth --epsilon 2", "--over"),
        ("tune gap --data karate --over depth=1,2 --epsilon two", "epsilon must be a number"),
        ("tune gap --data karate --over depth=1,2 --epsilon 2 --sampler tpe", "independent trials alone"),
        ("tune gap --data karate --over depth=1,2 --epsilon 2 --law uniform", "law must be one of"),
        ("tune dp-gnn --data karate --over hidden=8,16 --epsilon 2", "no validation accuracy"),
        ("tune dp-mlp --data karate --over hidden=8,16 --epsilon 2 --score-noise 0", "validation labels are private"),
        ("tune gnn --data karate --over hidden=8,16 --epsilon 2", "nothing is protected"),
        ("tune gap --data nowhere --accuracy 0.5", "nowhere"),
    ],
)
def test_what_cannot_be_tuned_is_one_sentence(capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    with at_work(MadeWorker(lambda spec: 0.5)):
        assert main(line.split()) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


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


def test_an_interrupted_tuning_says_how_it_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with at_work(MadeWorker(lambda spec: 0.5, most=1)):
        assert main(CHOOSE) == 130
    assert "was interrupted: nothing is released" in capsys.readouterr().err
    with at_work(MadeWorker(lambda spec: 0.5)):
        assert main(CHOOSE) == 0
    assert " goes on\nTrials: 2 trials" in capsys.readouterr().err
