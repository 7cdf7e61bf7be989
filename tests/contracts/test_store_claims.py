"""Whichever database keeps the runs: who gets which of them, and that nobody else does."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import sqlalchemy as sa
from tests.contracts.store_runs import a_spec, running, statements

from privgraph.runs import leases
from privgraph.runs.leases import Leases, Outcome
from privgraph.runs.queueing import Wants, first_stack
from privgraph.runs.records import RunIsFixed, StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs


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


def test_runs_of_one_stack_that_were_given_to_two_engines_are_taken_apart(store: RunStore) -> None:
    specs = [make_spec("gnn", "karate", {"epochs": 10}, seed=seed) for seed in range(5)]
    ids = store.submit_all(specs, batch="b", engine="slurm")
    for place in (0, 3):
        store.submit(specs[place])
    assert store.leases.claim_next("here", Wants(engines=("local",))) == [ids[0], ids[3]]
    assert store.leases.claim_next("here", Wants(engines=("local",))) == []
    assert store.leases.claim_next("pulls") == [ids[1], ids[2], ids[4]]


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
