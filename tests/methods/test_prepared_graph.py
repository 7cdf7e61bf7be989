"""The prepared graph of prompts: parts by node numbers, features and ego-graphs that read nobody else's
record, a backbone kept."""

from dataclasses import replace

import pytest
import torch
from tests.methods.drained import returned
from tests.secrets_made_here import KEY

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.methods.prompts import pretrained as module
from privgraph.methods.prompts.options import PromptOptions
from privgraph.methods.prompts.pretrained import PreparedGraph, features, prepare
from privgraph.methods.teachers.options import PartitionOptions
from privgraph.methods.teachers.parts import split_parts
from privgraph.methods.training import Context

OPTIONS = PromptOptions(backbone="gcn", hidden=8, pretrain_epochs=4, queries=10, dimensions=8)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return load("social", split_seed=3, data_options={"nodes": 80, "degree": 6})


def prepare_it(graph: Graph, options: PromptOptions = OPTIONS, seed: int = 0) -> PreparedGraph:
    return returned(prepare(graph, options, Context(seed=seed, noise_key=KEY), done=100, total=1000))


def test_parts_are_cut_by_node_numbers(graph: Graph) -> None:
    prepared = prepare_it(graph)
    assert [len(part) for part in (prepared.private_nodes, prepared.query_nodes, prepared.test_nodes)] == [40, 10, 30]
    everybody = torch.cat([prepared.private_nodes, prepared.query_nodes, prepared.test_nodes])
    assert everybody.sort().values.tolist() == list(range(80))
    assert torch.equal(prepared.public_nodes, prepared.readable.nonzero().squeeze(1))
    more = prepare_it(graph, replace(OPTIONS, queries=20))
    assert torch.equal(more.private_nodes, prepared.private_nodes), "the same people are private, whatever is asked"
    other = split_parts(graph, PartitionOptions(private=0.5, public_train=0.3, public_test=0.2))
    assert torch.equal(other.private_nodes, prepared.private_nodes), "and the same as PrivGNN's"
    assert not torch.equal(prepare_it(replace(graph, split_seed=4)).private_nodes, prepared.private_nodes)
    assert prepared.priority.sort().values.tolist() == list(range(80))


def changed(graph: Graph, node: int, *, leaves: bool) -> Graph:
    """The neighbouring graph in which `node` has no edges, features or label, or has others."""
    draws = torch.Generator().manual_seed(node)
    edges = graph.edge_index[:, (graph.edge_index != node).all(0)]
    x, y = graph.x.clone(), graph.y.clone()
    x[node] = 0 if leaves else 5 * torch.randn(x.shape[1], generator=draws)
    y[node] = (y[node] + 1) % graph.num_classes
    if not leaves:
        others = torch.randperm(graph.num_nodes, generator=draws)[:9]
        new = torch.stack([others[others != node], torch.full((int((others != node).sum()),), node)])
        edges = torch.cat([edges, new, new.flip(0)], 1)
    return replace(graph, x=x, y=y, edge_index=edges, _cache={})


@pytest.mark.parametrize("leaves", [True, False], ids=["leaves", "changes"])
def test_a_private_node_changes_its_own_inputs_alone(graph: Graph, leaves: bool) -> None:
    """All private nodes in turn: what is made of everybody else is the same, to the last digit."""
    before = prepare_it(graph)
    everybody = torch.arange(80)
    egos, own = before.egos(everybody), 0
    for node in before.private_nodes.tolist():
        others = everybody != node
        after = prepare_it(changed(graph, node, leaves=leaves))
        for name, value in before.backbone.weights.items():
            assert torch.equal(value, after.backbone.weights[name]), "the backbone saw public nodes alone"
        for name in ("table", "labels", "public_degree"):
            assert torch.equal(getattr(before, name)[others], getattr(after, name)[others]), name
        for name in ("private_nodes", "query_nodes", "test_nodes", "priority", "readable"):
            assert torch.equal(getattr(before, name), getattr(after, name)), name
        theirs = after.egos(everybody)
        assert torch.equal(egos.nodes[others], theirs.nodes[others])
        assert torch.equal(egos.adjacency[others], theirs.adjacency[others])
        own += int(not torch.equal(before.table[node], after.table[node]))
        own += int(not torch.equal(egos.adjacency[node], theirs.adjacency[node]))
    assert own > 70, "its own inputs are its own record"


def test_a_decomposition_of_everybody_lets_one_change_all(graph: Graph) -> None:
    options = replace(OPTIONS, svd="everybody")
    before = prepare_it(graph, options)
    node = int(before.private_nodes[0])
    after = prepare_it(changed(graph, node, leaves=False), options)
    assert (before.table != after.table).any(1).all()


def test_alone_nobody_is_read(graph: Graph) -> None:
    prepared = prepare_it(graph, replace(OPTIONS, context="alone"))
    assert not prepared.readable.any()
    assert not prepared.egos(torch.arange(80)).adjacency.any()
    assert len(prepared.public_nodes) == 40


def test_rows_have_few_dimensions_and_length_one() -> None:
    draws = torch.Generator().manual_seed(0)
    x = torch.randn(50, 4, generator=draws) @ torch.randn(4, 30, generator=draws)
    known = torch.arange(50) < 30
    table = features(x, known, 10)
    assert table.shape == (50, 10)
    assert table.dtype == torch.float32
    assert torch.allclose(table.norm(dim=1), torch.ones(50), atol=1e-5)
    assert (table[:, 4:].abs().max() < 1e-6).all(), "of rank four there are four dimensions"
    # the four keep all that the rows say: angles between centred rows
    centred = torch.nn.functional.normalize(x - x[known].mean(0), dim=1)
    assert torch.allclose(table @ table.t(), centred @ centred.t(), atol=1e-4)
    fewer = features(x, known, 2)
    _, _, vectors = torch.linalg.svd(x[known], full_matrices=False)
    exact = x @ vectors[:2].t()
    exact = torch.nn.functional.normalize(exact - exact[known].mean(0), dim=1)
    assert torch.allclose(fewer @ fewer.t(), exact @ exact.t(), atol=1e-4)


@pytest.mark.parametrize("wide", [True, False], ids=["wider", "narrower"])
def test_another_graph_teaches_the_backbone(graph: Graph, wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its features are brought to the same number of dimensions; no private node is read for it."""
    other = load("social", data_options={"nodes": 60, "degree": 5, "features": 40 if wide else 5, "seed": 1})
    asked: list[str] = []
    monkeypatch.setattr(module, "load", lambda name: asked.append(name) or other)
    first = prepare_it(graph, replace(OPTIONS, pretrain_on="citeseer"))
    assert asked == ["citeseer"]
    assert first.backbone.features == first.table.shape[1] == 8
    second = prepare_it(
        replace(graph, x=-graph.x, edge_index=graph.edge_index[:, :0], _cache={}),
        replace(OPTIONS, pretrain_on="citeseer"),
    )
    assert all(torch.equal(value, second.backbone.weights[name]) for name, value in first.backbone.weights.items())
    alone = features(other.x, torch.ones(60, dtype=torch.bool), 8)
    assert alone.shape == (60, 8 if wide else 5)
