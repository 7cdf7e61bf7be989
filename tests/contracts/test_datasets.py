"""Every data set of the catalogue keeps the contract of `Graph` and has the sizes that its spec says."""

from pathlib import Path

import pytest
import torch

from privgraph.data import catalogue
from privgraph.data.catalogue import DATASETS
from privgraph.data.files import missing
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.spec import DatasetSpec

README = Path(catalogue.__file__).with_name("README.md")
HEAVY = {"coauthor-physics"}  # 1.2 GB of features


def check_graph(graph: Graph) -> None:
    """The contract of `Graph`."""
    nodes = graph.num_nodes
    assert graph.x.dtype == torch.float32
    assert graph.x.dim() == 2
    assert bool(torch.isfinite(graph.x).all())
    assert graph.y.dtype == torch.int64
    assert graph.y.shape == (nodes,)
    assert int(graph.y.min()) == 0
    assert torch.unique(graph.y).numel() == graph.num_classes >= 2
    source, target = graph.edge_index
    assert graph.edge_index.dtype == torch.int64
    assert not bool((source == target).any())
    key = target * nodes + source
    assert bool((key[1:] > key[:-1]).all()), "edges are unique and sorted by target, then source"
    if graph.edge_index.numel():
        assert 0 <= int(graph.edge_index.min()) <= int(graph.edge_index.max()) < nodes
    if graph.undirected:
        reverse, _ = torch.sort(source * nodes + target)
        assert torch.equal(reverse, key)
    masks = (graph.train_mask, graph.val_mask, graph.test_mask)
    assert all(mask.dtype == torch.bool and mask.shape == (nodes,) and bool(mask.any()) for mask in masks)
    assert int(torch.stack(masks).sum(0).max()) == 1
    assert not graph.class_names or len(graph.class_names) == graph.num_classes
    assert not graph.feature_names or len(graph.feature_names) == graph.x.shape[1]


def check_texts(graph: Graph) -> None:
    """What holds of texts: each has one, a domain and a class, and domains have relations to learn from."""
    assert len(graph.texts) == graph.domains.numel() == graph.num_nodes
    assert all(text.strip() for text in graph.texts)
    assert set(graph.domains.tolist()) == set(range(len(graph.domain_names)))
    assert len(graph.domain_names) >= 2
    assert graph.undirected, "a relation has no direction"
    facts = graph.facts
    assert min(facts.relations) >= 256, "predictions are held against 256 candidates"
    rows = README.read_text().splitlines() if DATASETS[graph.name].kind == "real" else ()
    said = [tuple(cell.strip() for cell in row.split("|")[1:-1]) for row in rows if f"| {graph.name} |" in row]
    sizes = zip(facts.domains, facts.entities, facts.relations, strict=True)
    assert not rows or said[1:] == [(name, graph.name, f"{texts:,}", f"{pairs:,}") for name, texts, pairs in sizes]


def check_spec(graph: Graph, spec: DatasetSpec) -> None:
    """What the catalogue says of the graph."""
    facts = graph.facts
    assert graph.name == spec.name
    assert graph.undirected == spec.undirected
    assert graph.domain_names == spec.domains
    for name in ("nodes", "edges", "features", "classes"):
        said = getattr(spec, name)
        assert said is None or said == getattr(facts, name), name
    if spec.homophily is not None:
        source, target = graph.y[graph.edge_index]
        assert spec.homophily == round(float((source == target).double().mean()), 2)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.study if name in HEAVY else ()) for name in DATASETS]
)
def test_a_data_set_is_what_the_catalogue_says(name: str, shared_data: Path, capfd: pytest.CaptureFixture[str]) -> None:
    spec = DATASETS[name]
    if sentence := missing(spec):
        pytest.skip(sentence)
    graph = load(name, split_seed=3)
    check_graph(graph)
    check_spec(graph, spec)
    if spec.task == "relation prediction":
        check_texts(graph)
    assert int((graph.train_mask | graph.val_mask | graph.test_mask).sum()) == graph.num_nodes
    assert graph.split == "random"
    assert graph.split_seed == 3
    if spec.public_split:
        check_graph(load(name, split="public"))
    assert capfd.readouterr() == ("", ""), "loading is silent"
