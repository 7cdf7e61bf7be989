"""What every page shares: the log-in where one is configured, no torch, and a page for each path."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import privgraph_workbench
from privgraph_workbench.serving import shell

APP = Path(privgraph_workbench.__file__).with_name("app.py")


def test_with_a_log_in_nothing_is_shown_before_it(opened: Callable[..., AppTest]) -> None:
    for name in shell.TITLES:
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.secrets["auth"] = {"redirect_uri": "http://localhost:8501/oauth2callback", "cookie_secret": "c" * 32}
        if name != "start":
            app.switch_page(str(shell.folder() / f"{name}.py"))
        app.run()
        assert [button.label for button in app.button] == ["Log in"]
        assert [title.value for title in app.title] == ["privgraph"]
        assert not app.dataframe


def test_a_log_in_admits_only_those_on_its_list(
    opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = {"is_logged_in": True, "email": "Ada@example.org", "email_verified": True}
    lists: list[object] = [["ada@example.org"], ["@example.org"], ["@example.com"], [], None, "@example.org"]
    for user, admitted in ((ada, 2), (ada | {"email_verified": False}, 0), ({"is_logged_in": True}, 0)):
        monkeypatch.setattr(shell.st, "user", User(user))
        shown = []
        for people in lists:
            app = AppTest.from_file(str(APP), default_timeout=60)
            app.secrets["auth"] = {"people": people} if people is not None else {"cookie_secret": "c"}
            app.run()
            assert not app.exception, app.exception
            shown.append("Log out" not in [button.label for button in app.button])
        assert shown == [place < admitted for place in range(len(lists))]


class User(dict[str, object]):
    """Stands for the person whom a provider has named."""

    def to_dict(self) -> dict[str, object]:
        return dict(self)


@pytest.mark.parametrize("url", ["sqlite:///{}/file", "mysql://somewhere/runs"])
def test_a_store_that_cannot_be_opened_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str
) -> None:
    (tmp_path / "file").write_text("neither a folder nor a database")
    monkeypatch.setenv("PRIVGRAPH_STORE", url.format(tmp_path))
    app = AppTest.from_file(str(APP), default_timeout=60).run()
    assert not app.exception, app.exception
    assert "The run store cannot be used" in app.error[0].value


def test_no_page_that_plans_imports_torch(tmp_path: Path) -> None:
    code = f"""
import os, sys
os.environ["PRIVGRAPH_HOME"] = {str(tmp_path)!r}
from streamlit.testing.v1 import AppTest
from privgraph_workbench.serving import shell
for name in ("train", "teachers", "accounting", "tradeoffs"):
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
