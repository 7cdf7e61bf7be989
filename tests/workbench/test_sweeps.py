"""Sweeps: what a comparison has by itself, and which methods answer about nodes of their own choice."""

from __future__ import annotations

from collections import Counter

import pytest

from privgraph.data.catalogue import dataset
from privgraph.options import OptionError
from privgraph.registry import METHODS
from privgraph_workbench import sweeps


@pytest.mark.parametrize("unit", sweeps.UNITS)
def test_methods_with_parts_of_their_own_are_offered_apart(unit: str) -> None:
    data = dataset("karate")
    fitting, apart = sweeps.fitting(data, unit), sweeps.apart(data, unit)
    assert fitting
    assert set(fitting).isdisjoint(apart)
    assert not [name for name in fitting if METHODS[name].own_parts]
    assert all(METHODS[name].own_parts for name in apart)
    assert "mlp" not in fitting
    assert ("pate" in apart) == (unit == "node")
    with pytest.raises(OptionError):
        sweeps.specs("karate", "node", methods=["pate"])


@pytest.mark.parametrize("unit", sweeps.UNITS)
def test_a_comparison_has_every_method_at_every_epsilon_with_every_seed(unit: str) -> None:
    made = sweeps.specs("karate", unit, seeds=2)
    assert len({one.id for one in made}) == len(made)
    assert Counter(one.seed for one in made) == dict.fromkeys(range(2), len(made) // 2)
    asked = {(one.method, one.asked_epsilon) for one in made if one.unit == unit}
    names = sweeps.fitting(dataset("karate"), unit)
    assert asked == {(name, epsilon) for name in names for epsilon in sweeps.EPSILONS[unit]}
    assert {one.method for one in made if one.unit == "none"} == {"mlp", "gnn"}
