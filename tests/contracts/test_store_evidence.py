"""Whichever database keeps the runs: what audits and attacks have shown stands beside them."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.contracts.store_runs import a_spec, done, running
from tests.figures.made_attacks import attack as made_attack

from privgraph.audits.record import AuditRecord, Bound
from privgraph.privacy.kinds import Adversary, Route
from privgraph.runs.records import RunIsFixed, RunQuery, StoreError, UnknownRun
from privgraph.runs.store import RunStore


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
    assert store.all_audits() == records[::-1]
    assert store.all_audits(limit=1) == records[-1:]
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
