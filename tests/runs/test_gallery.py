"""The gallery: packed from one store, put into another, left alone there, and run again."""

from __future__ import annotations

import json
import lzma
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.runs.runs_made_here import done

from privgraph.attacks.planning import LINK, MEMBERSHIP, START_SECONDS
from privgraph.audits.record import AuditRecord
from privgraph.data.catalogue import dataset
from privgraph.data.load import load
from privgraph.data.upload import check_upload, save_upload
from privgraph.home import home
from privgraph.methods.keys import run_keys
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statements import ASSUME_SECRET_KEY
from privgraph.program import program
from privgraph.progress import Artifact, Log, Metric, Progress, Result
from privgraph.runs import aside, attacking, gallery, worker
from privgraph.runs.final_statement import NOISE_IS_PUBLIC, has_public_noise, with_public_noise
from privgraph.runs.leases import Outcome
from privgraph.runs.records import RunIsFixed, RunQuery
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.streams import OPEN_KEY, noise_key

SOCIAL = {"nodes": 120, "degree": 6}
SPECS = [make_spec("dp-mlp", "social", {"epsilon": 8.0}, data_options=SOCIAL, seed=seed) for seed in range(2)]
AGAIN = ("mlp-social", "progap-social", "dp-mlp-social")
"""Methods of which one run is run again: of no noise, of noise on edges, of noise on nodes."""


@pytest.mark.long
def test_the_time_that_is_told_before_an_attack_is_about_what_those_of_the_gallery_took(store: RunStore) -> None:
    """Of each method some attack took about so long: others were made while the machine did other work, too.

    Their records count from when the process has started and loaded torch: some seconds more.
    """
    gallery.bring_in(store)
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in store.all_attacks():
        if one.attack not in ("bavaria", "link"):
            continue
        run = store.get(one.run)
        told = (MEMBERSHIP if one.attack == "bavaria" else LINK).seconds(attacking.subject(run), one.options)
        assert told is not None
        shares[one.attack, run.spec.method].append((one.seconds + START_SECONDS) / told)
    assert len(shares) > 10
    for asked, found in shares.items():
        assert any(0.5 <= share <= 2 for share in found), (asked, found)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    opened = RunStore.open(f"sqlite:///{tmp_path / 'other.sqlite'}", tmp_path / "other")
    yield opened
    opened.close()


def trained(store: RunStore, spec: RunSpec) -> str:
    """A run that is done, with long curves and a file that pages read."""
    run = store.submit(spec)
    assert store.leases.claim([run], "w") == [run]
    store.leases.made_by("w", program())
    told = [Metric(name="val_accuracy", value=step / 700, step=step) for step in range(1000)]
    told += [Metric(name="epsilon_data_dependent", value=step / 700, step=step) for step in range(1000)]
    (store.folder(run) / "answers.npz").write_bytes(b"what teachers said")
    (store.folder(run) / "predictions.npz").write_bytes(b"large")
    kept = [Artifact(name="answers.npz"), Artifact(name="predictions.npz")]
    seen = [Log(message="worker 7 on cpu, 2 threads"), Log(message="a word"), Progress(step=1, total=2)]
    store.leases.append(run, [*seen, *told, *kept], "w")
    plan = spec.config().plan(load(spec.dataset, split_seed=spec.seed, data_options=spec.data_options).facts)
    ended = Outcome(
        state="done", metrics={"test_accuracy": 0.75}, statement=statement_to_json(plan.statement), seconds=2.0
    )
    store.leases.finish(run, "w", ended, [Result(metrics={"test_accuracy": 0.75})])
    return run


def shown(store: RunStore, run: str) -> AuditRecord:
    """An audit of a run, in the turn that it takes."""
    turn = store.begin_audit(run)
    return replace(made_audit(run, noise=3.0, delta=store.get(run).statement.delta), turn=turn)  # type: ignore[union-attr]


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """A gallery of two runs, the first of which was attacked."""
    source = RunStore.open(f"sqlite:///{tmp_path / 'source.sqlite'}", tmp_path / "source")
    ids = [trained(source, spec) for spec in SPECS]
    source.add_attack(ids[0], made_attack(ids[0]))
    source.begin_audit(ids[0])  # one that came to nothing, and one that is kept
    source.add_audit(ids[0], shown(source, ids[0]))
    path = tmp_path / "gallery.json.xz"
    told = gallery.write(source, {"all": [*SPECS, make_spec("mlp", "karate")]}, path)
    assert told.startswith("gallery.json.xz holds 2 runs")
    source.close()
    return path


