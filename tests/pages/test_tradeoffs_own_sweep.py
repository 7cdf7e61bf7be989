"""The Trade-offs page: a sweep on a graph with the measures of one's own."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.tradeoff_pages import (
    OF_5000,
    advice_of,
    captions_of,
    own_sweep,
    unfolding,
)

from privgraph.data.fitted_signal import expected_accuracy
from privgraph.runs.store import RunStore
from privgraph_workbench.serving import shell
from privgraph_workbench.views.tradeoffs import files


@pytest.fixture
def opened(opened: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Opens a page; of this one, after somebody has opened the form of the sweep."""
    return unfolding(opened)


def test_a_sweep_on_ones_own_measures_takes_no_advice_away(opened: Callable[..., AppTest], store: RunStore) -> None:
    own_sweep(store)
    first = opened("tradeoffs", data="social", fold="compare")
    assert first.selectbox(key="data").value == "social"
    assert "|4|ProGAP|90.0%" in advice_of(first), "the graph with most runs keeps the short address, and its advice"
    assert not any(one.key == "absent.edge" for one in first.button)
    assert "From 33 finished runs." in captions_of(first), "runs on another graph are none at other options"
    app = opened("tradeoffs", data=OF_5000, fold="compare")
    assert app.selectbox(key="data").value == OF_5000
    assert "**To hide edges, of what has run here:** ε 0.5: ProGAP" in advice_of(app)
    assert app.button(key="absent.edge").label == "GAP, EdgeRand have not run here: train them"
    assert "|4|ProGAP|90.0%" in advice_of(app), "what is known is on top"
    assert "Cost: points below ProGAP without privacy, 95.0%" in captions_of(app)
    assert "From 15 finished runs." in captions_of(app)
    (link,) = (one for one in app.get("page_link") if one.proto.label.startswith("More is known on"))
    assert link.proto.label == "More is known on Made-up social network, 600 nodes (3 methods)"
    app.session_state["fold.every_graph"] = True
    app.toggle(key="everywhere").set_value(True).run()
    assert "|Made-up social network, 600 nodes|600 nodes, mean degree 16.0, homophily 0.85|" in advice_of(app)
    assert "homophily 0.70. GAP, EdgeRand have not run here|" in advice_of(app)
    whole = opened("tradeoffs", data=files.choices()["social"].address, fold="")
    assert whole.query_params["data"] in ("social", ["social"]), "an address in full finds the same entry"


def test_the_graph_goes_along_by_its_data_set_and_stands_here_again(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    own_sweep(store)
    app = opened("tradeoffs", data=OF_5000, fold="")
    app.query_params.clear()
    app.switch_page(str(shell.folder() / "data.py")).run()
    assert app.selectbox(key="data").value == "social"
    app.query_params.clear()
    app.switch_page(str(shell.folder() / "tradeoffs.py")).run()
    assert not app.exception, app.exception
    assert app.selectbox(key="data").value == OF_5000


def test_a_sweep_on_ones_own_measures_begins_on_top_with_all_that_fits(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    app = opened("tradeoffs", data=OF_5000, fold="")
    said = advice_of(app)
    assert "You are about to sweep a made-up social network of 5,000 nodes, mean degree 12, homophily 0.70" in said
    assert app.multiselect(key="sweep_methods").value == ["progap", "gap", "edge-rand"]
    assert "Graph network (not private)" in app.toggle(key="sweep_bare").help
    assert any("The sweep above makes the curve" in one.value for one in app.info)
    app.button(key="sweep_go").click().run()
    assert not app.exception, app.exception
    assert {one.spec.data_options["nodes"] for one in store.find()} == {5000}
    assert {one.spec.method for one in store.find()} == {"progap", "gap", "edge-rand", "gnn", "mlp"}
    assert app.selectbox(key="data").value == OF_5000, "its curve is shown"
    assert "You are about to" not in advice_of(app)


def _asked(opened: Callable[..., AppTest], **typed: float) -> tuple[AppTest, list[str]]:
    """The page after these are typed, and the options in the link to a made-up graph."""
    app = opened("tradeoffs", data="karate", own="true", fold="")
    for name, value in typed.items():
        app.number_input(key=f"like_{name}").set_value(value).run()
    assert not app.exception, app.exception
    (link,) = (one.proto for one in app.get("page_link") if one.proto.label.startswith("Sweep on a made-up"))
    return app, parse_qs(link.query_string)["data"][0].split("~")


def test_a_made_up_graph_has_features_that_tell_as_much_as_was_typed(opened: Callable[..., AppTest]) -> None:
    app, plain = _asked(opened, nodes=800, degree=14.0, homophily=0.8)
    assert {"classes=3", "signal=1"} <= set(plain)
    assert "It is drawn with 3 classes, for none were typed. An MLP reaches about 51" in captions_of(app)
    app, fitted = _asked(opened, nodes=800, degree=14.0, mlp=85.0, classes=5)
    (signal,) = (float(one.removeprefix("signal=")) for one in fitted if one.startswith("signal="))
    reached = expected_accuracy(signal, classes=5, features=32, train_nodes=600)
    assert reached == pytest.approx(0.85, abs=0.003)
    said = captions_of(app)
    assert "It is drawn with 5 classes. Its features are fitted to the 85.0% that you typed." in said
    assert f"An MLP reaches about {reached:.1%} there, or up to 4 points less." in said
    there = opened("tradeoffs", data="~".join(fitted), fold="")
    assert f"features with signal {signal:g}. An MLP reaches about {reached:.1%} there" in advice_of(there)


def test_an_accuracy_that_no_features_have_is_said(opened: Callable[..., AppTest]) -> None:
    app, asked = _asked(opened, nodes=800, mlp=20.0)
    assert "signal=0" in asked
    assert "You typed 20.0%, which no features fit: with so few classes a guess reaches more." in captions_of(app)


def test_the_list_of_graphs_says_that_runs_are_under_way(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("tradeoffs", data=OF_5000, fold="")
    assert any(one.endswith("5,000 nodes · no runs yet") for one in app.selectbox(key="data").options)
    app.button(key="sweep_go").click().run()
    assert any(one.endswith("5,000 nodes · runs under way") for one in app.selectbox(key="data").options)
    assert sum(one.endswith("under way") for one in app.selectbox(key="data").options) == 1, "on this graph alone"
