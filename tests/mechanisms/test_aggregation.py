"""Aggregation perturbation: sensitivity against every neighbour of toy graphs, and the same sums in every
form."""

import itertools
import math

import pytest
import torch
from tests.secrets_made_here import secret
from torch import Tensor

from privgraph.mechanisms import aggregation
from privgraph.mechanisms.aggregation import AggregationPerturbation, aggregate, release_stack, unit_rows
from privgraph.privacy.events import Gaussian, NonPrivate
from privgraph.streams import Secret


def _csr(dense: Tensor) -> Tensor:
    return dense.to_sparse_csr()


@pytest.mark.parametrize("undirected", [True, False])
def test_one_edge_moves_the_aggregate_by_its_sensitivity_and_no_more(undirected: bool) -> None:
    mechanism = AggregationPerturbation(unit="edge", std=1.0, undirected=undirected)
    nodes = 4 if undirected else 3
    rows = unit_rows(torch.randn(nodes, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64))
    pairs = list((itertools.combinations if undirected else itertools.permutations)(range(nodes), 2))
    worst = 0.0
    for code in range(1 << len(pairs)):
        dense = torch.zeros(nodes, nodes, dtype=torch.float64)
        for bit, (i, j) in enumerate(pairs):
            if code >> bit & 1:
                dense[i, j] = 1
                if undirected:
                    dense[j, i] = 1
        before = aggregate(_csr(dense), rows)
        for i, j in pairs:
            other = dense.clone()
            other[i, j] = 1 - other[i, j]
            if undirected:
                other[j, i] = other[i, j]
            worst = max(worst, float((aggregate(_csr(other), rows) - before).norm()))
    assert worst <= mechanism.sensitivity
    # rows of three numbers are cut off to multiples of 2^-13
    assert worst > mechanism.sensitivity * (1 - math.sqrt(3) * 2.0**-13) - 1e-5
    assert mechanism.sensitivity == pytest.approx(math.sqrt(2) if undirected else 1)


def test_events_are_relative_to_the_proved_and_to_the_published_sensitivity() -> None:
    entry = AggregationPerturbation(unit="edge", std=6.0).entry("stage 1")
    assert entry.event == Gaussian(noise_multiplier=6 / math.sqrt(2))
    assert entry.event_as_published == Gaussian(noise_multiplier=6.0)
    directed = AggregationPerturbation(unit="edge", std=6.0, undirected=False).entry("stage 1")
    assert directed.event == directed.event_as_published == Gaussian(noise_multiplier=6.0)
    node = AggregationPerturbation(unit="node", std=6.0, max_degree=9).entry("stage 1")
    assert node.event == node.event_as_published == Gaussian(noise_multiplier=2.0)
    assert isinstance(AggregationPerturbation(unit="none", std=0.0).entry("stage 1").event, NonPrivate)
    assert isinstance(AggregationPerturbation(unit="edge", std=0.0).entry("stage 1").event, NonPrivate)


@pytest.mark.parametrize("fullest", [2048, 2049])
def test_sums_are_exact_in_whatever_order(fullest: int) -> None:
    """So one edge moves a sum by its row, to the last digit; the rows are as long and as like as can be."""
    nodes = fullest + 1
    rows = unit_rows(torch.full((nodes, 1), 3.0) * torch.rand(nodes, 1, generator=torch.Generator().manual_seed(2)))
    dense = torch.zeros(nodes, nodes)
    dense[0, 1:] = 1
    adjacency = _csr(dense)
    total = aggregate(adjacency, rows)
    assert total.dtype == (torch.float32 if fullest == 2048 else torch.float64)
    assert torch.equal(total[0].double(), rows[1:].double().sum(0))
    assert torch.equal(total, aggregate(adjacency, rows[[0, *range(fullest, 0, -1)]]))


def test_chunks_of_rows_give_the_whole_product(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(0)
    dense = (torch.rand(50, 50, generator=generator) < 0.2).float()
    dense[7] = 1  # one row fuller than a chunk
    dense[20:30] = 0
    rows = torch.randn(50, 6, generator=generator)
    whole = aggregate(_csr(dense), rows)
    torch.testing.assert_close(whole, dense @ rows)
    for entries in (1, 7, 30, 100, 10_000):
        monkeypatch.setattr(aggregation, "_CHUNK_ENTRIES", entries)
        torch.testing.assert_close(aggregate(_csr(dense), rows), whole)


@pytest.mark.parametrize("shared", [True, False])
def test_a_stack_releases_what_its_members_would_alone(shared: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    dense = [(torch.rand(30, 30, generator=generator) < 0.2).float() for _ in range(3)]
    adjacencies = [_csr(dense[0])] * 3 if shared else [_csr(one) for one in dense]
    embeddings = torch.randn(3, 5, 30, generator=generator)
    mechanisms = [AggregationPerturbation(unit="edge", std=std) for std in (0.5, 1.0, 0.0)]
    noisy = release_stack(mechanisms, adjacencies, embeddings, [secret(s) for s in range(3)])
    assert noisy.shape == embeddings.shape
    for member in range(3):
        clean = aggregate(adjacencies[member], unit_rows(embeddings[member].t())).t()
        alone = release_stack(
            mechanisms[member : member + 1],
            adjacencies[member : member + 1],
            embeddings[member : member + 1],
            [secret(member)],
        )
        torch.testing.assert_close(noisy[member], alone[0])
        if mechanisms[member].std == 0:
            torch.testing.assert_close(noisy[member], clean)
    first, second = ((noisy[m] - aggregate(adjacencies[m], unit_rows(embeddings[m].t())).t()) for m in (0, 1))
    assert abs(float(torch.corrcoef(torch.stack([first.flatten(), second.flatten()]))[0, 1])) < 0.3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"unit": "graph", "std": 1.0}, "unit must be"),
        ({"unit": "edge", "std": -1.0}, "std must not be negative"),
        ({"unit": "edge", "std": math.nan}, "std must not be negative"),
        ({"unit": "node", "std": 1.0}, "max_degree must be at least 1"),
    ],
)
def test_a_mechanism_cannot_be_built_wrong(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AggregationPerturbation(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("shared", [True, False])
def test_sums_of_hubs_are_exact_until_they_have_their_noise(shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 2,048 neighbours single precision would round a sum, by what hangs on who is in it."""
    nodes = 9001
    hub = torch.sparse_csr_tensor(
        torch.tensor([0, nodes - 1, *[nodes - 1] * (nodes - 1)]),
        torch.arange(1, nodes),
        torch.ones(nodes - 1),
        (nodes, nodes),
        check_invariants=True,
    )
    embeddings = torch.rand(2, 3, nodes, generator=torch.Generator().manual_seed(0)) + 1
    seen: list[Tensor] = []

    def watched(self: AggregationPerturbation, aggregates: Tensor, stream: Secret) -> Tensor:
        seen.append(aggregates.clone())
        return aggregates

    monkeypatch.setattr(AggregationPerturbation, "perturb_", watched)
    mechanisms = [AggregationPerturbation(unit="edge", std=1.0)] * 2
    release_stack(mechanisms, [hub, hub if shared else hub.clone()], embeddings, [secret(0), secret(1)])
    for member, found in enumerate(seen):
        exact = unit_rows(embeddings[member].t()).double()[1:].sum(0)
        assert torch.equal(found[:, 0].double(), exact)
