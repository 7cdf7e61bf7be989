"""What is refused, each in one sentence, unread where it would be too much; nothing of it stays."""

import gzip
import io
import pickle
import re
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data import large_made_here
from tests.data import uploads_made_here as made

from privgraph.data.errors import UploadError
from privgraph.data.own.adding import add
from privgraph.data.own.description import described
from privgraph.data.own.limits import Limits
from privgraph.data.uploads import uploads
from privgraph.home import home

EDGES, NODES = (content.decode() for content in made.csv_files())
GRAPHML = made.graphml().decode()
RELATIONS, TEXTS = (content.decode() for content in made.text_files())
LAUGHS = '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><graphml>&b;</graphml>'


def refused(files: dict[str, bytes], limits: Limits | None = None, **said: Any) -> str:
    with pytest.raises(UploadError) as caught:
        made.taken(files, limits, **said)
    words = str(caught.value)
    assert words.isprintable()
    assert 5 < len(words) < 300
    assert uploads() == ()
    assert list((home() / "uploads").glob("*") if (home() / "uploads").exists() else ()) == []
    return words


def changed(**values: Any) -> dict[str, Any]:
    """The small graph with other arrays; None leaves one out."""
    graph = {**made.arrays(), **values}
    return {name: value for name, value in graph.items() if value is not None}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (changed(x=np.zeros(24)), "x must be a table of numbers"),
        (changed(x=np.full((24, 4), np.inf)), "Node 0 has a feature that is not a finite number"),
        (changed(x=np.zeros((24, 4), dtype=complex)), "a type or a shape that is not read"),
        (changed(x=np.array([[None] * 4] * 24)), "Python objects, which are never read"),
        (changed(y=np.zeros(23, dtype=int), class_names=None), "23 booleans"),
        (changed(y=np.zeros(24, dtype=int), class_names=None), "at least two classes"),
        (changed(y=np.arange(24)), "class_names has 3 names"),
        (changed(y=None), "lacks the array y"),
        (changed(edge_index=np.zeros((2, 5))), "edge_index must be two rows of whole numbers"),
        (changed(edge_index=np.array([[0], [24]])), "names the node 24, which is not among the nodes"),
        (changed(edge_index=np.array([[0], [2**63]], dtype=np.uint64)), "negative or too large"),
        (changed(val_mask=None), "all of train_mask, val_mask, test_mask or none"),
        (changed(val_mask=np.zeros(24, dtype=bool)), "No node with a label is in the part val"),
        (changed(val_mask=np.ones(24, dtype=bool)), "in more than one part"),
        (changed(feature_names=np.array(["a"])), "1 names for 4 features"),
        (changed(class_names=np.array([b"\xff\xff\xff\x7f"] * 3).view("<U1")), "letters that do not exist"),
        ({"x": np.zeros((4, 2)), "y": np.arange(4) // 2, "edge_index": np.zeros((2, 1), dtype=int)}, "at least 10"),
    ],
)
def test_arrays(content: dict[str, Any], sentence: str) -> None:
    assert sentence in refused({"a.npz": made.npz(content)})


