"""Laplace noise on numbers: its scale, its shape, its lattice; and that an audit tells noise that is too
small."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import kstest, laplace, norm
from tests.secrets_made_here import KEY, secret

from privgraph.audits.bounds import threshold_bound
from privgraph.audits.games.additive import AdditiveGame
from privgraph.audits.games.base import Dice
from privgraph.audits.games.table import parts
from privgraph.audits.options import Subject
from privgraph.lattice import step_of
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.laplace import LaplaceNoise
from privgraph.mechanisms.spherical_laplace import SphericalLaplaceNoise
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import NonPrivate, Repeated
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry
from privgraph.registry import METHODS
from privgraph.streams import Secret
from privgraph.testing.methods import FACTS

DRAWS = 20_000


@pytest.mark.parametrize("scale", [0.3, 2.0, 40.0])
def test_the_noise_has_the_scale_and_shape_that_it_says(scale: float) -> None:
    """Kolmogorov-Smirnov at 1e-6: noise of 2/3 or 3/2 of the scale differs by 0.09 in distribution, 0.02 is
    seen."""
    noise = LaplaceNoise(scale=scale, sensitivity=1.0).noisy(np.full(DRAWS, 7.0), Secret(KEY, 0, "noise/test")) - 7.0
    assert kstest(noise, laplace(scale=scale).cdf).pvalue > 1e-6
    for wrong in (2 / 3, 3 / 2):
        assert kstest(noise, laplace(scale=wrong * scale).cdf).pvalue < 1e-6
    assert kstest(noise, "norm", args=(0, math.sqrt(2) * scale)).pvalue < 1e-6


def test_what_is_released_lies_on_the_lattice_of_the_noise_whatever_the_numbers_are() -> None:
    mechanism = LaplaceNoise(scale=1.0, sensitivity=1.0)
    numbers = np.array([0.1, 1 / 3, math.pi, 1e6, math.nan, -0.0])
    released = mechanism.noisy(numbers, Secret(KEY, 1, "noise/test"))
    steps = released / step_of(1.0 + 1e-9)
    assert np.array_equal(steps, np.round(steps))
    assert np.isfinite(released).all()


def test_its_standard_deviation_is_that_of_what_is_drawn() -> None:
    """20,000 draws: known to 0.8%."""
    mechanism = LaplaceNoise(scale=3.0, sensitivity=1.0)
    drawn = mechanism.noisy(np.zeros(DRAWS), Secret(KEY, 2, "noise/test"))
    assert mechanism.std == pytest.approx(drawn.std(), rel=0.05)


@pytest.mark.parametrize("wrong", [{"scale": 0.0}, {"scale": math.inf}, {"sensitivity": -1.0}])
def test_numbers_that_cannot_be_are_refused_by_name(wrong: dict[str, float]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        LaplaceNoise(**{"scale": 1.0, "sensitivity": 1.0, **wrong})


@pytest.mark.parametrize(
    "mechanism", [LaplaceNoise(scale=6.0, sensitivity=2.0), GaussianNoise(std=6.0, sensitivity=2.0)]
)
def test_an_entry_is_played_with_its_own_noise_and_sensitivity(mechanism: LaplaceNoise | GaussianNoise) -> None:
    entry = LedgerEntry(
        kind=MechanismKind.ADDITIVE,
        mechanism="noise on numbers",
        stage="numbers",
        event=mechanism.event(),
        count=3,
        noise_std=mechanism.std,
        sensitivity=mechanism.sensitivity,
    )
    config = METHODS["gap"].load_config()()
    said = replace(config.plan(FACTS).statement, ledger=(entry,))
    (part,) = parts(Subject(run="run", method="gap", config=config, statement=said, graph=lambda: None))
    assert isinstance(part.game, AdditiveGame)
    assert part.count == 3
    played = part.game.mechanism
    assert type(played) is type(mechanism)
    assert (played.std, played.sensitivity) == pytest.approx((mechanism.std, mechanism.sensitivity))
    assert tight().epsilon(played.event(), 1e-3) == pytest.approx(tight().epsilon(entry.event, 1e-3))


@pytest.mark.parametrize("kind", [LaplaceNoise, GaussianNoise])
def test_a_game_of_several_releases_shows_most_of_what_all_of_them_cost(kind: type) -> None:
    size = "scale" if kind is LaplaceNoise else "std"
    mechanism = kind(**{size: 4.0, "sensitivity": 1.0})
    one, all_four = (tight().epsilon(Repeated(event=mechanism.event(), count=count), 1e-2) for count in (1, 4))
    game = AdditiveGame(mechanism=mechanism)
    worlds = [game.play(present, 20_000, 4, Dice(seed=4, name=f"{present}")) for present in (True, False)]
    assert one < 0.7 * all_four < threshold_bound(*worlds, delta=1e-2, confidence=0.95).epsilon <= all_four


@pytest.mark.parametrize("kind", [LaplaceNoise, GaussianNoise])
def test_a_game_shows_no_more_than_holds_and_refutes_two_thirds_of_the_noise(kind: type) -> None:
    """One release with noise of the sensitivity: 40,000 trials show 80% of what holds; 2/3 of the noise is
    refuted."""
    size = "scale" if kind is LaplaceNoise else "std"
    claimed = tight().epsilon(kind(**{size: 1.0, "sensitivity": 1.0}).event(), 1e-2)
    shown = {}
    for share in (1.0, 2 / 3):
        game = AdditiveGame(mechanism=kind(**{size: share, "sensitivity": 1.0}))
        datasets = [game.play(present, 20_000, 1, Dice(seed=3, name=f"{present}")) for present in (True, False)]
        shown[share] = threshold_bound(*datasets, delta=1e-2, confidence=0.95).epsilon
    assert 0.8 * claimed < shown[1.0] <= claimed
    assert shown[2 / 3] > claimed


def draws(count: int, width: int, std: float, seed: int = 0) -> torch.Tensor:
    stream = secret(seed)
    noise = SphericalLaplaceNoise(std=std)
    return torch.stack([noise.add_(torch.zeros(width), stream) for _ in range(count)])


def test_a_coordinate_is_laplace_with_its_standard_deviation() -> None:
    found = draws(6000, 2, 3.0)[:, 0].double().numpy()
    assert kstest(found, laplace(scale=3.0 / math.sqrt(2)).cdf).pvalue > 1e-3
    for wrong in (2.0, 4.5):
        assert kstest(found, laplace(scale=wrong / math.sqrt(2)).cdf).pvalue < 1e-3
    assert kstest(found, norm(scale=3.0).cdf).pvalue < 1e-3


def test_one_scale_serves_all_coordinates() -> None:
    """The mean square of many coordinates is std^2 W with W ~ Exp(1): a release tells the scale of its own
    noise."""
    noise = draws(1500, 800, 2.0).double()
    scales = (noise.square().mean(1) / 4).numpy()
    assert kstest(scales, "expon").pvalue > 1e-3
    apart = torch.randn(1500, 800, generator=torch.Generator().manual_seed(1)).square().mean(1).numpy()
    assert kstest(apart, "expon").pvalue < 1e-3
    divided = (noise / noise.square().mean(1, keepdim=True).sqrt()).flatten()[:20_000].numpy()
    assert kstest(divided, "norm").pvalue > 1e-3


def test_every_release_has_a_scale_of_its_own() -> None:
    found = draws(400, 50, 1.0).double()
    squares = found.square().mean(1)
    assert abs(float(torch.corrcoef(torch.stack([squares[:-1], squares[1:]]))[0, 1])) < 0.2


def test_nothing_is_guaranteed() -> None:
    event = SphericalLaplaceNoise(std=5.0).event()
    assert isinstance(event, NonPrivate)
    assert "spherical Laplace" in event.reason
    assert math.isinf(tight().epsilon(event, 1e-5))


def test_bounds() -> None:
    values = torch.ones(3)
    assert SphericalLaplaceNoise(std=0.0).add_(values, secret()) is values
    assert torch.equal(values, torch.ones(3))
    for wrong in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="std must not be negative"):
            SphericalLaplaceNoise(std=wrong)
