"""Whatever one record brings, it adds a vector of norm C at most, or nothing: clipping is a total function on
float32."""

import math

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.secrets_made_here import secret

from privgraph.data.graph import Graph
from privgraph.mechanisms.aggregation import unit_rows
from privgraph.mechanisms.gradients import PrivateGradients, sums_margin
from privgraph.methods.gradients.dp_gnn.network import SubgraphNetwork
from privgraph.nn.inputs import PerMember
from privgraph.nn.layers import Layer, Linear, Pass, UnitLinear
from privgraph.nn.stacked import StackedNet, mlp_layers

ABSURD = (0.0, 1e-45, 1e-38, 1e-20, 1.0, 1e6, 1e19, 3.4e38, math.inf, -math.inf, math.nan)
numbers = st.sampled_from(ABSURD)
rows = st.lists(numbers, min_size=4, max_size=4)


def nets(norm: str) -> StackedNet:
    trunk: list[Layer] = [UnitLinear(5, 3)] if norm == "unit" else [Linear(5, 3)]
    layers = mlp_layers(4, 5, 2, norm="none" if norm == "unit" else norm)
    net = StackedNet([layers], trunk, members=1)
    net.initialise([torch.Generator().manual_seed(0)])
    return net


def sum_of(net: StackedNet, x: torch.Tensor, mechanism: PrivateGradients) -> torch.Tensor:
    """The clipped sum of examples x (4, B), without noise, as it would be released."""
    logits = net.forward([PerMember(x.unsqueeze(0))], Pass(training=True))
    gradient = logits.softmax(1)
    gradient[:, 0] -= 1
    net.backward(gradient)
    valid = torch.ones(1, x.shape[1], dtype=torch.bool)
    PrivateGradients.release([mechanism], net, valid, [secret()])
    return net.gradients[0] * mechanism.expected_batch


@pytest.mark.parametrize("norm", ["group", "none", "unit"])
def test_one_record_moves_a_clipped_sum_by_the_clip_at_most(norm: str) -> None:
    net, others = nets(norm), torch.randn(4, 6, generator=torch.Generator().manual_seed(1))
    mechanism = PrivateGradients(clip=0.7, noise_multiplier=0.0, rate=1.0, expected_batch=7.0)
    without = sum_of(net, others, mechanism).clone()

    @settings(max_examples=150, deadline=None, derandomize=True, database=None)
    @given(rows)
    @example([1e19, -1e19, 1e19, 1e19])
    @example([3.4e38, -3.4e38, 3.4e38, 3.4e38])
    def bounded(row: list[float]) -> None:
        found = sum_of(net, torch.cat([others, torch.tensor(row).unsqueeze(1)], 1), mechanism)
        assert torch.isfinite(found).all()
        assert float((found - without).norm()) <= 0.7 * (1 + 1e-4)

    bounded()


def test_one_node_moves_the_sum_over_subgraphs_by_the_clip_for_each_that_holds_it() -> None:
    generator = torch.Generator().manual_seed(2)
    x = torch.randn(6, 4, generator=generator)
    subgraphs = torch.tensor([[0, 5, 1], [1, 2, -1], [2, 3, 5], [3, -1, -1]])
    labels = torch.tensor([0, 1, 2, 0])
    network = SubgraphNetwork(4, 5, 3)
    network.initialise(generator)
    mechanism = PrivateGradients(clip=0.7, noise_multiplier=0.0, rate=1.0, expected_batch=1.0)

    def released(row: list[float]) -> torch.Tensor:
        moved = x.clone()
        moved[5] = torch.tensor(row)
        network.backward(moved, subgraphs, labels)
        PrivateGradients.release([mechanism], network, torch.ones(1, 4, dtype=torch.bool), [secret()])
        return network.gradients[0].clone()

    before = released([0.0] * 4)

    @settings(max_examples=100, deadline=None, derandomize=True, database=None)
    @given(rows)
    @example([1e19, -1e19, 1e19, 1e19])
    def bounded(row: list[float]) -> None:
        found = released(row)
        assert torch.isfinite(found).all()
        assert float((found - before).norm()) <= 2 * 2 * 0.7 * (1 + 1e-4)  # two subgraphs hold node 5

    bounded()


