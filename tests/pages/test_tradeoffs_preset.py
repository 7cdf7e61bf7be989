"""The Trade-offs page: with what the form of a sweep begins, and the words elsewhere that open it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.tradeoff_pages import advice_of, choose_unit, unfolding

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore

Open = Callable[..., AppTest]


@pytest.fixture
def opened(opened: Open) -> Open:
    """Opens a page; of this one, after somebody has opened the form of the sweep."""
    return unfolding(opened)


def _ran(store: RunStore, method: str, epsilons: Sequence[float], accuracy: float, *, public: bool = False) -> None:
    for epsilon in epsilons:
        for seed in range(3):
            keep(store, spec(method, epsilon=epsilon, seed=seed), accuracy=accuracy, public=public)


def _form(app: AppTest) -> tuple[list[str], str]:
    return list(app.multiselect(key="sweep_methods").value), str(app.text_input(key="sweep_epsilons").value)


def test_it_begins_with_the_methods_that_have_not_run_at_the_epsilons_of_the_figure(
    opened: Open, store: RunStore
) -> None:
    assert _form(opened("tradeoffs", data="karate")) == (["progap"], "0.5, 1, 2, 4"), "nothing has run: as compared"
    _ran(store, "progap", (0.25, 2.0, 8.0), 0.7)
    _ran(store, "gap", (2.0,), 0.6)
    assert _form(opened("tradeoffs", data="karate")) == (["edge-rand"], "0.25, 2, 8")


def test_else_with_the_epsilons_that_methods_lack(opened: Open, store: RunStore) -> None:
    _ran(store, "progap", (0.25, 2.0, 8.0), 0.7)
    for method in ("gap", "edge-rand"):
        _ran(store, method, (2.0,), 0.6)
    assert _form(opened("tradeoffs", data="karate")) == (["gap", "edge-rand"], "0.25, 8")


def test_where_nothing_is_missing_with_what_is_taken_and_its_rival(opened: Open, store: RunStore) -> None:
    for method, accuracy in (("progap", 0.6), ("gap", 0.9), ("edge-rand", 0.7)):
        _ran(store, method, (1.0, 8.0), accuracy)
    app = opened("tradeoffs", data="karate")
    assert _form(app) == (["gap", "edge-rand"], "1, 8")
    choose_unit(app, "node")
    assert _form(app) == (["progap"], "1, 2, 4, 8"), "of people nothing has run"
    app.multiselect(key="sweep_methods").set_value(["gap"]).run()
    choose_unit(app, "edge")
    assert _form(app) == (["gap"], "1, 8"), "what somebody chose stays"


def test_the_words_that_name_what_has_not_run_open_the_form_so_filled(opened: Open, store: RunStore) -> None:
    _ran(store, "progap", (1.0, 4.0), 0.6, public=True)
    _ran(store, "gap", (1.0, 4.0), 0.9, public=True)
    app = opened("tradeoffs", data="karate", fold="")
    assert "train your own" not in advice_of(app), "a button says so"
    app.button(key="own.edge").click().run()
    assert not app.exception, app.exception
    assert _form(app) == (["gap", "progap"], "1, 4"), "what is taken, and its rival"
    app.multiselect(key="sweep_methods").set_value(["gap"]).run()
    app.button(key="absent.edge").click().run()
    assert _form(app) == (["edge-rand"], "1, 4")


def test_of_a_graph_without_files_nothing_is_offered(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    for method, accuracy in (("progap", 0.6), ("gap", 0.9)):
        for seed in range(3):
            one = make_spec(method, "cora", {"epsilon": 1.0, "unit": "edge"}, seed=seed)
            keep(store, one, accuracy=accuracy, public=True)
    app = opened("tradeoffs", data="cora", fold="")
    assert "EdgeRand has not run here." in advice_of(app)
    assert "train your own before you release anything" in advice_of(app)
    assert not {one.key for one in app.button} & {"own.edge", "absent.edge"}


def test_while_runs_are_under_way_nothing_is_offered_and_their_methods_have_not_failed_to_run(
    opened: Open, store: RunStore
) -> None:
    for method, accuracy in (("progap", 0.6), ("gap", 0.9)):
        _ran(store, method, (1.0, 8.0), accuracy, public=True)
    offers = {"absent.edge", "own.edge", "compare_go.edge"}
    before = opened("tradeoffs", data="karate", fold="compare")
    assert offers <= {one.key for one in before.button}
    assert "EdgeRand has not run here" in before.button(key="absent.edge").label
    run = keep(store, spec("edge-rand", epsilon=1.0), "queued")
    app = opened("tradeoffs", data="karate", fold="compare")
    assert offers.isdisjoint({one.key for one in app.button})
    assert "EdgeRand is under way." in advice_of(app)
    assert "EdgeRand has not run here" not in advice_of(app)
    assert any("can be trained besides once those under way have ended" in one.value for one in app.caption)
    store.request_stop(run)
    assert store.get(run).state == "stopped"
    after = opened("tradeoffs", data="karate", fold="compare")
    assert offers <= {one.key for one in after.button}, "offered again"
