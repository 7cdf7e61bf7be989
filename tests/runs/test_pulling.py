"""Workers that pull: what they take, what they leave, and how they end."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.waiting import until

from privgraph.nn.text import naming
from privgraph.options import OptionError
from privgraph.runs import here, launch, worker
from privgraph.runs import pulling as pulling_room
from privgraph.runs.here import at_hand
from privgraph.runs.pull_options import PullOptions
from privgraph.runs.queueing import Wants
from privgraph.runs.records import StoreError
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs
from privgraph_workbench.cli import main

LONG = make_spec("gnn", "digits", {"epochs": 5000})


def pulling(*flags: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "privgraph_workbench.cli", "worker", *flags]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def test_what_a_worker_is_told_is_checked() -> None:
    assert PullOptions().command()[4:] == []
    told = PullOptions(forever=True, device="cuda:1", memory="1.5 gb", idle=5.0)
    assert told.command()[4:] == ["--forever", "--idle=5.0", "--device=cuda:1", "--memory=1.5 gb"]
    assert (told.memory_mb, told.asks) == (1536.0, ("auto", "cuda"))
    assert told.visible({}) == "1"
    assert told.visible({"CUDA_VISIBLE_DEVICES": "4,GPU-7"}) == "GPU-7"
    assert (PullOptions(device="cpu").visible({}), PullOptions(device="cuda").visible({})) == ("", None)
    with pytest.raises(OptionError, match="one of the 1 that are visible here"):
        told.visible({"CUDA_VISIBLE_DEVICES": "4"})
    for bad, sentence in (
        ({"device": "gpu"}, "device must be cpu, cuda or cuda:NUMBER"),
        ({"memory": "8"}, "memory must be an amount such as 8GB"),
        ({"memory": "-8GB"}, "memory must be an amount such as 8GB"),
        ({"idle": -1.0}, "idle must be at least 0"),
    ):
        with pytest.raises(OptionError, match=sentence):
            PullOptions(**bad)  # type: ignore[arg-type]


def test_data_are_at_hand_where_their_files_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path / "data"))
    assert at_hand("karate")
    assert not at_hand("cora")
    assert at_hand("cora", fetch=True)
    assert not at_hand("upload:0123456789abcdef", fetch=True)
    assert not at_hand("no-such-data", fetch=True)
    assert at_hand("encoder:tiny")
    assert not at_hand(f"encoder:{tmp_path}", fetch=True)
    monkeypatch.setattr(naming, "MINILM", "no_such_package")
    assert not at_hand("encoder:minilm", fetch=True)


@pytest.mark.long
def test_told_to_end_it_gives_its_run_back(store: RunStore) -> None:
    run = store.submit(LONG)
    worker = pulling("--forever")
    until(lambda: store.get(run).progress > 0)
    worker.send_signal(signal.SIGTERM)
    _, said = worker.communicate(timeout=60)
    assert worker.returncode == 0, said
    record = store.get(run)
    assert (record.state, record.attempt, record.progress) == ("queued", 2, 0.0)
    assert [event for event in store.events(run) if event.attempt == 1] == []


@pytest.mark.parametrize("split", ["random", "inductive"])
@pytest.mark.long
def test_a_run_whose_plan_needs_more_memory_is_left_to_others(
    store: RunStore, capsys: pytest.CaptureFixture[str], split: str
) -> None:
    run = store.submit(make_spec("mlp", "karate", {"epochs": 3}, split=split))
    worker = pulling("--idle", "0", "--memory", "1MB")
    _, said = worker.communicate(timeout=120)
    record = store.get(run)
    assert (record.state, worker.returncode) == ("queued", 0)
    assert record.attempt == (2 if split == "inductive" else 1), "sizes of an inductive split are known once it is made"
    assert re.search(r"1 run waits for a worker with 3\d\d MB of memory: this one may use 1 MB\n", said), said
    assert said.endswith("ends after 0 runs\n")
    assert main(["show", run]) == 0
    assert re.search(r"\nWaits for memory: 3\d\d MB\n", capsys.readouterr().out)
    assert store.leases.claim_next("small", Wants(memory_mb=1.0)) == []
    assert store.leases.claim_next("large", Wants(memory_mb=16_384.0)) == [run]


def test_neither_a_launcher_nor_its_worker_begins_with_another_noise_key(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run = store.submit(make_spec("mlp", "karate", {"epochs": 3}))
    store.leases.agree(bytes(32))
    monkeypatch.setattr(launch, "_start", lambda *_, **__: None)
    with pytest.raises(StoreError, match="is not that of the store's other workers"):
        launch.launch(store)
    assert store.get(run).state == "queued"
    assert worker.main([run]) == 1
    assert "is not that of the store's other workers" in capfd.readouterr().err
    assert store.get(run).state == "queued"


@pytest.mark.parametrize("leaves", [True, False], ids=["others'", "its own"])
def test_a_launcher_leaves_what_others_asked_for_and_this_machine_cannot_train(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], leaves: bool
) -> None:
    """Its own runs fail, and say what is lacking; those of others wait for a machine that has it."""
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path / "none"))
    monkeypatch.setattr(here, "_CUDA", ())
    monkeypatch.setattr(here, "machine_mb", lambda: 1000.0)
    monkeypatch.setattr(launch, "capacity", lambda: 99)
    started: dict[str, bool] = {}

    def start(_store: RunStore, ids: Sequence[str], _worker: str, *, gives_back: bool, others: bool) -> None:
        started.update(dict.fromkeys(ids, gives_back))

    monkeypatch.setattr(launch, "_start", start)
    monkeypatch.setattr(launch, "_memory_left", lambda: True)
    lacking = [
        store.submit(spec)
        for spec in (
            make_spec("mlp", "cora"),
            make_spec("prompt", "karate", {"pretrain_on": "cora"}),
            make_spec("relational", "products", {"encoder": str(tmp_path)}),
            make_spec("mlp", "karate", device="cuda"),
            make_spec("gnn", "karate"),
        )
    ]
    with store.database.write() as connection:
        connection.execute(runs.update().where(runs.c.id == lacking[-1]).values(memory_mb=1001.0))
    can = store.submit(make_spec("mlp", "karate"))
    launch.launch(store, [] if leaves else lacking)
    assert started == {can: True} | ({} if leaves else dict.fromkeys(lacking, False))
    if leaves:
        assert main(["show", lacking[1]]) == 0
        assert "\nWaits for a worker with: cora\n" in capsys.readouterr().out


def test_a_key_that_was_renewed_after_the_claim_leaves_the_run_to_others(store: RunStore) -> None:
    run = store.submit(make_spec("mlp", "karate", {"epochs": 3}))
    assert store.leases.claim([run], "w", pid=os.getpid()) == [run]
    store.leases.renew(bytes(32))
    taken = worker.Worker(store, "w", worker.jobs_of(store, [run]))
    before = {number: signal.getsignal(number) for number in worker.ENDING}
    try:
        assert taken.work()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert (store.get(run).state, store.get(run).attempt, taken.left) == ("queued", 2, 1)


def test_a_machine_without_cuda_takes_no_run_that_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, asks in ((False, ("auto", "cpu")), (True, ("auto", "cpu", "cuda"))):
        monkeypatch.setattr("torch.cuda.is_available", lambda there=there: there)
        assert pulling_room._devices(PullOptions()) == asks
        assert pulling_room._devices(PullOptions(device="cpu")) == ("auto", "cpu")
