"""Selectors of runs: what is chosen stays when titles change, and no run takes the title of another."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore
from privgraph_workbench.parts import choosing


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


def leaving() -> None:
    import streamlit as st

    from privgraph_workbench.parts import choosing

    st.text_input("Text", key="text", on_change=lambda: [st.session_state.pop(key, None) for key in ("run", "some")])
    st.markdown(choosing.one("Run", {"a": "A", "b": "B"}, "run"))
    choosing.several(st.container(), "Some", {"a": "A", "b": "B"}, "some")


def test_a_selector_that_is_gone_when_it_was_changed_says_nothing() -> None:
    """A page is left by a click that ends a typed text, too: Streamlit calls what belongs to a widget that it
    has forgotten already."""
    app = AppTest.from_function(leaving).run()
    app.text_input(key="text").set_value("teapot")
    app.selectbox(key="run").set_value("b")
    app.multiselect(key="some").set_value(["b"])
    app.run()
    assert not app.exception, app.exception


def test_nobody_has_chosen_and_the_first_one_stays_while_it_is_there() -> None:
    app = AppTest.from_function(script).run()
    assert app.markdown[0].value == "a"
    app.session_state["titles"] = {"c": "Ring", "a": "Ring (2)"}
    assert app.run().markdown[0].value == "a"
    app.session_state["titles"] = {"c": "Ring"}
    assert app.run().markdown[0].value == "c"
    assert app.selectbox(key="run").proto.set_value, "the browser is told, or it goes on showing what is gone"


def test_titles_of_runs_hang_on_no_other_run(store: RunStore) -> None:
    runs = [keep(store, spec("gnn", unit="none", hidden=hidden)) for hidden in (8, 16)]
    records = [store.get(run) for run in runs]
    titles = choosing.runs(records)
    assert len(set(titles.values())) == 2
    for record in records:
        assert choosing.runs([record])[record.id] == titles[record.id]


def test_short_titles_tell_runs_apart_and_say_no_more(store: RunStore) -> None:
    """Options stand there only where namesakes differ in them, and the graph where there are several."""
    near = [keep(store, spec("gnn", unit="none", hidden=hidden, dropout=0.1)) for hidden in (8, 16)]
    alone = keep(store, spec("gnn", unit="none", hidden=8, dropout=0.1, seed=1))
    records = [store.get(run) for run in (*near, alone)]
    titles = choosing.runs(records, short=True)
    assert [("hidden 8" in titles[run], "hidden 16" in titles[run]) for run in near] == [(True, False), (False, True)]
    assert "hidden" not in titles[alone]
    assert not any("dropout" in title for title in titles.values())
    assert all(title.endswith(" · Karate club") for title in titles.values())
