"""Rows that this version cannot read, of a newer one or damaged: the others are shown, and those say what
they are."""

import json
from collections.abc import Callable, Iterator

import pytest
import sqlalchemy as sa
from tests.pages.kept_runs import keep, spec

from privgraph.runs.launch import launch
from privgraph.runs.records import RunRecord, StoreError, Unreadable
from privgraph.runs.store import RunStore
from privgraph.runs.tables import audits, events, runs
from privgraph_workbench.cli import main
from privgraph_workbench.jobs import queue

Damage = Callable[[sa.Connection, str], object]


def changed(column: sa.Column[str], change: Callable[[dict[str, object]], object]) -> Damage:
    def damage(connection: sa.Connection, run: str) -> None:
        text = connection.scalar(sa.select(column).where(runs.c.id == run)) or "{}"
        written(**{column.name: json.dumps(change(json.loads(text)))})(connection, run)

    return damage


def written(**values: object) -> Damage:
    return lambda connection, run: connection.execute(runs.update().where(runs.c.id == run).values(**values))


def event(**values: object) -> Damage:
    def damage(connection: sa.Connection, run: str) -> None:
        number = connection.scalar(sa.select(runs.c.number).where(runs.c.id == run))
        connection.execute(events.update().where(events.c.run == number, events.c.sequence == 3).values(**values))

    return damage


def harm(store: RunStore, run: str, damage: Damage) -> None:
    with store._database.write() as connection:
        damage(connection, run)


# Each: what is done to the row, and what is said of the run; "" where the run can be read all the same.
ROWS = {
    "a newer spec": (changed(runs.c.spec, lambda spec: {**spec, "version": 2}), "its spec has a form"),
    "a spec with another field": (changed(runs.c.spec, lambda spec: {**spec, "cluster": "a"}), "its spec has a form"),
    "a spec of strange options": (
        changed(runs.c.spec, lambda spec: {**spec, "options": {"epsilon": [1]}}),
        "its spec has a form",
    ),
    "a spec that is cut off": (written(spec='{"version": 1, "met'), "its spec has a form"),
    "a statement with another field": (
        changed(runs.c.statement, lambda told: {**told, "renyi_order": 3}),
        "its privacy statement has a form",
    ),
    "a statement that is cut off": (written(statement='{"unit": "ed'), "its privacy statement has a form"),
    "a statement that is a list": (written(statement="[1]"), "its privacy statement has a form"),
    "metrics that are cut off": (written(metrics='{"test_acc'), "its result has a form"),
    "a state that is not known": (written(state="paused"), "its state is paused"),
    "a time that no calendar has": (written(created=float("inf")), "it was submitted at inf, which is no time"),
    "an event of a new kind": (event(kind="gradient", payload='{"norm": 1}'), ""),
    "another method": (changed(runs.c.spec, lambda spec: {**spec, "method": "newgap"}), ""),
    "an option that is not known": (
        changed(runs.c.spec, lambda spec: {**spec, "options": {"unit": "edge", "sparsity": 2}}),
        "",
    ),
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunStore, dict[str, str], str]]:
    """A store with a run of each kind, a queued one of a newer version, and one run that is fine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_HOME", str(tmp_path_factory.mktemp("home")))
        store = RunStore.open()
        damaged = {}
        for seed, (name, (damage, _)) in enumerate(ROWS.items()):
            damaged[name] = keep(store, spec(seed=seed))
            harm(store, damaged[name], damage)
        damaged["queued"] = keep(store, spec(seed=100), state="queued")
        harm(store, damaged["queued"], ROWS["a newer spec"][0])
        fine = keep(store, spec(seed=101))
        yield store, damaged, fine
        store.close()


@pytest.fixture
def store(kept: tuple[RunStore, dict[str, str], str], monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    monkeypatch.setenv("PRIVGRAPH_HOME", str(kept[0].folders.parent))
    yield kept[0]
    queue._opened.cache_clear()


@pytest.mark.parametrize("name", ROWS)
def test_a_row_is_read_or_says_why_not(
    kept: tuple[RunStore, dict[str, str], str], store: RunStore, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    record, said = store.get(kept[1][name]), ROWS[name][1]
    assert isinstance(record, RunRecord)
    if not said:
        assert record.unreadable == ""
        assert record.statement is not None
        assert main(["show", record.id, "--log"]) == 0
        assert main(["show", record.id, "--json"]) == 0
        return
    assert said in record.unreadable
    assert f"the run {record.id} cannot be read by this version of privgraph" in record.unreadable
    assert "\n" not in record.unreadable
    assert len(record.unreadable) < 500
    with pytest.raises(Unreadable, match="cannot be read"):
        _ = record.statement
    for command in (["show", record.id], ["export", record.id], ["audit", record.id]):
        assert main(command) == 1
        printed = capsys.readouterr()
        assert printed.out == ""
        assert "cannot be read by this version" in printed.err
        assert printed.err.count("\n") == 1


def test_the_others_are_listed_and_the_queue_goes_on(
    kept: tuple[RunStore, dict[str, str], str], store: RunStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert store.leases.claim_next("w") == []
    assert launch(store) == []
    assert main(["list", "runs"]) == 0
    listed = capsys.readouterr().out
    assert all(run in listed for run in (*kept[1].values(), kept[2]))
    assert main(["show", kept[2]]) == 0
    store.delete(kept[1]["queued"])
    with pytest.raises(StoreError):
        store.get(kept[1]["queued"])


@pytest.mark.parametrize("payload", ["{", '{"value": []}'])
def test_an_event_that_cannot_be_read_is_named(
    kept: tuple[RunStore, dict[str, str], str], store: RunStore, payload: str, capsys: pytest.CaptureFixture[str]
) -> None:
    harm(store, kept[2], event(kind="metric", payload=payload))
    try:
        with pytest.raises(Unreadable, match="event 3 of the run has a form"):
            store.events(kept[2])
        assert main(["export", kept[2]]) == 1
        assert "event 3 of the run has a form" in capsys.readouterr().err
    finally:
        harm(store, kept[2], event(kind="log", payload='{"message": "fine", "level": "info"}'))


def test_an_audit_that_cannot_be_read_is_named(kept: tuple[RunStore, dict[str, str], str], store: RunStore) -> None:
    with store._database.write() as connection:
        number = connection.scalar(sa.select(runs.c.number).where(runs.c.id == kept[2]))
        shown = {"audit": "new", "covers": "run", "delta": 1.0, "epsilon": 0.5, "confidence": 0.9}
        row = {"run": number, "created": 1.0, "record": '{"version": 99}', **shown}
        connection.execute(audits.insert().values(**row))
    with pytest.raises(Unreadable, match="an audit of this run has a form that is not known here"):
        store.audits(kept[2])
