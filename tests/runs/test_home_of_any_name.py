"""A home whose path has letters that mean something in an address."""

from pathlib import Path

import pytest

import privgraph as pg
from privgraph.home import home
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore


@pytest.mark.parametrize("name", ["feature%2Flogin", "a?b=c", "a#b", "two words", "Übung", "50%"])
def test_everything_stays_inside_the_home(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "X" / name))
    store = RunStore.open()
    run = store.submit(make_spec("mlp", "karate"))
    again = RunStore.open(store.url)
    assert again.get(run).state == "queued"
    assert (home() / "runs.sqlite").is_file()
    assert [path.name for path in (tmp_path / "X").iterdir()] == [name]
    assert [record.id for record in pg.open_store(home()).find()] == [run]
