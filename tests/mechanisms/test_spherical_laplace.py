"""Spherical Laplace noise: its marginals, its one scale for all coordinates, and that nothing is claimed of
it."""

import math

import pytest
import torch
from scipy.stats import kstest, laplace, norm
from tests.secrets_made_here import secret

from privgraph.mechanisms.spherical_laplace import SphericalLaplaceNoise
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import NonPrivate


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
