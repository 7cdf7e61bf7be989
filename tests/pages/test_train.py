"""The page Train: the form, what it says ahead, and the runs that it sends."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import kept_runs
from tests.pages.kept_runs import KARATE, keep, spec

from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import expecting
from privgraph_workbench.forms import again, beginnings
from privgraph_workbench.parts import planning
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import stated

Open = Callable[..., AppTest]


def numbers(app: AppTest) -> dict[str, str]:
    return {one.label: one.value for one in app.metric}


def fields(app: AppTest) -> dict[str, Any]:
    return {str(one.key): one for one in [*app.text_input, *app.number_input]}


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_has_a_form_and_a_plan(opened: Open, method: str) -> None:
    of_texts = "node classification" not in METHODS[method].tasks
    app = opened("train", method=method, data="products" if of_texts else "karate")
    assert app.selectbox(key="method").value == method
    assert not app.error, app.error
    assert not app.button(key="go").disabled


def test_the_bar_and_the_promise_are_those_of_the_plan(opened: Open) -> None:
    app = opened("train", method="progap", data="karate", epsilon="2")
    planned = spec(epsilon=2.0).config().plan(KARATE)
    shown = numbers(app)
    assert shown["sound ε"] == "2", "the target, which the noise keeps"
    assert shown["Noise"] == f"{planned.statement.ledger[0].noise_std:.3g}"
    assert (shown["Expected accuracy"], shown["Time"]) == ("unknown", "not known yet")
    published = stated("published", planned.statement.epsilon_as_published)
    assert shown[EPSILONS["published"].label] == published
    ledger = next(table.value for table in app.dataframe if "noise σ" in table.value)
    assert ledger["noise σ"].tolist() == pytest.approx([one.noise_std for one in planned.statement.ledger])


def test_budgets_and_seeds_are_one_batch_and_the_first_is_opened(opened: Open, store: RunStore) -> None:
    app = opened("train", method="progap", data="karate", epsilon="4 0.5", seeds="2", seed="5")
    assert numbers(app)["sound ε"] == "0.5 – 4"
    app.button(key="go").click().run()
    assert not app.exception
    runs = store.find(RunQuery())
    found = {(run.spec.options["epsilon"], run.spec.seed) for run in runs}
    assert found == {(epsilon, seed) for epsilon in (0.5, 4.0) for seed in (5, 6)}
    assert len({run.batch for run in runs}) == 1
    assert app.query_params["run"] in {run.id for run in runs}


def test_what_to_expect_comes_from_finished_runs(opened: Open, store: RunStore) -> None:
    for seed, (low, high) in enumerate(((0.60, 0.80), (0.62, 0.82), (0.64, 0.84))):
        keep(store, spec(epsilon=1.0, seed=seed), accuracy=low)
        keep(store, spec(epsilon=4.0, seed=seed), accuracy=high)
    keep(store, spec("mlp", unit="none"), accuracy=0.55)
    for typed, value in (
        ("1", "62.0%"),
        ("2", "72.0%"),
        ("16", "unknown"),
        ("0.5", "unknown"),
        ("1 4", "62.0% – 82.0%"),
    ):
        app = opened("train", method="progap", data="karate", epsilon=typed)
        assert numbers(app)["Expected accuracy"] == value, typed
        assert numbers(app)["Time"] != "not known yet"
        assert any(json.loads(one.proto.json).get("name") == "expected" for one in app.get("bidi_component"))
    other = opened("train", method="progap", data="karate", epsilon="4", hidden="32")
    assert numbers(other)["Expected accuracy"] == "unknown", "those runs have other options"
    assert any("badge[other options" in one.value for one in other.markdown)
    assert "7 runs" in next(one for one in app.selectbox(key="data").options if one.startswith("Karate"))


@pytest.mark.parametrize(
    ("kept", "method", "epsilon", "kind"),
    [
        ((), "dp-mlp", "0.01", planning.Doubt.SWAMPED),
        ((), "progap", "0.01", planning.Doubt.EDGES),
        (((0.01, 0.58), (0.01, 0.60), (0.01, 0.62)), "dp-mlp", "0.01", None),
        (((0.02, 0.44), (0.02, 0.50), (0.02, 0.59)), "dp-mlp", "0.02", planning.Doubt.UNDECIDED),
        (((0.02, 0.4), (0.02, 0.4), (0.02, 0.4)), "dp-mlp", "0.02", planning.Doubt.GUESSING),
        (((8.0, 0.7), (8.0, 0.7), (8.0, 0.7)), "progap", "8", planning.Doubt.BLIND),
        ((), "progap", "8", None),
    ],
)
def test_doubts_about_a_budget_stand_below_the_bar(
    opened: Open, store: RunStore, kept: Any, method: str, epsilon: str, kind: planning.Doubt | None
) -> None:
    for seed, (at, accuracy) in enumerate(kept):
        keep(store, spec(method, epsilon=at, seed=seed), accuracy=accuracy)
    if kind is planning.Doubt.BLIND:
        keep(store, spec("mlp", unit="none"), accuracy=0.72)
    app = opened("train", method=method, data="karate", epsilon=epsilon)
    assert len(app.warning) == (kind is not None)
    run = spec(method, epsilon=float(epsilon))
    told = expecting.outlook(expecting.finished(store, (method, "mlp"), "karate"), run)
    found = planning.doubt(run.config().plan(KARATE), told, float(epsilon))
    assert (found[0] if found else None) is kind


def test_one_run_on_few_nodes_raises_no_doubt(opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kept_runs.TEST_NODES, "test_nodes", 12.0)
    keep(store, spec(epsilon=2.0), accuracy=4 / 12)
    app = opened("train", method="progap", data="karate", epsilon="2")
    assert numbers(app)["Expected accuracy"] == "33.3%"
    assert not app.warning


def test_what_the_examples_find_best_is_one_click_away(opened: Open, store: RunStore) -> None:
    app = opened("train", method="gap", data="cora", unit="edge", epsilon="1")
    starts = [one for one in app.button if one.key == "start_here"]
    badges = [one for one in app.markdown if "badge[" in one.value and "start here" in one.value]
    assert len(starts) + len(badges) <= 1
    for one in starts:
        one.click().run()
        assert not app.exception
        assert any("start here" in text.value for text in app.markdown)


def test_what_does_not_fit_is_told_and_not_offered(opened: Open) -> None:
    app = opened("train", method="relational", data="karate", epsilon="8")
    assert len(app.warning) == 1
    assert app.selectbox(key="method").value == "progap"
    assert not [one for one in app.selectbox(key="method").options if one.startswith(METHODS["relational"].title)]
    unit = next(
        group for group in opened("train", method="dp-mlp", data="karate").get("button_group") if group.key == "unit"
    )
    assert unit.value == "node"
    bare = opened("train", method="gnn", data="karate")
    assert not [field for field in bare.text_input if field.key == "epsilon"]
    assert any(":red-badge[no privacy" in one.value for one in bare.markdown)


def test_wrong_addresses_are_told_and_nothing_is_lost(opened: Open) -> None:
    app = opened("train", method="progap", data="karate", epsilon="-3", depth="3", epochs="many", seed="7")
    assert (len(app.warning), len(app.error)) == (1, 1)
    assert app.button(key="go").disabled
    assert (app.text_input(key="epsilon").value, app.number_input(key="depth").value) == ("-3", 3)
    assert app.number_input(key="seed").value == 7
    for query in ({"method": "progab"}, {"data": "karatee"}, {"data": "social", "data__homophily": "7"}):
        assert len(opened("train", **query).warning) == 1
    foreign = opened("train", method="![x](http://evil.example)").warning[0].value
    assert "![x](http:" not in foreign


@pytest.mark.parametrize(
    ("key", "typed"),
    [("epsilon", "lots"), ("learning_rate", "quick"), ("delta", "2"), ("hidden", "99999"), ("data.degree", "-1")],
)
def test_one_wrong_value_is_told_once_where_it_stands(opened: Open, key: str, typed: str) -> None:
    app = opened("train", method="progap", data="social", **{key.replace(".", "__"): typed})
    assert (len(app.warning), len(app.error)) == (0, 1)
    assert app.button(key="go").disabled
    folds = [fold for fold in app.expander if fold.error]
    assert all(fold.proto.expanded for fold in folds), "no wrong value hides in a fold"


@pytest.mark.parametrize(("key", "value"), [("seeds", 99), ("seed", -1), ("depth", 999), ("data.nodes", 7)])
def test_a_number_out_of_bounds_runs_nothing(opened: Open, key: str, value: int) -> None:
    app = opened("train", method="progap", data="social")
    app.number_input(key=key).set_value(value).run()
    assert not app.exception
    assert len(app.error) == 1
    assert app.number_input(key=key).value == value
    assert app.button(key="go").disabled


def test_the_browser_keeps_no_number_from_us(opened: Open) -> None:
    """Beyond bounds that the browser knows, it colours a field red, says nothing and sends nothing."""
    sizes = {"data": "typed sizes", "method": "gap", "unit": "edge"}
    for query in ({"name": "train"}, {"name": "tradeoffs"}, {"name": "accounting", **sizes}):
        for field in opened(**query).number_input:
            assert not (field.proto.has_min or field.proto.has_max) or field.max > 1e15, (query, field.key)


def test_an_epsilon_is_typed_to_the_digit_or_clicked(opened: Open, store: RunStore) -> None:
    app = opened("train", method="progap", data="karate", epsilon="0.35")

    def pills() -> Any:
        return next(group for group in app.get("button_group") if group.key == "epsilon.round")

    assert list(pills().value) == [0.35]
    pills().set_value([4.0]).run()
    assert app.text_input(key="epsilon").value == "4"
    app.text_input(key="epsilon").set_value("five").run()
    assert len(app.error) == 1
    assert list(pills().value) == [], "what is not asked for is not lit"
    app.text_input(key="epsilon").set_value("0.123").run()
    pills().set_value([2.0, 0.123]).run()
    assert app.text_input(key="epsilon").value == "0.123 2"
    pills().set_value([]).run()
    assert app.text_input(key="epsilon").value == "0.123 2", "the last one cannot be taken away"


@pytest.mark.parametrize(
    ("method", "query", "chosen"),
    [
        ("progap", {"unit": "edge"}, {"delta": "auto (0.001)", "epochs": "auto (100)"}),
        ("heter-poisson", {"optimiser": "sgd"}, {"learning_rate": "auto (10)"}),
        ("dp-gpl", {}, {"vote_sigma": "auto ("}),
        ("privgnn", {}, {"lam": "auto ("}),
    ],
)
def test_what_is_left_to_the_method_is_no_zero(
    opened: Open, store: RunStore, method: str, query: dict[str, str], chosen: dict[str, str]
) -> None:
    app = opened("train", method=method, data="karate", **query)
    said = [text.value for text in app.caption]
    for name, text in chosen.items():
        assert not fields(app)[name].value
        assert fields(app)[name].placeholder == "auto"
        assert any(one.startswith(text) for one in said), said
    app.button(key="go").click().run()
    (run,) = store.find(RunQuery())
    assert {run.spec.options[name] for name in chosen} == {0}


@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_fresh_form_begins_with_a_large_budget(method: str) -> None:
    form = {one.name: one for one in beginnings.form(METHODS[method])}
    assert float(form["epsilon"].default) <= beginnings.EPSILON
    essential = set(beginnings.ESSENTIAL.get(method, ()))
    assert essential <= set(form)
    openly = [one for one in form.values() if one.option.group != "Privacy" and not one.option.advanced]
    assert len(openly) <= 8


def test_a_run_fills_the_form_again(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=3.3, depth=4, seed=9))
    app = opened("train", **{name.replace(".", "__"): value for name, value in again.address(store.get(run)).items()})
    assert (app.text_input(key="epsilon").value, app.number_input(key="depth").value) == ("3.3", 4)
    assert app.number_input(key="seed").value == 9
    app.button(key="go").click().run()
    assert store.count() == 1, "equal settings are one run"


def test_dp_gpl_with_weights_is_chosen_by_its_name(opened: Open, store: RunStore) -> None:
    app = opened("train", method="dp-gpl-w", data="social")
    app.button(key="go").click().run()
    (run,) = store.find(RunQuery())
    assert (run.spec.method, run.spec.options["weighting"]) == ("dp-gpl", "private-centrality")
    assert run.spec.data_options.items() >= beginnings.DATA["social"].items()
    app.button(key="change").click().run()
    assert app.selectbox(key="method").value == "dp-gpl-w"


def test_another_method_begins_with_its_own_defaults(opened: Open) -> None:
    app = opened("train", method="progap", data="karate", epsilon="0.7", depth="4")
    app.selectbox(key="method").set_value("gap").run()
    assert not app.exception
    assert app.query_params["method"] in ("gap", ["gap"])
    assert app.text_input(key="epsilon").value == "0.7", "what is common goes along"
    assert all(str(one.value) != "4" for one in app.number_input if one.key == "depth")


def test_accounting_prices_the_graph_and_the_settings_of_the_form(opened: Open) -> None:
    app = opened("train", method="progap", data="social", data__nodes="900", epsilon="0.5", depth="3")
    link = next(one.proto for one in app.get("page_link") if "epsilon=0.5" in one.proto.query_string)
    query = dict(parse_qsl(link.query_string.removeprefix("?")))
    assert query.items() >= {"method": "progap", "data.nodes": "900", "epsilon": "0.5", "depth": "3"}.items()
    there = opened("accounting", **query)
    assert f"{there.number_input(key='scale').value:.3g}" == numbers(app)["Noise"]
