"""What a method takes where the choice is left to it is said, and is what it does take."""

from typing import Any

import pytest

from privgraph.methods.base import filled_in
from privgraph.options import build, left, values
from privgraph.registry import METHODS
from privgraph.testing.methods import TEXT_FACTS as FACTS


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
