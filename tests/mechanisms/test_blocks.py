"""Whoever else is drawn, an example goes through a network in a table of one and the same size.

A library adds up the numbers of a product in an order that hangs on the table's size. Where a record's
pre-activations are rounding alone, that decides on which side of an activation's corner they lie, and turns
its whole gradient.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from tests import torch_threads
from tests.secrets_made_here import KEY, secret
from torch import Tensor
from torch.nn import functional

from privgraph.data.load import load
from privgraph.mechanisms.gradients import PrivateGradients, clip_factors
from privgraph.mechanisms.subgraph_gradients import SubgraphGradients
from privgraph.methods.gradients.dp_gnn import network as dp_gnn_network
from privgraph.methods.gradients.dp_gnn.network import SubgraphNetwork
from privgraph.methods.teachers.privgnn import votes
from privgraph.methods.training import Context, train_one
from privgraph.nn import inputs as inputs_module
from privgraph.nn import layers, ragged_network, tables, training
from privgraph.nn.inputs import PerMember, Shared
from privgraph.nn.layers import Linear, Pass
from privgraph.nn.ragged_network import NETWORKS, RaggedNetwork
from privgraph.nn.ragged_subgraphs import InEdges, induced
from privgraph.nn.stacked import StackedNet, mlp_layers
from privgraph.nn.tables import BLOCK, activation, linear
from privgraph.nn.training import fit_private
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import Gaussian, PoissonSampled, Repeated
from privgraph.registry import METHODS
from privgraph.runs.spec import make_spec

PRIVATE = {
    "dp-mlp": {"epochs": 1},
    "gap": {"unit": "node", "epochs": 1, "encoder_epochs": 1, "max_degree": 5},
    "progap": {"unit": "node", "epochs": 1, "max_degree": 5},
    "dp-gnn": {"epochs": 1, "max_degree": 3},
}


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    """Three share a table's numbers out so that their parts end anywhere."""
    with torch_threads.threads(request.param):
        yield request.param


def small_subgraphs(features: int, hidden: int, order: Tensor) -> list[Tensor]:
    """What is computed for each of `BLOCK` roots, given in this order."""
    torch.manual_seed(features)
    x, labels = torch.randn(BLOCK, features), torch.randint(0, 3, (BLOCK,))
    net = SubgraphNetwork(features, hidden, 3)
    net.initialise(torch.Generator().manual_seed(0))
    parts = torch.stack([torch.arange(BLOCK), torch.arange(BLOCK).roll(1)], 1)
    losses, logits = net.backward(x, parts[order], labels[order])
    first, (root, mean, second), (joined, last) = net._kept
    return [losses, logits, first, root, mean, second, joined, last]


def stacked(features: int, hidden: int, order: Tensor) -> list[Tensor]:
    torch.manual_seed(features)
    x, members = torch.randn(BLOCK, features), 10
    layers = mlp_layers(features, hidden, 2, norm="none")
    stack = StackedNet([layers], [Linear(hidden, 3)], members=members)
    stack.initialise([torch.Generator().manual_seed(seed) for seed in range(members)])
    logits = stack.forward([Shared.of(x).take(order.expand(members, -1))], Pass(training=True, apart=True))
    stack.backward(logits.log_softmax(1).exp())
    given = [layer._gradient for layer in stack.layers if isinstance(layer, Linear)]
    read = [layer._input.values for layer in stack.layers if isinstance(layer, Linear)]
    return [rows.movedim(-1, 0) for rows in (logits, *given, *read)]


@pytest.mark.parametrize("features", [4, 1433])
@pytest.mark.parametrize("hidden", [4, 64])
@pytest.mark.parametrize("work", [small_subgraphs, stacked])
def test_the_place_in_a_table_changes_nothing(
    work: Callable[[int, int, Tensor], list[Tensor]], features: int, hidden: int, threads: int
) -> None:
    order = torch.randperm(BLOCK, generator=torch.Generator().manual_seed(1))
    for own, moved in zip(work(features, hidden, torch.arange(BLOCK)), work(features, hidden, order), strict=True):
        assert torch.equal(own[order], moved)


def test_an_activation_is_the_same_wherever_a_number_stands(threads: int) -> None:
    values = torch.randn(100_003, generator=torch.Generator().manual_seed(0))
    moved = torch.randperm(values.numel(), generator=torch.Generator().manual_seed(1))
    whole = activation(functional.elu, values)
    assert torch.allclose(whole, functional.elu(values))
    assert torch.equal(whole[moved], activation(functional.elu, values[moved]))
    assert torch.equal(whole[:77], activation(functional.elu, values[:77]))
    assert activation(functional.elu, values[:0]).numel() == 0


