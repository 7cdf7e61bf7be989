"""Audits as figures: curves against claims, scores of both datasets, bounds; and two figures of the
HeterPoisson paper."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from tests.figures.made_audits import audit

from privgraph.audits.bounds import threshold_bound
from privgraph.audits.one_run import one_run_epsilon
from privgraph.audits.record import Bound
from privgraph.privacy.kinds import Adversary, Route
from privgraph.privacy.pld import gaussian_curve
from privgraph_workbench.figures.audits import audit_bounds, audit_roc, audit_scores


class TestCurves:
    def test_no_claim_is_stricter_than_the_law_and_together_they_are_it(self) -> None:
        mu = 1.3
        epsilons = np.linspace(0, 8, 400)
        deltas = gaussian_curve(epsilons, mu)
        for false in (0.001, 0.02, 0.3, 0.7):
            best = float(norm.sf(norm.isf(false) - mu))
            allowed = [audit_roc.frontier(false, *pair) for pair in zip(epsilons, deltas, strict=True)]
            assert min(allowed) >= best - 1e-9
            assert min(allowed) == pytest.approx(best, abs=1e-3)

    @pytest.mark.parametrize("noise", [0.4, 1.0, 5.0])
    def test_plain_gaussian_noise_has_its_own_curve_within_the_claim(self, noise: float) -> None:
        record = audit(noise=noise)
        rows = [row for row in audit_roc.data(record) if row["curve"] == "gaussian"]
        assert rows[0]["mu"] == pytest.approx(1 / noise, rel=1e-3)
        assert rows[0]["mu"] >= 1 / noise
        for row in rows:
            assert row["true"] <= audit_roc.frontier(row["false"], record.sound, record.delta) + 1e-9
            if 0 < row["false"] < 1:
                assert row["true"] == pytest.approx(norm.sf(norm.isf(row["false"]) - row["mu"]))

    def test_the_published_claim_has_a_gaussian_curve_that_a_refuting_attack_crosses(self) -> None:
        record = audit(noise=0.5, published=2.0)
        assert record.refutes_published
        rows = audit_roc.data(record)
        of = {curve: [row for row in rows if row["curve"] == curve] for curve in ("gaussian", "gaussian_published")}
        sound, published = ({row["false"]: row["true"] for row in held} for held in of.values())
        assert all(published[false] <= sound[false] for false in sound), "it claims more, and so allows less"
        (mu,) = {row["mu_published"] for row in rows}
        assert float(gaussian_curve(np.array([2.0]), mu)[0]) == pytest.approx(record.delta, rel=1e-4)
        beyond = [
            true - np.interp(false, list(published), list(published.values()))
            for false, true in zip(record.roc_false, record.roc_true, strict=True)
        ]
        assert max(beyond) > 0.1, "the bound exceeds the claim, and so does the curve its line"
        names = [one.name for one in audit_roc.chart(rows).series]
        assert len([name for name in names if "allows no more" in name]) == 2, "one line for each claim"

    @pytest.mark.parametrize("scale", audit_roc.SCALES)
    def test_a_band_says_how_far_the_curve_lies_by_chance(self, scale: str) -> None:
        """It holds the attack's own curve, the law's, and is as wide as its trials are few."""
        widths = {}
        for trials in (400, 4000):
            record = audit(noise=1.0, trials=trials)
            rows = [row for row in audit_roc.data(record, scale) if row["curve"] == "band"]
            assert {row["true"] for row in rows} == {None}
            places = np.array([row["false"] for row in rows])
            low, high = (np.array([row[end] for row in rows]) for end in ("low", "high"))
            own = np.interp(places, record.roc_false, record.roc_true)
            assert ((low <= own + 1e-9) & (own <= high + 1e-9)).all()
            law = norm.sf(norm.isf(places) - 1)
            assert np.mean((low <= law) & (law <= high)) > 0.9
            widths[trials] = float(np.interp(0.2, places, high - low))
        assert 2 < widths[400] / widths[4000] < 5, "a tenth of the trials: about three times as wide"

    def test_other_noise_has_no_gaussian_curve(self) -> None:
        sampled = replace(audit(), audit="white-box")  # its Gaussian route is that of one step, on a sample
        laplace = replace(audit(), bounds=audit().bounds[:1])
        for record in (sampled, laplace, audit(claimed=math.inf)):
            rows = audit_roc.data(record)
            assert "gaussian" not in {row["curve"] for row in rows}
            assert rows[0]["mu"] is None


class TestScores:
    def test_what_both_datasets_share_is_one_less_their_distance(self) -> None:
        rows = audit_scores.data(audit(noise=1.0, trials=20_000))
        expected = 2 * norm.sf(0.5)  # of two normal laws at distance 1
        shared = sum(min(row["share_with"], row["share_without"]) for row in rows)
        assert shared == pytest.approx(expected, abs=0.03)


class TestBounds:
    def test_bounds_are_rounded_towards_caution(self) -> None:
        record = replace(audit(published=None, claimed=1.00001), epsilon=0.98769)
        record = replace(record, bounds=(replace(record.bounds[0], epsilon=0.98769),))
        told = [one.split("\n")[-1] for one in audit_bounds.chart(audit_bounds.data(record)).panels[0].y.categories]
        assert told == ["≥ 0.987", "≤ 1.001", "no formula"]

    @pytest.mark.parametrize("trials", [400, 4000])
    def test_the_most_that_so_many_trials_could_show_is_marked(self, trials: int) -> None:
        """That of an attack which is never wrong, which a bound may reach and cannot exceed."""
        rows = audit_bounds.data(audit(noise=0.5, trials=trials))
        (mark,) = (one for one in audit_bounds.chart(rows).series if one.kind == "points")
        wrong = np.zeros(trials // 2)
        shown = threshold_bound(wrong + 1, wrong, delta=1e-5, confidence=0.975)
        assert mark.x == (pytest.approx(shown.epsilon),)
        assert mark.x[0] >= rows[0]["epsilon"]  # type: ignore[operator]
        canaries = replace(
            audit(trials=trials), adversary=Adversary.CANARIES, bounds=(Bound(route=Route.ONE_RUN, epsilon=0.5),)
        )
        (row, *_) = audit_bounds.data(canaries)
        included = np.arange(trials) < trials // 2
        best = one_run_epsilon(included.astype(float), included, 1e-5, 0.95)
        assert row["most"] == pytest.approx(best)
