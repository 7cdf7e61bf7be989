"""The page of a run: its numbers, curves, promise, settings and files, in every state."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_audits import audit as made_audit
from tests.pages import offered_files
from tests.pages.kept_runs import KARATE, keep, spec

from privgraph.privacy.accountants import tight
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.serialisation import statement_to_json
from privgraph.program import program
from privgraph.progress import Progress
from privgraph.runs.final_statement import interrupted_statement
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import bound, stated, upper

Open = Callable[..., AppTest]


def opened_at(opened: Open, run: str, tab: str) -> AppTest:
    """A run's page with that tab open."""
    app = opened("train", run=run)
    app.session_state[f"tabs.{run}"] = tab
    app.run()
    assert not app.exception, app.exception
    return app


def numbers(app: AppTest) -> dict[str, str]:
    return {one.label: one.value for one in app.metric}


def badges(app: AppTest) -> str:
    return " ".join(one.value for one in app.markdown if "badge[" in one.value)


def figure(app: AppTest, name: str) -> dict[str, Any]:
    """The component that draws the figure of that name."""
    found = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    return dict(next(one for one in found if one["name"] == name))


def bars(app: AppTest, run: str) -> dict[str, float]:
    """Where the run's accuracy stands."""
    data = figure(app, f"standing.{run}")["figure"]["data"]
    return {str(one["y"][0]).partition(":")[0]: one["x"][0] for one in data if one["type"] == "bar"}


def links(app: AppTest) -> list[dict[str, str]]:
    return [dict(parse_qsl(one.proto.query_string.removeprefix("?"))) for one in app.get("page_link")]


def test_a_finished_run_shows_its_numbers(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0), accuracy=0.8123, tags=["mine"])
    said = store.get(run).statement
    assert said is not None
    app = opened("train", run=run)
    shown = numbers(app)
    assert shown["Test accuracy"] == "81.2%"
    assert shown[EPSILONS["sound"].label] == stated("sound", said.epsilon)
    assert shown[EPSILONS["published"].label] == stated("published", said.epsilon_as_published)
    assert shown[EPSILONS["audited"].label] == "—"
    assert shown["Adversary's accuracy"] == bound(meaning.guess(said.epsilon, said.delta))
    assert "mine" in badges(app)
    assert {"run": run, "who": "worst-case"} in links(app)
    assert bars(app, run) == {"Largest class": 0.5, "This run": pytest.approx(0.8123)}
    assert {"SVG", "PDF", "PNG", "CSV", "JSON"} <= set(offered_files.labels(app))
    line = "privgraph run progap --data karate --unit edge --epsilon 2 --seed 0"
    commands = [block.value for block in app.code]
    assert any(one.startswith(line) for one in commands)
    assert any(f"/train?run={run}" in one for one in commands)


def test_the_promise_has_its_ledger(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    said = store.get(run).statement
    assert said is not None
    app = opened_at(opened, run, "Promise")
    (ledger,) = (table.value for table in app.dataframe if "noise σ" in table.value)
    assert ledger["noise σ"].tolist() == pytest.approx([one.noise_std for one in said.ledger])
    promised = [cell for table in app.table for cell in table.value.to_numpy().flat]
    assert any(said.relation[:20] in str(cell) for cell in promised)
    assert sum(any(word in str(cell) for cell in promised) for word in said.assumptions) <= len(said.assumptions)


def test_a_run_without_privacy_says_so(opened: Open, store: RunStore) -> None:
    app = opened("train", run=keep(store, spec("gnn", unit="none")))
    assert ":red-badge[no privacy" in badges(app)
    assert numbers(app)[EPSILONS["sound"].label] == "∞"
    assert "Adversary's accuracy" not in numbers(app)


def test_an_audit_refutes_a_claim_in_red(opened: Open, store: RunStore) -> None:
    run = keep(store, spec("dp-mlp", unit="node", epsilon=0.1, batch_size=8))
    said = store.get(run).statement
    assert said is not None
    store.add_audit(run, made_audit(run, delta=said.delta))
    record = store.get(run)
    app = opened("train", run=run)
    assert numbers(app)[EPSILONS["audited"].label] == f"≥ {stated('audited', record.epsilon_audited)}"
    assert ":red-badge[refuted" in badges(app)
    assert any("claim" in one.value for one in app.dataframe), "and the audit in numbers"


def test_the_same_without_privacy_is_trained_and_stands_beside(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0), accuracy=0.8)
    app = opened("train", run=run)
    app.button(key="reference").click().run()
    assert not app.exception, app.exception
    (bare,) = (one for one in store.find(RunQuery()) if one.id != run)
    assert (bare.spec.method, bare.spec.unit, bare.tags) == ("progap", "none", ("reference",))
    assert "reference" not in {one.key for one in app.button}
    keep(store, bare.spec, accuracy=0.9)
    app = opened("train", run=run)
    assert bars(app, run)["No privacy"] == pytest.approx(0.9)
    assert {"run": bare.id} in links(app)


