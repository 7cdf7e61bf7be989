"""The page Report: a row says how many of its setting's runs are kept and what was examined; the others are
taken with a click, and that can be undone; settings are counted alike everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import setting_rows

Open = Callable[..., AppTest]


@pytest.fixture
def three(store: RunStore) -> list[str]:
    return [keep(store, spec(epsilon=2.0, seed=seed), accuracy=score) for seed, score in enumerate((0.70, 0.72, 0.74))]


def _with(opened: Open, runs: list[str]) -> AppTest:
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run) for run in runs]
    app.run()
    assert not app.exception, app.exception
    return app


def _said(app: AppTest, begins: str) -> list[str]:
    return [one.value for one in app.caption if one.value.startswith(begins)]


def test_a_single_seed_says_that_it_is_one_of_three_and_the_others_are_taken(
    opened: Open, store: RunStore, three: list[str]
) -> None:
    app = _with(opened, three[1:2])
    (said,) = _said(app, "1 of 3 runs")
    assert said == f"1 of 3 runs; mean 72.0% (67.0% to 77.0%). {setting_rows.UNEXAMINED}"
    (stamp,) = [one.proto.body for one in app.get("html") if 'privgraph-stamp"' in one.proto.body]
    assert "<span>1 of 3 runs</span>" in stamp
    app.button(key="take_all.0").click().run()
    assert [one.run for one in app.session_state["collected"]] == [three[1], three[0], three[2]]
    assert not _said(app, "1 of 3 runs")
    assert not [one for one in app.button if one.key == "take_all.0"]
    assert "2 runs were added." in [one.value for one in app.markdown]
    app.button(key="report_undo").click().run()
    assert [one.run for one in app.session_state["collected"]] == three[1:2]
    assert "2 runs were added." not in [one.value for one in app.markdown]


def test_a_row_says_which_seed_was_attacked(opened: Open, store: RunStore, three: list[str]) -> None:
    store.add_attack(three[2], replace(attack(), run=three[2]))
    app = _with(opened, three[:1])
    for share, which in ((True, " in 1 of 3 runs"), (False, " (seed 2)")):
        app.radio(key=collected.SHARE).set_value(share).run()
        assert _said(app, "1 of 3 runs") == [f"1 of 3 runs; mean 72.0% (67.0% to 77.0%). Attacked{which}"]


def test_more_runs_than_fit_cannot_be_taken(
    opened: Open, store: RunStore, three: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collected, "MOST", 2)
    app = _with(opened, three[:1])
    assert app.button(key="take_all.0").disabled


def test_settings_are_counted_alike(opened: Open, store: RunStore, three: list[str]) -> None:
    other = keep(store, spec("gnn"), accuracy=0.9)
    app = _with(opened, [*three, other])
    (bar,) = [one.value for one in app.markdown if one.value.startswith("**2 settings")]
    assert bar.startswith("**2 settings (4 runs), for ")
    badge = [one.proto.body for one in app.get("html") if "stTopNavLink" in one.proto.body]
    assert any('content: "2 settings"' in one for one in badge)


def test_a_figure_that_stays_is_counted_and_said_to_stay(opened: Open, store: RunStore, three: list[str]) -> None:
    app = opened("report")
    app.session_state["collected"] = [*(Kept(run=run) for run in three), Kept(figure="curves")]
    app.run()
    assert not app.exception, app.exception
    told = "1 figure, 1 setting"
    assert f"**{told} (3 runs), for others; 1 figure left out**" in [one.value for one in app.markdown]
    assert any(f'content: "{told}"' in one.proto.body for one in app.get("html")), "as the bar of pages counts"
    app.radio(key=collected.SHARE).set_value(False).run()
    assert f"**{told} (3 runs), for myself**" in [one.value for one in app.markdown]
