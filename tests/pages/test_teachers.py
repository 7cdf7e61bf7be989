"""The page Teachers: one query under other noise, its price, who pays, all answers, and settings compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble, moved_by_all
from tests.pages import offered_files
from tests.pages.kept_runs import KARATE, keep, keep_answers, keep_ensemble, spec

from privgraph.runs.store import RunStore
from privgraph_workbench.facts import noisy_labels, plans
from privgraph_workbench.figures.teachers import answers
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import laboratory
from privgraph_workbench.parts.laboratory import Setting
from privgraph_workbench.words.numbers import percent, proved_epsilon

pytestmark = pytest.mark.usefixtures("unread")
Open = Callable[..., AppTest]
VOTES: dict[str, Any] = {"release": "votes", "queries": 8}


def numbers(app: AppTest) -> dict[str, str]:
    return {one.label.split("ε, ")[-1]: one.value for one in app.metric}


def figures(app: AppTest) -> list[str]:
    return [json.loads(one.proto.json)["name"].split(".")[0] for one in app.get("bidi_component")]


def links(app: AppTest) -> dict[str, dict[str, list[str]]]:
    return {one.proto.label: parse_qs(one.proto.query_string.lstrip("?")) for one in app.get("page_link")}


def frame(app: AppTest, column: str) -> pd.DataFrame:
    """The table that has this column."""
    found: pd.DataFrame = next(one.value for one in app.dataframe if column in one.value)
    return found


def move(app: AppTest, key: str, value: object) -> AppTest:
    kinds = (*app.select_slider, *app.number_input, *app.selectbox, *app.text_input)
    next(one for one in kinds if one.key == key).set_value(value)
    app.run()
    assert not app.exception, app.exception
    return app


def unfold(app: AppTest, fold: str) -> AppTest:
    app.session_state[f"fold.{fold}"] = True
    app.run()
    assert not app.exception, app.exception
    return app


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
    assert said is not None
    app = opened("teachers", run=run)
    shown = numbers(app)
    assert figures(app)[0].startswith("one_answer")
    assert "price" in figures(app)
    assert "SVG" in offered_files.labels(app)
    if kind == "table":
        assert shown == {"any number of queries": proved_epsilon(said.epsilon)}
        return
    setting = Setting.of(store.get(run).spec, KARATE)
    assert shown[f"all {setting.queries} queries"] == proved_epsilon(said.epsilon)
    one = setting.with_options({"queries": 1})
    assert one.std == pytest.approx(setting.std, rel=1e-5)
    assert shown["one query"] == proved_epsilon(one.epsilon)


def test_other_noise_and_queries_move_picture_and_price(opened: Open, store: RunStore) -> None:
    found = made_answers("votes")
    run = keep_answers(store, found, **VOTES)
    app = opened("teachers", run=run)
    own, before = Setting.of(store.get(run).spec, KARATE), numbers(app)
    app = move(app, f"lab.times.{run}", 2.0)
    twice = own.with_noise(2.0)
    assert twice.std == pytest.approx(2 * own.std)
    assert numbers(app)[f"all {own.queries} queries"] == proved_epsilon(twice.epsilon)
    assert twice.epsilon < own.epsilon
    answered = found.released >= 0
    share = noisy_labels.right("gaussian", 2 * found.noise_std, found.before.astype(float), found.truth)[answered]
    assert numbers(app)["Labels right, on average"] == percent(float(share.mean()))
    assert numbers(app)["The leader stays"] != before["The leader stays"]
    assert any("not the run" in one.value for one in app.markdown)
    address = links(app)["Train with these settings"]
    assert float(address["lam"][0]) == pytest.approx(0.2, rel=1e-5)
    app = move(app, f"lab.queries.{run}", 2)
    assert numbers(app)["all 2 queries"] == proved_epsilon(twice.with_options({"queries": 2}).epsilon)


def test_another_draw_is_no_draw_of_the_run(opened: Open, store: RunStore) -> None:
    run = keep_answers(store, made_answers("votes", noise=5.0), **VOTES)
    app = opened("teachers", run=run)
    drawn = [json.loads(app.get("bidi_component")[0].proto.json)["figure"]]
    for _ in range(2):
        app.button(key="draw_again").click().run()
        drawn.append(json.loads(app.get("bidi_component")[0].proto.json)["figure"])
    assert len({json.dumps(one["data"]) for one in drawn}) == 3
    assert any("not the run" in one.value for one in app.markdown)


def test_equal_counts_of_draws_are_equal_and_large_noise_changes_labels() -> None:
    found = made_answers("counts", noise=50.0)
    drawn = [laboratory.redraw(found, 0, "laplace", 50.0, count, None) for count in range(30)]
    again = laboratory.redraw(found, 0, "laplace", 50.0, 3, None)
    assert np.array_equal(again.after, drawn[3].after)
    assert len({int(one.released[0]) for one in drawn}) > 1
    refused = laboratory.redraw(found, 0, "laplace", 50.0, 3, (0.0, 1e6))
    assert refused.released[0] == -1


def test_other_options_have_a_price_and_no_votes(opened: Open, store: RunStore) -> None:
    run = keep_answers(store, made_answers("votes"), **VOTES)
    app = opened("teachers", run=run)
    app = move(app, "lab.rate", "0.1")
    setting = Setting.of(store.get(run).spec, KARATE).with_options({"rate": 0.1})
    assert numbers(app) == {
        f"all {setting.queries} queries": proved_epsilon(setting.epsilon),
        "one query": proved_epsilon(setting.one_query() or 0.0),
    }
    assert not any(one.key == "draw_again" for one in app.button)


def test_one_query_of_a_sanitised_report_costs_its_report_too() -> None:
    options: dict[str, Any] = {
        "queries": 8,
        "report": "sanitised",
        "report_epsilon": 0.5,
        "epsilon": 2.0,
        "teachers": 8,
    }
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
        assert given is not None
        noise = 1 / exact.scale if given.option == "lam" else exact.scale
        one = plans.plan(method, {**setting.options, given.option: noise, "queries": 1}, KARATE)
        assert (setting.one_query() or 0.0) >= one.statement.epsilon
        assert setting.one_query() == pytest.approx(one.statement.epsilon, rel=1e-4)


def test_a_gate_of_dp_gpl_can_be_asked_about(opened: Open, store: RunStore) -> None:
    found = made_answers("counts", noise=3.0)
    run = keep_ensemble(store, ensemble(), found, gate_sigma=4.0, threshold=5.0)
    app = opened("teachers", run=run)
    own, before = Setting.of(store.get(run).spec, KARATE), numbers(app)
    assert own.gate == (4.0, 5.0)
    app = move(app, "lab.gate_sigma", "8")
    wider = own.with_options({"gate_sigma": 8.0})
    assert numbers(app)[f"all {own.queries} queries"] == proved_epsilon(wider.epsilon)
    assert numbers(app)["Labels right, on average"] != before["Labels right, on average"]


def test_a_query_is_chosen_among_those_that_pass_a_filter(opened: Open, store: RunStore) -> None:
    found = made_answers("counts", refuse=2)
    run = keep_answers(store, found, method="pate", lam=0.4, queries=8)
    app = opened("teachers", run=run, show="refused", query=str(found.queries[-1]))
    held = next(one for one in app.selectbox if one.key == "query")
    assert held.options == [str(node) for node in found.queries[-2:]]
    assert held.value == str(found.queries[-1])
    assert figures(app)[0] == f"one_answer-{found.queries[-1]}"


@pytest.mark.parametrize("method", ["privgnn", "pate", "dp-gpl"])
def test_without_a_run_there_is_the_price_of_a_new_one(opened: Open, store: RunStore, method: str) -> None:
    app = opened("teachers", run=method, data="cora")
    assert figures(app) == ["price"]
    address = links(app)["Train with these settings"]
    assert (address["method"], address["data"]) == ([method], ["cora"])
    epsilon = 4.0 if method != "dp-gpl" else 2.0
    assert all(float(one.value) <= epsilon for one in app.metric)
    for tab in ("Who pays", "Answers", "Compared"):
        assert not figures(opened("teachers", run=method, data="cora", tab=tab))


# Who pays


def test_heavier_teachers_pay_more_and_every_teacher_is_a_row(opened: Open, store: RunStore) -> None:
    found = ensemble(gate_sigma=0.0)
    run = keep_ensemble(store, found, made_answers("counts", noise=3.0), weighting="private-centrality", teachers=8)
    app = unfold(opened("teachers", run=run, tab="Who pays"), "teachers")
    shown = numbers(app)
    assert shown["Heaviest teacher pays"] == proved_epsilon(float(found.sound.max()))
    assert shown["Lightest teacher pays"] == proved_epsilon(float(found.sound.min()))
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


def test_who_was_stopped_is_drawn_under_a_limit(opened: Open, store: RunStore) -> None:
    run = keep_ensemble(store, ensemble(limit=0.8), made_answers("counts", noise=3.0))
    app = unfold(opened("teachers", run=run, tab="Who pays"), "teachers")
    assert "stopped" in figures(app)
    assert 0 < frame(app, "labelled").stopped.notna().sum() < 40


def test_data_dependent_epsilon_and_votes_that_all_move_carry_badges(opened: Open, store: RunStore) -> None:
    counts = made_answers("counts", noise=3.0)
    run = keep_ensemble(store, ensemble(), counts)
    app = opened("teachers", run=run, tab="Who pays", epsilons__number="data-dependent")
    assert any("data-dependent" in one.value and "badge" in one.value for one in app.markdown)
    assert "teacher_epsilons-data-dependent-histogram-weight" in figures(app)
    moved = keep_ensemble(store, moved_by_all(ensemble()), counts, seed=1, weighting="centrality")
    app = opened("teachers", run=moved, tab="Who pays")
    assert any("all votes" in one.value for one in app.markdown)
    assert "Every private node pays" in numbers(app)


def test_where_all_pay_the_same_the_budget_ends_at_the_guarantee(opened: Open, store: RunStore) -> None:
    run = keep_answers(store, made_answers("votes"), **VOTES)
    app = opened("teachers", run=run, tab="Who pays")
    said = store.get(run).statement
    assert said is not None
    assert numbers(app)["Every private node pays"] == proved_epsilon(said.epsilon)
    (drawn,) = [json.loads(one.proto.json)["figure"] for one in app.get("bidi_component")]
    assert json.dumps(said.epsilon)[:8] in json.dumps(drawn)


# Answers, and settings compared


def test_all_answers_are_counted_and_listed(opened: Open, store: RunStore) -> None:
    found = made_answers("votes", refuse=3)
    app = unfold(opened("teachers", run=keep_answers(store, found), tab="Answers"), "queries")
    rows = [row for row in answers.data(found) if row["released"] is not None]
    shown, table = numbers(app), frame(app, "margin_before")
    assert shown["Answered"] == "17 of 20"
    assert shown["Changed by noise"] == percent(answers.share(rows, "flipped"))
    assert shown["Right before noise"] == percent(answers.share(rows, "right_before"))
    assert shown["Student right"] == "70.0%"
    assert list(table["query"]) == found.queries.tolist()
    assert table.released.isna().sum() == 3
    marks = " ".join(one.value for one in app.markdown)
    assert "private" in marks
    assert "evaluator only" in marks


def test_names_of_classes_are_text(opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = ("![i](http://evil.example)", "<b>b</b>", "$x$", "*d*")
    monkeypatch.setattr(laboratory, "CLASS_NAMES", {"karate": foreign})
    app = opened("teachers", run=keep_answers(store, made_answers()), tab="Answers")
    assert set(frame(unfold(app, "queries"), "margin_before").truth) <= set(foreign)
    assert not any("evil" in one.value for one in (*app.markdown, *app.caption))


def test_a_setting_of_the_comparison_leads_to_its_runs(opened: Open, store: RunStore) -> None:
    run = keep_answers(store, made_answers("votes"), **VOTES)
    bare = keep(store, spec("pate", queries=8))
    app = opened("teachers", run=run, tab="Compared")
    table = frame(app, "kept")
    assert len(table) == 2
    assert sorted(table.kept) == [False, True]
    for place, kept in enumerate(table.kept):
        app.session_state["compared"] = {"selection": {"rows": [place], "columns": [], "cells": []}}
        app.run()
        assert not app.exception
        found = links(app)
        assert found["Open its runs"]["chosen"] == [run if kept else bare]
        assert ("Open its answers" in found) == kept


def test_examples_open_on_unequal_weights_that_protect(opened: Open, store: RunStore) -> None:
    app = opened("teachers", store="examples")
    shown = queue.examples().get(str(app.selectbox(key="run").value))
    assert shown.spec.options["weighting"] == "private-centrality"
    assert shown.statement is not None
    assert shown.statement.epsilon <= 4
    assert figures(app)[0].startswith("one_answer")
    assert len(frame(opened("teachers", store="examples", tab="Compared"), "kept")) > 40


# What is not there


def test_an_older_run_has_its_address(opened: Open, store: RunStore) -> None:
    runs = [keep_answers(store, made_answers(seed=seed), seed=seed) for seed in range(2)]
    for run in runs:
        assert links(opened("teachers", run=run))["Open the run"]["run"] == [run]
    assert links(opened("teachers"))["Open the run"]["run"] == [runs[1]]


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
