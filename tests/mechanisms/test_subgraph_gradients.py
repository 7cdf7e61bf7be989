"""Private gradients of subgraphs: what is clipped, summed, hidden and shown."""

import dataclasses
import math
from collections.abc import Callable

import pytest
import torch
from tests.secrets_made_here import secret
from torch import Tensor

from privgraph.mechanisms.gradients import NORMS
from privgraph.mechanisms.subgraph_gradients import SubgraphGradients
from privgraph.privacy.events import NonPrivate, SampledSubgraphs
from privgraph.privacy.serialisation import entry_from_json, entry_to_json

MECHANISM = SubgraphGradients(
    clip=0.5, noise_multiplier=4.0, rate=0.25, neighbours=2, largest_degree=99, exclusive=False, expected_batch=10.0
)
SILENT = dataclasses.replace(MECHANISM, noise_multiplier=0.0)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@dataclasses.dataclass
class Given:
    """Gradients (B, P) that are simply there."""

    each: Tensor

    def squared_norms(self) -> Tensor:
        return self.each.square().sum(1)

    def add_to(self, total: Tensor, factors: Tensor) -> None:
        total += (self.each * factors.unsqueeze(1)).nan_to_num(0.0).sum(0)


@dataclasses.dataclass
class Watching:
    """Adds a canary, and keeps what it saw."""

    canary: Tensor
    before: list[Tensor] = dataclasses.field(default_factory=list)
    seen: list[Tensor] = dataclasses.field(default_factory=list)

    def join(self, total: Tensor, clip: float) -> None:
        assert clip == 0.5
        self.before.append(total.clone())
        total += self.canary

    def see(self, released: Tensor) -> None:
        self.seen.append(released.clone())


def released(mechanism: SubgraphGradients, *parts: Tensor, seed: int = 0, observer: Watching | None = None) -> Tensor:
    total = torch.full((3000,), 7.0)  # what stood there before does not count
    mechanism.release([Given(part) for part in parts], total, secret(seed), observer)
    return total


def test_clipped_gradients_are_summed_over_all_parts() -> None:
    each = torch.randn(6, 3000, generator=generator()) * torch.tensor([1e-3, 1e-2, 1, 10, 0, 1e6]).unsqueeze(1)
    clipped = each / (each.norm(dim=1, keepdim=True) * (1 + NORMS) / 0.5).clamp_min(1)
    assert torch.allclose(released(SILENT, each), clipped.sum(0) / 10, atol=1e-6)
    assert torch.allclose(released(SILENT, each[:2], each[2:]), clipped.sum(0) / 10, atol=1e-6)
    assert 0.499 < float(released(SILENT, each[-1:]).double().norm()) * 10 <= 0.5


def test_what_is_not_finite_counts_as_zero() -> None:
    each = torch.randn(3, 3000, generator=generator())
    broken = each.clone()
    broken[1, 5] = math.nan
    huge = each.clone()
    huge[1] = 1e30  # its norm overflows
    without = released(SILENT, each[[0, 2]])
    assert torch.allclose(released(SILENT, broken), without, atol=1e-7)
    assert torch.allclose(released(SILENT, huge), without, atol=1e-7)


@pytest.mark.parametrize("parts", [[], [torch.zeros(0, 3000)], [torch.zeros(2, 3000)]])
def test_noise_of_an_empty_sample_has_the_planned_scale(parts: list[Tensor]) -> None:
    found = released(MECHANISM, *parts) * 10

    def fits(scale: float) -> bool:
        return abs(float(found.std()) / scale - 1) < 0.1 and abs(float(found.mean())) < 5 * scale / 3000**0.5

    assert fits(2.0)
    assert not fits(2.0 * 2 / 3)
    assert not fits(3.0)


def test_fresh_noise_for_every_release_and_the_same_for_the_same_seed() -> None:
    total, noise = torch.zeros(3000), secret(1)
    MECHANISM.release([], total, noise)
    first = total.clone()
    MECHANISM.release([], total, noise)
    assert abs(float(torch.corrcoef(torch.stack([first, total]))[0, 1])) < 0.1
    assert torch.equal(first, released(MECHANISM, seed=1))


def test_spherical_laplace_noise_has_one_scale_a_release() -> None:
    mechanism = dataclasses.replace(MECHANISM, noise="spherical-laplace")
    scales = torch.stack([(released(mechanism, seed=seed) * 10).std() / 2 for seed in range(300)])
    assert float(scales.square().mean()) == pytest.approx(1, abs=0.25)
    assert float(scales.std()) > 0.3, "the square root of an exponential scale"


def test_an_observer_comes_before_the_noise_and_sees_what_is_released() -> None:
    each = torch.randn(2, 3000, generator=generator()) * 1e-3
    canary = torch.zeros(3000)
    canary[4] = 0.5
    watching = Watching(canary)
    shown = released(MECHANISM, each, observer=watching)
    assert torch.allclose(watching.before[0], each.sum(0), atol=1e-7)
    assert torch.allclose(watching.seen[0], shown * 10)
    silent = Watching(torch.zeros(3000))
    assert torch.equal(released(MECHANISM, each, observer=silent), released(MECHANISM, each))
    assert torch.allclose(shown - released(MECHANISM, each), canary / 10, atol=1e-6)


def test_what_it_says_of_itself() -> None:
    event = MECHANISM.event()
    assert event == SampledSubgraphs(rate=0.25, neighbours=2, noise_multiplier=4.0, largest_degree=99, exclusive=False)
    entry = MECHANISM.entry("training", 7)
    assert (entry.event, entry.count, entry.noise_std, entry.sensitivity) == (event, 7, 2.0, 0.5)
    assert entry_from_json(entry_to_json(entry)) == entry
    assert isinstance(SILENT.event(), NonPrivate)
    assert isinstance(dataclasses.replace(MECHANISM, noise="spherical-laplace").event(), NonPrivate)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"clip": 0.0}, "clip must be positive"),
        ({"expected_batch": math.inf}, "expected_batch must be positive"),
        ({"noise_multiplier": -1.0}, "noise_multiplier must not be negative"),
        ({"rate": 0.0}, "rate must lie in"),
        ({"noise": "laplace"}, "noise must be one of"),
    ],
)
def test_wrong_values_are_refused_by_name(wrong: dict[str, object], message: str) -> None:
    make: Callable[..., SubgraphGradients] = dataclasses.replace
    with pytest.raises(ValueError, match=message):
        make(MECHANISM, **wrong)
