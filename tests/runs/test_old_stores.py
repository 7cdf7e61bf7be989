"""A store of each released version, made by that version's own workers: this one reads them all, and adds to
them."""

import shutil
from pathlib import Path

import pytest

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main

STORES = sorted(Path(__file__).parent.glob("store-*"), key=lambda path: path.name)


def test_every_released_version_has_left_a_store() -> None:
    """A release that changes the version adds its store here; `make_spec` and `privgraph run` are all it
    takes."""
    kept = {path.name.removeprefix("store-") for path in STORES}
    assert {"0.1.0", "0.2.0", "0.3.0", "0.4.0", "0.5.0"} <= kept


@pytest.mark.parametrize("kept", STORES, ids=lambda path: path.name)
def test_a_store_of_an_earlier_version_is_read_and_used(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    shutil.copytree(kept, home)
    monkeypatch.setenv("PRIVGRAPH_HOME", str(home))
    store = RunStore.open()
    records = store.find()
    assert len(records) >= 3
    for record in records:
        assert (record.unreadable, record.state) == ("", "done")
        assert record.statement is not None
        assert record.statement.unit == record.spec.options.get("unit", "none")
        assert store.events(record.id)
        for event in store.events(record.id):
            assert event.event is not None
        assert main(["show", record.id, "--log"]) == 0
        assert main(["export", record.id, "--out", str(tmp_path / "out")]) == 0
    assert main(["list", "runs"]) == 0
    new = store.submit(make_spec("mlp", "karate", {"epochs": 4}), tags=["new"])
    assert store.get(new).state == "queued"
    store.delete(records[0].id)
    assert store.count() == len(records)
    store.close()
