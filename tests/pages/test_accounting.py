"""The Accounting page: any private method priced from public sizes, from epsilon to noise and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from tests.figures.made_accounts import FACTS
from tests.pages import offered_files
from tests.pages.kept_runs import KARATE, keep, spec
from tests.pages.reading import summaries, texts

from privgraph.privacy.precision import precision_bound
from privgraph.registry import METHODS
from privgraph.runs.store import RunStore
from privgraph_workbench import live_plot
from privgraph_workbench.facts import method_costs
from privgraph_workbench.figures.costs import cost, split
from privgraph_workbench.figures.noise import noise_shapes, precision, revealed_scale, terms
from privgraph_workbench.views.accounting import form as accounting_form
from privgraph_workbench.views.accounting import page as view
from privgraph_workbench.words.numbers import number, percent, upper

SIZES = {
    "data": accounting_form.TYPED,
    "size__nodes": str(FACTS.nodes),
    "size__edges": str(FACTS.edges),
    "size__train_nodes": str(FACTS.train_nodes),
    "size__classes": str(FACTS.classes),
}
Dragged = dict[str, Callable[[str, float], None]]


@pytest.fixture(autouse=True)
def one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short curves, and all of them in the first drawing, however slow the machine is."""
    monkeypatch.setattr(view, "BUDGET_SECONDS", 3600.0)
    monkeypatch.setattr(method_costs, "SPREAD", 2.0)


