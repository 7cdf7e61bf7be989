"""Private gradients: the factored route against Opacus and against batches of one; clipping, noise, empty
batches."""

import math
from collections.abc import Sequence

import pytest
import torch
from tests.secrets_made_here import secret
from torch import Tensor, nn

from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.gradients import NORMS, PrivateGradients, clip_factors, sums_margin
from privgraph.mechanisms.per_example import per_example_gradients
from privgraph.mechanisms.validity import MixesExamples
from privgraph.nn.inputs import PerMember
from privgraph.nn.layers import GroupNorm, Layer, Linear, Pass, Selu, UnitLinear, UnitNorm
from privgraph.nn.stacked import StackedNet, mlp_layers

MEMBERS, BATCH, FEATURES, HIDDEN, CLASSES = 3, 9, 5, 6, 4


class _Unit(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.normalize(x, dim=-1)


class _Twin(nn.Module):
    """One member as ordinary modules."""

    def __init__(self, net: StackedNet, member: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList(_modules(branch, member) for branch in net.branches)
        self.trunk = _modules(net.trunk, member)

    def forward(self, *inputs: Tensor) -> Tensor:
        parts = [branch(x) for branch, x in zip(self.branches, inputs, strict=True)]
        result: Tensor = self.trunk(torch.cat(parts, 1))
        return result


def _modules(layers: Sequence[Layer], member: int) -> nn.Sequential:
    modules: list[nn.Module] = []
    for layer in layers:
        if isinstance(layer, Linear):
            linear = nn.Linear(layer.in_features, layer.out_features)
            linear.weight.data = layer.parameters[0][member].clone()
            linear.bias.data = layer.parameters[1][member].squeeze(1).clone()
            modules.append(linear)
        elif isinstance(layer, GroupNorm):
            norm = nn.GroupNorm(1, layer.out_features)
            norm.weight.data = layer.parameters[0][member].squeeze(1).clone()
            norm.bias.data = layer.parameters[1][member].squeeze(1).clone()
            modules.append(norm)
        elif isinstance(layer, Selu):
            modules.append(nn.SELU())
        elif isinstance(layer, UnitLinear):
            head = nn.Linear(layer.in_features, layer.out_features)
            head.weight.data = layer.parameters[0][member].clone()
            head.bias.data = layer.parameters[1][member].squeeze(1).clone()
            modules += [_Unit(), head]
        else:
            assert isinstance(layer, UnitNorm)
            modules.append(_Unit())
    return nn.Sequential(*modules)


def _net(norm: str = "group", members: int = MEMBERS, *, fused: bool = True) -> StackedNet:
    head: list[Layer] = [UnitLinear(2 * HIDDEN, CLASSES)]
    if not fused:
        head = [UnitNorm(2 * HIDDEN), Linear(2 * HIDDEN, CLASSES)]
    net = StackedNet(
        [mlp_layers(FEATURES, HIDDEN, 2, norm=norm), mlp_layers(3, HIDDEN, 1, norm=norm)],
        head,
        members=members,
        dtype=torch.float64,
    )
    net.initialise([torch.Generator().manual_seed(seed) for seed in range(members)])
    net.parameters.add_(
        torch.randn(net.parameters.shape, generator=torch.Generator().manual_seed(9), dtype=torch.float64), alpha=0.1
    )
    return net


def _batch(members: int = MEMBERS) -> tuple[list[Tensor], Tensor]:
    generator = torch.Generator().manual_seed(1)
    tables = [
        torch.randn(members, width, BATCH, generator=generator, dtype=torch.float64) * 3 for width in (FEATURES, 3)
    ]
    return tables, torch.randint(CLASSES, (members, BATCH), generator=generator)


def _backward(net: StackedNet, tables: Sequence[Tensor], labels: Tensor) -> None:
    """As training does: the gradient of each example's own cross-entropy."""
    logits = net.forward([PerMember(table) for table in tables], Pass(training=True))
    gradient = logits.softmax(1)
    gradient.scatter_add_(1, labels.unsqueeze(1), -torch.ones_like(labels, dtype=gradient.dtype).unsqueeze(1))
    net.backward(gradient)


def _one_at_a_time(twin: nn.Module, tables: Sequence[Tensor], labels: Tensor) -> Tensor:
    """(B, P): each example's gradient from a batch of one, by autograd."""
    per_example = []
    for example in range(labels.numel()):
        loss = nn.functional.cross_entropy(
            twin(*[table[:, example : example + 1].t() for table in tables]), labels[example : example + 1]
        )
        gradients = torch.autograd.grad(loss, list(twin.parameters()))
        per_example.append(torch.cat([gradient.flatten() for gradient in gradients]))
    return torch.stack(per_example)


@pytest.mark.parametrize("fused", [True, False])
def test_norms_and_clipped_sums_equal_those_of_batches_of_one(fused: bool) -> None:
    net, (tables, labels) = _net(fused=fused), _batch()
    _backward(net, tables, labels)
    norms = net.squared_norms().sqrt()
    clips = torch.tensor([0.3, 1.0, 100.0], dtype=torch.float64)
    factors = clip_factors(norms.square(), clips)
    net.accumulate(factors)
    assert (factors[0] < 1).any()
    assert (factors[2] == 1).all()
    for member in range(MEMBERS):
        each = _one_at_a_time(_Twin(net, member), [table[member] for table in tables], labels[member])
        torch.testing.assert_close(norms[member], each.norm(dim=1), rtol=1e-9, atol=1e-12)
        clipped = each * (clips[member] / (each.norm(dim=1) * (1 + NORMS) + 1e-6)).clamp_max(1).unsqueeze(1)
        torch.testing.assert_close(net.gradients[member], clipped.sum(0), rtol=1e-9, atol=1e-12)


def _release(net: StackedNet, valid: Tensor, *, noise: float, clip: float = 1.0, seed: int = 0) -> Tensor:
    mechanisms = [PrivateGradients(clip=clip, noise_multiplier=noise, rate=0.1, expected_batch=4.0)] * MEMBERS
    PrivateGradients.release(mechanisms, net, valid, [secret(seed + m) for m in range(MEMBERS)])
    return net.gradients.clone()


def test_adding_any_example_moves_the_sum_by_at_most_the_clip() -> None:
    net, (tables, labels) = _net(), _batch()
    tables[0][:, :, 0] *= 1e6  # an outlier
    _backward(net, tables, labels)
    everyone = torch.ones(MEMBERS, BATCH, dtype=torch.bool)
    whole = _release(net, everyone, noise=0.0, clip=0.7) * 4
    largest = 0.0
    for example in range(BATCH):
        without = everyone.clone()
        without[:, example] = False
        moved = (_release(net, without, noise=0.0, clip=0.7) * 4 - whole).norm(dim=1)
        largest = max(largest, float(moved.max()))
    assert 0.7 / (1 + NORMS) - 1e-4 < largest <= 0.7


def test_padding_does_not_count() -> None:
    net, (tables, labels) = _net(), _batch()
    valid = torch.ones(MEMBERS, BATCH, dtype=torch.bool)
    valid[:, 5:] = False
    _backward(net, tables, labels)
    padded = _release(net, valid, noise=1.0)
    _backward(net, [table[:, :, :5].contiguous() for table in tables], labels[:, :5])
    torch.testing.assert_close(padded, _release(net, valid[:, :5], noise=1.0))


def test_an_empty_batch_is_noise_alone() -> None:
    net, (tables, labels) = _net(), _batch()
    _backward(net, tables, labels)
    nobody = torch.zeros(MEMBERS, BATCH, dtype=torch.bool)
    released = _release(net, nobody, noise=2.0, clip=3.0)
    noise = GaussianNoise(std=2.0 * 3.0 * sums_margin(4.0), sensitivity=3.0)
    torch.testing.assert_close(released[1], noise.add_(torch.zeros_like(released[1]), secret(1)) / 4.0)
    assert 1 < sums_margin(4.0) < 1.005


def test_members_have_clips_and_noise_of_their_own() -> None:
    net, (tables, labels) = _net(), _batch()
    settings = [(0.2, 1.0, 4.0), (0.5, 2.0, 3.0), (0.1, 3.0, 8.0)]
    mechanisms = [
        PrivateGradients(clip=clip, noise_multiplier=multiplier, rate=0.1, expected_batch=expected)
        for clip, multiplier, expected in settings
    ]
    everyone = torch.ones(MEMBERS, BATCH, dtype=torch.bool)
    _backward(net, tables, labels)
    PrivateGradients.release(mechanisms, net, everyone, [secret(member) for member in range(MEMBERS)])
    together = net.gradients.clone()
    for member, (clip, multiplier, expected) in enumerate(settings):
        _backward(net, tables, labels)
        clipped = _release(net, everyone, noise=0.0, clip=clip)[member] * 4
        noise = GaussianNoise(std=multiplier * clip * sums_margin(expected), sensitivity=clip)
        torch.testing.assert_close(together[member], noise.add_(clipped, secret(member)) / expected)


@pytest.mark.parametrize("absurd", [math.nan, math.inf, 1e200])
def test_a_gradient_that_is_not_finite_counts_as_zero_and_changes_no_other(absurd: float) -> None:
    net, (tables, labels) = _net(), _batch()
    tables[0][1, :, 2] = absurd
    _backward(net, tables, labels)
    assert not bool(torch.isfinite(net.squared_norms()[1, 2]))
    everyone = torch.ones(MEMBERS, BATCH, dtype=torch.bool)
    released = _release(net, everyone, noise=0.0)
    assert bool(torch.isfinite(released).all())
    tables[0][1, :, 2] = 0
    _backward(net, tables, labels)
    without = everyone.clone()
    without[1, 2] = False
    torch.testing.assert_close(released, _release(net, without, noise=0.0))


def test_the_divisor_is_the_expected_batch_not_the_drawn_one() -> None:
    net, (tables, labels) = _net(), _batch()
    _backward(net, tables, labels)
    full = _release(net, torch.ones(MEMBERS, BATCH, dtype=torch.bool), noise=0.0)
    one = torch.zeros(MEMBERS, BATCH, dtype=torch.bool)
    parts = []
    for example in range(BATCH):
        only = one.clone()
        only[:, example] = True
        parts.append(_release(net, only, noise=0.0))
    torch.testing.assert_close(torch.stack(parts).sum(0), full)


def test_batch_norm_has_no_per_example_gradients() -> None:
    net, (tables, labels) = _net("batch"), _batch()
    _backward(net, tables, labels)
    with pytest.raises(MixesExamples, match="use GroupNorm"):
        net.squared_norms()
    with pytest.raises(MixesExamples, match="use GroupNorm"):
        net.accumulate(torch.ones(MEMBERS, BATCH))


@pytest.mark.parametrize("name", ["clip", "noise_multiplier", "rate", "expected_batch"])
@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_a_mechanism_cannot_be_built_wrong(name: str, value: float) -> None:
    good = {"clip": 1.0, "noise_multiplier": 1.0, "rate": 0.5, "expected_batch": 8.0}
    with pytest.raises(ValueError, match=f"PrivateGradients.{name}"):
        PrivateGradients(**(good | {name: value}))


def test_a_clip_among_subnormal_numbers_is_refused() -> None:
    """There the steps of numbers are as large as they are, and a sum moved by 3.6 clips."""
    with pytest.raises(ValueError, match="clip must be at least"):
        PrivateGradients(clip=1e-41, noise_multiplier=1.0, rate=1.0, expected_batch=1.0)


def _module() -> nn.Module:
    torch.manual_seed(0)
    module = nn.Sequential(
        nn.Linear(5, 8), nn.SELU(), nn.GroupNorm(1, 8), nn.Linear(8, 6), nn.Tanh(), nn.LayerNorm(6), nn.Linear(6, 3)
    )
    return module.double()


def test_opacus_agrees_with_batches_of_one() -> None:
    pytest.importorskip("opacus")
    generator = torch.Generator().manual_seed(1)
    examples = torch.randn(7, 5, generator=generator, dtype=torch.float64)
    labels = torch.randint(3, (7,), generator=generator)
    module = _module()
    loop = per_example_gradients(module, examples, labels, route="loop")
    hooks = per_example_gradients(module, examples, labels, route="opacus")
    assert loop.shape == (7, sum(parameter.numel() for parameter in module.parameters()))
    torch.testing.assert_close(hooks, loop, rtol=1e-6, atol=1e-9)
    again = per_example_gradients(module, examples, labels)  # the hooks are gone: a second time works
    torch.testing.assert_close(again, loop, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("route", ["opacus", "loop", "auto"])
def test_modules_that_mix_examples_are_refused_on_every_route(route: str) -> None:
    module = nn.Sequential(nn.Linear(5, 3), nn.BatchNorm1d(3))
    with pytest.raises(MixesExamples, match="BatchNorm1d"):
        per_example_gradients(module, torch.randn(4, 5), torch.zeros(4, dtype=torch.int64), route=route)


def test_an_unknown_route_is_refused() -> None:
    with pytest.raises(ValueError, match="route must be one of"):
        per_example_gradients(_module(), torch.randn(4, 5), torch.zeros(4, dtype=torch.int64), route="fast")
