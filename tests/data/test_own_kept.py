"""Graphs of one's own that were kept: under which name, where, and as which tensors, whatever the pieces they
were read in."""

import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.data import large_made_here as large
from tests.data import uploads_made_here as made

from privgraph.data import uploads
from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.own import delimited, frames, markup, sorting
from privgraph.data.own import edges as edges_of
from privgraph.data.own.adding import add
from privgraph.data.own.description import described
from privgraph.data.own.limits import LARGE
from privgraph.home import home
from privgraph.options import UnknownName

ARRAYS = made.arrays()
TENSORS = ("x", "y", "edge_index", "train_mask", "val_mask", "test_mask")
RELATIONS, TEXTS = made.text_files()


def differences(one: Graph, other: Graph) -> list[str]:
    """Names of what differs between two graphs, but for their name."""
    found = [name for name in TENSORS if not torch.equal(getattr(one, name), getattr(other, name))]
    plain = ("undirected", "class_names", "feature_names", "split", "split_seed")
    return found + [name for name in plain if getattr(one, name) != getattr(other, name)]


@pytest.mark.parametrize("pieces", ["tiny", "whole"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "mixed", "npy", "graphml"])
def test_the_same_graph_whatever_the_pieces(
    kind: str, pieces: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    plain = load(add(large.write(tmp_path / "plain", "csv")).name)
    if pieces == "tiny":  # every border is crossed many times
        for module, name, value in (
            (delimited, "_ALONE", 0),
            (delimited, "_BLOCK", 1_000),
            (frames, "ROWS", 77),
            (markup, "ROWS", 64),
            (markup, "_CHUNK", 999),
            (sorting, "RUN", 501),
            (edges_of, "_ENTRIES", 97),
        ):
            monkeypatch.setattr(module, name, value)
    found = add(large.write(tmp_path, kind), title="Large")
    graph = load(found.name)
    unnamed = {"class_names", "feature_names"} if kind == "npy" else set()
    assert set(differences(graph, plain)) <= unnamed
    assert torch.equal(graph.adjacency().crow_indices(), plain.adjacency().crow_indices())
    spec = dataset(found.name)
    assert (spec.title, spec.kind, spec.edges, spec.features, spec.classes) == ("Large", "upload", found.edges, 3, 3)
    assert found.edges == plain.facts.edges


def test_directed_edges_are_entries_by_themselves(tmp_path: Path) -> None:
    edges, table = large.frames()
    number = {name: place for place, name in enumerate(table["id"])}
    listed = [(number[a], number[b]) for a, b in zip(edges["source"], edges["target"], strict=True)]
    wanted = sorted({(b, a) for a, b in listed if a != b})
    found = add(large.write(tmp_path, "csv"), described({"directed": True}))
    graph = load(found.name)
    assert graph.edge_index.t().tolist() == [[source, target] for target, source in wanted]
    assert not graph.undirected
    assert graph.facts.edges == graph.facts.entries == found.edges == len(wanted)
    assert found.name != add(large.write(tmp_path, "csv")).name


def test_a_graph_is_kept_by_name_and_deleted() -> None:
    first = made.taken({"graph.npz": made.npz(ARRAYS)}, title="../Our <school>\n")
    assert re.fullmatch("upload:[0-9a-f]{16}", first.name)
    again = made.taken({"other.npz": made.npz(ARRAYS, compressed=False)}, title="Our school")
    assert (again.name, again.before) == (first.name, True)
    made.taken({"third.npz": made.npz(ARRAYS)})
    spec = dataset(first.name)
    assert (spec.title, spec.nodes, spec.features, spec.classes, spec.public_split) == ("Our school", 24, 4, 3, True)
    assert load(first.name, split_seed=1).class_names == ("red", "green", "blue")
    assert load(first.name, split="public").val_mask.tolist() == ARRAYS["val_mask"].tolist()
    other = made.taken({"graph.npz": made.npz(made.arrays(seed=1))}).name
    uploads.delete_upload(other)
    assert [found.name for found in uploads.uploads()] == [first.name]
    key = first.name.removeprefix("upload:")
    assert sorted(path.name for path in (home() / "uploads").iterdir()) == [key, f"{key}.json"]
    with pytest.raises(UnknownName, match="upload the graph again"):
        load(other)


@pytest.mark.parametrize("field", ["x", "y", "edge_index", "class_names", "feature_names", "train_mask", "masks"])
def test_whatever_is_other_in_a_graph_has_another_name(field: str) -> None:
    """A name stands for one content: the second of two graphs with one name would take the place of the
    first."""
    changed: dict[str, Any] = {name: np.array(value) for name, value in ARRAYS.items()}
    if field == "masks":
        changed = {name: value for name, value in changed.items() if not name.endswith("_mask")}
    elif field == "train_mask":
        changed[field][np.flatnonzero(changed[field])[0]] = False
    elif field == "edge_index":
        changed[field] = changed[field][:, :-9]
    elif field.endswith("names"):
        changed[field][1] = "other"
    else:
        changed[field].flat[-1] = (changed[field].flat[-1] + 1) % 3
    assert made.taken({"a.npz": made.npz(changed)}).name != made.taken({"a.npz": made.npz(ARRAYS)}).name


def test_a_name_says_nothing_to_who_lacks_the_key_of_the_installation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever can guess a graph but for one friendship stores both guesses, and compares names."""
    name = made.taken({"a.npz": made.npz(ARRAYS)}).name
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "elsewhere"))
    guessed = made.taken({"a.npz": made.npz(ARRAYS)}).name
    assert guessed != name
    (tmp_path / "elsewhere" / "noise.key").unlink()
    assert made.taken({"a.npz": made.npz(ARRAYS)}).name not in (name, guessed)


def test_no_name_becomes_a_path() -> None:
    for name in (
        "upload:../../../etc",
        "upload:",
        "upload:0123456789ab/",
        "upload:0123456789AB",
        "upload:0123456789abc",
    ):
        with pytest.raises(UnknownName, match="16 hex digits"):
            dataset(name)
    made.taken({"../../evil.npz": made.npz(ARRAYS)})
    assert not list(home().parent.rglob("evil*"))


def test_arrays_that_are_damaged_afterwards(tmp_path: Path) -> None:
    name = add(large.write(tmp_path, "csv")).name
    kept, folder = load(name), uploads.upload_path(name)
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
    with pytest.raises(DataError, match="cannot be read"):
        load(name)


def test_nothing_is_written_to_the_files(tmp_path: Path) -> None:
    name = add(large.write(tmp_path, "csv")).name
    graph = load(name)
    before = graph.edge_index[0, 0].item(), graph.x[0, 0].item()
    graph.edge_index[0, 0] = 399
    graph.x[0, 0] = 5
    again = load(name)
    assert (again.edge_index[0, 0].item(), again.x[0, 0].item()) == before


@pytest.mark.parametrize("written", ["0099999", "0x1869f"])
def test_ids_that_are_numbers_in_another_way(written: str, tmp_path: Path) -> None:
    """Such an id is its text: an edge that names the number means another node."""
    paths = large.write(tmp_path, "csv", texts=False)
    edges, nodes = large.frames(False)
    swapped = {nodes["id"][0]: written}
    nodes.assign(id=nodes["id"].map(lambda name: swapped.get(name, name))).to_csv(paths[1], index=False)
    edges.map(lambda name: swapped.get(name, name)).to_csv(paths[0], index=False)
    assert add(paths).nodes == large.NODES
    with paths[0].open("a") as file:
        file.write(f"{written},99999\n")
    with pytest.raises(DataError, match="names the node 99999"):
        add(paths)


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


# Texts and relations


def test_texts_their_domains_and_relations_are_kept() -> None:
    plain = b"source,target\nt0,t3\nt3,t6\nt1,t4\nt4,t1\nt1,t4\nt2,t2\nt0,t1\n"
    odd = 'said: "two\r\nlines", \u4e2d\u6587 \U0001f600!'
    field = b'"' + odd.replace('"', '""').encode() + b'"'
    windows = b"\xef\xbb\xbf" + TEXTS.replace(b"\n", b"\r\n") + b"\r\n\r\n"
    found = made.taken(
        {"a.csv": windows.replace(b'"thing number 5, of office"', field), "b.csv": plain}, title="Our <shop>"
    )
    graph, spec = load(found.name), dataset(found.name)
    assert graph.texts[:2] == ("thing number 0, of kitchen", "thing number 1, of garden")
    assert graph.texts[5] == odd
    assert graph.domain_names == spec.domains == ("kitchen", "garden", "office")
    assert graph.domains.tolist() == [0, 1, 2] * 8
    assert graph.facts.relations == (2, 1, 0)
    assert graph.relations(0).tolist() == [[0, 3], [3, 6]]
    assert graph.class_names == ("decoration", "tool")
    assert graph.y[:9].tolist() == [-1, 1, 1, 0, 0, 0, 1, 1, -1]
    assert (spec.task, spec.nodes, spec.edges) == ("relation prediction", 24, 4)
    said = dict(found.summary)
    assert (said["loops dropped"], said["duplicates merged"], said["relations between domains, not read"]) == (
        "1",
        "2",
        "1",
    )
    assert made.taken({"a.csv": TEXTS.replace(b"number 3,", b"number 4,"), "b.csv": plain}).name != found.name


def test_random_halves_only_for_who_asks() -> None:
    bare = b"\n".join(line.rsplit(b",", 2)[0] for line in TEXTS.split(b"\n"))
    graph = made.graph({"a.csv": bare, "b.csv": RELATIONS}, text="text", halves=True)
    assert np.bincount(graph.domains).tolist() == [12, 12]
    assert torch.equal(graph.y, graph.domains)
    again = made.graph({"a.csv": bare, "b.csv": RELATIONS.rsplit(b"\n", 30)[0]}, text="text", halves=True)
    assert again.facts.edges < graph.facts.edges
    assert torch.equal(again.domains, graph.domains), "relations have no say in who is in which half"
