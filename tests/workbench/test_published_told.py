"""What a published epsilon counts or misses: on which side of the sound one it lies, for each method."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.pages.kept_runs import KARATE

from privgraph.registry import METHODS
from privgraph_workbench.facts import plans, published_told


@pytest.mark.parametrize(
    ("method", "options", "said"),
    [
        ("pate", {"noise": "laplace"}, published_told.PATE["laplace"]),
        ("pate", {"noise": "gaussian"}, published_told.PATE["gaussian"]),
        ("privgnn", {"release": "posterior", "lam": 1.0}, published_told.POSTERIOR),
        ("privgnn", {"release": "log-posterior", "lam": 1.0}, published_told.LOGARITHMS),
        ("privgnn", {"release": "votes", "sampling": "once"}, published_told.ONE_SAMPLE),
        ("privgnn", {"release": "table"}, published_told.NO_FORMULA),
        ("dp-gpl", {"weighting": "private-centrality"}, published_told.ONE_VOTE),
        ("dp-gpl", {"weighting": "centrality"}, published_told.ALL_VOTES),
        ("dp-gpl", {"svd": "everybody"}, published_told.FEATURES),
    ],
)
def test_a_published_epsilon_is_explained_on_the_side_where_it_lies(
    method: str, options: dict[str, Any], said: str
) -> None:
    assert method in METHODS
    statement = plans.plan(method, options, KARATE).statement
    sound, published = statement.epsilon, statement.epsilon_as_published
    told = published_told.why(method, options, sound, published)
    assert said in told
    if published is None:
        assert told == said
    else:
        assert ("larger than" in told) == (published > sound)
        assert ("smaller than" in told) == (published < sound)
    if method == "pate":
        assert published is not None
        assert published >= sound, "a formula that holds cannot say less"
    if options.get("release") == "log-posterior":
        assert math.isinf(sound)


def test_other_methods_are_not_explained_here() -> None:
    assert published_told.why("dp-mlp", {}, 1.0, 1.0) == ""
