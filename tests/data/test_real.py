"""Readers of raw files: against PyTorch Geometric's own data sets, and on files made here."""

import gzip
import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.load import load
from privgraph.data.real import check_pickle
from privgraph.data.tabular import read_school, similarity_rule


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("name", "kind", "arguments", "raw"),
    [
        ("cora", "Planetoid", ("Cora",), "Planetoid/Cora/raw"),
        ("cora-ml", "CitationFull", ("Cora_ML",), "CitationFull/cora_ml/raw"),
        ("twitch-pt", "Twitch", ("PT",), "Twitch/PT/raw"),
        ("amazon-photo", "Amazon", ("Photo",), "Amazon/Photo/raw"),
    ],
)
def test_the_same_as_pytorch_geometric(
    name: str, kind: str, arguments: tuple[str, ...], raw: str, shared_data: Path, tmp_path: Path
) -> None:
    from torch_geometric import datasets
    from torch_geometric.utils import remove_self_loops, to_undirected

    shutil.copytree(shared_data / raw, tmp_path / raw)
    data = getattr(datasets, kind)(str(tmp_path / kind), *arguments)[0]
    graph = load(name)
    assert torch.equal(graph.x, data.x)
    assert torch.equal(graph.y, data.y)
    edges = to_undirected(remove_self_loops(data.edge_index)[0], num_nodes=graph.num_nodes)
    assert graph.facts.entries == edges.shape[1]
    dense = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.bool)
    dense[edges[1], edges[0]] = True
    assert bool(dense[graph.edge_index[1], graph.edge_index[0]].all())
    if name == "cora":
        public = load(name, split="public")
        assert torch.equal(public.train_mask, data.train_mask)
        assert torch.equal(public.test_mask, data.test_mask)


