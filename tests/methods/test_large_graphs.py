"""GAP and ProGAP on a graph that is mapped from files: the same sums and noise, bit by bit."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tests.data import large_made_here as made
from tests.secrets_made_here import secret

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.own.adding import add
from privgraph.mechanisms import aggregation
from privgraph.mechanisms.aggregation import AggregationPerturbation, aggregate, unit_rows


@pytest.fixture
def graphs(tmp_path: Path) -> tuple[Graph, Graph]:
    """One and the same graph: in memory, and mapped from files."""
    mapped = load(add(made.write(tmp_path, "csv")).name, split_seed=3)
    plain = replace(mapped, x=mapped.x.clone(), y=mapped.y.clone(), edge_index=mapped.edge_index.clone(), _cache={})
    return plain, mapped


@pytest.mark.parametrize("most", [2_048, 100])  # where a node has more neighbours, sums are made in double precision
@pytest.mark.parametrize("entries", [1, 13, 1_000])
def test_noisy_sums_in_chunks_of_a_mapped_graph(
    entries: int, most: int, graphs: tuple[Graph, Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow twin: every row summed by itself, in whole numbers, which have no rounding at all."""
    plain, mapped = graphs
    monkeypatch.setattr(aggregation, "_MOST_TERMS", most)
    rows = unit_rows(torch.randn(made.NODES, 5, generator=torch.Generator().manual_seed(0)))
    grains = (rows.double() * 2**13).long()
    assert torch.equal(grains.double() / 2**13, rows.double())
    source, target = plain.edge_index
    exact = torch.zeros(made.NODES, 5, dtype=torch.int64).index_add_(0, target, grains[source]).double() / 2**13
    whole = aggregate(plain.adjacency(), rows)
    mechanism = AggregationPerturbation(unit="edge", std=2.0)
    noisy = mechanism.release(plain.adjacency(), rows, secret())
    assert mapped.facts.entries < aggregation._CHUNK_ENTRIES  # in one piece
    monkeypatch.setattr(aggregation, "_CHUNK_ENTRIES", entries)
    chunked = aggregate(mapped.adjacency(), rows)
    assert chunked.dtype == (torch.float32 if most == 2_048 else torch.float64)
    assert torch.equal(chunked.double(), exact)
    assert torch.equal(chunked, whole)
    assert torch.equal(mechanism.release(mapped.adjacency(), rows, secret()), noisy)
    assert not torch.equal(noisy, whole)
