"""Lower bounds: they hold as often as they say, they fail where a confidence is wrongly labelled, and they
show much."""

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.figures.made_audits import audit

from privgraph.audits.bounds import at_least, at_most, gaussian_bound, least_shift, shared_confidence, threshold_bound
from privgraph.audits.one_run import one_run_epsilon, p_value
from privgraph.audits.record import AuditRecord
from privgraph.privacy.composition import gaussian_epsilon
from privgraph.studies import canary_bounds

Array = NDArray[np.float64]


def test_limits_are_those_of_clopper_and_pearson() -> None:
    for hits, trials, level in ((0, 20, 0.025), (3, 20, 0.025), (20, 20, 0.1), (999, 1000, 1e-4)):
        exact = stats.binomtest(hits, trials).proportion_ci(1 - 2 * level, method="exact")
        assert float(at_least(hits, trials, level)) == pytest.approx(exact.low, abs=1e-12)
        assert float(at_most(hits, trials, level)) == pytest.approx(exact.high, abs=1e-12)


def one_sided(generator: np.random.Generator, trials: int) -> tuple[Array, Array]:
    """With the unit always 1, without it 1 with chance 1/2: exactly (0, 1/2)-private, and 1 is what shows
    it."""
    return np.ones(trials), (generator.random(trials) < 0.5).astype(np.float64)


def exceeds(confidence: float, repetitions: int) -> int:
    """How often the bound on `one_sided` at delta 1/2 is above the truth, which is 0."""
    generator = np.random.default_rng(3)
    found = 0
    for _ in range(repetitions):
        present, absent = one_sided(generator, 20_000)
        found += threshold_bound(present, absent, delta=0.5, confidence=confidence).epsilon > 0
    return found


def test_a_bound_at_95_percent_is_wrong_in_at_most_5_percent_and_one_at_80_is_not() -> None:
    assert exceeds(0.95, 500) <= 25
    assert exceeds(0.8, 500) > 25, "the test is too weak to notice a wrong label"


def test_all_audits_of_a_run_together_err_as_seldom_as_they_say() -> None:
    """The largest of 20 at 50%, where nothing is to be seen: wrong in at most half of all runs, and in most
    if nothing is shared."""
    generator, audits, repetitions = np.random.default_rng(8), 20, 60
    shared, alone = 0, 0
    for _ in range(repetitions):
        trials = [one_sided(generator, 2000) for _ in range(audits)]
        largest = [
            max(
                threshold_bound(*datasets, delta=0.5, confidence=confidence(turn)).epsilon
                for turn, datasets in enumerate(trials, start=1)
            )
            for confidence in (lambda turn: shared_confidence(0.5, turn), lambda turn: 0.5)
        ]
        shared, alone = shared + (largest[0] > 0), alone + (largest[1] > 0)
    assert stats.binom.sf(shared - 1, repetitions, 0.5) > 0.01
    assert stats.binom.sf(alone - 1, repetitions, 0.5) < 1e-6, (
        "the test is too weak to notice bounds that share nothing"
    )


def test_shares_of_what_may_go_wrong_never_exceed_it() -> None:
    for confidence in (0.5, 0.95, 0.9999):
        spent = sum(1 - shared_confidence(confidence, turn) for turn in range(1, 10_000))
        assert 0.999 * (1 - confidence) < spent < 1 - confidence
    with pytest.raises(ValueError, match="turn must lie between 0 and"):
        shared_confidence(0.9, -1)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_randomised_response_is_never_overstated_and_mostly_shown(epsilon: float) -> None:
    generator = np.random.default_rng(4)
    honest = math.exp(epsilon) / (1 + math.exp(epsilon))
    lower_bounds = []
    for _ in range(100):
        present = (generator.random(4000) < honest).astype(np.float64)
        absent = (generator.random(4000) < 1 - honest).astype(np.float64)
        lower_bounds.append(threshold_bound(present, absent, delta=0.0, confidence=0.95).epsilon)
    assert np.sum(np.array(lower_bounds) > epsilon) <= 5
    assert np.median(lower_bounds) > 0.7 * epsilon


