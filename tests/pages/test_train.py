"""The Train page: form, preview, submission, and the run that the address names."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest
from tests.pages import kept_runs, offered_files
from tests.pages.kept_runs import KARATE, keep, spec

from privgraph.privacy.accountants import tight
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statements import tuning_price
from privgraph.program import program
from privgraph.progress import Progress
from privgraph.registry import METHODS
from privgraph.runs import tables
from privgraph.runs.final_statement import interrupted_statement
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.drawing.with_plotly import FAINT
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.start.page import DEMO_DATA
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.numbers import stated, upper


def opened_at(opened: Callable[..., AppTest], run: str, tab: str) -> AppTest:
    """A run's page with that tab open."""
    app = opened("train", run=run)
    app.session_state[f"tabs.{run}"] = tab
    app.run()
    assert not app.exception, app.exception
    return app


def _texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info)
    return "\n".join(element.value for kind in kinds for element in kind)


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_has_a_form_and_a_preview(opened: Callable[..., AppTest], method: str) -> None:
    texts = "node classification" not in METHODS[method].tasks
    app = opened("train", method=method, data="products" if texts else "karate")
    assert "#### What is promised" in {text.value for text in app.markdown} or "being counted" in _texts(app)
    assert app.radio(key="method").value == method
    assert any(markup.literal(METHODS[method].paper) in text.proto.help for text in app.markdown)
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
    assert "right in at most 88." in shown
    numbers = {metric.label: metric.value for metric in app.metric}
    assert numbers["sound ε"] == "2", "what was asked for, which the noise keeps"
    assert "#### 2" in {text.value for text in app.markdown}
    assert numbers["Noise"] == f"{planned.ledger[0].noise_std:.3g}"
    assert numbers["Expected accuracy"] == "unknown", "no run has told yet"
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


