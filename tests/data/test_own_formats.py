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
Files = Mapping[str, bytes]


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


def separated(
    graph: Random, mark: str = ",", end: str = "\n", code: str = "utf-8", first: str = "", **more: Any
) -> Files:
    """Two tables as spreadsheet programs write them."""
    tables = {"edges.csv": graph.edge_table(), "nodes.csv": graph.node_table()}
    written = {name: table.to_csv(index=False, sep=mark, lineterminator=end, **more) for name, table in tables.items()}
    return {name: (first + text).encode(code) for name, text in written.items()}


def listed(graph: Random, line: str, *first: str) -> Files:
    """An edge list, and a table of nodes."""
    lines = [*first, *(line.format(graph.ids[one], graph.ids[other]) for one, other in graph.edges.T)]
    return {"e.txt": "\n".join(lines).encode(), "nodes.csv": separated(graph)["nodes.csv"]}


def zipped(graph: Random) -> Files:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in separated(graph, "|").items():
            archive.writestr(f"folder/{name}", content)
    return {"graph.zip": packed.getvalue()}


def workbook(graph: Random) -> Files:
    pytest.importorskip("openpyxl")
    packed = io.BytesIO()
    with pd.ExcelWriter(packed) as book:
        graph.edge_table().to_excel(book, sheet_name="edges", index=False)
        graph.node_table().to_excel(book, sheet_name="nodes", index=False)
    return {"graph.xlsx": packed.getvalue()}


def packed_by(write: Callable[[Any, io.BytesIO], object], given: Any) -> bytes:
    packed = io.BytesIO()
    write(given, packed)
    return packed.getvalue()


def gexf(graph: Random) -> Files:
    named = graph.as_networkx()
    nx.set_node_attributes(named, dict(zip(graph.ids, graph.labels, strict=True)), "group")
    return {"g.gexf": packed_by(nx.write_gexf, named)}


def gml(graph: Random) -> Files:
    named = nx.relabel_nodes(graph.as_networkx(), {name: at for at, name in enumerate(graph.ids)})
    for at, label in enumerate(graph.labels):
        named.nodes[at]["group"] = label
        named.nodes[at].pop("label")
    return {"g.gml": "\n".join(nx.generate_gml(named)).encode()}


def npz(graph: Random) -> Files:
    names = {"class_names": np.array(CLASSES), "feature_names": np.array(["f0", "f1", "f2"])}
    return {"g.npz": made.npz({"x": graph.x, "y": graph.y, "edge_index": graph.edges, **names})}


def arrays(graph: Random) -> Files:
    numbered = pd.DataFrame({"source": graph.edges[0], "target": graph.edges[1]}).to_csv(index=False).encode()
    return {"x.npy": _npy(graph.x), "edges.csv": numbered, "y.npy": _npy(graph.y)}


def matrix_market(graph: Random) -> Files:
    matrices = {"adj.mtx": _adjacency(graph), "feat.mtx": scipy.sparse.coo_array(graph.x)}
    written = {name: packed_by(lambda one, to: scipy.io.mmwrite(to, one), one) for name, one in matrices.items()}
    return {**written, "y.npy": _npy(graph.y)}


def sparse(graph: Random) -> Files:
    adjacency = packed_by(lambda one, to: scipy.sparse.save_npz(to, one), _adjacency(graph).tocsr())
    return {"adj.npz": adjacency, "x.npy": _npy(graph.x), "y.npy": _npy(graph.y)}


FORMATS: dict[str, Callable[[Random], Files]] = {
    "csv": separated,
    "tsv, CR alone, decimal commas": lambda graph: separated(graph, "\t", end="\r", decimal=","),
    "semicolons of Excel, UTF-16": lambda graph: separated(graph, ";", "\r\n", "utf-16", "sep=;\r\n"),
    "quoted, byte order mark": lambda graph: separated(graph, first="\ufeff", quoting=csv.QUOTE_ALL),
    "gz": lambda graph: {f"{name}.gz": gzip.compress(content) for name, content in separated(graph).items()},
    "zip": zipped,
    "edge list of networkx": lambda graph: listed(graph, "{} {} {{'weight': 2.5}}"),
    "edge list of SNAP": lambda graph: listed(graph, "{}\t{}", "# Nodes: 40 Edges: 80", "# FromNodeId\tToNodeId"),
    "edge list of KONECT": lambda graph: listed(graph, "{} {} 1 1082008561 ", "% sym positive"),
    "parquet": lambda graph: {"e": graph.edge_table().to_parquet(), "n": graph.node_table().to_parquet()},
    "excel": workbook,
    "graphml": lambda graph: {"g.graphml": packed_by(nx.write_graphml_xml, graph.as_networkx())},
    "gexf": gexf,
    "gml": gml,
    "pajek and a table": lambda graph: {
        "g.net": packed_by(nx.write_pajek, nx.MultiGraph(graph.as_networkx().edges())),
        "nodes.csv": separated(graph)["nodes.csv"],
    },
    "json node-link": lambda graph: {
        "g.json": json.dumps(nx.node_link_data(graph.as_networkx(), edges="links")).encode()
    },
    "npz": npz,
    "npy and csv without ids": arrays,
    "matrix market": matrix_market,
    "sparse npz": sparse,
}


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