@pytest.mark.parametrize("bound", [threshold_bound, gaussian_bound])
def test_a_gaussian_is_never_overstated(bound: Callable[..., object]) -> None:
    generator, delta = np.random.default_rng(5), 1e-3
    truth = gaussian_epsilon(1.0, delta)
    lower_bounds = np.array(
        [
            bound(generator.normal(1, 1, 600), generator.normal(0, 1, 600), delta=delta, confidence=0.95).epsilon  # type: ignore[attr-defined]
            for _ in range(150)
        ]
    )
    assert (lower_bounds > truth).sum() <= 7
    assert np.median(lower_bounds) > (0.55 if bound is gaussian_bound else 0.15) * truth
    assert np.median(lower_bounds) < truth


@pytest.mark.parametrize("order", ["higher", "lower", "reversed"])
def test_every_tail_and_either_order_of_the_datasets_is_tried(order: str) -> None:
    """What only one event shows is found: a rare value in one dataset and never in the other."""
    generator = np.random.default_rng(7)
    rare = np.where(generator.random(4000) < 0.2, 9.0, generator.normal(size=4000))
    common = generator.normal(size=4000)
    present, absent = (common, rare) if order == "reversed" else (rare, common)
    sign = -1.0 if order == "lower" else 1.0
    shown = threshold_bound(sign * present, sign * absent, delta=1e-5, confidence=0.95)
    assert shown.epsilon > 4
    assert shown.event.above == (order != "lower")
    assert shown.event.with_unit == (order != "reversed")


def test_the_best_of_several_scores_is_found_and_infinite_ones_are_scores_too() -> None:
    generator = np.random.default_rng(8)
    present, absent = generator.normal(size=(2, 2000, 3))
    present[:, 1] = np.inf
    shown = threshold_bound(present, absent, delta=0.0, confidence=0.95)
    assert shown.event.column == 1
    assert shown.epsilon == pytest.approx(math.log(0.025 ** (1 / 1000) / (1 - 0.025 ** (1 / 1000))))
    for wrong in (np.full(10, np.nan), np.zeros(3)):
        with pytest.raises(ValueError, match=r"not a number|four trials"):
            threshold_bound(wrong, wrong, delta=0.0, confidence=0.95)
    with pytest.raises(ValueError, match="confidence"):
        threshold_bound(absent, absent, delta=0.0, confidence=1.0)


# One run, many canaries


def test_one_run_without_leakage_shows_nothing_and_with_all_of_it_much() -> None:
    generator = np.random.default_rng(10)
    included = generator.random(1000) < 0.5
    assert one_run_epsilon(generator.normal(size=1000), included, 1e-5, 0.95) < 0.5
    assert one_run_epsilon(included.astype(np.float64), included, 0.0, 0.95) > 3.5
    assert one_run_epsilon(included.astype(np.float64), included, 0.5, 0.95) == 0  # delta explains anything
    with pytest.raises(ValueError, match="score and a coin"):
        one_run_epsilon(np.zeros(3), np.zeros(2, dtype=bool), 0.0, 0.95)


def leaky(epsilon: float, delta: float, confidence: float, repetitions: int, told: float | None = None) -> Array:
    """Bounds at delta, or at `told`, from canaries that answer by randomised response; with chance delta each
    tells all."""
    generator = np.random.default_rng(12)
    honest = math.exp(epsilon) / (1 + math.exp(epsilon))
    lower_bounds = []
    for _ in range(repetitions):
        included = generator.random(400) < 0.5
        failed = generator.random(400) < delta
        answers = np.where(failed, included, included == (generator.random(400) < honest)).astype(float)
        scores = np.where(failed, 9.0, 1.0) * (2 * answers - 1) + generator.random(400) / 10
        lower_bounds.append(one_run_epsilon(scores, included, delta if told is None else told, confidence))
    return np.array(lower_bounds)


@pytest.mark.long
def test_one_run_covers_where_delta_tells_all_and_a_forgotten_delta_is_noticed() -> None:
    found = leaky(0.5, 0.05, 0.9, 200)
    assert (found > 0.5).sum() <= 20
    assert np.median(leaky(2.0, 0.01, 0.9, 40)) > 0.8
    assert (leaky(0.5, 0.05, 0.9, 200, told=0.0) > 0.5).sum() > 60


