"""One suite for every database that a run store can lie in: SQLite, and a PostgreSQL server started here."""

from __future__ import annotations

import json
import lzma
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.figures.made_attacks import attack as made_attack
from tests.postgres_here import Server, binaries

from privgraph.audits.record import AuditRecord, Bound
from privgraph.privacy.kinds import Adversary, Route
from privgraph.progress import Artifact, Log, Metric, Progress, Result, Spent
from privgraph.runs import database, leases
from privgraph.runs import gallery as shipped
from privgraph.runs.launch import wait
from privgraph.runs.leases import Leases, Outcome
from privgraph.runs.queueing import AtHand, Wants, first_stack
from privgraph.runs.records import OtherKey, RunIsFixed, RunQuery, StoreError, UnknownRun
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import audit_turns, audits, gallery, keys, metadata, origins, runs, schema
from privgraph.streams import fingerprint

NOBODY = 2**22 + 1
"""A process number that Linux never gives."""


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: the store was not tried on it")
    server = Server(programs)
    try:
        server.start()
        yield server.url
    finally:
        server.remove()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh, empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'runs.sqlite'}"
    server: str = request.getfixturevalue("postgres_url")
    with sa.create_engine(server, poolclass=sa.NullPool).begin() as connection:
        metadata.drop_all(connection)
    return server


@pytest.fixture
def store(url: str) -> Iterator[RunStore]:
    store = RunStore.open(url)
    yield store
    store.close()


