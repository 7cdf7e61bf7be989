"""What is chosen stays: runs whose titles change, the graph from page to page, a method's own defaults."""

from itertools import pairwise

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import Open

from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.forms import beginnings
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.words.numbers import option


def script() -> None:
    import streamlit as st

    from privgraph_workbench.parts import choosing

    titles = st.session_state.get("titles", {"a": "Ring", "b": "Ring (2)"})
    st.markdown(choosing.one("Run", titles, "run"))
    st.button("Again", key="again")


def test_who_has_chosen_a_run_keeps_it_when_titles_change_hands() -> None:
    app = AppTest.from_function(script).run()
    app.selectbox(key="run").set_value("b").run()
    assert app.markdown[0].value == "b"
    for titles in ({"c": "Ring", "a": "Ring (2)", "b": "Ring (3)"}, {"a": "Star", "b": "Star · attacked"}):
        app.session_state["titles"] = titles
        app.button(key="again").click().run()
        assert app.markdown[0].value == "b"
        assert app.query_params["run"] in ("b", ["b"])


@pytest.mark.parametrize("page", ["data", "accounting", "tradeoffs"])
def test_the_graph_goes_along(opened: Open, page: str) -> None:
    app = opened("train")
    assert app.selectbox(key="data").value != "digits"
    app.selectbox(key="data").set_value("digits").run()
    app.query_params.clear()
    app.switch_page(str(shell.folder() / f"{page}.py")).run()
    assert app.selectbox(key="data").value == "digits"
    assert app.query_params["data"] in ("digits", ["digits"]), "a link to the page shows the same graph to others"


def _said(app: AppTest) -> list[str]:
    return [text.value for text in (*app.error, *app.warning) if "number" in text.value or "address" in text.value]


@pytest.mark.long
def test_each_method_of_train_begins_with_its_own_defaults(opened: Open) -> None:
    app = opened("train", data="karate")
    of_nodes = [name for name, row in METHODS.items() if "node classification" in row.tasks]
    for before, after in pairwise([*of_nodes, *of_nodes[::2], *of_nodes[::-3]]):
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
def test_a_link_to_another_method_brings_nothing_but_what_it_says(opened: Open, name: str, epochs: str | None) -> None:
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


def test_the_run_of_an_address_chooses_the_store_that_is_shown(opened: Open, store: RunStore) -> None:
    """Before what was shown last; what the switch has put into the address comes first of all."""
    own = keep(store, spec())
    example = queue.examples().find(RunQuery(limit=1))[0].id
    app = opened("attacks", store="")
    assert app.button_group(key="store").value == "mine"
    for run, shown in ((example, "examples"), (own, "mine"), (f"{example},{own}", "examples")):
        app.query_params["run" if "," not in run else "chosen"] = run
        if "," in run:
            del app.query_params["run"]
        app.run()
        assert app.button_group(key="store").value == shown
    app.query_params["store"] = "mine"
    app.run()
    assert app.button_group(key="store").value == "mine"
