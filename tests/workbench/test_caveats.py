"""What must be known of an attacked model goes where its figure goes, in the words of the page Attacks."""

from __future__ import annotations

import math
from dataclasses import replace

from tests.figures import made_runs
from tests.figures.made_attacks import attack

from privgraph_workbench.words import caveats

NODE = made_runs.statement(made_runs.node_entries(2.0), "node")


def test_a_model_trained_again_that_differs_and_tests_no_epsilon_is_told_so() -> None:
    found = replace(attack(), accuracy=0.5, said=0.7, steps=None, sound=2.0)
    said = caveats.of(found, NODE)
    assert said.startswith(caveats.trained_again(found))
    assert "This attack tests no ε" in said
    assert said.endswith(caveats.stand_in(found))
    assert caveats.in_short(found, NODE) == (
        "of a model trained again, 50.0% right where the run is 70.0%; it tests no ε"
    )
    near = replace(found, accuracy=0.69)
    assert caveats.stand_in(near) == ""
    assert caveats.in_short(near, None) == "of a model trained again"
    bare = replace(found, sound=math.inf)
    assert "noise of its own" not in caveats.of(bare, None)