def test_an_accuracy_like_guessing_has_a_badge(opened: Open, store: RunStore) -> None:
    assert "guessing" in badges(opened("train", run=keep(store, spec(), accuracy=0.5)))
    assert "guessing" not in badges(opened("train", run=keep(store, spec(seed=1), accuracy=0.8)))


def test_seeds_are_linked_averaged_and_laid_over_each_other(opened: Open, store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.7 + seed / 10) for seed in (0, 1, 2)]
    app = opened_at(opened, runs[0], "Curves")
    assert bars(app, runs[0])["Mean of 3 seeds"] == pytest.approx(0.8)
    assert {runs[1], runs[2]} <= {one.get("run") for one in links(app)}
    traces = figure(app, f"seeds.{runs[0]}")["figure"]["data"]
    assert [one["name"].partition(":")[0] for one in traces] == ["seed 0", "seed 1", "seed 2"]


def test_settings_that_are_no_default_are_bold(opened: Open, store: RunStore) -> None:
    app = opened_at(opened, keep(store, spec(epsilon=2.0, depth=4)), "Settings")
    said = {row["Option"]: row["Value"] for table in app.table for row in table.value.to_dict("records")}
    assert (said["Epsilon"], said["Depth K"], said["Epochs"]) == ("**2**", "**4**", "auto (100)")


def test_tags_and_notes_are_kept(opened: Open, store: RunStore) -> None:
    run = keep(store, spec())
    app = opened_at(opened, run, "Settings")
    app.text_input(key=f"new_tag.{run}").set_value("  baseline ").run()
    assert store.get(run).tags == ("baseline",)
    app.text_input(key=f"new_tag.{run}").set_value("x" * 99).run()
    assert len(app.error) == 1
    app.text_area(key=f"note.{run}").set_value("why not").run()
    app.button(key=f"save_note.{run}").click().run()
    assert store.get(run).note == "why not"


def test_a_running_run_shows_progress_and_can_be_stopped(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(), state="running")
    app = opened("train", run=run)
    assert app.get("progress")[0].proto.value == 50
    assert any("noise σ" in table.value for table in app.dataframe), "what was spent so far"
    first = figure(app, f"curves.{run}")
    assert first["figure"]["data"]
    app.run()
    then = figure(app, f"curves.{run}")
    assert "figure" not in then, "a browser gets it once"
    assert then["base"] == first["base"]
    app.button(key="stop").click().run()
    assert store.get(run).state == "stopping"
    assert app.button(key="stop").disabled


def test_before_the_first_step_there_is_no_empty_plot(opened: Open, store: RunStore) -> None:
    run = store.submit(spec())
    assert not opened("train", run=run).get("bidi_component")
    worker = new_worker()
    assert store.leases.claim([run], worker) == [run]
    store.leases.append(run, [Progress(step=0, total=1, stage="loading data")], worker)
    app = opened("train", run=run)
    assert "loading data" in app.get("progress")[0].proto.text
    assert not app.get("bidi_component")


