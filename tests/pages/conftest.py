"""Pages without a browser: Streamlit's AppTest on the real entry, with a store of its own and no workers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import Open

import privgraph_workbench
from privgraph.data.errors import DataError
from privgraph.home import home
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import datasets
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import cart
from privgraph_workbench.serving import shell


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """The store that the pages will use; runs are submitted, but no worker starts."""
    monkeypatch.setattr(queue, "launch", lambda *_: [])
    opened = queue.store()
    yield opened
    opened.close()
    queue._opened.cache_clear()


@pytest.fixture(autouse=True)
def one_cart(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest logs somebody in, and a test nobody: both have one file."""
    monkeypatch.setattr(cart, "path", lambda: home() / "report.cart.json")


@pytest.fixture(autouse=True)
def no_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is done on a page, its script ends."""
    run = AppTest._run

    def whole(app: AppTest, *given: Any, **named: Any) -> AppTest:
        run(app, *given, **named)
        assert not app.exception, app.exception
        return app

    monkeypatch.setattr(AppTest, "_run", whole)


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that cannot be read: classes have numbers, and no test waits for another process."""

    def refuse(*_: object, **__: object) -> None:
        raise DataError("not now")

    monkeypatch.setattr(datasets, "describe", refuse)


@pytest.fixture
def opened(store: RunStore) -> Open:
    """Opens a page at an address: on one's own runs, unless it says otherwise (`store`; "": nothing)."""

    def open_page(name: str, **query: str | list[str]) -> AppTest:
        entry = Path(privgraph_workbench.__file__).with_name("app.py")
        app = AppTest.from_file(str(entry), default_timeout=60)
        if name != "start":
            app.switch_page(str(shell.folder() / f"{name}.py"))
        for key, value in {"store": "mine", **query}.items():
            if key != "store" or value:
                app.query_params[key.replace("__", ".")] = value
        return app.run()

    return open_page


@pytest.fixture
def run(store: RunStore) -> str:
    """A finished run that promises to hide people."""
    return keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
