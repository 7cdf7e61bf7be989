"""What a canary may do in a step: by enumeration, by frequency, and against what the accountants say of the
same steps."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import norm

from privgraph.audits.canaries import Shifts, shifts_of
from privgraph.mechanisms.entries import replaced_gradient_entry
from privgraph.methods.gradients.dp_gnn.config import step_event
from privgraph.privacy.accountants import tight
from privgraph.privacy.composition import gaussian_epsilon
from privgraph.privacy.events import Gaussian, PoissonSampled, Repeated
from privgraph.privacy.pld import epsilon_from_below

CASES = [
    Shifts(rate=0.3),
    Shifts(rate=1.0),
    Shifts(rate=0.3, own=False, others=1),
    Shifts(rate=0.25, others=3),
    Shifts(rate=0.25, others=3, exclusive=True),
    Shifts(rate=1.0, others=2),
]


def enumerated(shifts: Shifts) -> Counter[tuple[float, float]]:
    """Chances of (with the unit, without it), from one gradient in [-C, C] each: every coin by itself."""
    chances: Counter[tuple[float, float]] = Counter()
    for coins in itertools.product((0, 1), repeat=int(shifts.own) + shifts.others):
        chance = float(np.prod([shifts.rate if coin else 1 - shifts.rate for coin in coins]))
        own = coins[0] if shifts.own else 0
        others = coins[int(shifts.own) :]
        there = [-1.0 if shifts.exclusive and own else 1.0 for coin in others if coin]
        chances[own + sum(there), sum(-1.0 for coin in others if coin)] += chance
    return Counter({pair: chance for pair, chance in chances.items() if chance})


@pytest.mark.parametrize("shifts", CASES, ids=str)
def test_the_laws_of_both_datasets_by_enumerating_all_coins(shifts: Shifts) -> None:
    expected = enumerated(shifts)
    found: Counter[tuple[float, float]] = Counter()
    for present, absent, chance in zip(*(column.tolist() for column in shifts.table), strict=True):
        found[present, absent] += chance
    assert found == pytest.approx(expected)
    for dataset, (values, chances) in enumerate(shifts.laws):
        alone: Counter[float] = Counter()
        for pair, chance in expected.items():
            alone[pair[dataset]] += chance
        assert dict(zip(values.tolist(), chances.tolist(), strict=True)) == pytest.approx(dict(alone))


@pytest.mark.parametrize("shifts", CASES, ids=str)
def test_draws_follow_the_laws(shifts: Shifts) -> None:
    generator = np.random.default_rng(3)
    present, absent = shifts.draw(lambda rate: generator.random(40_000) < rate)
    seen = Counter(zip(present.tolist(), absent.tolist(), strict=True))
    expected = enumerated(shifts)
    assert set(seen) <= set(expected)
    assert max(abs(seen[pair] / 40_000 - chance) for pair, chance in expected.items()) < 5 * 0.5 / 200


@pytest.mark.parametrize("shifts", CASES, ids=str)
def test_the_score_is_the_log_of_a_ratio_of_densities(shifts: Shifts) -> None:
    x, scale = np.linspace(-4, 6, 11), 1.7
    present, absent = np.zeros(11), np.zeros(11)
    for (there, gone), chance in enumerated(shifts).items():
        present += chance * norm.pdf(x, there, scale)
        absent += chance * norm.pdf(x, gone, scale)
    assert shifts.log_ratio(x, scale) == pytest.approx(np.log(present / absent))


@pytest.mark.long
@pytest.mark.parametrize(
    ("rate", "noise", "steps", "delta"), [(1.0, 5.0, 1, 1e-5), (0.3, 2.0, 10, 1e-2), (0.05, 1.0, 300, 1e-5)]
)
def test_the_least_epsilon_of_sampled_gaussians_lies_just_below_what_is_proved(
    rate: float, noise: float, steps: int, delta: float
) -> None:
    proved = tight().epsilon(
        Repeated(event=PoissonSampled(rate=rate, event=Gaussian(noise_multiplier=noise)), count=steps), delta
    )
    assert 0.995 * proved < Shifts(rate=rate).least_epsilon(noise, steps, delta) < proved


def test_the_least_epsilon_of_a_replaced_record_lies_just_below_what_is_proved_of_it() -> None:
    entry = replaced_gradient_entry(0.5, 3.0, 0.2, "training", 50)
    assert shifts_of(entry) == Shifts(rate=0.2, own=False, others=1)
    proved = tight().epsilon(Repeated(event=entry.event, count=50), 1e-4)
    assert 0.995 * proved < Shifts(rate=0.2, own=False, others=1).least_epsilon(3.0, 50, 1e-4) < proved


def test_the_least_epsilon_of_subgraphs_lies_just_below_what_is_proved_of_them() -> None:
    shifts = Shifts(rate=0.2, others=2)
    proved = tight().epsilon(Repeated(event=step_event(6.0, 2, 0.2), count=20), 1e-4)
    assert 0.995 * proved < shifts.least_epsilon(6.0, 20, 1e-4) < proved
    # Where everybody is drawn for certain, nothing is hidden, and the two are the same.
    certain = tight().epsilon(Repeated(event=step_event(20.0, 2, 1.0), count=5), 1e-4)
    assert 0.995 * certain < Shifts(rate=1.0, others=2).least_epsilon(20.0, 5, 1e-4) < certain
    assert shifts.least_epsilon(6.0, 20, 1e-4) > shifts.least_epsilon(7.0, 20, 1e-4)


@pytest.mark.long
@pytest.mark.parametrize("delta", [1e-10, 1e-5, 3.98e-3])
@pytest.mark.parametrize(("steps", "mu"), [(1, 0.3), (1000, 4.0), (10_000, 0.05), (100_000, 0.01)])
def test_what_is_shown_of_plain_gaussians_is_never_more_than_is_true(steps: int, mu: float, delta: float) -> None:
    """However many steps, and however small delta or epsilon: the closed form, and losses composed from
    below."""
    law, noise, true = Shifts(rate=1.0), math.sqrt(steps) / mu, gaussian_epsilon(mu, delta)
    shown = law.least_epsilon(noise, steps, delta)
    assert true * (1 - 1e-6) <= shown <= true
    below = epsilon_from_below(law._pair(noise), steps, delta, true)
    assert below <= true
    if steps <= 1000 and true > 0.1:
        assert below > 0.98 * true


@pytest.mark.parametrize(("rate", "others", "steps"), [(1.0, 0, 1), (0.3, 0, 20), (0.01, 4, 200)])
@pytest.mark.parametrize("noise", [0.0, 1e-9, 0.02])
@pytest.mark.long
def test_noise_that_is_all_but_missing_shows_very_much_and_never_infinitely_much(
    noise: float, rate: float, others: int, steps: int
) -> None:
    """What the accountant cannot resolve is infinite as a bound from above, and would be no bound from
    below."""
    shown = Shifts(rate=rate, others=others).least_epsilon(noise, steps, 1e-5)
    assert 100 < shown < math.inf
    if rate == 1 and noise:
        assert shown < gaussian_epsilon(math.sqrt(steps) / noise, 1e-5)


@pytest.mark.parametrize("delta", [0.0, 1e-14])
def test_a_delta_below_all_rounding_shows_at_least_what_a_larger_one_does(delta: float) -> None:
    shifts = Shifts(rate=0.3)
    assert shifts.least_epsilon(2.0, 10, 1e-5) < shifts.least_epsilon(2.0, 10, delta) < math.inf
