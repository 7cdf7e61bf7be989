"""What is known of runs of a report is read once, and anew after each change that it tells of."""

from __future__ import annotations

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.reporting import Told, remembered

Counted = list[str]


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """The runs that were read, in order."""
    found: Counted = []
    told_of = remembered.told_of

    def counted(store: RunStore, record: RunRecord) -> Told:
        found.append(record.id)
        return told_of(store, record)

    monkeypatch.setattr(remembered, "told_of", counted)
    return found


def kept(store: RunStore, seed: int = 0, epsilon: float = 1.0) -> str:
    said = made_runs.statement(made_runs.edge_entries(9))
    return made_runs.finish(store, made_runs.spec(seed=seed, epsilon=epsilon), 0.7 + seed / 100, said).id


def told(store: RunStore, *runs: str) -> list[Told]:
    found = reporting.told(store, map(store.get, runs))
    assert list(found) == list(runs)
    # what is remembered is what is there
    assert list(found.values()) == [reporting.told_of(store, store.get(run)) for run in runs]
    return list(found.values())


def test_a_run_that_has_not_changed_is_read_once(store: RunStore, read: Counted) -> None:
    runs = [kept(store, seed) for seed in (0, 1, 2)]
    told(store, *runs)
    told(store, *reversed(runs))
    told(store, runs[1])
    assert read == runs


def test_an_attack_and_an_audit_are_told_at_once(store: RunStore, read: Counted) -> None:
    run, other = kept(store), kept(store, seed=1)
    assert not told(store, run)[0].every_attack
    store.add_attack(other, made_attack(other))
    assert [one.run for one in told(store, run)[0].every_attack] == [other], "also one on another run of its setting"
    store.add_audit(other, made_audit(other))
    (found,) = told(store, run)
    assert [one.epsilon_audited is not None for one in found.runs] == [False, True]
    assert read == [run] * 3


def test_another_run_of_its_setting_counts_once_it_has_finished(store: RunStore, read: Counted) -> None:
    run = kept(store)
    assert len(told(store, run)[0].runs) == 1
    assert len({told(store, run)[0].said, kept(store, seed=1) and told(store, run)[0].said}) == 2
    assert len(told(store, run)[0].runs) == 2
    assert read == [run] * 2


def test_a_note_is_told_at_once(store: RunStore, read: Counted) -> None:
    run = kept(store)
    told(store, run)
    store.note(run, "the one of the paper")
    assert told(store, run)[0].record.note == "the one of the paper"
    assert read == [run] * 2


def test_a_run_on_its_way_is_read_at_each_drawing(store: RunStore, read: Counted) -> None:
    run = store.submit(made_runs.spec())
    told(store, run)
    told(store, run)
    assert read == [run] * 2


def test_a_run_without_a_result_has_nothing_beside_it(store: RunStore, read: Counted) -> None:
    run = store.submit(made_runs.spec())
    store.request_stop(run)
    assert store.get(run).state == "stopped"
    told(store, run)
    told(store, run)
    assert read == [run]


def test_no_more_runs_are_remembered_than_the_latest(
    store: RunStore, read: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "MOST", 2)
    runs = [kept(store, seed) for seed in (0, 1, 2)]
    told(store, *runs)
    told(store, runs[2], runs[1])
    assert read == runs
    told(store, runs[0])
    assert read == [*runs, runs[0]]


def test_each_attack_is_told_once(store: RunStore) -> None:
    """As it comes from the store and as it was made: two that found the same on two runs are two."""
    runs = [kept(store, seed) for seed in (0, 1)]
    for run in runs:
        store.add_attack(run, made_attack(run))
    (one, other) = told(store, *runs)
    assert [attack.run for attack in (*one.every_attack, *other.every_attack)] == [*runs, *reversed(runs)]
    every = [*one.every_attack, *other.every_attack, *store.attacks(runs[0])]
    assert [attack.run for attack in reporting.asked.once(every)] == runs