def test_a_gallery_comes_whole(store: RunStore, packed: Path) -> None:
    assert gallery.bring_in(store, packed) == 2
    assert gallery.bring_in(store, packed) == 0
    record = store.get(SPECS[0].id)
    assert record.gallery
    assert record.spec == SPECS[0]
    assert record.metrics == {"test_accuracy": 0.75}
    assert record.version == program()
    assert record.statement is not None
    assert record.statement.epsilon <= 8
    assert store.attacks(record.id) == [made_attack(record.id)]
    (audited,) = store.audits(record.id)
    assert (audited.turn, record.epsilon_audited) == (2, audited.epsilon)
    assert store.begin_audit(record.id) == 3
    told = store.events(record.id)
    curve = [event.payload["step"] for event in told if event.kind == "metric"][: gallery.POINTS]
    assert (curve[0], curve[-1], len(curve)) == (0, 999, gallery.POINTS)
    assert [event.payload["message"] for event in told if event.kind == "log"] == ["a word"]
    assert [event.payload["name"] for event in told if event.kind == "artifact"] == ["answers.npz"]
    assert told[-1].kind == "result"
    assert (store.folder(record.id) / "answers.npz").read_bytes() == b"what teachers said"
    assert not (store.folder(SPECS[1].id) / "answers.npz").exists(), "files are kept of the first seed alone"


def test_a_later_seed_has_fewer_points_and_what_they_show_has_six_digits(store: RunStore, tmp_path: Path) -> None:
    specs = [make_spec("progap", "karate", {"unit": "edge"}, seed=seed) for seed in (0, gallery.FIRST)]
    for spec in specs:
        trained(store, spec)
    gallery.write(store, {"all": specs}, tmp_path / "gallery.json.xz")
    first, later = (
        {
            name: {
                payload["step"]: payload["value"] for _, _, _, payload in one["events"] if payload.get("name") == name
            }
            for name in ("val_accuracy", "epsilon_data_dependent")
        }
        for one in gallery.content(tmp_path / "gallery.json.xz")["all"]
    )
    assert [len(points) for points in (*first.values(), *later.values())] == [gallery.POINTS] * 2 + [gallery.FEWER] * 2
    for name, points in later.items():
        assert points.keys() <= first[name].keys(), "means over seeds are of steps that all have"
    step = next(step for step in later["val_accuracy"] if step)
    assert later["val_accuracy"][step] == float(f"{step / 700:.6g}") != step / 700
    assert later["epsilon_data_dependent"][step] == step / 700, "an epsilon is never rounded"


def test_a_large_file_is_left_out(store: RunStore, tmp_path: Path) -> None:
    run = trained(store, SPECS[0])
    for size, kept in ((gallery.FILE_LIMIT, True), (gallery.FILE_LIMIT + 1, False)):
        (store.folder(run) / "answers.npz").write_bytes(bytes(size))
        path = tmp_path / f"{size}.xz"
        gallery.write(store, {"all": SPECS[:1]}, path)
        (one,) = gallery.content(path)["all"]
        assert bool(one["files"]) == kept
        assert any(kind == "artifact" for _, _, kind, _ in one["events"]) == kept


def test_one_switch_hides_it(store: RunStore, packed: Path) -> None:
    own = done(store, make_spec("mlp", "karate"))
    assert not store.has_gallery()
    gallery.bring_in(store, packed)
    hidden = store.without_gallery()
    assert store.has_gallery()
    assert (store.count(), hidden.count()) == (3, 1)
    assert [record.id for record in hidden.find()] == [own]
    assert [(row["id"], row["gallery"]) for row in hidden.find_rows()] == [(own, False)]
    assert (len(store.all_attacks()), len(hidden.all_attacks())) == (1, 0)
    assert (len(store.newest_attacks()), len(hidden.newest_attacks())) == (1, 0)
    name = made_audit().audit
    assert (len(store.audited_by([name])), len(hidden.audited_by([name]))) == (1, 0)
    assert not store.audited_by(["another"])
    assert hidden.get(SPECS[0].id).gallery, "a run that is asked for by its id is found"