@pytest.mark.parametrize("members", [1, 300])
@pytest.mark.parametrize("width", [4, 255, 300])
def test_sums_of_columns_are_the_same_wherever_a_column_stands(members: int, width: int, threads: int) -> None:
    values = torch.randn(members, width, BLOCK, generator=torch.Generator().manual_seed(0))
    order = torch.randperm(BLOCK, generator=torch.Generator().manual_seed(1))
    found = tables.column_sums(values)
    assert torch.allclose(found, values.sum(1, keepdim=True), atol=1e-4)
    assert torch.equal(found[..., order], tables.column_sums(values[..., order]))


@pytest.mark.parametrize("count", [0, 1, 127, 128, 129, 300])
def test_products_in_tables_are_products(count: int) -> None:
    torch.manual_seed(count)
    rows, weight, bias = torch.randn(count, 5, requires_grad=True), torch.randn(3, 5), torch.randn(3)
    found, plain = linear(rows, weight, bias), functional.linear(rows, weight, bias)
    given = torch.randn(count, 3)
    assert torch.allclose(found, plain, atol=1e-6)
    (own,) = torch.autograd.grad(found, rows, given)
    assert torch.allclose(own, given @ weight, atol=1e-5)


def other_first(found: Tensor, examples: int) -> Tensor:
    """Other last bits for whoever stands first along the dimension `examples`."""
    place = torch.zeros(1, dtype=torch.int64)
    away = found.detach().nextafter(torch.tensor(torch.inf)) - found.detach()
    return found + torch.zeros_like(away).index_copy(examples, place, away.index_select(examples, place))


def refused_when(
    owner: object, name: str, ask: Callable[[], None], monkeypatch: pytest.MonkeyPatch, examples: int = 0
) -> None:
    """The library is asked about this operation: one that rounds by place is refused."""
    ask()
    original = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *given, **how: other_first(original(*given, **how), examples))
    with pytest.raises(RuntimeError, match="hangs on where it stands"):
        ask()


