"""The Start page: doors, demo, recent runs."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.jobs import queue


def test_the_run_of_an_address_chooses_the_store_that_is_shown(opened: Callable[..., AppTest], store: RunStore) -> None:
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
        assert not app.exception
        assert app.button_group(key="store").value == shown
    app.query_params["store"] = "mine"
    app.run()
    assert app.button_group(key="store").value == "mine"
