"""Membership scores, each against its formula by hand, and what they tell of models that remember."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm, t

from privgraph.attacks.outcome import outcome
from privgraph.attacks.scores import bavaria, lira, prior, rmia, threshold
from privgraph.attacks.signals import Shadows, on_one_scale, scaled_confidence

MEMBERS = np.array([[True, False], [True, True], [False, True], [False, False], [True, False], [False, True]])
SIGNALS = np.array([[3.0, 0.0], [5.0, 2.0], [1.0, 4.0], [0.0, 1.0], [4.0, -1.0], [2.0, 3.0]])
SHADOWS = Shadows(signals=SIGNALS, members=MEMBERS)
TARGET = np.array([3.5, 0.5])
IN = np.array([[3.0, 5.0, 4.0], [2.0, 4.0, 3.0]])
OUT = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]])


class Played:
    """Targets of one model, half of them members by a fair coin, and shadow models of the same kind.

    A member's signal is `memory` higher. Each target has its own difficulty and its own spread over models.
    """

    def __init__(self, seed: int, *, memory: float, models: int = 16, targets: int = 200, queries: int = 1) -> None:
        draw = np.random.default_rng(seed)
        self.members = draw.random(targets) < 0.5
        shadow_members = draw.random((models, targets)) < 0.5
        shadow_members[:2], shadow_members[2:4] = True, False
        difficulty, spread = draw.normal(0, 3, targets), draw.uniform(0.5, 2, targets)

        def signals(members: NDArray[np.bool_]) -> NDArray[np.float64]:
            noise = draw.normal(size=(*members.shape, queries))
            return (difficulty + memory * members)[..., None] + spread[:, None] * noise

        self.target = signals(self.members[None])[0]
        self.shadows = Shadows(signals=signals(shadow_members), members=shadow_members)


class TestSignals:
    def test_the_signal_is_the_log_odds_of_the_true_class(self) -> None:
        draw = np.random.default_rng(0)
        logits, labels = draw.normal(size=(4, 7, 3)), draw.integers(0, 3, 7)
        chances = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
        own = chances[:, np.arange(7), labels]
        assert scaled_confidence(logits, labels) == pytest.approx(np.log(own / (1 - own)))

    def test_a_probability_of_one_in_floats_has_a_finite_signal(self) -> None:
        assert scaled_confidence(np.array([[800.0, 0.0, 0.0]]), np.array([0])) == pytest.approx(800 - np.log(2))

    def test_one_scale_takes_away_what_a_whole_model_has(self) -> None:
        draw = np.random.default_rng(0)
        signals = draw.normal(size=(3, 50, 2))
        moved = on_one_scale(signals * draw.uniform(1, 9, (3, 1, 2)) + draw.normal(0, 9, (3, 1, 2)))
        assert moved == pytest.approx(on_one_scale(signals))
        assert moved.mean(1) == pytest.approx(0, abs=1e-12)
        assert moved.std(1) == pytest.approx(1)
        assert (on_one_scale(np.full((1, 4, 1), 3.0)) == 0).all()

    @pytest.mark.parametrize(
        ("logits", "said"), [(np.zeros((2, 1)), "two classes"), (np.array([[np.nan, 0.0]] * 2), "finite")]
    )
    def test_what_has_no_signal_is_refused(self, logits: NDArray[np.float64], said: str) -> None:
        with pytest.raises(ValueError, match=said):
            scaled_confidence(logits, np.zeros(2, dtype=np.int64))


class TestByHand:
    def test_threshold(self) -> None:
        assert threshold(np.array([[1.0, 2.0], [0.0, -1.0]])).tolist() == [1.5, -0.5]

    def test_lira_with_each_targets_own_variance(self) -> None:
        expected = norm.logpdf(TARGET, IN.mean(1), IN.std(1, ddof=1)) - norm.logpdf(
            TARGET, OUT.mean(1), OUT.std(1, ddof=1)
        )
        assert lira(TARGET, SHADOWS) == pytest.approx(expected)

    def test_lira_with_one_variance_within_all_targets(self) -> None:
        inside, outside = (np.sqrt(side.var(1, ddof=1).mean()) for side in (IN, OUT))
        expected = norm.logpdf(TARGET, IN.mean(1), inside) - norm.logpdf(TARGET, OUT.mean(1), outside)
        assert lira(TARGET, SHADOWS, variance="pooled") == pytest.approx(expected)

    def test_lira_offline_counts_deviations_above_the_models_without(self) -> None:
        expected = (TARGET - OUT.mean(1)) / OUT.std(1, ddof=1)
        assert lira(TARGET, SHADOWS, online=False) == pytest.approx(expected)
        inside_forgotten = Shadows(signals=np.where(MEMBERS, 99.0, SIGNALS), members=MEMBERS)
        assert lira(TARGET, inside_forgotten, online=False) == pytest.approx(expected)

    def test_queries_are_added_up(self) -> None:
        twice = Shadows(signals=np.stack([SIGNALS, SIGNALS], axis=2), members=MEMBERS)
        both = np.stack([TARGET, TARGET], axis=1)
        for score in (lira, bavaria):
            assert score(both, twice) == pytest.approx(2 * score(TARGET, SHADOWS))

    @pytest.mark.parametrize(("gamma", "online"), [(0.6, True), (1.5, True), (0.5, False)])
    def test_rmia(self, gamma: float, online: bool) -> None:
        def chance(signal: NDArray[np.float64]) -> NDArray[np.float64]:
            return 1 / (1 + np.exp(-signal))

        population = np.array([0.0, 1.0, -4.0])
        outside = np.array([[0.5, 2.0, 3.0], [-0.5, 1.0, 2.0]])
        without = chance(OUT).mean(1)
        usual = (chance(IN).mean(1) + without) / 2 if online else (1.3 * without + 0.7) / 2
        ratios = chance(TARGET) / usual
        others = chance(population) / chance(outside).mean(0)
        expected = [(ratio / others >= gamma).mean() for ratio in ratios]
        found = rmia(TARGET, SHADOWS, population, outside, gamma=gamma, online=online)
        assert found.tolist() == pytest.approx(expected)

    def test_a_tie_of_ratios_is_dominated_at_a_gamma_of_one(self) -> None:
        """At least gamma, and not more than it: whom a model says the same of as of itself counts."""
        same = Shadows(signals=np.ones(MEMBERS.shape), members=MEMBERS)
        found = rmia(np.array([1.0, 0.0]), same, np.ones(5), np.ones((len(MEMBERS), 5)), gamma=1.0)
        assert found.tolist() == [1.0, 0.0]

    def test_bavaria_where_variances_differ_has_as_many_degrees_as_prior_and_models(self) -> None:
        draw = np.random.default_rng(5)
        members = np.arange(10)[:, None] < np.full(6, 5)
        signals = draw.normal(size=(10, 6)) * np.array([0.02, 0.2, 1.0, 3.0, 9.0, 30.0])
        target = draw.normal(size=6)
        logs = []
        for side in (signals[:5], signals[5:]):
            middle, squares = side.mean(0), ((side - side.mean(0)) ** 2).sum(0)
            held = prior(np.full(6, 5), middle, squares)
            assert 0.1 < held.degrees < 20, "else the number of models would not show"
            models, degrees = held.models + 5, held.degrees + 5
            place = (held.models * held.mean + 5 * middle) / models
            total = held.degrees * held.scale + squares + held.models * 5 / models * (middle - held.mean) ** 2
            logs.append(t.logpdf(target, degrees, place, np.sqrt(total / degrees * (1 + 1 / models))))
        found = bavaria(target, Shadows(signals=signals, members=members))
        assert found == pytest.approx(logs[0] - logs[1])

    def test_what_noise_spreads_means_by_is_no_spread_of_targets(self) -> None:
        """Variance 2 of three models spreads their means by 2/3: what is above that is the prior's."""
        means = np.array([-1.0, 0.0, 1.0, 2.0])
        held = prior(np.full(4, 3), means, np.full(4, 4.0))
        assert held.models == pytest.approx(2 / (means.var(ddof=1) - 2 / 3))

    def test_a_prior_is_found_again(self) -> None:
        draw = np.random.default_rng(3)
        targets, models, degrees, scale = 4000, 6, 9.0, 2.5
        variance = degrees * scale / draw.chisquare(degrees, targets)
        middle = draw.normal(1.5, np.sqrt(variance / 0.5))
        seen = draw.normal(middle, np.sqrt(variance), (models, targets))
        squares = ((seen - seen.mean(0)) ** 2).sum(0)
        held = prior(np.full(targets, models), seen.mean(0), squares)
        assert held.mean == pytest.approx(1.5, abs=0.15)
        assert held.models == pytest.approx(0.5, rel=0.2)
        assert held.degrees == pytest.approx(degrees, rel=0.2)
        assert held.scale == pytest.approx(scale, rel=0.05)

    def test_equal_variances_are_pooled(self) -> None:
        draw = np.random.default_rng(4)
        seen = draw.normal(0, 1.5, (5, 3000)) + draw.normal(0, 50, 3000)
        held = prior(np.full(3000, 5), seen.mean(0), ((seen - seen.mean(0)) ** 2).sum(0))
        assert held.degrees > 100
        assert held.scale == pytest.approx(2.25, rel=0.05)
        assert held.models < 0.01


