"""The page Report: entries are added, ordered, named and made; its file survives tabs and damage."""

import json
import threading

import pytest
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import Open

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.parts import cart
from privgraph_workbench.report.asked import Entry
from privgraph_workbench.words.naming import statements_of


@pytest.fixture
def kept(store: RunStore) -> list[Entry]:
    """A figure, and the settings of two runs."""
    ids = [keep(store, spec(seed=seed, epsilon=2.0)) for seed in (0, 1)]
    records = store.find(RunQuery(ids=tuple(ids)))
    made = [
        Entry.of("tradeoff", tradeoff.data(records), statements_of(records), ids),
        Entry.of("one_release", [{"epsilon": 1.0, "best": 0.7, "asked": 1.0}], {}),
        Entry(runs=tuple(ids)),
    ]
    cart.add(made)
    return made


def test_two_tabs_lose_nothing(store: RunStore, kept: list[Entry]) -> None:
    more = [Entry(runs=(f"run{place}",)) for place in range(20)]
    threads = [threading.Thread(target=cart.add, args=([one],)) for one in more]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert {one.mark for one in cart.cart().entries} == {one.mark for one in (*kept, *more)}
    cart.add(more)
    assert len(cart.cart().entries) == len(kept) + len(more)


@pytest.mark.parametrize("content", ["{", "[]", '{"entries": [{"figure": "no such"}], "words": {}}', json.dumps(None)])
def test_a_broken_file_is_set_aside(opened: Open, content: str) -> None:
    cart.path().parent.mkdir(parents=True, exist_ok=True)
    cart.path().write_text(content)
    app = opened("report")
    assert len(app.warning) == 1
    assert cart.path().with_suffix(".unreadable").read_text() == content
    assert not opened("report").warning
