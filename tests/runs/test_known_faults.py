"""Which known faults runs of earlier versions carry, and a store of version 0.4.0 that is read as it was
left."""

import json
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from privgraph.data.load import load
from privgraph.data.uploads import OLD_NAME, upload_spec
from privgraph.options import Scalar
from privgraph.privacy.serialisation import statement_from_json, statement_to_json
from privgraph.program import program
from privgraph.registry import METHODS
from privgraph.runs.known_faults import FAULTS, known_faults
from privgraph.runs.leases import Outcome
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main

NAMES = ("predicted", "tails", "record", "reused", "name", "chosen", "width", "roles", "counted")
SENTENCES = {name: fault.sentence for name, fault in zip(NAMES, FAULTS, strict=True)}
PREDICTED, TAILS, RECORD, REUSED, NAME, CHOSEN, WIDTH, ROLES, COUNTED = SENTENCES.values()
EXPECTED = tomllib.loads(Path(__file__).with_name("known_faults.toml").read_text())["expected"]
OLD = Path(__file__).with_name("store-0.4.0")
GAP, DP_MLP, MLP = "gap-karate-7755754231be", "dp-mlp-upload-0faca4bd19e9-81d4d95339f2", "mlp-karate-5d136cd5898e"


def spec(method: str, unit: str, dataset: str = "cora", **options: Scalar) -> RunSpec:
    return RunSpec(method=method, dataset=dataset, options={"unit": unit, **options})


@pytest.mark.parametrize(("method", "unit", "more", "names"), EXPECTED)
def test_the_table_row_by_row(method: str, unit: str, more: dict[str, Any], names: str) -> None:
    asked, faults = spec(method, unit, **more), tuple(SENTENCES[name] for name in names.split())
    for version in ("", "0.1.0", "0.4.0", "0.4.12+0a1b2c3d4e5f"):
        assert known_faults(asked, version) == faults
    later = (NAME, WIDTH, ROLES, COUNTED)
    for version in ("0.5.0+0a1b2c3d4e5f", "0.5.0"):
        assert known_faults(asked, version) == tuple(fault for fault in faults if fault in later)
    for version in ("0.10.0", "1.0", program()):
        assert known_faults(asked, version) == tuple(fault for fault in faults if fault == NAME)


def test_every_method_that_makes_noise_is_in_the_table() -> None:
    """None but those without a private unit, the MLP, whose ledger is empty, and methods that are newer."""
    for method in METHODS.values():
        for unit in method.units:
            noisy = unit != "none" and method.name not in ("mlp", "relational", "relation-rand", "label-hist")
            assert (PREDICTED in known_faults(spec(method.name, unit), "")) is noisy


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[RunStore]:
    """A copy of what version 0.4.0 left behind: three runs, one of them on an upload."""
    shutil.copytree(OLD, tmp_path / "home")
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "home"))
    store = RunStore.open()
    yield store
    store.close()


def test_runs_of_an_old_store_are_read_and_say_what_they_carry(old: RunStore) -> None:
    records = {record.id: record for record in old.find()}
    assert {run: (record.state, record.version) for run, record in records.items()} == dict.fromkeys(
        (GAP, DP_MLP, MLP), ("done", "")
    )
    carried = {run: record.statement.known_faults for run, record in records.items() if record.statement}
    assert carried == {
        GAP: (PREDICTED, TAILS, REUSED, COUNTED),
        DP_MLP: (PREDICTED, TAILS, RECORD, REUSED, NAME, CHOSEN, ROLES),
        MLP: (),
    }
    statement = records[GAP].statement
    assert statement.epsilon == pytest.approx(7.993103421242548), "what was promised is not changed after the fact"
    assert statement_from_json(json.loads(json.dumps(statement_to_json(statement)))) == statement
    assert len(old.events(GAP)) > 5


def test_an_upload_under_an_old_name_is_loaded(old: RunStore) -> None:
    graph = load("upload:0faca4bd19e9")
    assert (graph.num_nodes, graph.facts.edges) == (24, 48)
    assert upload_spec("upload:0faca4bd19e9").caution == OLD_NAME


def test_a_new_attempt_counts_and_not_an_earlier_one(old: RunStore) -> None:
    """One by a version that said nothing is an old one, though an earlier one has said what it was."""
    run = old.submit(spec("gap", "edge", dataset="karate"))
    finish = Outcome(state="failed")
    for worker, version in (("a", program()), ("b", ""), ("c", program())):
        assert old.leases.claim([run], worker) == [run]
        if version:
            old.leases.made_by(worker, version)
        assert old.get(run).version == version
        old.leases.finish(run, worker, finish)
        old.retry(run)
    old.delete(run)
    assert old.submit(spec("gap", "edge", dataset="karate")) == run
    assert old.get(run).version == ""


STORES = sorted(Path(__file__).parent.glob("store-*"), key=lambda path: path.name)


def test_every_released_version_has_left_a_store() -> None:
    """A release adds its store here; `make_spec` and `privgraph run` are all it takes."""
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