SCORES: dict[str, Callable[[Played], NDArray[np.float64]]] = {
    "threshold": lambda played: threshold(played.target),
    "lira": lambda played: lira(played.target, played.shadows),
    "pooled": lambda played: lira(played.target, played.shadows, variance="pooled"),
    "offline": lambda played: lira(played.target, played.shadows, online=False),
    "bavaria": lambda played: bavaria(played.target, played.shadows),
    "rmia": lambda played: rmia(
        played.target, played.shadows, played.target[:50], played.shadows.queries[:, :50], gamma=1.2
    ),
}


class TestModelsThatRemember:
    @pytest.mark.parametrize("queries", [1, 3])
    def test_planted_memory_is_seen_by_every_attack_that_knows_the_difficulty(self, queries: int) -> None:
        played = Played(0, memory=8.0, queries=queries)
        for score in (lira, bavaria):
            for online in (True, False):
                assert outcome(score(played.target, played.shadows, online=online), played.members).area > 0.97
        for variance in ("each", "pooled"):
            assert outcome(lira(played.target, played.shadows, variance=variance), played.members).area > 0.97
        alone = outcome(threshold(played.target), played.members).area
        assert 0.8 < alone < 0.98, "without shadow models, a difficult member looks like an easy stranger"

    @pytest.mark.parametrize("name", SCORES)
    def test_a_model_that_never_saw_the_targets_tells_nothing(self, name: str) -> None:
        """The interval of the area holds 0.5 about as often as it says, and so do the rates."""
        inside, rates = 0, np.zeros(3)
        for seed in range(200):
            found = outcome(SCORES[name](Played(seed, memory=0.0)), Played(seed, memory=0.0).members)
            inside += found.area_low <= 0.5 <= found.area_high
            rates += [rate.true for rate in found.rates]
        assert 180 <= inside <= 199
        assert rates / 200 == pytest.approx([0.005, 0.015, 0.05], abs=0.012)

    def test_a_target_among_its_own_shadow_models_is_seen_though_nothing_leaks(self) -> None:
        """What the test above is there to find."""
        outside = 0
        for seed in range(200):
            played = Played(seed, memory=0.0)
            cheating = Shadows(
                signals=np.concatenate([played.shadows.signals, played.target[None]]),
                members=np.concatenate([played.shadows.members, played.members[None]]),
            )
            found = outcome(lira(played.target, cheating), played.members)
            outside += not found.area_low <= 0.5 <= found.area_high
        assert outside > 150
