"""A random graph, written in each format by whoever writes it, is read back with equal tensors."""

from __future__ import annotations

import csv
import gzip
import io
import json
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse
import torch
from tests.data import uploads_made_here as made

import privgraph as pg
from privgraph.data.own.adding import add
from privgraph.data.own.description import described

CLASSES = ("red", "green", "blue")
FORMATS: dict[str, Callable[[Random], Mapping[str, bytes]]] = {}


@dataclass
class Random:
    """A graph whose nodes are named by their number or by words, drawn anew for each seed."""

    seed: int

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        self.nodes = int(rng.integers(12, 40))
        named = rng.random() < 0.5
        self.ids = [f"p{at}" for at in rng.permutation(self.nodes)] if named else [str(at) for at in range(self.nodes)]
        self.x = rng.choice([-2.5, 0.0, 0.125, 1.5, 3.0, 1e-3, 12345.678], (self.nodes, 3)).astype(np.float32)
        self.y = np.concatenate([np.arange(3), rng.integers(-1, 3, self.nodes - 3)])
        self.edges = rng.integers(0, self.nodes, (2, int(rng.integers(1, 4 * self.nodes))))

    @property
    def labels(self) -> list[str]:
        return ["" if label < 0 else CLASSES[label] for label in self.y]

    def node_table(self) -> pd.DataFrame:
        table = pd.DataFrame({"id": self.ids, "label": self.labels})
        return table.assign(**{f"f{at}": self.x[:, at] for at in range(3)})

    def edge_table(self) -> pd.DataFrame:
        return pd.DataFrame(
            {"source": [self.ids[at] for at in self.edges[0]], "target": [self.ids[at] for at in self.edges[1]]}
        )

    def as_networkx(self) -> nx.MultiGraph:
        graph = nx.MultiGraph()
        for at, name in enumerate(self.ids):
            graph.add_node(name, label=self.labels[at], **{f"f{place}": float(self.x[at, place]) for place in range(3)})
        graph.add_edges_from((self.ids[one], self.ids[other]) for one, other in self.edges.T)
        return graph


def written(name: str) -> Callable[[Callable[[Random], Mapping[str, bytes]]], Callable[[Random], Mapping[str, bytes]]]:
    def keep(write: Callable[[Random], Mapping[str, bytes]]) -> Callable[[Random], Mapping[str, bytes]]:
        FORMATS[name] = write
        return write

    return keep


def _separated(
    graph: Random, mark: str, end: str = "\n", encoding: str = "utf-8", decimal: str = ".", first: str = ""
) -> dict[str, bytes]:
    """Two tables as spreadsheet programs write them."""
    found = {}
    for name, table in (("edges.csv", graph.edge_table()), ("nodes.csv", graph.node_table())):
        text = first + table.to_csv(index=False, sep=mark, lineterminator=end, decimal=decimal)
        found[name] = text.encode(encoding)
    return found


@written("csv")
def _(graph: Random) -> Mapping[str, bytes]:
    return _separated(graph, ",")


@written("tsv, CR alone, decimal commas")
def _(graph: Random) -> Mapping[str, bytes]:
    return _separated(graph, "\t", end="\r", decimal=",")


@written("semicolons of Excel, UTF-16")
def _(graph: Random) -> Mapping[str, bytes]:
    return _separated(graph, ";", end="\r\n", encoding="utf-16", first="sep=;\r\n")


@written("quoted, byte order mark")
def _(graph: Random) -> Mapping[str, bytes]:
    tables = (("e", graph.edge_table()), ("n", graph.node_table()))
    return {name: b"\xef\xbb\xbf" + table.to_csv(index=False, quoting=csv.QUOTE_ALL).encode() for name, table in tables}


@written("gz")
def _(graph: Random) -> Mapping[str, bytes]:
    return {f"{name}.gz": gzip.compress(content) for name, content in _separated(graph, ",").items()}


@written("zip")
def _(graph: Random) -> Mapping[str, bytes]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in _separated(graph, "|").items():
            archive.writestr(f"folder/{name}", content)
    return {"graph.zip": packed.getvalue()}


@written("edge list of networkx")
def _(graph: Random) -> Mapping[str, bytes]:
    lines = [f"{graph.ids[one]} {graph.ids[other]} {{'weight': 2.5}}" for one, other in graph.edges.T]
    return {"e.txt": "\n".join(lines).encode(), "nodes.csv": _separated(graph, ",")["nodes.csv"]}


@written("edge list of SNAP")
def _(graph: Random) -> Mapping[str, bytes]:
    lines = [
        "# Nodes: 40 Edges: 80",
        "# FromNodeId\tToNodeId",
        *(f"{graph.ids[one]}\t{graph.ids[other]}" for one, other in graph.edges.T),
    ]
    return {"e.txt": "\n".join(lines).encode(), "nodes.csv": _separated(graph, ",")["nodes.csv"]}


@written("edge list of KONECT")
def _(graph: Random) -> Mapping[str, bytes]:
    lines = ["% sym positive", *(f"{graph.ids[one]} {graph.ids[other]} 1 1082008561 " for one, other in graph.edges.T)]
    return {"out.graph": "\n".join(lines).encode(), "nodes.csv": _separated(graph, ",")["nodes.csv"]}


@written("parquet")
def _(graph: Random) -> Mapping[str, bytes]:
    return {
        name: table.to_parquet(index=False) for name, table in (("e", graph.edge_table()), ("n", graph.node_table()))
    }


