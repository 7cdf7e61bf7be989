"""Bugs of numbers as they are drawn, added and rounded, and what catches each: see `planting`."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from tests.planted.planting import Bug, Verdict, instead
from tests.secrets_made_here import KEY, secret
from tests.test_streams import linear_complexity
from torch import Tensor
from torch.nn import functional

from privgraph.lattice import step_of
from privgraph.mechanisms import aggregation
from privgraph.mechanisms.aggregation import aggregate
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.methods.gradients.dp_gnn import network, subgraphs
from privgraph.methods.gradients.dp_gnn.network import SubgraphNetwork
from privgraph.methods.training import Context
from privgraph.nn import ragged_network
from privgraph.nn.inputs import PerMember
from privgraph.nn.layers import Pass
from privgraph.nn.ragged_subgraphs import InEdges, induced
from privgraph.nn.stacked import StackedNet, mlp_layers
from privgraph.streams import Secret

MECHANISM = GaussianNoise(std=1.0, sensitivity=1.0)


def twister_words(self: Secret, count: int) -> np.ndarray:
    """What noise hung on before: a Mersenne Twister, seeded with all of the key."""
    if not hasattr(self, "twister"):
        seed = int.from_bytes(KEY[:8], "little") + len(self.name)
        self.twister = np.random.Generator(np.random.MT19937(seed))  # type: ignore[attr-defined]
    return np.asarray(self.twister.integers(2**64, size=count, dtype=np.uint64))  # type: ignore[attr-defined]


def noise_is_no_recurrence() -> Verdict:
    """As many bits as a few hundred known rows of noisy sums give away."""
    found = linear_complexity((secret().words(41_000) & np.uint64(1)).astype(int).tolist())
    return Verdict(wrong=found < 20_400, seen=f"41,000 bits follow from {found:,} of them")


def single_normals(self: GaussianNoise, values: Tensor, stream: Secret) -> Tensor:
    generator = torch.Generator().manual_seed(int(stream.words(1)[0] >> np.uint64(2)))
    return values.add_(torch.empty(values.shape).normal_(generator=generator).to(values), alpha=self.std)


def noise_before_rounding(self: GaussianNoise, values: Tensor, stream: Secret) -> Tensor:
    """Noise that is right, and is added in floats."""
    return values.add_(ADD(self, torch.zeros_like(values), stream))


ADD = GaussianNoise.add_


def the_last_digits_say_nothing() -> Verdict:
    """Neighbouring quantities with the same noise: each on the lattice, and apart by just what they were
    apart before."""
    here = torch.tensor([0.1, 1e6 / 3, -3.0, 1e-30], dtype=torch.float64)
    moved = here + torch.tensor([0.0, 0.0, 1.0, 0.0], dtype=torch.float64)
    one, other = (MECHANISM.add_(value.clone(), secret()) / step_of(1.0) for value in (here, moved))
    off = int((one != one.round()).sum() + (other != other.round()).sum())
    return Verdict(wrong=off > 0, seen=f"{off} of 8 released numbers lie off the lattice")


def gradients_of_an_absurd_record() -> Verdict:
    """One example whose forward pass overflows, beside three that do not."""
    net = StackedNet([mlp_layers(3, 4, 1, norm="none")], mlp_layers(4, 2, 1, norm="none"), members=1)
    net.initialise([torch.Generator().manual_seed(0)])
    x = torch.ones(1, 3, 4)
    x[0, :, 1] = torch.tensor([3e38, -3e38, 3e38])
    logits = net.forward([PerMember(x)], Pass(training=True))
    net.backward(torch.ones_like(logits))
    mechanism = PrivateGradients(clip=1.0, noise_multiplier=1.0, rate=1.0, expected_batch=4.0)
    PrivateGradients.release([mechanism], net, torch.ones(1, 4, dtype=torch.bool), [secret()])
    # four gradients of norm 1 at most, and noise of standard deviation 1, divided by 4
    bad = int((~(net.gradients.abs() < 10)).sum())
    return Verdict(wrong=bad > 0, seen=f"{bad} of {net.gradients.numel()} released numbers are beyond all noise")


def sums_of_rows() -> Verdict:
    """A hub's sum over its neighbours in two orders: who comes first must not show in the last digits."""
    rows = aggregation.unit_rows(torch.randn(900, 8, generator=torch.Generator().manual_seed(1)))

    def total(order: Tensor) -> Tensor:
        pointers = torch.tensor([0, 900, *[900] * 899])
        return aggregate(
            torch.sparse_csr_tensor(pointers, torch.arange(900), torch.ones(900), (900, 900), check_invariants=True),
            rows[order],
        )

    away = float((total(torch.arange(900)) - total(torch.arange(900).flip(0))).abs().max())
    return Verdict(wrong=away > 0, seen=f"two orders are {away:.1g} apart")


