"""Where the files of runs lie: a shared folder, or an address of fsspec's, named by the store's URL."""

from __future__ import annotations

from pathlib import Path

import pytest

from privgraph.runs.artifacts import parted
from privgraph.runs.launch import environment, wait
from privgraph.runs.records import StoreError
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore

SPEC = make_spec("pate", "karate", {"epochs": 3, "teachers": 2})


@pytest.fixture(autouse=True)
def of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)
    monkeypatch.delenv("PRIVGRAPH_ARTIFACTS", raising=False)


def a_url(folder: Path, place: object) -> str:
    return f"sqlite:///{folder / 'runs.sqlite'}?artifacts={place}"


def test_the_place_is_taken_out_of_the_url() -> None:
    url = "postgresql+psycopg://ada:secret@db/runs?sslmode=require"
    assert parted(url) == (url, "")
    assert parted(f"{url}&artifacts=s3://bucket/x") == (url, "s3://bucket/x")
    assert parted("not a url") == ("not a url", "")
    for bad in ("runs", "../runs", "/a&artifacts=/b"):
        with pytest.raises(StoreError, match="must be one absolute folder, or a URL"):
            parted(f"{url}&artifacts={bad}")


def test_a_place_that_cannot_be_used_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"artifacts at nosuch:// need a package .*privgraph\[remote\]"):
        RunStore.open(a_url(tmp_path, "nosuch://x"))
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="the folder of the store's artifacts cannot be used"):
        RunStore.open(a_url(tmp_path, tmp_path / "file" / "below"))


def test_a_shared_folder_holds_the_artifacts(tmp_path: Path) -> None:
    store = RunStore.open(a_url(tmp_path, tmp_path / "shared"))
    run = store.submit(SPEC)
    assert store.folder(run) == tmp_path / "shared" / run
    assert environment(store)["PRIVGRAPH_STORE"] == store.url
    assert RunStore.open(store.url).folders == tmp_path / "shared"


def test_artifacts_elsewhere_are_put_there_by_the_worker_and_fetched_by_whoever_looks(tmp_path: Path) -> None:
    remote = tmp_path / "bucket"
    store = RunStore.open(a_url(tmp_path, remote.as_uri()), tmp_path / "here")
    (record,) = wait(store, [store.submit(SPEC)], timeout=180)
    assert record.state == "done", record.error
    run = record.id
    made = {path.name for path in (tmp_path / "here" / run).iterdir() if not path.name.startswith(".")}
    assert {path.name for path in (remote / run).iterdir()} == made
    assert "answers.npz" in made, "what the teachers said"
    other = RunStore.open(store.url, tmp_path / "there")
    copy = other.folder(run) / "answers.npz"
    assert copy.read_bytes() == (remote / run / "answers.npz").read_bytes()
    other.delete(run)
    assert not (remote / run).exists()


def test_an_earlier_attempt_leaves_nothing_elsewhere(tmp_path: Path) -> None:
    remote = tmp_path / "bucket"
    store = RunStore.open(a_url(tmp_path, remote.as_uri()), tmp_path / "here")
    (store.folder("a-run") / "old.npz").write_text("old")
    store.keep("a-run")
    assert (remote / "a-run" / "old.npz").exists()
    store.begin("a-run")
    assert not (remote / "a-run").exists()


def test_a_place_that_is_gone_fails_the_run_in_a_sentence(tmp_path: Path) -> None:
    remote = tmp_path / "bucket"
    store = RunStore.open(a_url(tmp_path, remote.as_uri()), tmp_path / "here")
    run = store.submit(SPEC)
    remote.write_text("a file where a folder was")
    (record,) = wait(store, [run], timeout=180)
    assert record.state == "failed"
    assert record.error.startswith(f"the artifacts of the store, at {remote.as_uri()}, cannot be reached")
