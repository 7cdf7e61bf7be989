"""Whoever is given a run a second time is given another attempt: what both told would compose, and a
statement that counts one attempt would be of neither."""

import os
from collections.abc import Callable

import pytest
from tests.contracts.store_runs import NOBODY, a_spec

from privgraph.progress import Metric
from privgraph.runs.leases import Outcome
from privgraph.runs.queueing import Wants
from privgraph.runs.store import RunStore

OVER = ("done", "stopped", "failed", "lost")
TOLD = Metric(name="val_accuracy", value=0.5, step=1)
CLAIMS: dict[str, Callable[[RunStore, str], list[str]]] = {
    "by name": lambda store, run: store.leases.claim([run], "second", pid=os.getpid()),
    "the next": lambda store, _: store.leases.claim_next("second", pid=os.getpid()),
    "one of these": lambda store, run: store.leases.claim_next("second", Wants(ids=(run,)), pid=os.getpid()),
    "a whole stack": lambda store, run: store.leases.claim_next("second", Wants(ids=(run,), whole=True)),
}
"""Every way in which a worker is given a run."""


def told(store: RunStore, retries: int = 0) -> str:
    """A run whose first worker has told something."""
    run = store.submit_all([a_spec()], retries=retries)[0]
    assert store.leases.claim([run], "first", pid=os.getpid()) == [run]
    store.append(run, [TOLD], "first")
    return run


def ended(store: RunStore, state: str) -> str:
    run = told(store)
    if state == "lost":
        store.leases.adopt("first", NOBODY)
        assert store.sweep_lost() == [run]
    else:
        store.leases.finish(run, "first", Outcome(state=state))
    assert store.get(run).state == state
    return run


def _given_back(store: RunStore) -> str:
    run = told(store)
    store.leases.give_back(run, "first")
    return run


def _lost_with_retries(store: RunStore) -> str:
    run = told(store, retries=1)
    store.leases.adopt("first", NOBODY)
    assert store.sweep_lost() == [run]
    return run


def _retried(state: str) -> Callable[[RunStore], str]:
    def again(store: RunStore) -> str:
        run = ended(store, state)
        store.retry(run)
        return run

    return again


WAYS: dict[str, Callable[[RunStore], str]] = {
    "given back": _given_back,
    "lost, with retries": _lost_with_retries,
    **{f"{state}, by hand": _retried(state) for state in ("stopped", "failed", "lost")},
}
"""Every way in which a run that was begun waits again."""


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("state", OVER)
def test_a_run_that_is_over_is_given_to_nobody(store: RunStore, state: str, claim: str) -> None:
    run = ended(store, state)
    assert CLAIMS[claim](store, run) == []
    assert (store.get(run).state, store.get(run).attempt) == (state, 1)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_run_that_somebody_has_is_given_to_nobody_else(store: RunStore, claim: str) -> None:
    run = told(store)
    assert CLAIMS[claim](store, run) == []
    store.request_stop(run)
    assert CLAIMS[claim](store, run) == []
    assert store.leases.states("first") == {run: "stopping"}


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("way", WAYS)
def test_every_second_time_is_another_attempt(store: RunStore, way: str, claim: str) -> None:
    run = WAYS[way](store)
    assert (store.get(run).state, store.get(run).attempt) == ("queued", 2)
    assert CLAIMS[claim](store, run) == [run]
    assert store.get(run).attempt == 2
    assert store.leases.tried_again("second") == {run}, "its statement says that somebody may have chosen by it"
    store.append(run, [TOLD], "second")
    kept = [(event.kind, event.attempt) for event in store.events(run) if event.kind != "log"]
    assert kept == [("metric", 2)], "nothing stays of what the first attempt has told"
