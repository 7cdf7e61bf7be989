"""What an audit's trials look like: curves, bands of chance, and how often a guess is right at least."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.figures.made_audits import audit as made_audit

from privgraph.audits.bounds import at_least, at_most, mean_of_shares
from privgraph.audits.roc import area, chance_band, least_area, picture, roc
from privgraph.privacy.kinds import Adversary

Array = NDArray[np.float64]


def test_roc_and_histograms_count_everybody() -> None:
    generator = np.random.default_rng(11)
    present, absent = generator.normal(1, 1, 3000), generator.normal(0, 1, 2000)
    false, true = roc(present, absent)
    assert (false[0], true[0], false[-1], true[-1]) == (0, 0, 1, 1)
    assert (np.diff(false) >= 0).all()
    assert (np.diff(true) >= 0).all()
    assert len(false) <= 410
    assert area(present, absent) == pytest.approx(stats.norm.cdf(1 / math.sqrt(2)), abs=0.02)
    assert area(np.zeros(5), np.zeros(4)) == 0.5
    drawn = picture(np.append(present, np.inf), absent)
    assert sum(drawn.scores_with) == 3001
    assert sum(drawn.scores_without) == 2000
    assert np.interp(0.1, drawn.roc_false, drawn.roc_true) == pytest.approx(stats.norm.sf(1.2816 - 1), abs=0.03)


def test_a_band_of_chance_covers_the_long_run_as_often_as_it_says_and_not_much_more() -> None:
    """Of two Gaussians one apart, whose curve is known."""
    places = np.array([0.0, 0.003, 0.05, 0.3, 0.9, 1.0])
    truth = stats.norm.sf(stats.norm.isf(places) - 1)
    sizes, rounds = (300, 200), 600
    generator = np.random.default_rng(4)
    below = above = np.zeros(len(places))
    widths = []
    for _ in range(rounds):
        curve = roc(generator.normal(1, 1, sizes[0]), generator.normal(0, 1, sizes[1]))
        low, high = chance_band(curve, sizes, places, 0.8)
        assert (low <= high).all()
        assert (np.diff(low) >= 0).all()
        assert (np.diff(high) >= 0).all()
        below, above = below + (truth < low), above + (truth > high)
        widths.append(high - low)
    # a fifth may be missed, a tenth on either side
    assert max(below) <= stats.binom.isf(1e-6, rounds, 0.1)
    assert max(above) <= stats.binom.isf(1e-6, rounds, 0.1)
    assert below[3] + above[3] > 0.01 * rounds, "an interval that never misses says too little"
    assert np.mean(widths, axis=0)[3] < 0.25
    # with trials on the other side a hundred times as many, the width is Clopper and Pearson's alone
    present, absent = np.sort(generator.normal(1, 1, 300)), np.sort(generator.normal(0, 1, 200_000))
    cuts = np.append(np.inf, present[::-1])
    many = (1 - np.searchsorted(absent, cuts) / 200_000, 1 - np.searchsorted(present, cuts) / 300)
    low, high = chance_band(many, (300, 200_000), np.array([0.3]), 0.8)
    hits = round(float(np.interp(0.3, *many)) * 300)
    assert float(low[0]) == pytest.approx(float(at_least(hits, 300, 0.05)), abs=0.02)
    assert float(high[0]) == pytest.approx(float(at_most(hits, 300, 0.05)), abs=0.02)


@pytest.mark.parametrize("law", ["coins", "spread"])
@pytest.mark.parametrize("count", [3, 30])
def test_the_interval_of_a_mean_of_shares_holds_it_whatever_their_law(law: str, count: int) -> None:
    draw = np.random.default_rng(7)
    for p in (0.1, 0.5, 0.8):
        shares = draw.binomial(1, p, (600, count)) if law == "coins" else draw.beta(2 * p, 2 - 2 * p, (600, count))
        ends = np.array([mean_of_shares(float(mean), count, 0.05) for mean in shares.mean(1)])
        assert (ends[:, 0] > p).mean() <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 600)
        assert (ends[:, 1] < p).mean() <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 600)
        assert (ends[:, 1] - ends[:, 0]).mean() < 2.6 * math.sqrt(math.log(20) / (2 * count)), "and is of use"


@pytest.mark.long
def test_how_often_the_worst_case_is_right_at_least_holds_in_the_long_run_and_is_near() -> None:
    """Of Gaussians one standard deviation apart, the right one of two is picked Phi(1/sqrt 2) of the time."""
    true, draw = float(stats.norm.cdf(1 / math.sqrt(2))), np.random.default_rng(0)
    areas = [area(draw.normal(1.0, size=2000), draw.normal(size=2000)) for _ in range(100)]
    played = [replace(made_audit(trials=4000), area=one, epsilon=1.0) for one in areas]
    limits = [least_area(one) or 0.0 for one in played]
    assert max(limits) < true
    assert np.mean(limits) > true - 0.04
    assert np.mean([one.area > true for one in played]) > 0.3, "what was seen is no such limit"


def test_of_canaries_outsiders_and_single_steps_no_such_limit_follows() -> None:
    for adversary in (Adversary.CANARIES, Adversary.OUTSIDER):
        assert least_area(replace(made_audit(), adversary=adversary)) is None
    assert least_area(made_audit(covers="step")) is None
    assert (least_area(replace(made_audit(), turn=3)) or 0.0) < (least_area(made_audit()) or 0.0), "all hold together"


@pytest.mark.parametrize("turn", [0, 2])
def test_how_often_the_worst_case_is_right_at_least_by_hand(turn: int) -> None:
    """Half of the trials are on a dataset, and six scores share what the turn leaves of 5%."""
    limit = least_area(replace(made_audit(trials=4000), area=0.7, turn=turn))
    gap = 0.7 * math.log(0.7 / limit) + 0.3 * math.log(0.3 / (1 - limit))
    assert math.exp(-2000 * gap) == pytest.approx(0.05 / 6 / (6 if turn else 1))
