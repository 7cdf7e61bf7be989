"""Which run the Teachers page opens on, and what its runs are called there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.pages.kept_runs import keep, keep_answers

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.views.teachers import choose_run, compared
from privgraph_workbench.views.teachers.tabs import COMPARED

Open = Callable[..., AppTest]


pytestmark = pytest.mark.usefixtures("unread")


def _kept(store: RunStore, kind: str = "votes", **options: Any) -> str:
    return keep_answers(store, made_answers(kind), **options)


def test_a_name_begins_with_what_differs(store: RunStore) -> None:
    votes, posterior = _kept(store, release="votes"), _kept(store, "posterior", release="posterior")
    names = choose_run.titles([store.get(run) for run in (votes, posterior)])
    assert names[votes].startswith("release votes · ε ")
    assert names[posterior].startswith("release posterior · ")
    assert names[votes].endswith(" · 70.0%"), "what all share, their graph and seed, is said once beside the list"
    once, twice = _kept(store, release="votes", queries=8), _kept(store, release="votes", queries=4)
    names = choose_run.titles([store.get(run) for run in (once, twice)])
    assert [names[run].split(" · ")[-1] for run in (once, twice)] == ["queries 8", "queries 4"]
    again = _kept(store, release="votes", queries=8, seed=1)
    names = choose_run.titles([store.get(run) for run in (once, again)])
    assert [names[run].split(" · ")[-1] for run in (once, again)] == ["seed 0", "seed 1"]


def test_a_preset_stands_for_what_it_sets(store: RunStore) -> None:
    runs = [
        _kept(store, "counts", method="dp-gpl", lam=None, preset="gt-cora"),
        _kept(store, "counts", method="dp-gpl", lam=None, queries=8),
    ]
    names = choose_run.titles([store.get(run) for run in runs])
    assert names[runs[0]].endswith(" · preset gt-cora")
    assert "preset" not in names[runs[1]]


def test_a_method_is_chosen_first_and_its_runs_follow(opened: Open, store: RunStore) -> None:
    pate = _kept(store, "counts", method="pate")
    privgnn = _kept(store)
    app = opened("teachers", data="karate")
    assert app.selectbox(key="run").value == privgnn
    assert len(app.selectbox(key="run").options) == 1
    next(one for one in app.get("button_group") if one.key == choose_run.METHOD).set_value("pate").run()
    assert not app.exception, app.exception
    assert app.selectbox(key="run").value == pate
    assert opened("teachers", data="karate", run=privgnn).selectbox(key="run").value == privgnn


def test_a_run_without_answers_is_told_and_one_of_its_method_shown(opened: Open, store: RunStore) -> None:
    """Trade-offs leads to it: what it reached is said, and why there is nothing to look at."""
    shown = _kept(store)
    _kept(store, "counts", method="pate")
    asked = keep(store, make_spec("privgnn", "karate", {"release": "table", "epsilon": 2.0}), accuracy=0.77)
    app = opened("teachers", run=asked)
    assert not app.warning
    (said,) = (one.value for one in app.info)
    assert said.startswith("**PrivGNN · ")
    assert "release table" in said
    assert " · ε 2 · 77.0%**, seed 0: its answers were not kept" in said
    assert "No teacher votes in it: it released one noisy table." in said
    assert app.selectbox(key="run").value == shown
    assert any(f"run={asked}" in one.proto.query_string for one in app.get("page_link"))


def test_a_highest_run_whose_answers_are_kept_opens_here(opened: Open, store: RunStore) -> None:
    run = _kept(store)
    app = opened("teachers", tab=COMPARED)
    (link,) = (one.proto for one in app.get("page_link") if one.proto.label.startswith("Highest: PrivGNN, sound ε "))
    assert link.page.endswith("teachers")
    assert f"run={run}" in link.query_string
    assert not any("Results only" in one.proto.label for one in app.get("page_link"))
    assert compared.NO_VOTES not in [one.value for one in app.caption]


def test_an_accuracy_is_that_of_all_seeds(opened: Open, store: RunStore) -> None:
    """Also of seeds whose answers were not kept, as most of the gallery's."""
    run = _kept(store, release="votes")
    spec = store.get(run).spec
    for seed, accuracy in enumerate((0.8, 0.9), 1):
        keep(store, make_spec("privgnn", "karate", spec.options, seed=seed), accuracy=accuracy)
    keep(store, make_spec("privgnn", "karate", {**spec.options, "queries": 5}, seed=1), accuracy=0.1)
    app = opened("teachers", data="karate")
    (name,) = app.selectbox(key="run").options
    assert " · 80.0%" in name
    assert any("→ student 70.0% of test nodes (80.0% over 3 seeds)" in one.value for one in app.markdown)
