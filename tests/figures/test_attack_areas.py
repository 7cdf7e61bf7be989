"""Figures of attacks beside the curves: who keeps it, and areas by budget."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.figures.made_attacks import attack

from privgraph.attacks.options import AttackOptions
from privgraph_workbench.figures.attacks import attack_areas, attack_exposure, attack_roc, colours


class TestAreas:
    def test_runs_stand_in_order_of_epsilon_each_with_its_own_interval(self) -> None:
        weak, strong = attack(memory=0.3), attack(memory=2.0, seed=1)
        records = [replace(strong, sound=math.inf), replace(weak, sound=1.0), replace(weak, sound=0.5)]
        rows = attack_areas.data(records, ["bare", "one", "half"])
        assert [row["attack"] for row in rows] == ["half", "one", "bare"]
        chart = attack_areas.chart(rows)
        interval, own, further = chart.series
        assert own.y == ("half", "one", "bare") == chart.panels[0].y.categories
        assert all(row["evaluator"] for row in rows), "a CSV says so, too"
        for place, row in enumerate(rows):
            record = records[2 - place]
            assert own.x[place] == row["area"] == pytest.approx(np.mean(record.areas)), "of three models the mean"
            assert interval.x[2 * place : 2 * place + 2] == record.found[1:]
            assert interval.y[2 * place] == row["attack"]
            assert [x for x, name in zip(further.x, further.y, strict=True) if name == row["attack"]] == list(
                record.areas
            )
        left = chart.panels[0].x.low
        assert left is not None
        assert left < min(*interval.x, *further.x, 0.5)  # type: ignore[type-var]
        rate = weak.rates_found[-1]
        first = rows[0]
        assert (first["false_alarms"], first["found"]) == (rate.false, rate.true)
        assert (first["found_low"], first["found_high"]) == (rate.low, rate.high)
        assert first["signed_rank"] == weak.signed_rank

    def test_what_similarity_tells_stands_beside_an_area(self) -> None:
        edges = replace(attack(), attack="link", options=AttackOptions(by="distance"), by_classes=0.817, sound=2.0)
        rows = attack_areas.data([edges, replace(attack(seed=1), sound=1.0)], ["edges", "who"])
        chart = attack_areas.chart(rows)
        (classes,) = [one for one in chart.series if one.name == attack_areas.CLASSES]
        assert (classes.x, classes.y, classes.legend) == ((0.817,), ("edges",), True)
        told = replace(edges, options=AttackOptions(by="influence"))
        for one, compared in ((edges, 0.817), (told, None)):  # what is read through an edge is no similarity
            for found in (attack_areas.data([one]), attack_roc.data([one]), attack_exposure.data(one)):
                assert {row["by_classes"] for row in found} == {compared}
        curves = attack_roc.chart(attack_roc.data([edges], names=["edges"], graphs=["Cora"]))
        assert any("; true classes alone: 0.817)" in one.name for one in curves.series if one.legend)
        assert curves.title == "Who is connected to whom? Cora"


def test_a_setting_has_one_colour_whatever_it_is_drawn_beside() -> None:
    bare = replace(attack(), sound=math.inf)
    private = {asked: replace(attack(), sound=asked - 0.003) for asked in (1.0, 2.0, 4.0, 8.0, 16.0)}
    seen: dict[float, set[int]] = {}
    for drawn in (
        [bare],
        [private[8.0]],
        [private[8.0], bare],
        [private[1.0], private[8.0], bare],
        [*private.values(), bare],
    ):
        names = [str(one.sound) for one in drawn]
        chart = attack_roc.chart(attack_roc.data(drawn, "log", names))
        for one in drawn:
            lines = [line for line in chart.series if line.kind == "line" and line.name.startswith(str(one.sound))]
            seen.setdefault(one.sound, set()).update(line.slot for line in lines)
    assert all(len(slots) == 1 for slots in seen.values()), seen
    assert len(set.union(*seen.values())) == len(seen), "and each its own"
    assert colours.slots([8.0] * 8)[-1] == 0, "more than there are colours share"