def test_adopted_runs_are_the_stores_own_and_are_packed_as_they_were(
    store: RunStore, packed: Path, tmp_path: Path
) -> None:
    assert gallery.adopt(store, packed) == 2
    assert not store.has_gallery()
    assert not store.get(SPECS[0].id).gallery
    anew = tmp_path / "anew.json.xz"
    gallery.write(store, {"all": SPECS}, anew)
    assert gallery.content(anew) == gallery.content(packed)


def test_encoders_come_along_where_that_is_asked(store: RunStore, tmp_path: Path) -> None:
    ids = [trained(store, spec) for spec in SPECS]
    for run in ids:
        for name in gallery.ADAPTER:
            (store.folder(run) / name).write_bytes(b"weights of " + run.encode())
    path = tmp_path / "with.json.xz"
    gallery.write(store, {"all": SPECS}, path, whole={ids[1]})
    other = RunStore.open(f"sqlite:///{tmp_path / 'third.sqlite'}", tmp_path / "third")
    assert gallery.bring_in(other, path) == 2
    kept = [[name for name in gallery.ADAPTER if (other.folder(run) / name).is_file()] for run in ids]
    assert kept == [[], list(gallery.ADAPTER)]
    assert (other.folder(ids[1]) / gallery.ADAPTER[0]).read_bytes() == b"weights of " + ids[1].encode()
    other.close()


def test_a_run_of_the_gallery_is_not_deleted(store: RunStore, packed: Path) -> None:
    gallery.bring_in(store, packed)
    with pytest.raises(RunIsFixed, match="is from the gallery, which can be hidden, not deleted"):
        store.delete(SPECS[0].id)
    assert store.get(SPECS[0].id).state == "done"


def test_who_asks_for_its_settings_gets_a_run_of_their_own(store: RunStore, packed: Path) -> None:
    gallery.bring_in(store, packed)
    run = store.submit(SPECS[0])
    record = store.get(run)
    assert (record.state, record.gallery) == ("queued", False)
    assert store.attacks(run) == []
    assert store.events(run) == []
    assert store.get(SPECS[1].id).gallery


def test_the_gallerys_run_stays_until_ones_own_is_done(store: RunStore, packed: Path) -> None:
    gallery.bring_in(store, packed)
    spec = SPECS[0]
    files = {one.name for one in store.folder(spec.id).iterdir()}
    assert files
    run = store.submit(spec)
    shipped = store.get(aside.name(run))
    assert (shipped.state, shipped.gallery, shipped.spec) == ("done", True, spec)
    assert {one.name for one in store.folder(shipped.id).iterdir()} == files
    assert store.count(RunQuery(states=("done",))) == 2
    assert store.without_gallery().find() == [store.get(run)], "it is hidden with the others"
    store.request_stop(run)
    assert store.get(shipped.id).state == "done", "what is stopped takes no place"
    store.retry(run)
    done(store, spec)
    assert [one.id for one in store.find(RunQuery(states=("done",))) if one.spec == spec] == [run]
    assert not store.get(run).gallery


def test_the_gallerys_run_takes_its_id_back_where_ones_own_is_deleted(store: RunStore, packed: Path) -> None:
    gallery.bring_in(store, packed)
    files = {one.name for one in store.folder(SPECS[0].id).iterdir()}
    run = store.submit(SPECS[0])
    store.delete(run)
    assert (store.get(run).state, store.get(run).gallery) == ("done", True)
    assert {one.name for one in store.folder(run).iterdir()} == files
    assert store.count() == len(SPECS)


def test_own_runs_are_left_alone(store: RunStore, packed: Path) -> None:
    store.submit(SPECS[0])
    assert gallery.bring_in(store, packed) == 1
    assert not store.get(SPECS[0].id).gallery
    assert store.get(SPECS[0].id).state == "queued"


def test_a_later_gallery_takes_the_place_of_an_earlier_one(store: RunStore, packed: Path, tmp_path: Path) -> None:
    gallery.bring_in(store, packed)
    store.add_attack(SPECS[1].id, made_attack(SPECS[1].id))
    other = tmp_path / "later.json.xz"
    empty = {"form": gallery.FORM, "chapters": {"none": []}}
    other.write_bytes(lzma.compress(json.dumps(empty).encode()))
    assert gallery.bring_in(store, other) == 0
    assert [record.id for record in store.find()] == [SPECS[1].id], "what somebody attacked stays"
    assert not store.get(SPECS[1].id).gallery
    assert not (store.folders / SPECS[0].id).exists()


