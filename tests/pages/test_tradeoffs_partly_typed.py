"""The Trade-offs page: a graph of one's own of which not all is typed that decides whether advice carries
over."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.tradeoff_pages import OF_5000, advice_of, own_sweep

from privgraph.runs.store import RunStore

Open = Callable[..., AppTest]
UNKNOWN = "It is not known whether it carries over to your graph: "


def _type(app: AppTest, **values: float) -> str:
    for key, value in values.items():
        app.number_input(key=f"like_{key}").set_value(value).run()
    assert not app.exception, app.exception
    return advice_of(app)


@pytest.fixture
def app(opened: Open, store: RunStore) -> AppTest:
    own_sweep(store)
    return opened("tradeoffs", data=OF_5000, own="true", fold="")


def test_nodes_alone_make_no_graph_near_enough(app: AppTest) -> None:
    """Mean degree decides what noise costs, and homophily what edges are worth."""
    said = _type(app, nodes=4000)
    nearest = "**The nearest measured graph is Made-up social network, 5,000 nodes**"
    assert f"{nearest}, judged by nodes alone. Type mean degree and homophily to know whether its advice" in said
    assert "near enough" not in said
    assert "first guess" not in said
    assert f"{UNKNOWN}mean degree and homophily are not typed." in said, "the advice below says so too"
    said = _type(app, degree=16.0)
    assert f"{nearest}, judged by nodes and mean degree alone. Type homophily to know" in said
    assert f"{UNKNOWN}homophily is not typed." in said
    assert "near enough" not in said


def test_a_graph_is_near_enough_once_all_that_decides_is_typed(app: AppTest) -> None:
    said = _type(app, nodes=4000, degree=16.0, homophily=0.85)
    assert "5,000 nodes**, near enough for its advice below to be a first guess for your graph." in said
    assert "not known whether" not in said


def test_one_measure_that_is_too_far_is_enough_to_say_that_nothing_carries_over(app: AppTest) -> None:
    said = _type(app, nodes=400_000)
    assert "too far in nodes for its advice to carry over to your graph." in said
    assert "judged by" not in said
    assert "It does not carry over to your graph: too far in nodes." in said


def test_another_graph_is_advised_only_where_it_is_known_to_carry_over(app: AppTest) -> None:
    """Where a graph that is not shown is nearest, its advice stands beside the fields."""

    def beside() -> bool:
        app.selectbox(key="data").set_value("social").run()
        return "**On Made-up social network, 5,000 nodes, to hide edges.**" in advice_of(app)

    said = _type(app, nodes=4000)
    assert not beside()
    assert "too far in nodes" in advice_of(app), "of the one that is shown"
    said = _type(app, degree=16.0, homophily=0.85)
    assert "near enough" in said
    assert beside()
