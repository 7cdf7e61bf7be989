"""The page Teachers: one query under other noise, its price, who pays, all answers, and settings compared."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble
from tests.pages.kept_runs import KARATE, keep, keep_answers, keep_ensemble, spec
from tests.pages.reading import Open, figures, labels, links

from privgraph.runs.store import RunStore
from privgraph_workbench.facts import noisy_labels, plans
from privgraph_workbench.parts.laboratory import Setting
from privgraph_workbench.words.numbers import percent, stated

pytestmark = pytest.mark.usefixtures("unread")
VOTES: dict[str, Any] = {"release": "votes", "queries": 8}


def numbers(app: AppTest) -> dict[str, str]:
    return {one.label.split("ε, ")[-1]: one.value for one in app.metric}


def frame(app: AppTest, column: str) -> pd.DataFrame:
    """The table that has this column."""
    found: pd.DataFrame = next(one.value for one in app.dataframe if column in one.value)
    return found


def move(app: AppTest, key: str, value: object) -> AppTest:
    kinds = (*app.select_slider, *app.number_input, *app.selectbox, *app.text_input)
    next(one for one in kinds if one.key == key).set_value(value)
    return app.run()


# One query, and the one price


@pytest.mark.parametrize(
    ("method", "kind", "options"),
    [
        ("privgnn", "votes", VOTES),
        ("privgnn", "posterior", {"release": "posterior", "queries": 8}),
        ("privgnn", "table", {"release": "table"}),
        ("pate", "counts", {"queries": 8}),
    ],
)
def test_a_query_is_drawn_with_the_price_of_its_run(
    opened: Open, store: RunStore, method: str, kind: str, options: dict[str, Any]
) -> None:
    run = keep_answers(store, made_answers(kind), method=method, **options)
    said = store.get(run).statement
    app = opened("teachers", run=run)
    shown = numbers(app)
    assert figures(app)[0].startswith("one_answer")
    assert "price" in figures(app)
    assert "SVG" in labels(app)
    if kind == "table":
        assert shown == {"any number of queries": stated("sound", said.epsilon)}
        return
    setting = Setting.of(store.get(run).spec, KARATE)
    assert shown[f"all {setting.queries} queries"] == stated("sound", said.epsilon)
    one = setting.with_options({"queries": 1})
    assert one.std == pytest.approx(setting.std, rel=1e-5)
    assert shown["one query"] == stated("sound", one.epsilon)


def test_other_noise_and_queries_move_picture_and_price(opened: Open, store: RunStore) -> None:
    found = made_answers("votes")
    run = keep_answers(store, found, **VOTES)
    app = opened("teachers", run=run)
    own, before = Setting.of(store.get(run).spec, KARATE), numbers(app)
    app = move(app, f"lab.times.{run}", 2.0)
    twice = own.with_noise(2.0)
    assert twice.std == pytest.approx(2 * own.std)
    assert numbers(app)[f"all {own.queries} queries"] == stated("sound", twice.epsilon)
    assert twice.epsilon < own.epsilon
    answered = found.released >= 0
    share = noisy_labels.right("gaussian", 2 * found.noise_std, found.before.astype(float), found.truth)[answered]
    assert numbers(app)["Labels right, on average"] == percent(float(share.mean()))
    assert numbers(app)["The leader stays"] != before["The leader stays"]
    assert any("not the run" in one.value for one in app.markdown)
    address = links(app)["Train with these settings"]
    assert float(address["lam"][0]) == pytest.approx(0.2, rel=1e-5)
    app = move(app, f"lab.queries.{run}", 2)
    assert numbers(app)["all 2 queries"] == stated("sound", twice.with_options({"queries": 2}).epsilon)


def test_one_query_of_a_sanitised_report_costs_its_report_too() -> None:
    sizes: dict[str, Any] = {"queries": 8, "epsilon": 2.0, "teachers": 8}
    options = {**sizes, "report": "sanitised", "report_epsilon": 0.5}
    setting = Setting.of(spec("dp-gpl", **options), KARATE)
    bare = Setting.of(spec("dp-gpl", **{**options, "report": "none"}), KARATE)
    noise = {"vote_sigma": setting.plan.noise["votes"]}
    assert setting.one_query() == setting.with_options({"queries": 1}).epsilon
    assert (setting.one_query() or 0.0) > (bare.with_options(noise).one_query() or 0.0)
    weights = np.ones(2)
    assert setting.with_options({"queries": 1}).by_weight(weights).tolist() == pytest.approx([setting.one_query()] * 2)


@pytest.mark.parametrize("method", ["privgnn", "pate", "dp-gpl"])
def test_no_price_is_below_that_of_the_exact_noise(method: str) -> None:
    """The noise that a budget chooses has more digits than an option of an address."""
    for epsilon in (0.7, 1.0, 1.9, 3.3):
        more = {"release": "votes"} if method == "privgnn" else {}
        setting = Setting.of(spec(method, queries=8, epsilon=epsilon, **more), KARATE)
        exact, given = setting.plan, setting.plan.config.price.given
        noise = 1 / exact.scale if given.option == "lam" else exact.scale
        one = plans.plan(method, {**setting.options, given.option: noise, "queries": 1}, KARATE)
        assert (setting.one_query() or 0.0) >= one.statement.epsilon
        assert setting.one_query() == pytest.approx(one.statement.epsilon, rel=1e-4)


# Who pays


def test_heavier_teachers_pay_more_and_every_teacher_is_a_row(opened: Open, store: RunStore) -> None:
    found = ensemble(gate_sigma=0.0)
    run = keep_ensemble(store, found, made_answers("counts", noise=3.0), weighting="private-centrality", teachers=8)
    app = opened("teachers", run=run, tab="Who pays")
    app.session_state["fold.teachers"] = True
    app.run()
    shown = numbers(app)
    assert shown["Heaviest teacher pays"] == stated("sound", float(found.sound.max()))
    assert shown["Lightest teacher pays"] == stated("sound", float(found.sound.min()))
    table = frame(app, "guess")
    assert table.teachers.sum() == len(found.weights)
    assert list(table["all"]) == sorted(table["all"])
    assert (table.one < table["all"]).all()
    assert table["all"].to_numpy() == pytest.approx(np.unique(found.sound), rel=1e-3)
    assert (table["all"].to_numpy() >= np.unique(found.sound)).all(), "rounded up"
    rows = frame(app, "labelled")
    assert sorted(rows.teacher) == list(range(40))
    assert list(rows["all"]) == sorted(rows["all"], reverse=True)
    assert rows.accuracy.to_numpy() == pytest.approx(found.accuracy[rows.teacher.to_numpy()])
    assert {one.split("-")[0] for one in figures(app)} == {"teacher_epsilons", "budget", "teacher_accuracy"}


# Answers, and settings compared


def test_unknown_runs_and_broken_records_are_said(opened: Open, store: RunStore) -> None:
    run = keep_answers(store, made_answers())
    bare = keep(store, spec("pate", queries=8))
    for asked in ("nothing", "![i](http://evil.example)", bare):
        (said,) = opened("teachers", run=asked).warning
        assert "![i](" not in said.value
    assert not opened("teachers", run=run).warning
    (store.folder(run) / "answers.npz").write_bytes(b"PK no zip")
    assert len(opened("teachers", run=run).error) == 1
    (store.folder(run) / "answers.npz").unlink()
    assert len(opened("teachers", run=run).error) == 1
    weighted = keep_ensemble(store, ensemble(), made_answers("counts", noise=3.0))
    (store.folder(weighted) / "ensemble.npz").write_bytes(b"PK no zip")
    assert len(opened("teachers", run=weighted, tab="Who pays").error) == 1
    assert not opened("teachers", run=weighted).error
