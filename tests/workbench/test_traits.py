"""What graphs differ in: their measures, how far they are apart, and how that is said."""

from __future__ import annotations

import pytest

from privgraph.data.catalogue import dataset
from privgraph_workbench.facts.traits import Traits, apart, difference, rank, traits


def test_a_graph_of_the_catalogue_has_its_own_measures() -> None:
    cora = dataset("cora")
    found = traits(cora, {}, mlp=0.6)
    assert (found.nodes, found.mlp) == (cora.nodes, 0.6)
    assert found.homophily == cora.homophily is not None
    assert found.degree == pytest.approx(3.9, abs=0.05), "both ends of an edge have it"


def test_a_drawn_graph_has_the_homophily_that_it_was_drawn_with() -> None:
    assert traits(dataset("social"), {"nodes": 600, "degree": 16.0, "homophily": 0.25}).homophily == 0.25


def test_how_far_apart_is_the_same_from_both_sides() -> None:
    small, large = Traits(nodes=300, degree=2.0), Traits(nodes=900, degree=12.0)
    assert apart(small, large) == pytest.approx(apart(large, small))
    assert difference("nodes", small, large) == "nodes 300, yours 900 (factor 3.0)"
    assert difference("degree", large, small) == "mean degree 12.0, yours 2.0 (factor 6.0)"
    assert difference("degree", small, large) == "mean degree 2.0, yours 12.0 (factor 6.0)"


@pytest.mark.parametrize(("name", "far"), [("homophily", 0.2), ("mlp", 0.1)])
def test_a_share_is_too_far_at_its_own_distance(name: str, far: float) -> None:
    own = Traits(**{name: 0.5})
    assert apart(Traits(**{name: 0.5 + far}), own) == pytest.approx({name: 1.0})
    assert apart(Traits(**{name: 0.5 - far}), own) == pytest.approx({name: 1.0})


def test_every_measure_counts_in_how_unlike_a_graph_is() -> None:
    own = Traits(nodes=300, homophily=0.5)
    near, far = Traits(nodes=300, homophily=0.5), Traits(nodes=300, homophily=0.9)
    assert rank(near, own) == (0, 0)
    assert rank(far, own) == (1, pytest.approx(2))
    assert rank(Traits(nodes=900, homophily=0.9), own)[1] == pytest.approx(3)


def test_a_graph_that_is_too_far_in_fewer_measures_is_nearer() -> None:
    """Though it is further away in all."""
    own = Traits(nodes=800, degree=14.0, homophily=0.8)
    little_in_two = Traits(nodes=2485, degree=4.5, homophily=0.8)
    much_in_one = Traits(nodes=800, degree=300.0, homophily=0.8)
    assert sum(apart(little_in_two, own).values()) < sum(apart(much_in_one, own).values())
    assert sorted([little_in_two, much_in_one], key=lambda one: rank(one, own)) == [much_in_one, little_in_two]


def test_what_is_just_near_enough_is_not_counted_as_too_far() -> None:
    own, at = Traits(homophily=0.0), Traits(homophily=0.2)
    assert apart(at, own) == {"homophily": 1}
    assert rank(at, own) == (0, 1)
