"""What a Data page shows."""

from pathlib import Path

import numpy as np
import pytest

from privgraph.data import facts as module
from privgraph.data.errors import DataError
from privgraph.data.facts import Arrays, describe, facts_of, neighbourhood


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
    assert facts["degree"]["max"] == 4
    assert facts["degree"]["isolated"] == 1
    assert facts["degree"]["mean"] == 1.6
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
        found = module.neighbours_vote(arrays)
        assert found["asked"] == len(chances)
        assert found["right"] == pytest.approx(np.mean(chances))
    empty = Arrays(features=1, y=y, edges=edges[:, :0], class_names=(), undirected=True, masks={})
    assert module.neighbours_vote(empty) == {"asked": 0, "right": None}


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
    assert describe("karate")["nodes"] == 34
