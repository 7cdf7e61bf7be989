"""What a method takes where the choice is left to it is said, and is what it does take."""

from __future__ import annotations

from typing import Any

import pytest

from privgraph.data.spec import PublicFacts
from privgraph.methods.base import filled_in
from privgraph.options import build, left, values
from privgraph.registry import METHODS

FACTS = PublicFacts(
    nodes=2000,
    edges=8000,
    entries=16000,
    features=34,
    classes=4,
    train_nodes=1500,
    domains=("one", "two"),
    entities=(1000, 1000),
    relations=(3000, 3000),
)


@pytest.mark.parametrize("name", list(METHODS))
def test_what_is_left_to_a_method_could_have_been_said(name: str) -> None:
    config: Any = build(METHODS[name].load_config(), {})
    planned = config.plan(FACTS)
    filled = filled_in(config, planned.statement)
    assert set(filled) == set(left(config)) - ({"delta"} if planned.statement.unit == "none" else set())
    said = type(config)(**{**values(config), **filled})
    again = said.plan(FACTS)
    assert again.noise == pytest.approx(dict(planned.noise))
    assert again.statement.epsilon == pytest.approx(planned.statement.epsilon)
    assert again.steps == planned.steps
    assert not filled_in(said, again.statement).keys() - {name for name, value in filled.items() if value == 0}


def test_a_preset_says_its_own_choice() -> None:
    config: Any = build(METHODS["dp-gpl"].load_config(), {"preset": "gt-cora"})
    found = filled_in(config, config.plan(FACTS).statement)
    assert found == {"delta": 1.5e-4, "vote_sigma": 100}
