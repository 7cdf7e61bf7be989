"""Files of a graph of 10,000 edges, for the tests of large ones: with loops, repetitions and edges in both
directions, and a hub that most edges go to."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

NODES, EDGES, FEATURES = 400, 10_000, 3
LABELS = ("red", "green", "blue")


def frames(texts: bool = True) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Edges and nodes, whose ids are texts, or whole numbers in no order."""
    rng = np.random.default_rng(4)
    ids: Any = rng.permutation(10 * NODES)[:NODES]
    if texts:
        ids = np.array([f"p{number}" for number in ids])
    ends = rng.integers(0, NODES, (EDGES, 2))
    ends[: EDGES // 4, 1] = 7
    ends[-500:] = ends[:500, ::-1]
    nodes = pd.DataFrame({"id": ids, "label": [LABELS[number] for number in rng.integers(0, 3, NODES)]})
    for place in range(FEATURES):
        nodes[f"f{place}"] = rng.standard_normal(NODES).astype(np.float32)
    return pd.DataFrame({"source": ids[ends[:, 0]], "target": ids[ends[:, 1]]}), nodes


def paths(folder: Path, kind: str) -> list[Path]:
    """Where `write` writes the graph's files."""
    names = {
        "csv": ("edges.csv", "nodes.csv"),
        "parquet": ("nodes.parquet", "edges.parquet"),
        "mixed": ("edges.parquet", "nodes.csv"),
        "npy": ("x.npy", "edges.csv", "y.npy"),
        "graphml": ("graph.graphml",),
    }
    return [folder / name for name in names[kind]]


def write(folder: Path, kind: str, *, texts: bool = True) -> list[Path]:
    """The graph's files; `kind` is csv, parquet, mixed, npy or graphml."""
    edges, nodes = frames(texts)
    places = {path.name: path for path in paths(folder, kind)}
    if kind == "graphml":
        keys = [f'<key id="d{place}" for="node" attr.name="f{place}" attr.type="double"/>' for place in range(FEATURES)]
        rows = [
            f'<node id="{row.id}"><data key="l">{row.label}</data>'
            + "".join(f'<data key="d{place}">{getattr(row, f"f{place}")!r}</data>' for place in range(FEATURES))
            + "</node>"
            for row in nodes.itertuples()
        ]
        pairs = [f'<edge source="{row.source}" target="{row.target}"/>' for row in edges.itertuples()]
        half = len(pairs) // 2  # nodes are declared in between, so that some edges come before their ends
        places["graph.graphml"].write_text(
            '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
            + '<key id="l" for="node" attr.name="label" attr.type="string"/>'
            + "\n".join([*keys, '<graph edgedefault="directed">', *pairs[:half], *rows, *pairs[half:], "</graph>"])
            + "</graphml>"
        )
    elif kind in ("parquet", "mixed"):
        edges.to_parquet(places["edges.parquet"], row_group_size=1_000)
    elif kind == "npy":
        number = {name: place for place, name in enumerate(nodes["id"])}
        edges.map(number.__getitem__).to_csv(places["edges.csv"], index=False)
        np.save(places["x.npy"], nodes[[f"f{place}" for place in range(FEATURES)]].to_numpy())
        np.save(places["y.npy"], np.array([sorted(LABELS).index(label) for label in nodes["label"]]))
    else:
        edges.to_csv(places["edges.csv"], index=False)
    if kind == "parquet":
        nodes.to_parquet(places["nodes.parquet"], row_group_size=100)
    elif kind in ("csv", "mixed"):
        nodes.to_csv(places["nodes.csv"], index=False)
    return list(places.values())
