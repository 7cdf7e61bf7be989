"""Uploads: what is taken, what is refused in one sentence, and where it is kept."""

from __future__ import annotations

import dataclasses
import io
import re
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data import uploads_made_here as made

from privgraph.data.catalogue import dataset
from privgraph.data.load import load
from privgraph.data.upload import Limits, UploadError, check_upload, delete_upload, save_upload, uploads
from privgraph.home import home
from privgraph.options import UnknownName


def pairs(edges: np.ndarray) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in edges.T.tolist() if a != b}


def test_three_kinds_of_the_same_graph() -> None:
    graph = made.arrays()
    edges, nodes = made.csv_files()
    uploaded = [
        check_upload({"whatever": made.npz(graph)}),
        check_upload({"a": edges, "b": nodes}),
        check_upload({"b": nodes, "a": edges}),
        check_upload({"../../etc/passwd": made.graphml()}),
    ]
    for upload in uploaded:
        # networkx writes the columns in another order.
        columns = [upload.feature_names.index(name) for name in ("height", "weight", "age", "luck")]
        assert np.abs(upload.x[:, columns] - graph["x"]).max() < 1e-5
        assert pairs(upload.edges) == pairs(graph["edge_index"])
        assert bool((upload.edges[0] < upload.edges[1]).all())
        names = [upload.class_names[label] for label in upload.y]
        assert names == [str(graph["class_names"][label]) for label in graph["y"]]
        assert len(upload.feature_names) == 4
    assert [upload.kind for upload in uploaded] == ["npz", "csv", "csv", "graphml"]
    assert uploaded[0].masks is not None
    assert np.array_equal(uploaded[0].masks[1], graph["val_mask"])
    loops = int((graph["edge_index"][0] == graph["edge_index"][1]).sum())
    assert f"Self-loops dropped: {loops}." in uploaded[0].notes


def test_a_stored_upload_is_loaded_by_name() -> None:
    upload = check_upload({"graph": made.npz(made.arrays())})
    name = save_upload(upload, title="../Our <school>\n")
    assert re.fullmatch("upload:[0-9a-f]{16}", name)
    assert save_upload(upload, title="Our school") == name
    spec = dataset(name)
    assert spec.title == "Our school"
    assert (spec.nodes, spec.features, spec.classes) == (24, 4, 3)
    assert spec.public_split
    graph = load(name, split_seed=1)
    assert graph.facts.edges == spec.edges == upload.edges.shape[1]
    assert graph.class_names == ("red", "green", "blue")
    public = load(name, split="public")
    assert public.val_mask.numpy().tolist() == upload.masks[1].tolist()
    assert [found.name for found in uploads()] == [name]
    other = save_upload(check_upload({"graph": made.npz(made.arrays(seed=1))}))
    assert other != name
    delete_upload(other)
    assert [found.name for found in uploads()] == [name]
    with pytest.raises(UnknownName, match="upload the graph again"):
        load(other)


def test_nothing_of_a_deleted_upload_stays_on_the_disk() -> None:
    kept, gone = (save_upload(check_upload({"graph": made.npz(made.arrays(seed=seed))})) for seed in range(2))
    delete_upload(gone)
    stems = sorted(path.name for path in (home() / "uploads").iterdir())
    assert stems == [f"{kept.removeprefix('upload:')}.{kind}" for kind in ("json", "npz")]


@pytest.mark.parametrize("field", ["x", "y", "edges", "class_names", "feature_names", "train", "test", "none"])
def test_whatever_is_other_in_a_graph_has_another_name(field: str) -> None:
    """A name stands for one content: the second of two graphs with one name would take the place of the
    first."""
    upload = check_upload({"graph": made.npz(made.arrays())})
    assert upload.masks is not None
    x, y, train = upload.x.copy(), upload.y.copy(), upload.masks[0].copy()
    x[-1, -1] += 1
    y[-1] = (y[-1] + 1) % 3
    train[-1] = ~train[-1]
    changes: dict[str, dict[str, Any]] = {
        "x": {"x": x},
        "y": {"y": y},
        "edges": {"edges": upload.edges[:, 1:]},
        "class_names": {"class_names": ("red", "green", "grey")},
        "feature_names": {"feature_names": ("height", "weight", "age", "wit")},
        "train": {"masks": (train, *upload.masks[1:])},
        "test": {"masks": (*upload.masks[:2], train)},
        "none": {"masks": None},
    }
    assert save_upload(dataclasses.replace(upload, **changes[field])) != save_upload(upload)