@contextmanager
def streams_handed_out_again() -> Iterator[None]:
    def again(self: Context, name: str) -> Secret:
        return Secret(self.noise_key, self.seed, name)

    with instead(Context, "secret", again):
        yield


def nothing_is_drawn_twice() -> Verdict:
    context = Context(noise_key=KEY)
    try:
        one, other = (context.secret("noise/votes").words(4) for _ in range(2))
    except ValueError:
        return Verdict(wrong=False, seen="a second reader is refused")
    return Verdict(wrong=bool((one == other).all()), seen="a gate and its answers had the same noise")


def _forgetful() -> AbstractContextManager[None]:
    return instead(StackedNet, "forget", lambda self, gone: None)


def _uncut(rows: Tensor) -> Tensor:
    return rows / torch.linalg.vector_norm(rows, dim=1, keepdim=True)


def _by_rows(rows: Tensor, weight: Tensor, bias: Tensor | None = None, size: int = 0) -> Tensor:
    return functional.linear(rows, weight, bias)


def an_example_among_others() -> Verdict:
    """What a layer makes of the same example in tables of one to twenty rows, and at both ends of a table."""
    generator = torch.Generator().manual_seed(0)
    rows, weight = torch.randn(20, 301, generator=generator), torch.randn(64, 301, generator=generator)
    alone = ragged_network.linear(rows[:1], weight)
    found = [ragged_network.linear(rows[:count], weight)[:1] for count in range(2, 20)]
    found.append(ragged_network.linear(rows.flip(0), weight)[-1:])
    turned = sum(not torch.equal(alone, other) for other in found)
    return Verdict(wrong=turned > 0, seen=f"{turned} of {len(found)} companies change an example's last digits")


def an_activation_at_the_end() -> Verdict:
    """The last of a few numbers is computed as it is among many."""
    values = torch.randn(4096, generator=torch.Generator().manual_seed(0))
    whole = ragged_network.activation(functional.elu, values)
    turned = sum(
        not torch.equal(ragged_network.activation(functional.elu, values[:count]), whole[:count])
        for count in range(1, 64)
    )
    return Verdict(wrong=turned > 0, seen=f"{turned} of 63 lengths change the last numbers")


def _reading_node_0(x: Tensor, part: Tensor) -> Tensor:
    return x[part.clamp_min(0)]


def padding_beside_an_absurd_record() -> Verdict:
    """Subgraphs with padding, when the first node's record is not finite."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(9, 4, generator=generator)
    x[0] = torch.inf
    net = SubgraphNetwork(4, 5, 3)
    net.initialise(generator)
    net.backward(x, torch.tensor([[0, -1, -1], [1, 2, -1], [3, -1, -1]]), torch.tensor([0, 1, 2]))
    lost = int((~torch.isfinite(net.squared_norms()[0, 1:])).sum())
    return Verdict(wrong=lost > 0, seen=f"{lost} of 2 other examples lose their gradients")


LISTS = subgraphs.frozen_subgraphs


@contextmanager
def _as_wide_as_the_fullest() -> Iterator[None]:
    """Lists that end where the fullest one does, and sums in the library's order of that width."""

    def cut(*given: Any) -> tuple[Tensor, Tensor]:
        roots, lists = LISTS(*given)
        return roots, lists[:, : int((lists >= 0).sum(1).max())]

    with instead(subgraphs, "frozen_subgraphs", cut), instead(network, "added", lambda values: values.sum(1)):
        yield


