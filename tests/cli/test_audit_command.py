"""`privgraph audit`: what it prints where, its exit codes, and what other commands then show of the run."""

from __future__ import annotations

from typing import Any

import pytest
from tests.runs.runs_made_here import done

from privgraph.runs import auditing
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main


def a_run(dataset: str = "karate", **options: Any) -> str:
    chosen = {"epochs": 3, "hidden": 8, "batch_size": 10} | options
    return done(RunStore.open(), make_spec("dp-mlp", dataset, chosen))


def test_what_cannot_be_audited_is_said_and_starts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    store = RunStore.open()
    run = a_run()
    waiting = store.submit(make_spec("dp-mlp", "karate", {"epochs": 4}))
    other = done(store, make_spec("edge-rand", "karate", {"epochs": 2}))
    for arguments, code, said in (
        ([waiting], 1, f"only a run that is done can be audited, and {waiting} is queued"),
        ([other, "--audit", "white-box"], 1, "the audit white-box is for"),
        ([run, "--audit", "white-bock"], 2, "there is no audit white-bock"),
        ([run, "--canaries", "3"], 2, "canaries must be at least 10 (got 3)"),
        ([run, "--confidence", "2"], 2, "confidence must be"),
        (["no-run"], 2, "there is no run no-run"),
        ([], 2, "RUN"),
    ):
        assert main(["audit", *arguments]) == code
        captured = capsys.readouterr()
        assert said in captured.err
        assert captured.out == ""
    assert all(auditing.states(store, one.id) == [] for one in store.find())