@written("excel")
def _(graph: Random) -> Mapping[str, bytes]:
    pytest.importorskip("openpyxl")
    packed = io.BytesIO()
    with pd.ExcelWriter(packed) as book:
        graph.edge_table().to_excel(book, sheet_name="edges", index=False)
        graph.node_table().to_excel(book, sheet_name="nodes", index=False)
    return {"graph.xlsx": packed.getvalue()}


@written("graphml")
def _(graph: Random) -> Mapping[str, bytes]:
    packed = io.BytesIO()
    nx.write_graphml_xml(graph.as_networkx(), packed)
    return {"g.graphml": packed.getvalue()}


@written("gexf")
def _(graph: Random) -> Mapping[str, bytes]:
    packed = io.BytesIO()
    named = graph.as_networkx()
    nx.set_node_attributes(named, {name: {"group": label} for name, label in zip(graph.ids, graph.labels, strict=True)})
    nx.write_gexf(named, packed)
    return {"g.gexf": packed.getvalue()}


@written("gml")
def _(graph: Random) -> Mapping[str, bytes]:
    named = nx.relabel_nodes(graph.as_networkx(), {name: at for at, name in enumerate(graph.ids)})
    for at, label in enumerate(graph.labels):
        named.nodes[at]["group"] = label
        named.nodes[at].pop("label")
    return {"g.gml": "\n".join(nx.generate_gml(named)).encode()}


@written("pajek and a table")
def _(graph: Random) -> Mapping[str, bytes]:
    packed = io.BytesIO()
    nx.write_pajek(nx.MultiGraph(graph.as_networkx().edges()), packed)
    return {"g.net": packed.getvalue(), "nodes.csv": _separated(graph, ",")["nodes.csv"]}


@written("json node-link")
def _(graph: Random) -> Mapping[str, bytes]:
    return {"g.json": json.dumps(nx.node_link_data(graph.as_networkx(), edges="links")).encode()}


@written("npz")
def _(graph: Random) -> Mapping[str, bytes]:
    names = {"class_names": np.array(CLASSES), "feature_names": np.array(["f0", "f1", "f2"])}
    return {"g.npz": made.npz({"x": graph.x, "y": graph.y, "edge_index": graph.edges, **names})}


@written("npy and csv without ids")
def _(graph: Random) -> Mapping[str, bytes]:
    numbered = pd.DataFrame({"source": graph.edges[0], "target": graph.edges[1]}).to_csv(index=False).encode()
    return {"x.npy": _npy(graph.x), "edges.csv": numbered, "y.npy": _npy(graph.y)}


@written("matrix market")
def _(graph: Random) -> Mapping[str, bytes]:
    matrices = {}
    for name, matrix in (("adj.mtx", _adjacency(graph)), ("feat.mtx", scipy.sparse.coo_array(graph.x))):
        packed = io.BytesIO()
        scipy.io.mmwrite(packed, matrix)
        matrices[name] = packed.getvalue()
    return {**matrices, "y.npy": _npy(graph.y)}


@written("sparse npz")
def _(graph: Random) -> Mapping[str, bytes]:
    packed = io.BytesIO()
    scipy.sparse.save_npz(packed, _adjacency(graph).tocsr())
    return {"adj.npz": packed.getvalue(), "x.npy": _npy(graph.x), "y.npy": _npy(graph.y)}


def _npy(array: np.ndarray) -> bytes:
    packed = io.BytesIO()
    np.save(packed, array)
    return packed.getvalue()


def _adjacency(graph: Random) -> Any:
    ones = np.ones(graph.edges.shape[1])
    return scipy.sparse.coo_array((ones, graph.edges), shape=(graph.nodes, graph.nodes))


def expected(graph: Random) -> set[tuple[int, int]]:
    return {(int(a), int(b)) for one, other in graph.edges.T for a, b in ((one, other), (other, one)) if one != other}


def is_equal(found: pg.Graph, graph: Random) -> None:
    assert {(int(a), int(b)) for a, b in found.edge_index.T} == expected(graph)
    order = [found.feature_names.index(f"f{at}") for at in range(3)] if found.feature_names else [0, 1, 2]
    assert torch.equal(found.x[:, order], torch.from_numpy(graph.x))
    named = [found.class_names[label] if label >= 0 else "" for label in found.y.tolist()]
    labels = (
        graph.labels if not found.class_names[0].isdecimal() else ["" if label < 0 else str(label) for label in graph.y]
    )
    assert named == labels


SAID = {
    "gexf": {"label": "group", "ignore": ["label"]},
    "gml": {"label": "group"},
    **{name: {"unlabelled": ["-1"]} for name in ("npy and csv without ids", "matrix market", "sparse npz")},
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_what_was_written_is_read(name: str, seed: int) -> None:
    graph = Random(seed)
    is_equal(made.graph(FORMATS[name](graph), **SAID.get(name, {})), graph)


@pytest.mark.parametrize("seed", range(3))
def test_objects_of_python(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from torch_geometric.data import Data
    graph = Random(seed)
    data = Data(x=torch.from_numpy(graph.x), y=torch.from_numpy(graph.y), edge_index=torch.from_numpy(graph.edges))
    for given, said in (
        ((graph.as_networkx(),), {}),
        ((graph.edge_table(), graph.node_table()), {}),
        ((graph.node_table().set_index("id"), graph.edge_table()), {}),
        ((data,), {"unlabelled": ["-1"]}),
    ):
        is_equal(pg.load(add(given, described(said)).name), graph)
