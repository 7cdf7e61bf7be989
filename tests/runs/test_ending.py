"""How a worker ends its runs: what is said, and which files stay."""

from dataclasses import replace

import pytest
from tests.tuning.worker_made_here import SIZES, gap

from privgraph.privacy.kinds import Neighbours
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.statements import ASSUME_STOP_NOT_CHOSEN
from privgraph.progress import Metric, Result
from privgraph.runs.leases import LOG_NAME, RESERVE_NAME
from privgraph.runs.records import RunRecord, StoreIsFull
from privgraph.runs.store import RunStore
from privgraph.runs.worker import Worker, jobs_of

SPEC = gap(epsilon=1.0)
PLAN = replace(SPEC.config().plan(SIZES).statement, unit="node", neighbours=Neighbours.FROZEN_ROSTER)


@pytest.fixture
def worker(store: RunStore) -> Worker:
    """It trains one run, has told something, and has files on its desk."""
    run = store.submit(SPEC)
    store.leases.claim([run], "w")
    made = Worker(store, "w", jobs_of(store, [run]))
    (job,) = made._jobs
    job.planned = PLAN
    made._tell(job, Metric(name="val_accuracy", value=0.5, step=1))
    (store.begin(run, "w") / "predictions.npz").write_text("of this attempt")
    return made


def ended(store: RunStore, worker: Worker) -> tuple[RunRecord, set[str], list[str]]:
    """The run, the files that it has, and the kinds of what it has told."""
    worker._clear_up()
    (record,) = store.find()
    there = {path.name for path in store.folder(record.id).iterdir()}
    return record, there, [event.kind for event in store.events(record.id)]


def test_what_is_done_has_its_files(store: RunStore, worker: Worker) -> None:
    (job,) = worker._jobs
    job.ledger = Ledger(PLAN.ledger)
    worker._done(job, Result(metrics={"val_accuracy": 0.5}))
    record, there, told = ended(store, worker)
    assert (record.state, there, told) == ("done", {"predictions.npz"}, ["metric"])


def test_what_was_not_as_planned_has_failed_and_no_files(store: RunStore, worker: Worker) -> None:
    (job,) = worker._jobs
    worker._done(job, Result(metrics={"val_accuracy": 0.5}))  # its ledger is empty
    record, there, _ = ended(store, worker)
    assert record.error.startswith("the ledger is not what was planned")
    assert (record.state, record.metrics, there) == ("failed", {}, set())
    assert ASSUME_STOP_NOT_CHOSEN not in record.statement.assumptions, "nobody chose the moment"


@pytest.mark.parametrize(("told", "error"), [(False, ""), (True, "the worker was told to end")])
def test_who_is_stopped_says_who_did_it_and_what_that_assumes(
    store: RunStore, worker: Worker, told: bool, error: str
) -> None:
    if told:
        worker._told(15, None)
    worker._stopped(worker._jobs[0])
    record, there, _ = ended(store, worker)
    assert (record.state, record.error, there) == ("stopped", error, set())
    assert ASSUME_STOP_NOT_CHOSEN in record.statement.assumptions


@pytest.mark.parametrize("full", [True, False])
def test_what_fails_says_why_and_where_there_is_room_for_it(store: RunStore, worker: Worker, full: bool) -> None:
    error = StoreIsFull("there is no room left") if full else ValueError("a bug")
    worker._fail(error, "Traceback\n")
    record, there, told = ended(store, worker)
    assert (record.state, there) == ("failed", set())
    assert record.error == ("there is no room left" if full else "ValueError: a bug")
    assert told == ([] if full else ["metric", "log"])


def test_one_run_of_a_stack_that_is_stopped_takes_no_folder_from_the_others(store: RunStore) -> None:
    """Its method writes files of all of them in the end; the stopped run may have another worker by then."""
    first, second = store.submit_all([replace(SPEC, seed=seed) for seed in (0, 1)], batch="b")
    assert store.leases.claim([first, second], "w") == [first, second]
    worker = Worker(store, "w", jobs_of(store, [first, second]))
    worker._prepare()
    store.request_stop(first)
    worker._look()
    assert worker._jobs[0].over
    store.retry(first)
    assert store.leases.claim([first], "another") == [first]
    store.begin(first, "another")
    assert worker._desks[first].is_dir()
    worker._clear_up()
    assert not worker._desks[first].exists()
    assert (store.folder(first) / ".desk-another").is_dir()


def test_a_worker_begins_without_files_of_an_earlier_attempt(store: RunStore) -> None:
    """One that ended while its files were published may have left some of them."""
    run = store.submit(SPEC)
    store.leases.claim([run], "w")
    for name in ("predictions.npz", LOG_NAME):
        (store.folder(run) / name).write_text("of an earlier attempt")
    Worker(store, "w", jobs_of(store, [run]))._prepare()
    assert {path.name for path in store.folder(run).iterdir()} == {LOG_NAME, RESERVE_NAME, ".desk-w"}