def test_where_parts_of_a_gradient_cancel_their_rounding_counts() -> None:
    """Two nodes of a subgraph with the same large features and opposite gradients: what is left of them is
    rounding."""
    network, x = SubgraphNetwork(4, 5, 3), torch.full((2, 4), 1e4)
    part, nothing = torch.tensor([[[0.3], [-0.3]]]).expand(1, 2, 5), torch.zeros(1, 5)
    network._inputs = x, torch.tensor([[0, 1]]), (x @ x.t()).unsqueeze(0)
    network._kept = part, (nothing, nothing, nothing), (nothing, torch.zeros(1, 3))
    lengths = 2 * 0.3 * math.sqrt(5) * math.sqrt(4e8 + 1)
    assert float(network.squared_norms()) >= 2.0**-18 * lengths**2 * (1 - 1e-5)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.lists(st.one_of(numbers, st.floats(width=32)), min_size=1, max_size=9))
def test_rows_of_sums_are_never_longer_than_one(row: list[float]) -> None:
    table = torch.tensor([row, [1.0] * len(row)])
    normalised = unit_rows(table)
    assert torch.isfinite(normalised).all()
    assert float(normalised.double().norm(dim=1).max()) <= 1
    assert torch.equal(normalised * 2**13, (normalised * 2**13).round()), "not on the lattice of exact sums"
    assert torch.equal(normalised[1], unit_rows(table[1:])[0]), "a row depends on another"
    if not torch.isfinite(table[0]).all():
        assert not normalised[0].any()
    elif float(table[0].abs().max()) > 0:
        assert float(normalised[0].norm()) > 1 - len(row) * 2.0**-12


def test_equal_features_do_not_make_rounding_loud() -> None:
    """Rows whose hidden features are nearly equal beside their size: normalised, they would be nothing but
    rounding, and rounding hangs on who else is in the batch. One more of them moves the sum by the clip, and
    not by seventeen times that."""
    from privgraph.methods.gradients.dp_mlp.config import Config
    from privgraph.methods.gradients.dp_mlp.train import train
    from privgraph.methods.training import Context, planned

    class Look:
        def join(self, total: torch.Tensor, clip: float) -> None:
            self.sum = total.clone() / clip

        def see(self, released: torch.Tensor) -> None:
            pass

    config = Config(epsilon=1.0, delta=1e-5, epochs=1, layers=2, hidden=16)
    net = StackedNet([mlp_layers(64, 16, 1, norm="group")], [Linear(16, 2)], members=1)
    net.initialise([Context(seed=0).generator("init")])
    weight, bias = (part[0].double() for part in net.branches[0][0].parameters)
    inverse = torch.linalg.pinv(weight)
    kernel = torch.linalg.svd(weight)[2][16:]
    generator = torch.Generator().manual_seed(0)
    size = float(9e5 / (inverse @ torch.ones(16, dtype=torch.float64)).abs().max())
    for attempt in range(12):
        row = inverse @ (size * (1 - attempt / 24) - bias.flatten())
        row = row + 3e3 * (torch.randn(48, generator=generator, dtype=torch.float64) @ kernel)
        sums = []
        for count in (31, 32):
            x = torch.cat([row.float().expand(31, 64), torch.ones(count - 31, 64), torch.zeros(4, 64)])
            masks = torch.zeros(3, len(x), dtype=torch.bool)
            masks[0, :count], masks[1, count : count + 2], masks[2, count + 2 :] = True, True, True
            labels = torch.zeros(len(x), dtype=torch.int64)
            labels[[-1, -3]] = 1
            graph = Graph(
                name="equal", x=x, y=labels, edge_index=torch.zeros(2, 0, dtype=torch.int64),
                train_mask=masks[0], val_mask=masks[1], test_mask=masks[2], class_names=("a", "b"),
            )  # fmt: skip
            look = Look()
            list(train([planned(config, graph, Context(seed=0, observer=look))]))
            sums.append(look.sum)
        assert float((sums[1] - sums[0]).norm()) <= sums_margin(32)