def test_several_budgets_are_one_batch_and_each_has_a_plan(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("train", method="progap", data="karate", epsilon="4 0.5", seeds="2")
    (sound,) = (metric for metric in app.metric if metric.label == "sound ε")
    assert sound.value == "0.5 – 4"
    assert sound.delta.startswith("will spend 0.4999 – 3.998 · δ ")
    assert app.button(key="go").label == "Run 4 runs"
    assert "The first opens; the others are beside it on Runs." in _texts(app)
    app.button(key="go").click().run()
    assert not app.exception
    runs = store.find(RunQuery())
    assert {(run.spec.options["epsilon"], run.spec.seed) for run in runs} == {
        (e, s) for e in (0.5, 4.0) for s in (0, 1)
    }
    assert len({run.batch for run in runs}) == 1
    assert "0 of 4 runs are done" in _texts(app)


@pytest.mark.long
def test_what_to_expect_comes_from_finished_runs(opened: Callable[..., AppTest], store: RunStore) -> None:
    for seed, (low, high) in enumerate(((0.60, 0.80), (0.62, 0.82), (0.64, 0.84))):
        keep(store, spec(epsilon=1.0, seed=seed), accuracy=low)
        keep(store, spec(epsilon=4.0, seed=seed), accuracy=high)
    keep(store, spec("mlp", unit="none"), accuracy=0.55)
    keep(store, spec("progap", unit="none"), accuracy=0.9)

    def said(epsilon: str) -> tuple[str, str, str]:
        app = opened("train", method="progap", data="karate", epsilon=epsilon)
        (metric,) = (one for one in app.metric if one.label == "Expected accuracy")
        return metric.value, metric.delta, _texts(app)

    value, beside, _ = said("1")
    assert value == "62.0%"
    assert beside == "95% interval 57.0% to 67.0%, 3 runs · guess on test nodes 50% · no edges 55% · no privacy 90%"
    value, _, text = said("2")
    assert value == "72.0%"
    assert "ε 2 lies between measured ones" in text
    value, beside, text = said("16")
    assert value == "unknown above ε 4"
    assert beside == "at ε 4: 82.0% · guess on test nodes 50% · no edges 55% · no privacy 90%"
    assert "none is above ε 4, so nobody knows what ε 16 gives" in text
    assert said("0.5")[0] == "unknown below ε 1"
    assert said("1 4")[:2] == (
        "62.0% – 82.0%",
        "from 3 runs at each ε · guess on test nodes 50% · no edges 55% · no privacy 90%",
    )
    value, beside, _ = said("0.5 4")
    assert value == "82.0%"
    assert beside.endswith(
        "3 runs · unknown below ε 1 · at ε 1: 62.0% · guess on test nodes 50% · no edges 55% · no privacy 90%"
    )
    app = opened("train", method="progap", data="karate")
    assert any(caption.endswith("**8 finished runs**") for caption in app.radio(key="data").proto.captions)


@pytest.mark.long
def test_one_run_is_told_as_one_with_the_interval_of_its_test_nodes(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(kept_runs.TEST_NODES, "test_nodes", 12.0)
    keep(store, spec(epsilon=2.0), accuracy=4 / 12)
    app = opened("train", method="progap", data="karate", epsilon="2")
    (metric,) = (one for one in app.metric if one.label == "Expected accuracy")
    assert (metric.value, metric.delta) == ("33.3%", "95% interval 9.9% to 65.1%, 1 run · guess on test nodes 50%")
    assert not app.warning, "one run on 12 nodes is no verdict"
    assert "ε 2 is moderate protection." in _texts(app)
    assert any(caption.endswith("**1 finished run**") for caption in app.radio(key="data").proto.captions)


@pytest.mark.long
def test_a_run_that_takes_the_place_of_one_of_the_gallery_says_so(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    keep(store, spec(epsilon=2.0))
    said = "Replaces the gallery's run."
    assert said not in _texts(opened("train", method="progap", data="karate", epsilon="2"))
    with store.database.write() as connection:
        number = connection.scalar(sa.select(tables.runs.c.number))
        connection.execute(tables.gallery.insert().values(run=number, file="of a test", added=1.0))
    assert said in _texts(opened("train", method="progap", data="karate", epsilon="2"))
    assert said not in _texts(opened("train", method="progap", data="karate", epsilon="2", seed="1"))


def test_what_runs_have_measured_stands_in_place_of_what_a_plan_lets_fear(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    for seed, accuracy in enumerate((0.58, 0.6, 0.62)):
        keep(store, spec("dp-mlp", epsilon=0.01, seed=seed), accuracy=accuracy)
    app = opened("train", method="dp-mlp", data="karate", epsilon="0.01")
    assert not app.warning, "drowned, and yet better than guessing"
    assert "ε 0.01 is strong protection." in _texts(app)
    for seed, accuracy in enumerate((0.44, 0.5, 0.59)):
        keep(store, spec("dp-mlp", epsilon=0.02, seed=seed), accuracy=accuracy)
    (said,) = (one.value for one in opened("train", method="dp-mlp", data="karate", epsilon="0.02").warning)
    assert said.startswith("**At ε 0.02 runs cannot be told from guessing.** Runs reached 51.0% (95% interval ")
    assert said.endswith("; naming the largest class of the test nodes is 50.0%.")


def test_runs_with_other_options_are_no_number_of_yours(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, spec(epsilon=4.0, hidden=8), accuracy=0.8)
    app = opened("train", method="progap", data="karate", epsilon="4", hidden="32")
    (metric,) = (one for one in app.metric if one.label == "Expected accuracy")
    assert (metric.value, metric.delta) == ("unknown", "at ε 4 with other options: 80.0% · guess on test nodes 50%")


def test_what_does_not_beat_a_model_without_edges_is_said_above_run(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    for seed in range(3):
        keep(store, spec(unit="node", epsilon=8.0, seed=seed), accuracy=0.7)
    keep(store, spec("mlp", unit="none"), accuracy=0.72)
    app = opened("train", method="progap", data="karate", unit="node", epsilon="8")
    said = [one.value for one in app.warning if "model without edges" in one.value]
    assert said == [
        "**At ε 8 runs are below a model without edges.** Runs reached 70.0% (95% interval 70.0% to 70.0%); an MLP, "
        "which reads no edge and hides nobody, 72.0%."
    ]
    (metric,) = (one for one in app.metric if one.label == "Expected accuracy")
    assert "no edges and not private 72%" in metric.delta


def test_strong_protection_that_lets_nothing_be_learnt_says_so(opened: Callable[..., AppTest]) -> None:
    shown = _texts(opened("train", method="progap", data="karate", epsilon="0.01"))
    assert "**At ε 0.01 the noise swamps what edges say.**" in shown
    assert "ε 0.01 is strong protection, but the noise swamps what edges say" in shown
    assert "swamps" not in _texts(opened("train", method="progap", data="karate", epsilon="8"))
    assert "swamps the signal" in _texts(opened("train", method="dp-mlp", data="karate", epsilon="0.01"))


def test_runs_that_did_no_better_than_a_model_without_edges_warn(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    for seed in range(3):
        keep(store, spec(epsilon=8.0, seed=seed), accuracy=0.7)
    keep(store, spec("mlp", unit="none"), accuracy=0.72)
    app = opened("train", method="progap", data="karate", epsilon="8")
    assert "Runs reached 70.0% (95% interval 70.0% to 70.0%); an MLP, which reads no edge, 72.0%" in _texts(app)


def test_what_does_not_fit_the_graph_is_named_with_its_reason(opened: Callable[..., AppTest]) -> None:
    app = opened("train", method="relational", data="karate")
    assert "PvGaLM is for relation prediction, not for node classification. ProGAP is chosen instead." in {
        text.value for text in app.warning
    }
    assert app.radio(key="method").value == "progap"
    assert "PvGaLM" not in " ".join(app.selectbox(key="find.method").options)
    assert "- PvGaLM is for relation prediction" in _texts(app)


def test_dp_gpl_with_weights_is_chosen_by_its_name(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("train", method="dp-gpl-w", data="social")
    assert app.radio(key="method").options[-1] == "DP-GPL+W", "what is chosen stands among the cards"
    app.button(key="go").click().run()
    (run,) = store.find(RunQuery())
    assert (run.spec.method, run.spec.options["weighting"]) == ("dp-gpl", "private-centrality")
    assert app.title[0].value == "DP-GPL+W on Made-up social network"
    app.button(key="change").click().run()
    assert app.radio(key="method").value == "dp-gpl-w"


def test_the_form_of_the_invented_network_begins_with_the_demos(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    opened("train", data="social").button(key="go").click().run()
    (run,) = store.find(RunQuery())
    assert run.spec.data_options.items() >= DEMO_DATA.items()


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
    assert not [info for info in app.info if "Equal settings" in info.value]
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
    assert {"SVG", "PDF", "PNG", "CSV", "JSON", "HTML page", "Markdown"} <= downloads
    full = opened_at(opened, run, "The promise")
    assert "An undirected edge is two entries" in _texts(full)
    (ledger,) = (table.value for table in full.dataframe if "noise σ" in table.value)
    assert max(len(str(value)) for value in ledger.to_numpy().flat) <= 24, "nothing in the ledger is cut off"
    assert "accounted as Gaussian noise, " in _texts(full)
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
    assert "No better than chance" not in _texts(app)
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
    assert "30 points above naming the largest class and 10 points below the same without privacy" in _texts(app)
    assert bare.id in {dict(parse_qsl(one.proto.query_string)).get("run") for one in app.get("page_link")}
    assert "and protects nobody" in _texts(opened("train", run=bare.id))


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
    assert "It names the right class for **70.0%**" in _texts(app)
    assert "Over 3 seeds it is **80.0%** on average" in _texts(app)
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


def test_a_run_that_starts_replays_one_that_was_stored(opened: Callable[..., AppTest], store: RunStore) -> None:
    other = keep(store, spec(epsilon=2.0, seed=1))
    keep(store, spec(epsilon=8.0, seed=1))
    run = store.submit(spec(epsilon=2.0))
    app = opened("train", run=run)
    (said,) = (info.value for info in app.info if "replay" in info.value)
    assert naming.name(store.get(other)) in said
    assert any(json.loads(one.proto.json)["name"] == f"replayed.{run}" for one in app.get("bidi_component"))
    alone = store.submit(spec("gap", epsilon=2.0))
    assert not [info for info in opened("train", run=alone).info if "replay" in info.value]


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


def test_kept_files_have_names_and_sizes(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    assert "This run has kept no files" in _texts(opened_at(opened, run, "Files"))
    (store.folder(run) / "answers.npz").write_bytes(b"x" * 2048)
    app = opened_at(opened, run, "Files")
    assert "answers.npz" in offered_files.labels(app)
    assert "2 kB" in [one.value for one in app.caption]
    assert not app.table, "a name stands there once"
    (store.folder(run) / "worker.log").write_text("loading\n")
    assert "8 B · What the worker printed" in [one.value for one in opened_at(opened, run, "Files").caption]
    assert "Where the privacy budget goes" in [one.proto.popover.label for one in app.get("popover")]


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
    assert "known faults" not in _texts(opened("train", run=new))
    monkeypatch.setattr(store.leases, "made_by", lambda worker, version: None)
    old = keep(store, spec("gap", unit="node", selection="validation"))
    for page in ("train", "audit"):
        app = opened(page, run=old)
        (said,) = (error.value for error in app.error)
        assert "This run has 5 known faults, which no ε here counts:" in said
        assert "\n- The epoch was chosen by what the model says of private validation nodes" in said
    assert "Made by a version before 0.5.0" in _texts(opened("train", run=old))


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
    assert "**Changed:** ε asked for 2 → 4" in _texts(app)
    assert before in {dict(parse_qsl(one.proto.query_string)).get("run") for one in app.get("page_link")}
    keep(store, after.spec, accuracy=0.8)
    app.run()
    assert "**Changed:** ε asked for 2 → 4; test accuracy 70.0% → 80.0%" in _texts(app)
    assert "**Changed:**" not in _texts(opened("train", run=before))


@pytest.mark.parametrize("state", ["stopped", "failed"])
def test_a_run_that_ended_on_its_way_shows_its_curves_beside_what_it_spent(
    opened: Callable[..., AppTest], store: RunStore, state: str
) -> None:
    run = keep(store, spec(), state=state)
    app = opened("train", run=run)
    assert _curves(app)["figure"]["data"]
    assert "What is promised" in _texts(app)
    assert [tab.label for tab in app.tabs] == ["Settings", "Files", "Log"]


def test_where_the_budget_went_stands_beside_the_ways_on(opened: Callable[..., AppTest], store: RunStore) -> None:
    """Below the promise it left the other half of the page blank."""
    app = opened("train", run=keep(store, spec(epsilon=2.0, unit="node")))
    (row,) = [
        (left, right)
        for left, right in itertools.pairwise(app.columns)
        if any("ledger." in str(one.proto) for one in right.get("bidi_component"))
        and any("Audit this run" in one.proto.label for one in left.get("page_link"))
    ]
    assert "##### What was promised" not in [one.value for one in row[1].markdown]
