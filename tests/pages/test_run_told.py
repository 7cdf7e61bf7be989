"""The page of a run: its story, its numbers, its curves and its files."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import offered_files
from tests.pages.kept_runs import KARATE, keep, spec
from tests.pages.reading import texts

from privgraph.privacy.accountants import tight
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.serialisation import statement_to_json
from privgraph.program import program
from privgraph.progress import Progress
from privgraph.runs.final_statement import interrupted_statement
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.drawing.with_plotly import FAINT
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import stated, upper


def opened_at(opened: Callable[..., AppTest], run: str, tab: str) -> AppTest:
    """A run's page with that tab open."""
    app = opened("train", run=run)
    app.session_state[f"tabs.{run}"] = tab
    app.run()
    assert not app.exception, app.exception
    return app


def test_a_run_that_was_stopped_says_what_it_has_spent(opened: Callable[..., AppTest], store: RunStore) -> None:
    asked = spec(epsilon=4.0)
    plan = asked.config().plan(KARATE).statement
    run, worker = store.submit(asked), new_worker()
    assert store.leases.claim([run], worker) == [run]
    store.leases.made_by(worker, program())
    half = Ledger(plan.ledger[:1])
    said = interrupted_statement(plan, half, stopped=True)
    store.leases.finish(run, worker, Outcome(state="stopped", statement=statement_to_json(said)))
    (spent,) = [text.value for text in opened("train", run=run).info if "Spent so far" in text.value]
    cost = tight().epsilon(half.event(), plan.delta)
    assert cost < plan.epsilon
    assert f"cost ε = {upper(cost)} at δ = " in spent
    assert f"at most {upper(plan.epsilon)}" in spent


def test_equal_settings_open_the_run_of_before_and_say_so(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, spec(epsilon=2.0))
    app = opened("train", method="progap", data="karate", epsilon="2")
    app.button(key="go").click().run()
    assert "Equal settings are one run." in app.info[0].value
    assert store.count() == 1
    app.button(key="another").click().run()
    assert not app.exception
    assert sorted(run.spec.seed for run in store.find(RunQuery())) == [0, 1]
    assert not [info for info in app.info if "Equal settings" in info.value]
    assert not [button for button in app.button if button.key == "another"]


@pytest.mark.parametrize(("stage", "done"), [("", 0), ("loading data", 1), ("training", 2)])
def test_a_run_says_what_it_does_before_its_first_step(
    opened: Callable[..., AppTest], store: RunStore, stage: str, done: int
) -> None:
    run = store.submit(spec())
    assert "It begins when a worker is free" in texts(opened("train", run=run))
    worker = new_worker()
    assert store.leases.claim([run], worker) == [run]
    if stage:
        store.leases.append(run, [Progress(step=0, total=1, stage=stage)], worker)
    app = opened("train", run=run)
    steps = [text.value for text in app.markdown if text.value.endswith((".", "with.", "them."))]
    assert sum(text.startswith(":green") for text in steps) == done
    assert sum(text.startswith(":material/hourglass_top:") for text in steps) == 1
    assert {"34", "78"} <= {metric.value for metric in app.metric}
    assert not app.get("bidi_component"), "no empty plot"


