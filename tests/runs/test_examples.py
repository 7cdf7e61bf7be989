"""The examples: packed from a store, unpacked once, read-only, and apart from one's own runs."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.data import uploads_made_here as made
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.figures.made_runs import begin, end

from privgraph.data.catalogue import dataset
from privgraph.data.load import load
from privgraph.home import home
from privgraph.methods.keys import run_keys
from privgraph.privacy.statements import ASSUME_SECRET_KEY
from privgraph.program import program
from privgraph.progress import Artifact, Log, Metric, Progress
from privgraph.runs import examples, worker
from privgraph.runs.final_statement import NOISE_IS_PUBLIC, has_public_noise, with_public_noise
from privgraph.runs.records import EXAMPLE, StoreIsReadOnly
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs
from privgraph.streams import OPEN_KEY

SPECS = [
    make_spec("dp-mlp", "social", {"epsilon": 8.0}, data_options={"nodes": 120, "degree": 6}, seed=s) for s in range(2)
]


def trained(store: RunStore, spec: RunSpec) -> str:
    """A run under the examples' key that is done, with long curves and files."""
    run = store.submit(spec)
    told = [Metric(name="val_accuracy", value=step / 700, step=step) for step in range(1000)]
    (store.folder(run) / "answers.npz").write_bytes(b"what teachers said")
    (store.folder(run) / "predictions.npz").write_bytes(b"large")
    kept = [Artifact(name="answers.npz"), Artifact(name="predictions.npz")]
    seen = [Log(message="worker 7 on cpu, 2 threads"), Log(message="a word"), Progress(step=1, total=2)]
    worker = begin(store, run, [*seen, *told, *kept])
    plan = spec.config().plan(load(spec.dataset, split_seed=spec.seed, data_options=spec.data_options).facts)
    end(store, run, worker, with_public_noise(plan.statement), {"test_accuracy": 0.75})
    return run


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """Two examples, the first of which was attacked and audited."""
    source = RunStore.open(f"sqlite:///{tmp_path / 'source.sqlite'}", tmp_path / "source")
    ids = [trained(source, spec) for spec in SPECS]
    source.note(ids[0], "a word to myself")
    source.tag(ids[0], "mine")
    with source.database.write() as connection:
        connection.execute(runs.update().values(host="a-machine", pid=7, batch="b", stack="s"))
    source.add_attack(ids[0], made_attack(ids[0]))
    source.begin_audit(ids[0])  # one that came to nothing, and one that is kept
    turn, said = source.begin_audit(ids[0]), source.get(ids[0]).statement
    source.add_audit(ids[0], replace(made_audit(ids[0], noise=3.0, delta=said.delta), turn=turn))
    path = tmp_path / "examples.sqlite.xz"
    examples.write(source, {"all": [*SPECS, make_spec("mlp", "karate")], "first": SPECS[:1]}, path)
    source.close()
    return path


