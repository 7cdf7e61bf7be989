"""The Train page: form, preview, submission, and the run that the address names."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import offered_files
from tests.pages.kept_runs import KARATE, keep, spec

from privgraph.privacy.accountants import tight
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statements import tuning_price
from privgraph.program import program
from privgraph.progress import Progress
from privgraph.registry import METHODS
from privgraph.runs.final_statement import interrupted_statement
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import upper


def _texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info)
    return "\n".join(element.value for kind in kinds for element in kind)


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_has_a_form_and_a_preview(opened: Callable[..., AppTest], method: str) -> None:
    texts = "node classification" not in METHODS[method].tasks
    app = opened("train", method=method, data="products" if texts else "karate")
    assert "#### Before anything runs" in {text.value for text in app.markdown}
    assert METHODS[method].about in _texts(app)
    assert not app.error, app.error
    assert not app.button(key="go").disabled


def test_the_preview_says_what_the_run_will_promise(opened: Callable[..., AppTest]) -> None:
    app = opened("train", method="progap", data="karate", epsilon="2")
    planned = spec(epsilon=2.0).config().plan(KARATE).statement
    shown = _texts(app)
    assert planned.epsilon <= 2
    assert {f"{EPSILONS['sound'].label}", "as planned"} <= {text.value for text in (*app.markdown, *app.caption)}
    assert f"#### {planned.epsilon_as_published:.4g}" in shown
    assert "#### not audited" in {text.value for text in app.markdown}
    assert not [one for one in app.get("page_link") if one.proto.label == "Audit it"], "nothing has run yet"
    assert "more private" in shown
    assert "right at most 88." in shown
    noise = next(table.value for table in app.dataframe if "noise σ" in table.value)
    assert noise["noise σ"].tolist() == pytest.approx([entry.noise_std for entry in planned.ledger])


def test_several_seeds_are_one_batch_and_the_first_is_opened(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("train", method="progap", data="karate", seeds="3", seed="5")
    assert app.button(key="go").label == "Run 3 seeds"
    app.button(key="go").click().run()
    assert not app.exception
    runs = store.find(RunQuery(order="seed", descending=False))
    assert [run.spec.seed for run in runs] == [5, 6, 7]
    assert len({run.batch for run in runs}) == 1
    assert app.query_params["run"] == runs[0].id
    assert "0 of 3 seeds are done" in _texts(app)


def test_several_seeds_carry_the_price_of_all_together(opened: Callable[..., AppTest]) -> None:
    assert "price of looking" not in _texts(opened("train", method="progap", data="karate", epsilon="2"))
    app = opened("train", method="progap", data="karate", epsilon="2", seeds="3")
    planned = spec(epsilon=2.0).config().plan(KARATE).statement
    price = tuning_price(Ledger(planned.ledger).event(), planned.delta, 3)
    assert price > 1.5 * planned.epsilon
    assert f"all 3 runs, one a seed, or picks the best of them, has been shown ε = {upper(price)}" in _texts(app)
    open_ = opened("train", method="progap", data="karate", unit="none", seeds="3")
    assert "price of looking" not in _texts(open_)


def test_a_run_that_was_stopped_at_once_contradicts_itself_nowhere(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    asked = spec(epsilon=4.0)
    run = store.submit(asked)
    worker = new_worker()
    assert store.leases.claim([run], worker) == [run]
    store.leases.made_by(worker, program())
    said = interrupted_statement(asked.config().plan(KARATE).statement, Ledger(), stopped=True)
    store.leases.finish(run, worker, Outcome(state="stopped", statement=statement_to_json(said)))
    app = opened("train", run=run)
    shown = _texts(app)
    assert "of the whole plan" in {text.value for text in app.caption}
    assert "No mechanism had finished when the run ended. One may have been under way" in shown
    assert "protected so far" not in shown


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
    assert not app.info
    assert not [button for button in app.button if button.key == "another"]


@pytest.mark.parametrize(("stage", "done"), [("", 0), ("loading data", 1), ("training", 2)])
def test_a_run_says_what_it_does_before_its_first_step(
    opened: Callable[..., AppTest], store: RunStore, stage: str, done: int
) -> None:
    run = store.submit(spec())
    assert "It begins when a worker is free" in _texts(opened("train", run=run))
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
    shown = _texts(app)
    assert "81.2%" in {metric.value for metric in app.metric}
    assert {mark.label for mark in EPSILONS.values()} <= {text.value for text in app.markdown}
    assert "#### not audited" in shown
    (link,) = [one.proto for one in app.get("page_link") if one.proto.label == "Audit it"]
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run, "who": "worst-case"}
    assert "An undirected edge is two entries" in shown
    (ledger,) = (table.value for table in app.dataframe if "noise σ" in table.value)
    assert max(len(str(value)) for value in ledger.to_numpy().flat) <= 24, "nothing in the ledger is cut off"
    assert "accounted as Gaussian noise, " in shown
    downloads = set(offered_files.labels(app))
    assert {"SVG", "PDF", "PNG", "CSV", "JSON", "HTML page", "Markdown"} <= downloads
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
    assert {metric.label: metric.value for metric in app.metric} == {
        "Test accuracy": "80.0%",
        "Largest class": "50.0%",
        "Without privacy": "not run",
    }
    assert "200 test nodes: 95% confidence interval of the test accuracy 73.8% to 85.3%" in _texts(app)
    assert "No better than chance" not in _texts(app)
    app.button(key="reference").click().run()
    assert not app.exception, app.exception
    (bare,) = (one for one in store.find(RunQuery()) if one.id != run)
    assert (bare.spec.method, bare.spec.unit, bare.tags) == ("progap", "none", ("reference",))
    assert app.query_params["run"] in (run, [run]), "it is trained beside this page"
    assert "0% done" in {metric.value for metric in app.metric}
    assert not [button for button in app.button if button.key == "reference"]
    keep(store, bare.spec, accuracy=0.9)
    app = opened("train", run=run)
    assert "90.0%" in {metric.value for metric in app.metric}
    assert bare.id in {dict(parse_qsl(one.proto.query_string)).get("run") for one in app.get("page_link")}
    assert "this run" in {metric.value for metric in opened("train", run=bare.id).metric}


@pytest.mark.parametrize(("accuracy", "how"), [(0.55, "not above"), (0.3, "below")])
def test_a_run_at_chance_says_so(opened: Callable[..., AppTest], store: RunStore, accuracy: float, how: str) -> None:
    app = opened("train", run=keep(store, spec(epsilon=0.1), accuracy=accuracy))
    said = next(text.value for text in app.warning if "No better than chance" in text.value)
    assert f"The accuracy is {how} that of naming the largest class for everybody (50.0%)" in said


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


def test_tags_and_notes_are_kept(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec())
    app = opened("train", run=run)
    app.text_input(key=f"new_tag.{run}").set_value("  baseline ").run()
    assert store.get(run).tags == ("baseline",)
    app.text_input(key=f"new_tag.{run}").set_value("x" * 99).run()
    assert any("a tag has 1 to 60 characters" in error.value.lower() for error in app.error)
    app.text_area(key=f"note.{run}").set_value("why not").run()
    next(button for button in app.button if button.label == "Save the note").click().run()
    assert store.get(run).note == "why not"


def test_a_run_of_an_earlier_version_says_what_is_wrong_with_it(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = keep(store, spec("gap", unit="node"))
    assert "known faults" not in _texts(opened("train", run=new))
    monkeypatch.setattr(store.leases, "made_by", lambda worker, version: None)
    old = keep(store, spec("gap", unit="node", selection="validation"))
    for page in ("train", "audit"):
        app = opened(page, run=old)
        (said,) = (error.value for error in app.error)
        assert "This run has 5 known faults, which no ε here counts:" in said
        assert "\n- The epoch was chosen by what the model says of private validation nodes" in said
    assert "made by a version before 0.5.0" in _texts(opened("train", run=old))


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


def test_what_was_changed_stands_above_what_came_of_it(opened: Callable[..., AppTest], store: RunStore) -> None:
    before = keep(store, spec(epsilon=2.0), accuracy=0.7)
    app = opened("train", run=before)
    app.button(key="change").click().run()
    assert app.query_params["from"] in (before, [before])
    app.text_input(key="epsilon").set_value("4").run()
    app.button(key="go").click().run()
    (after,) = (one for one in store.find(RunQuery()) if one.id != before)
    assert "**Changed:** ε asked for 2 → 4" in _texts(app)
    assert before in {dict(parse_qsl(one.proto.query_string)).get("run") for one in app.get("page_link")}
    keep(store, after.spec, accuracy=0.8)
    app.run()
    assert "**Changed:** ε asked for 2 → 4; test accuracy 70.0% → 80.0%" in _texts(app)
    assert "**Changed:**" not in _texts(opened("train", run=before))
