"""The home is its owner's alone, and what lets people into the app is told to nobody else."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import privgraph as pg
from privgraph.home import environment, home, open_to_others, umask
from privgraph.runs import launch
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home that does not exist yet, made by somebody whose files everybody may read."""
    old = os.umask(0o022)
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    os.umask(old)


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_home_and_its_store_are_private(folder: Path) -> None:
    with closing(RunStore.open()) as store:
        assert _mode(home()) == 0o700
        assert umask() == 0o077
        assert {_mode(path) for path in folder.glob("runs.sqlite*")} == {0o600}
        run = store.submit(make_spec("gnn", "karate"))
        with launch.open_log(store, [run]):
            assert _mode(store.folder(run) / launch.LOG_NAME) == 0o600


@pytest.mark.parametrize(
    ("before", "mark", "after"),
    [
        (0o755, "runs.sqlite", 0o700),
        (0o777, "noise.key", 0o770),  # its group may write: a team shares it
        (0o2770, "runs.sqlite", 0o770),
        (0o755, "something else", 0o755),  # some other folder that the variable happens to name
        (0o1777, "runs.sqlite", 0o777),
    ],
)
def test_an_older_home_is_closed(folder: Path, before: int, mark: str, after: int) -> None:
    folder.mkdir()
    (folder / mark).touch()
    folder.chmod(before)
    assert _mode(home()) == after
    assert umask() == (0o007 if after & 0o020 else 0o077)
    assert open_to_others() == bool(after & 0o007)


def test_children_are_told_the_home_and_no_secret_of_the_app(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_PROXY_SECRET", "s" * 32)
    monkeypatch.setenv("PRIVGRAPH_TOKEN", "t" * 32)
    with closing(RunStore.open()) as store:
        for told in (environment(), launch.environment(store)):
            assert told["PRIVGRAPH_HOME"] == str(folder)
            assert not {"PRIVGRAPH_PROXY_SECRET", "PRIVGRAPH_TOKEN"} & set(told)


@pytest.mark.parametrize("name", ["feature%2Flogin", "a?b=c", "a#b", "two words", "Übung", "50%"])
def test_everything_stays_inside_the_home(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "X" / name))
    store = RunStore.open()
    run = store.submit(make_spec("mlp", "karate"))
    again = RunStore.open(store.url)
    assert again.get(run).state == "queued"
    assert (home() / "runs.sqlite").is_file()
    assert [path.name for path in (tmp_path / "X").iterdir()] == [name]
    assert [record.id for record in pg.open_store(home()).find()] == [run]