def test_a_finished_run_shows_three_numbers_ledger_and_exports(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0), accuracy=0.8123, tags=["mine"])
    app = opened("train", run=run)
    shown = texts(app)
    assert app.title[0].value == "ProGAP on Karate club"
    assert "**ProGAP** was trained on **Karate club**, 34 nodes, and promises at **ε = " in shown
    assert " to hide whether any two are connected: in the worst case, " in shown
    assert "It names the right class for **81.2%** of nodes that it was not trained on" in shown
    assert "81.2%" in {metric.value for metric in app.metric}
    assert {mark.label for mark in EPSILONS.values()} <= {text.value for text in app.markdown}
    assert "#### not audited" in shown
    (link,) = [one.proto for one in app.get("page_link") if "who=worst-case" in one.proto.query_string]
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run, "who": "worst-case"}
    assert "trials of 2 releases each, about" in shown, "what an audit takes"
    drawn = {json.loads(one.proto.json)["name"] for one in app.get("bidi_component")}
    assert {f"standing.{run}", f"curves.{run}"} <= drawn
    assert f"ledger.{run}" not in drawn, "equal bars tell nothing"
    assert "The same share to each of its 2 mechanisms" in " ".join(one.value for one in app.caption)
    downloads = set(offered_files.labels(app))
    assert {"SVG", "PDF", "PNG", "CSV", "JSON"} <= downloads
    full = opened_at(opened, run, "The promise")
    assert "An undirected edge is two entries" in texts(full)
    (ledger,) = (table.value for table in full.dataframe if "noise σ" in table.value)
    assert max(len(str(value)) for value in ledger.to_numpy().flat) <= 24, "nothing in the ledger is cut off"
    assert "accounted as Gaussian noise, " in texts(full)
    commands = [block.value for block in app.code]
    assert any(
        text.startswith("privgraph run progap --data karate --unit edge --epsilon 2 --seed 0") for text in commands
    )
    assert any(f"/train?run={run}" in text for text in commands)


def test_an_accuracy_is_read_beside_chance_and_a_run_without_privacy(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    run = keep(store, spec(epsilon=2.0), accuracy=0.8)
    app = opened("train", run=run)
    (metric,) = app.metric
    assert (metric.label, metric.value) == ("Test accuracy", "80.0%")
    assert metric.delta == "95% interval 73.8% to 85.3%, by 200 test nodes"
    assert _bars(app, run) == ["Largest class: 50.0%", "This run: 80.0%"]
    assert "No better than chance" not in texts(app)
    app.button(key="reference").click().run()
    assert not app.exception, app.exception
    (bare,) = (one for one in store.find(RunQuery()) if one.id != run)
    assert (bare.spec.method, bare.spec.unit, bare.tags) == ("progap", "none", ("reference",))
    assert app.query_params["run"] in (run, [run]), "it is trained beside this page"
    assert "The run without privacy (0% done)" in {one.proto.label for one in app.get("page_link")}
    assert not [button for button in app.button if button.key == "reference"]
    keep(store, bare.spec, accuracy=0.9)
    app = opened("train", run=run)
    assert _bars(app, run) == ["Largest class: 50.0%", "This run: 80.0%", "No privacy: 90.0%"]
    assert "30 points above naming the largest class and 10 points below the same without privacy" in texts(app)
    assert bare.id in {dict(parse_qsl(one.proto.query_string)).get("run") for one in app.get("page_link")}
    assert "and protects nobody" in texts(opened("train", run=bare.id))


def _figure(app: AppTest, name: str) -> dict[str, Any]:
    (figure,) = (
        data["figure"] for one in app.get("bidi_component") if (data := json.loads(one.proto.json))["name"] == name
    )
    return dict(figure)


def _bars(app: AppTest, run: str) -> list[str]:
    """The bars of the figure that shows where the run's accuracy stands."""
    (figure,) = (
        data["figure"]
        for one in app.get("bidi_component")
        if (data := json.loads(one.proto.json))["name"] == f"standing.{run}"
    )
    return [str(trace["y"][0]) for trace in figure["data"] if trace["type"] == "bar"]


def test_seeds_stand_in_rows_of_their_own_and_their_curves_over_each_other(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.7 + seed / 10) for seed in (0, 1, 2)]
    app = opened("train", run=runs[0])
    assert "It names the right class for **70.0%**" in texts(app)
    assert "Over 3 seeds it is **80.0%** on average" in texts(app)
    assert app.metric[0].label == "Test accuracy of this run, seed 0"
    drawn = _figure(app, f"standing.{runs[0]}")["data"]
    dots = {trace["name"]: trace["x"] for trace in drawn if trace["type"] == "scatter" and "seed" in trace["name"]}
    assert {name: list(values) for name, values in dots.items()} == {
        "this run, seed 0: 70.0%": [0.7],
        "seed 1: 80.0%": [pytest.approx(0.8)],
        "seed 2: 90.0%": [pytest.approx(0.9)],
    }
    assert all(set(trace["y"]) == {trace["name"]} for trace in drawn if trace["name"] in dots), "none hides another"
    assert _bars(app, runs[0]) == ["Largest class, mean: 50.0%", "Mean of 3 seeds: 80.0%"]
    seeds = _figure(app, f"seeds.{runs[0]}")
    assert [trace["name"] for trace in seeds["data"]] == [f"seed {seed}: validation accuracy" for seed in (0, 1, 2)]


