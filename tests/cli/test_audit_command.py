"""`privgraph audit`: what it prints where, its exit codes, and what other commands then show of the run."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.runs.runs_made_here import done

from privgraph.audits.record import AuditRecord
from privgraph.runs import auditing
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main
from privgraph_workbench.commands.examine import audit_lines

COMMAND = [sys.executable, "-m", "privgraph_workbench.cli"]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def a_run(dataset: str = "karate", **options: Any) -> str:
    chosen = {"epochs": 3, "hidden": 8, "batch_size": 10} | options
    return done(RunStore.open(), make_spec("dp-mlp", dataset, chosen))


@pytest.mark.long
def test_an_audit_and_everything_after_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = a_run()
    ran = subprocess.run(
        [*COMMAND, "audit", run[:18], "--audit", "white-box", "--canaries", "120", "--confidence", "0.9", "--json"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    (line,) = ran.stdout.splitlines()
    record = AuditRecord.from_json(json.loads(line))
    assert (record.run, record.audit, record.trials, record.confidence) == (run, "white-box", 120, 0.9)
    cost, *_ = ran.stderr.splitlines()
    assert cost.startswith("Gradient canaries in a training: one more training with 120 canaries")
    store = RunStore.open()
    assert store.audits(run) == [record]

    # A larger bound, kept as another audit would: the run shows it from then on.
    larger = dataclasses.replace(record, epsilon=9.5, confidence=0.99, turn=store.begin_audit(run))
    assert (record.turn, larger.turn) == (1, 2)
    store.add_audit(run, larger)
    assert main(["show", run, "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])["privacy"]
    assert (told["epsilon_audited"], told["audit_confidence"]) == (9.5, 0.9), "one confidence for both"
    assert told["epsilon"] <= 8.0
    assert main(["show", run]) == 0
    shown = capsys.readouterr().out
    assert "Epsilon audited: an attack has shown at least 9.5 with confidence 0.9, if the noise is Gaussian," in shown
    assert "Attacked: one more training like the run, with canaries among its gradients." in shown
    assert "is refuted by the lower bound that an attack has shown, 9.5 if the noise is Gaussian," in shown
    assert main(["list", "runs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["audited_epsilon"] == 9.5
    assert main(["export", run, "--out", str(tmp_path), "--format", "json", "--format", "md"]) == 0
    exported = json.loads((tmp_path / f"{run}.json").read_text())
    assert [AuditRecord.from_json(one) for one in exported["audits"]] == [record, larger]
    assert exported["privacy"]["epsilon_audited"] == 9.5
    assert f"## Audit 2\n- Run: {run}\n- Audit: {record.title}\n" in (tmp_path / f"{run}.md").read_text()


def test_an_audit_in_plain_lines() -> None:
    record = AuditRecord.from_json(
        {
            **{"version": 1, "run": "a-run", "audit": "mechanism", "title": "Played", "covers": "step"},
            **{"delta": 1e-5, "confidence": 0.95, "epsilon": 2.34567, "sound": "inf", "published": 2.0},
            "bounds": [{"route": "threshold", "epsilon": 2.34567, "detail": "above 3"}],
            **{"trials": 4000, "seconds": 1.25, "seed": 0, "score": "a sum", "edges": [], "scores_with": []},
            **{"scores_without": [], "roc_false": [], "roc_true": [], "area": 0.75, "notes": ["by the way"]},
        }
    )
    lines = dict(audit_lines(record))
    assert (lines["Run"], lines["Audit"], lines["Epsilon audited"]) == ("a-run", "Played", "at least 2.34")
    assert (lines["Covers"], lines["Confidence"], lines["Delta"]) == ("step", "0.95", "1e-05")
    assert (lines["Epsilon sound"], lines["Epsilon published"]) == ("∞, untested", "2, refuted")
    assert (lines["By threshold"], lines["Trials"]) == ("at least 2.34 above 3", "4,000")
    assert (lines["Area under the ROC curve"], lines["Note"]) == ("0.750", "by the way")


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


@pytest.mark.long
def test_ctrl_c_stops_the_audit_and_keeps_nothing() -> None:
    run = a_run("digits", epochs=1000, batch_size=16)
    store = RunStore.open()
    command = [*COMMAND, "audit", run, "--audit", "white-box"]
    # a shell's background job ignores Ctrl-C, and so would its children: a person's terminal does not
    listening = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=listening
    ) as child:
        deadline = time.monotonic() + 120
        with contextlib.ExitStack() as stack:
            stack.callback(child.kill)
            while (state := auditing.state(store, run)) is None or "with canaries" not in state.stage:
                assert time.monotonic() < deadline, "the audit did not start"
                assert child.poll() is None
                time.sleep(0.05)
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=120)
            stack.pop_all()
    assert (child.returncode, out) == (130, "")
    assert "privgraph: the audit was stopped, and nothing was kept" in err
    state = auditing.state(store, run)
    assert state is not None
    assert (state.done, state.stopped) == (True, True)
    assert store.audits(run) == []