def lists_beside_the_fullest() -> Verdict:
    """Thirty roots of seven neighbours each, with and without one of eight."""
    roots = torch.arange(1, 31)
    edges = torch.stack([30 + torch.arange(1, 211), roots.repeat_interleave(7)])
    full = torch.stack([torch.arange(31, 39), torch.zeros(8, dtype=torch.int64)])
    x, mask = torch.randn(241, 16, generator=torch.Generator().manual_seed(0)), torch.arange(241) < 31
    net = SubgraphNetwork(16, 16, 2)
    net.initialise(torch.Generator().manual_seed(1))
    found = []
    for known, there in ((torch.cat([edges, full], 1), mask), (edges, mask & (torch.arange(241) > 0))):
        own, lists = subgraphs.frozen_subgraphs(known, there, 8, 0)
        net.backward(x, lists, own % 2)
        found.append(torch.cat(net.examples()[1:], 1)[-30:])
    turned = int((found[0] != found[1]).any(1).sum())
    return Verdict(wrong=turned > 0, seen=f"{turned} of 30 other roots change when the fullest list goes")


def _norms_by_length(self: ragged_network.Factors) -> Tensor:
    """Rows are taken for centres where there are as many."""
    guessed = [replace(one, by_row=len(one.inputs) != len(self.subgraphs)) for one in self.products]
    return NORMS(replace(self, products=guessed))


NORMS = ragged_network.Factors.squared_norms


def a_single_node_among_others() -> Verdict:
    """The norm of a node without neighbours, alone and beside one that has some."""
    x = torch.randn(4, 5, generator=torch.Generator().manual_seed(0))
    net = ragged_network.RaggedNetwork("gcn", 5, 6, 2, layers=2)
    net.initialise(torch.Generator().manual_seed(1))
    known = InEdges.among(torch.tensor([[2, 3], [1, 1]]), torch.ones(4, dtype=torch.bool))
    norms = []
    for centres in (torch.tensor([0]), torch.tensor([0, 1])):
        which, place = known.of(centres)
        drawn = induced(centres, which, known.sources[place], known)
        norms += [float(part.squared_norms()[0]) for part in net.gradients(x, drawn, centres % 2)]
    away = abs(norms[0] / norms[1] - 1)
    return Verdict(wrong=away > 0, seen=f"two companies' norms are {away:.1g} of each other apart")


BUGS = (
    Bug(
        name="noise from a Mersenne Twister",
        where="streams.py",
        plant=lambda: instead(Secret, "words", twister_words),
        check=noise_is_no_recurrence,
    ),
    Bug(
        name="normals of single precision",
        where="mechanisms/gaussian.py",
        plant=lambda: instead(GaussianNoise, "add_", single_normals),
        check=the_last_digits_say_nothing,
    ),
    Bug(
        name="noise added in floats",
        where="mechanisms/gaussian.py",
        plant=lambda: instead(GaussianNoise, "add_", noise_before_rounding),
        check=the_last_digits_say_nothing,
    ),
    Bug(
        name="0 times infinity",
        where="nn/stacked.py",
        plant=_forgetful,
        check=gradients_of_an_absurd_record,
    ),
    Bug(
        name="padding times zero",
        where="methods/gradients/dp_gnn/network.py",
        plant=lambda: instead(network, "_features", _reading_node_0),
        check=padding_beside_an_absurd_record,
    ),
    Bug(
        name="rows of sums not cut off",
        where="mechanisms/aggregation.py",
        plant=lambda: instead(aggregation, "unit_rows", _uncut),
        check=sums_of_rows,
    ),
    Bug(
        name="a secret stream for two purposes",
        where="methods/training.py",
        plant=streams_handed_out_again,
        check=nothing_is_drawn_twice,
    ),
    Bug(
        name="products in tables of any size",
        where="nn/tables.py",
        plant=lambda: instead(ragged_network, "linear", _by_rows),
        check=an_example_among_others,
    ),
    Bug(
        name="activations in pieces of any size",
        where="nn/tables.py",
        plant=lambda: instead(ragged_network, "activation", lambda function, values: function(values)),
        check=an_activation_at_the_end,
    ),
    Bug(
        name="lists as wide as the fullest",
        where="methods/gradients/dp_gnn/subgraphs.py",
        plant=_as_wide_as_the_fullest,
        check=lists_beside_the_fullest,
    ),
    Bug(
        name="a norm by the batch's length",
        where="nn/ragged_network.py",
        plant=lambda: instead(ragged_network.Factors, "squared_norms", _norms_by_length),
        check=a_single_node_among_others,
    ),
)
