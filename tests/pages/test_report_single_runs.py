"""The page Report: a single run is taken out of the card of its setting."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.report_list import empty, listed
from tests.pages.test_link_attack import made

from privgraph.runs.store import RunStore
from privgraph_workbench.reporting import told_of
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import looks, sharing, single_runs
from privgraph_workbench.words import naming

Open = Callable[..., AppTest]


def _unfolded(opened: Open, store: RunStore, ids: list[str]) -> AppTest:
    """The page with these runs, the card of the first unfolded."""
    mark = hashlib.sha256(naming.setting(store.get(ids[0])).encode()).hexdigest()[:12]
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run) for run in ids]
    app.session_state[f"fold.runs.{mark}"] = True
    app.run()
    assert not app.exception, app.exception
    return app


def _kept(app: AppTest) -> list[str]:
    return [one.run for one in app.session_state["collected"]]


def _ways_out(app: AppTest) -> dict[str, str]:
    """The buttons that take a single run out, by their keys, with what they are called."""
    return {one.key: one.label for one in app.button if one.key and one.key.startswith("take_out.")}


def test_a_single_run_leaves_and_the_card_follows_at_once(opened: Open, store: RunStore) -> None:
    ids = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=score) for seed, score in ((0, 0.6), (1, 0.7), (2, 0.9))]
    app = _unfolded(opened, store, ids)
    assert list(_ways_out(app)) == [f"take_out.{run}" for run in ids]
    assert [one.split(", ")[-1] for one in _ways_out(app).values()] == ["seed 0 out", "seed 1 out", "seed 2 out"]
    assert all(one.startswith("Take ProGAP, ") for one in _ways_out(app).values()), "which run it is can be heard"
    app.button(key=f"take_out.{ids[2]}").click().run()
    assert not app.exception, app.exception
    assert _kept(app) == ids[:2]
    (stamp,) = [one.proto.body for one in app.get("html") if looks.STAMP in one.proto.body and "mean" in one.proto.body]
    assert "<b>65.0%</b><span>mean of 2</span><span>2 of 3 runs</span>" in stamp
    assert listed(app)[0].endswith(": 2 runs")
    assert any("1 setting (2 runs)" in one.value for one in app.markdown), "the bar counts them, too"
    assert list(_ways_out(app)) == [f"take_out.{run}" for run in ids[:2]], "it stays unfolded"
    app.button(key="report_undo").click().run()
    assert _kept(app) == ids
    assert listed(app)[0].endswith(": 3 runs")


def test_the_last_run_goes_with_its_card(opened: Open, store: RunStore) -> None:
    ids = [keep(store, spec(epsilon=2.0, seed=seed)) for seed in (0, 1)]
    app = _unfolded(opened, store, ids)
    app.button(key=f"take_out.{ids[0]}").click().run()
    assert _kept(app) == ids[1:]
    assert not _ways_out(app), "one button is enough for a card of one run"
    app.button(key="close.0").click().run()
    assert empty(app)
    app.button(key="report_undo").click().run()
    assert _kept(app) == ids[1:]


def test_a_warning_counts_the_runs_that_are_left(opened: Open, store: RunStore) -> None:
    open_, *others = [keep(store, spec(epsilon=2.0, seed=seed), public=seed == 0) for seed in (0, 1, 2)]
    app = _unfolded(opened, store, [open_, *others])
    assert any("Noise of 1 of 3 runs is public" in one.value for one in app.caption)
    assert [one.value for one in app.markdown if one.value.startswith("Seed ")] == [
        f"Seed 0: **80.0%**, {sharing.IS_PUBLIC}",
        "Seed 1: **80.0%**",
        "Seed 2: **80.0%**",
    ]
    app.button(key=f"take_out.{open_}").click().run()
    assert _kept(app) == others
    assert not any("runs is public" in one.value for one in app.caption)


def test_seeds_are_said_to_stay_here(opened: Open, store: RunStore) -> None:
    app = _unfolded(opened, store, [keep(store, spec(epsilon=2.0, seed=seed)) for seed in (0, 1)])
    assert single_runs.SEEDS_HERE in [one.value for one in app.caption]
    app.radio(key="report_share").set_value(False).run()
    assert single_runs.SEEDS_HERE not in [one.value for one in app.caption], "such a report tells them"


def test_runs_are_listed_when_asked_for_alone(opened: Open, store: RunStore) -> None:
    app = opened("report")
    app.session_state["collected"] = [Kept(run=keep(store, spec(epsilon=2.0, seed=seed))) for seed in (0, 1)]
    app.run()
    assert single_runs.EACH in [one.label for one in app.expander]
    assert not _ways_out(app)


def test_a_run_says_what_was_done_with_it(store: RunStore) -> None:
    run = store.get(keep(store, spec(epsilon=2.0), accuracy=0.75))
    told = {run.id: told_of(store, run)}
    assert single_runs.said(run, told, mixed=False) == "Seed 0: **75.0%**"
    assert single_runs.said(replace(run, epsilon_audited=0.5), told, mixed=False) == "Seed 0: **75.0%**, audited"
    attacked = {run.id: replace(told[run.id], attacks=[made(run.id)])}
    assert single_runs.said(run, attacked, mixed=False) == "Seed 0: **75.0%**, attacked"
    assert single_runs.said(run, {}, mixed=True) == "Seed 0: **75.0%**"
    assert single_runs.said(replace(run, epsilon_audited=0.0), {}, mixed=False).endswith(", audited"), "to no avail"
    other = {run.id: replace(told[run.id], elsewhere=[made("another")])}
    assert single_runs.said(run, other, mixed=False) == "Seed 0: **75.0%**", "not the run that was attacked"


def test_what_all_runs_have_is_said_of_the_card_alone_and_seeds_ascend(opened: Open, store: RunStore) -> None:
    later, first = [keep(store, spec(epsilon=2.0, seed=seed), public=True) for seed in (1, 0)]
    app = _unfolded(opened, store, [later, first])
    said = [one.value for one in app.markdown if one.value.startswith("Seed ")]
    assert said == ["Seed 0: **80.0%**", "Seed 1: **80.0%**"]
    assert list(_ways_out(app)) == [f"take_out.{first}", f"take_out.{later}"]
