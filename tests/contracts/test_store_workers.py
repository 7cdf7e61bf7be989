"""Whichever database keeps the runs: workers that die, hang or come back, and the noise key they share."""

import os
import time
from contextlib import nullcontext
from typing import Any

import pytest
from tests.contracts.store_runs import NOBODY, a_spec, running

from privgraph.progress import Log, Metric, Progress
from privgraph.runs import leases
from privgraph.runs.leases import Outcome
from privgraph.runs.queueing import Wants
from privgraph.runs.records import OtherKey, RunIsFixed, StoreError
from privgraph.runs.store import RunStore
from privgraph.streams import fingerprint


def test_a_dead_worker_leaves_a_lost_run_with_its_last_words(store: RunStore) -> None:
    run = running(store)
    store.append(run, [Log(message="kept")], "w")
    assert store.sweep_lost() == []
    store.leases.adopt("w", NOBODY)
    (store.folder(run) / leases.LOG_NAME).write_text("Traceback\nSegmentation fault\n")
    (store.folder(run) / leases.RESERVE_NAME).touch()
    assert store.sweep_lost() == [run]
    assert not (store.folder(run) / leases.RESERVE_NAME).exists(), "the room that it held is free again"
    record = store.get(run)
    assert record.state == "lost"
    assert record.error == "the worker's process ended; its last words were: Segmentation fault"
    events = store.events(run)
    assert [event.kind for event in events] == ["log", "log"]
    assert "Traceback\nSegmentation fault" in events[1].payload["message"]
    assert store.sweep_lost() == []
    with pytest.raises(RunIsFixed, match="lost"):
        store.append(run, [Log(message="a ghost")], "w")


