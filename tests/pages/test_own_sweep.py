"""A sweep on a made-up graph of one's own measures trains that graph, and no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest
from tests import full_gallery

from privgraph.data.catalogue import dataset
from privgraph.options import Scalar
from privgraph.runs.store import RunStore
from privgraph_workbench.serving import arriving
from privgraph_workbench.views.tradeoffs import one_graph

Open = Callable[..., AppTest]
MEASURES: Sequence[dict[str, Scalar]] = (
    {"nodes": 2000, "degree": 10.0, "homophily": 0.8},  # nodes and homophily are defaults of the set, not of its form
    {"nodes": 600, "degree": 16.0, "homophily": 0.7},
)


def _address(measures: dict[str, Scalar]) -> str:
    return one_graph.with_options(dataset("social"), measures).address


@pytest.mark.parametrize("measures", MEASURES)
def test_it_trains_what_its_headline_says(opened: Open, store: RunStore, measures: dict[str, Scalar]) -> None:
    app = opened("tradeoffs", data=_address(measures))
    heading = next(one.value for one in app.markdown if "You are about to sweep" in one.value)
    assert f"of {measures['nodes']:,} nodes, mean degree {measures['degree']:g}" in heading
    assert app.number_input(key="data.nodes").value == measures["nodes"]
    assert any(f"Trains on **Made-up social network**: {measures['nodes']:,} nodes" in one.value for one in app.caption)
    app.button(key="sweep_go").click().run()
    assert not app.exception, app.exception
    asked = [one.spec.data_options for one in store.find()]
    assert asked
    assert all({name: one[name] for name in measures} == measures for one in asked)


def test_where_settings_and_headline_differ_nothing_runs(opened: Open, store: RunStore) -> None:
    address = _address({"nodes": 2000, "degree": 10.0, "homophily": 0.8})
    app = opened("tradeoffs", data=address)
    app.number_input(key="data.nodes").set_value(900).run()
    assert any("of another graph than the headline" in one.value for one in app.error)
    assert app.button(key="sweep_go").disabled
    links = [one.proto.query_string for one in app.get("page_link") if "headline" in one.proto.label.lower()]
    assert parse_qs(links[0])["data"] == [address]
    app = opened("tradeoffs", data=parse_qs(links[1])["data"][0])
    assert any("You are about to sweep a made-up social network of 900 nodes" in one.value for one in app.markdown)
    assert not app.button(key="sweep_go").disabled


def test_a_link_fills_the_form_though_it_says_defaults(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit gives fields their defaults when a link was followed, whatever the session has for them."""
    monkeypatch.setattr(arriving, "by_link", lambda: True)
    app = opened("tradeoffs", data=_address({"nodes": 2000, "degree": 10.0, "homophily": 0.8}))
    assert app.query_params["data.nodes"] in ("2000", ["2000"])
    assert app.query_params["data.homophily"] in ("0.8", ["0.8"])


@pytest.mark.long
def test_what_is_near_enough_is_told_and_what_is_not_is_left_out(opened: Open, store: RunStore) -> None:
    full_gallery.fill(store)
    app = opened("tradeoffs", data="cora", own="true")
    for key, value in (("nodes", 20_000), ("degree", 14.0), ("homophily", 0.85), ("mlp", 70.0)):
        app.number_input(key=f"like_{key}").set_value(value).run()
    assert app.selectbox(key="data").value == "facebook-pages", "the nearest one is shown"
    app.selectbox(key="data").set_value("cora").run()
    said = "\n".join(one.value for one in app.markdown)
    (line,) = (one.value for one in app.markdown if one.value.startswith("**On Facebook pages, to hide edges.**"))
    assert re.search(r"ε 4: .*\d\d\.\d%.*, cost \d+", line)
    assert "What is said of Cora does not carry over to your graph" in said
    assert not any('class="carded"' in one.proto.body for one in app.get("html")), "no table of another network"
    app.button(key="like_show.facebook-pages").click().run()
    assert not app.exception, app.exception
    assert app.selectbox(key="data").value == "facebook-pages"
    assert any('class="carded"' in one.proto.body for one in app.get("html"))
    assert not any(str(one.key).startswith("like_show") for one in app.button), "it is shown"


@pytest.mark.long
def test_all_graphs_say_that_their_models_protect_nobody(opened: Open, store: RunStore) -> None:
    full_gallery.fill(store)
    app = opened("tradeoffs", data="cora", everywhere="true")
    assert any(re.match(r"\*\*:red\[As run, .* protect nobody", one.value) for one in app.markdown)


def test_that_measures_go_into_the_address_is_said_at_the_link(opened: Open, store: RunStore) -> None:
    app = opened("tradeoffs", data="karate", own="true")
    assert not any("stored or sent" in one.value for one in app.markdown)
    app.number_input(key="like_nodes").set_value(3000).run()
    assert any("into the page's address" in one.value for one in app.caption)
