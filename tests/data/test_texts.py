"""Readers of texts, on tiny files made here; real files are read by the contract of data sets."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.load import load
from privgraph.data.texts import KEYWORDS, keyword_texts

ROWS = (
    ("Programming", "Programming/Logic", "a logic"),
    ("", "", "no area"),
    ("Databases", "Databases/Object_Oriented", " objects stored "),
    ("Networking", "Networking/Routing", "routes, routes"),
    ("Artificial_Intelligence", "Artificial_Intelligence/NLP", "words"),
    ("Encryption_and_Compression", "Encryption_and_Compression/Encryption", "secrets"),
)


def made_table(
    root: Path, rows: tuple[tuple[str, ...], ...] = ROWS, pairs: Any = ((0, 3), (3, 0), (1, 4), (2, 0)), **changes: str
) -> None:
    """A small table in the place of `cora-titles`; `changes` renames columns."""
    folder = root / "TextGraphs/Cora12kTitles"
    folder.mkdir(parents=True, exist_ok=True)
    columns = [changes.get(name, name) for name in ("label_name", "sub_label", "text")]
    lines = [",".join(columns), *(",".join(f'"{field}"' for field in row) for row in rows)]
    (folder / "nodes.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    np.savez(folder / "graph.npz", edges=np.array(pairs))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    return tmp_path


def test_a_table_of_texts_with_areas_as_domains(root: Path) -> None:
    made_table(root)
    graph = load("cora-titles")
    assert graph.texts == ("a logic", "objects stored", "routes, routes", "words", "secrets")
    assert graph.domain_names == ("artificial intelligence", "systems", "databases and interaction", "theory")
    assert graph.domains.tolist() == [1, 2, 1, 0, 3]
    assert graph.relations(1).tolist() == [[0], [2]], "listed in both directions, and one relation"
    assert graph.edge_index.shape[1] == 4, "a pair goes with the text that is left out"
    assert [graph.class_names[label] for label in graph.y] == [
        "Programming / Logic",
        "Databases / Object Oriented",
        "Networking / Routing",
        "Artificial Intelligence / NLP",
        "Encryption and Compression / Encryption",
    ]
    assert graph.x.tolist() == [[2.0], [2.0], [2.0], [1.0], [1.0]]
    assert graph.feature_names == ("words",)


def test_tables_that_are_not_as_they_should_be(root: Path) -> None:
    made_table(root, sub_label="class")
    with pytest.raises(DataError, match=r"nodes\.csv\.gz has no column sub_label"):
        load("cora-titles")
    made_table(root, (*ROWS, ("Poetry", "Poetry/Haiku", "frog")))
    with pytest.raises(DataError, match="texts of Poetry, which belongs to none of the domains"):
        load("cora-titles")
    made_table(root, (*ROWS, ("Networking", "Networking/Routing", " ")))
    with pytest.raises(DataError, match="an empty text"):
        load("cora-titles")
    for pairs, words in ((((0.5, 1.0),), "two columns of whole numbers"), (((0, 6),), "pairs outside rows 0 to 5")):
        made_table(root, pairs=pairs)
        with pytest.raises(DataError, match=words):
            load("cora-titles")
    made_table(root)
    (root / "TextGraphs/Cora12kTitles/nodes.csv.gz").write_bytes(b"no gzip")
    with pytest.raises(DataError, match="cannot be read") as caught:
        load("cora-titles")
    assert "\n" not in str(caught.value)


def counts(field: str, edges: list[tuple[int, int]], labels: list[int], rows: list[list[int]]) -> dict[str, Any]:
    """Arrays of an npz in the layout of gnn-benchmark."""
    from scipy.sparse import csr_matrix

    size = len(labels)
    attributes = csr_matrix(np.array(rows, dtype=np.float32))
    adjacency = csr_matrix((np.ones(len(edges)), np.array(edges).T), shape=(size, size))
    arrays = {f"attr_{name}": getattr(attributes, name) for name in ("data", "indices", "indptr")}
    arrays |= {f"adj_{name}": getattr(adjacency, name) for name in ("data", "indices", "indptr")}
    return {**arrays, "labels": np.array(labels), "class_names": np.array([f"{field}_old", f"{field}_new"])}


def made_authors(root: Path) -> dict[str, Path]:
    """Three computer scientists and two physicists."""
    known = {
        "CS": (
            ["graph", "noise", "tree"],
            counts("cs", [(0, 2), (1, 0)], [0, 1, 1], [[1, 0, 2], [0, 3, 3], [1, 0, 0]]),
        ),
        "Physics": (["atom", "wave"], counts("ph", [(1, 0), (0, 1)], [1, 0], [[0, 5], [2, 7]])),
    }
    places = {}
    for (path, _), (words, arrays) in zip(dataset("coauthors").files[::2], known.values(), strict=True):
        place = root / path
        place.parent.mkdir(parents=True)
        np.savez(place, **arrays)
        places[path.split("/")[1]] = place.parent.parent / "keywords.json.gz"
        places[path.split("/")[1]].write_bytes(gzip.compress(json.dumps(words).encode()))
    return places


def test_authors_of_two_fields_by_their_keywords(root: Path) -> None:
    made_authors(root)
    graph = load("coauthors")
    assert graph.texts == ("tree; graph", "noise; tree", "graph", "wave", "wave; atom")
    assert graph.domains.tolist() == [0, 0, 0, 1, 1]
    assert graph.relations(0).tolist() == [[0, 0], [1, 2]]
    assert graph.relations(1).tolist() == [[3], [4]]
    assert graph.class_names == ("CS: cs old", "CS: cs new", "Physics: ph old", "Physics: ph new")
    assert graph.y.tolist() == [0, 1, 1, 3, 2]


def test_an_author_has_the_most_frequent_keywords_in_order_of_columns_where_they_tie() -> None:
    words = [f"w{number}" for number in range(100)]
    frequent = np.ones(100, dtype=np.float32)
    frequent[[70, 90]] = [2, 3]
    (text,) = keyword_texts(words, frequent[::-1], np.arange(100)[::-1], np.array([0, 100]))
    assert text.split("; ") == ["w90", "w70", *words[: KEYWORDS - 2]]
    with pytest.raises(DataError, match="author 1 has no keyword"):
        keyword_texts(words, frequent, np.arange(100), np.array([0, 100, 100]))