class Trap:
    """What an attacker would put into a pickle."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        import os

        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", [0, 5])
def test_a_pickle_that_could_do_harm_is_not_opened(
    protocol: int, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(shared_data / "Planetoid/Cora/raw", tmp_path / "Planetoid/Cora/raw")
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    harm = tmp_path / "harm"
    (tmp_path / "Planetoid/Cora/raw/ind.cora.graph").write_bytes(pickle.dumps(Trap(harm), protocol=protocol))
    with pytest.raises(DataError, match=r"ind\.cora\.graph holds more than arrays"):
        load("cora")
    assert not harm.exists()


def test_a_damaged_pickle_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "ind.cora.x").write_bytes(b"\x80\x02]q\x01(K")
    with pytest.raises(DataError, match=r"ind\.cora\.x is damaged"):
        check_pickle(tmp_path / "ind.cora.x")


def test_an_npz_is_never_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    harm = tmp_path / "harm"
    path = tmp_path / dataset("twitch-pt").files[0][0]
    path.parent.mkdir(parents=True)
    trap = np.array([Trap(harm)], dtype=object)
    np.savez(path, features=trap, target=trap, edges=trap)
    with pytest.raises(DataError, match="cannot be read"):
        load("twitch-pt")
    assert not harm.exists()
    path.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(DataError, match="not an npz archive"):
        load("twitch-pt")
    np.savez(path, features=np.zeros((2, 2)))
    with pytest.raises(DataError, match="holds no target and no edges"):
        load("twitch-pt")


def test_the_recipe_on_a_school_made_here(tmp_path: Path) -> None:
    from scipy.io import savemat
    from scipy.sparse import csc_matrix

    rng = np.random.default_rng(0)
    people = 900
    info = np.zeros((people, 7))
    info[:, 0] = 1
    info[:, 2] = rng.integers(0, 4, people) * 10
    info[:, 5] = np.repeat([0, 2005, 2006, 2007], [150, 300, 400, 50])
    rng.shuffle(info[:, 5])
    dense = np.triu(rng.random((people, people)) < 0.02, 1)
    dense = dense | dense.T
    savemat(tmp_path / "Toy1.mat", {"A": csc_matrix(dense.astype(float)), "local_info": info})
    school = read_school(dataset("fb100-reed98"), {"Toy1.mat": tmp_path / "Toy1.mat"})
    kept = np.isin(info[:, 5], [2005, 2006])
    assert school.x.shape == (700, 4)
    assert school.feature_names == ["status 1", "major 10", "major 20", "major 30"]
    assert np.array_equal(school.x[:, 1], info[kept, 2] == 10)
    assert np.array_equal(school.y, info[kept, 5] - 2005)
    back = np.zeros((700, 700), dtype=bool)
    back[school.edges[0], school.edges[1]] = True
    assert np.array_equal(back, dense[kept][:, kept])
    (tmp_path / "Bad2.mat").write_bytes(b"MATLAB 5.0 but not really" + bytes(200))
    with pytest.raises(DataError, match="is not a Facebook100 school"):
        read_school(dataset("fb100-reed98"), {"Bad2.mat": tmp_path / "Bad2.mat"})


def test_the_similarity_rule_against_a_loop() -> None:
    x = np.random.default_rng(1).integers(0, 4, (30, 2)).astype(float)
    expected = set()
    for i in range(30):
        similarity = [1 / (1 + float(np.linalg.norm(x[i] - x[j]))) if i != j else -1.0 for j in range(30)]
        expected |= {(min(i, j), max(i, j)) for j in range(30) if similarity[j] > 0.8 * max(similarity)}
    assert set(zip(*similarity_rule(x, 0.8, block=7).tolist(), strict=True)) == expected


def test_reddit_as_its_files_are_laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.sparse

    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    folder = tmp_path / "Reddit/raw"
    folder.mkdir(parents=True)
    x = np.random.default_rng(0).random((6, 3))
    np.savez(
        folder / "reddit_data.npz",
        feature=x,
        label=np.array([0, 1, 2, 0, 1, 2]),
        node_types=np.array([1, 1, 2, 2, 3, 3]),
    )
    scipy.sparse.save_npz(
        folder / "reddit_graph.npz", scipy.sparse.coo_matrix((np.ones(4), ([0, 1, 2, 2], [1, 0, 3, 2])))
    )
    graph = load("reddit", split="public")
    assert graph.edge_index.tolist() == [[1, 0, 3, 2], [0, 1, 2, 3]]
    assert graph.val_mask.tolist() == [False, False, True, True, False, False]
    assert torch.equal(graph.x, torch.tensor(x, dtype=torch.float32))


def test_wikics_as_its_file_is_laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    path = tmp_path / "WikiCS/raw/data.json"
    path.parent.mkdir(parents=True)
    labels = list(range(10))
    masks = [[node < 5 for node in labels], [node >= 5 for node in labels]]
    record = {
        "features": [[float(node), 1.0] for node in labels],
        "labels": labels,
        "links": [[1, 2], [0], *([] for _ in range(8))],
        "train_masks": masks,
        "val_masks": [[node in (5, 6) for node in labels], masks[0]],
        "test_mask": [node > 6 for node in labels],
    }
    path.write_text(json.dumps(record))
    graph = load("wikics", split="public")
    assert graph.edge_index.tolist() == [[1, 2, 0, 0], [0, 0, 1, 2]]
    assert graph.train_mask.tolist() == masks[0]
    assert graph.test_mask.sum() == 3


def test_ogbn_as_its_files_are_laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    content = {
        "raw/edge": "0,1\n2,0\n3,3\n",
        "raw/node-feat": "0.5,1\n-1,2\n3,4\n0,0\n",
        "raw/node-label": "0\n1\n1\n0\n",
        "split/time/train": "0\n1\n",
        "split/time/valid": "2\n",
        "split/time/test": "3\n",
    }
    for name, text in content.items():
        path = tmp_path / f"OGB/ogbn_arxiv/{name}.csv.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()))
    graph = load("ogbn-arxiv", split="public")
    assert graph.edge_index.tolist() == [[1, 2, 0, 0], [0, 0, 1, 2]]
    assert graph.x.tolist() == [[0.5, 1], [-1, 2], [3, 4], [0, 0]]
    assert graph.train_mask.tolist() == [True, True, False, False]
    (tmp_path / "OGB/ogbn_arxiv/raw/edge.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(DataError, match="cannot be read"):
        load("ogbn-arxiv")


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
