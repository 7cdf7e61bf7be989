"""The CSV of accuracy against epsilon: what a reader who has nothing else must know of a row."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.final_statement import NOISE_IS_PUBLIC
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import composition
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.runs import tradeoff, tradeoff_table
from privgraph_workbench.views.tradeoffs import drawing

NONE = made_runs.statement((), unit="none")


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def _read(rows: list[Row]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(export("tradeoff", rows, {}, "csv").decode())))


def _public(said: PrivacyStatement) -> PrivacyStatement:
    return replace(said, assumptions=(*said.assumptions, NOISE_IS_PUBLIC))


def test_whether_noise_is_public_stands_in_each_row(store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    for method, seeds in (("gap", (said, _public(said))), ("progap", (said, said))):
        for seed, one in enumerate(seeds):
            made_runs.finish(store, made_runs.spec(method, seed=seed), 0.7, one)
    made_runs.finish(store, made_runs.spec("mlp", unit="none"), 0.6, NONE)
    rows = {row["method"]: row["noise_public"] for row in _read(tradeoff.data(store.find()))}
    assert rows == {"gap": "yes", "progap": "no", "mlp": ""}, "one seed that anybody can subtract is enough"


def test_what_all_runs_on_the_same_data_have_shown_is_that_of_the_figure(store: RunStore) -> None:
    """Runs of one unit compose; those that hide people are no part of it, and what protects nothing has
    none."""
    edge, node = (
        made_runs.statement(made_runs.edge_entries(9)),
        made_runs.statement(made_runs.node_entries(3.0), "node"),
    )
    for seed in range(3):
        made_runs.finish(store, made_runs.spec("gap", seed=seed), 0.7, edge)
    made_runs.finish(store, made_runs.spec("gap", unit="node"), 0.6, node)
    made_runs.finish(store, made_runs.spec("mlp", unit="none"), 0.6, NONE)
    records = store.find()
    rows = _read(drawing.finished(records, tradeoff.data(records)))
    by = {(row["method"], row["unit"]): row for row in rows}
    edges, people = by["gap", "edge"], by["gap", "node"]
    told = composition.plain(records)
    (said,) = re.findall(r"edge-level: 3 private runs have shown composed sound ε = ([\d.]+)", told)
    assert float(edges["epsilon_all_together"]) == pytest.approx(float(said), rel=2e-2)
    assert float(edges["epsilon_all_together"]) > float(edges["epsilon"])
    assert float(edges["delta_all_together"]) >= float(edges["delta"])
    assert float(people["epsilon_all_together"]) == pytest.approx(float(people["epsilon"]), rel=1e-3), "a single run"
    assert by["mlp", "none"]["epsilon_all_together"] == ""
    assert all(row["epsilon_all_together"] == "" for row in _read(tradeoff.data(records))), "made elsewhere"


def test_where_nothing_is_proved_together_there_is_no_number(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    said = [made_runs.statement(made_runs.edge_entries(noise), delta=0.5) for noise in (9, 12)]
    records = [made_runs.finish(store, made_runs.spec("gap", seed=at), 0.7, one) for at, one in enumerate(said)]
    monkeypatch.setattr(composition, "MOST", 1)
    assert composition.of_each(records) == {}
    assert [row["epsilon_all_together"] for row in _read(drawing.finished(records, tradeoff.data(records)))] == [""]


def test_seeds_that_agree_leave_open_what_the_test_nodes_do(store: RunStore) -> None:
    said = made_runs.statement(made_runs.node_entries(2.0), "node")
    for seed in range(3):
        made_runs.finish(
            store, made_runs.spec("dp-mlp", seed=seed, unit="node"), 48 / 90, said, more={"test_nodes": 90.0}
        )
    (row,) = _read(tradeoff.data(store.find()))
    assert row["low"] == row["high"] == row["mean"]
    found = float(row["low_by_test_nodes"]), float(row["high_by_test_nodes"])
    assert found == pytest.approx((0.425, 0.639), abs=5e-4), "as the page says"
    (unknown,) = _read([{**one, "test_nodes": None} for one in tradeoff.data(store.find())])
    assert unknown["low_by_test_nodes"] == unknown["high_by_test_nodes"] == ""


def test_columns_speak_for_themselves_and_are_all_told(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    (header, *_) = export("tradeoff", rows, {}, "csv").decode().splitlines()
    names = header.split(",")
    assert {"runs_from_gallery", "runs_on_same_data"} <= set(names)
    assert not {"gallery", "composed"} & set(names)
    told = export("tradeoff", rows, {}, "txt").decode()
    for name in (*tradeoff_table.NAMES.values(), *tradeoff_table.ALL_TOGETHER, "noise_public", "low_by_test_nodes"):
        assert name in names
        assert name in told
    assert {"gallery", "composed"} <= set(rows[0]), "the rows themselves, and so the JSON, keep their names"
