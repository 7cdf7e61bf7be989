"""The Train page: form, preview, submission, and the run that the address names."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import kept_runs
from tests.pages.kept_runs import KARATE, keep, spec
from tests.pages.reading import texts

from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.start.page import DEMO_DATA
from privgraph_workbench.words import markup


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_has_a_form_and_a_preview(opened: Callable[..., AppTest], method: str) -> None:
    of_texts = "node classification" not in METHODS[method].tasks
    app = opened("train", method=method, data="products" if of_texts else "karate")
    assert "#### What is promised" in {text.value for text in app.markdown} or "being counted" in texts(app)
    assert app.radio(key="method").value == method
    assert any(markup.literal(METHODS[method].paper) in text.proto.help for text in app.markdown)
    assert not app.error, app.error
    assert not app.button(key="go").disabled


def test_the_preview_says_what_the_run_will_promise(opened: Callable[..., AppTest]) -> None:
    app = opened("train", method="progap", data="karate", epsilon="2")
    planned = spec(epsilon=2.0).config().plan(KARATE).statement
    shown = texts(app)
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
    shown = {one.proto.query_string.partition("run=")[2] for one in app.get("page_link")}
    assert {runs[1].id, runs[2].id} <= shown


def test_several_budgets_are_one_batch_and_each_has_a_plan(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("train", method="progap", data="karate", epsilon="4 0.5", seeds="2")
    (sound,) = (metric for metric in app.metric if metric.label == "sound ε")
    assert sound.value == "0.5 – 4"
    assert sound.delta.startswith("will spend 0.4999 – 3.998 · δ ")
    assert app.button(key="go").label == "Run 4 runs"
    assert "The first opens; the others are beside it on Runs." in texts(app)
    app.button(key="go").click().run()
    assert not app.exception
    runs = store.find(RunQuery())
    assert {(run.spec.options["epsilon"], run.spec.seed) for run in runs} == {
        (e, s) for e in (0.5, 4.0) for s in (0, 1)
    }
    assert len({run.batch for run in runs}) == 1


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
        return metric.value, metric.delta, texts(app)

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
    assert "ε 2 is moderate protection." in texts(app)
    assert any(caption.endswith("**1 finished run**") for caption in app.radio(key="data").proto.captions)


def test_what_runs_have_measured_stands_in_place_of_what_a_plan_lets_fear(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    for seed, accuracy in enumerate((0.58, 0.6, 0.62)):
        keep(store, spec("dp-mlp", epsilon=0.01, seed=seed), accuracy=accuracy)
    app = opened("train", method="dp-mlp", data="karate", epsilon="0.01")
    assert not app.warning, "drowned, and yet better than guessing"
    assert "ε 0.01 is strong protection." in texts(app)
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


def test_what_does_not_fit_the_graph_is_named_with_its_reason(opened: Callable[..., AppTest]) -> None:
    app = opened("train", method="relational", data="karate")
    assert "PvGaLM is for relation prediction, not for node classification. ProGAP is chosen instead." in {
        text.value for text in app.warning
    }
    assert app.radio(key="method").value == "progap"
    assert "PvGaLM" not in " ".join(app.selectbox(key="find.method").options)
    assert "- PvGaLM is for relation prediction" in texts(app)


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
