"""What an attack came to: area, rates and their intervals."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm, ttest_1samp

from privgraph.attacks.outcome import Ahead, difference, mean_interval, outcome, untied


def test_numbers_by_hand() -> None:
    scores = np.array([4.0, 3.0, 1.0, 2.0, 0.0, 1.0])
    found = outcome(scores, np.array([True, True, True, False, False, False]))
    assert (found.members, found.others) == (3, 3)
    assert found.area == pytest.approx(7.5 / 9)
    assert found.balanced_accuracy == pytest.approx(5 / 6)
    assert [rate.true for rate in found.rates] == [pytest.approx(2 / 3)] * 3, "no stranger may be above"
    # three others show no rate of one in a thousand: nothing from below, from above all that pass the best
    exact = binomtest(2, 3).proportion_ci(0.975, method="exact")
    assert (found.rates[0].low, found.rates[0].high) == pytest.approx((0.0, exact.high))


def test_intervals_of_rates_cover() -> None:
    """Of 300 pairs of normal samples, as many cover the true rate as are promised, at every false one."""
    inside, shift = np.zeros(3), 1.5
    for seed in range(300):
        draw = np.random.default_rng(seed)
        scores = np.concatenate([draw.normal(shift, 1, 150), draw.normal(0, 1, 400)])
        for place, rate in enumerate(outcome(scores, np.arange(550) < 150).rates):
            inside[place] += rate.low <= norm.sf(norm.isf(rate.false) - shift) <= rate.high
    assert (inside >= 285 - 11).all()


@pytest.mark.parametrize("shift", [0.0, 2.5])
def test_the_interval_of_the_area_covers(shift: float) -> None:
    truth, inside = norm.cdf(shift / np.sqrt(2)), 0
    for seed in range(300):
        draw = np.random.default_rng(seed)
        scores = np.concatenate([draw.normal(shift, 1, 60), draw.normal(0, 1, 90)])
        found = outcome(scores, np.arange(150) < 60)
        inside += found.area_low <= truth <= found.area_high
    assert 275 <= inside <= 297


@pytest.mark.parametrize(
    ("scores", "members", "said"),
    [
        ([1.0, np.nan, 0.0, 0.0], [1, 1, 0, 0], "not a number"),
        ([1.0, 0.0, 0.0], [1, 0, 0], "two members and two others"),
        ([1.0, 0.0], [1, 0, 0], "one shape"),
    ],
)
def test_what_cannot_be_judged_is_refused(scores: list[float], members: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        outcome(np.array(scores), np.array(members, dtype=bool))


def test_the_mean_over_models_has_students_interval() -> None:
    areas = (0.61, 0.64, 0.68, 0.71)
    mean, low, high = mean_interval(areas, 0.9)
    exact = ttest_1samp(areas, 0.5).confidence_interval(0.9)
    assert (mean, low, high) == pytest.approx((np.mean(areas), exact.low, exact.high))
    assert mean_interval((0.9, 0.99), 0.95)[2] == 1.0, "no area is larger"
    with pytest.raises(ValueError, match="two of them"):
        mean_interval((0.6,))


def test_a_difference_has_an_interval_that_covers() -> None:
    """Of means of normal samples, whose intervals are symmetric, and of shares, whose are not."""
    assert difference((0.8, 0.7, 0.85), (0.6, 0.56, 0.62)) == pytest.approx(
        (0.2, 0.2 - np.hypot(0.1, 0.02), 0.2 + np.hypot(0.05, 0.04))
    )
    draw, inside = np.random.default_rng(0), 0
    for _ in range(400):
        one, other = draw.normal(0.7, 0.1, 8), draw.normal(0.6, 0.05, 8)
        _, low, high = difference(mean_interval(one.tolist()), mean_interval(other.tolist()))
        inside += low <= 0.1 <= high
    assert 0.93 <= inside / 400 <= 0.99


def test_equal_scores_are_told_apart_by_coins_and_find_what_a_guess_finds() -> None:
    members = np.arange(4000) % 2 == 0
    found = outcome(np.zeros(4000), members)
    assert found.area == 0.5
    for rate in found.rates:
        assert rate.low <= rate.true <= rate.high
        assert abs(rate.true - rate.false) < 4 * np.sqrt(rate.false / 2000)
    # nearly all are equal: the interval stands around the rate and not beside it
    few = np.where(np.arange(4000) < 40, 1.0, 0.0)
    for rate in outcome(few, members).rates:
        assert rate.low <= rate.true <= rate.high < 0.2
    scores = np.array([3.0, 1.0, 1.0, 2.0])
    assert untied(scores)[[0, 3]].tolist() == [3.0, 2.0]
    assert sorted(untied(scores)[[1, 2]]) == [0.0, 1.0]
    assert (untied(scores) == untied(scores)).all()


def test_who_stands_before_all_others_by_chance() -> None:
    """The count and its chance, against orders by coins: where all have one law, 5% at most are beyond."""
    draw = np.random.default_rng(0)
    for but in (0, 3):
        counts = np.array([
            (draw.random(60) > np.partition(draw.random(20), 19 - but)[19 - but]).sum() for _ in range(4000)
        ])  # fmt: skip
        asked = [Ahead(members=60, others=20, but=but, found=int(one)) for one in range(61)]
        assert (
            asked[0].by_chance == pytest.approx(counts.mean(), abs=0.2) == pytest.approx(60 * (but + 1) / 21, abs=0.2)
        )
        for one in (0, 1, 5, 20, 60):
            assert asked[one].p == pytest.approx((counts >= one).mean(), abs=0.03)
        assert sum(asked[one].beyond_chance for one in counts) / len(counts) <= 0.055
