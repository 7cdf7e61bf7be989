"""Attacks as figures: curves with bands and claims, scores, exposure, areas by budget."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.figures.made_attacks import attack

from privgraph.attacks.exchange import group_delta
from privgraph.attacks.options import AttackOptions
from privgraph.audits.bounds import at_most, mean_of_shares
from privgraph.data.load import load
from privgraph_workbench.figures.attacks import attack_areas, attack_exposure, attack_map, attack_roc
from privgraph_workbench.figures.audits.audit_roc import frontier


class TestCurves:
    def test_a_curve_goes_in_steps_as_the_rates_beside_it_are_counted(self) -> None:
        """Between two thresholds an attacker has the rates of the stricter one."""
        tied = replace(attack(), areas=(0.6,), true_rates=((0.0, 0.0, 0.0),), roc_false=(0.0, 0.2, 1.0),
                       roc_true=(0.0, 0.5, 1.0))  # fmt: skip
        drawn = next(one for one in attack_roc.chart(attack_roc.data([tied])).series if "area" in one.name)
        assert (drawn.kind, drawn.x, drawn.y) == ("steps", tied.roc_false, tied.roc_true)

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


def test_every_exposure_has_its_interval() -> None:
    record = attack(memory=2.0)
    rows = attack_exposure.data(record)
    assert [row["exposure"] for row in rows] == [one.exposure for one in (*record.by_degree, *record.by_class)]
    for row in rows:
        assert (row["low"], row["high"]) == pytest.approx(mean_of_shares(row["exposure"], row["nodes"], 0.025))
        assert row["low"] < row["exposure"] < row["high"] or row["exposure"] in (0, 1)


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
    chart = attack_map.chart(attack_map.data(record))
    assert sum(len(one.x) for one in chart.series if one.kind == "points") == len(drawn)
    with pytest.raises(ValueError, match="pairs of the nodes"):
        replace(record, map_edges=((drawn[0], 10_000),))


class TestAreas:
    def test_runs_stand_in_order_of_epsilon_each_with_its_own_interval(self) -> None:
        weak, strong = attack(memory=0.3), attack(memory=2.0, seed=1)
        records = [replace(strong, sound=math.inf), replace(weak, sound=1.0), replace(weak, sound=0.5)]
        rows = attack_areas.data(records, ["bare", "one", "half"])
        assert [row["attack"] for row in rows] == ["half", "one", "bare"]
        assert all(row["evaluator"] for row in rows), "a CSV says so, too"
        for row, record in zip(rows, reversed(records), strict=True):
            assert row["area"] == pytest.approx(np.mean(record.areas)), "of three models the mean"
        interval, *_ = attack_areas.chart(rows).series
        assert list(interval.x) == [end for record in reversed(records) for end in record.found[1:]]
        rate = weak.rates_found[-1]
        first = rows[0]
        assert (first["false_alarms"], first["found"]) == (rate.false, rate.true)
        assert (first["found_low"], first["found_high"]) == (rate.low, rate.high)
        assert first["signed_rank"] == weak.signed_rank

    def test_what_similarity_tells_stands_beside_an_area(self) -> None:
        edges = replace(attack(), attack="link", options=AttackOptions(by="distance"), by_classes=0.817, sound=2.0)
        told = replace(edges, options=AttackOptions(by="influence"))
        for one, compared in ((edges, 0.817), (told, None)):  # what is read through an edge is no similarity
            for found in (attack_areas.data([one]), attack_roc.data([one]), attack_exposure.data(one)):
                assert {row["by_classes"] for row in found} == {compared}
