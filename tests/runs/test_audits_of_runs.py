"""Audits as processes: started, watched, stopped, killed, and several of one run at once."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.runs.runs_made_here import done
from tests.waiting import until

from privgraph.audits.options import AuditOptions
from privgraph.data.errors import DataError
from privgraph.options import OptionError
from privgraph.runs import audit, auditing
from privgraph.runs.auditing import EXAMINER
from privgraph.runs.examining import read, write
from privgraph.runs.records import StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore

QUICK = AuditOptions(canaries=100)


@pytest.fixture(autouse=True)
def _no_audit_outlives_its_test(store: RunStore) -> Iterator[None]:
    yield
    for record in store.find():
        for one in auditing.states(store, record.id):
            auditing.stop(store, record.id, one.token)
        until(lambda run=record.id: all(one.done for one in auditing.states(store, run)))  # type: ignore[misc]
    for child in EXAMINER.children:
        child.wait(120)


def quick() -> RunSpec:
    return make_spec("dp-mlp", "karate", {"epochs": 3, "hidden": 8, "batch_size": 10})


def long() -> RunSpec:
    """A run whose audit takes minutes, for which nobody waits."""
    return make_spec("dp-mlp", "digits", {"epochs": 1000, "batch_size": 16})


def ended(store: RunStore, run: str, token: str) -> Any:
    until(lambda: (found := auditing.state(store, run, token)) is not None and found.done)
    return auditing.state(store, run, token)


def trains(store: RunStore, run: str, token: str) -> bool:
    found = auditing.state(store, run, token)
    assert not found.done, found.error
    return "with canaries" in found.stage


def test_an_audit_that_is_asked_to_stop_obeys_and_keeps_nothing(store: RunStore) -> None:
    run = done(store, quick())
    EXAMINER.diary(store, run, "mine")
    with pytest.raises(StoreError, match="there is no audit nobody"):
        auditing.stop(store, run, "nobody")
    (EXAMINER.folder(store, run) / "mine" / "stop").touch()
    assert audit.main([run, "--audit", "white-box", "--token", "mine"]) == 1
    told = state_of(store, run)
    assert (told["stopped"], told["done"], told["error"]) == (True, True, "")
    assert store.audits(run) == []
    assert auditing.outcome(store, run, "mine") is None


@pytest.mark.long
def test_an_audit_that_is_killed_is_seen_to_be_dead(store: RunStore) -> None:
    run = done(store, long())
    token = auditing.start(store, run, "white-box", QUICK)
    until(lambda: trains(store, run, token))
    started = read(EXAMINER.folder(store, run) / token / "started.json")
    os.kill(started["pid"], signal.SIGSEGV)
    found = ended(store, run, token)
    assert not found.stopped
    assert found.error == "the audit's process ended; its last words were: Fatal Python error: Segmentation fault"
    assert store.audits(run) == []


def test_what_cannot_be_audited_is_refused_before_anything_starts(store: RunStore) -> None:
    waiting = store.submit(quick())
    with pytest.raises(StoreError, match=r"only a run that is done can be audited, and .* is queued"):
        auditing.start(store, waiting, "white-box", QUICK)
    other = done(store, make_spec("edge-rand", "karate", {"epochs": 2}))
    with pytest.raises(OptionError, match="the audit white-box is for"):
        auditing.start(store, other, "white-box", QUICK)
    assert auditing.states(store, other) == []
    subject = auditing.subject(store.get(other))
    with pytest.raises(RuntimeError, match="read by the process that audits it"):
        subject.graph()


def test_an_audit_that_fails_says_why(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    run = done(store, quick())
    assert audit.main([run, "--audit", "white-box", "--confidence", "2", "--token", "mine"]) == 1
    assert state_of(store, run)["done"]
    assert "confidence must be" in state_of(store, run)["error"]

    def broken(*_: object) -> object:
        raise MemoryError

    monkeypatch.setattr("privgraph.audits.white_box.Canaries", broken)
    assert audit.main([run, "--audit", "white-box", "--token", "mine"]) == 1
    assert "not enough memory" in state_of(store, run)["error"]
    assert audit.main(["no-run"]) == 1
    assert store.audits(run) == []


def test_a_turn_is_taken_by_what_has_begun_and_not_for_want_of_data(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What failed before it played anything has shown nothing; what failed later may have."""
    run, white_box = done(store, quick()), ["--audit", "white-box", "--token", "mine"]
    with monkeypatch.context() as away:

        def refuse(*_: object, **__: object) -> None:
            raise DataError("Zachary's karate club is not at hand")

        away.setattr("privgraph.data.load.load", refuse)
        assert audit.main([run, *white_box]) == 1
        assert "is not at hand" in state_of(store, run)["error"]
        assert store.next_turn(run) == 1
        assert audit.main([run, "--audit", "mechanism", "--trials", "100"]) == 0, "it needs no data"
        assert store.next_turn(run) == 2

    def broken(*_: object) -> object:
        raise MemoryError

    monkeypatch.setattr("privgraph.audits.white_box.train_one", broken)
    assert audit.main([run, *white_box]) == 1
    assert store.next_turn(run) == 3


def state_of(store: RunStore, run: str) -> Any:
    """What the process under the token `mine` has written of itself."""
    return read(EXAMINER.folder(store, run) / "mine" / "state.json")


def test_two_that_write_at_once_leave_a_whole_file(tmp_path: Path) -> None:
    """Two threads of one process, as two tabs are."""
    path = tmp_path / "kept.json"
    start = threading.Barrier(4)

    def again(number: int) -> None:
        start.wait()
        for _ in range(60):
            write(path, {"rows": [number] * (2000 * number)})

    threads = [threading.Thread(target=again, args=(number,)) for number in range(1, 5)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    rows = json.loads(path.read_text())["rows"]
    assert len(rows) == 2000 * rows[0]
    assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]
