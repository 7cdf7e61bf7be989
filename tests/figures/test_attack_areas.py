"""Figures of attacks beside the curves: who keeps it, and areas by budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tests.figures.made_attacks import attack

from privgraph.attacks.options import AttackOptions
from privgraph_workbench.figures.attacks import (
    attack_areas,
    attack_roc,
    colours,
)
from privgraph_workbench.figures.chart import Coordinate


def _numbers(places: Sequence[Coordinate]) -> list[float]:
    """Places on an axis of numbers, none of which may be missing."""
    found = [one for one in places if isinstance(one, float)]
    assert len(found) == len(places)
    return found


class TestAreas:
    def test_of_edges_alone_the_line_is_what_true_classes_tell_and_the_axis_as_wide_as_what_was_found(self) -> None:
        edges = replace(attack(), attack="link", options=AttackOptions(by="distance"), by_classes=0.7)
        panel = attack_areas.chart(rows := attack_areas.data([edges, edges], ["a", "b"])).panels[0]
        assert [(rule.x, rule.label) for rule in panel.rules] == [(0.7, "true classes alone: 0.7")]
        assert not [one for one in attack_areas.chart(rows).series if one.name == attack_areas.CLASSES]
        seen = [area for row in rows for area in (row["area_low"], row["area_high"], 0.7, *row["models"])]
        assert panel.x.low is not None
        assert min(seen) - 0.05 < panel.x.low < min(seen)
        other = replace(edges, by_classes=0.8)
        mixed = attack_areas.chart(attack_areas.data([edges, other], ["a", "b"]))
        assert [rule.label for rule in mixed.panels[0].rules] == ["chance"], "no one line is that of both"
        assert [one for one in mixed.series if one.name == attack_areas.CLASSES]

    def test_one_model_alone_has_no_further_ones_and_nothing_is_an_empty_chart(self) -> None:
        (_, own, _) = attack_areas.chart(attack_areas.data([attack(targets=1)])).series
        assert len(own.x) == 1
        assert attack_areas.chart([]).series == ()


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
