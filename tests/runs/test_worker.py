"""Workers for real: processes that train, are stopped, killed, starved of disk, and crowded."""

import errno
import math
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tests.waiting import until

from privgraph.data.load import load
from privgraph.privacy.accountants import tight
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.serialisation import entry_from_json
from privgraph.privacy.statements import ASSUME_AGAIN_NOT_CHOSEN
from privgraph.progress import Log, Metric
from privgraph.runs.launch import launch, wait
from privgraph.runs.leases import Outcome
from privgraph.runs.records import FINISHED, RunQuery, StoreIsFull
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep
from privgraph.runs.worker import Worker, jobs_of

PATIENCE = 120.0


@pytest.fixture(autouse=True)
def _no_worker_outlives_its_test(store: RunStore) -> Iterator[None]:
    yield
    _end_all(store)


def _end_all(store: RunStore) -> None:
    for record in store.find():
        store.request_stop(record.id)
    until(lambda: store.sweep_lost() or all(record.state in FINISHED for record in store.find()))


def quick(seed: int = 0, epochs: int = 20) -> RunSpec:
    return make_spec("gnn", "karate", {"epochs": epochs, "hidden": 4}, seed=seed)


def long(seed: int = 0) -> RunSpec:
    """A run of minutes, which nobody waits for."""
    return make_spec("gnn", "digits", {"epochs": 5000}, seed=seed)


def trains(store: RunStore, run: str, attempt: int = 1) -> bool:
    return any(event.attempt == attempt for event in store.events(run, kinds=["metric"]))


def test_a_private_run_from_queue_to_statement(store: RunStore) -> None:
    options = {"unit": "edge", "epsilon": 2.0, "epochs": 10}
    run = store.submit(make_spec("progap", "social", options, data_options={"nodes": 100, "degree": 6}))
    seen = []
    (record,) = wait(store, [run], timeout=PATIENCE, watch=lambda records: seen.append(records[0].state))
    assert record.state == "done", record.error
    assert seen[0] in ("queued", "running")
    assert set(seen) <= {"queued", "running", "done"}
    assert 0 <= record.metrics["test_accuracy"] <= 1
    assert record.device == "cpu"
    assert 0 < record.seconds < PATIENCE
    assert 50 < record.peak_memory_mb < 4000
    statement = record.statement
    assert (statement.unit, statement.epsilon <= 2.0) == ("edge", True)
    assert statement.epsilon > 1.9
    # The statement's ledger is what the mechanisms said while they ran, and its epsilon is what that costs.
    told = Ledger(entry_from_json(event.payload["entry"]) for event in store.events(run, kinds=["spent"]))
    assert told.entries == statement.ledger
    assert tight().epsilon(told.event(), statement.delta) == pytest.approx(statement.epsilon, rel=1e-6)
    row = store.find_rows(RunQuery(ids=(run,)))[0]
    assert (row["sound_epsilon"], row["test_accuracy"]) == (statement.epsilon, record.metrics["test_accuracy"])
    events = store.events(run)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert events[-1].kind == "result"
    assert not list(store.folder(run).glob(".*"))


@pytest.mark.long
@pytest.mark.parametrize("split", ["random", "inductive"])
def test_runs_that_are_trained_together_have_splits_of_their_own(store: RunStore, split: str) -> None:
    ids = store.submit_all(sweep(make_spec("mlp", "karate", split=split), seeds=range(3)), batch="b")
    store.leases.claim(ids, "w", pid=os.getpid())
    graphs = list(Worker(store, "w", jobs_of(store, ids))._graphs())
    for run in ids:
        store.leases.give_back(run, "w")
    alone = [load("karate", split=split, split_seed=seed) for seed in range(3)]
    for graph, own in zip(graphs, alone, strict=True):
        assert graph.split_seed == own.split_seed
        assert torch.equal(graph.train_mask, own.train_mask)
        assert torch.equal(graph.edge_index, own.edge_index)
    assert not torch.equal(graphs[0].train_mask, graphs[1].train_mask)
    assert (graphs[1].edge_index is graphs[0].edge_index) == (split == "random"), "no copy where none is needed"


@pytest.mark.long
def test_a_killed_worker_loses_nothing_and_can_be_tried_again(store: RunStore) -> None:
    run = store.submit(long())
    assert launch(store) == [run]
    until(lambda: trains(store, run))
    (first,) = store.events(run, kinds=["log"])
    pid = int(re.match(r"worker (\d+) on cpu", first.payload["message"])[1])
    before = store.events(run)
    os.kill(pid, signal.SIGKILL)
    until(lambda: store.sweep_lost() == [run])
    record = store.get(run)
    assert (record.state, record.attempt) == ("lost", 1)
    assert record.error.startswith("the worker was killed (signal 9)")
    assert store.events(run)[: len(before)] == before

    store.retry(run)
    (ended,) = store.events(run)
    assert ended.payload["message"].startswith("Attempt 1 was lost: the worker was killed (signal 9)")
    launch(store)
    until(lambda: trains(store, run, attempt=2))
    assert {event.attempt for event in store.events(run)[1:]} == {2}, "what was told with other noise is gone"
    before = store.events(run)
    live = store.get(run)
    assert (live.state, live.attempt) == ("running", 2)
    assert live.eta_seconds is None or live.eta_seconds > 0

    # A stop is obeyed, and what there was is kept.
    assert store.request_stop(run) == "stopping"
    (stopped,) = wait(store, [run], timeout=PATIENCE)
    assert stopped.state == "stopped"
    assert math.isinf(stopped.statement.epsilon)
    assert "somebody stopped" in stopped.statement.released
    assert ASSUME_AGAIN_NOT_CHOSEN not in stopped.statement.assumptions, "of a run that protects nothing"
    assert 0 < stopped.progress < 1
    assert store.events(run)[: len(before)] == before