def test_a_name_says_nothing_to_who_lacks_the_key_of_the_installation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever can guess a graph but for one friendship stores both guesses, and compares names."""
    upload = check_upload({"graph": made.npz(made.arrays())})
    name = save_upload(upload)
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "elsewhere"))
    guessed = save_upload(upload)
    assert guessed != name
    assert save_upload(upload) == guessed
    (tmp_path / "elsewhere" / "noise.key").unlink()
    assert save_upload(upload) not in (name, guessed)


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
    with pytest.raises(UnknownName, match="there is no upload:0123456789ab"):
        dataset("upload:0123456789ab")
    before = sorted(home().parent.rglob("*"))
    check_upload({"../evil.npz": made.npz(made.arrays())})
    assert sorted(home().parent.rglob("*")) == before


def test_numbers_of_other_types_and_orders_are_taken() -> None:
    graph = made.arrays()
    plain = {key: graph[key] for key in ("x", "y", "edge_index")}
    expected = check_upload({"a": made.npz(plain)})
    changed = {
        "x": np.asfortranarray(graph["x"].astype(">f8")),
        "y": graph["y"].astype(np.uint8),
        "edge_index": graph["edge_index"].astype(">u2"),
    }
    found = check_upload({"a": made.npz(changed, compressed=False)})
    assert np.array_equal(found.x, expected.x)
    assert np.array_equal(found.edges, expected.edges)
    assert found.class_names == ("0", "1", "2")
    assert found.masks is None
    holes = check_upload({"a": made.npz({**plain, "y": graph["y"] * 7})})
    assert np.array_equal(holes.y, graph["y"])
    assert holes.class_names == ("0", "7", "14")
    lonely = check_upload({"a": made.npz({**plain, "edge_index": np.empty((2, 0), dtype=np.int64)})})
    assert lonely.edges.shape == (2, 0)
    assert load(save_upload(lonely)).facts.edges == 0


def changed(**values: Any) -> dict[str, Any]:
    """The small graph with other arrays; None leaves one out."""
    graph = {**made.arrays(), **values}
    return {name: value for name, value in graph.items() if value is not None}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (changed(x=None), "lacks the array x"),
        (changed(x=np.zeros(24)), "x must be a table of numbers"),
        (changed(x=np.full((24, 4), np.nan)), "Node 0 has a feature that is not a finite number"),
        (changed(x=np.zeros((24, 4), dtype=complex)), "a type that is not read"),
        (changed(x=np.array([[None] * 4] * 24)), "Python objects, which are never read"),
        (changed(y=np.zeros(23, dtype=int)), "y must be 24 whole numbers"),
        (changed(y=np.zeros(24, dtype=int), class_names=None), "at least two classes"),
        (changed(y=np.arange(24) - 1), "Node 0 has a negative label"),
        (changed(y=np.arange(24)), "class_names has 3 names"),
        (changed(y=np.full(24, 2**64 - 1, dtype=np.uint64)), "too large"),
        (changed(edge_index=np.zeros((2, 5))), "edge_index must be two rows of whole numbers"),
        (changed(edge_index=np.array([[0], [24]])), "outside 0 to 23"),
        (changed(edge_index=np.array([[0], [2**63]], dtype=np.uint64)), "outside 0 to 23"),
        (changed(val_mask=None), "all of train_mask, val_mask, test_mask or none"),
        (changed(val_mask=np.zeros(24, dtype=bool)), "at least one node"),
        (changed(val_mask=np.ones(24, dtype=bool)), "more than one of"),
        (changed(feature_names=np.array(["a"])), "1 names for 4 features"),
        (changed(class_names=np.array([b"\xff\xff\xff\x7f"] * 3).view("<U1")), "letters that do not exist"),
        (changed(extra=np.zeros(3)), "holds extra, and only x, y"),
        (
            {"x": np.zeros((3, 2)), "y": np.arange(3), "edge_index": np.zeros((2, 1), dtype=int)},
            "at least 10 are needed",
        ),
    ],
)
def test_an_npz_that_is_refused(content: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UploadError, match=re.escape(sentence)) as caught:
        check_upload({"a": made.npz(content)})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("edges", "nodes", "sentence"),
    [
        ("source,target\n0,1", "id,label\n0,1", "no feature column besides id and label"),
        ("from,to\n0,1", "id,label,a\n0,1,2", "headers begin with from,to and id,label,a"),
        ("source,target\nn0,nobody", None, "Edge row 1 names the node nobody"),
        (None, "id,label,a\n0,1", "Node row 1 has 2 fields, and the header has 3"),
        (None, "id,label,a\n0,1,2\n0,1,2", "an id that is empty or not its own (0)"),
        (None, "id,label,a\n0,,2", "Node 0 has no label"),
        (None, "id,label,a\n0,1,tall", "Node 0 has 'tall' as a, which is not a number"),
        (None, "id,label,a,a\n0,1,2,2", "same name"),
        (None, 'id,label,a\n0,1,"2', "cannot be read"),
        (None, "id,label,a\n" + "\n".join(f"{i},{i % 2 - 1},2" for i in range(20)), "A label is negative"),
        (None, "id,label,a\n" + "\n".join(f"n{i},{i % 2},inf" for i in range(24)), "not a finite number"),
        (None, "id,label,a\n" + "\n".join(f"n{i},{i % 2},1" for i in range(5)), "at least 10"),
    ],
)
def test_csv_files_that_are_refused(edges: str | None, nodes: str | None, sentence: str) -> None:
    good_edges, good_nodes = made.csv_files()
    files = {"e": good_edges if edges is None else edges.encode(), "n": good_nodes if nodes is None else nodes.encode()}
    if edges is None:
        files["e"] = b"source,target\n"
    with pytest.raises(UploadError, match=re.escape(sentence)) as caught:
        check_upload(files)
    assert "\n" not in str(caught.value)


def test_csv_of_other_programs() -> None:
    edges, nodes = made.csv_files()
    expected = check_upload({"e": edges, "n": nodes})
    windows = {"e": b"\xef\xbb\xbf" + edges.replace(b"\n", b"\r\n") + b"\r\n\r\n", "n": nodes.replace(b"red", b'"red"')}
    found = check_upload(windows)
    assert np.array_equal(found.edges, expected.edges)
    assert np.array_equal(found.y, expected.y)
    with pytest.raises(UploadError, match="not text in UTF-8"):
        check_upload({"e": edges, "n": nodes.replace(b"red", b"r\xe9d")})


GRAPHML = made.graphml().decode()
LAUGHS = '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><graphml>&b;</graphml>'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LAUGHS, "document type"),
        ("<html></html>", "begins with the element html"),
        (GRAPHML[:-20], "damaged"),
        ("<graphml>" + "<a>" * 100 + "</a>" * 100 + "</graphml>", "nested too deeply"),
        (
            GRAPHML.replace("<graph ", "<graph><graph ", 1).replace("</graph>", "</graph></graph>"),
            "more than one graph",
        ),
        (
            GRAPHML.replace('attr.name="label"', 'attr.name="colour"'),
            "is named label: which is the class? (the nodes have c",
        ),
        (GRAPHML.replace('attr.name="luck" attr.type="double"', 'attr.name="luck" attr.type="string"'), "leave it out"),
        (GRAPHML.replace('<node id="n3">', '<node id="n2">'), "not its own (n2)"),
        (GRAPHML.replace('target="n3"', 'target="nobody"'), "names the node nobody"),
        (re.sub(r'<data key="d2">[^<]*</data>', "", GRAPHML, count=1), "Node n0 has no weight"),
        (re.sub(r'(<data key="d2">)[^<]*', r"\g<1>nan", GRAPHML, count=1), "not a finite number"),
        (re.sub(r'(<data key="d2">)[^<]*', r"\g<1>" + "1" * 2000, GRAPHML, count=1), "more than 1000 letters"),
        (GRAPHML.replace("</graph>", "<hyperedge/></graph>"), "hyperedges"),
        ("<graphml " + " ".join(f'a{i}="1"' for i in range(200_000)) + "/>", "element of more than 1,000,000 letters"),
    ],
)
def test_graphml_that_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(UploadError, match=re.escape(sentence)) as caught:
        check_upload({"g": text.encode()})
    assert "\n" not in str(caught.value)


def test_edges_before_their_nodes_in_graphml() -> None:
    expected = check_upload({"g": GRAPHML.encode()})
    edges = re.findall(r"<edge [^>]*/>|<edge [^>]*></edge>", GRAPHML)
    assert len(edges) > 20
    text = GRAPHML
    for edge in edges:
        text = text.replace(edge, "")
    start = text.index(">", text.index("<graph ")) + 1
    found = check_upload({"g": (text[:start] + "".join(edges) + text[start:]).encode()})
    assert np.array_equal(found.edges, expected.edges)
    assert np.array_equal(found.y, expected.y)
    assert np.array_equal(found.x, expected.x)


@pytest.mark.parametrize("files", [{}, {"a": b"hello"}, {"a": b"PK", "b": b"a"}, {"a": b"1", "b": b"2", "c": b"3"}])
def test_files_of_no_kind(files: dict[str, bytes]) -> None:
    with pytest.raises(UploadError, match="Upload one npz file, one GraphML file, or two CSV files"):
        check_upload(files)
    with pytest.raises(UploadError, match="empty"):
        check_upload({"a": b""})


def test_limits_hold_for_each_kind() -> None:
    edges, nodes = made.csv_files()
    for files in ({"a": made.npz(made.arrays())}, {"e": edges, "n": nodes}, {"g": made.graphml()}):
        for bound in (
            {"nodes": 23},
            {"edges": 30},
            {"features": 3},
            {"cells": 90},
            {"classes": 2},
            {"file_bytes": 500},
        ):
            with pytest.raises(UploadError):
                check_upload(files, limits=Limits(**bound))
        check_upload(files, limits=Limits(nodes=24, edges=72, features=4, cells=96, classes=3))


def test_a_small_file_that_holds_a_large_array_is_refused_unread() -> None:
    bomb = made.npz(changed(x=np.zeros((500_000, 20), dtype=np.float32)))
    assert len(bomb) < 200_000
    tracemalloc.start()
    with pytest.raises(UploadError, match="more than 20 MB"):
        check_upload({"a": bomb}, limits=Limits(array_bytes=20_000_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def rebuilt(archive: bytes, name: str, change: Any) -> bytes:
    """The npz with one member's bytes changed, its checksum made right again."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            body = old.read(member)
            new.writestr(member.filename, change(body) if member.filename == name else body)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b"(24, 4)", b"(99999999, 4)", "not as long as its header says"),
        (b"(24, 4)", b"(24, -4)", "a header or a type that is not read"),
        (b"'<f4'", b"'|O8'", "a header or a type that is not read"),
        (b"'<f4'", b"'|O'", "Python objects"),
        (b"(24, 4)", b"(24, __import__('os').getpid())", "a header or a type that is not read"),
        (b"NUMPY\x01", b"NUMPY\x07", "is not an array"),
    ],
)
def test_npy_headers_are_not_believed(old: bytes, new: bytes, sentence: str) -> None:
    def change(body: bytes) -> bytes:
        length = int.from_bytes(body[8:10], "little")
        header = body[10 : 10 + length].replace(old, new)
        start = body[:8].replace(old, new) + len(header).to_bytes(2, "little")
        return start + header + body[10 + length :]

    with pytest.raises(UploadError, match=re.escape(sentence)):
        check_upload({"a": rebuilt(made.npz(made.arrays()), "x.npy", change)})


def test_a_directory_of_many_members_is_refused_unread() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for index in range(2000):
            archive.writestr(f"{index}.npy", b"")
    with pytest.raises(UploadError, match="holds more than the arrays"):
        check_upload({"a": buffer.getvalue()})
    good = made.npz(made.arrays())
    with pytest.raises(UploadError, match="directory is not at its end"):
        check_upload({"a": good + b"tail"})


def test_the_same_name_twice_is_refused() -> None:
    buffer = io.BytesIO(made.npz(made.arrays()))
    with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("x.npy", b"")
    with pytest.raises(UploadError, match="once each"):
        check_upload({"a": buffer.getvalue()})
