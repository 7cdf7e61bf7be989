"""Whose store, file and report it is: nobody is shown those of another."""

import pytest

from privgraph.home import home
from privgraph.runs.records import EXAMPLE
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import cart


@pytest.mark.parametrize("shown", [True, False])
def test_an_id_says_in_which_store_its_run_is(monkeypatch: pytest.MonkeyPatch, shown: bool) -> None:
    monkeypatch.setattr(queue, "_shown", [lambda: shown])
    assert queue.of(f"{EXAMPLE}mlp-karate-0123456789ab") is queue.examples()
    assert queue.of("mlp-karate-0123456789ab") is queue.own()
    assert queue.store() is (queue.examples() if shown else queue.own())


def test_each_who_logs_in_has_a_file_whose_name_tells_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = []
    for who in ({}, {"email": "ann@example.org", "name": "Sam"}, {"email": "bob@example.org", "name": "Sam"}):
        monkeypatch.setattr(cart.st, "user", who)
        paths.append(cart.path())
    assert len(set(paths)) == 3
    assert {one.parent for one in paths} == {home()}
    assert not [one for one in paths if "ann" in one.name or "@" in one.name or "Sam" in one.name]
