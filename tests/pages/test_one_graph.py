"""The graph that was chosen on one page is chosen on the next, under one name in all addresses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from privgraph_workbench.serving import shell

Open = Callable[..., AppTest]
PAGES = ("data", "train", "accounting", "tradeoffs")


def _turn(app: AppTest, page: str, **query: str) -> AppTest:
    """The page after a click on its name at the top, which leads to an address without parameters."""
    app.query_params.clear()
    app.query_params.update(query)
    app.switch_page(str(shell.folder() / f"{page}.py")).run()
    assert not app.exception, app.exception
    return app


@pytest.mark.parametrize("page", [page for page in PAGES if page != "train"])
def test_the_graph_goes_along(opened: Open, page: str) -> None:
    app = opened("train")
    first = app.selectbox(key="data").value
    app.selectbox(key="data").set_value("digits").run()
    assert first != "digits"
    app = _turn(app, page)
    assert app.selectbox(key="data").value == "digits"
    assert app.query_params["data"] in ("digits", ["digits"]), "a link to the page shows the same graph to others"
