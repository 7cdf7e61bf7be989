"""What tests of the Teachers page do with it."""

from __future__ import annotations

import time

from streamlit.testing.v1 import AppTest
from tests.pages.reading import texts

from privgraph.data.spec import PublicFacts

DIGITS = PublicFacts(nodes=1797, edges=6427, entries=12854, features=64, classes=10, train_nodes=1347)


def prices_of(app: AppTest) -> list[str]:
    """The price of all queries and of one, in the order of their boxes."""
    return [metric.value for metric in app.metric][:2]


def opened_fold(app: AppTest, name: str) -> str:
    """What is said once somebody opens that fold."""
    app.session_state[f"fold.{name}"] = True
    app.run()
    assert not app.exception, app.exception
    return texts(app)


def names_read(app: AppTest, seconds: float = 60) -> AppTest:
    """Waits until the graph is read, as the page does once a second."""
    deadline = time.monotonic() + seconds
    while "being read from the graph" in texts(app):
        assert time.monotonic() < deadline, "the names of the classes were never read"
        time.sleep(0.3)
        app.run()
    assert not app.exception, app.exception
    return app
