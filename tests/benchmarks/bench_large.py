"""Graphs that do not fit: time and peak memory of taking one in, and of GAP and ProGAP on it with edges
protected.

    python -m tests.benchmarks.bench_large [--largest 100000000] [--smallest 1000000] [--graphml 10000000]
                                           [--epochs 2] [--folder FOLDER]

For 10^6, 10^7 and so on directed edges, up to the largest: a fiftieth as many nodes of 100 features,
in-degrees with a heavy tail, uniform sources. Edges are taken in from Parquet and from CSV with features from
npy, and up to the size of `--graphml` from GraphML, which has 2 features a node. Each row is a process of its
own, so that its peak is its own; mapped pages count in it, which the system could have back. The files of
10^8 edges take 4 GB, and what is made of them as much again.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np

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


def take_in(folder: Path, names: tuple[str, ...]) -> str:
    """Add the graph in some of the files; says its name."""
    from privgraph.data.own.adding import add
    from privgraph.data.own.description import described

    return add([folder / name for name in names], described({"directed": True})).name


def train(name: str, method: str, epochs: int) -> dict[str, float]:
    """Train on the graph of that name; says seconds of a noisy sum and of an epoch."""
    from privgraph.data.load import load
    from privgraph.methods.aggregation import stack
    from privgraph.methods.training import train_one
    from privgraph.progress import Progress
    from privgraph.registry import METHODS

    spec = METHODS[method]
    config = spec.load_config()(unit="edge", epsilon=1.0, epochs=epochs, selection="last")
    began = time.perf_counter()
    graph = load(name)
    opened = time.perf_counter() - began
    sums: list[float] = []
    release = stack.release_stack

    def timed(*arguments: object) -> object:
        start = time.perf_counter()
        try:
            return release(*arguments)  # type: ignore[arg-type]
        finally:
            sums.append(time.perf_counter() - start)

    steps = 0
    began = time.perf_counter()
    with patch.object(stack, "release_stack", timed):
        for event in train_one(spec.load_train(), config, graph):
            steps += isinstance(event, Progress)
    whole = time.perf_counter() - began
    return {"load": opened, "noisy sum": min(sums), "epoch": (whole - sum(sums)) / steps}


def alone(folder: Path, *step: str) -> dict[str, object]:
    """A step in a process of its own: what it says, its seconds and its peak in GB."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_large", "--folder", str(folder), "--step", *step]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | {"PRIVGRAPH_HOME": str(folder / "home")}
    )
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def own(folder: Path, step: list[str]) -> dict[str, object]:
    """What `alone` asks for."""
    from privgraph.runs.machine import peak_memory_mb

    steps: dict[str, Callable[[], object]] = {
        "make": lambda: make(folder, int(step[1]), step[2] == "True"),
        "add": lambda: take_in(folder, tuple(step[1:])),
        "train": lambda: train(step[1], step[2], int(step[3])),
    }
    began = time.perf_counter()
    said = steps[step[0]]()
    return {"said": said, "seconds": time.perf_counter() - began, "peak": peak_memory_mb() / 2**10}


def measure(folder: Path, edges: int, graphml: bool, epochs: int) -> None:
    """Print the rows of one size."""
    size = f"{edges:>13,} | "
    alone(folder, "make", str(edges), str(graphml))
    ways = {"Parquet": ("edges.parquet", "x.npy", "y.npy"), "CSV": ("edges.csv", "x.npy", "y.npy")}
    if graphml:
        ways["GraphML"] = ("graph.graphml",)
    name = ""
    for way, files in ways.items():
        found = alone(folder, "add", *files)
        name = name or str(found["said"])
        print(f"{size}taken in from {way:8} | {found['seconds']:8.1f} s | {found['peak']:5.2f} GB", flush=True)
        (folder / files[0]).unlink()
    for method in ("gap", "progap"):
        found = alone(folder, "train", name, method, str(epochs))
        said = found["said"]
        assert isinstance(said, dict)
        parts = ", ".join(f"{part} {seconds:.2f} s" for part, seconds in said.items())
        print(f"{size}{method:22} | {found['seconds']:8.1f} s | {found['peak']:5.2f} GB | {parts}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smallest", type=int, default=10**6)
    parser.add_argument("--largest", type=int, default=10**8)
    parser.add_argument("--graphml", type=int, default=10**7, help="the largest size that is read from GraphML, too")
    parser.add_argument("--epochs", type=int, default=2, help="epochs of each stage that are timed; a run has 100")
    parser.add_argument("--folder", type=Path, help="where files are made (default: a temporary folder)")
    parser.add_argument("--step", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        print(json.dumps(own(options.folder, options.step)))
        return
    edges = options.smallest
    while edges <= options.largest:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            measure(Path(folder), edges, edges <= options.graphml, options.epochs)
        edges *= 10


if __name__ == "__main__":
    main()
