"""One suite for every database that a run store can lie in: SQLite, and a PostgreSQL server started here."""

import json
import math
import subprocess
import sys
import time

import pytest
import sqlalchemy as sa
from tests.contracts.store_runs import STATEMENT, a_spec, done, running, statements

from privgraph.progress import Artifact, Log, Metric, Progress, Spent
from privgraph.runs.leases import Outcome
from privgraph.runs.records import RunIsFixed, RunQuery, StoreError, UnknownRun
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs, schema


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
    assert json.loads(before.statement_text or "") == STATEMENT
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


def test_only_its_worker_adds_to_a_run(store: RunStore) -> None:
    run = running(store)
    with pytest.raises(RunIsFixed, match="another worker"):
        store.append(run, [Log(message="mine")], "somebody")
    with pytest.raises(RunIsFixed, match="another worker"):
        store.leases.finish(run, "somebody", Outcome(state="done"))
    assert store.get(run).state == "running"


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


def test_events_whose_answer_was_lost_are_stored_once(store: RunStore) -> None:
    run = running(store)
    first = [Log(message="1"), Log(message="2")]
    assert store.append(run, first, "w", after=0) == 2
    assert store.append(run, [*first, Log(message="3")], "w", after=0) == 3
    store.leases.finish(run, "w", Outcome(state="done"), [Log(message="3"), Log(message="4")], after=2)
    assert [one.payload["message"] for one in store.events(run)] == ["1", "2", "3", "4"]


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
