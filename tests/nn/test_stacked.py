"""Stacked networks against plain ones: the same arithmetic, member by member."""

from collections.abc import Callable, Sequence

import pytest
import torch
from tests.torch_threads import threads
from torch import Tensor, nn

from privgraph.nn import training
from privgraph.nn.inputs import Inputs, PerMember, Shared
from privgraph.nn.layers import EVALUATION, BatchNorm, GroupNorm, Layer, Linear, Relu, Selu, Tanh, UnitLinear, UnitNorm
from privgraph.nn.stacked import StackedNet, mlp_layers
from privgraph.nn.training import fit_full_batch

N, F, C = 60, 7, 3


class _Norm(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.normalize(x, p=2, dim=-1)


class _Branches(nn.Module):
    """The slow twin: one ordinary module a layer, autograd, one member."""

    def __init__(self, net: StackedNet, member: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList(_sequential(branch, member) for branch in net.branches)
        self.trunk = _sequential(net.trunk, member)

    def forward(self, inputs: Sequence[Tensor]) -> Tensor:
        outputs = [branch(x) for branch, x in zip(self.branches, inputs, strict=True)]
        return self.trunk(torch.cat(outputs, 1))


def _sequential(layers: Sequence[Layer], member: int) -> nn.Sequential:
    def linear(layer: Layer) -> nn.Module:
        module = nn.Linear(layer.in_features, layer.out_features)
        module.weight.data = layer.parameters[0][member].clone()
        module.bias.data = layer.parameters[1][member].squeeze(1).clone()
        return module

    kinds: dict[type[Layer], Callable[[Layer], nn.Module]] = {
        Linear: linear,
        Selu: lambda layer: nn.SELU(),
        Relu: lambda layer: nn.ReLU(),
        Tanh: lambda layer: nn.Tanh(),
        BatchNorm: lambda layer: nn.BatchNorm1d(layer.out_features, dtype=torch.float64),
        GroupNorm: lambda layer: nn.GroupNorm(1, layer.out_features, dtype=torch.float64),
        UnitLinear: lambda layer: nn.Sequential(_Norm(), linear(layer)),
        UnitNorm: lambda layer: _Norm(),
    }
    return nn.Sequential(*(kinds[type(layer)](layer) for layer in layers))


def _problem(members: int, seed: int = 0) -> tuple[list[Inputs], Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shared = torch.randn(N, F, generator=generator, dtype=torch.float64)
    own = torch.randn(members, 5, N, generator=generator, dtype=torch.float64)
    labels = torch.randint(C, (N,), generator=generator)
    order = torch.stack([torch.randperm(N, generator=generator) for _ in range(members)])
    return (
        [Shared(rows=shared, columns=shared.t().contiguous()), PerMember(own)],
        labels,
        order < 40,
        (order >= 40) & (order < 50),
    )


def _net(members: int, norm: str, activation: str, layers: int = 2, *, fused: bool = True) -> StackedNet:
    head: list[Layer] = [UnitLinear(12, C)] if fused else [UnitNorm(12), Linear(12, C)]
    net = StackedNet(
        [
            mlp_layers(F, 6, layers, norm=norm, activation=activation),
            mlp_layers(5, 6, layers, norm=norm, activation=activation),
        ],
        head,
        members=members,
        dtype=torch.float64,
    )
    net.initialise([torch.Generator().manual_seed(100 + member) for member in range(members)])
    return net


@pytest.mark.parametrize(
    ("norm", "activation", "layers", "fused", "padded"),
    [
        ("batch", "selu", 1, True, False),
        ("group", "relu", 2, False, False),
        ("none", "tanh", 2, True, True),
        ("batch", "relu", 2, False, True),
        ("group", "selu", 2, True, True),
    ],
)
def test_a_member_trains_as_an_ordinary_module_with_torch_adam(
    norm: str, activation: str, layers: int, fused: bool, padded: bool
) -> None:
    members, epochs = 3, 8
    inputs, labels, train, val = _problem(members)
    if padded:  # members of different sizes
        for member in range(members):
            train[member, train[member].nonzero().squeeze(1)[: 3 * member]] = False
            val[member, val[member].nonzero().squeeze(1)[:member]] = False
    net = _net(members, norm, activation, layers, fused=fused)
    twins = [_Branches(net, member) for member in range(members)]
    rates = torch.tensor([0.01, 0.03, 0.05], dtype=torch.float64)
    records = list(
        fit_full_batch(
            net, inputs, labels, train_masks=train, val_masks=val, learning_rates=rates, epochs=epochs, selection="last"
        )
    )
    for member, twin in enumerate(twins):
        shared, own = inputs
        tables = [shared.rows, own.values[member].t()]
        rows = train[member]
        optimiser = torch.optim.Adam(twin.parameters(), lr=float(rates[member]))
        for record in records:
            twin.train()
            optimiser.zero_grad()
            loss = nn.functional.cross_entropy(twin([table[rows] for table in tables]), labels[rows])
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            assert float(record.loss[member]) == pytest.approx(float(loss.detach()), rel=1e-9)
            twin.eval()
            with torch.no_grad():
                predicted = twin([table[val[member]] for table in tables]).argmax(1)
            assert float(record.val_accuracy[member]) == pytest.approx(
                float((predicted == labels[val[member]]).double().mean())
            )
        with torch.no_grad():
            expected = twin(tables).t()
        torch.testing.assert_close(net.forward(inputs, EVALUATION)[member], expected, rtol=1e-7, atol=1e-8)


def test_threads_over_members_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    monkeypatch.setattr(training, "NUMBERS_A_THREAD", 1)
    for count in (1, 3):
        with threads(count):
            net = _net(4, "batch", "selu")
            inputs, labels, train, val = _problem(4)
            assert len(training._cuts(net, N)) == count + 1
            rates = torch.tensor([0.01, 0.02, 0.03, 0.04])
            records = list(
                fit_full_batch(net, inputs, labels, train_masks=train, val_masks=val, learning_rates=rates, epochs=5)
            )
            assert torch.get_num_threads() == count
            assert [len(record.loss) for record in records] == [4] * 5
            results.append((net.parameters, torch.stack([record.val_accuracy for record in records])))
    torch.testing.assert_close(results[0][0], results[1][0], rtol=1e-9, atol=1e-10)
    torch.testing.assert_close(results[0][1], results[1][1])


def test_a_tie_is_not_right() -> None:
    """A network that says nothing has accuracy 0 and not 1: it must not be chosen."""
    inputs, labels, train, val = _problem(1)
    net = _net(1, "none", "selu")
    net.parameters.zero_()
    first = next(
        fit_full_batch(net, inputs, labels, train_masks=train, val_masks=val, learning_rates=torch.zeros(1), epochs=1)
    )
    assert float(first.train_accuracy) == float(first.val_accuracy) == 0


def test_training_mode_needs_no_rows_outside_the_mask() -> None:
    inputs, labels, train, val = _problem(2)
    shared = inputs[0]
    spoilt = shared.rows.clone()
    spoilt[~(train | val).any(0)] = 1e3
    results = []
    for rows in (shared.rows, spoilt):
        net = StackedNet([mlp_layers(F, 6, 2)], [Linear(6, C)], members=2, dtype=torch.float64)
        net.initialise([torch.Generator().manual_seed(s) for s in range(2)])
        table: Inputs = Shared(rows=rows, columns=rows.t().contiguous())
        list(
            fit_full_batch(
                net, [table], labels, train_masks=train, val_masks=val, learning_rates=torch.full((2,), 0.01), epochs=5
            )
        )
        results.append(net.parameters)
    torch.testing.assert_close(results[0], results[1])