@pytest.mark.long
def test_runs_outlive_who_started_them_and_the_queue_moves_by_itself(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVGRAPH_WORKERS", "1")
    first, second = store.submit(quick(0)), store.submit(quick(1))
    code = (
        "from privgraph.runs.launch import launch; from privgraph.runs.store import RunStore; "
        "print(launch(RunStore.open()))"
    )
    parent = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert parent.stdout.strip() == str([first])
    assert [store.get(run).state for run in (first, second)] == ["running", "queued"]
    # Nobody launches here: the first worker starts the second when it ends.
    until(lambda: store.get(second).state == "done")
    one, two = store.get(first), store.get(second)
    assert one.state == "done"
    assert one.finished <= two.started


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="mounting a small disk needs root on Linux")
def test_a_full_disk_marks_the_run_and_harms_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "none", str(disk)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"no small disk could be mounted: {mounted.stderr.strip()}")
    monkeypatch.setenv("PRIVGRAPH_HOME", str(disk / "home"))
    store = RunStore.open()
    try:
        run = store.submit(long())
        waiting = store.submit(long(1))
        monkeypatch.setenv("PRIVGRAPH_WORKERS", "1")
        assert launch(store) == [run]
        until(lambda: trains(store, run))
        before = store.events(run)
        filler = disk / "filler"
        _fill(filler)
        until(lambda: store.get(run).state == "failed")
        record = store.get(run)
        assert record.error.startswith("there is no room left for the run store")
        # What was stored is unharmed, without a gap, and the application still reads.
        events = store.events(run)
        assert events[: len(before)] == before
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        assert store.count() == 2

        _fill(filler)
        with pytest.raises(StoreIsFull, match=r"there is no room left for the run store .*: free some disk space"):
            _write_notes(store, waiting)
        assert store.get(run) == record

        filler.unlink()
        store.note(waiting, "there is room again")
        assert store.get(waiting).note == "there is room again"
    finally:
        (disk / "filler").unlink(missing_ok=True)
        _end_all(store)
        store.close()
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def _fill(path: Path) -> None:
    """Write until the disk is full."""
    with path.open("ab") as file:
        try:
            while True:
                os.write(file.fileno(), bytes(4096))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise


def _write_notes(store: RunStore, run: str) -> None:
    for _ in range(10_000):
        store.note(run, "x" * 4000)


def test_a_worker_that_cannot_be_started_fails_its_run(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    run = store.submit(quick())
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert launch(store) == [run]
    record = store.get(run)
    assert record.state == "failed"
    assert record.error.startswith("no worker could be started")
    assert store.leases.beat("") == {}
    with pytest.raises(Exception, match="nothing can be added"):
        store.append(run, [Log(message="late")])


@pytest.mark.long
@pytest.mark.parametrize(("again", "unit"), [(True, "edge"), (False, "edge"), (True, "none")])
def test_a_run_that_was_tried_again_states_it(store: RunStore, again: bool, unit: str) -> None:
    """Other noise is drawn, and nothing of the first attempt stays: that nobody chose by it is assumed."""
    options = {"epochs": 3, "unit": unit} | ({"epsilon": 2.0} if unit == "edge" else {})
    run = store.submit(make_spec("gap", "karate", options))
    if again:
        assert store.leases.claim([run], "first") == [run]
        store.append(run, [Metric(name="val_accuracy", value=0.4, step=0)], "first")
        store.leases.finish(run, "first", Outcome(state="stopped"))
        store.retry(run)
    launch(store)
    (done,) = wait(store, [run], timeout=PATIENCE)
    assert done.statement is not None, done.error
    assert (ASSUME_AGAIN_NOT_CHOSEN in done.statement.assumptions) == (again and unit == "edge")
    told = [event for event in store.events(run) if event.kind == "metric"]
    assert told
    assert {event.attempt for event in told} == {2 if again else 1}


@pytest.mark.long
@pytest.mark.parametrize("trial", ["", "0123456789abcdef01234567"])
def test_a_trial_does_not_say_how_many_threads_it_has(store: RunStore, trial: str) -> None:
    """They tell how many others run beside it, and so how many trials there are."""
    run = store.submit(replace(make_spec("gap", "karate", {"epochs": 3, "unit": "none"}), trial=trial))
    launch(store)
    wait(store, [run], timeout=PATIENCE)
    (said, *_) = [event.payload["message"] for event in store.events(run, kinds=["log"])]
    assert ("threads" in said) == (not trial), said