def test_all_of_many_seeds_are_drawn_and_this_one_stands_out(opened: Callable[..., AppTest], store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.7) for seed in range(9)]
    app = opened("train", run=runs[4])
    drawn = _figure(app, f"standing.{runs[4]}")["data"]
    dots = {trace["name"]: len(trace["x"]) for trace in drawn if trace["type"] == "scatter" and "seed" in trace["name"]}
    assert dots == {"this run, seed 4: 70.0%": 1, "8 other seeds: 70.0% to 70.0%": 8}
    assert "##### All 9 seeds, laid over each other" in {text.value for text in app.markdown}
    traces = _figure(app, f"seeds.{runs[4]}")["data"]
    assert [trace["name"] for trace in traces] == ["8 others: validation accuracy"] * 8 + [
        "seed 4: validation accuracy"
    ]
    assert sum(trace["showlegend"] for trace in traces) == 2
    assert {trace["opacity"] for trace in traces[:-1]} == {FAINT}
    assert traces[-1]["opacity"] == 1


def test_settings_stand_in_groups_and_what_is_no_default_is_bold(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    run = keep(store, spec(epsilon=2.0, depth=4))
    app = opened_at(opened, run, "Settings")
    said = {row["Option"]: row["Value"] for table in app.table for row in table.value.to_dict("records")}
    assert said["Epsilon"] == "**2**"
    assert said["Depth K"] == "**4**"
    assert said["Epochs"] == "auto (100)"
    assert said["Graph"] == "Karate club"
    headings = [text.value for text in app.markdown if text.value.startswith("##### ")]
    groups = [f"##### {name}" for name in ("Run", "Privacy", "Model", "Training", "Node level")]
    assert [heading for heading in headings if heading in groups] == groups
    assert len(app.table) == len(groups)


def test_a_budget_that_all_mechanisms_share_alike_is_told_in_a_sentence(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    app = opened("train", run=keep(store, spec(epsilon=2.0)))
    assert "The same share to each of its 2 mechanisms: 50.0%." in [one.value for one in app.caption]
    assert not any("ledger." in str(one.proto) for one in app.get("bidi_component"))


def test_the_head_says_epsilon_in_the_digits_of_the_numbers_below(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    run = keep(store, spec(epsilon=4.0))
    record = store.get(run)
    assert record.statement is not None
    exact = stated("sound", record.statement.epsilon)
    assert exact != "4"
    app = opened("train", run=run)
    told = [one.value for one in app.markdown]
    assert f"edge-level ε {exact} · seed 0" in told
    assert f"#### {exact}" in told
    said = [one.value for one in (*app.caption, *app.markdown) if "ε is at most 4" in one.value]
    assert said == [f"The noise is chosen so that ε is at most 4; it comes to {exact}."]


def test_a_running_run_shows_progress_and_can_be_stopped(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec(), state="running")
    app = opened("train", run=run)
    assert "50%" in app.get("progress")[0].proto.text
    assert any("noise σ" in table.value for table in app.dataframe), "what was spent so far is shown"
    assert "as planned" in {text.value for text in app.caption}
    app.button(key="stop").click().run()
    assert store.get(run).state == "stopping"
    assert app.button(key="stop").disabled


@pytest.mark.parametrize("state", ["stopped", "failed", "lost"])
def test_an_ended_run_can_be_tried_again(opened: Callable[..., AppTest], store: RunStore, state: str) -> None:
    error = "the disk is full" if state != "stopped" else ""
    run = keep(store, spec(), state=state, error=error)
    app = opened("train", run=run)
    if error:
        assert app.error[0].value == "The disk is full."
    app.button(key="retry").click().run()
    assert store.get(run).state == "queued"


def test_an_unknown_run_is_one_sentence_and_the_form_is_there(opened: Callable[..., AppTest]) -> None:
    for name in ("progap-karate-000000000000", "../../etc/passwd", "%00"):
        app = opened("train", run=name)
        assert f"There is no run {name}" in app.warning[0].value
        assert app.button(key="go").label == "Run"


@pytest.mark.long
def test_tags_and_notes_are_kept(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec())
    app = opened_at(opened, run, "Settings")
    app.text_input(key=f"new_tag.{run}").set_value("  baseline ").run()
    assert store.get(run).tags == ("baseline",)
    app.text_input(key=f"new_tag.{run}").set_value("x" * 99).run()
    assert any("a tag has 1 to 60 characters" in error.value.lower() for error in app.error)
    app.text_area(key=f"note.{run}").set_value("why not").run()
    next(button for button in app.button if button.label == "Save the note").click().run()
    assert store.get(run).note == "why not"


@pytest.mark.long
def test_a_run_of_an_earlier_version_says_what_is_wrong_with_it(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = keep(store, spec("gap", unit="node"))
    assert "known faults" not in texts(opened("train", run=new))
    monkeypatch.setattr(store.leases, "made_by", lambda worker, version: None)
    old = keep(store, spec("gap", unit="node", selection="validation"))
    (said,) = (error.value for error in opened("train", run=old).error)
    assert "This run has 5 known faults, which no ε here counts:" in said
    assert "\n- The epoch was chosen by what the model says of private validation nodes" in said
    assert "Made by a version before 0.5.0" in texts(opened("train", run=old))


def test_a_page_that_is_watched_gets_the_curves_once_and_then_what_is_new(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    run = keep(store, spec(), state="running")
    app = opened("train", run=run)
    first, then = _curves(app), _curves(app.run())
    assert first["figure"]["data"]
    assert "figure" not in then
    assert then["base"] == first["base"]
    app.session_state[f"curves.{run}"] = {"missing": {"base": then["base"], "at": 1}}
    assert _curves(app.run())["figure"] == first["figure"]


def _curves(app: AppTest) -> dict[str, Any]:
    found: dict[str, Any] = next(
        data for one in app.get("bidi_component") if (data := json.loads(one.proto.json))["name"].startswith("curves.")
    )
    return found


@pytest.mark.long
def test_what_was_changed_stands_above_what_came_of_it(opened: Callable[..., AppTest], store: RunStore) -> None:
    before = keep(store, spec(epsilon=2.0), accuracy=0.7)
    app = opened("train", run=before)
    app.button(key="change").click().run()
    assert app.query_params["from"] in (before, [before])
    app.text_input(key="epsilon").set_value("4").run()
    app.button(key="go").click().run()
    (after,) = (one for one in store.find(RunQuery()) if one.id != before)
    assert "**Changed:** ε asked for 2 → 4" in texts(app)
    assert before in {dict(parse_qsl(one.proto.query_string)).get("run") for one in app.get("page_link")}
    keep(store, after.spec, accuracy=0.8)
    app.run()
    assert "**Changed:** ε asked for 2 → 4; test accuracy 70.0% → 80.0%" in texts(app)
    assert "**Changed:**" not in texts(opened("train", run=before))


@pytest.mark.parametrize("state", ["stopped", "failed"])
def test_a_run_that_ended_on_its_way_shows_its_curves_beside_what_it_spent(
    opened: Callable[..., AppTest], store: RunStore, state: str
) -> None:
    run = keep(store, spec(), state=state)
    app = opened("train", run=run)
    assert _curves(app)["figure"]["data"]
    assert "What is promised" in texts(app)
    assert [tab.label for tab in app.tabs] == ["Settings", "Files", "Log"]