def test_a_file_of_another_form_is_refused(store: RunStore, tmp_path: Path) -> None:
    path = tmp_path / "strange.json.xz"
    path.write_bytes(lzma.compress(b'{"form": 99}'))
    with pytest.raises(ValueError, match="the gallery has form 99, and form 1 is read here"):
        gallery.bring_in(store, path)
    assert store.count() == 0


def test_it_is_not_made_too_large(store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "LIMIT", 100)
    trained(store, SPECS[0])
    with pytest.raises(ValueError, match="the gallery may have 100 bytes, and 1 runs have"):
        gallery.write(store, {"all": SPECS}, tmp_path / "none.xz")
    assert not (tmp_path / "none.xz").exists()


# The file that ships


@pytest.fixture(scope="module")
def shipped() -> dict[str, list[dict[str, Any]]]:
    return gallery.content()


@pytest.mark.long
def test_what_ships_is_small_and_of_public_graphs(shipped: dict[str, list[dict[str, Any]]]) -> None:
    assert gallery.FILE.stat().st_size <= gallery.LIMIT
    every = [one for found in shipped.values() for one in found]
    assert len(every) > 500
    assert {dataset(one["run"]["dataset"]).kind for one in every} == {"embedded", "real"}
    assert all(RunSpec.from_json(one["run"]["spec"]).id == one["run"]["id"] for one in every)
    assert not any(name in one["run"] for one in every for name in ("host", "pid", "worker"))


@pytest.mark.long
def test_what_ships_can_be_read_and_says_that_its_noise_is_public(store: RunStore) -> None:
    assert gallery.bring_in(store) > 500
    attacked = 0
    for record in store.find():
        assert not record.unreadable
        assert record.gallery
        said = record.statement
        assert said is not None
        assert (NOISE_IS_PUBLIC in said.assumptions) == (said.unit != "none")
        assert ASSUME_SECRET_KEY not in said.assumptions, "what is public is not said to stay secret"
        for found in store.attacks(record.id):
            attacked += 1
            assert found.bound is None or found.bound <= said.epsilon
    assert attacked > 50
    assert {event.kind for event in store.events(store.find(RunQuery(methods=("progap",)))[0].id)} >= {"metric"}


def test_public_noise_takes_the_place_of_a_secret_key() -> None:
    planned = (
        make_spec("progap", "karate", {"unit": "edge"}).config().plan(load("karate", split_seed=0).facts).statement
    )
    assert ASSUME_SECRET_KEY in planned.assumptions
    said = with_public_noise(planned)
    assert (has_public_noise(planned), has_public_noise(said)) == (False, True)
    rest = set(planned.assumptions) - {ASSUME_SECRET_KEY}
    assert set(said.assumptions) == rest | {NOISE_IS_PUBLIC}
    assert said.epsilon == planned.epsilon


@pytest.mark.long
@pytest.mark.parametrize("beginning", AGAIN)
def test_it_can_be_run_again(shipped: dict[str, list[dict[str, Any]]], beginning: str, tmp_path: Path) -> None:
    one = next(one for found in shipped.values() for one in found if one["run"]["id"].startswith(beginning))
    record = gallery.again(one, tmp_path)
    assert record.state == "done", record.error
    kept = one["run"]
    said = record.statement
    assert said is not None
    assert said.delta == kept["delta"]
    assert said.epsilon == float(kept["sound_epsilon"] or "inf")
    # on another machine sums may have another order, and a few nodes another class
    assert record.metrics["test_accuracy"] == pytest.approx(kept["test_accuracy"], abs=0.01)


# The key that is no secret


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


def test_no_home_has_the_open_key_by_itself() -> None:
    assert noise_key(home()) != OPEN_KEY


@pytest.mark.parametrize("opened", [True, False])
def test_with_the_open_key_graphs_of_ones_own_are_refused(opened: bool) -> None:
    (home() / "noise.key").write_bytes(OPEN_KEY if opened else bytes(range(32)))
    nodes = "id,label,x\n" + "".join(f"{node},{node % 2},{node}\n" for node in range(30))
    edges = "source,target\n" + "".join(f"{node},{node + 1}\n" for node in range(29))
    name = save_upload(check_upload({"nodes.csv": nodes.encode(), "edges.csv": edges.encode()}))
    store = RunStore.open()
    run = store.submit(make_spec("mlp", name))
    worker.main([run])
    record = store.get(run)
    assert ("the noise key of this home is public" in record.error) == opened
