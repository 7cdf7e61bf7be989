"""What is refused of a large graph, each in one sentence, and that nothing of it stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.data import large_made_here as made

from privgraph.data.errors import UploadError
from privgraph.data.large import tables
from privgraph.data.large.add import LARGE, add
from privgraph.data.large.edges import Adjacency
from privgraph.data.load import load
from privgraph.data.upload import Limits, delete_upload, uploads
from privgraph.home import home

EDGES, NODES = "edges.csv", "nodes.csv"


def refused(paths: list[Path], **options: object) -> str:
    with pytest.raises(UploadError) as caught:
        add(paths, **options)  # type: ignore[arg-type]
    words = str(caught.value)
    assert "\n" not in words
    assert not list(home().glob("cache/large/*"))
    assert uploads() == ()
    return words


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return made.write(tmp_path, "csv")


def replace(path: Path, line: int, text: str) -> None:
    """Put another text in place of a line, from 0, the header."""
    lines = path.read_text().splitlines()
    lines[line] = text
    path.write_text("\n".join([*lines, ""]))


@pytest.mark.parametrize(
    ("at", "text", "words"),
    [
        (7_001, "p1,stranger", "Edge row 7001 names the node stranger, which is not among the 400 nodes"),
        (7_001, "p1", "Edge row 7001 has 1 fields, and two are needed"),
        (7_001, "p1,p2,0.5", "Edge row 7001 has 3 fields, and two are needed"),
        (10_000, "p", "Edge row 10000 has 1 fields, and two are needed"),
        (3, ",", "Edge row 3 has no source"),
        (3, "p1,", "Edge row 3 has no target"),
    ],
)
def test_rows_of_edges(at: int, text: str, words: str, files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BLOCK", 1_000)
    known = made.frames()[1]["id"][0]
    replace(files[0], at, text.replace("p1,", f"{known},").replace("p2", known))
    assert refused(files) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("new,red,1,2", "Node row 333 has 4 fields, and the header has 5"),
        ("new,red,1,2,much", "Node row 333 has 'much' as f2, which is not a number"),
        ("new,red,1,2,", "Node row 333 has no f2"),
        ("new,red,1,2,nan", "Node 332 has a feature that is not a finite number"),
        ("new,red,1,2,1e39", "Node 332 has a feature that is not a finite number"),
        ("new, ,1,2,3", "Node row 333 has no label"),
        (",red,1,2,3", "Node row 333 has no id"),
    ],
)
def test_rows_of_nodes(text: str, words: str, files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BLOCK", 1_000)
    replace(files[1], 333, text)
    assert refused(files) == words


def test_columns_in_another_order(files: list[Path]) -> None:
    """A column is named right, and read right, wherever it stands."""
    added = add(files)
    frame = pd.read_csv(files[1], dtype=str)[["f0", "label", "f2", "id", "f1"]]
    frame.to_csv(files[1], index=False)
    pd.read_csv(files[0])[["target", "source"]].to_csv(files[0], index=False)
    other = add(files)
    one, two = load(added.name), load(other.name)
    assert two.feature_names == ("f0", "f2", "f1")
    assert one.x[:, [0, 2, 1]].equal(two.x)
    assert one.edge_index.equal(two.edge_index)
    for name in (added.name, other.name):
        delete_upload(name)
    frame.loc[332, "f2"] = "much"
    frame.to_csv(files[1], index=False)
    assert refused(files) == "Node row 333 has 'much' as f2, which is not a number"


def test_ids_that_are_numbers(tmp_path: Path) -> None:
    """They are numbers of nodes only where they are 0, 1, 2 and so on, in order."""
    files = made.write(tmp_path, "csv", texts=False)
    replace(files[0], 5, "3,999999")
    assert refused(files) == "Edge row 5 names the node 3, which is not among the 400 nodes"
    replace(files[0], 5, f"{made.frames(False)[0]['source'][0]},x")
    assert refused(files) == "Edge row 5 names the node x, which is not among the 400 nodes"
    made.write(tmp_path, "npy")
    arrays = [tmp_path / name for name in (EDGES, "x.npy", "y.npy")]
    for end in ("400", "-1"):
        replace(files[0], 5, f"3,{end}")
        assert refused(arrays) == f"Edge row 5 names the node {end}, which is not among the 400 nodes"


@pytest.mark.parametrize("written", ["0099999", "0x1869f"])
def test_ids_that_are_numbers_in_another_way(written: str, tmp_path: Path) -> None:
    """Such an id is its text: an edge that names the number means another node."""
    files = made.write(tmp_path, "csv", texts=False)
    edges, nodes = made.frames(False)
    swapped = {nodes["id"][0]: written}
    nodes.assign(id=nodes["id"].map(lambda name: swapped.get(name, name))).to_csv(files[1], index=False)
    edges.map(lambda name: swapped.get(name, name)).to_csv(files[0], index=False)
    found = add(files)
    assert found.nodes == made.NODES
    delete_upload(found.name)
    replace(files[0], 5, f"{written},99999")
    assert refused(files) == "Edge row 5 names the node 99999, which is not among the 400 nodes"


def test_two_nodes_of_one_id(files: list[Path]) -> None:
    first = made.frames()[1]["id"][0]
    replace(files[1], 300, f" {first} ,red,1,2,3")
    assert refused(files) == f"Two nodes have the same id ({first})"


def without_end(files: list[Path]) -> str:
    files[0].write_bytes(files[0].read_bytes()[:-3])
    return "The last line of edges.csv does not end, as if the file were cut off: end it if it is whole"


def other_letters(files: list[Path]) -> str:
    files[0].write_bytes(files[0].read_bytes()[:100] + b"\xff\n")
    return "Edge row"


def gone(files: list[Path]) -> str:
    files[0].unlink()
    return "The file or folder edges.csv cannot be used: No such file or directory"


@pytest.mark.parametrize("damage", [without_end, other_letters, gone])
def test_damaged_csv(damage: Callable[[list[Path]], str], files: list[Path]) -> None:
    words = damage(files)
    assert refused(files).startswith(words)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("graphml", "The GraphML file is damaged: "),
        ("parquet", "is no whole Parquet file: it may be cut off"),
        ("npy", "x.npy "),
    ],
)
def test_files_that_are_cut_off(kind: str, words: str, tmp_path: Path) -> None:
    files = made.write(tmp_path, kind)
    content = files[0].read_bytes()
    files[0].write_bytes(content[: len(content) // 2])
    assert words in refused(files)


def test_a_parquet_file_with_a_damaged_middle(tmp_path: Path) -> None:
    files = made.write(tmp_path, "parquet")
    content = bytearray(files[1].read_bytes())
    content[2_000:9_000] = bytes(7_000)
    files[1].write_bytes(content)
    assert refused(files).startswith("edges.parquet is damaged or cut off: ")


def test_arrays(tmp_path: Path) -> None:
    files = made.write(tmp_path, "npy")
    x, _, y = files
    np.save(y, np.zeros(399, dtype=np.int64))
    assert refused(files) == "There are features of 400 nodes and labels of 399"
    np.save(y, np.arange(400) - 1)
    assert refused(files) == "Node 0 has a negative label, and every node needs a label from 0"
    np.save(y, np.arange(400) % 2)
    table = np.ones((400, 3))
    table[123, 1] = np.inf
    np.save(x, table)
    assert refused(files) == "Node 123 has a feature that is not a finite number"
    np.save(x, np.array([{}, {}], dtype=object), allow_pickle=True)
    assert refused(files) == "The array x.npy holds Python objects, which are never read; save it as numbers"


def test_limits(files: list[Path]) -> None:
    assert refused(files, limits=Limits(edges=9_999)) == "There are more than 9,999 edges"
    assert refused(files, limits=Limits(cells=1_199)).startswith("There are more than 1,000,000 nodes or 1,199 feature")
    assert refused(files, limits=Limits(features=2)) == "The nodes have 3 feature columns, and 1 to 2 are taken"
    assert refused(files, limits=Limits(file_bytes=10)).startswith("edges.csv has 0.0 GB")
    assert LARGE.nodes**2 < 2**63  # an edge is one whole number


def test_a_full_disk(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from privgraph.data.large.columns import Growing

    def full(self: Growing, values: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Growing, "append", full)
    assert refused(files) == "The file or folder cannot be used: No space left on device"


def test_edges_are_counted_over_all_pieces_of_a_stream(tmp_path: Path) -> None:
    """A limit holds for the graph, and not for each piece that is read."""
    (tmp_path / "scratch").mkdir()
    adjacency = Adjacency(tmp_path, tmp_path / "scratch", nodes=50, directed=False, limits=Limits(edges=100))
    piece = np.arange(40), np.arange(40) + 1
    adjacency.add(*piece)
    adjacency.add(*piece)
    with pytest.raises(UploadError, match="There are more than 100 edges"):
        adjacency.add(*piece)
