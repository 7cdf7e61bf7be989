"""Attacks as figures: curves with bands and claims, scores, exposure."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.figures.made_attacks import attack

from privgraph.attacks.exchange import group_delta
from privgraph.audits.bounds import at_most, mean_of_shares
from privgraph.data.load import load
from privgraph_workbench.figures.attacks import attack_exposure, attack_map, attack_roc, attack_scores
from privgraph_workbench.figures.audits.audit_roc import frontier


class TestCurves:
    def test_a_curve_goes_in_steps_as_the_rates_beside_it_are_counted(self) -> None:
        """Between two thresholds an attacker has the rates of the stricter one."""
        tied = replace(attack(), areas=(0.6,), true_rates=((0.0, 0.0, 0.0),), roc_false=(0.0, 0.2, 1.0),
                       roc_true=(0.0, 0.5, 1.0))  # fmt: skip
        drawn = next(one for one in attack_roc.chart(attack_roc.data([tied])).series if "area" in one.name)
        assert list(zip(drawn.x, drawn.y, strict=True)) == [(0, 0), (0.2, 0), (0.2, 0.5), (1, 0.5), (1, 1)]

    def test_the_claim_is_that_of_a_walk_of_as_many_steps(self) -> None:
        """And allows for what few members and few others do by chance: of very many, it is the frontier."""
        record = replace(attack(), sound=0.5, delta=1e-3)
        assert record.steps == 2
        held = [row for row in attack_roc.data([record]) if row["curve"] == "sound"]
        members, others = record.outcome.members, record.outcome.others
        for row in held:
            false = float(at_most(math.floor(row["false"] * others + 1e-9), others, 0.025))
            true = frontier(false, 1.0, group_delta(0.5, 1e-3, 2))
            assert row["true"] == float(at_most(math.floor(true * members + 1e-9), members, 0.025))
            assert row["true"] >= frontier(row["false"], 1.0, group_delta(0.5, 1e-3, 2))
        many = replace(record, outcome=replace(record.outcome, members=10**8, others=10**8))
        held = [row for row in attack_roc.data([many]) if row["curve"] == "sound"]
        assert max(row["true"] - row["false"] for row in held) == pytest.approx(math.tanh(0.5), abs=0.01)

    def test_no_claim_where_no_walk_leads_or_nothing_is_claimed(self) -> None:
        for record in (replace(attack(), steps=None), replace(attack(), sound=math.inf), attack(split="public")):
            assert {row["curve"] for row in attack_roc.data([record])} == {"attack", "band", "mean"}

    def test_claims_that_differ_in_anything_have_a_line_each(self) -> None:
        first = replace(attack(), sound=0.5, delta=1e-3)
        others = (replace(first, sound=0.6), replace(first, delta=1e-2), replace(first, steps=4))
        for lines, records in ((1, [first, first]), *((2, [first, other]) for other in others)):
            rows = attack_roc.data(records)
            assert len({row["attack"] for row in rows if row["curve"] == "sound"}) == lines
            drawn = [one for one in attack_roc.chart(rows).series if one.name.startswith("sound ε")]
            assert len(drawn) == lines
            assert all((one.epsilon == "sound") == (lines == 1) for one in drawn)
            assert len({one.slot for one in drawn}) == lines, "two limits do not look alike"

    def test_the_line_of_a_claim_has_its_corner(self) -> None:
        """Where (epsilon, delta)-DP allows as many false alarms as it allows to be missed, for a node that is
        exchanged for another: two steps."""
        record = replace(attack(), sound=0.5, delta=1e-2, steps=2)
        delta = 1e-2 * (1 + math.exp(0.5))
        corner = (1 - delta) / (1 + math.exp(2 * 0.5))
        for scale in ("linear", "log"):
            line = {row["false"] for row in attack_roc.data([record], scale=scale) if row["curve"] == "sound"}
            assert min(abs(one - corner) for one in line) < 1e-12

    def test_a_band_goes_from_the_lowest_to_the_highest_of_the_models(self) -> None:
        record = attack(memory=1.0)
        band = [row for row in attack_roc.data([record]) if row["curve"] == "band"]
        assert [row["false"] for row in band] == list(record.band_false)
        for end, held in (("low", record.band_low), ("true", record.band_mean), ("high", record.band_high)):
            assert [row[end] for row in band] == list(held)
        series = attack_roc.chart(attack_roc.data([record])).series
        (drawn,) = (one for one in series if one.kind == "band" and one.x)
        assert (drawn.low, drawn.y) == (record.band_low, record.band_high)

    def test_a_table_has_only_what_differs_and_nothing_below_one_false_alarm(self) -> None:
        record = attack()
        rows = attack_roc.data([record], "log")
        assert {tuple(row) for row in attack_roc.table(rows)} == {tuple(attack_roc.COLUMNS.values())}
        assert {"false_positive_rate", "true_positive_rate"} <= {*attack_roc.table(rows)[0]}
        left = attack_roc.table(rows)
        rates = [row["false_positive_rate"] for row in left if row["curve"] in ("band", "mean")]
        seen = [rate for rate in rates if rate > 0]
        assert min(seen) == pytest.approx(1 / record.outcome.others, rel=0.5)
        assert min(seen) >= (1 - 1e-9) / record.outcome.others


def test_scores_hold_every_node_once() -> None:
    record = attack()
    rows = attack_scores.data(record)
    assert sum(row["members"] for row in rows) == record.outcome.members
    assert sum(row["others"] for row in rows) == record.outcome.others
    assert record.outcome.members != record.outcome.others
    for side in ("members", "others"):
        assert sum(row[f"share_{side}"] for row in rows) == pytest.approx(1.0), "of that side, however large"
    chart = attack_scores.chart(rows)
    assert {series.name for series in chart.series} == {"nodes trained on", "nodes not trained on"}
    assert attack_scores.chart([{**row, "members": 0, "others": 0} for row in rows]).series == ()


def test_exposure_has_a_bar_for_each_group() -> None:
    record = attack(memory=2.0)
    rows = attack_exposure.data(record)
    chart = attack_exposure.chart(rows)
    drawn = [value for series in chart.series if series.kind == "points" for value in series.x]
    assert drawn == [one.exposure for one in (*record.by_degree, *record.by_class)]
    ends = [value for series in chart.series if series.kind == "links" for value in series.x]
    for place, row in enumerate(rows):
        assert (row["low"], row["high"]) == tuple(ends[2 * place : 2 * place + 2])
        assert row["low"] < row["exposure"] < row["high"] or row["exposure"] in (0, 1)
        ends_of_95 = mean_of_shares(row["exposure"], row["nodes"], 0.025)
        assert (row["low"], row["high"]) == pytest.approx(ends_of_95)
    assert [panel.x.title != "" for panel in chart.panels] == [False, True], "no title above another panel's label"
    assert np.mean([value for value in drawn if isinstance(value, float)]) > 0.7
    assert attack_exposure.chart([]).series == ()


def test_the_map_holds_the_most_exposed_and_their_neighbours() -> None:
    """Every edge of the graph among the drawn nodes, once; a node that did not train has no exposure."""
    record = attack(memory=2.0)
    graph = load("social", split_seed=1, data_options={"nodes": 200, "degree": 6})
    drawn = [one.node for one in record.map_nodes]
    assert drawn[:12] == [one.node for one in record.exposed[:12]]
    assert len(set(drawn)) == len(drawn) > 12
    pairs = {tuple(sorted(pair)) for pair in graph.edge_index.t().tolist()}
    inside = {pair for pair in pairs if set(pair) <= set(drawn) and pair[0] != pair[1]}
    assert set(record.map_edges) == inside
    assert len(record.map_edges) == len(inside)
    centres = set(drawn[:12])
    assert all(node in centres or any({node, one} <= set(pair) for one in centres for pair in inside) for node in drawn)
    for one in record.map_nodes:
        assert (one.exposure is not None) == bool(graph.train_mask[one.node])
    rows = attack_map.data(record)
    places = {row["node"]: (row["x"], row["y"]) for row in rows if row["kind"] == "node"}
    assert len(set(places.values())) == len(drawn), "no two nodes lie on each other"
    chart = attack_map.chart(rows)
    assert sum(len(one.x) for one in chart.series if one.kind == "points") == len(drawn)
    faint = next(one for one in chart.series if one.name == "did not train")
    assert len(faint.x) == sum(one.exposure is None for one in record.map_nodes)
    assert attack_map.chart([]).series == ()
    first = next(one for one in chart.series if one.kind == "points")
    assert (first.name, first.slot) == ("trained, found before 99% of the others", 1), "in the colour of a warning"
    with pytest.raises(ValueError, match="pairs of the nodes"):
        replace(record, map_edges=((drawn[0], 10_000),))