@pytest.mark.parametrize(
    ("edges", "nodes", "sentence"),
    [
        ("source,target\nn0,nobody", None, "Row 1 of e.csv names the node nobody, which is not among the nodes"),
        ("source,target\nn0,", None, "has an edge with one end"),
        ("source,target\nn0,n1,n2", None, "has 3 cells, and 2 are needed"),
        (None, "id,label,a\n" + "0,1,2\n1,2,3\n0,1,3\n" * 9 + "0,1\n", "has 2 cells, and 3 are needed"),
        (None, "id,label,a\n" + "0,1,2\n1,2,3\n0,1,3\n" * 9, "Two nodes have the same id (0)"),
        (None, "id,label,a\n" + ",1,2\n1,2,3\n,2,2\n" * 9, "has no id"),
        (None, "id,label,a,a\n0,1,2,2", "are called 'a'"),
        (
            None,
            "id,label,a\n" + "\n".join(f"n{at},{at % 2},{at or 'tall'}" for at in range(24)),
            "Row 1 of n.csv has 'tall' as a",
        ),
        (None, "id,label,a\n" + "\n".join(f"n{at},{at % 2},inf" for at in range(24)), "not a finite number"),
        (None, "id,label,a\n" + "\n".join(f"n{at},{at % 2},1e39" for at in range(24)), "not a finite number"),
        (None, "id,label,a\n" + "\n".join(f"n{at},{at % 2},1" for at in range(5)), "at least 10"),
        (None, "id,label,a\n" + "\n".join(f"n{at},x,1" for at in range(24)), "at least two classes"),
        (None, "id,label,a\n" + "\n".join(f"n{at},c{at},1" for at in range(24)), "can be their class"),
        (None, NODES.replace("red", "r\udce9d"), "not text in UTF-8"),
        ("source,target\nn0,n\udce9d", None, "not text in UTF-8"),
        (None, "\0\0" + NODES, "no text"),
        (None, "# nothing", "no rows but comments"),
    ],
)
def test_tables(edges: str | None, nodes: str | None, sentence: str) -> None:
    files = {"e.csv": edges or "source,target\nn0,n1", "n.csv": nodes or NODES}
    assert sentence in refused({name: text.encode(errors="surrogateescape") for name, text in files.items()})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LAUGHS, "document type"),
        (LAUGHS.replace("graphml", "gexf"), "document type"),
        ("<html></html>", "begins with the element html"),
        ("<graphml/>", "holds no graph"),
        (GRAPHML[:-20], "damaged"),
        ("<graphml>" + "<a>" * 100 + "</a>" * 100 + "</graphml>", "nested too deeply"),
        (
            GRAPHML.replace("<graph ", "<graph><graph ", 1).replace("</graph>", "</graph></graph>"),
            "more than one graph",
        ),
        (GRAPHML.replace('<node id="n3">', '<node id="n2">'), "same id (n2)"),
        (GRAPHML.replace('<node id="n3">', '<node id="">'), "has no id"),
        (GRAPHML.replace('target="n3"', 'target="nobody"'), "names the node nobody"),
        (re.sub(r'<data key="d2">[^<]*</data>', "", GRAPHML, count=1), "hold no number"),
        (GRAPHML.replace("</graph>", "<hyperedge/></graph>"), "hyperedges"),
        ("<graphml " + " ".join(f'a{at}="1"' for at in range(200_000)) + "/>", "more than 1,000,000 letters"),
        ("graph [ node [ id 0 ] ", "is no GML file that networkx reads"),
        ("*Vertices 2\n1 a\n2 a\n*Edges\n1 2", "two vertices of one name"),
        ("%%MatrixMarket matrix coordinate real general\n9999999 9999999 1\n1 1 1\n", "too many rows"),
        ('{"nodes": [3], "links": []}', "as objects"),
        ('{"a": "b"}', "neither nodes and links"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_markup_and_its_kin(text: str, sentence: str) -> None:
    assert sentence in refused({"g.json" if text[0] in "{[" else "g.xml": text.encode()})


@pytest.mark.parametrize(
    ("texts", "relations", "sentence"),
    [
        (None, "source,target\nt0,nobody", "names the node nobody"),
        (None, "source,target\nt0,t0", "At least two domains need relations between their own texts"),
        (TEXTS + "\nt5,again,office,", None, "same id (t5)"),
        (TEXTS + "\nt99, ,office,tool", None, "Text 25 has 0 letters"),
        (TEXTS + "\nt99,a lamp,,tool", None, "Text 25 has no domain"),
        (TEXTS + "\nt99,a lamp, red,office,tool", None, "has 5 cells, and 4 are needed"),
        (TEXTS + "\nt99," + "x" * 20_001 + ",office,", None, "has 20,001 letters"),
        (re.sub(r",(kitchen|garden|office),", ",shop,", TEXTS), None, "At least two domains"),
        (TEXTS.replace(",kitchen,", "," + "k" * 61 + ","), None, "more than 60 letters"),
        (TEXTS.replace(",kitchen,", ",a\x01,").replace(",garden,", ",a\x02,"), None, "differ in letters alone"),
    ],
)
def test_texts(texts: str | None, relations: str | None, sentence: str) -> None:
    assert sentence in refused({"t.csv": (texts or TEXTS).encode(), "r.csv": (relations or RELATIONS).encode()})


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "no files"),
        ({"a.csv": b""}, "is empty"),
        ({"a.npz": b"PK\x03\x04nothing"}, "is damaged"),
        ({"a.pt": pickle.dumps([1])}, "is a pickle, and would run code"),
        ({"a.xls": b"\xd0\xcf\x11\xe0" + bytes(600)}, "save it as xlsx or CSV"),
        ({"a.gz": gzip.compress(EDGES.encode())[:-30]}, "is damaged"),
        ({"a.parquet": b"PAR1" + bytes(99)}, "no whole Parquet file"),
        ({"a.csv": EDGES.encode()}, "nothing says what is to be learnt"),
        ({"a.csv": NODES.encode()}, "none of edges"),
        (
            {"a.csv": EDGES.encode(), "b.csv": NODES.encode(), "c.csv": b"id,label,x\nq,r,1"},
            "do not name the same nodes",
        ),
        ({"a.txt": b"Call the bank about this\nit is late"}, "has lines of 3 to 5 words"),
    ],
)
def test_files_of_no_kind(files: dict[str, bytes], sentence: str) -> None:
    assert sentence in refused(files)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"lable": "x"}, "has no lable; did you mean label?"),
        ({"label": "colour"}, "has no column 'colour'"),
        ({"label": 3.5}, "label must be a text"),
        ({"features": [["a"]]}, "features must be a list of texts"),
        ({"missing": "many"}, "missing must be a number"),
        ({"split": ["a", "b"]}, "split must be one column, or three"),
        ({"lines": "rows"}, "lines must be one of"),
        ({"ignore": ["label"], "label": "label"}, "is said to be two things"),
        ({"ignore": ["nothing"]}, "no column 'nothing' to ignore"),
        ({"edges": 2}, "0 or 1"),
    ],
)
def test_descriptions(said: dict[str, Any], sentence: str) -> None:
    assert sentence in refused({"e.csv": EDGES.encode(), "n.csv": NODES.encode()}, **said)