@contextmanager
def statements(store: RunStore) -> Iterator[list[str]]:
    """What the database is asked meanwhile."""
    asked: list[str] = []

    def told(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    sa.event.listen(store.database.engine, "before_cursor_execute", told)
    try:
        yield asked
    finally:
        sa.event.remove(store.database.engine, "before_cursor_execute", told)


def a_spec(seed: int = 0, method: str = "mlp", dataset: str = "karate", **options: object) -> RunSpec:
    chosen = {"unit": "edge", "epsilon": 1.0, "accounting": "sound", "hidden": 16} | options
    return RunSpec(method=method, dataset=dataset, seed=seed, options=chosen)  # type: ignore[arg-type]


def running(store: RunStore, seed: int = 0, worker: str = "w") -> str:
    run = store.submit(a_spec(seed))
    assert store.leases.claim([run], worker, pid=os.getpid()) == [run]
    return run


STATEMENT = {"epsilon": "inf", "epsilon_as_published": 1.5, "epsilon_audited": None, "delta": 1e-5}


def done(store: RunStore, seed: int = 0, accuracy: float = 0.5) -> str:
    run = running(store, seed)
    outcome = Outcome(state="done", metrics={"test_accuracy": accuracy}, statement=STATEMENT, seconds=2.0, device="cpu")
    store.leases.finish(run, "w", outcome, [Result(metrics={"test_accuracy": accuracy})])
    return run


def test_equal_specs_are_one_run(store: RunStore) -> None:
    first = store.submit(a_spec(), tags=["tried"])
    record = store.get(first)
    assert record.spec == a_spec()
    assert (record.state, record.attempt, record.progress, record.tags) == ("queued", 1, 0.0, ("tried",))
    assert abs(record.created - time.time()) < 60
    again = store.submit(a_spec(), tags=["again"], batch="other")
    assert again == first
    assert store.count() == 1
    assert store.get(first).tags == ("again", "tried")
    assert (store.get(first).created, store.get(first).batch) == (record.created, "")
    assert store.submit(a_spec(1)) != first


def test_unknown_runs_are_refused_everywhere(store: RunStore) -> None:
    for attempt in (
        lambda: store.get("no-run"),
        lambda: store.events("no-run"),
        lambda: store.append("no-run", [Log(message="")]),
        lambda: store.request_stop("no-run"),
        lambda: store.retry("no-run"),
        lambda: store.delete("no-run"),
        lambda: store.tag("no-run", "a"),
        lambda: store.note("no-run", "a"),
        lambda: store.folder("../elsewhere"),
    ):
        with pytest.raises(UnknownRun, match="there is no run"):
            attempt()


def test_events_are_numbered_and_come_back_as_they_were(store: RunStore) -> None:
    run = running(store)
    events = [
        Progress(step=1, total=4, stage="training"),
        Metric(name="train_loss", value=math.nan, step=1),
        Metric(name="val_accuracy", value=0.25, step=1, evaluator=True),
        Spent(entry={"mechanism": "Gaussian", "noise": 2.5}),
        Artifact(name="curve.svg"),
        Log(message="ä sentence\nof two lines", level="warning"),
    ]
    assert store.append(run, events[:4], "w") == 4
    assert store.append(run, events[4:], "w") == 6
    assert store.append(run, []) == 6
    stored = store.events(run)
    assert [event.sequence for event in stored] == [1, 2, 3, 4, 5, 6]
    assert [event.kind for event in stored] == ["progress", "metric", "metric", "spent", "artifact", "log"]
    back = [event.event for event in stored]
    assert isinstance(back[1], Metric)
    assert math.isnan(back[1].value)
    assert [*back[:1], *back[2:]] == [*events[:1], *events[2:]]
    assert [event.sequence for event in store.events(run, after=2, kinds=["metric", "log"])] == [3, 6]
    assert [event.sequence for event in store.events(run, after=1, limit=2)] == [2, 3]
    assert (store.get(run).progress, store.get(run).stage) == (0.25, "training")


def test_a_batch_of_events_is_stored_wholly_or_not_at_all(store: RunStore) -> None:
    run = running(store)
    with pytest.raises(TypeError):
        store.append(run, [Log(message="fine"), Spent(entry={"not": object()})])
    assert store.events(run) == []


def test_a_finished_run_never_changes(store: RunStore) -> None:
    run = done(store, accuracy=0.75)
    before = store.get(run)
    assert before.state == "done"
    assert before.metrics == {"test_accuracy": 0.75}
    assert before.statement_json == STATEMENT
    assert before.progress == 1.0
    for attempt in (
        lambda: store.append(run, [Log(message="late")]),
        lambda: store.append(run, [Log(message="late")], "w"),
        lambda: store.leases.finish(run, "w", Outcome(state="failed", error="late")),
        lambda: store.retry(run),
    ):
        with pytest.raises(RunIsFixed):
            attempt()
    assert store.request_stop(run) == "done"
    assert store.leases.beat("w") == {}
    assert store.leases.claim([run], "other") == []
    assert store.get(run) == before
    assert len(store.events(run)) == 1


def test_a_run_that_is_done_is_at_no_stage(store: RunStore) -> None:
    for seed, state in enumerate(("done", "failed")):
        run = running(store, seed)
        store.append(run, [Progress(step=1, total=2, stage="head")], "w")
        store.leases.finish(run, "w", Outcome(state=state))
        record = store.get(run)
        assert (record.stage, record.progress) == (("", 1.0) if state == "done" else ("head", 0.5))


def test_the_states_of_runs_that_came_along_are_nobody_s(store: RunStore) -> None:
    own, came = done(store, 0), done(store, 1)
    with store.database.write() as connection:
        number = sa.select(runs.c.number).where(runs.c.id == came).scalar_subquery()
        connection.execute(gallery.insert().values(run=number, file="0", added=0))
    assert store.states([own, came]) == {own: "done"}, "whoever asks for one trains it"


def test_only_its_worker_adds_to_a_run(store: RunStore) -> None:
    run = running(store)
    with pytest.raises(RunIsFixed, match="another worker"):
        store.append(run, [Log(message="mine")], "somebody")
    with pytest.raises(RunIsFixed, match="another worker"):
        store.leases.finish(run, "somebody", Outcome(state="done"))
    assert store.get(run).state == "running"


def test_a_run_is_claimed_once_and_only_where_there_is_room(store: RunStore) -> None:
    ids = [store.submit(a_spec(seed)) for seed in range(3)]
    assert [store.leases.waiting(2), store.leases.waiting(9)] == [2, 3]
    assert store.leases.claim(ids[:2], "a", pid=os.getpid()) == ids[:2]
    assert store.leases.claim(ids[:2], "b") == []
    assert store.leases.busy() == 1
    assert store.leases.claim_next("b", room=1) == []
    assert store.leases.claim_next("b", room=2) == ids[2:]
    assert store.leases.claim_next("b", room=2) == []
    assert store.leases.beat("a") == {ids[0]: "running", ids[1]: "running"}


def beside(
    store: RunStore, url: str, held: Callable[[sa.Connection], object], act: Callable[[Leases], list[str] | None]
) -> list[str] | None:
    """What comes of an act that begins while another process has done what is `held`, and not yet ended."""
    if url.startswith("sqlite"):
        pytest.skip("one writer at a time: nothing is done beside a writer")
    other = RunStore.open(url)
    waits = sa.text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = :what")
    try:
        with ThreadPoolExecutor(1) as pool:
            with store.database.write() as connection:
                held(connection)
                late = pool.submit(act, other.leases)
                for _ in range(100):
                    with store.database.read() as looks:
                        held_up = [looks.scalar(waits, {"what": what}) for what in ("advisory", "transactionid")]
                    if late.done() or any(held_up):
                        break
                    time.sleep(0.05)
            return late.result(30)
    finally:
        other.close()


def taking(store: RunStore, run: str) -> Callable[[sa.Connection], None]:
    """Another worker of this machine takes the run."""

    def held(connection: sa.Connection) -> None:
        store.database.lock(connection, leases._ROOM_LOCK, leases.this_host())
        lease = {"state": "running", "worker": "first", "host": leases.this_host()}
        connection.execute(runs.update().where(runs.c.id == run).values(**lease))

    return held


def test_a_run_that_another_is_taking_is_claimed_once(store: RunStore, url: str) -> None:
    run = store.submit(a_spec())
    assert beside(store, url, taking(store, run), lambda other: other.claim([run], "second")) == []


def test_room_that_another_is_taking_is_taken_once(store: RunStore, url: str) -> None:
    first, second = (store.submit(a_spec(seed)) for seed in range(2))
    assert beside(store, url, taking(store, first), lambda other: other.claim_next("second", room=1)) == []
    assert store.states([first, second]) == {first: "running", second: "queued"}


def test_a_run_that_another_is_marking_as_lost_is_not_finished(store: RunStore, url: str) -> None:
    run = running(store)
    lost = runs.update().where(runs.c.id == run).values(state="lost")
    with pytest.raises(RunIsFixed, match="is lost"):
        beside(
            store,
            url,
            lambda connection: connection.execute(lost),
            lambda other: other.finish(run, "w", Outcome(state="done")),
        )
    assert store.get(run).state == "lost"


def test_a_noise_key_that_another_is_agreeing_on_counts(store: RunStore, url: str) -> None:
    def held(connection: sa.Connection) -> None:
        store.database.lock(connection, database._SUBMIT_LOCK)
        connection.execute(keys.insert().values(fingerprint=fingerprint(bytes(32))))

    with pytest.raises(OtherKey):
        beside(store, url, held, lambda other: other.agree(bytes([1] * 32)))
    assert store.leases.fingerprint() == fingerprint(bytes(32))


def test_workers_of_another_machine_take_no_room_of_this_one(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(leases, "this_host", lambda: "another machine")
        running(store)
        assert store.leases.busy() == 1
    waiting = store.submit(a_spec(1))
    assert store.leases.busy() == 0
    assert store.leases.claim_next("here", room=1) == [waiting]


def test_many_specs_are_submitted_in_one_step_and_claimed_by_stacks(store: RunStore) -> None:
    specs = [make_spec("gnn", "karate", {"epochs": 10}, seed=seed) for seed in range(23)]
    first = store.submit(specs[3], tags=["mine"])
    ids = store.submit_all([*specs, specs[0]], ["sweep"], "b", engine="slurm", retries=2)
    assert ids == [*(spec.id for spec in specs), specs[0].id]
    assert store.count() == 23
    assert store.get(first).tags == ("mine", "sweep")
    assert store.states([*ids, "no-run"]) == dict.fromkeys(ids, "queued")
    others = [run for run in ids[:-1] if run != first]
    assert store.leases.claim_next("a", Wants(engines=("local",))) == []
    assert store.leases.claim_next("a") == [first], "it was submitted before, and by itself"
    assert store.leases.claim_next("b", Wants(engines=("slurm", "ray"))) == others[:10]
    assert store.submit(specs[1], engine="ray") == others[1]
    assert store.leases.claim_next("c", Wants(engines=("slurm",))) == others[10:20]
    late = store.submit_all([make_spec("gnn", "karate", {"epochs": 10}, seed=50)], batch="b", engine="slurm")
    assert store.leases.claim_next("d") == [*others[20:], *late], "a stack that waits has room for who comes later"
    later = store.submit_all([make_spec("gnn", "karate", {"epochs": 10}, seed=51)], batch="b")
    assert store.leases.claim_next("e") == later
    with pytest.raises(StoreError, match="a run id is made of"):
        store.submit_all([make_spec("mlp", "karate"), RunSpec(method="../x", dataset="karate")])
    assert store.count() == 25, "all or none"


def test_a_worker_is_given_what_it_can_train(store: RunStore) -> None:
    wants_cuda = store.submit(make_spec("mlp", "karate", device="cuda"))
    large, cora, small = (store.submit(make_spec("mlp", name)) for name in ("digits", "cora", "karate"))
    with store.database.write() as connection:
        connection.execute(runs.update().where(runs.c.id == large).values(memory_mb=5000.0))
    asked: list[str] = []

    def at_hand(name: str) -> bool:
        asked.append(name)
        return name != "cora"

    weak = Wants(devices=("auto", "cpu"), memory_mb=4000, at_hand=at_hand)
    assert store.leases.claim_next("a", weak) == [small]
    assert asked == ["cora", "digits", "karate"], "each name of the queue once"
    assert store.leases.claim_next("a", weak) == []
    assert store.leases.claim_next("b", Wants(devices=("auto", "cuda"), memory_mb=4000)) == [wants_cuda]
    assert [store.leases.claim_next("c"), store.leases.claim_next("c")] == [[large], [cora]]


def elsewhere(store: RunStore, count: int) -> list[str]:
    """Queued runs on data that only some workers have, each trained alone."""
    base = make_spec("mlp", "cora", {"epochs": 3})
    return store.submit_all(replace(base, seed=seed) for seed in range(count))


@pytest.mark.parametrize("unreadable", [False, True])
def test_a_claim_asks_as_little_of_many_runs_that_it_leaves_as_of_few(store: RunStore, unreadable: bool) -> None:
    counts = []
    for count in (2, 300):
        ids, here = elsewhere(store, count), store.submit(make_spec("mlp", "karate", {"epochs": count}))
        if unreadable:
            with store.database.write() as connection:
                connection.execute(runs.update().where(runs.c.id.in_(ids)).values(spec='{"of": "another version"}'))
        with statements(store) as asked:
            assert store.leases.claim_next("w", Wants(at_hand=lambda name: name == "karate" or unreadable)) == [here]
        counts.append(len(asked))
    assert counts[0] == counts[1] < 20
    with statements(store) as asked:
        assert store.leases.claim_next("w", Wants(at_hand=lambda _name: False)) == []
    assert not any("UPDATE" in one for one in asked), "no row is locked"


def test_a_run_that_a_claim_leaves_is_free_for_others_at_once(store: RunStore, url: str) -> None:
    if url.startswith("sqlite"):
        pytest.skip("one writer at a time: no claim runs beside another")
    *others, first = elsewhere(store, 3)[::-1]
    here = store.submit(make_spec("mlp", "karate", {"epochs": 3}))
    beside = RunStore.open(url)
    with store.database.write() as connection:
        assert first_stack(connection, Wants(), AtHand(data=["karate"], needs=[""])) == [here]
        assert beside.leases.claim_next("has cora") == [first]
    beside.close()
    assert store.states(others) == dict.fromkeys(others, "queued")


def test_runs_of_one_stack_that_were_given_to_two_engines_are_taken_apart(store: RunStore) -> None:
    specs = [make_spec("gnn", "karate", {"epochs": 10}, seed=seed) for seed in range(5)]
    ids = store.submit_all(specs, batch="b", engine="slurm")
    for place in (0, 3):
        store.submit(specs[place])
    assert store.leases.claim_next("here", Wants(engines=("local",))) == [ids[0], ids[3]]
    assert store.leases.claim_next("here", Wants(engines=("local",))) == []
    assert store.leases.claim_next("pulls") == [ids[1], ids[2], ids[4]]


def test_a_worker_takes_of_a_stack_what_it_has_memory_for(store: RunStore) -> None:
    ids = store.submit_all([make_spec("gnn", "karate", {"epochs": 10}, seed=seed) for seed in range(3)], batch="b")
    with store.database.write() as connection:
        connection.execute(runs.update().where(runs.c.id == ids[1]).values(memory_mb=5000.0))
    assert store.leases.claim_next("small", Wants(memory_mb=4000.0)) == [ids[0], ids[2]]
    assert store.leases.claim_next("large", Wants(memory_mb=5000.0)) == [ids[1]]


def test_a_claim_asks_for_all_that_a_run_reads(store: RunStore) -> None:
    """Beside its data: the graph that a prompt's network is pre-trained on, the encoder of texts."""
    specs = [
        make_spec("prompt", "karate", {"pretrain_on": "cora"}),
        make_spec("relational", "products", {"encoder": "/models/here"}),
        make_spec("prompt", "karate"),
    ]
    assert [spec.needs for spec in specs] == ["cora", "encoder:/models/here", ""]
    ids = [store.submit(spec) for spec in specs]
    data = ["karate", "products"]
    for more, taken in (([], ids[2]), (["encoder:/models/here"], ids[1]), (["cora"], ids[0])):
        wants = Wants(at_hand={*data, *more}.__contains__)
        assert store.leases.claim_next("w", wants) == [taken]
        assert store.leases.claim_next("w", wants) == []


def test_what_queued_runs_of_an_earlier_store_need_is_known(url: str) -> None:
    old = RunStore.open(url)
    run = old.submit(make_spec("prompt", "karate", {"pretrain_on": "cora"}))
    old.close()
    with sa.create_engine(url, poolclass=sa.NullPool).begin() as connection:
        connection.execute(sa.text("DROP INDEX runs_by_state_and_needs"))
        connection.execute(sa.text("ALTER TABLE runs DROP COLUMN needs"))
    store = RunStore.open(url)
    assert store.leases.claim_next("a", Wants(at_hand=lambda name: name == "karate")) == []
    assert store.leases.claim_next("b", Wants(at_hand=lambda name: name in ("karate", "cora"))) == [run]
    store.close()


def test_claims_beside_one_another_take_different_whole_stacks(store: RunStore, url: str) -> None:
    if url.startswith("sqlite"):
        pytest.skip("one writer at a time: no claim runs beside another")
    ids = store.submit_all([make_spec("gnn", "karate", {"epochs": 10}, seed=seed) for seed in range(20)], batch="b")
    stopping = RunStore.open(url)
    with store.database.write() as first, stopping.database.write() as second:
        assert first_stack(first, Wants()) == ids[:10]
        assert first_stack(second, Wants()) == ids[10:]
        assert RunStore.open(url).leases.claim_next("w") == [], "it waits for nobody"
    assert RunStore.open(url).leases.claim_next("w") == ids[:10]
    stopping.close()


def test_a_store_from_before_the_queue_keeps_working(url: str) -> None:
    old = RunStore.open(url)
    specs = [make_spec("gnn", "karate", {"epochs": 10}, seed=seed, device="cpu") for seed in range(3)]
    ids = old.submit_all(specs, batch="b")
    old.close()
    with sa.create_engine(url, poolclass=sa.NullPool).begin() as connection:
        connection.execute(sa.text("DROP INDEX runs_by_stack"))
        connection.execute(sa.text("DROP INDEX runs_by_state_and_needs"))
        for name in ("stack", "asked", "memory_mb", "engine", "retries", "losses", "needs"):
            connection.execute(sa.text(f"ALTER TABLE runs DROP COLUMN {name}"))
    store = RunStore.open(url)
    assert [record.state for record in store.find()] == ["queued"] * 3
    assert store.leases.claim_next("a", Wants(devices=("cuda",))) == []
    assert store.leases.claim_next("a", Wants(engines=("local",))) == ids
    assert "runs_by_stack" in {index["name"] for index in sa.inspect(store.database.engine).get_indexes("runs")}
    store.close()


def test_stop_cancels_what_waits_and_asks_what_runs(store: RunStore) -> None:
    waiting = store.submit(a_spec(0))
    assert store.request_stop(waiting) == "stopped"
    assert store.get(waiting).finished is not None
    assert store.leases.claim([waiting], "w") == []
    run = running(store, 1)
    assert store.request_stop(run) == "stopping"
    assert store.leases.states("w") == {run: "stopping"}
    store.append(run, [Log(message="on my way")], "w")
    store.leases.finish(run, "w", Outcome(state="stopped"))
    assert store.get(run).state == "stopped"


def test_retry_is_another_attempt_and_deletes_what_was_told(store: RunStore) -> None:
    run = running(store)
    store.append(run, [Progress(step=1, total=2), Log(message="first")], "w")
    store.leases.finish(run, "w", Outcome(state="failed", error="it broke", seconds=1.0))
    store.retry(run)
    record = store.get(run)
    assert (record.state, record.attempt, record.progress, record.error) == ("queued", 2, 0.0, "")
    assert (record.started, record.finished, record.seconds) == (None, None, None)
    assert store.find_rows()[0]["epsilon"] == 1.0
    with pytest.raises(RunIsFixed, match="queued"):
        store.retry(run)
    assert store.leases.claim([run], "second") == [run]
    with pytest.raises(RunIsFixed, match="another worker"):
        store.append(run, [Log(message="a ghost")], "w")
    store.append(run, [Log(message="second")], "second")
    assert [(event.sequence, event.attempt) for event in store.events(run)] == [(3, 1), (4, 2)]
    assert store.events(run)[0].payload["message"] == "Attempt 1 was failed: it broke."
    assert store.leases.tried_again("second") == {run}


def test_what_earlier_versions_kept_of_earlier_attempts_is_deleted_too(store: RunStore) -> None:
    """They left what an attempt had told, and both would be two releases."""
    run = running(store)
    store.append(run, [Metric(name="val_accuracy", value=0.5, step=1), Log(message="first")], "w")
    with store.database.write() as connection:
        connection.execute(runs.update().values(attempt=2, device="cuda"))
    store.append(run, [Metric(name="val_accuracy", value=0.6, step=1), Log(message="second")], "w")
    store.leases.give_back(run, "w")
    assert [event.payload["message"] for event in store.events(run)] == ["first"]
    assert store.get(run).device == "", "that of the next attempt is not known"


def test_each_attempt_says_which_program_made_it_once(store: RunStore) -> None:
    run = running(store)
    assert store.get(run).version == ""
    for version in ("1.0", "1.1"):
        store.leases.made_by("w", version)
    assert store.get(run).version == store.find_rows()[0]["version"] == "1.0"
    store.leases.finish(run, "w", Outcome(state="failed"))
    store.retry(run)
    assert store.get(run).version == "", "nobody has begun with it"
    store.leases.claim([run], "second")
    store.leases.made_by("second", "2.0")
    assert store.get(run).version == store.find_rows()[0]["version"] == "2.0"


def test_delete_removes_everything_but_not_under_a_worker(store: RunStore) -> None:
    run = running(store)
    (store.folder(run) / "artifact.txt").write_text("kept")
    with pytest.raises(RunIsFixed, match="stop it"):
        store.delete(run)
    store.append(run, [Log(message="one")], "w")
    store.tag(run, "a")
    store.leases.finish(run, "w", Outcome(state="stopped"))
    folder = store.folder(run)
    store.delete(run)
    assert not folder.exists()
    assert store.count() == 0
    assert store.tags() == []
    again = store.submit(a_spec())
    assert again == run
    assert store.events(again) == []


def an_audit(run: str, epsilon: float, **changes: object) -> AuditRecord:
    record = AuditRecord(
        run=run,
        audit="mechanism",
        adversary=Adversary.WORST_CASE,
        title="Mechanisms, played many times",
        covers="run",
        delta=1e-5,
        confidence=0.95,
        epsilon=epsilon,
        bounds=(Bound(route=Route.THRESHOLD, epsilon=epsilon),),
        sound=math.inf,
        published=1.5,
        trials=100,
        seconds=1.5,
        seed=0,
        score="sum of log-likelihood ratios",
        edges=(0.0, 1.0, 2.0),
        scores_with=(1, 49),
        scores_without=(50, 0),
        roc_false=(0.0, 0.0, 1.0),
        roc_true=(0.0, 0.98, 1.0),
        area=0.99,
        notes=("one",),
    )
    return replace(record, **changes)  # type: ignore[arg-type]


def test_audits_stand_beside_a_run_that_stays_as_it_was(store: RunStore) -> None:
    run, other = done(store), done(store, 1)
    before, events = store.get(run), store.events(run)
    assert store.audits(run) == []
    records = [
        an_audit(run, 1.25, confidence=0.9, turn=store.begin_audit(run)),
        an_audit(run, 9.0, covers="step", turn=store.begin_audit(run)),
        # at a smaller delta epsilon is larger: this says nothing of the run's
        an_audit(run, 7.0, delta=1e-6, turn=store.begin_audit(run)),
        an_audit(run, 0.5, turn=store.begin_audit(run)),
    ]
    assert [record.turn for record in records] == [1, 2, 3, 4]
    shown = []
    for record in records:
        store.add_audit(run, record)
        shown.append((store.get(run).epsilon_audited, store.find_rows(RunQuery(ids=(run,)))[0]["audited_epsilon"]))
    assert store.audits(run) == records
    assert shown == [(1.25, 1.25)] * 4
    assert store.audited_by(["mechanism"]) == {run: 1.25}
    after = store.get(run)
    assert (after.audit_confidence, after.audited_by, after.adversary) == (0.9, "mechanism", Adversary.WORST_CASE)
    assert replace(after, epsilon_audited=None, audit_confidence=None, audited_by="", adversary=None) == before
    assert store.events(run) == events
    assert (store.audits(other), store.get(other).epsilon_audited) == ([], None)
    turn = store.begin_audit(run)
    store.add_audit(run, an_audit(run, 2.0, delta=1e-4, audit="white-box", turn=turn))
    found = store.get(run)
    # the surest of them is no surer than all together
    assert (found.epsilon_audited, found.audit_confidence, found.audited_by) == (2.0, 0.9, "white-box")
    with pytest.raises(StoreError, match=f"no audit of {run} with turn {turn} is on its way"):
        store.add_audit(run, an_audit(run, 3.0, turn=turn))
    assert store.get(run).epsilon_audited == 2.0
    assert RunStore.open(store.url).audits(run) == store.audits(run)


def test_of_audits_that_share_no_confidence_the_first_is_shown(store: RunStore) -> None:
    """Those of earlier versions: each is right as often as it says, and the largest of many is not."""
    run = done(store)
    for number, epsilon in enumerate((0.5, 3.0, 1.0)):
        store.add_audit(run, an_audit(run, epsilon, seed=number))
    assert store.get(run).epsilon_audited == 0.5
    assert store.find_rows(RunQuery(ids=(run,)))[0]["audited_epsilon"] == 0.5
    store.add_audit(run, an_audit(run, 0.25, turn=store.begin_audit(run)))
    assert store.get(run).epsilon_audited == 0.25


def test_an_audit_needs_a_run_that_is_done_and_goes_with_it(store: RunStore) -> None:
    run = running(store)
    with pytest.raises(RunIsFixed, match="only a run that is done can be audited"):
        store.add_audit(run, an_audit(run, 1.0))
    with pytest.raises(RunIsFixed, match="only a run that is done can be audited"):
        store.begin_audit(run)
    with pytest.raises(StoreError, match="this audit is of another-run"):
        store.add_audit(run, an_audit("another-run", 1.0))
    for attempt in (lambda: store.audits("no-run"), lambda: store.add_audit("no-run", an_audit("no-run", 1.0))):
        with pytest.raises(UnknownRun):
            attempt()
    finished = done(store, 1)
    store.add_audit(finished, an_audit(finished, 1.0, turn=store.begin_audit(finished)))
    store.delete(finished)
    again = store.submit(a_spec(1))
    assert (again, store.audits(again), store.get(again).epsilon_audited) == (finished, [], None)


def test_each_run_that_is_done_or_leaves_changes_the_mark_of_what_is_done(store: RunStore) -> None:
    first = done(store)
    marks = [store.done_mark()]
    store.submit(a_spec(7))
    assert store.done_mark() == marks[0], "nothing else is done"
    second = done(store, 1)
    marks.append(store.done_mark())
    store.delete(second)
    marks.append(store.done_mark())
    assert done(store, 1) == second
    marks.append(store.done_mark())
    store.delete(first)
    marks.append(store.done_mark())
    assert len(set(marks)) == 4
    assert marks[2] == marks[0], "as before"


def test_evidence_has_another_mark_with_each_change(store: RunStore) -> None:
    run, other = done(store), done(store, 1)
    marks = [store.evidence_mark()]
    assert store.evidence_mark() == marks[0]
    for change in (
        lambda: store.add_audit(run, an_audit(run, 1.0, turn=store.begin_audit(run))),
        lambda: store.add_attack(other, made_attack(other)),
        lambda: store.delete(other),
        lambda: store.delete(run),
    ):
        change()
        marks.append(store.evidence_mark())
        assert marks[-1] == store.evidence_mark()
    assert all(one != before for before, one in pairwise(marks))
    assert len(set(marks)) == 3
    assert marks[3:] == [marks[1], marks[0]], "as before what is gone"


def test_a_store_from_before_versions_keeps_working(url: str) -> None:
    old = RunStore.open(url)
    run = done(old)
    with sa.create_engine(url, poolclass=sa.NullPool).begin() as connection:
        origins.drop(connection)
    old.close()
    store = RunStore.open(url)
    assert (store.get(run).state, store.get(run).version) == ("done", "")
    new = running(store, 1, worker="next")
    store.leases.made_by("next", "0.5.0+0a1b2c3d4e5f")
    store.leases.made_by("nobody", "0.5.0+0a1b2c3d4e5f")
    assert (store.get(run).version, store.get(new).version) == ("", "0.5.0+0a1b2c3d4e5f")
    store.leases.finish(new, "next", Outcome(state="failed", error="it broke"))
    store.retry(new)
    assert store.get(new).version == "", "its next attempt has not begun"
    store.delete(new)
    assert store.submit(a_spec(1)) == new
    assert store.get(new).version == ""
    store.close()


def test_a_store_from_before_audits_keeps_working(url: str) -> None:
    old = RunStore.open(url)
    run = done(old)
    with sa.create_engine(url, poolclass=sa.NullPool).begin() as connection:
        audits.drop(connection)
        audit_turns.drop(connection)
    old.close()
    store = RunStore.open(url)
    assert store.get(run).state == "done"
    store.add_audit(run, an_audit(run, 1.0, turn=store.begin_audit(run)))
    assert store.get(run).epsilon_audited == 1.0
    store.close()


def test_tags_and_notes_belong_to_the_reader(store: RunStore) -> None:
    run = done(store)
    store.tag(run, "  best   so far ")
    store.tag(run, "best so far")
    store.note(run, "Shown at the meeting")
    assert (store.get(run).tags, store.get(run).note) == (("best so far",), "Shown at the meeting")
    assert store.tags() == ["best so far"]
    store.untag(run, "best so far")
    assert store.get(run).tags == ()
    for bad in ("", "   ", "x" * 61):
        with pytest.raises(StoreError, match="a tag has 1 to 60"):
            store.tag(run, bad)
    with pytest.raises(StoreError, match="a note has at most"):
        store.note(run, "x" * 5000)


@pytest.mark.long
def test_runs_are_found_by_what_they_are(store: RunStore) -> None:
    a = done(store, 0, 0.9)
    b = done(store, 1, 0.7)
    c = store.submit(a_spec(0, method="gap", dataset="social", hidden=4242), batch="sweep")
    d = store.submit(a_spec(0, method="gnn", unit="none"), tags=["100% odd_one"])

    def ids(**query: object) -> list[str]:
        found = store.find(RunQuery(**query))  # type: ignore[arg-type]
        rows = store.find_rows(RunQuery(**query))  # type: ignore[arg-type]
        assert [record.id for record in found] == [row["id"] for row in rows]
        return [record.id for record in found]

    assert ids() == [d, c, b, a]
    assert ids(descending=False) == [a, b, c, d]
    assert ids(methods=("mlp",)) == [b, a]
    assert ids(methods=("mlp", "gap"), datasets=("social",)) == [c]
    assert ids(states=("queued",)) == [d, c]
    assert ids(units=("none",)) == [d]
    assert ids(accountings=("sound",)) == [c, b, a]
    assert ids(batch="sweep") == [c]
    assert ids(tags=("100% odd_one",)) == [d]
    assert ids(tags=("100% odd_one", "other")) == []
    assert ids(text="4242") == [c]
    assert ids(text="GAP Social") == [c]
    assert ids(text="100% odd_one") == [d]
    assert ids(text="%") == [d]
    for text in ("hidden=4242", "hidden=4242.0", "Hidden = 4.242e3", "seed=0 hidden=4242", "method=gap"):
        assert ids(text=text) == [c], text
    epsilon = store.get(c).spec.options["epsilon"]
    assert c in ids(text=f"epsilon={epsilon}")
    assert c in ids(text=f"epsilon={float(epsilon):g}")
    for text in ("hidden=424", "idden=4242", "hidden=", "=", "hidden=inf", "hidden=nan", "epsilon=99"):
        assert ids(text=text) == [], text
    assert ids(order="test_accuracy") == [a, b, d, c]
    assert ids(order="test_accuracy", descending=False) == [b, a, c, d]
    assert ids(limit=2, offset=1) == [c, b]
    assert ids(offset=3) == [a]
    assert store.count(RunQuery(methods=("mlp",), limit=1)) == 2
    row = store.find_rows(RunQuery(ids=(a,)), graphs=True)[0]
    assert (row["test_accuracy"], row["sound_epsilon"], row["published_epsilon"]) == (0.9, math.inf, 1.5)
    assert row["graph"] == row["dataset"]
    assert store.find_rows(RunQuery(ids=(d,)))[0]["epsilon"] is None


def test_the_remaining_time_follows_the_pace_of_training(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(type(store._database), "now", lambda _self, _connection: clock[0])
    run = running(store)
    store.append(run, [Progress(step=0, total=100, stage="loading data")], "w")
    assert store.get(run).eta_seconds is None
    clock[0] += 50  # loading takes long, and says nothing about training
    store.append(run, [Progress(step=0, total=100, stage="training")], "w")
    clock[0] += 10
    store.append(run, [Progress(step=20, total=100, stage="training")], "w")
    assert store.get(run).eta_seconds == pytest.approx(40)
    clock[0] += 5
    assert store.get(run).eta_seconds == pytest.approx(35)
    store.leases.finish(run, "w", Outcome(state="done"))
    assert store.get(run).eta_seconds is None


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


def test_a_claim_takes_of_a_stack_what_waits_alone(store: RunStore) -> None:
    ids = store.submit_all([make_spec("gnn", "karate", {"epochs": 10}, seed=seed) for seed in range(4)], batch="b")
    assert store.request_stop(ids[2]) == "stopped"
    taken = [ids[0], ids[1], ids[3]]
    assert store.leases.claim_next("a", pid=os.getpid()) == taken
    for run in taken[:2]:
        store.leases.finish(run, "a", Outcome(state="failed"))
    store.retry(ids[1])
    assert store.leases.claim_next("b", pid=os.getpid()) == [ids[1]]
    assert store.leases.beat("a") == {ids[3]: "running"}


def test_who_comes_later_joins_no_stack_that_has_begun(store: RunStore) -> None:
    ids = store.submit_all([make_spec("gnn", "karate", {"epochs": 10}, seed=seed) for seed in range(3)], batch="b")
    store.request_stop(ids[0])
    late = store.submit_all([make_spec("gnn", "karate", {"epochs": 10}, seed=3)], batch="b")
    assert [store.leases.claim_next("a"), store.leases.claim_next("b")] == [ids[1:], late]


def test_events_whose_answer_was_lost_are_stored_once(store: RunStore) -> None:
    run = running(store)
    first = [Log(message="1"), Log(message="2")]
    assert store.append(run, first, "w", after=0) == 2
    assert store.append(run, [*first, Log(message="3")], "w", after=0) == 3
    store.leases.finish(run, "w", Outcome(state="done"), [Log(message="3"), Log(message="4")], after=2)
    assert [one.payload["message"] for one in store.events(run)] == ["1", "2", "3", "4"]


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


def test_a_store_of_another_schema_is_refused(store: RunStore, url: str) -> None:
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(schema.insert().values(version=99))
    with pytest.raises(StoreError, match="has schema 99, and this version reads schema 1"):
        RunStore.open(url)


def test_the_first_page_takes_as_many_queries_of_ten_thousand_runs_as_of_one(store: RunStore, url: str) -> None:
    done(store)
    queries = (
        RunQuery(limit=50),
        RunQuery(limit=50, order="test_accuracy", states=("done",)),
        RunQuery(limit=50, text="karate"),
    )
    few = [_told(store, query) for query in queries]
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        row = dict(connection.execute(sa.select(runs)).mappings().one())
        many = [
            row
            | {"number": n, "id": f"mlp-karate-{n:012x}", "created": row["created"] + n, "test_accuracy": n % 97 / 97}
            for n in range(2, 10_001)
        ]
        connection.execute(runs.insert(), many)
    for query, (count, shown, total) in zip(queries, few, strict=True):
        assert (shown, total) == (1, 1)
        assert 0 < count <= 8
        assert _told(store, query) == (count, 50, 10_000)


def _told(store: RunStore, query: RunQuery) -> tuple[int, int, int]:
    """How many statements a page takes, how many runs it shows, and of how many."""
    with statements(store) as asked:
        shown, total = len(store.find(query)), store.count(query)
    return len(asked), shown, total


def test_a_worker_trains_a_run_of_this_store(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    run = store.submit(make_spec("mlp", "karate", {"epochs": 5}))
    (record,) = wait(store, [run], timeout=120)
    assert record.state == "done", record.error
    assert record.statement is not None
    assert record.statement.epsilon == 0
    assert store.find_rows(RunQuery(order="sound_epsilon"))[0]["sound_epsilon"] == 0


WRITERS = """
import os, sys
from privgraph.progress import Metric
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
url, shared, batches = sys.argv[1], sys.argv[2], int(sys.argv[3])
seed = next((seed for seed in range(8) if not os.fork()), None)  # what is imported is imported once for all eight
if seed is None:
    sys.exit(any([os.wait()[1] for _ in range(8)]))
store = RunStore.open(url)
own = store.submit(RunSpec(method="mlp", dataset="karate", seed=seed))
assert own == store.submit(RunSpec(method="mlp", dataset="karate", seed=seed))
everybodys = store.submit(RunSpec(method="gap", dataset="karate"))
assert store.leases.claim([own], f"worker-{seed}") == [own]
for batch in range(batches):
    events = [Metric(name=f"m{seed}", value=float(batch), step=step) for step in range(3)]
    store.append(own, events, f"worker-{seed}")
    store.append(shared, events)
os.write(1, f"{seed} {own} {everybodys}\\n".encode())
"""


@pytest.mark.long
def test_eight_writers_and_a_reader_lose_nothing(store: RunStore, url: str) -> None:
    batches = 25
    shared = running(store, seed=100)
    command = [sys.executable, "-c", WRITERS, url, shared, str(batches)]
    writers = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seen = 0
    while writers.poll() is None:
        for event in store.events(shared, after=seen):
            # What a reader has seen never gets a predecessor later.
            assert event.sequence == seen + 1
            seen = event.sequence
        time.sleep(0.01)
    output, complaints = writers.communicate()
    assert writers.returncode == 0, complaints
    told_by = {int(seed): (own, everybodys) for seed, own, everybodys in map(str.split, output.splitlines())}
    assert sorted(told_by) == list(range(8))
    everything = store.events(shared)
    assert [event.sequence for event in everything] == list(range(1, 8 * batches * 3 + 1))
    for seed, (own, _) in told_by.items():
        metrics = [(event.payload["value"], event.payload["step"]) for event in store.events(own)]
        assert metrics == [(float(batch), step) for batch in range(batches) for step in range(3)]
        mine = [(e.payload["value"], e.payload["step"]) for e in everything if e.payload["name"] == f"m{seed}"]
        assert mine == metrics
    assert store.count(RunQuery(ids=tuple({everybodys for _, everybodys in told_by.values()}))) == 1
    assert store.count() == 10


def test_runs_of_the_gallery_come_with_what_was_shown_of_each(url: str, tmp_path: Path) -> None:
    runs_there = {one["run"]["id"]: one for chapter in shipped.content().values() for one in chapter}
    told = [one for one in runs_there.values() if one["audits"] or len(one["attacks"]) > 1]
    assert len(told) > 20
    file = tmp_path / "gallery.json.xz"
    file.write_bytes(lzma.compress(json.dumps({"form": shipped.FORM, "chapters": {"told": told}}).encode()))
    store = RunStore.open(url, tmp_path / "runs")
    assert shipped.bring_in(store, file) == len(told)
    for one in told:
        run = one["run"]["id"]
        shown = [record["epsilon"] for record in one["audits"]]
        assert [record.epsilon for record in store.audits(run)] == shown
        assert len(store.attacks(run)) == len(one["attacks"])
        assert len(store.events(run)) == len(one["events"])
    store.close()
