"""The reader of tables of texts, on a tiny file made here."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privgraph.data.errors import DataError
from privgraph.data.load import load

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
