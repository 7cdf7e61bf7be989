"""A database that goes away for a while: what runs tell waits, and nothing is lost or told twice."""

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.many_workers import fresh
from tests.faults.rounds import Calm, Round, _undisturbed, play
from tests.postgres_here import Server, binaries
from tests.waiting import until

from privgraph.progress import Log, Metric
from privgraph.runs import backlog
from privgraph.runs import retrying as patience
from privgraph.runs.backlog import Backlog
from privgraph.runs.database import Database
from privgraph.runs.leases import LOG_NAME
from privgraph.runs.records import RunIsFixed, StoreAway, StoreError
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs as runs_table
from privgraph.runs.worker import Worker, jobs_of

GONE = "the server is gone"


class Outage:
    """The next `left` transactions fail before they begin, or when their answer is lost."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = 0
        self.after_commit = False
        real = Database.write

        def write(database: Database) -> object:
            if self.left <= 0:
                return real(database)
            self.left -= 1
            return _Failing(real(database) if self.after_commit else None)

        monkeypatch.setattr(Database, "write", write)
        monkeypatch.setattr(patience, "RETRY_SECONDS", 0.01)


class _Failing:
    def __init__(self, inner: object) -> None:
        self._inner = inner

    def __enter__(self) -> object:
        if self._inner is None:
            raise StoreAway(GONE)
        return self._inner.__enter__()  # type: ignore[attr-defined]

    def __exit__(self, *error: object) -> None:
        self._inner.__exit__(*error)  # type: ignore[union-attr]
        if error == (None, None, None):
            raise StoreAway(GONE)


def a_worker(store: RunStore, seed: int = 0) -> tuple[Worker, str]:
    run = store.submit(make_spec("gnn", "karate", {"epochs": 5}, seed=seed))
    assert store.leases.claim([run], f"w{seed}", pid=os.getpid()) == [run]
    return Worker(store, f"w{seed}", jobs_of(store, [run])), run


def names(store: RunStore, run: str) -> list[int]:
    events = store.events(run)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    return [event.payload["step"] for event in events if event.kind == "metric"]


@pytest.mark.parametrize("after_commit", [False, True])
def test_what_is_told_during_an_outage_is_stored_once(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, after_commit: bool
) -> None:
    outage = Outage(monkeypatch)
    outage.after_commit = after_commit
    worker, run = a_worker(store)
    (job,) = worker._jobs
    step = 0
    for failures in (0, 1, 3, 0, 1):
        outage.left = failures
        for _ in range(max(1, failures)):
            for _ in range(7):
                worker._tell(job, Metric(name="loss", value=float("nan"), step=step))
                step += 1
            worker._flush()
        worker._flush()
    assert names(store, run) == list(range(step))
    outage.left = 1
    worker._tell(job, Log(message="last but one"))
    worker._flush()  # some of what is left lies on disk, and some in memory, when the run ends
    outage.left = 2
    worker._tell(job, Log(message="last"))
    worker._finish(job, "done", metrics={"test_accuracy": 1.0})
    record = store.get(run)
    assert (record.state, record.metrics) == ("done", {"test_accuracy": 1.0})
    assert [event.payload["message"] for event in store.events(run, kinds=["log"])] == ["last but one", "last"]
    assert not list(store.folder(run).glob(".*"))


def size_aside(waiting: Backlog) -> int:
    return os.fstat(waiting._file.fileno()).st_size


def test_a_backlog_lies_on_disk_bounded_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "BATCH", 3)
    events, waiting = [Metric(name="m", value=float(n), step=n) for n in range(20)], Backlog()
    for event in events[:8]:
        waiting.add(event)
    assert waiting.put_aside()
    assert (waiting.in_memory, len(waiting)) == (0, 8)
    for event in events[8:]:
        waiting.add(event)
    monkeypatch.setattr(backlog, "MOST_BYTES", size_aside(waiting) + 10)
    assert not waiting.put_aside()
    assert (waiting.in_memory, len(waiting)) == (12, 20)
    stored: list[object] = []

    def append(batch: list[object], after: int) -> int:
        assert after == len(stored)
        if len(stored) == 6 and not refused:
            refused.append(True)
            raise StoreAway(GONE)
        stored.extend(batch)
        return len(stored)

    refused: list[bool] = []
    with pytest.raises(StoreAway):
        waiting.store(append)  # type: ignore[arg-type]
    assert len(stored) == 6
    waiting.store(append)  # type: ignore[arg-type]
    assert stored == events
    assert waiting._file is None


@pytest.mark.parametrize(("length", "room"), [(5000, 12_000), (20, 100)])
def test_what_a_full_disk_took_in_part_is_not_told_twice(length: int, room: int) -> None:
    """The disk takes some of the events, and has room again a moment later."""
    events = [Log(message=f"{n} " + "x" * length) for n in range(8)]
    waiting = Backlog()
    waiting.add(events[0])
    assert waiting.put_aside()
    size = size_aside(waiting)
    for event in events[1:]:
        waiting.add(event)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, before[1]))
    try:
        assert not waiting.put_aside()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert size_aside(waiting) == size
    assert waiting.put_aside()
    stored: list[object] = []

    def append(batch: list[object], _: int) -> int:
        stored.extend(batch)
        return len(stored)

    waiting.store(append)  # type: ignore[arg-type]
    assert stored == events


def test_a_worker_waits_where_nothing_more_can_be_put_aside(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    outage = Outage(monkeypatch)
    worker, run = a_worker(store)
    monkeypatch.setattr(backlog, "MOST_BYTES", 10)
    outage.left = 3
    worker._tell(worker._jobs[0], Metric(name="loss", value=0.0, step=0))
    worker._flush()
    assert outage.left == 0
    assert names(store, run) == [0]


def test_a_run_that_was_lost_for_good_meanwhile_is_given_up(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    outage = Outage(monkeypatch)
    worker, run = a_worker(store)
    (job,) = worker._jobs
    outage.left = 1
    worker._tell(job, Log(message="late"))
    worker._flush()
    with store._database.write() as connection:
        connection.execute(runs_table.update().values(state="lost"))
    worker._flush()
    assert (job.over, store.events(run), len(job.backlog)) == (True, [], 0)
    with pytest.raises(RunIsFixed):
        store.append(run, [Log(message="late")], "w0")


def test_two_workers_of_one_run_share_no_backlog(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """One was taken for lost, and trains on while nobody can tell it."""
    lost, run = a_worker(store)
    store.leases.give_back(run, "w0")
    assert store.leases.claim([run], "w1", pid=os.getpid()) == [run]
    holds = Worker(store, "w1", jobs_of(store, [run]))
    outage = Outage(monkeypatch)
    for worker, loss in ((lost, 222.0), (holds, 0.5)):
        outage.left = 1
        worker._tell(worker._jobs[0], Metric(name="loss", value=loss, step=1))
        worker._flush()
        assert worker._jobs[0].backlog.in_memory == 0, "it is put aside"
    lost._flush()
    assert lost._jobs[0].over
    holds._flush()
    assert [event.payload["value"] for event in store.events(run, kinds=["metric"])] == [0.5]


def test_what_cannot_be_read_again_fails_the_run_once(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, run = a_worker(store)
    (job,) = worker._jobs
    outage = Outage(monkeypatch)
    outage.left = 1
    worker._tell(job, Metric(name="loss", value=0.5, step=1))
    worker._flush()
    job.backlog._file.truncate(0)
    worker._finish(job, "done", metrics={"test_accuracy": 1.0})
    record = store.get(run)
    assert (record.state, record.metrics) == ("failed", {})
    assert record.error.startswith("what was told while the store was away cannot be read (")


def test_a_worker_that_is_told_to_end_does_not_wait_long(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    outage = Outage(monkeypatch)
    worker, run = a_worker(store)
    outage.left = 10**6
    worker._told_to_end = time.monotonic() - 100
    worker._tell(worker._jobs[0], Metric(name="loss", value=0.0, step=0))
    worker._look()
    assert worker._jobs[0].over
    outage.left = 0
    assert store.get(run).state == "running"  # whoever looks next finds it lost


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://team@[::1/x",
        "postgresql+psycopg://team@host:port/",
        "postgresql+nodriver://team@host/x",
        "nonsense",
        "mysql://team@host/x",
        "sqlite://",
        "sqlite:///:memory:",
    ],
)
def test_a_store_that_cannot_be_is_refused_in_one_sentence(url: str) -> None:
    with pytest.raises(StoreError) as refused:
        RunStore.open(url)
    assert "\n" not in str(refused.value)
    assert "run store" in str(refused.value)


def test_no_password_is_ever_shown() -> None:
    for url in (
        "postgresql+psycopg://team:sesame@127.0.0.1:1/x",
        "postgresql+psycopg://team@127.0.0.1:1/x?password=sesame",
        "postgresql+psycopg://team@127.0.0.1:1/x?sslpassword=sesame",
        "postgresql+psycopg://team:sesame@host:port/x",
    ):
        with pytest.raises(StoreError) as refused:
            RunStore.open(url)
        assert "sesame" not in str(refused.value)
        assert refused.value.__cause__ is None or "sesame" not in str(refused.value.__cause__)


@pytest.mark.long
@pytest.mark.postgres
def test_a_server_that_crashes_ends_no_run_and_no_command(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_STORE", server.url)
    store = RunStore.open()
    options = ["--data", "digits", "--set", "epochs=300", "--json"]
    command = [sys.executable, "-m", "privgraph_workbench.cli", "run", "gnn", *options]
    watching = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: store.count() and len(store.events(store.find()[0].id, kinds=["metric"])) > 5)
    (record,) = store.find()
    before = store.events(record.id)
    server.stop("immediate")
    log = store.folder(record.id) / LOG_NAME
    until(lambda: "what is told waits" in log.read_text())
    with pytest.raises(StoreAway, match="does not answer"):
        store.count()
    assert watching.poll() is None
    server.start()
    out, said = watching.communicate(timeout=100)
    assert watching.returncode == 0, said
    events = store.events(record.id)
    assert events[: len(before)] == before
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    steps = [event.payload["step"] for event in events if event.payload.get("name") == "train_loss"]
    assert steps == list(dict.fromkeys(steps))
    assert len(steps) == 300
    assert store.get(record.id).state == "done"
    assert re.search(r'"state": "done"', out)
    assert "the run goes on" in said
    assert "Traceback" not in said
    store.close()


KEY = bytes(32)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calm]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PRIVGRAPH_HOME", "PRIVGRAPH_STORE"):
            patch.setenv(name, "")  # what the rounds set is put back
        patch.setenv("OMP_NUM_THREADS", "1")
        yield _undisturbed(tmp_path_factory.mktemp("calm") / "home", KEY)


@pytest.mark.long
@pytest.mark.parametrize(("victim", "state"), [("command", "done"), ("worker and command", None)])
def test_a_kill_loses_nothing(
    calm: Calm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: str, state: str | None
) -> None:
    monkeypatch.setenv("PRIVGRAPH_STORE", "")
    one = Round(victim=victim, database="SQLite", moment=0.8 * calm.seconds)
    play(one, tmp_path / "home", KEY, None, calm)
    assert one.lost == []
    assert one.state == (state or one.state)
    assert os.environ.get("PRIVGRAPH_STORE", "") == ""


@pytest.mark.long
@pytest.mark.postgres
def test_each_run_is_trained_once_whoever_is_killed() -> None:
    if binaries() is None:
        pytest.skip("PostgreSQL is not installed")
    told = fresh(workers=3, count=60, kill=0.1, most_kills=1, restarts=1)
    assert told.whole, str(told)
    assert (told.killed, told.restarts) == (1, 1)