@pytest.fixture
def store(packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    monkeypatch.setenv(examples.PLACE, str(tmp_path / "unpacked"))
    opened = examples.open_store(packed)
    yield opened
    opened.close()


def test_examples_come_whole(store: RunStore) -> None:
    first, second = (f"example/{spec.id}" for spec in SPECS)
    record = store.get(first)
    assert record.example
    assert record.spec == SPECS[0]
    assert record.metrics == {"test_accuracy": 0.75}
    assert record.version == program()
    assert has_public_noise(record.statement)
    assert [one.run for one in store.attacks(first)] == [first]
    assert [one.run for one in store.audits(first)] == [first]
    assert store.next_turn(first) == 3
    assert record.epsilon_audited is not None
    assert (store.folder(first) / "answers.npz").read_bytes() == b"what teachers said"
    assert not (store.folder(first) / "predictions.npz").exists()
    assert list(store.folder(second).iterdir()) == []
    assert examples.chapters(store) == {"all": [first, second], "first": [first]}
    told = store.events(first)
    assert len([one for one in told if one.kind == "metric"]) == examples.POINTS
    assert [one.payload["message"] for one in told if one.kind == "log"] == ["a word"]


def test_examples_tell_nothing_of_who_made_them(store: RunStore) -> None:
    told = ("worker", "host", "pid", "heartbeat", "batch", "stack", "note")
    with store.database.read() as connection:
        held = connection.execute(sa.select(*(runs.c[name] for name in told)).distinct()).all()
    assert [tuple(one) for one in held] == [("", "", None, None, "", "", "")]
    assert store.tags() == ["all", "first"]


def test_examples_are_never_written_to(store: RunStore) -> None:
    first = f"example/{SPECS[0].id}"
    for write in (
        lambda: store.submit(SPECS[0]),
        lambda: store.tag(first, "mine"),
        lambda: store.note(first, "mine"),
        lambda: store.delete(first),
        lambda: store.begin_audit(first),
        lambda: store.add_attack(first, made_attack(first)),
    ):
        with pytest.raises(StoreIsReadOnly):
            write()


def test_the_same_store_packs_to_the_same_bytes(packed: Path, tmp_path: Path) -> None:
    source = RunStore.open(f"sqlite:///{tmp_path / 'source.sqlite'}", tmp_path / "source")
    examples.write(source, {"all": [*SPECS, make_spec("mlp", "karate")], "first": SPECS[:1]}, tmp_path / "again")
    source.close()
    assert (tmp_path / "again").read_bytes() == packed.read_bytes()


def test_a_store_of_0_5_0_loses_its_gallery_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    old = RunStore.open(f"sqlite:///{path}", tmp_path / "old")
    before, shipped, own = (trained(old, spec) for spec in (replace(SPECS[0], seed=2), *SPECS))
    old.tag(shipped, "seen")
    old.add_attack(shipped, made_attack(shipped))
    old.add_attack(own, made_attack(own))
    old.close()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE gallery (run INTEGER PRIMARY KEY, file TEXT, added INTEGER)")
        connection.execute("INSERT INTO gallery SELECT number, 'x', 0 FROM runs WHERE id = ?", [shipped])
    connection.close()
    again = RunStore.open(f"sqlite:///{path}", tmp_path / "old")
    assert {one.id for one in again.find()} == {before, own}, "whether they ran before it came or after"
    assert [one.run for one in again.all_attacks()] == [own]
    assert all((tmp_path / "old" / one / "answers.npz").is_file() for one in (before, own))
    assert not (tmp_path / "old" / shipped).exists()
    assert again.get(own).example, "its noise key ships with the program"
    again.close()
    RunStore.open(f"sqlite:///{path}", tmp_path / "old").close()


@pytest.mark.long
def test_what_ships_is_of_public_graphs_and_says_that_its_noise_is_public() -> None:
    shipped = examples.open_store()
    records, attacked = shipped.find(), 0
    assert len(records) > 500
    assert examples.FILE.stat().st_size <= examples.LIMIT
    assert {dataset(one.spec.dataset).kind for one in records} == {"embedded", "real"}
    for record in records:
        assert record.id == EXAMPLE + record.spec.id
        said = record.statement
        assert (NOISE_IS_PUBLIC in said.assumptions) == (said.unit != "none")
        assert ASSUME_SECRET_KEY not in said.assumptions
        for found in shipped.attacks(record.id):
            attacked += 1
            assert found.bound is None or found.bound <= said.epsilon
    assert attacked > 40


def test_public_noise_takes_the_place_of_a_secret_key() -> None:
    config = make_spec("progap", "karate", {"unit": "edge"}).config()
    planned = config.plan(load("karate", split_seed=0).facts).statement
    said = with_public_noise(planned)
    assert (has_public_noise(planned), has_public_noise(said)) == (False, True)
    assert set(said.assumptions) == set(planned.assumptions) - {ASSUME_SECRET_KEY} | {NOISE_IS_PUBLIC}
    assert said.epsilon == planned.epsilon


def test_noise_of_the_open_key_hangs_on_run_and_data_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = load("karate", split_seed=0)
    secret = bytes(32)
    before = [next(run_keys(key, ["a run"], [graph], "cpu")) for key in (OPEN_KEY, secret)]
    monkeypatch.setattr("privgraph.methods.keys.program", lambda: "another version")
    after = [next(run_keys(key, ["a run"], [graph], "cuda")) for key in (OPEN_KEY, secret)]
    assert before[0].noise == after[0].noise
    assert before[1].noise != after[1].noise
    other = load("karate", split_seed=0)
    other.x[0, 0] += 1
    assert next(run_keys(OPEN_KEY, ["a run"], [other], "cpu")).noise != before[0].noise
    assert next(run_keys(OPEN_KEY, ["another run"], [graph], "cpu")).noise != before[0].noise


@pytest.mark.parametrize("opened", [True, False])
def test_with_the_open_key_graphs_of_ones_own_are_refused(opened: bool) -> None:
    (home() / "noise.key").write_bytes(OPEN_KEY if opened else bytes(range(32)))
    nodes = "id,label,x\n" + "".join(f"{node},{node % 2},{node}\n" for node in range(30))
    edges = "source,target\n" + "".join(f"{node},{node + 1}\n" for node in range(29))
    name = made.taken({"nodes.csv": nodes.encode(), "edges.csv": edges.encode()}).name
    store = RunStore.open()
    run = store.submit(make_spec("mlp", name))
    worker.main([run])
    assert (store.get(run).state == "failed") == opened


def test_a_store_that_begins_with_the_file_packs_the_same(packed: Path, store: RunStore, tmp_path: Path) -> None:
    again = RunStore.open(f"sqlite:///{tmp_path / 'again.sqlite'}", tmp_path / "again")
    again.submit(SPECS[1])
    assert examples.begin(again, packed) == 1, "what is there is not replaced"
    again.delete(SPECS[1].id)
    assert (examples.begin(again, packed), examples.begin(again, packed)) == (1, 0)
    path = tmp_path / "again.sqlite.xz"
    examples.write(again, {"all": SPECS, "first": SPECS[:1]}, path)
    again.close()
    held = [examples.open_store(one) for one in (packed, path)]
    for run in (EXAMPLE + spec.id for spec in SPECS):
        one, other = (opened.get(run) for opened in held)
        assert one == other
        assert held[0].events(run) == held[1].events(run)
        assert held[0].attacks(run) == held[1].attacks(run)
        assert held[0].audits(run) == held[1].audits(run)
        folders = [sorted(path.name for path in (opened.folders / run).glob("*")) for opened in held]
        assert folders[0] == folders[1]
    for opened in held:
        opened.close()
