"""The CSV of accuracy against epsilon: few digits that never say less than holds, and the noise."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import pytest
from tests.figures import made_runs
from tests.figures.made_tradeoffs import point

from privgraph.privacy.events import Nothing
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.runs import tradeoff, tradeoff_table


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def read(rows: list[dict[str, object]]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(export("tradeoff", rows, {}, "csv").decode())))


def digits(text: str) -> int:
    return len(Decimal(text).normalize().as_tuple().digits)


EXACT = [0.999684123456789, 1.0000000001, 7.99999949999, 123456.78901, 3.3e-7 / 7]


@pytest.mark.parametrize("epsilon", EXACT)
def test_a_sound_epsilon_is_never_below_its_true_value(epsilon: float) -> None:
    (row,) = read([point(epsilon, 0.5, delta=1.23456789e-5)])
    for name, true in (("epsilon", epsilon), ("epsilon_for_edges", epsilon), ("delta", 1.23456789e-5)):
        assert true <= float(row[name]) <= true * (1 + 1e-5)
        assert digits(row[name]) <= tradeoff_table.DIGITS


def test_a_published_one_is_the_nearest() -> None:
    (row,) = read([point(1.0, 0.5, epsilon_as_published=0.98765432109)])
    assert row["epsilon_as_published"] == "0.987654"
    (without,) = read([point(1.0, 0.5)])
    assert without["epsilon_as_published"] == ""


def test_what_is_not_bounded_stays_so() -> None:
    (row,) = read([point(math.inf, 0.5, reference=True, unit="none", method="mlp")])
    assert (row["epsilon"], row["epsilon_for_edges"]) == ("inf", "0.0")


def test_the_noise_stands_in_words_and_as_one_number_where_it_is_one(store: RunStore) -> None:
    made = made_runs.finish(store, made_runs.spec(), 0.7, made_runs.statement(made_runs.edge_entries(9)))
    (row,) = read(tradeoff.data([made]))
    stages = [f"noisy aggregation, stage {one}: standard deviation 9, sensitivity 1.41421 (L2)" for one in (1, 2)]
    assert row["noise"] == "; ".join(stages)
    assert float(row["noise_multiplier"]) == pytest.approx(9 / math.sqrt(2), rel=1e-5)
    assert row["noise_std"] == "9.0"


def test_of_several_noises_the_words_alone_tell(store: RunStore) -> None:
    said = made_runs.statement(made_runs.node_entries(3.0), "node")
    (row,) = read(tradeoff.data([made_runs.finish(store, made_runs.spec(unit="node"), 0.7, said)]))
    assert "private gradients, stage 1 × 100: standard deviation 3, sensitivity 1 (L2)" in row["noise"]
    assert "noisy aggregation, stage 1: standard deviation 120, sensitivity 10 (L2)" in row["noise"]
    assert (row["noise_multiplier"], row["noise_std"]) == ("", "")


def test_what_is_random_without_added_noise_is_said_by_its_note() -> None:
    entry = LedgerEntry(
        kind=MechanismKind.AGGREGATION,
        mechanism="randomised response",
        stage="edges",
        event=Nothing(),
        note="an edge is kept with probability 0.5",
    )
    said = replace(made_runs.statement(()), ledger=(entry,))
    found = tradeoff_table.noise_of(said)
    assert found["noise"] == "randomised response, edges: an edge is kept with probability 0.5"
    assert found["noise_multiplier"] is found["noise_std"] is None


@pytest.mark.parametrize("said", [None, made_runs.statement((), "none")])
def test_without_noise_its_cells_are_empty(said: PrivacyStatement | None) -> None:
    assert tradeoff_table.noise_of(said) == {"noise": "", "noise_multiplier": None, "noise_std": None}


def test_the_noise_is_that_of_the_epsilon_in_the_row(store: RunStore) -> None:
    """Of seeds whose noise differs, the row has the largest epsilon: that of the least noise."""
    records = [
        made_runs.finish(store, made_runs.spec(seed=seed), 0.7, made_runs.statement(made_runs.edge_entries(std)))
        for seed, std in enumerate((9.0, 8.0, 10.0))
    ]
    (row,) = tradeoff.data(records)
    assert row["noise_std"] == 8.0
    assert row["epsilon"] == max(one.statement.epsilon for one in records if one.statement is not None)


def test_the_text_beside_it_says_what_the_columns_are() -> None:
    rows = [point(1.0, 0.5), point(2.0, 0.6)]
    said = export("tradeoff", rows, {}, "txt").decode()
    for words in ("rounded up to 6 significant digits", "noise_multiplier is that standard deviation", "noise_std"):
        assert words in said
    assert tradeoff_table.TOLD not in export("tradeoff", rows, {}, "svg").decode(), "a picture has no columns"
    assert all(float(one["epsilon"]) < float(two["epsilon"]) for one, two in pairwise(read(rows)))


def test_means_have_six_digits_and_no_bound_is_rounded_down() -> None:
    row = {**point(1.23456789, 0.123456789, low=0.1111111111, high=0.9999999), "test_nodes": 1000}
    (told,) = tradeoff_table.table([row])
    assert (told["mean"], told["low"], told["high"]) == (0.123457, 0.111111, 1.0)
    assert len(str(told["low_by_test_nodes"])) <= 9
    assert told["epsilon"] == 1.23457
    assert told["epsilon"] >= row["epsilon"]