@pytest.mark.parametrize(
    ("owner", "name"), [(torch, "bmm"), (torch, "addcmul"), (layers, "column_sums"), (inputs_module, "column_sums")]
)
def test_a_stack_refuses_a_library_that_rounds_by_place(
    owner: object, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = StackedNet([mlp_layers(5, 6, 2, norm="group")], [Linear(6, 3)], members=2)
    net.initialise([torch.Generator().manual_seed(seed) for seed in range(2)])
    before = net.parameters.clone()
    given = [PerMember(torch.ones(2, 5, 9))]
    refused_when(owner, name, lambda: training._require_places_alike(net, given), monkeypatch, examples=2)
    assert torch.equal(net.parameters, before)


@pytest.mark.parametrize("name", ["linear", "added", "activation", "_features"])
def test_dp_gnn_refuses_a_library_that_rounds_by_place(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    net = SubgraphNetwork(5, 6, 3)
    refused_when(dp_gnn_network, name, lambda: net.require_places_alike(4), monkeypatch)


@pytest.mark.parametrize("name", ["linear", "activation", "_cross_entropy", "_outer_norms", "_gather"])
def test_heter_poisson_refuses_a_library_that_rounds_by_place(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    refused_when(ragged_network, name, RaggedNetwork("gcn", 5, 6, 3, layers=2).require_places_alike, monkeypatch)


@pytest.mark.parametrize("name", [*PRIVATE, "heter-poisson"])
def test_every_private_training_asks_the_library_first(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("hangs on where")

    for module in (tables, training, dp_gnn_network, ragged_network):
        monkeypatch.setattr(module, "require_places_alike", refuse)
    graph = load("social", data_options={"nodes": 300})
    options = {**PRIVATE.get(name, {"epochs": 1}), "epsilon": 8.0}
    known = {one: value for one, value in options.items() if one in make_spec(name, "social").options}
    config = make_spec(name, "social", known).config()
    with pytest.raises(RuntimeError, match="hangs on where"):
        list(train_one(METHODS[name].load_train(), config, graph, Context(noise_key=KEY)))


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", NETWORKS)
def test_a_subgraph_s_gradient_does_not_depend_on_how_many_others_there_are(
    kind: str, layers: int, threads: int
) -> None:
    """A library multiplies tables of a few rows in another way than larger ones."""
    torch.manual_seed(layers)
    nodes, features = 200, 101
    x, labels = torch.randn(nodes, features), torch.randint(0, 3, (nodes,))
    known = InEdges.among((torch.rand(nodes, nodes) < 0.02).nonzero().t(), torch.ones(nodes, dtype=torch.bool))
    network = RaggedNetwork(kind, features, 64, 3, layers=layers)
    network.initialise(torch.Generator().manual_seed(0))

    def each(count: int) -> list[Tensor]:
        centres = torch.arange(count)
        which, place = known.of(centres)
        drawn = induced(centres, which, known.sources[place], known)
        (found,) = network.gradients(x, drawn, labels[:count])
        one = int(drawn.starts[1])
        return [found.logits[0]] + [
            rows[: 1 if len(rows) == count else one]
            for product in found.products
            for rows in (product.inputs, product.gradients)
        ]

    among_many = each(nodes)
    for count in range(1, 14):
        assert all(torch.equal(own, same) for own, same in zip(each(count), among_many, strict=True)), count


@pytest.mark.parametrize("count", [1, 7, 300])
def test_sums_of_many_blocks_are_rounded_once(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block's sum is a small number after a large one: added up in single precision they would all be
    lost."""
    seen: list[Tensor] = []

    def sum_of_a_block(_mechanisms: object, net: StackedNet, _valid: Tensor) -> None:
        net.gradients.fill_(2.0**-24 if blocks[0] else 1.0)
        blocks[0] += 1

    def released(_mechanisms: object, net: StackedNet, *_rest: object) -> None:
        seen.append(net.gradients.clone())

    blocks = [0]
    monkeypatch.setattr(PrivateGradients, "clip_and_sum", staticmethod(sum_of_a_block))
    monkeypatch.setattr(PrivateGradients, "perturb", staticmethod(released))
    nodes = count * BLOCK
    net = StackedNet([mlp_layers(2, 2, 1, norm="none")], [Linear(2, 2)], members=1)
    mechanism = PrivateGradients(clip=1.0, noise_multiplier=1.0, rate=1.0, expected_batch=nodes)
    masks = torch.ones(1, nodes, dtype=torch.bool)
    given = fit_private(
        net, [PerMember(torch.zeros(1, 2, nodes))], torch.zeros(nodes, dtype=torch.int64), rosters=masks,
        train_masks=masks, val_masks=masks, learning_rates=torch.ones(1), gradients=[mechanism], epochs=1, steps=1,
        sampling=[secret(0)], noise=[secret(1)],
    )  # fmt: skip
    for _ in given:
        pass
    assert blocks == [count]
    assert torch.equal(seen[0], torch.full_like(seen[0], 1 + (count - 1) * 2.0**-24))


def test_the_sign_of_a_direction_is_the_encoder_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries give an eigenvector with either sign, and another one with other threads."""
    public = load("social", data_options={"nodes": 300})
    own, exact = votes.PublicEncoder.of(public, 8).weights, votes.eigh

    def other(matrix: object) -> tuple[object, object]:
        variances, directions = exact(matrix)
        return variances, directions * np.where(np.arange(len(directions)) % 2, -1.0, 1.0)

    monkeypatch.setattr(votes, "eigh", other)
    assert np.array_equal(votes.PublicEncoder.of(public, 8).weights, own)


@pytest.mark.parametrize(("multiplier", "covered"), [(1 / 50, True), (1 / 51, False), (1 / 1000, False)])
def test_noise_that_ends_where_it_can_be_seen_has_no_epsilon(multiplier: float, covered: bool) -> None:
    """Noise ends at 64 standard deviations; what lies beyond 50 of a shift may pass for certain in one
    dataset alone."""
    plain = Gaussian(noise_multiplier=multiplier)
    sampled = PoissonSampled(rate=0.1, event=plain)
    for event in (plain, sampled, Repeated(event=plain, count=3)):
        assert math.isfinite(tight().epsilon(event, 1e-5)) == covered


ABSURD = (1e20, 1e30, 3e38)
"""Features whose products, or whose products' products, are no finite numbers."""


@pytest.mark.parametrize("big", ABSURD)
def test_padding_of_a_subgraph_reads_nobody(big: float) -> None:
    """Places that nobody takes stood for node 0: its record decided whether the others' norms were
    numbers."""
    generator = torch.Generator().manual_seed(0)
    x, labels = torch.randn(40, 6, generator=generator), torch.randint(0, 3, (40,), generator=generator)
    parts = torch.full((40, 4), -1)
    parts[:, 0] = torch.arange(40)
    parts[1:-1, 1] = torch.arange(1, 39).roll(1)  # the first and the last node are read by nobody but themselves
    net = SubgraphNetwork(6, 8, 3)
    net.initialise(generator)

    def found(row: int, value: float) -> list[Tensor]:
        moved = x.clone()
        moved[row] = value
        net.backward(moved, parts, labels)
        squared = net.squared_norms()
        net.forget(torch.arange(40).unsqueeze(0) == row)
        net.accumulate((squared.rsqrt() * (torch.arange(40) != row)).nan_to_num(0.0))
        others = torch.arange(40) != row
        return [squared[:, others].clone(), net.gradients.clone()]

    for row in (0, 39):
        plain, absurd = found(row, 1.0), found(row, big)
        assert torch.isfinite(absurd[0]).all()
        assert all(torch.equal(one, other) for one, other in zip(plain, absurd, strict=True))


@pytest.mark.parametrize("big", ABSURD)
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", NETWORKS)
def test_rows_of_one_subgraph_are_no_other_s_padding(kind: str, layers: int, big: float) -> None:
    """Narrow and wide subgraphs whose sizes fill no group; the first and the last hold what is absurd, if
    anything."""
    torch.manual_seed(0)
    nodes, wide = 210, 80
    x, labels = torch.randn(nodes, 6), torch.randint(0, 3, (nodes,))
    triangles = [(a, b) for i in range(1, 121, 3) for a in range(i, i + 3) for b in range(i, i + 3) if a != b]
    star = [(source, 121) for source in range(122, 121 + wide)]
    known = InEdges.among(torch.tensor(triangles + star).t(), torch.ones(nodes, dtype=torch.bool))
    centres = torch.tensor([*range(122), nodes - 1])
    which, place = known.of(centres)
    drawn = induced(centres, which, known.sources[place], known)
    network = RaggedNetwork(kind, 6, 8, 3, layers=layers)
    network.initialise(torch.Generator().manual_seed(0))

    def found(row: int, value: float) -> list[Tensor]:
        moved = x.clone()
        moved[row] = value
        (part,) = network.gradients(moved, drawn, labels[centres])
        squared, others = part.squared_norms(), centres != row
        total = torch.zeros_like(network.parameters[0])
        part.add_to(total, squared.rsqrt().nan_to_num(0.0) * others)
        return [squared[others], total]

    for row in (0, nodes - 1):
        plain, absurd = found(row, 1.0), found(row, big)
        assert torch.isfinite(absurd[0]).all()
        assert all(torch.equal(one, other) for one, other in zip(plain, absurd, strict=True))


@pytest.mark.parametrize(
    ("kind", "rows", "length", "features", "hidden", "seed"),
    [
        ("gcn", 64, 5e4, 3, 2, 14),
        ("gcn", 5344, 48958.66344353805, 3, 2, 14),
        ("sage", 13250, 232470.7098879642, 8, 3, 26),
    ],
)
def test_what_is_left_of_rows_that_cancel_is_clipped(
    kind: str, rows: int, length: float, features: int, hidden: int, seed: int, threads: int
) -> None:
    """A star whose rows' gradients are long and cancel but for their rounding: another one in the norm than
    in the sum."""
    clip = 1e-3
    network = RaggedNetwork(kind, features, hidden, 2, layers=2)
    network.initialise(torch.Generator().manual_seed(seed))
    weight = network._weights["w1"].double()
    unseen = torch.linalg.svd(weight)[2][-1]  # the layer does not see it, so that every row lies on its linear side
    base = torch.linalg.lstsq(weight, torch.ones(hidden, dtype=torch.double)).solution
    signs = torch.where(torch.arange(rows) < rows // 2, 1.0, -1.0).double().unsqueeze(1)
    x = (base + signs * length * unseen).float()
    star = torch.stack([torch.arange(1, rows), torch.zeros(rows - 1, dtype=torch.int64)])
    known = InEdges.among(star, torch.ones(rows, dtype=torch.bool))
    drawn = induced(torch.tensor([0]), torch.zeros(rows - 1, dtype=torch.int64), torch.arange(1, rows), known)
    (part,) = network.gradients(x, drawn, torch.tensor([1]))
    total = torch.zeros_like(network.parameters[0])
    part.add_to(total, clip_factors(part.squared_norms().unsqueeze(0), torch.tensor([clip]))[0])
    assert 0 < float(total.double().norm()) <= clip


@pytest.mark.parametrize("count", [1, 7, 300])
def test_sums_of_many_parts_of_subgraphs_are_rounded_once(count: int) -> None:
    """Each part's sum is a small number after a large one."""

    class Part:
        def __init__(self, value: float) -> None:
            self.value = value

        def squared_norms(self) -> Tensor:
            return torch.zeros(1)

        def add_to(self, total: Tensor, factors: Tensor) -> None:
            total += self.value

    mechanism = SubgraphGradients(
        clip=1.0, noise_multiplier=0.0, rate=1.0, neighbours=1, largest_degree=9, exclusive=False, expected_batch=1.0
    )
    seen: list[Tensor] = []

    class Watcher:
        def join(self, total: Tensor, clip: float) -> None:
            seen.append(total.clone())

        def see(self, released: Tensor) -> None:
            pass

    parts = [Part(1.0), *(Part(2.0**-24) for _ in range(count - 1))]
    mechanism.release(parts, torch.full((3,), 7.0), secret(), Watcher())
    assert torch.equal(seen[0], torch.full((3,), 1 + (count - 1) * 2.0**-24))