@pytest.mark.parametrize(("mu", "sizes"), [(0.3, (40, 70)), (2.0, (12, 9)), (2.0, (300, 300))])
@pytest.mark.long
def test_the_limit_of_a_shift_errs_exactly_as_often_as_it_says(mu: float, sizes: tuple[int, int]) -> None:
    """More often would be wrong, less often would give away what can be shown."""
    generator, trials = np.random.default_rng(13), 600
    limits = np.array(
        [
            least_shift(
                3 + 5 * generator.normal(mu, 1, sizes[0]), 3 + 5 * generator.normal(size=sizes[1]), confidence=0.9
            )
            for _ in range(trials)
        ]
    )
    assert stats.binomtest(int((limits > mu).sum()), trials, 0.1).pvalue > 1e-3
    assert stats.binomtest(int((limits > mu / 1.5).sum()), trials, 0.1).pvalue < 1e-3, "2/3 of it would be seen"


@pytest.mark.parametrize(("size", "gap"), [(4, 3.0), (30, 1.0)])
def test_the_limit_of_a_shift_is_that_of_the_non_central_t(size: int, gap: float) -> None:
    """Against SciPy's distribution, where its series converges."""
    generator = np.random.default_rng(15)
    one, other = generator.normal(gap, 1, size), generator.normal(size=size)
    unit = math.sqrt(2 / size)
    seen = float(stats.ttest_ind(one, other).statistic)
    limit = least_shift(one, other, confidence=0.95)
    if stats.nct.sf(seen, 2 * size - 2, 0) > 0.05:
        assert limit == 0
    else:
        assert stats.nct.sf(seen, 2 * size - 2, limit / unit) == pytest.approx(0.05, rel=1e-4)


def test_a_shift_of_nothing_or_the_other_way_is_none() -> None:
    generator = np.random.default_rng(14)
    one, other = generator.normal(size=(2, 50))
    assert least_shift(one - 3, other, confidence=0.95) == 0
    assert least_shift(np.ones(5), np.ones(5), confidence=0.95) == 0
    assert least_shift(np.zeros(5), np.ones(5), confidence=0.95) == 0
    assert least_shift(np.ones(5), np.zeros(5), confidence=0.95) == math.inf, "no noise is no shift of nothing"
    with pytest.raises(ValueError, match="confidence"):
        least_shift(one, other, confidence=1.0)
    with pytest.raises(ValueError, match="four trials"):
        least_shift(one[:3], other, confidence=0.95)


def test_every_route_stays_below_the_truth_and_all_scores_show_most() -> None:
    """A known Gaussian of epsilon 4 and 400 canaries: means of each route."""
    found = canary_bounds.shown(4.0, 400, delta=1e-4, confidence=0.95, repetitions=2)
    assert set(found) == set(canary_bounds.ROUTES)
    assert all(0 < bound < 4 for bound in found.values())
    assert found["Gaussian, all scores"] > 1.3 * found["Gaussian, an event"] > 1.3 * found["threshold"]


def test_right_guesses_that_are_no_rare_event_show_nothing() -> None:
    """A mechanism that is (0, delta)-private in each of 3 coins: with chance 7 delta it names a uniform guess
    other than all wrong, and else a uniform one. One guess at least is then right more
    often than the sum of the theorem says."""
    delta = 1e-3
    right = 7 * delta + (1 - 7 * delta) * 7 / 8
    assert p_value(3, 3, 1, 0.0, delta) >= right


def test_a_shift_of_scores_that_are_tiny_is_that_of_scores_that_are_not() -> None:
    random = np.random.default_rng(0)
    one, other = random.normal(1, 1, 50), random.normal(0, 1, 50)
    plain = least_shift(one, other, confidence=0.95)
    for scale in (1e-170, 1e-162, 1e150):
        assert least_shift(one * scale, other * scale, confidence=0.95) == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("name", [item.name for item in dataclasses.fields(AuditRecord)])
def test_a_field_of_another_type_is_refused(name: str) -> None:
    stored = audit().to_json()
    for wrong in ({"route": "threshold"}, "nobody's" if name not in ("run", "audit", "title", "score") else 3, [[3]]):
        with pytest.raises(ValueError, match=f"{name}"):
            AuditRecord.from_json({**stored, name: wrong})


def test_a_bound_without_a_number_is_refused() -> None:
    stored = audit().to_json()
    stored["bounds"][0]["epsilon"] = ""
    with pytest.raises(ValueError, match=r"Bound\.epsilon"):
        AuditRecord.from_json(stored)


def test_an_audit_of_another_version_is_refused() -> None:
    for stored in ({**audit().to_json(), "version": 3}, {}, None, []):
        with pytest.raises(ValueError, match="another version"):
            AuditRecord.from_json(stored)  # type: ignore[arg-type]
