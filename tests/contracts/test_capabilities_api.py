"""Every name of `privgraph` is called on something small, and each store and each engine takes a run and
gives it back.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.contracts.capabilities_here import at_home, privgraph

import privgraph as pg
from privgraph.progress import Artifact, Event, Log, Metric, Progress, Result
from privgraph.runs.leases import Outcome
from privgraph.runs.records import RunQuery

SMALL: Mapping[str, Any] = {"data_options": {"nodes": 120, "degree": 6}, "epochs": 3, "hidden": 8}


ATTACKS = {"bavaria", "lira", "rmia", "threshold", "shadow", "prompts", "link", "relations", "relations-bavaria"}
DATASETS = {
    *("social", "digits", "patients", "karate", "products", "cora", "facebook-pages", "fb100-johnshopkins55"),
    *("cora-titles", "debian-packages", "m10-titles", "coauthors"),
}
METHODS = {
    *("progap", "gap", "privgnn", "gnn", "mlp", "dp-mlp", "edge-rand", "dp-gnn", "heter-poisson", "dp-gpl", "pate"),
    *("prompt", "fine-tune", "relational", "relation-rand", "prompt-dpsgd"),
}


# Names


@pytest.fixture(scope="module")
def run(pulled: Path) -> tuple[Path, pg.Run]:
    """A run that was trained in a home where a worker pulls."""
    with at_home(pulled):
        return pulled, pg.run("dp-mlp", on="social", **SMALL, tags=["own"])


def raises(error: type[Exception], call: Callable[[], object]) -> bool:
    with pytest.raises(error) as said:
        call()
    return "\n" not in str(said.value)


def of_run(run: pg.Run) -> bool:
    assert (run.record.state, run.spec.method, run.id) == ("done", "dp-mlp", run.spec.id)
    assert 0 <= run.metrics["test_accuracy"] <= 1
    assert run.statement is not None
    assert (run.epsilon, run.folder.is_dir(), run.store.get(run.id).tags) == (run.statement.epsilon, True, ("own",))
    return bool(run.curve("train_loss")) and bool(run.events)


def of_run_all(run: pg.Run) -> bool:
    base = pg.spec("progap", on="social", unit="edge", **SMALL)
    specs = pg.sweep(base, over={"epsilon": (0.5, 2)}, seeds=range(2)) + pg.sweep(base, seeds=(0,))
    runs = pg.run_all(specs, progress=False)
    assert [one.spec for one in runs] == specs
    return len({one.id for one in runs}) == 5


def of_audit(run: pg.Run) -> bool:
    found = pg.audit(run, trials=400, confidence=0.9)
    return run.audits[-1] == found and (found.audit, found.trials) == ("mechanism", 400)


def of_attack(run: pg.Run) -> bool:
    found = pg.attack(run, "rmia", shadows=14, targets=2, online=False)
    return run.attacks[-1] == found and 0 <= found.outcome.area <= 1


def of_tune(_: pg.Run) -> bool:
    asked: dict[str, Any] = {"over": {"depth": [1, 2]}, "law": "fixed", "trials": 2, "epsilon": 3}
    tuned = pg.tune("gap", on="karate", unit="edge", epochs=3, **asked)
    assert isinstance(tuned, pg.Tuned)
    assert tuned.best is not None
    return len(tuned.tried) == 2 and tuned.epsilon == tuned.best.epsilon <= 3


def of_upload(_: pg.Run) -> bool:
    ends = np.stack([np.arange(29), np.arange(1, 30)])
    arrays = {"x": np.eye(30, 4, dtype=np.float32), "y": np.arange(30) % 3, "edge_index": ends}
    return pg.load(pg.upload(arrays=arrays, title="A line")).num_nodes == 30


def of_plan(_: pg.Run) -> bool:
    graph = pg.load("social", nodes=200)
    asked: list[tuple[Any, dict[str, Any]]] = [(graph, {}), (graph.facts, {})]
    asked.append(("social", {"data_options": {"nodes": 200}}))
    plans = [pg.plan("progap", on=on, unit="edge", epsilon=1.0, **more) for on, more in asked]
    assert 0.99 < plans[0].statement.epsilon <= 1
    assert plans[0].noise
    return plans[0] == plans[1] == plans[2]


def noise(scale: float) -> Any:
    return pg.events.Gaussian(noise_multiplier=scale)


NAMES: Mapping[str, Callable[[pg.Run], bool]] = {
    "ATTACKS": lambda _: {*pg.ATTACKS} >= ATTACKS,
    "AUDITS": lambda _: {"mechanism", "white-box"} <= {*pg.AUDITS},
    "DATASETS": lambda _: {*pg.DATASETS} >= DATASETS,
    "METHODS": lambda _: {*pg.METHODS} >= METHODS,
    "DataError": lambda _: raises(pg.DataError, lambda: pg.upload("/nowhere/graph.npz")),
    "Graph": lambda _: isinstance(pg.load("karate"), pg.Graph),
    "OptionError": lambda _: raises(pg.OptionError, lambda: pg.spec("progap", on="karate", epsilon=-1)),
    "PrivacyStatement": lambda run: isinstance(run.statement, pg.PrivacyStatement),
    "PublicFacts": lambda _: isinstance(pg.load("karate").facts, pg.PublicFacts),
    "Run": of_run,
    "RunFailed": lambda run: pg.RunFailed("lost", [run]).runs == (run,),
    "RunSpec": lambda run: pg.RunSpec.from_json(run.spec.to_json()) == run.spec,
    "StoreError": lambda _: raises(pg.StoreError, lambda: pg.open_store("mysql://here/runs")),
    "UnknownName": lambda _: raises(pg.UnknownName, lambda: pg.spec("progab", on="karate")),
    "__version__": lambda _: pg.__version__[0].isdigit(),
    "calibrate": lambda _: 3 < pg.calibrate(noise, epsilon=1.0, delta=1e-5) < 5,
    "epsilon": lambda _: 0.9 < pg.epsilon(noise(3.8), 1e-5) < 1.1,
    "events": lambda _: pg.epsilon(pg.events.Laplace(noise_multiplier=0.5), 0.0) == pytest.approx(2.0),
    "figures": lambda _: pg.figures.degrees.data([0, 1])[0]["nodes"] == 1,
    "load": lambda _: (pg.load("karate").num_nodes, pg.load("social", nodes=200).num_nodes) == (34, 200),
    "open_store": lambda run: pg.open_store().get(run.id).state == "done" and not pg.open_store(":memory:").find(),
    "plan": of_plan,
    "run": lambda run: pg.run("dp-mlp", on="social", **SMALL).record.started == run.record.started,
    "run_all": of_run_all,
    "spec": lambda run: pg.spec("dp-mlp", on="social", **SMALL) == run.spec,
    "statement_text": lambda run: run.statement is not None and pg.statement_text(run.statement).count("\n") > 3,
    "sweep": lambda _: len(pg.sweep(pg.spec("gap", on="social"), over={"depth": [1, 2]}, seeds=range(3))) == 6,
    "table": lambda run: list(pg.table(run).seeds) == [1],
    "upload": of_upload,
    "attack": of_attack,
    "audit": of_audit,
    "tune": of_tune,
    "Tuned": of_tune,
}
LONG = ("attack", "audit", "tune", "Tuned", "run_all")


def test_every_name_has_a_row() -> None:
    assert set(pg.__all__) == set(NAMES)


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.long] * (one in LONG)) for one in NAMES])
def test_a_name_does_what_it_is_for(name: str, run: tuple[Path, pg.Run]) -> None:
    home, made = run
    assert hasattr(pg, name)
    with at_home(home):
        assert NAMES[name](made)


@pytest.mark.parametrize(
    ("name", "nodes"), [("social", 2000), ("digits", 1797), ("patients", 569), ("karate", 34), ("products", 2000)]
)
def test_embedded_graphs_need_no_network(name: str, nodes: int) -> None:
    graph = pg.load(name)
    assert graph.num_nodes == graph.facts.nodes == nodes
    assert 0 < graph.facts.train_nodes < nodes


# Stores and engines


STATEMENT = {"epsilon": "inf", "epsilon_as_published": 1.5, "epsilon_audited": None, "delta": 1e-5}


def test_a_run_is_saved_found_claimed_and_read_back(url: str, tmp_path: Path) -> None:
    store = pg.open_store(url)
    specs = pg.sweep(pg.spec("mlp", on="karate", unit="edge"), seeds=range(3))
    run, other, last = store.submit_all(specs, ["night"], "batch")
    assert store.submit(specs[0]) == run
    assert (store.count(), store.get(run).spec, store.get(run).state) == (3, specs[0], "queued")
    assert {one.id for one in store.find(RunQuery(tags=("night",), states=("queued",)))} == {run, other, last}
    assert store.leases.claim([run, other], "worker", pid=os.getpid()) == [run, other]
    assert store.leases.claim([run], "another", pid=os.getpid()) == []
    told: list[Event] = [Progress(step=1, total=4), Metric(name="train_loss", value=math.nan, step=1)]
    store.append(run, [*told, Log(message="ä"), Artifact(name="kept.txt")], "worker")
    (store.folder(run) / "kept.txt").write_text("kept")
    reached = {"test_accuracy": 0.75}
    outcome = Outcome(state="done", metrics=reached, statement=STATEMENT, seconds=2.0, device="cpu")
    store.leases.finish(run, "worker", outcome, [Result(metrics=reached)])
    store.leases.finish(other, "worker", Outcome(state="failed", error="lost"))
    store.tag(run, "seen")
    store.note(run, "of note")
    store.close()

    again = pg.Run(pg.open_store(url).get(run), pg.open_store(url))
    assert (again.record.state, again.metrics, again.record.tags) == ("done", reached, ("night", "seen"))
    assert (again.record.note, again.record.batch, again.record.attempt) == ("of note", "batch", 1)
    assert [one.kind for one in again.events][:4] == ["progress", "metric", "log", "artifact"]
    assert math.isnan(again.curve("train_loss")[0][1])
    assert (again.folder / "kept.txt").read_text() == "kept"
    store = again.store
    store.retry(other)
    store.request_stop(last)
    assert store.states([run, other, last]) == {run: "done", other: "queued", last: "stopped"}
    store.delete(last)
    assert raises(pg.StoreError, lambda: store.get(last))
    store.close()


def test_commands_use_the_store_that_the_variable_names(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_STORE", url)
    told = privgraph("sweep", "mlp", "--data", "karate", "--seeds", "0-1", "--tag", "night", "--detach")
    assert (told.code, len(told.lines)) == (0, 2)
    assert {one["id"] for one in privgraph("list", "runs", "--json").json} == set(told.lines)
    assert privgraph("show", told.lines[0], "--json").json["state"] == "queued"
    assert privgraph("stop", "--tag", "night").code == 0
    assert privgraph("watch", "--tag", "night", "--once").code == 1
    assert privgraph("key").code == 0


@pytest.mark.parametrize(
    "address", ["mysql://here/runs", "nonsense", "postgresql+psycopg://me:secret@127.0.0.1:9/runs"]
)
def test_a_store_that_cannot_be_used_ends_a_command_with_1(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_STORE", address)
    told = privgraph("list", "runs")
    assert (told.code, told.out, told.err.count("\n"), "secret" in told.err) == (1, "", 1, False)


def test_a_store_names_where_artifacts_lie(tmp_path: Path) -> None:
    store = pg.open_store(f"sqlite:///{tmp_path / 'runs.sqlite'}?artifacts={tmp_path / 'shared'}")
    run = store.submit(pg.spec("mlp", on="karate"))
    assert (store.artifacts, store.get(run).state) == (str(tmp_path / "shared"), "queued")
    store.close()


SWEEP = "sweep mlp --data karate --set epochs=3 --seeds 0-1 --workers 2 --cpus 3 --memory 4GB --json"


def finish_all(engine: str) -> None:
    """What workers of an engine come to, in the store that the environment names."""
    store = pg.open_store(os.environ["PRIVGRAPH_STORE"])
    ids = store.given_to(engine)
    store.leases.claim(ids, engine, pid=os.getpid())
    for run in ids:
        store.leases.finish(run, engine, Outcome(state="done", metrics={"test_accuracy": 0.5}))
    store.close()


def test_slurm_is_asked_for_an_array_of_workers(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    class Job:
        state = "FINISHED"

        def done(self) -> bool:
            return True

    class Executor:
        def __init__(self, **named: object) -> None:
            asked.update(named)

        def update_parameters(self, **named: object) -> None:
            asked.update(named)

        def map_array(self, _work: object, *arguments: list[Any]) -> list[Job]:
            finish_all("slurm")
            return [Job() for _ in arguments[0]]

    monkeypatch.setattr("submitit.AutoExecutor", Executor)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setenv("PRIVGRAPH_STORE", url)
    cluster = "local" if url.startswith("sqlite") else "slurm"
    flags = ["--on", "slurm", "--cluster", cluster, "--partition", "long", "--minutes", "30", "--gpus", "2"]
    told = privgraph(*SWEEP.split(), *flags)
    assert (told.code, [json.loads(line)["state"] for line in told.lines]) == (0, ["done", "done"])
    needs = {"cluster": cluster, "cpus_per_task": 3, "gpus_per_node": 2, "mem_gb": 4.0, "timeout_min": 30}
    needs |= {"slurm_partition": "long", "slurm_array_parallelism": 2} if cluster == "slurm" else {}
    assert needs.items() <= asked.items()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_ray_is_asked_for_tasks_of_the_cluster_at_an_address(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"tasks": 0}

    class Remote:
        def options(self, **named: object) -> Remote:
            asked.update(named)
            return self

        def remote(self, *_: object) -> int:
            finish_all("ray")
            asked["tasks"] += 1
            return int(asked["tasks"])

    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setattr("ray.init", lambda **named: asked.update(named))
    monkeypatch.setattr("ray.nodes", lambda: [{"NodeManagerAddress": "one", "Alive": True}])
    monkeypatch.setattr("ray.remote", lambda _: Remote())
    monkeypatch.setattr("ray.wait", lambda tasks, **_: (tasks, []))
    monkeypatch.setenv("PRIVGRAPH_STORE", url)
    told = privgraph(*SWEEP.split(), "--on", "ray", "--address", "10.0.0.1:6379")
    assert (told.code, [json.loads(line)["state"] for line in told.lines]) == (0, ["done", "done"])
    assert {"address": "10.0.0.1:6379", "num_cpus": 3, "memory": 4 * 2**30, "tasks": 2}.items() <= asked.items()
