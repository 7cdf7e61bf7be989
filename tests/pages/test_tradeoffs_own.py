"""The Trade-offs page: the measured graph that is nearest to one's own, and whether its advice carries
over."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest
from tests import full_gallery
from tests.pages.tradeoff_pages import OF_5000, advice_of, own_sweep

from privgraph.runs.store import RunStore


def test_ones_own_graph_is_asked_for_beside_data(opened: Callable[..., AppTest], store: RunStore) -> None:
    own_sweep(store)
    app = opened("tradeoffs", data="karate", fold="")
    assert any("**My own graph**, at the top" in one.value for one in app.info), "where nothing has run"
    app.toggle(key="own").set_value(True).run()
    app.number_input(key="like_nodes").set_value(4000).run()
    assert not app.exception, app.exception
    assert "**The nearest measured graph is Made-up social network, 5,000 nodes**, judged by nodes alone." in advice_of(
        app
    )
    assert app.selectbox(key="data").value == OF_5000, "the figure draws that one"
    assert not any(str(one.key).startswith("like_show") for one in app.button), "it is shown"
    app.number_input(key="like_mlp").set_value(90.0).run()
    assert "too far in MLP accuracy for its advice to carry over to your graph." in advice_of(app)
    assert "Your MLP has" not in advice_of(app), "nothing that ran tells what edges add there"
    assert "any ε compared" not in advice_of(app), "what does not carry over is not said in the next line"
    folded = "\n".join(one.value for fold in app.expander for one in fold.markdown)
    assert "Next nearest: Made-up social network, 600 nodes (too far in nodes and MLP accuracy)." in folded
    app.selectbox(key="data").set_value("social").run()
    (show,) = (one for one in app.button if str(one.key).startswith("like_show"))
    assert show.label == "Show Made-up social network, 5,000 nodes", "another one can be chosen, and this one again"
    show.click().run()
    assert app.selectbox(key="data").value == OF_5000
    other = opened("tradeoffs", data=OF_5000, fold="")
    assert "**To hide edges" in advice_of(other)
    other.toggle(key="own").set_value(True).run()
    other.number_input(key="like_mlp").set_value(90.0).run()
    other.selectbox(key="data").set_value(OF_5000).run()
    assert "It does not carry over to your graph: too far in MLP accuracy." in advice_of(other)
    assert not any("to hide edges, of what" in one.value for one in other.markdown), "folded"
    other.session_state["fold.far"] = True
    other.run()
    (said,) = (one.value for one in other.markdown if "to hide edges, of what" in one.value)
    assert said.startswith("**On Made-up social network, 5,000 nodes, to hide edges, of what has run here.**")
    (link,) = (one.proto for one in app.get("page_link") if one.proto.label.startswith("Sweep on a made-up"))
    there = opened("tradeoffs", **{name: value[0] for name, value in parse_qs(link.query_string).items()}, fold="")
    assert "You are about to sweep a made-up social network of 4,000 nodes" in advice_of(there)


@pytest.mark.long
def test_whether_advice_carries_over_to_ones_own_graph_is_said(opened: Callable[..., AppTest], store: RunStore) -> None:
    full_gallery.fill(store)
    app = opened("tradeoffs", data="cora", everywhere="true", own="true", fold="")
    for key, value in (("like_nodes", 3000), ("like_degree", 4.0), ("like_homophily", 0.8)):
        app.number_input(key=key).set_value(value).run()
    assert "**The nearest measured graph is Cora**, near enough for its advice to be a first guess" in advice_of(app)
    assert "Comparable is within a factor of 3 in nodes and mean degree, 0.2 in homophily" in advice_of(app)
    app.number_input(key="like_homophily").set_value(0.5).run()
    assert "**The nearest measured graph is Cora**, too far in homophily for its advice to carry over" in advice_of(app)
    assert "homophily 0.81, yours 0.50 (0.31 apart)" in advice_of(app)
    links = {one.proto.label: one.proto for one in app.get("page_link")}
    assert "Bring your graph, then Compare what fits on it" in links
    (made_up,) = (one for label, one in links.items() if label.startswith("Sweep on a made-up social network"))
    address = "social~nodes=3000~classes=3~degree=4~homophily=0.5~signal=1"
    asked = {"data": [address], "everywhere": ["false"], "own": ["false"]}
    assert asked == parse_qs(made_up.query_string)
    assert "Your MLP has" not in advice_of(app)
    app.number_input(key="like_mlp").set_value(80.0).run()
    assert "edges add" not in advice_of(app), "it does not carry over"
    app.number_input(key="like_homophily").set_value(0.8).run()
    assert re.search(
        r"Your MLP has 80\.0%\. On Cora edges add \d+\.\d points to the \d+\.\d% of an MLP", advice_of(app)
    )
    assert "On Cora, with edges hidden, EdgeRand is clearly above its MLP from ε 8 on" in advice_of(app)
    app.button_group(key="protects").set_value("both").run()
    assert advice_of(app).count("Your MLP has 80.0%") == 1, "both units have the same nearest graph"
    assert advice_of(app).count("**The nearest measured graph is Cora**") == 1
    assert "On Cora, with people hidden, nothing is clearly above its MLP at any ε compared." in advice_of(app)
    app.number_input(key="like_degree").set_value(400.0).run()
    assert re.search(r"\*\*The nearest measured graph.*\*\*, too far in mean degree", advice_of(app))
    there = opened("tradeoffs", data="social", everywhere="false", data__nodes="3000", data__homophily="0.5", fold="")
    assert there.number_input(key="data.nodes").value == 3000, "the sweep stands open"
