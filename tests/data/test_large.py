"""Graphs that are read piece by piece: the same graph as an upload of the same files, whatever the pieces."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.data import large_made_here as made

from privgraph.data import uploads
from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.graph import Graph
from privgraph.data.large import edges as edges_of
from privgraph.data.large import graphml, nodes, sorting, tables
from privgraph.data.large.add import LARGE, Added, add
from privgraph.data.load import load
from privgraph.data.upload import check_upload, save_upload
from privgraph.home import home
from privgraph.options import UnknownName

TENSORS = ("x", "y", "edge_index", "train_mask", "val_mask", "test_mask")


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces so small that every border is crossed many times."""
    monkeypatch.setattr(tables, "BLOCK", 1_000)
    monkeypatch.setattr(tables, "ROWS", 77)
    monkeypatch.setattr(sorting, "RUN", 501)
    monkeypatch.setattr(graphml, "ROOM", 64)
    monkeypatch.setattr(edges_of, "_ENTRIES", 97)
    monkeypatch.setattr(nodes, "_ROWS", 37)


def uploaded(paths: Sequence[Path]) -> Graph:
    return load(save_upload(check_upload({path.name: path.read_bytes() for path in paths})))


def differences(one: Graph, other: Graph) -> list[str]:
    """Names of what differs between two graphs, but for their name."""
    found = [name for name in TENSORS if not torch.equal(getattr(one, name), getattr(other, name))]
    found += [
        name
        for name in ("undirected", "class_names", "feature_names", "split", "split_seed")
        if getattr(one, name) != getattr(other, name)
    ]
    return found


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("kind", ["csv", "parquet", "mixed", "npy", "graphml"])
def test_the_same_graph_as_an_upload(kind: str, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    plain = uploaded(made.write(tmp_path / "plain", "csv"))
    added = add(made.write(tmp_path, kind), title="Large")
    graph = load(added.name)
    unnamed = {"class_names", "feature_names"} if kind == "npy" else set()
    assert set(differences(graph, plain)) <= unnamed
    assert torch.equal(graph.adjacency().crow_indices(), plain.adjacency().crow_indices())
    assert torch.equal(graph.adjacency().to_dense(), plain.adjacency().to_dense())
    assert (added.nodes, added.edges) == (made.NODES, plain.facts.edges)
    spec = dataset(added.name)
    assert (spec.title, spec.kind, spec.edges, spec.features, spec.classes) == ("Large", "upload", added.edges, 3, 3)
    assert spec in uploads.uploads()


def test_blanks_around_the_name_of_an_end_are_no_part_of_it(tmp_path: Path) -> None:
    edges, nodes_of = made.write(tmp_path, "csv")
    plain = load(add([edges, nodes_of]).name)
    header, *rows = edges.read_text().splitlines()
    edges.write_text("\n".join([header, *(f" {row.replace(',', ' , ')} " for row in rows), ""]))
    assert not differences(load(add([edges, nodes_of]).name), plain)


@pytest.mark.usefixtures("tiny")
def test_directed_edges_are_entries_by_themselves(tmp_path: Path) -> None:
    edges, table = made.frames()
    number = {name: place for place, name in enumerate(table["id"])}
    listed = [(number[a], number[b]) for a, b in zip(edges["source"], edges["target"], strict=True)]
    wanted = sorted({(b, a) for a, b in listed if a != b})
    added = add(made.write(tmp_path, "csv"), directed=True)
    graph = load(added.name)
    assert graph.edge_index.t().tolist() == [[source, target] for target, source in wanted]
    assert not graph.undirected
    assert not dataset(added.name).undirected
    assert graph.facts.edges == graph.facts.entries == added.edges == len(wanted)
    loops = sum(a == b for a, b in listed)
    assert added.notes == (
        "Every edge is read as directed, from source to target.",
        f"Self-loops dropped: {loops:,}.",
        f"10,000 edges were listed, and {10_000 - loops - len(wanted):,} duplicates were merged: the same two nodes "
        "again, in the same direction.",
    )
    assert added.name != add(made.write(tmp_path, "csv")).name


def test_files_are_known_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = made.write(tmp_path, "csv")
    first = add(paths, title="One")
    with monkeypatch.context() as patch:
        patch.setattr(tables.Table, "batches", None)  # nothing is read again
        again = add(paths[::-1], title="Two")
    assert again == Added(name=first.name, nodes=first.nodes, edges=first.edges, notes=first.notes, before=True)
    assert dataset(first.name).title == "Two"
    paths[1].write_text(paths[1].read_text().replace("red", "grey"))
    assert add(paths).name != first.name
    assert first.name in {spec.name for spec in uploads.uploads()}


def test_a_cache_that_is_gone_is_made_again(tmp_path: Path) -> None:
    paths = made.write(tmp_path, "csv")
    name = add(paths).name
    kept = load(name)
    folder = uploads.upload_path(name)
    assert folder.parent == home() / "cache" / "large"
    assert {path.name for path in folder.iterdir()} == {"edges.npy", "pointers.npy", "x.npy", "y.npy"}
    assert list(folder.parent.glob(".new-*")) == []
    folder.rename(tmp_path / "elsewhere")
    assert name not in {spec.name for spec in uploads.uploads()}
    with pytest.raises(UnknownName, match="are gone: upload the graph, or add its files, again"):
        load(name)
    assert add(paths).name == name
    assert not differences(load(name), kept)
    pointers = np.load(folder / "pointers.npy")
    moved = pointers.copy()
    moved[1] += 1
    for wrong in (moved, pointers + 1):  # the second says how many entries each node has, and begins late
        np.save(folder / "pointers.npy", wrong)
        with pytest.raises(DataError, match="is damaged: its pointers are not those of its edges"):
            load(name)
    np.save(folder / "pointers.npy", pointers)
    assert not differences(load(name), kept)
    np.save(folder / "edges.npy", np.zeros((2, 3), dtype=np.int64))
    with pytest.raises(DataError, match="is damaged: its edges has the shape"):
        load(name)
    (folder / "edges.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(DataError, match="of a large graph cannot be read"):
        load(name)
    uploads.delete_upload(name)
    assert not folder.exists()
    assert name not in {spec.name for spec in uploads.uploads()}


def test_the_name_is_no_hash_that_others_could_make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = made.write(tmp_path, "csv")
    names = []
    for place in ("one", "other"):
        monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / place))
        names.append(add(paths).name)
    assert names[0] != names[1]


