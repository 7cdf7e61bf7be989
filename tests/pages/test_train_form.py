"""The form of the Train page: what may be typed, what is said of it, and what is left to the method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import texts

from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.runs import compare
from privgraph_workbench.forms import again, beginnings
from privgraph_workbench.words import meaning


def test_wrong_addresses_are_named_and_nothing_is_lost(opened: Callable[..., AppTest]) -> None:
    app = opened("train", method="progap", data="karate", epsilon="-3", depth="3", epochs="many", seed="7")
    assert [text.value for text in app.warning] == [
        "In this page's address, epochs must be a number (got many); it is left out."
    ]
    assert [text.value for text in app.error] == ["Epsilon must be at least 0.01 (got -3)."]
    assert app.button(key="go").disabled
    assert "Correct Epsilon in the form first." in {text.value for text in app.info}
    assert app.text_input(key="epsilon").value == "-3"
    assert app.number_input(key="depth").value == 3
    assert app.number_input(key="seed").value == 7
    (left_out,) = (text.value for text in opened("train", data="social", data__homophily="7").warning)
    assert "homophily must be at most 1 (got 7); it is left out" in left_out
    assert any("there is no method progab" in text.value for text in opened("train", method="progab").warning)
    assert any("did you mean karate" in text.value for text in opened("train", data="karatee").warning)


@pytest.mark.parametrize(
    ("key", "typed", "expected"),
    [
        ("epsilon", "lots", "a number"),
        ("learning_rate", "quick", "a number"),
        ("delta", "2", "at most 0.1"),
        ("hidden", "99999", "at most 1024"),
        ("data.degree", "-1", "at least"),
        ("data.nodes", "100", "at most nodes over twice the classes"),
    ],
)
def test_one_wrong_value_is_said_once_where_it_stands(
    opened: Callable[..., AppTest], key: str, typed: str, expected: str
) -> None:
    query = {"data__degree": "80"} if key == "data.nodes" else {}
    app = opened("train", method="progap", data="social", **{key.replace(".", "__"): typed}, **query)
    assert not app.warning, "the field has kept the value"
    (said,) = app.error
    assert expected in said.value
    (why,) = (text.value for text in app.info if "first" in text.value)
    assert "must" not in why, "it points, and does not repeat"
    assert app.button(key="go").disabled
    folds = [fold for fold in app.expander if any(error.value == said.value for error in fold.error)]
    assert all(fold.proto.expanded for fold in folds), "no wrong value hides in a fold"


def test_methods_are_grouped_by_what_they_hide(opened: Callable[..., AppTest]) -> None:
    app = opened("train", data="karate")
    cards, found = app.radio(key="method"), app.selectbox(key="find.method").options
    fitting = [one for one in METHODS.values() if "node classification" in one.tasks]
    assert len(found) == len(fitting) + 1, "DP-GPL stands there with weights, too"
    hidden = [option.rpartition(" · ")[2] for option in found]
    assert hidden[0] == "hides connections or people"
    assert hidden.index("hides nothing") == len(hidden) - hidden.count("hides nothing"), "last"
    assert [option.partition(" :")[0] for option in cards.options] == [
        METHODS[name].title for name in ("progap", "privgnn", "gnn")
    ]
    assert ["start here" in option for option in cards.options] == [True, False, False], "one place to start"
    assert all(any(option.startswith(method.title) for option in found) for method in fitting)


def test_what_is_found_by_search_stands_among_the_cards_and_stays_there(opened: Callable[..., AppTest]) -> None:
    app = opened("train", data="karate")
    app.selectbox(key="find.method").set_value("pate").run()
    assert not app.exception
    cards = app.radio(key="method")
    assert (cards.value, len(cards.options)) == ("pate", 4)
    assert app.query_params["method"] in ("pate", ["pate"])
    assert app.selectbox(key="find.method").value is None, "ready for another search"
    app.radio(key="method").set_value("gnn").run()
    assert len(app.radio(key="method").options) == 4, "no card goes away under the hand"
    app.selectbox(key="find.data").set_value("products").run()
    assert not app.exception
    assert app.radio(key="data").value == "products"


def test_what_is_chosen_is_said_beside_run(opened: Callable[..., AppTest]) -> None:
    app = opened("train", data="karate", method="gap", unit="edge", epsilon="0.5 4", seeds="3")
    said = "**GAP** on **Karate club** · hides connections · ε 0.5, 4 · 3 seeds"
    assert said in {text.value for text in app.markdown}
    bare = opened("train", data="karate", method="gnn", unit="none")
    said = f"**{METHODS['gnn'].title}** on **Karate club** · hides nothing · 1 seed"
    assert said in {text.value for text in bare.markdown}


@pytest.mark.parametrize(("query", "nodes"), [({}, "600"), ({"data__nodes": "2000"}, "2,000")])
def test_the_size_of_an_invented_network_is_said_as_it_is_set(
    opened: Callable[..., AppTest], query: dict[str, str], nodes: str
) -> None:
    app = opened("train", method="progap", data="social", **query)
    assert any(f"on **Made-up social network**, {nodes} nodes · " in text.value for text in app.markdown)
    (card,) = (one for one in app.radio(key="data").proto.captions if "16,000 edges" in one or "4,800 edges" in one)
    assert card.startswith(f"{nodes} nodes")


def test_accounting_prices_the_graph_and_the_settings_of_the_form(opened: Callable[..., AppTest]) -> None:
    app = opened("train", method="progap", data="social", data__nodes="900", epsilon="0.5", depth="3")
    link = next(one.proto for one in app.get("page_link") if "other noise" in one.proto.label)
    query = dict(parse_qsl(link.query_string))
    assert query.items() >= {"method": "progap", "data.nodes": "900", "epsilon": "0.5", "depth": "3"}.items()
    there = opened("accounting", **query)
    assert not there.warning, there.warning
    assert "900 nodes" in there.markdown[0].value
    assert (there.number_input(key="epsilon").value, there.number_input(key="depth").value) == (0.5, 3)
    noise = next(metric.value for metric in app.metric if metric.label == "Noise")
    assert f"{there.number_input(key='scale').value:.3g}" == noise


@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_fresh_form_begins_with_next_to_no_protection(method: str) -> None:
    form = {one.name: one for one in beginnings.form(METHODS[method])}
    assert meaning.strength(float(form["epsilon"].default)) in ("strong", "moderate")
    essential = set(beginnings.ESSENTIAL.get(method, ()))
    assert essential <= set(form)
    for name in essential:
        where = form[name].option.where
        assert where is None or where[0] in essential or form[where[0]].option.group == "Privacy", name
    openly = [one for one in form.values() if one.option.group != "Privacy" and not one.option.advanced]
    assert len(openly) <= 8


def test_a_form_says_where_it_begins_and_an_address_has_the_last_word(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    app = opened("train", method="dp-mlp", data="karate")
    assert app.text_input(key="epsilon").value == "2"
    assert "The method's own default is 8" in texts(app)
    app.button(key="go").click().run()
    assert [run.spec.options["epsilon"] for run in store.find(RunQuery())] == [2.0]
    assert opened("train", method="dp-mlp", data="karate", epsilon="8").text_input(key="epsilon").value == "8"


def test_a_budget_that_is_not_used_up_is_explained_once(opened: Callable[..., AppTest]) -> None:
    said = texts(opened("train", method="dp-mlp", data="karate", epsilon="1"))
    assert said.count("The noise is chosen so that ε is at most 1; it comes to 0.99") == 1


def test_epochs_are_not_called_steps(opened: Callable[..., AppTest]) -> None:
    app = opened("train", method="dp-mlp", data="karate", epochs="5", batch_size="20")
    (work,) = (text.value for text in app.caption if text.value.startswith("Work: "))
    times = int(next(table.value for table in app.dataframe if "times" in table.value)["times"].iloc[0])
    assert times != 5
    assert work.startswith(
        f"Work: 5 epochs, in which private data are read {times} times: that is what the ledger counts"
    )


@pytest.mark.long
@pytest.mark.parametrize("typed", ["0.35", "1.7", "3.70", "1e-2"])
def test_an_epsilon_is_typed_to_the_digit(opened: Callable[..., AppTest], store: RunStore, typed: str) -> None:
    app = opened("train", method="mlp", unit="edge", data="karate")
    app.text_input(key="epsilon").set_value(typed).run()
    assert not app.error
    assert float(typed) in _round(app), "it stands among the round ones"
    assert opened("train", data="karate", epsilon=typed).text_input(key="epsilon").value == typed
    app.button(key="go").click().run()
    assert [run.spec.options["epsilon"] for run in store.find(RunQuery())] == [float(typed)]


def test_a_slider_offers_round_epsilons_and_the_address_follows(opened: Callable[..., AppTest]) -> None:
    app = opened("train", method="progap", data="karate", epsilon="0.35")
    _pills(app).set_value([4.0]).run()
    assert app.text_input(key="epsilon").value == "4"
    assert app.query_params["epsilon"] in ("4", ["4"])
    app.text_input(key="epsilon").set_value("five").run()
    assert [text.value for text in app.error] == ["Epsilon must be a number (got five)."]
    assert _round(app) == [], "what is not asked for is not lit"
    app.text_input(key="epsilon").set_value("0,35").run()
    assert [text.value for text in app.error] == [
        "Epsilon must be written with a decimal point, not with a comma (got 0,35)."
    ]
    app.text_input(key="epsilon").set_value("0.123").run()
    assert not app.error
    assert _round(app) == [0.123]
    _pills(app).set_value([2.0, 0.123]).run()
    assert app.text_input(key="epsilon").value == "0.123 2"
    _pills(app).set_value([]).run()
    assert app.text_input(key="epsilon").value == "0.123 2", "the last one cannot be taken away"


def _pills(app: AppTest) -> Any:
    return next(group for group in app.get("button_group") if group.key == "epsilon.round")


def _round(app: AppTest) -> list[float]:
    return list(_pills(app).value)


@pytest.mark.parametrize(
    ("method", "query", "chosen"),
    [
        ("progap", {"unit": "edge"}, {"delta": "auto (0.001)", "epochs": "auto (100)"}),
        ("progap", {"unit": "node"}, {"epochs": "auto (10)"}),
        ("heter-poisson", {"optimiser": "sgd"}, {"learning_rate": "auto (10)"}),
        ("dp-gpl", {}, {"vote_sigma": "auto ("}),
        ("pate", {}, {"lam": "auto ("}),
        ("privgnn", {}, {"lam": "auto ("}),
    ],
)
def test_what_is_left_to_the_method_is_no_zero(
    opened: Callable[..., AppTest], store: RunStore, method: str, query: dict[str, str], chosen: dict[str, str]
) -> None:
    app = opened("train", method=method, data="karate", **query)
    fields: dict[str, Any] = {str(one.key): one for one in [*app.text_input, *app.number_input]}
    said = [text.value for text in app.caption]
    for name, text in chosen.items():
        assert not fields[name].value
        assert fields[name].placeholder == "auto"
        assert any(one.startswith(text) for one in said), said
    assert not [name for name, one in fields.items() if one.value == "0" and one.placeholder]
    app.button(key="go").click().run()
    (run,) = store.find(RunQuery())
    assert {run.spec.options[name] for name in chosen} == {0}
    by_link = opened("train", method=method, data="karate", **query, **dict.fromkeys(chosen, "0"))
    assert not by_link.error
    assert all(any(one.value.startswith(text) for one in by_link.caption) for text in chosen.values())


def test_wrong_text_stays_with_one_sentence_and_nothing_runs(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("train", method="progap", data="karate", depth="3")
    app.text_input(key="learning_rate").set_value("quick").run()
    assert app.error[0].value == "Learning_rate must be a number (got quick)."
    assert app.text_input(key="learning_rate").value == "quick"
    assert app.number_input(key="depth").value == 3
    assert app.button(key="go").disabled
    app.text_input(key="learning_rate").set_value("0.02").run()
    assert not app.error
    app.button(key="go").click().run()
    assert [run.spec.options["learning_rate"] for run in store.find(RunQuery())] == [0.02]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("seeds", 99, "Seeds must be at most 20 (got 99)"),
        ("seed", -1, "Seed must be at least 0 (got -1)"),
        ("depth", 999, "Depth must be at most"),
        ("data.nodes", 7, "Nodes must be at least"),
    ],
)
def test_a_number_out_of_bounds_is_one_sentence_and_nothing_runs(
    opened: Callable[..., AppTest], key: str, value: int, said: str
) -> None:
    app = opened("train", method="progap", data="social")
    app.number_input(key=key).set_value(value).run()
    assert not app.exception
    assert said in app.error[0].value
    assert app.number_input(key=key).value == value
    assert app.button(key="go").disabled
    assert not opened("train", method="progap", data="social", **{key.replace(".", "__"): str(value)}).warning


def test_the_browser_keeps_no_number_from_us(opened: Callable[..., AppTest]) -> None:
    """Beyond bounds that the browser knows, it colours a field red, says nothing and sends nothing."""
    sizes = {"data": "typed sizes", "method": "gap", "unit": "edge"}
    for query in ({"name": "train"}, {"name": "tradeoffs"}, {"name": "accounting", **sizes}):
        for field in opened(**query).number_input:
            assert not (field.proto.has_min or field.proto.has_max) or field.max > 1e15, (query, field.key)


def test_units_that_a_method_refuses_are_not_offered(opened: Callable[..., AppTest]) -> None:
    app = opened("train", method="dp-mlp", data="karate")
    unit = next(group for group in app.get("button_group") if group.key == "unit")
    assert unit.value == "node"
    open_ = opened("train", method="gnn", data="karate")
    assert "Protects nothing" in texts(open_)
    assert not [field for field in open_.text_input if field.key == "epsilon"]


def test_a_run_shows_what_was_left_to_its_method(opened: Callable[..., AppTest], store: RunStore) -> None:
    asked = spec(epsilon=2.0)
    run = keep(store, asked)
    assert asked.options["delta"] == asked.options["epochs"] == 0, (
        "the spec, and with it the run's name, says it as ever"
    )
    app = opened("train", run=run)
    app.session_state[f"tabs.{run}"] = "Settings"
    shown = {row["Option"]: row["Value"] for one in app.run().table for row in one.value.to_dict("records")}
    assert shown.items() >= {"Delta": "auto (0.001)", "Epochs": "auto (100)"}.items()
    record = store.get(run)
    assert again.address(record).keys().isdisjoint({"delta", "epochs"})
    other = store.get(keep(store, spec(epsilon=2.0, epochs=7)))
    assert [row["option epochs"] for row in compare.data([record, other])] == ["auto (100)", 7]


def test_a_run_fills_the_form_again(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec(epsilon=3.3, depth=4, seed=9))
    app = opened("train", run=run)
    app.button(key="change").click().run()
    assert not app.exception
    assert app.text_input(key="epsilon").value == "3.3"
    assert app.number_input(key="depth").value == 4
    assert app.number_input(key="seed").value == 9
    assert app.radio(key="data").value == "karate"


@pytest.mark.long
def test_options_that_the_chosen_release_does_not_read_are_not_asked_for(opened: Callable[..., AppTest]) -> None:
    def asked(release: str) -> set[str]:
        app = opened("train", method="privgnn", data="social", release=release)
        assert not app.exception
        drawn = [*app.text_input, *app.number_input, *app.select_slider, *app.selectbox]
        return {str(widget.key) for widget in drawn} & {"rate", "teachers", "neighbours", "gate", "epochs"}

    assert asked("table") == {"epochs"}
    assert asked("votes") == {"rate", "gate", "epochs"}
    assert asked("ensemble") == {"rate", "teachers", "neighbours", "gate", "epochs"}
    assert asked("posterior") == {"rate", "neighbours", "epochs"}


@pytest.mark.parametrize(
    ("method", "query", "part", "no_part"),
    [
        ("dp-gpl", {}, {"teachers", "vote_sigma"}, {"w_min", "w_max", "ranks", "scores", "report_epsilon"}),
        ("dp-gpl", {"weighting": "centrality"}, {"w_min", "w_max", "scores"}, {"ranks"}),
        ("dp-gpl", {"weighting": "private-centrality"}, {"w_min", "w_max", "ranks"}, {"scores"}),
        ("dp-gpl", {"report": "sanitised"}, {"report_epsilon"}, set()),
        ("dp-gpl", {"preset": "gt-cora"}, set(), {"teachers", "shots", "vote_sigma", "gate_sigma", "threshold"}),
        ("heter-poisson", {}, {"batch_size", "epochs", "hidden"}, set()),
        ("heter-poisson", {"preset": "as-published"}, {"neighbours"}, {"batch_size", "epochs", "hidden", "clip"}),
    ],
)
def test_options_that_have_no_part_in_a_setting_are_not_asked_for(
    opened: Callable[..., AppTest], method: str, query: dict[str, str], part: set[str], no_part: set[str]
) -> None:
    app = opened("train", method=method, data="karate", **query)
    drawn = [*app.text_input, *app.number_input, *app.select_slider, *app.slider, *app.get("button_group")]
    keys = {str(widget.key) for widget in drawn}
    assert part <= keys
    assert not no_part & keys