def test_who_takes_over_a_claim_is_looked_for_where_it_is(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(leases, "this_host", lambda: "another machine")
        run = running(store)
    store.leases.adopt("w", NOBODY)
    assert store.sweep_lost() == [run], "at once, for its process can be looked at"


def test_a_lost_run_is_tried_again_as_often_as_was_said_and_then_has_failed(store: RunStore) -> None:
    run = store.submit(a_spec(), retries=2)
    for attempt in (1, 2, 3):
        assert store.leases.claim_next(f"w{attempt}", pid=os.getpid()) == [run]
        again = store.leases.tried_again(f"w{attempt}")
        assert again == ({run} if attempt > 1 else set()), "somebody may have ended its worker by what it told"
        told = [Metric(name="val_accuracy", value=0.5, step=1), Log(message="from inside")]
        store.append(run, [*told, Progress(step=1, total=2)], f"w{attempt}")
        store.leases.adopt(f"w{attempt}", NOBODY)
        (store.folder(run) / leases.LOG_NAME).write_text(f"words of {attempt}\n")
        assert store.sweep_lost() == [run]
        record = store.get(run)
        if attempt < 3:
            assert (record.state, record.attempt, record.error) == ("queued", attempt + 1, "")
            assert record.finished is None
            kinds = [event.kind for event in store.events(run) if event.attempt == attempt]
            assert kinds == ["log", "log"], "nothing stays of what the attempt has told of the data"
            with pytest.raises(RunIsFixed):
                store.append(run, told, f"w{attempt}")
    assert record.state == "failed"
    assert record.error.startswith("3 attempts were lost, and of the last the worker's process ended")
    assert record.error.endswith("its last words were: words of 3")
    said = [event.payload["message"] for event in store.events(run, kinds=["log"])]
    assert "The worker's last words:\nwords of 1" in said
    assert "Tried again, because the worker's process ended." in said
    store.retry(run)
    assert store.leases.claim_next("by hand", pid=NOBODY) == [run]
    assert store.sweep_lost() == [run]
    assert store.get(run).state == "lost", "by hand, nothing is tried again by itself"


def test_a_run_that_was_to_stop_is_not_tried_again(store: RunStore) -> None:
    run = store.submit(a_spec(), retries=2)
    store.leases.claim_next("w", pid=NOBODY)
    assert store.request_stop(run) == "stopping"
    assert store.sweep_lost() == [run]
    assert store.get(run).state == "lost"


def test_a_run_that_is_given_back_waits_as_if_it_had_never_begun(store: RunStore) -> None:
    run = store.submit(a_spec())
    other = store.submit(a_spec(1))
    store.leases.claim_next("w", pid=os.getpid())
    store.append(run, [Metric(name="val_accuracy", value=0.5, step=1)], "w")
    with pytest.raises(RunIsFixed, match="another worker"):
        store.leases.give_back(run, "somebody")
    store.leases.give_back(run, "w", memory_mb=9000.0)
    assert (store.get(run).state, store.get(run).attempt, store.events(run)) == ("queued", 2, [])
    assert store.leases.claim_next("small", Wants(memory_mb=8000)) == [other]
    assert store.leases.claim_next("large", Wants(memory_mb=9000)) == [run]
    assert store.leases.tried_again("large") == set(), "too large, it had told nothing"
    store.leases.give_back(run, "large")
    assert store.leases.claim_next("third", Wants(memory_mb=9000)) == [run]
    assert store.leases.tried_again("third") == {run}, "its worker was told to end, perhaps by a curve"


def test_a_stop_is_not_forgotten_where_the_run_is_given_back(store: RunStore) -> None:
    run = store.submit(a_spec())
    store.leases.claim_next("w", pid=os.getpid())
    store.append(run, [Metric(name="val_accuracy", value=0.5, step=1)], "w")
    assert store.request_stop(run) == "stopping"
    store.leases.give_back(run, "w")
    record = store.get(run)
    assert (record.state, record.error, store.events(run)) == ("stopped", "stopped before it started", [])
    assert record.finished is not None
    assert store.leases.claim_next("another") == []


def test_a_worker_that_is_heard_of_in_the_meantime_keeps_its_run(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = running(store)
    store.leases.adopt("w", NOBODY)
    why = store.leases._why_lost

    def late(suspect: Any, now: Any) -> Any:
        store.leases.beat("w")
        return why(suspect, now)

    monkeypatch.setattr(store.leases, "_why_lost", late)
    assert store.sweep_lost() == []
    assert store.get(run).state == "running"


def test_all_workers_of_a_store_have_one_noise_key(store: RunStore, url: str) -> None:
    one, other = bytes(32), bytes([1] * 32)
    assert store.leases.fingerprint() == ""
    store.leases.agree(one)
    RunStore.open(url).leases.agree(one)
    with pytest.raises(StoreError, match=r"noise.key of this home .* is not that of the store's other workers"):
        RunStore.open(url).leases.agree(other)
    kept = store.leases.fingerprint()
    assert kept == fingerprint(one)
    assert one.hex() not in kept
    store.leases.renew(other)
    store.leases.agree(other)
    with pytest.raises(StoreError, match=r"privgraph key --renew"):
        store.leases.agree(one)


def test_a_claim_asks_whether_its_noise_key_still_counts(store: RunStore) -> None:
    old, new = bytes(32), bytes([1] * 32)
    store.leases.agree(old)
    first, second = (store.submit(a_spec(seed)) for seed in range(2))
    assert store.leases.claim_next("w", key=old) == [first]
    store.leases.renew(new)
    for claim in (lambda: store.leases.claim_next("v", key=old), lambda: store.leases.claim([second], "v", key=old)):
        with pytest.raises(OtherKey, match="is not that of the store's other workers"):
            claim()
        assert store.get(second).state == "queued"
    assert store.leases.claim_next("v", key=new) == [second]
    assert store.leases.claim_next("v", key=old) == [], "nothing is left to refuse"


@pytest.mark.parametrize("own", [bytes(32), bytes([1] * 32)], ids=["the same", "another"])
def test_of_two_that_begin_at_once_the_first_key_counts(
    store: RunStore, url: str, monkeypatch: pytest.MonkeyPatch, own: bytes
) -> None:
    first, late = bytes(32), RunStore.open(url)
    honest = late.database.submitting

    def after_the_other() -> Any:
        store.leases.agree(first)
        return honest()

    monkeypatch.setattr(late.database, "submitting", after_the_other)  # it has seen that there is no key yet
    with nullcontext() if own == first else pytest.raises(StoreError, match="not that of the store's other workers"):
        late.leases.agree(own)
    assert late.leases.fingerprint() == fingerprint(first)
    late.close()


def test_a_worker_elsewhere_is_lost_by_its_silence(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(leases, "this_host", lambda: "another machine")
        run = store.submit(a_spec())
        store.leases.claim([run], "w", pid=NOBODY)
    clock = [time.time()]
    monkeypatch.setattr(type(store._database), "now", lambda _self, _connection: clock[0])
    store.leases.beat("w")
    monkeypatch.setattr(leases, "WATCHED_FOR", 0.2)
    clock[0] += leases.LOST_AFTER - 1
    assert store.sweep_lost() == []
    clock[0] += 2
    # This process has just woken up, as it were: the silence counts when it has been watched for a while.
    assert store.sweep_lost() == []
    time.sleep(0.3)
    store.leases.beat("w")
    clock[0] += leases.LOST_AFTER + 1
    assert store.sweep_lost() == []
    time.sleep(0.3)
    assert store.sweep_lost() == [run]
    assert store.get(run).error == "the worker was not heard of for 16 seconds without a last word"
    assert store.get(run).finished == clock[0] - leases.LOST_AFTER - 1, "when it was last heard of"


def refused(*_: object) -> Any:
    raise StoreError("the store is away")


@pytest.mark.parametrize("failed", [True, False])
def test_a_watch_that_was_interrupted_begins_anew(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, failed: bool
) -> None:
    """While the store was away, or this process slept, nobody could be heard of."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(leases, "this_host", lambda: "another machine")
        run = running(store)
    later, seen = time.time() + 2 * leases.LOST_AFTER, [time.monotonic()]
    monkeypatch.setattr(type(store._database), "now", lambda _self, _connection: later)
    monkeypatch.setattr(leases.clock, "monotonic", lambda: seen[0])
    assert store.sweep_lost() == []
    seen[0] += leases.WATCHED_FOR + 1 if failed else leases.LOST_AFTER + 1
    if failed:
        with monkeypatch.context() as away:
            away.setattr(store._database, "read", refused)
            with pytest.raises(StoreError, match="away"):
                store.sweep_lost()
    assert store.sweep_lost() == []
    seen[0] += leases.WATCHED_FOR + 1
    assert store.sweep_lost() == [run]


def test_files_are_published_last_and_by_who_has_the_run(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    run, published = running(store), list[str]()

    def finish(worker: str) -> None:
        last = [Log(message="last")]
        store.leases.finish(run, worker, Outcome(state="done"), last, publish=lambda: published.append(worker))

    with monkeypatch.context() as full:
        full.setattr(leases, "append", refused)
        with pytest.raises(StoreError, match="away"):
            finish("w")
    with pytest.raises(RunIsFixed, match="another worker"):
        finish("another")
    assert (published, store.get(run).state) == ([], "running")
    finish("w")
    with pytest.raises(RunIsFixed, match="done"):
        finish("w")
    assert published == ["w"]


def test_a_worker_that_hangs_is_lost_later_than_one_that_died(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    run = running(store)
    clock = [time.time()]
    monkeypatch.setattr(type(store._database), "now", lambda _self, _connection: clock[0])
    monkeypatch.setattr(leases, "WATCHED_FOR", 0.0)
    store.leases.beat("w")
    clock[0] += leases.LOST_AFTER + 10
    assert store.sweep_lost() == []
    clock[0] += leases.HUNG_AFTER
    assert store.sweep_lost() == [run]
    assert store.get(run).error.startswith("the worker hung for 145 seconds")
