"""Whose store, file and report it is: nobody is shown those of another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from privgraph.home import home
from privgraph.runs.records import EXAMPLE
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import cart, report_job
from privgraph_workbench.report.asked import Asked, Entry


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


def test_reports_of_one_title_are_apart() -> None:
    asked = Asked(title="T", entries=[Entry(runs=("a",))])
    others = [
        replace(asked, author="Ann"),
        replace(asked, remark="Said"),
        replace(asked, appendix=False),
        replace(asked, entries=[Entry(runs=("b",))]),
    ]
    assert len({report_job._folder(one) for one in (asked, *others)}) == 1 + len(others)
    assert report_job._folder(replace(asked)) == report_job._folder(asked)
