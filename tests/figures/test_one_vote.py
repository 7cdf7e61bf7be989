"""The figure of one vote under noise, and that of how far teachers agreed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.figures.made_ensembles import CLASSES, DELTA, ensemble

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.papers.dp_gpl_votes import Asked, teacher_epsilon
from privgraph_workbench.figures.teachers import (
    consensus,
    one_vote,
)


@pytest.fixture(scope="module")
def found() -> Ensemble:
    return ensemble()


class TestOneVote:
    def test_rows_hold_votes_chances_and_price(self, found: Ensemble) -> None:
        noise = one_vote.Noise.of(found)
        rows = one_vote.data(found, 3, noise)
        assert [row["votes"] for row in rows] == pytest.approx(found.counts()[3].tolist())
        assert sum(row["heads"] for row in rows) == (found.votes[:, 3] >= 0).sum()
        assert sum(row["chance"] for row in rows) == pytest.approx(1)
        draw = np.random.default_rng(0).normal(scale=found.vote_sigma, size=(100_000, CLASSES))
        drawn = np.bincount((found.counts()[3] + draw).argmax(axis=1), minlength=CLASSES) / 100_000
        assert [row["chance"] for row in rows] == pytest.approx(drawn.tolist(), abs=0.01)
        asked = Asked(queries=20, answers=20, vote_sigma=found.vote_sigma, gate_sigma=found.gate_sigma)
        assert rows[0]["epsilon_run"] == pytest.approx(teacher_epsilon(asked, found.weights.max(), DELTA), rel=1e-9)
        assert 0 < rows[0]["epsilon_query"] < rows[0]["epsilon_run"]

    def test_less_noise_is_surer_and_dearer_and_the_threshold_costs_nothing(self, found: Ensemble) -> None:
        place = int(np.diff(np.sort(found.counts(), axis=1))[:, -1].argmax())
        loud, quiet = (one_vote.data(found, place, one_vote.Noise(vote_sigma=sigma)) for sigma in (20.0, 5.0))
        assert max(row["chance"] for row in quiet) > max(row["chance"] for row in loud)
        assert quiet[0]["epsilon_run"] > loud[0]["epsilon_run"]
        assert loud[0]["passes"] is None
        low, high = (
            one_vote.data(found, place, one_vote.Noise(vote_sigma=20, gate_sigma=10, threshold=votes))
            for votes in (5, 35)
        )
        assert low[0]["passes"] > high[0]["passes"]
        assert low[0]["epsilon_run"] == high[0]["epsilon_run"] > loud[0]["epsilon_run"]

    def test_what_to_expect_over_all_queries(self, found: Ensemble) -> None:
        passes, right = one_vote.expected(found, one_vote.Noise(vote_sigma=0.01))
        assert passes == 1
        assert right == pytest.approx((found.counts().argmax(axis=1) == found.truth).mean())
        none, nobody = one_vote.expected(found, one_vote.Noise(vote_sigma=1, gate_sigma=0.1, threshold=1000))
        assert (none, nobody) == (0, None)

    def test_threshold_and_noise_are_on_the_drawing(self, found: Ensemble) -> None:
        chart = one_vote.chart(one_vote.data(found, 3, one_vote.Noise(vote_sigma=4, gate_sigma=3, threshold=18)))
        votes = found.counts()[3]
        places = {rule.handle: (rule.x, rule.side) for rule in chart.panels[0].rules}
        assert places == {"threshold": (18, "right")}
        (reach,) = [one for one in chart.series if one.kind == "links"]
        assert reach.x[1::2] == pytest.approx(np.minimum(votes + 4, chart.panels[0].x.high).tolist())
        far = one_vote.chart(one_vote.data(found, 3, one_vote.Noise(vote_sigma=4, gate_sigma=3, threshold=900)))
        assert not far.panels[0].rules
        assert "900 votes" in far.panels[0].title

    def test_what_was_drawn_lies_within_the_axis(self, found: Ensemble) -> None:
        noise = one_vote.Noise(vote_sigma=4)
        drawn = [-30.0, 55.0, 3.0, 1.0]
        chart = one_vote.chart(one_vote.data(found, 3, noise, drawn=drawn, out=0))
        (marks,) = [series for series in chart.series if series.name == "with the noise that was drawn"]
        assert marks.x == tuple(drawn)
        axis = chart.panels[0].x
        assert axis.low is not None
        assert axis.high is not None
        assert min(drawn) - axis.low > 0.05 * (axis.high - axis.low), "no mark lies on the names of the classes"
        assert axis.low < min(drawn) < max(drawn) < axis.high
        plain = one_vote.chart(one_vote.data(found, 3, noise, out=0))
        assert not any(series.name == marks.name for series in plain.series)
        assert plain.panels[0].x.low == 0

    def test_at_first_there_are_votes_and_the_draw_alone(self, found: Ensemble) -> None:
        noise = one_vote.Noise(vote_sigma=4, gate_sigma=3, threshold=18)
        plain = one_vote.chart(one_vote.data(found, 3, noise, drawn=[1, 2, 3, 4], out=0, details=False))
        assert {one.name for one in plain.series} == {
            "largest before noise",
            "other classes",
            "with the noise that was drawn",
        }
        assert [rule.handle for rule in plain.panels[0].rules] == ["threshold"]
        full = one_vote.chart(one_vote.data(found, 3, noise, drawn=[1, 2, 3, 4], out=0))
        assert {one.name for one in full.series} - {one.name for one in plain.series} == {
            "one standard deviation of the noise"
        }

    def test_another_draw_leaves_the_axis_where_it_is(self, found: Ensemble) -> None:
        """Marks move, not what they are held against; also where the gate refuses."""
        noise = one_vote.Noise(vote_sigma=4)
        draws = [
            one_vote.data(found, 3, noise, drawn=drawn, out=out)
            for drawn, out in (([1.0, 2.0, 3.0, 4.0], 3), ([-4.0, 20.0, 3.0, 1.0], 1), ([1.0, 2.0, 3.0, 4.0], -1))
        ]
        axes = [one_vote.chart(rows).panels[0].x for rows in draws]
        assert len({(axis.low, axis.high) for axis in axes}) == 1
        assert one_vote.chart(draws[0]).panels[0].title == "before noise (marks: this draw)"

    def test_a_refused_query_has_no_draw(self, found: Ensemble) -> None:
        rows = one_vote.data(found, 3, one_vote.Noise(vote_sigma=4), drawn=[1, 2, 3, 4], out=-1)
        assert {row["drawn"] for row in rows} == {None}
        assert "had it passed" in one_vote.chart(rows).panels[1].x.title

    def test_without_noise_the_largest_goes_out(self, found: Ensemble) -> None:
        rows = one_vote.data(found, 3, one_vote.Noise(vote_sigma=0))
        assert [row["chance"] for row in rows] == [float(row["largest"]) for row in rows]
        assert rows[0]["epsilon_run"] == math.inf


class TestConsensus:
    def test_every_query_has_one_state_and_is_in_one_bar(self, found: Ensemble) -> None:
        rows = consensus.data(found)
        assert [row["state"] == "answered" for row in rows] == (found.released >= 0).tolist()
        chart = consensus.chart(rows)
        assert np.max([series.y for series in chart.series], axis=0).sum() == 20
        (rule,) = chart.panels[0].rules
        assert rule.x == pytest.approx(18 / 40 * 10 - 0.5)

    def test_without_a_gate_there_is_no_threshold(self) -> None:
        chart = consensus.chart(consensus.data(ensemble(gate_sigma=0.0)))
        assert not chart.panels[0].rules

    def test_querying_that_ended(self) -> None:
        rows = consensus.data(ensemble(limit=0.5, at_limit="stop"))
        states = [row["state"] for row in rows]
        assert "not asked any more" in states
        assert states == sorted(states, key=lambda state: state == "not asked any more")