@pytest.mark.parametrize("state", ["stopped", "failed", "lost"])
def test_an_ended_run_can_be_tried_again(opened: Open, store: RunStore, state: str) -> None:
    error = "the disk is full" if state != "stopped" else ""
    run = keep(store, spec(), state=state, error=error)
    app = opened("train", run=run)
    assert figure(app, f"curves.{run}")["figure"]["data"]
    assert len(app.error) == bool(error)
    app.button(key="retry").click().run()
    assert store.get(run).state == "queued"


def test_a_stopped_run_tells_what_it_has_spent_and_keeps_its_whole_epsilon(opened: Open, store: RunStore) -> None:
    asked = spec(epsilon=4.0)
    plan = asked.config().plan(KARATE).statement
    run, worker = store.submit(asked), new_worker()
    assert store.leases.claim([run], worker) == [run]
    store.leases.made_by(worker, program())
    half = Ledger(plan.ledger[:1])
    said = interrupted_statement(plan, half, stopped=True)
    store.leases.finish(run, worker, Outcome(state="stopped", statement=statement_to_json(said)))
    app = opened("train", run=run)
    cost = tight().epsilon(half.event(), plan.delta)
    assert cost < plan.epsilon
    assert any(f"ε = {upper(cost)}" in one.value for one in app.info)
    assert numbers(app)[EPSILONS["sound"].label] == stated("sound", plan.epsilon)


def test_equal_settings_open_the_run_of_before(opened: Open, store: RunStore) -> None:
    keep(store, spec(epsilon=2.0))
    app = opened("train", method="progap", data="karate", epsilon="2")
    app.button(key="go").click().run()
    assert store.count() == 1
    app.button(key="another").click().run()
    assert not app.exception
    assert sorted(run.spec.seed for run in store.find(RunQuery())) == [0, 1]
    assert "another" not in {one.key for one in app.button}


def test_what_was_changed_stands_above_what_came_of_it(opened: Open, store: RunStore) -> None:
    before = keep(store, spec(epsilon=2.0), accuracy=0.7)
    app = opened("train", run=before)
    app.button(key="change").click().run()
    assert app.query_params["from"] in (before, [before])
    app.text_input(key="epsilon").set_value("4").run()
    app.button(key="go").click().run()
    (after,) = (one for one in store.find(RunQuery()) if one.id != before)
    keep(store, after.spec, accuracy=0.8)
    app.run()
    (changed,) = [one.value for one in app.dataframe if "changed" in one.value]
    rows = changed[["before", "now"]].to_numpy().tolist()
    assert rows == [["2", "4"], ["70.0%", "80.0%"]]
    assert {"run": before} in links(app)


def test_a_run_of_an_earlier_version_has_its_known_faults(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "faults" not in badges(opened("train", run=keep(store, spec("gap", unit="node"))))
    monkeypatch.setattr(store.leases, "made_by", lambda worker, version: None)
    old = keep(store, spec("gap", unit="node", selection="validation"))
    said = store.get(old).statement
    assert said is not None
    assert f"{len(said.known_faults)} known faults" in badges(opened("train", run=old))


def test_an_unknown_run_is_a_warning_and_the_form_is_there(opened: Open) -> None:
    for name in ("progap-karate-000000000000", "../../etc/passwd", "%00"):
        app = opened("train", run=name)
        assert len(app.warning) == 1
        assert not app.button(key="go").disabled


def test_words_of_others_stay_text(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(), tags=["![x](http://evil.example)"], state="failed", error="<b>no</b> :red[disk]")
    app = opened("train", run=run)
    shown = [one.value for kind in (app.markdown, app.error) for one in kind]
    assert not any("![x](http:" in one or "<b>no" in one or " :red[disk]" in one for one in shown)