def test_limits_hold_for_each_kind() -> None:
    edges, nodes = made.csv_files()
    for files in ({"a.npz": made.npz(made.arrays())}, {"e": edges, "n": nodes}, {"g.graphml": made.graphml()}):
        for bound in (
            {"nodes": 23},
            {"edges": 30},
            {"features": 3},
            {"cells": 90},
            {"classes": 2},
            {"file_bytes": 500},
        ):
            refused(files, Limits(**bound))


def bomb() -> bytes:
    return made.npz(changed(x=np.zeros((500_000, 20), dtype=np.float32)))


def zipped(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("a.npz", bomb),
        ("a.gz", lambda: gzip.compress(bytes(40_000_000))),
        ("a.zip", lambda: zipped("a.csv", bytes(40_000_000))),
        ("a.xlsx", lambda: zipped("xl/workbook.xml", bytes(40_000_000))),
    ],
)
def test_a_small_file_that_holds_much_is_refused_unread(name: str, make: Callable[[], bytes]) -> None:
    content = make()
    assert len(content) < 200_000
    tracemalloc.start()
    words = refused({name: content}, Limits(unpacked_bytes=20_000_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "more than 20 MB" in words
    assert peak < 45_000_000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(24, 4)", b"(99999999, 4)"),
        (b"(24, 4)", b"(24, -4)"),
        (b"'<f4'", b"'|O8'"),
        (b"'<f4'", b"'|O'"),
        (b"(24, 4)", b"(24, __import__('os').getpid())"),
        (b"NUMPY\x01", b"NUMPY\x07"),
    ],
)
def test_npy_headers_are_not_believed(old: bytes, new: bytes) -> None:
    def change(body: bytes) -> bytes:
        length = int.from_bytes(body[8:10], "little")
        header = body[10 : 10 + length].replace(old, new)
        start = body[:8].replace(old, new) + len(header).to_bytes(2, "little")
        return start + header + body[10 + length :]

    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(made.npz(made.arrays()))) as archive, zipfile.ZipFile(packed, "w") as written:
        for member in archive.infolist():
            body = archive.read(member)
            written.writestr(member.filename, change(body) if member.filename == "x.npy" else body)
    assert "The array x" in refused({"a.npz": packed.getvalue()})


def test_an_archive_of_many_members_or_with_one_twice() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for at in range(12_000):
            archive.writestr(f"{at}.npy", b"")
    assert "holds more than 10,000 files" in refused({"a.npz": packed.getvalue()})
    twice = io.BytesIO(made.npz(made.arrays()))
    with zipfile.ZipFile(twice, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("x.npy", b"")
    assert "an array twice" in refused({"a.npz": twice.getvalue()})


@pytest.mark.parametrize("kind", ["graphml", "parquet", "npy"])
def test_files_that_are_cut_off(kind: str, tmp_path: Path) -> None:
    paths = large_made_here.write(tmp_path, kind)
    content = paths[0].read_bytes()
    paths[0].write_bytes(content[: len(content) // 2])
    with pytest.raises(UploadError, match=re.escape(paths[0].name) if kind != "npy" else "not as long"):
        add(paths)
    paths[0].unlink()
    with pytest.raises(UploadError, match="cannot be used: No such file"):
        add(paths, described({"directed": True}))
    assert uploads() == ()
