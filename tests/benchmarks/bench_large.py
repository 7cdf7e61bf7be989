"""Graphs that do not fit: time and peak memory of taking one in, and of GAP and ProGAP on it with edges
protected.

For 10^6, 10^7 and so on directed edges, up to the largest: a fiftieth as many nodes of 100 features,
in-degrees with a heavy tail, uniform sources. Edges are taken in from Parquet and from CSV with features from
npy, and up to the size of `--graphml` from GraphML, which has 2 features a node. Each row is a process of its
own, so that its peak is its own; mapped pages count in it, which the system could have back. The files of
10^8 edges take 4 GB, and what is made of them as much again.
"""

import json
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from tests.benchmarks.harness import alone, options

DEGREE, FEATURES, CLASSES = 50, 100, 10
ROWS = 1 << 20


def make(folder: Path, edges: int, graphml: bool) -> None:
    """Write the files of a graph in pieces."""
    import pyarrow
    from pyarrow import csv, parquet

    nodes, rng = edges // DEGREE, np.random.default_rng(edges)
    x = np.lib.format.open_memmap(folder / "x.npy", mode="w+", dtype=np.float32, shape=(nodes, FEATURES))
    for start in range(0, nodes, ROWS // 8):
        part = x[start : start + ROWS // 8]
        part[:] = rng.standard_normal(part.shape, dtype=np.float32)
    np.save(folder / "y.npy", rng.integers(0, CLASSES, nodes))
    schema = pyarrow.schema([("source", pyarrow.int64()), ("target", pyarrow.int64())])
    with (
        parquet.ParquetWriter(folder / "edges.parquet", schema) as table,
        csv.CSVWriter(folder / "edges.csv", schema, write_options=csv.WriteOptions(quoting_style="none")) as text,
        (folder / "graph.graphml").open("w") as markup,
    ):
        markup.write('<graphml><key id="l" for="node" attr.name="label" attr.type="string"/>')
        for name in ("a", "b"):
            markup.write(f'<key id="{name}" for="node" attr.name="{name}" attr.type="double"/>')
        markup.write('<graph edgedefault="directed">\n')
        for node in range(nodes if graphml else 0):
            data = f'<data key="l">{node % CLASSES}</data><data key="a">0.5</data><data key="b">{node}</data>'
            markup.write(f'<node id="n{node}">{data}</node>\n')
        for start in range(0, edges, ROWS):
            rows = min(ROWS, edges - start)
            source = rng.integers(0, nodes, rows)
            target = (nodes * rng.random(rows) ** 2).astype(np.int64)
            batch = pyarrow.record_batch([source, target], schema=schema)
            table.write_batch(batch)
            text.write_batch(batch)
            if graphml:
                pairs = zip(source, target, strict=True)
                markup.write("".join(f'<edge source="n{a}" target="n{b}"/>\n' for a, b in pairs))
        markup.write("</graph></graphml>\n")


def take_in(folder: Path, names: list[str]) -> str:
    """Add the graph in some of the files; says its name."""
    from privgraph.data.own.adding import add
    from privgraph.data.own.description import described

    return add([folder / name for name in names], described({"directed": True})).name


def train(name: str, method: str, epochs: int) -> str:
    """Train on the graph of that name; says seconds of a noisy sum and of an epoch."""
    from privgraph.data.load import load
    from privgraph.methods.aggregation import stack
    from privgraph.methods.training import train_one
    from privgraph.progress import Progress
    from privgraph.registry import METHODS

    spec = METHODS[method]
    config = spec.load_config()(unit="edge", epsilon=1.0, epochs=epochs, selection="last")
    graph, sums, release = load(name), [], stack.release_stack

    def timed(*arguments: Any) -> object:
        start = time.perf_counter()
        found = release(*arguments)
        sums.append(time.perf_counter() - start)
        return found

    began = time.perf_counter()
    with patch.object(stack, "release_stack", timed):
        steps = sum(isinstance(event, Progress) for event in train_one(spec.load_train(), config, graph))
    epoch = (time.perf_counter() - began - sum(sums)) / steps
    return f"noisy sum {min(sums):.2f} s, epoch {epoch:.2f} s"


def own(folder: Path, step: str, arguments: list[str]) -> dict[str, object]:
    """A step in this process: what it says, its seconds and its peak in GB."""
    from privgraph.runs.machine import peak_memory_mb

    began, said = time.perf_counter(), ""
    if step == "make":
        make(folder, int(arguments[0]), len(arguments) > 1)
    elif step == "add":
        said = take_in(folder, arguments)
    else:
        said = train(arguments[0], arguments[1], int(arguments[2]))
    return {"said": said, "seconds": time.perf_counter() - began, "peak": peak_memory_mb() / 2**10}


def measure(folder: Path, edges: int, graphml: bool, epochs: int) -> None:
    """Print the rows of one size."""

    def step(*given: str) -> dict[str, Any]:
        place = ("--folder", str(folder), "--step", *given)
        return alone("bench_large", *place, PRIVGRAPH_HOME=str(folder / "home"))

    def tell(title: str, found: dict[str, Any], said: str = "") -> None:
        print(f"{edges:>13,} | {title:22} | {found['seconds']:8.1f} s | {found['peak']:5.2f} GB {said}", flush=True)

    step("make", str(edges), *["graphml"] * graphml)
    ways = {"Parquet": ("edges.parquet", "x.npy", "y.npy"), "CSV": ("edges.csv", "x.npy", "y.npy")}
    if graphml:
        ways["GraphML"] = ("graph.graphml",)
    names = []
    for way, files in ways.items():
        found = step("add", *files)
        names.append(found["said"])
        tell(f"taken in from {way}", found)
        (folder / files[0]).unlink()
    for method in ("gap", "progap"):
        found = step("train", names[0], method, str(epochs))
        tell(method, found, found["said"])


def main() -> None:
    given = options(
        __doc__, smallest=10**6, largest=10**8, graphml=10**7, epochs=2, folder=tempfile.gettempdir(), step=[""]
    )
    step, *arguments = given.step
    if step:
        print(json.dumps(own(Path(given.folder), step, arguments)))
        return
    edges = given.smallest
    while edges <= given.largest:
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            measure(Path(folder), edges, edges <= given.graphml, given.epochs)
        edges *= 10
