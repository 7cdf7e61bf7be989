"""Choosing another method: its form begins with its own defaults, whatever the one before held."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from streamlit.testing.v1 import AppTest

from privgraph.registry import METHODS
from privgraph.runs.spec import make_spec
from privgraph_workbench.forms import beginnings
from privgraph_workbench.words.numbers import option


def _walk(names: list[str]) -> list[str]:
    """A path that leads from each to each other that is `step` places on, for some steps."""
    found = list(names)
    for step in (2, 3):
        found += [names[step * place % len(names)] for place in range(len(names))]
    return found


def _said(app: AppTest) -> list[str]:
    assert not app.exception, app.exception[0].value
    return [text.value for text in (*app.error, *app.warning) if "number" in text.value or "address" in text.value]


@pytest.mark.long
def test_each_method_of_train_begins_with_its_own_defaults(opened: Callable[..., AppTest]) -> None:
    app = opened("train", data="karate")
    of_nodes = [name for name, row in METHODS.items() if "node classification" in row.tasks]
    for before, after in pairwise(_walk(of_nodes)):
        app.selectbox(key="method").set_value(after).run()
        own = {**make_spec(after, "karate").options}
        own["epsilon"] = min(beginnings.EPSILON, float(own["epsilon"]))
        assert _said(app) == [], (before, after)
        for widget in (*app.number_input, *app.text_input):
            if widget.key in own:
                default = own[widget.key]
                held = default if widget.value in (None, "") else widget.value
                assert str(held) in (str(default), option(default)), (before, after, widget.key)
        assert app.query_params["method"] in (after, [after])


@pytest.mark.parametrize(("name", "epochs"), [("dp-mlp", None), ("privgnn", "7")])
def test_a_link_to_another_method_brings_nothing_but_what_it_says(
    opened: Callable[..., AppTest], name: str, epochs: str | None
) -> None:
    """The session has been at ProGAP, whose fields are left to it: an address that names another method is
    its own."""
    app = opened("train", data="karate", method="progap")
    app.query_params["method"] = name
    if epochs:
        app.query_params["epochs"] = epochs
    app.run()
    assert _said(app) == []
    own = make_spec(name, "karate").options["epochs"]
    assert str(app.number_input(key="epochs").value) == (epochs or str(own))
