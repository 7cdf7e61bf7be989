"""The graphs that need no network."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgraph.data.embedded import SocialOptions, digits, patients, similarity_edges, social
from privgraph.data.load import load
from privgraph.options import OptionError


def homophily(edges: np.ndarray, y: np.ndarray) -> float:
    return float((y[edges[0]] == y[edges[1]]).mean())


def test_the_social_network_does_what_its_options_say() -> None:
    options = SocialOptions(nodes=3000, classes=3, degree=12, homophily=0.7, signal=2.0, features=8)
    table = social(options)
    assert table.x.shape == (3000, 8)
    assert np.bincount(table.y).tolist() == [1000, 1000, 1000]
    assert table.edges.shape == (2, 18000)
    low, high = table.edges.min(0), table.edges.max(0)
    assert np.unique(low * 3000 + high).size == 18000
    assert not (low == high).any()
    # 18,000 edges: a standard deviation of 0.0034.
    assert homophily(table.edges, table.y) == pytest.approx(0.7, abs=0.014)
    centres = np.stack([table.x[table.y == label].mean(0) for label in range(3)])
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert np.linalg.norm(centres[first] - centres[second]) == pytest.approx(2.0, abs=0.25)
    spread = np.concatenate([table.x[table.y == label] - centres[label] for label in range(3)]).std()
    assert spread == pytest.approx(1.0, abs=0.03)


@given(
    nodes=st.integers(20, 300),
    classes=st.integers(2, 4),
    share=st.floats(0, 1),
    homophily=st.floats(0, 1),
    features=st.integers(1, 6),
)
@settings(max_examples=40, deadline=None)
def test_every_admitted_option_gives_a_graph(
    nodes: int, classes: int, share: float, homophily: float, features: int
) -> None:
    degree = share * nodes / (2 * classes)
    table = social(
        SocialOptions(nodes=nodes, classes=classes, degree=degree, homophily=homophily, features=features, signal=1)
    )
    assert table.edges.shape == (2, round(nodes * degree / 2))
    assert np.isfinite(table.x).all()
    assert set(table.y) == set(range(classes))


def test_options_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(OptionError, match="degree must be at most"):
        SocialOptions(nodes=100, classes=4, degree=50)
    with pytest.raises(OptionError, match="nodes must be at least 5 times"):
        SocialOptions(nodes=100, classes=40, degree=1)
    with pytest.raises(OptionError, match="homophily must be at most 1"):
        load("social", data_options={"homophily": 2})
    with pytest.raises(OptionError, match="no option nods"):
        load("social", data_options={"nods": 2})
    with pytest.raises(OptionError, match="has no options of its own"):
        load("karate", data_options={"nodes": 2})


@pytest.mark.parametrize("make", [digits, patients])
def test_similarity_graphs_join_each_row_to_its_nearest(make) -> None:
    table = make()
    assert table.edges.shape == (2, 5 * table.x.shape[0])
    x = table.x.astype(np.float64)
    for row in (0, 17, 400):
        mine = table.edges[0][table.edges[1] == row]
        distance = np.linalg.norm(x - x[row], axis=1)
        distance[row] = np.inf
        assert distance[mine].max() <= np.sort(distance)[4] + 1e-4
    assert np.abs(x.mean(0)).max() < 1e-4
    assert homophily(table.edges, table.y) > 0.9


def test_ties_go_to_the_lower_row() -> None:
    x = np.array([[0.0], [0.0], [0.0], [5.0]])
    source, target = similarity_edges(x, neighbours=1)
    assert dict(zip(target.tolist(), source.tolist(), strict=True)) == {0: 1, 1: 0, 2: 0, 3: 0}
