"""What a Data page shows."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from privgraph.data.catalogue import DATASETS, FOLDER, dataset
from privgraph.data.errors import DataError
from privgraph.data.facts import Arrays, Query, describe, facts_of, neighbourhood, neighbours_vote
from privgraph.data.files import available, missing
from privgraph.options import UnknownName


def star(leaves: int, undirected: bool = True) -> Arrays:
    """Node 0 joined to 1..leaves, each joined to one more."""
    out = np.array([[0] * leaves + list(range(1, leaves + 1)), list(range(1, 2 * leaves + 1))])
    edges = np.concatenate([out, out[::-1]], axis=1) if undirected else out
    nodes = 2 * leaves + 2
    mask = np.ones(nodes, dtype=bool)
    return Arrays(
        features=3,
        y=np.arange(nodes) % 2,
        edges=edges,
        class_names=("even", "odd"),
        undirected=undirected,
        masks={"train": mask, "val": ~mask, "test": ~mask},
    )


def test_facts_of_a_star() -> None:
    facts = facts_of(star(4), node=0)
    assert (facts["nodes"], facts["edges"], facts["entries"]) == (10, 8, 16)
    assert [facts["degree"][name] for name in ("max", "isolated", "mean")] == [4, 1, 1.6]
    assert [(row["low"], row["high"], row["count"]) for row in facts["degree"]["histogram"]] == [
        (0, 0, 1),
        (1, 1, 4),
        (2, 3, 4),
        (4, 7, 1),
    ]
    assert facts["class_counts"] == [{"class": 0, "name": "even", "count": 5}, {"class": 1, "name": "odd", "count": 5}]
    assert facts["largest_class_share"] == 0.5
    # 0-2, 0-4, 1-5, 2-6, 3-7, 4-8 join equal labels; 0-1, 0-3 do not.
    assert facts["homophily"] == 0.75
    assert facts["split"] == {"train": 10, "val": 0, "test": 0}


def test_the_vote_of_neighbours_is_counted_exactly() -> None:
    """Against a plain loop over random graphs, with ties, nodes without neighbours and directed edges."""
    draw = np.random.default_rng(0)
    for undirected in (True, False):
        edges = draw.integers(0, 40, (2, 60))
        edges = np.concatenate([edges, edges[::-1]], axis=1) if undirected else edges
        y = draw.integers(0, 3, 40)
        chances = []
        for node in range(40):
            counts = np.bincount(y[edges[0][edges[1] == node]], minlength=3)
            if counts.sum():
                best = np.flatnonzero(counts == counts.max())
                chances.append((y[node] in best) / best.size)
        arrays = Arrays(features=1, y=y, edges=edges, class_names=("a", "b", "c"), undirected=undirected, masks={})
        found = neighbours_vote(arrays)
        assert found["asked"] == len(chances)
        assert found["right"] == pytest.approx(np.mean(chances))
    empty = Arrays(features=1, y=y, edges=edges[:, :0], class_names=(), undirected=True, masks={})
    assert neighbours_vote(empty) == {"asked": 0, "right": None}


@pytest.mark.parametrize("undirected", [True, False])
def test_a_neighbourhood(undirected: bool) -> None:
    drawn = neighbourhood(star(4, undirected), 0)
    assert drawn["complete"]
    assert [(node["id"], node["hop"]) for node in drawn["nodes"]] == [(0, 0)] + [(i, 1) for i in range(1, 5)] + [
        (i, 2) for i in range(5, 9)
    ]
    assert sorted(map(tuple, drawn["edges"])) == sorted(
        [(0, i) for i in range(1, 5)] + [(i, i + 4) for i in range(1, 5)]
    )
    assert drawn["nodes"][1]["class_name"] == "odd"
    leaf = neighbourhood(star(4), 5)
    assert [(node["id"], node["hop"]) for node in leaf["nodes"]] == [(5, 0), (1, 1), (0, 2)]
    alone = neighbourhood(star(4), 9)
    assert [node["id"] for node in alone["nodes"]] == [9]
    assert alone["edges"] == []
    with pytest.raises(DataError, match="numbered 0 to 9"):
        neighbourhood(star(4), 10)


@pytest.mark.long
def test_a_module_in_the_working_folder_is_not_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('executed')")
    monkeypatch.chdir(tmp_path)
    assert describe(Query(name="karate"))["nodes"] == 34


def test_a_school_without_a_row_is_known_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    with pytest.raises(UnknownName, match=r"UIllinois20\.mat for fb100-uillinois20, into .*Facebook100/mat"):
        dataset("fb100-uillinois20")
    with pytest.raises(UnknownName, match="did you mean cornell5"):
        dataset("fb100-cornel5")
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "UIllinois20.mat").write_bytes(b"")
    spec = dataset("fb100-uillinois20")
    assert spec.nodes is None
    assert available(spec)


def test_missing_files_are_named_with_their_places(tmp_path: Path) -> None:
    cora = dataset("cora")
    sentence = missing(cora, tmp_path)
    assert not available(cora, tmp_path)
    assert "ind.cora.allx" in sentence
    assert str(tmp_path / "Planetoid/Cora/raw") in sentence
    assert "https://github.com/kimiyoung/planetoid" in sentence
    assert "\n" not in sentence
    folder = tmp_path / "Planetoid/Cora/raw"
    folder.mkdir(parents=True)
    for path, _ in cora.files[1:]:
        (tmp_path / path).write_bytes(b"")
    assert "ind.cora.x into" in missing(cora, tmp_path)
    (tmp_path / cora.files[0][0]).write_bytes(b"")
    assert missing(cora, tmp_path) == ""
    assert available(cora, tmp_path)
    assert available(dataset("social"), tmp_path)


def test_the_catalogue_uploads_and_facts_do_without_torch() -> None:
    modules = ", ".join(f"privgraph.data.{name}" for name in ("own.adding", "facts", "fetch", "files"))
    code = f"import sys, privgraph.registry, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_readme_has_a_row_for_each() -> None:
    import privgraph.data.catalogue as module

    lines = Path(module.__file__).with_name("README.md").read_text().splitlines()
    rows = {
        line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[3:7]] for line in lines if "|" in line
    }
    for spec in DATASETS.values():
        sizes = (spec.nodes, spec.edges, spec.features, spec.classes)
        assert rows[spec.name] == ["–" if size is None else f"{size:,}" for size in sizes]
