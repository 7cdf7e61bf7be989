"""The page Report: what is made of the list is made once for what is asked, and again where that changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import remembered as known_runs
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import remembered

Open = Callable[..., AppTest]
Counted = dict[str, int]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """How often each was made of a list."""
    found: Counted = {}
    for place, name in (
        (reporting, "sections"),
        (reporting, "decided"),
        (reporting, "pictures"),
        (known_runs, "told_of"),
    ):
        found[name] = 0
        made_of = getattr(place, name)

        def counted(*given: object, of: str = name, by: Callable[..., object] = made_of) -> object:
            found[of] += 1
            return by(*given)

        monkeypatch.setattr(place, name, counted)
    return found


def _opened(opened: Open, store: RunStore) -> AppTest:
    """A list of a figure and three runs, with a remark that names a number."""
    ids = [keep(store, spec(epsilon=2.0, seed=seed)) for seed in (0, 1, 2)]
    app = opened("report")
    rows = tradeoff.data([store.get(run) for run in ids])
    app.session_state["collected"] = [collected.figure("tradeoff", rows, {}, runs=ids), *(Kept(run=run) for run in ids)]
    app.run()
    app.text_area(key=collected.REMARK).set_value("It reaches 80% accuracy.").run()
    assert not app.exception, app.exception
    return app


def test_a_drawing_that_changes_nothing_makes_nothing_again(opened: Open, store: RunStore, made: Counted) -> None:
    app = _opened(opened, store)
    first = dict(made)
    assert first == {"sections": 1, "decided": 1, "pictures": first["pictures"], "told_of": 3}
    app.run()
    app.text_input(key=collected.AUTHOR).set_value("Ada").run()
    made["pictures"] = first["pictures"]  # of other words it is counted anew, and quick
    assert made == first


def test_what_is_undone_and_turned_back_is_there_at_once(opened: Open, store: RunStore, made: Counted) -> None:
    app = _opened(opened, store)
    app.button(key="close.1").click().run()
    app.radio(key="report_share").set_value(False).run()
    before = dict(made)
    app.radio(key="report_share").set_value(True).run()
    app.button(key="report_undo").click().run()
    assert not app.exception, app.exception
    assert made == before


def test_what_has_changed_is_made_again(opened: Open, store: RunStore, made: Counted) -> None:
    app = _opened(opened, store)
    (run, *_) = [one.run for one in app.session_state["collected"] if one.run]
    store.add_attack(run, made_attack(run))
    app.run()
    assert made["sections"] == made["decided"] == 2
    assert any("Attacked in 1 of 3 runs" in one.value for one in app.caption)


def test_of_each_kind_the_latest_are_kept(opened: Open, store: RunStore, made: Counted) -> None:
    app = _opened(opened, store)
    for number in range(2 * remembered.MOST):
        app.text_input(key=collected.TITLE).set_value(f"Title {number}").run()
    assert len(app.session_state["report.pictures"]) == remembered.MOST
    assert made["sections"] == 1, "a title is no result"
