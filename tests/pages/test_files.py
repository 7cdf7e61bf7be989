"""Files that pages offer: an address holds through every redraw, for its own session alone."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest
from starlette.requests import Request
from starlette.responses import Response
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.offered_files import links

from privgraph.runs.store import RunStore
from privgraph_workbench.serving import offered_files
from privgraph_workbench.serving.server import send_file


def _asked(address: str) -> Response:
    root, token, place = address.split("/", 2)
    assert root == offered_files.ROOT
    return send_file(Request({"type": "http", "path_params": {"token": token, "place": place}}))


@pytest.mark.long
def test_an_address_on_the_screen_outlives_every_redraw(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    app = opened("train", run=run)
    first = dict(links(app))
    app.run()
    app.run()
    opened("train", run=run)  # a redraw of another session ends in between
    sent = _asked(first["SVG"])
    assert sent.status_code == 200
    assert bytes(sent.body).startswith(b"<?xml")
    assert sent.headers["content-disposition"] == f"attachment; filename*=UTF-8''{run}-ledger.svg"
    assert dict(links(app)) == first


def test_a_page_that_is_shown_opens_in_the_browser() -> None:
    shelf = offered_files.Shelf()
    page = offered_files.File(name="p.html", mime="text/html", make=lambda: "<p>Read</p>", shown=True)
    sent = _asked(shelf.offer(page))
    assert sent.headers["content-disposition"] == "inline; filename*=UTF-8''p.html"
    assert sent.headers["content-type"].startswith("text/html")


def test_files_go_with_their_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offered_files, "MOST", 2)
    shelf = offered_files.Shelf()
    for name in ("a", "b", "a", "c"):
        shelf.offer(offered_files.File(name=name, mime="text/plain", make=str))
    assert [offered_files.find(shelf.token, name) is not None for name in "abc"] == [True, False, True]
    token = shelf.token
    del shelf
    gc.collect()
    assert _asked(f"{offered_files.ROOT}/{token}/a").status_code == 404