@pytest.fixture
def handles(monkeypatch: pytest.MonkeyPatch) -> Dragged:
    """What each figure of the page calls when one of its lines is let go, by the figure's name."""
    callbacks: Dragged = {}
    show = live_plot.show

    def shown(figure: object, key: str, **rest: object) -> None:
        if rest.get("on_drag"):
            callbacks[key.split(".")[0]] = rest["on_drag"]  # type: ignore[assignment]
        show(figure, key, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(live_plot, "show", shown)
    return callbacks


def _shown(app: AppTest) -> list[str]:
    """The two epsilons, in the order of their boxes."""
    return [text.value.removeprefix("#### ") for text in app.markdown if text.value.startswith("#### ")][:2]


def _unfolded(app: AppTest, *parts: str) -> AppTest:
    """The page after somebody has opened these parts of it."""
    for part in parts:
        app.session_state[f"fold.{part}"] = True
    app.run()
    assert not app.exception, app.exception
    return app


def test_it_opens_on_progap_with_all_of_its_figure(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting")
    assert (app.selectbox(key="method").value, app.number_input(key="epsilon").value) == ("progap", 1.0)
    figure = json.loads(app.get("bidi_component")[0].proto.json)
    assert figure["summary"].startswith("Epsilon against noise")
    lines = {line["name"] for line in figure["figure"]["data"] if len(line["x"]) >= 3}
    assert lines == {"sound ε", "ε as published"}, "at several places, and not at the own noise alone"
    assert len(summaries(app)) == 1, "one chart"
    folds = [fold.label for fold in app.expander]
    assert not any(word in label for word in ("Laplace", "noise?", "embedding") for label in folds), "not of ProGAP"


def test_an_address_keeps_what_epsilon_stands_against(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", against="depth K")
    assert not app.warning, "it is what the choice itself writes there"
    assert [text[:23] for text in summaries(app)] == ["Epsilon against depth K"]
    assert any("against has no value depth" in one.value for one in opened("accounting", against="depth").warning)


@pytest.mark.long
def test_what_nobody_asked_for_is_not_computed(opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("nobody has asked for this")

    with monkeypatch.context() as patch:
        for name in ("along", "parts"):
            patch.setattr(method_costs, name, refuse)
        for part in (noise_shapes, precision, revealed_scale, terms, split):
            patch.setattr(part, "data", refuse)
        app = opened("accounting", method="heter-poisson", batch_size="200", **SIZES)
    assert [text[:21] for text in summaries(app)] == ["Epsilon against noise"]
    app = _unfolded(app, "shapes")
    assert any("spherical Laplace" in text for text in summaries(app))
    next(group for group in app.get("button_group") if group.key == "against").set_value("epochs").run()
    assert not app.exception, app.exception
    assert [text[:22] for text in summaries(app)][:1] == ["Epsilon against epochs"], "one chart in place of the other"
    assert not any(text.startswith("Epsilon against noise") for text in summaries(app))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "unit", "why"),
    [
        ("progap", "edge", "an undirected edge is stored in both directions"),
        ("progap", "node", "Renyi divergences, improved conversion: that comes to more here"),
        ("dp-gpl", "node", "takes a vote from one class and gives it to another"),
        ("privgnn", "node", "No paper has a formula for this release"),
        ("edge-rand", "edge", "The paper's own formula says the same"),
    ],
)
def test_why_there_are_two_numbers_is_one_sentence(
    opened: Callable[..., AppTest], name: str, unit: str, why: str
) -> None:
    app = opened("accounting", method=name, unit=unit, **SIZES)
    (sentence,) = [text.value for text in app.markdown if why in text.value and text.value[0] != "-"]
    assert sentence.count(". ") == 0


@pytest.mark.long
def test_a_second_method_stands_beside_for_the_same_epsilon(opened: Callable[..., AppTest]) -> None:
    asked = {"unit": "node", "epsilon": "2"}
    app = opened("accounting", method="dp-mlp", **{**asked, "with": "dp-gnn"}, **SIZES)
    shown = [text.value.removeprefix("#### ") for text in app.markdown if text.value.startswith("#### ")]
    plans = [method_costs.setting(name, {"unit": "node", "epsilon": 2.0}, FACTS) for name in ("dp-mlp", "dp-gnn")]
    said = [one.at(one.noise()) for one in plans]
    assert shown == [text for one in said for text in (upper(one.epsilon), number(one.epsilon_as_published, 4))]
    (drawn,) = summaries(app)
    assert "of DP-MLP, node" in drawn
    assert "of DP-GNN, node" in drawn
    assert not app.warning
    alike = opened("accounting", method="progap", unit="edge", **{"with": "gap"}, **SIZES)
    assert (view.SAME_WAGER in texts(alike), view.SAME_WAGER in texts(app)) == (True, False), "said once where equal"
    other = opened("accounting", method="progap", unit="edge", **{"with": "dp-mlp"}, **SIZES)
    assert "Equal ε do not protect the same here" in other.warning[0].value
    assert view.APART in texts(other)
    assert view.ALIKE in texts(alike)
    assert [one.label for one in alike.expander if one.label.startswith("Where the budget")] == [
        "Where the budget goes: ProGAP, edge",
        "Where the budget goes: GAP, edge",
    ]
    assert (len(summaries(alike)), len(summaries(_unfolded(alike, "budget.beside")))) == (1, 3)
    alike.button(key="swap").click().run()
    assert not alike.exception, alike.exception
    assert (alike.selectbox(key="method").value, alike.selectbox(key="with").value) == ("gap", "progap")
    wrong = opened("accounting", method="progap", **{"with": "progap"}, **SIZES)
    assert "with has no value progap here" in wrong.warning[0].value


def test_an_epsilon_that_promises_nothing_is_said_without_digits(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", method="dp-mlp", scale="0.02", **SIZES)
    assert _shown(app) == [">100,000", ">100,000"]
    app = opened("accounting", method="gap", unit="edge", scale="0.001", **SIZES)
    assert _shown(app) == ["none proved", ">100,000"]
    assert "No ε is proved for so little noise" in app.warning[0].value


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "unit"),
    [(name, unit) for name in method_costs.private_methods() for unit in method_costs.private_units(name)],
)
def test_every_private_method_is_priced(opened: Callable[..., AppTest], name: str, unit: str) -> None:
    options = {"batch_size": 200} if name == "heter-poisson" else {}  # its own default is all of so small a graph
    app = opened("accounting", method=name, unit=unit, **{key: str(value) for key, value in options.items()}, **SIZES)
    assert not app.error, app.error
    assert not app.warning, app.warning
    said = method_costs.setting(name, {"unit": unit, **options}, FACTS).config.plan(FACTS).statement
    assert _shown(app) == [upper(said.epsilon), number(said.epsilon_as_published, 4).replace("none", "no formula")]
    account = method_costs.setting(name, {"unit": unit, **options}, FACTS)
    curves = [text for text in summaries(app) if text.startswith("Epsilon against")]
    assert len(curves) == account.reads
    if account.price.levers:
        lever = account.price.levers[-1]
        next(group for group in app.get("button_group") if group.key == "against").set_value(lever.option).run()
        assert not app.exception, app.exception
        assert [text.startswith(f"Epsilon against {lever.axis}. ") for text in summaries(app)] == [True]
    if not account.reads:
        assert "nothing to pay" in texts(app)


def test_a_wanted_epsilon_gives_noise_and_the_noise_gives_it_back(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", method="gap", unit="edge", epsilon="2", **SIZES)
    setting = method_costs.setting("gap", {"unit": "edge", "epsilon": 2.0}, FACTS)
    assert app.number_input(key="epsilon").value == 2
    assert app.number_input(key="scale").value == pytest.approx(setting.noise(), rel=1e-5)
    app.number_input(key="scale").set_value(2 * setting.noise()).run()
    assert not app.exception, app.exception
    said = setting.at(float(app.number_input(key="scale").value or 0))
    assert _shown(app)[0] == upper(said.epsilon)
    assert float(_shown(app)[0]) < 1.1
    assert app.number_input(key="epsilon").value == pytest.approx(float(upper(said.epsilon)))
    assert app.query_params["scale"], "the address holds what was given"
    app.number_input(key="epsilon").set_value(2.0).run()
    assert "scale" not in app.query_params
    assert app.number_input(key="scale").value == pytest.approx(setting.noise(), rel=1e-5)


def test_a_wrong_number_leaves_the_numbers_of_before(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", method="gap", unit="edge", epsilon="2", **SIZES)
    for wrong, said in ((-1.0, "must be at least 0.01 (got -1"), (1e6, "must be at most 1000 (got 1000000")):
        app.number_input(key="epsilon").set_value(wrong).run()
        assert not app.exception, app.exception
        (error,) = app.error
        assert said in error.value
        assert app.number_input(key="epsilon").value == 2


def test_the_address_alone_says_the_noise(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", method="gap", unit="edge", scale="7.5", **SIZES)
    said = method_costs.setting("gap", {"unit": "edge"}, FACTS).at(7.5)
    assert _shown(app)[0] == upper(said.epsilon)
    assert "asked for in place of ε" in texts(app)


def test_another_method_forgets_the_noise(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", method="gap", unit="edge", scale="7.5", **SIZES)
    app.selectbox(key="method").set_value("pate").run()
    assert not app.exception, app.exception
    assert "scale" not in app.query_params
    assert not app.error, app.error


def test_the_line_on_the_curve_is_the_noise(
    opened: Callable[..., AppTest], handles: Dragged, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened("accounting", method="gap", unit="edge", **SIZES)
    wanted = 3 * float(app.number_input(key="scale").value or 0)
    with monkeypatch.context() as patch:
        address: dict[str, str] = {}
        patch.setattr(st, "query_params", address)
        handles["cost"](cost.HANDLE, wanted)
        handles["cost"](cost.HANDLE, -1.0)  # a line that was pulled off the axis moves nothing
    app.query_params["scale"] = address["scale"]
    app.run()
    assert not app.exception, app.exception
    assert app.number_input(key="scale").value == pytest.approx(wanted, rel=1e-3)


def test_the_border_of_the_budget_is_the_gate(
    opened: Callable[..., AppTest], handles: Dragged, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened("accounting", method="dp-gpl", gate_sigma="40", **SIZES)
    assert "split" not in handles
    app = _unfolded(app, "budget")
    assert "Drag the border" in texts(app)
    with monkeypatch.context() as patch:
        held: dict[str, str] = {}
        patch.setattr(st, "query_params", {"scale": "3"})
        patch.setattr(st, "session_state", held)
        handles["split"](split.HANDLE, 0.5)
        assert "scale" not in st.query_params, "the noise of both is planned again"
    app.session_state["gate_sigma"] = held["gate_sigma"]
    app.run()
    assert not app.exception, app.exception
    assert "test of the largest count (gaussian), labels 50.0%" in " ".join(summaries(app))
    assert _shown(app)[0] == "2", "the same epsilon"


@pytest.mark.long
def test_without_a_gate_the_border_is_fixed_and_why(opened: Callable[..., AppTest], handles: Dragged) -> None:
    app = _unfolded(opened("accounting", method="progap", unit="node", **SIZES), "budget")
    assert "the method fixes the split" in texts(app)
    assert "split" not in handles
    said = [text for text in summaries(app) if text.startswith("5 mechanisms")]
    assert said, "three trainings and two sums over neighbours"


def test_a_noise_without_a_proof_says_so(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", method="privgnn", release="log-posterior", accounting="published", **SIZES)
    assert _shown(app)[0] == "none proved"
    assert float(_shown(app)[1]) <= 4
    assert "No ε can be proved" in texts(app)
    sound = opened("accounting", method="privgnn", release="log-posterior", **SIZES)
    assert "protects nobody" in "\n".join(error.value for error in sound.error)


def test_wrong_inputs_are_one_sentence_each(opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounting_form, "FIRST", "pate")
    app = opened("accounting", method="gap", unit="edge", epsilon="-1", scale="no", **{**SIZES, "size__nodes": "many"})
    said = "\n".join(text.value for text in app.warning)
    for words in ("epsilon must be at least 0.01", "scale must be a number", "nodes must be a number"):
        assert words in said
    assert not app.error, app.error
    typed = opened("accounting", method="gap", unit="edge", delta="5", **SIZES)
    assert "Delta must be at most 0.1" in "\n".join(error.value for error in typed.error)
    few = opened("accounting", method="gap", unit="edge", **{**SIZES, "size__train_nodes": "5000"})
    assert "Train_nodes must be at most the number of nodes, 2,000" in "\n".join(error.value for error in few.error)
    other = opened("accounting", method="gnn", data="digitts")
    said = "\n".join(text.value for text in other.warning)
    assert "protects nothing" in said
    assert "did you mean digits" in said
    out = opened("accounting", method="edge-rand", scale="0.9999999", **SIZES)
    assert "must be at least 0.01" in "\n".join(error.value for error in out.error)


def test_the_settings_go_to_the_train_page(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", data="digits", method="gap", unit="edge", epsilon="3", depth="4")
    link = next(one.proto for one in app.get("page_link") if "with these settings" in one.proto.label)
    query = dict(parse_qsl(link.query_string.removeprefix("?")))
    assert query.items() >= {"method": "gap", "data": "digits", "unit": "edge", "epsilon": "3", "depth": "4"}.items()
    train = opened("train", **query)
    assert not train.warning, train.warning
    assert train.number_input(key="depth").value == 4


def test_a_wanted_epsilon_out_of_bounds_is_one_sentence(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", method="gap", unit="edge", epsilon="2", **SIZES)
    app.number_input(key="epsilon").set_value(1e6).run()
    assert app.error[0].value.startswith("Epsilon must be at most 1000 (got 1000000.0).")
    assert app.number_input(key="epsilon").value == 2.0
    app.number_input(key="epsilon").set_value(3.0).run()
    assert not app.error


def test_every_figure_can_be_taken_away(opened: Callable[..., AppTest]) -> None:
    app = _unfolded(opened("accounting", method="gap", unit="edge", **SIZES), "budget")
    labels = offered_files.labels(app)
    assert labels.count("SVG") == len(summaries(app)) == 3
    assert labels.count("CSV") == labels.count("SVG")


@pytest.mark.long
def test_the_highest_precision_is_that_of_the_theorem(opened: Callable[..., AppTest]) -> None:
    rows = {"method": "gap", "unit": "node", "own_rows": "true"}
    app = opened("accounting", **rows, precision__classes="5", precision__epsilon="1", **SIZES)
    app = _unfolded(app, "precision")
    assert percent(precision_bound(1.0, 1e-5, 5)) in texts(app)
    app.slider(key="precision.share").set_value(0.6).run()
    assert not app.exception, app.exception
    assert percent(precision_bound(1.0, 1e-5, 5, 0.6)) in texts(app)
    assert "A blind guess is right in 60.0%" in texts(app)
    app.text_input(key="precision.delta").set_value("much").run()
    assert [error.value for error in app.error] == ["Delta must be a number (got much)."]


def _promised(app: AppTest, run: str) -> AppTest:
    """With the tab open that holds a run's promise in full."""
    app.session_state[f"tabs.{run}"] = "Promise"
    app.run()
    assert not app.exception, app.exception
    return app


@pytest.mark.long
def test_a_run_whose_rows_are_covered_shows_what_they_can_tell(opened: Callable[..., AppTest], store: RunStore) -> None:
    covered = keep(store, spec("gap", unit="node", own_rows=True, epsilon=4.0))
    app = _promised(opened("train", run=covered), covered)
    said = next(text for text in summaries(app) if text.startswith("The highest precision"))
    statement = store.get(covered).statement
    assert statement is not None
    bound = precision_bound(statement.epsilon, statement.delta, KARATE.classes)
    assert f"sound ε: ε {upper(statement.epsilon)}, precision at most {percent(bound)}" in said
    bare = keep(store, spec("gap", unit="node", epsilon=4.0))
    other = _promised(opened("train", run=bare), bare)
    assert len(summaries(other)) > 0
    no_relations = not any(text.startswith("The highest precision") for text in summaries(other))
    assert no_relations, "an own row is not covered there"


@pytest.mark.long
def test_terms_of_heterpoisson_say_why_gaussian_noise_was_given_up(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", method="heter-poisson", batch_size="200", terms__order="4", **SIZES)
    assert not app.error, app.error
    app = _unfolded(app, "terms")
    assert "A node that is read by all 1,999 others" in texts(app)
    assert any(text.startswith("At order 4 the term of k = 1,999") for text in summaries(app))
    assert any(text.startswith("Somebody who reads all coordinates") for text in summaries(app))
    published = opened("accounting", method="heter-poisson", noise="spherical-laplace", **SIZES)
    assert _shown(published)[0] == "none proved"
    assert "none has been proved" in texts(_unfolded(published, "terms"))
    assert "no epsilon below" in texts(published), "the gap, with its size at this noise"


def test_a_slow_page_draws_itself_again_until_all_is_there(
    opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "BUDGET_SECONDS", 0.0)
    method_costs._at.cache_clear()
    app = opened("accounting", method="pate", **SIZES)
    assert "More points are being computed" not in texts(app)
    found = method_costs.setting("pate", {}, FACTS)
    assert method_costs.along_noise(found, found.noise()).complete


def test_only_what_can_be_trained_on_the_graph_is_offered(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", data="products", method="progap", unit="node", batch_size="256", epsilon="3")
    assert "ProGAP is for node classification, not for relation prediction" in app.warning[0].value
    assert {METHODS["relational"].title, METHODS["relation-rand"].title} == set(app.selectbox(key="method").options)
    assert len(app.selectbox(key="with").options) == 2
    for key in ("unit", "batch_size"):
        assert key not in app.query_params, "of another method"
    assert app.query_params["epsilon"] in ("3", ["3"])
    plain = opened("accounting", data="karate")
    assert METHODS["relational"].title not in plain.selectbox(key="method").options


def test_a_wrong_option_leaves_epsilon_and_noise_and_open_folds_in_sight(opened: Callable[..., AppTest]) -> None:
    app = _unfolded(opened("accounting", method="gap", unit="edge", epsilon="2", **SIZES), "budget")
    drawn = len(summaries(app))
    app.text_input(key="delta").set_value("5").run()
    assert not app.exception, app.exception
    fields = {one.label: one for one in app.text_input if one.disabled}
    assert {label: one.value for label, one in fields.items()} == {"ε": "2", "Noise": "follows from ε"}
    app.text_input(key="delta").set_value("1e-5").run()
    assert app.number_input(key="epsilon").value == 2.0
    assert len(summaries(app)) == drawn > 1, "the fold stands open as before"


def test_training_with_these_settings_has_this_noise(opened: Callable[..., AppTest]) -> None:
    """The way to Train takes the graph's sizes along."""
    app = opened("accounting")
    said = next(text.value for text in app.caption if "δ = " in text.value)
    noise = said.split("): ")[1].split(". ")[0]
    link = next(one.proto for one in app.get("page_link") if "with these settings" in one.proto.label)
    form = opened("train", **dict(parse_qsl(link.query_string)))
    assert f"{float(noise):.2f}" in {metric.value for metric in form.metric}
    assert f"{dict(parse_qsl(link.query_string))['data.nodes']} nodes" in app.markdown[0].value


def test_what_is_asked_and_what_follows_is_said_and_nothing_is_lost(opened: Callable[..., AppTest]) -> None:
    app = opened("accounting", method="gap", unit="edge", epsilon="2", **SIZES)
    labels = [app.number_input(key=key).label for key in ("epsilon", "scale")]
    assert labels == ["ε, as asked", "Noise, which follows"]
    noise = float(app.number_input(key="scale").value or 0)
    app.number_input(key="scale").set_value(2 * noise).run()
    assert [app.number_input(key=key).label for key in ("epsilon", "scale")] == ["ε, which follows", "Noise, as asked"]
    assert "asked for in place of ε 2" in texts(app)
    app.button(key="back").click().run()
    assert not app.exception, app.exception
    assert (app.number_input(key="epsilon").value, "scale" in app.query_params) == (2.0, False)
    assert app.number_input(key="scale").value == pytest.approx(noise, rel=1e-5)
    tiny = opened("accounting", method="gap", unit="edge", scale="0.001", **SIZES)
    assert tiny.number_input(key="epsilon").label == "ε of before", "the field cannot hold what follows"
