"""Shares of the privacy budget add up, follow the noise, and show what is not private at all."""

from __future__ import annotations

import pytest
from tests.figures import made_runs

from privgraph.privacy.events import Gaussian, NonPrivate, Nothing
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry
from privgraph_workbench.figures.costs import ledger


def gaussian(multiplier: float, count: int = 1, name: str = "noise") -> LedgerEntry:
    return LedgerEntry(
        kind=MechanismKind.AGGREGATION,
        mechanism=name,
        stage="stage 1",
        event=Gaussian(noise_multiplier=multiplier),
        count=count,
    )


def test_shares_of_gaussians_go_as_count_over_squared_noise() -> None:
    rows = ledger.data([gaussian(2, name="first"), gaussian(4, 3, name="second")], 1e-5)
    first, second = 1 / 4, 3 / 16
    assert [row["share"] for row in rows] == pytest.approx([first / (first + second), second / (first + second)])


def test_shares_add_up_under_sampling() -> None:
    rows = ledger.data(made_runs.node_entries(0.9), 1e-5)
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert rows[1]["sampling_rate"] == 0.05
    assert rows[1]["noise_multiplier"] == 0.9
    assert rows[1]["count"] == 100


def test_what_is_not_private_takes_everything() -> None:
    exposed = LedgerEntry(
        kind=MechanismKind.UNPROTECTED, mechanism="training", stage="", event=NonPrivate(reason="no noise")
    )
    rows = ledger.data([gaussian(2), exposed], 1e-5)
    assert [row["share"] for row in rows] == [0, 1]


def test_what_is_free_takes_nothing() -> None:
    free = LedgerEntry(kind=MechanismKind.NOTHING, mechanism="inference", stage="", event=Nothing())
    assert [row["share"] for row in ledger.data([gaussian(2), free], 1e-5)] == [1, 0]
    assert [row["share"] for row in ledger.data([free], 1e-5)] == [0]
