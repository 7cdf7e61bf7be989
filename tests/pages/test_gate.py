"""What every page shares: the log-in where one is configured, files for their session alone, no torch."""

import gc
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import Open, files

import privgraph_workbench
from privgraph.runs.store import RunStore
from privgraph_workbench.serving import offered_files, shell
from privgraph_workbench.serving.server import send_file

APP = Path(privgraph_workbench.__file__).with_name("app.py")


def test_with_a_log_in_nothing_is_shown_before_it(opened: Open) -> None:
    for name in shell.TITLES:
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.secrets["auth"] = {"redirect_uri": "http://localhost:8501/oauth2callback", "cookie_secret": "c" * 32}
        if name != "start":
            app.switch_page(str(shell.folder() / f"{name}.py"))
        app.run()
        assert [button.label for button in app.button] == ["Log in"]
        assert [title.value for title in app.title] == ["privgraph"]
        assert not app.dataframe


def test_a_log_in_admits_only_those_on_its_list(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = {"is_logged_in": True, "email": "Ada@example.org", "email_verified": True}
    lists: list[object] = [["ada@example.org"], ["@example.org"], ["@example.com"], [], None, "@example.org"]
    for user, admitted in ((ada, 2), (ada | {"email_verified": False}, 0), ({"is_logged_in": True}, 0)):
        monkeypatch.setattr(shell.st, "user", User(user))
        shown = []
        for people in lists:
            app = AppTest.from_file(str(APP), default_timeout=60)
            app.secrets["auth"] = {"people": people} if people is not None else {"cookie_secret": "c"}
            app.run()
            shown.append("Log out" not in [button.label for button in app.button])
        assert shown == [place < admitted for place in range(len(lists))]


class User(dict[str, object]):
    """Stands for the person whom a provider has named."""

    def to_dict(self) -> dict[str, object]:
        return dict(self)


def test_no_page_that_plans_imports_torch(tmp_path: Path) -> None:
    code = f"""
import os, sys
os.environ["PRIVGRAPH_HOME"] = {str(tmp_path)!r}
from streamlit.testing.v1 import AppTest
from privgraph_workbench.serving import shell
for name in ("train", "accounting"):
    app = AppTest.from_file({str(APP)!r}, default_timeout=3600)
    app.switch_page(str(shell.folder() / f"{{name}}.py"))
    if name == "accounting":  # a method whose curves take no time; that no method's plan needs torch is tested for each
        app.query_params.update(data="karate", method="gap", unit="edge")
    app.run()
    assert not app.exception, app.exception
heavy = {{"torch", "torch_geometric", "opacus"}} & set(sys.modules)
sys.exit(f"imported {{heavy}}" if heavy else 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def _asked(address: str) -> Response:
    root, token, place = address.split("/", 2)
    assert root == offered_files.ROOT
    return send_file(Request({"type": "http", "path_params": {"token": token, "place": place}}))


@pytest.mark.long
def test_an_address_on_the_screen_outlives_every_redraw(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    app = opened("train", run=run)
    first = dict(files(app))
    app.run()
    app.run()
    opened("train", run=run)  # a redraw of another session ends in between
    sent = _asked(first["SVG"])
    assert sent.status_code == 200
    assert bytes(sent.body).startswith(b"<?xml")
    assert sent.headers["content-disposition"] == f"attachment; filename*=UTF-8''{run}-ledger.svg"
    assert dict(files(app)) == first


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
