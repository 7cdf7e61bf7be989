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


def test_titles_of_runs_hang_on_no_other_run(store: RunStore) -> None:
    runs = [keep(store, spec("gnn", unit="none", hidden=hidden)) for hidden in (8, 16)]
    records = [store.get(run) for run in runs]
    titles = choosing.runs(records)
    assert len(set(titles.values())) == 2
    for record in records:
        assert choosing.runs([record])[record.id] == titles[record.id]