def test_nothing_is_written_to_the_files(tmp_path: Path) -> None:
    name = add(made.write(tmp_path, "csv")).name
    graph = load(name)
    before = graph.edge_index[0, 0].item(), graph.x[0, 0].item()
    graph.edge_index[0, 0] = 399
    graph.x[0, 0] = 5
    again = load(name)
    assert (again.edge_index[0, 0].item(), again.x[0, 0].item()) == before


@pytest.mark.parametrize("shape", ["uniform", "one edge"])
def test_memory_does_not_grow_with_edges(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the distribution: it is a few times that of a run, and a fraction of the edges'."""
    monkeypatch.setattr(edges_of, "_ENTRIES", 1 << 12)
    monkeypatch.setattr(sorting, "RUN", 1 << 13)
    count, edges = 1_000, 800_000
    rng = np.random.default_rng(0)
    tracemalloc.start()
    adjacency = edges_of.Adjacency(tmp_path, tmp_path, count, True, LARGE)
    for _ in range(edges // 1_000):
        source, target = rng.integers(0, count, (2, 1_000))
        if shape == "one edge":
            source[:], target[:] = 5, 6
        adjacency.add(source, target)
    adjacency.write(lambda _: None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * 8 * sorting.RUN
    assert peak < edges * 16 / 15
