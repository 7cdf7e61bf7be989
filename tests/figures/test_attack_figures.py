"""Attacks as figures: curves with bands and claims, scores, exposure."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.figures.made_attacks import attack

from privgraph.attacks.exchange import group_delta
from privgraph_workbench.figures.attacks import attack_exposure, attack_roc, attack_scores
from privgraph_workbench.figures.audits.audit_roc import SCALES, frontier


class TestCurves:
    @pytest.mark.parametrize("scale", SCALES)
    def test_a_curve_a_band_and_a_claim_for_each_attack(self, scale: str) -> None:
        records = [attack(memory=2.0), attack(memory=0.5, seed=1)]
        chart = attack_roc.chart(attack_roc.data(records, scale, ["strong", "weak"]))
        names = [series.name.split(" (")[0] for series in chart.series]
        assert [name for name in names if name in ("strong", "weak")] == ["strong", "weak"]
        assert len([series for series in chart.series if series.kind == "band"]) == 2
        assert len([series for series in chart.series if series.epsilon == "sound"]) == 1, "one claim for both"
        for series in chart.series:
            assert list(series.x) == sorted(series.x)
            assert min(series.x) >= 0 if scale == "linear" else min(series.x) > 0
            for low, high in zip(series.low, series.y, strict=False):
                assert low <= high

    def test_the_claim_is_that_of_a_walk_of_as_many_steps(self) -> None:
        record = replace(attack(), sound=0.5, delta=1e-3)
        assert record.steps == 2
        held = [row for row in attack_roc.data([record]) if row["curve"] == "sound"]
        for row in held:
            assert row["true"] == frontier(row["false"], 1.0, group_delta(0.5, 1e-3, 2))
        assert max(row["true"] - row["false"] for row in held) == pytest.approx(math.tanh(0.5), abs=0.01)

    def test_no_claim_where_no_walk_leads_or_nothing_is_claimed(self) -> None:
        for record in (
            replace(attack(), steps=None),
            replace(attack(), sound=math.inf),
            attack(split="public"),
        ):
            assert {row["curve"] for row in attack_roc.data([record])} == {"attack", "band"}

    def test_a_single_model_has_no_band(self) -> None:
        assert {row["curve"] for row in attack_roc.data([attack(targets=1)])} == {"attack", "sound"}

    def test_equal_names_stay_apart_and_nothing_is_an_empty_figure(self) -> None:
        rows = attack_roc.data([attack(), attack(seed=2)])
        assert len({row["attack"] for row in rows}) == 2
        assert attack_roc.chart(attack_roc.data([])).series == ()
        with pytest.raises(ValueError, match="scale must be one of"):
            attack_roc.data([attack()], "cubic")


def test_scores_hold_every_node_once() -> None:
    record = attack()
    rows = attack_scores.data(record)
    assert sum(row["members"] for row in rows) == record.outcome.members
    assert sum(row["others"] for row in rows) == record.outcome.others
    chart = attack_scores.chart(rows)
    assert {series.name for series in chart.series} == {"nodes that trained", "nodes that did not"}
    assert attack_scores.chart([{**row, "members": 0, "others": 0} for row in rows]).series == ()


def test_exposure_has_a_bar_for_each_group() -> None:
    record = attack(memory=2.0)
    rows = attack_exposure.data(record)
    chart = attack_exposure.chart(rows)
    drawn = [value for series in chart.series for value in series.x]
    assert drawn == [one.exposure for one in (*record.by_degree, *record.by_class)]
    assert np.mean([value for value in drawn if isinstance(value, float)]) > 0.7
    assert chart.badges
    assert attack_exposure.chart([]).series == ()
