"""How a run that ended badly is told: what is known of the end, and nothing that has nothing to do with
it."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import psutil
import pytest
from tests.pages.kept_runs import keep, spec

from privgraph.audits.options import AuditOptions
from privgraph.runs import auditing, launch, memory, processes
from privgraph.runs.leases import LOG_NAME, RESERVE_NAME
from privgraph.runs.records import StoreError
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.streams import noise_key
from privgraph_workbench.cli import main

ENDS = tomllib.loads(Path(__file__).with_name("ends.toml").read_text())["ends"]
WARNING = (
    "/lib/torch_geometric/data.py:31: UserWarning: Sparse CSR tensor support is in beta state.\n"
    '  self._cache["adjacency"] = torch.sparse_csr_tensor(\n'
)


def ended(code: str) -> subprocess.Popen[bytes]:
    """A process that has ended, and that nobody has asked after yet."""
    child = subprocess.Popen([sys.executable, "-c", code])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    return child


def claimed(store: RunStore, pid: int) -> str:
    run = store.submit(make_spec("gnn", "karate"))
    store.leases.claim([run], "w", pid=pid)
    (store.folder(run) / RESERVE_NAME).write_bytes(bytes(10))
    (store.folder(run) / LOG_NAME).write_text(WARNING)
    return run


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows how a child of others ended")
@pytest.mark.parametrize("buried", [False, True])
@pytest.mark.parametrize(("code", "said"), ENDS)
def test_a_run_says_how_its_worker_ended(store: RunStore, code: str, said: str, buried: bool) -> None:
    child = ended(code)
    if buried:
        launch.bury([child])
    run = claimed(store, child.pid)
    assert store.sweep_lost() == [run]
    assert store.get(run).error == said
    assert not (store.folder(run) / RESERVE_NAME).exists()
    child.wait()
    processes._exits.pop(child.pid, None)


def test_the_command_line_finds_dead_workers_too(store: RunStore, capsys: pytest.CaptureFixture[str]) -> None:
    child = ended("")
    run = claimed(store, child.pid)
    assert main(["list", "runs"]) == 0
    assert "lost" in capsys.readouterr().out
    assert store.get(run).state == "lost"
    child.wait()


def test_an_estimate_is_held_against_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"total": 1000 * 2**20}))
    assert [memory.fits_at_once(needed) for needed in ([], [0.0], [0.0, 0.0], [100.0] * 10, [400.0] * 10)] == [
        1,
        1,
        2,
        10,
        2,
    ]
    assert memory.fits_at_once([350.0] * 10) == 2, "three would need more than there is"
    assert [memory.fits_at_once([100.0] * 20, limit) for limit in (250.0, 1e9)] == [2, 10], "or within a worker's own"
    assert memory.too_large(1000) == ""
    with pytest.raises(memory.TooLarge, match="needs about 1,001 MB of memory, and this machine has 1,000 MB"):
        memory.fits_at_once([1.0, 1001.0])


def test_an_audit_needs_the_memory_of_its_run(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    run = keep(store, spec())
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"total": 2**40, "available": 2**20}))
    with pytest.raises(StoreError, match="took 300 MB of memory, and 1 MB are free"):
        auditing.start(store, run, "mechanism", AuditOptions())
    assert auditing.states(store, run) == []


def no_links(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_without_hard_links_runs_have_logs_and_keys(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", no_links)
    ids = [store.submit(make_spec("gnn", "karate", seed=seed)) for seed in range(2)]
    launch.open_log(store, ids).close()
    assert (store.folder(ids[0]) / LOG_NAME).read_text() == ""
    assert ids[0] in (store.folder(ids[1]) / LOG_NAME).read_text()
    key = noise_key(tmp_path)
    assert (len(key), noise_key(tmp_path)) == (32, key)
    assert (tmp_path / "noise.key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["noise.key"]


def test_without_hard_links_a_key_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(_draft: Path, path: Path) -> None:
        path.write_bytes(b"o" * 32)  # another process was first
        no_links()

    monkeypatch.setattr(os, "link", link)
    assert noise_key(tmp_path) == b"o" * 32
