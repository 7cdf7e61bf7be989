"""A sweep on each engine: the same runs, with the same numbers, whoever trains them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from tests.waiting import until

from privgraph.home import home
from privgraph.options import UnknownName
from privgraph.runs import engines, launch
from privgraph.runs.engine_options import RETRIES, EngineOptions
from privgraph.runs.engines import ENGINES, EngineError, EngineSpec, configured, train
from privgraph.runs.engines.__main__ import main as given
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep
from privgraph_workbench.cli import main
from privgraph_workbench.jobs import queue

NOBODY = 2**22 + 1
"""A process number that Linux never gives."""


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_WORKERS", "1")


def the_sweep(epochs: int = 10) -> list[RunSpec]:
    base = make_spec("progap", "karate", {"unit": "edge", "epochs": epochs, "hidden": 4})
    return sweep(base, over={"epsilon": [1, 4], "depth": [1, 2]}, seeds=range(3))


def trained(
    engine: str, specs: Sequence[RunSpec], store: RunStore, options: EngineOptions | None = None
) -> dict[str, dict[str, float]]:
    """The numbers of all runs of the sweep, each of which must be done at its first attempt."""
    ids = store.submit_all(specs, batch="b", engine=engine, retries=2)
    states = train(engine, store, ids, options)
    records = {record.id: record for record in store.find(RunQuery(ids=tuple(ids)))}
    assert set(states.values()) == {"done"}, [record.error for record in records.values()]
    return {run: dict(records[run].metrics) for run in ids}


def a_store(folder: Path) -> RunStore:
    return RunStore.open(f"sqlite:///{folder / 'runs.sqlite'}", folder / "runs")


def test_an_engine_that_is_not_there_is_said_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownName, match=r"there is no engine slurn.*did you mean slurm"):
        train("slurn", a_store(tmp_path), [])
    absent = EngineSpec(name="ray", about="", package="no_such_package")
    with pytest.raises(EngineError, match=r"pip install 'privgraph\[ray\]'"):
        absent.start(a_store(tmp_path), EngineOptions())
    assert configured() == ("local", "slurm", "ray"), "the test extra brings them all"
    assert main(["sweep", "mlp", "--data", "karate", "--on", "moon"]) == 2
    assert "there is no engine moon" in capsys.readouterr().err
    assert main(["sweep", "mlp", "--data", "karate", "--over", "hidden=8,"]) == 2
    assert main(["sweep", "mlp", "--data", "karate", "--on", "slurm", "--workers", "0"]) == 2


def test_what_slurm_cannot_do_is_said_before_any_run_is_submitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(EngineError, match="set PRIVGRAPH_STORE to a PostgreSQL database"):
        ENGINES["slurm"].start(a_store(tmp_path), EngineOptions(cluster="slurm"))
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(EngineError, match="there is no sbatch"):
        ENGINES["slurm"].start(a_team(tmp_path), EngineOptions(cluster="slurm"))
    with pytest.raises(EngineError, match=r"gpus must be a whole number \(got 0.5\)"):
        ENGINES["slurm"].start(a_store(tmp_path), EngineOptions(cluster="local", gpus=0.5))
    assert main(["sweep", "mlp", "--data", "karate", "--on", "slurm", "--detach"]) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert "set PRIVGRAPH_STORE to a PostgreSQL database" in said
    with pytest.raises(EngineError, match="set PRIVGRAPH_STORE"):
        queue.submit(the_sweep()[:1], engine="slurm")
    assert RunStore.open().count() == 0


def test_the_process_of_a_page_trains_what_was_given_to_its_engine() -> None:
    store = RunStore.open()
    ids = store.submit_all(the_sweep(epochs=2)[:2], engine="slurm")
    other = store.submit(make_spec("mlp", "karate", {"epochs": 2}), engine="ray")
    assert store.given_to("slurm") == ids
    assert given(["moon"]) == 1
    assert given(["slurm"]) == 1, "no store that all machines reach"
    assert [store.get(run).state for run in (*ids, other)] == ["queued"] * 3
    assert given(["ray", "--workers", "0"]) == 1


class Idle:
    """A crew that has ended before it began."""

    def __init__(self) -> None:
        self.ended = ""

    def look(self, _left: Sequence[str]) -> bool:
        return False

    def leave(self) -> None:
        self.ended = "left"

    def stop(self) -> None:
        self.ended = "stopped"


def test_workers_that_end_again_and_again_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crews: list[Idle] = []

    def start(_self: EngineSpec, _store: RunStore, _options: EngineOptions) -> Idle:
        crews.append(Idle())
        return crews[-1]

    monkeypatch.setattr(EngineSpec, "start", start)
    store = a_store(tmp_path)
    ids = store.submit_all(the_sweep()[:1])
    with pytest.raises(EngineError, match=f"ended {engines.MOST_CREWS} times in a row without one run done"):
        train("local", store, ids, every=0.0)
    assert len(crews) == engines.MOST_CREWS
    assert crews[-1].ended == "stopped"


class Waiting(Idle):
    """A crew that stays, and does nothing."""

    def look(self, _left: Sequence[str]) -> bool:
        return True


def test_runs_whose_worker_died_are_found_while_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew, store = Waiting(), a_store(tmp_path)
    monkeypatch.setattr(EngineSpec, "start", lambda *_: crew)
    first, last = store.submit_all(the_sweep()[:2])
    store.leases.claim([first], "dead", pid=NOBODY)

    def stop(_states: dict[str, str]) -> None:
        store.request_stop(last)

    states = train("slurm", store, [last, first], watch=stop, every=0.0)
    assert list(states.items()) == [(last, "stopped"), (first, "lost")], "in the order that was asked for"
    assert crew.ended == "left"


def a_team(folder: Path) -> RunStore:
    """A store that says it lies in PostgreSQL."""
    store = a_store(folder)
    store.database.engine.dialect.name = "postgresql"
    return store


def test_workers_of_slurm_that_are_not_needed_are_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Job:
        def __init__(self, state: str) -> None:
            self.state, self.cancelled = state, False

        def done(self) -> bool:
            return self.state == "FINISHED"

        def cancel(self) -> None:
            self.cancelled = True

    class Executor:
        def __init__(self, **_: object) -> None: ...

        def update_parameters(self, **_: object) -> None: ...

        def map_array(self, *_: object) -> list[Any]:
            return [Job(state) for state in ("FINISHED", "RUNNING", "PENDING")]

    monkeypatch.setattr("submitit.AutoExecutor", Executor)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    jobs = cast(Any, ENGINES["slurm"].start(a_team(tmp_path), EngineOptions(workers=3)))
    assert jobs.look([])
    jobs.leave()
    assert [job.cancelled for job in jobs._jobs] == [False, False, True], "who is at work ends by itself"
    jobs.stop()
    assert [job.cancelled for job in jobs._jobs] == [False, True, True]


@pytest.mark.long
def test_a_sweep_of_an_engine_that_nobody_waits_for_is_trained_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["mlp", "--data", "karate", "--set", "epochs=4", "--seeds", "0-1", "--on", "slurm", "--cluster", "local"]
    assert main(["sweep", *words, "--workers", "2", "--detach"]) == 0
    printed = capsys.readouterr()
    ids, store = printed.out.split(), RunStore.open()
    assert f"trained by an array of workers in Slurm's queue\nlog: {engines.log_path()}\n" in printed.err
    until(lambda: set(store.states(ids).values()) == {"done"})
    assert len(list((home() / "slurm").glob("*/*.pkl"))) >= 2, "as many workers as were asked for"
    engine = launch.children.pop()
    assert engine.wait(timeout=60) == 0
    told = engines.log_path().read_text()
    assert "slurm is asked for 2 workers for 2 runs" in told
    assert told.endswith("all have ended, 2 of them done\n"), "whoever is through is not interrupted"


@pytest.mark.parametrize(("count", "retries"), [(1, 0), (3, RETRIES)])
def test_runs_of_a_page_s_sweep_are_tried_again_where_their_worker_is_lost(
    monkeypatch: pytest.MonkeyPatch, count: int, retries: int
) -> None:
    monkeypatch.setattr(queue, "launch", lambda *_: [])
    ids = queue.submit(the_sweep()[:count])
    store = queue.store()
    for _ in range(retries):
        assert store.leases.claim(ids, "dead", pid=NOBODY) == ids
        assert sorted(store.sweep_lost()) == sorted(ids)
        assert set(store.states(ids).values()) == {"queued"}
    assert store.leases.claim(ids, "dead", pid=NOBODY) == ids
    store.sweep_lost()
    assert set(store.states(ids).values()) == {"failed" if retries else "lost"}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_submitit_gives_the_same_ids_and_numbers_as_this_machine(tmp_path: Path) -> None:
    specs = the_sweep()
    here = trained("local", specs, a_store(tmp_path / "one"))
    options = EngineOptions(cluster="local", workers=2)
    assert trained("slurm", specs, a_store(tmp_path / "other"), options) == here


@pytest.mark.long
@pytest.mark.cluster
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")
def test_ray_gives_the_same_numbers_as_this_machine(tmp_path: Path) -> None:
    import ray

    specs = the_sweep()
    here = trained("local", specs, a_store(tmp_path / "one"))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        assert trained("ray", specs, a_store(tmp_path / "other"), EngineOptions(workers=2)) == here
    finally:
        ray.shutdown()
