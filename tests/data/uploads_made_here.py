"""Small uploads of each kind, for the tests."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.own.adding import Added, add
from privgraph.data.own.description import described
from privgraph.data.own.given import Given
from privgraph.data.own.limits import Limits


def taken(files: Mapping[str, bytes], limits: Limits | None = None, title: str = "", **said: Any) -> Added:
    """The graph in these files, taken in as from a page."""
    given = [Given.of(name, content) for name, content in files.items()]
    return add(given, described(said), limits=limits or Limits(), title=title)


def graph(files: Mapping[str, bytes], **said: Any) -> Graph:
    """The same, loaded, with the split that came with it where one did."""
    found = taken(files, **said)
    return load(
        found.name, split="public" if any(what == "split of the file" for what, _ in found.summary) else "random"
    )


def arrays(nodes: int = 24, seed: int = 0) -> dict[str, Any]:
    """A graph with four features, three classes and every optional array."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(nodes)
    part = np.zeros(nodes, dtype=int)
    part[order[: nodes // 6]], part[order[nodes // 6 : nodes // 3]] = 1, 2
    return {
        "x": rng.standard_normal((nodes, 4)).astype(np.float32),
        "y": np.arange(nodes) % 3,
        "edge_index": rng.integers(0, nodes, (2, 3 * nodes)),
        "train_mask": part == 0,
        "val_mask": part == 1,
        "test_mask": part == 2,
        "class_names": np.array(["red", "green", "blue"]),
        "feature_names": np.array(["height", "weight", "age", "luck"]),
    }


def npz(content: dict[str, Any], *, compressed: bool = True) -> bytes:
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, **content)
    return buffer.getvalue()


def csv_files(nodes: int = 24) -> tuple[bytes, bytes]:
    """Edges, and nodes."""
    graph = arrays(nodes)
    colours = graph["class_names"]
    rows = ["id,label,height,weight,age,luck"]
    rows += [
        f"n{node},{colours[graph['y'][node]]}," + ",".join(f"{value:.6f}" for value in graph["x"][node])
        for node in range(nodes)
    ]
    edges = ["source,target", *(f"n{source},n{target}" for source, target in graph["edge_index"].T)]
    return "\n".join(edges).encode(), "\n".join(rows).encode()


def graphml(nodes: int = 24) -> bytes:
    """The same graph as networkx writes it."""
    import networkx

    graph = arrays(nodes)
    nx_graph = networkx.Graph()
    for node in range(nodes):
        values = {
            name: float(value) for name, value in zip(graph["feature_names"].tolist(), graph["x"][node], strict=True)
        }
        nx_graph.add_node(f"n{node}", label=str(graph["class_names"][graph["y"][node]]), **values)
    nx_graph.add_edges_from((f"n{source}", f"n{target}") for source, target in graph["edge_index"].T)
    buffer = io.BytesIO()
    networkx.write_graphml_xml(nx_graph, buffer)
    return buffer.getvalue()


def text_files(texts: int = 24) -> tuple[bytes, bytes]:
    """Relations, and texts in three domains, of which each eighth has no label."""
    rng = np.random.default_rng(1)
    domains, labels = ("kitchen", "garden", "office"), ("tool", "decoration")
    rows = ["id,text,domain,label"]
    rows += [
        f't{text},"thing number {text}, of {domains[text % 3]}",{domains[text % 3]},'
        + (labels[text // 3 % 2] if text % 8 else "")
        for text in range(texts)
    ]
    pairs = ["source,target", *(f"t{source},t{target}" for source, target in rng.integers(0, texts, (3 * texts, 2)))]
    return "\n".join(pairs).encode(), "\n".join(rows).encode()
