"""The page Accounting: any private method priced from public sizes, from epsilon to noise and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from tests.figures.made_accounts import FACTS
from tests.pages import offered_files

from privgraph.privacy.precision import precision_bound
from privgraph.registry import METHODS
from privgraph_workbench import live_plot
from privgraph_workbench.facts import method_costs
from privgraph_workbench.figures.costs import cost, split
from privgraph_workbench.figures.noise import noise_shapes, precision, revealed_scale, terms
from privgraph_workbench.parts import pricing
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import percent, stated

Open = Callable[..., AppTest]
SIZES = {
    "data": pricing.TYPED,
    "size__nodes": str(FACTS.nodes),
    "size__edges": str(FACTS.edges),
    "size__train_nodes": str(FACTS.train_nodes),
    "size__classes": str(FACTS.classes),
}
Dragged = dict[str, Callable[[str, float], None]]


@pytest.fixture(autouse=True)
def one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short curves, and all of them in the first drawing, however slow the machine is."""
    monkeypatch.setattr(pricing, "BUDGET_SECONDS", 3600.0)
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


def epsilons(app: AppTest) -> tuple[str, str]:
    """The sound and the published epsilon."""
    found = {one.label: one.value for one in app.metric}
    return found[EPSILONS["sound"].label], found[EPSILONS["published"].label]


def of(said: object) -> tuple[str, str]:
    return stated("sound", said.epsilon), stated("published", said.epsilon_as_published)  # type: ignore[attr-defined]


def drawn(app: AppTest) -> list[str]:
    """The figures of the page, by the first part of their keys."""
    return [json.loads(one.proto.json)["name"].split(".")[0] for one in app.get("bidi_component")]


def unfolded(app: AppTest, *parts: str) -> AppTest:
    """The page after somebody has opened these parts of it."""
    for part in parts:
        app.session_state[f"fold.{part}"] = True
    app.run()
    assert not app.exception, app.exception
    return app


def against(app: AppTest, option: str) -> AppTest:
    next(group for group in app.get("button_group") if group.key == "against").set_value(option).run()
    assert not app.exception, app.exception
    return app


def test_it_opens_on_progap_with_a_curve_of_both_epsilons(opened: Open) -> None:
    app = opened("accounting")
    assert (app.selectbox(key="method").value, app.number_input(key="epsilon").value) == ("progap", 1.0)
    assert drawn(app) == ["cost"]
    figure = json.loads(app.get("bidi_component")[0].proto.json)["figure"]
    assert {line["name"] for line in figure["data"] if len(line["x"]) >= 3} == {"sound ε", "ε as published"}
    assert not {"fold.shapes", "fold.terms", "fold.precision"} & {str(one.proto.id) for one in app.expander}


@pytest.mark.parametrize(
    ("name", "unit"),
    [(name, unit) for name in method_costs.private_methods() for unit in method_costs.private_units(name)],
)
def test_every_private_method_is_priced(opened: Open, name: str, unit: str) -> None:
    options = {"batch_size": 200} if name == "heter-poisson" else {}  # its own default is all of so small a graph
    app = opened("accounting", method=name, unit=unit, **{key: str(value) for key, value in options.items()}, **SIZES)
    assert not app.error, app.error
    assert not app.warning, app.warning
    account = method_costs.setting(name, {"unit": unit, **options}, FACTS)
    assert epsilons(app) == of(account.config.plan(FACTS).statement)
    assert len(drawn(app)) == account.reads
    assert len(app.info) == (not account.reads)


def test_an_option_of_the_method_is_drawn_in_place_of_the_noise(opened: Open) -> None:
    app = against(opened("accounting", method="progap", unit="edge", **SIZES), "depth")
    assert drawn(app) == ["cost"]
    assert not opened("accounting", against="depth K").warning, "it is what the choice itself writes there"
    assert len(opened("accounting", against="depth").warning) == 1


def test_what_nobody_asked_for_is_not_computed(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("nobody has asked for this")

    with monkeypatch.context() as patch:
        for name in ("along", "parts"):
            patch.setattr(method_costs, name, refuse)
        for part in (noise_shapes, precision, revealed_scale, terms, split):
            patch.setattr(part, "data", refuse)
        app = opened("accounting", method="heter-poisson", batch_size="200", **SIZES)
    assert drawn(app) == ["cost"]
    app = unfolded(app, "shapes", "terms", "precision", "budget")
    assert {"noise_shapes", "terms", "revealed_scale", "precision"} <= set(drawn(app))


def test_a_second_method_stands_beside_for_the_same_epsilon(opened: Open) -> None:
    app = opened("accounting", method="dp-mlp", unit="node", epsilon="2", **{"with": "dp-gnn"}, **SIZES)
    (table,) = [one.value for one in app.dataframe]
    plans = [method_costs.setting(name, {"unit": "node", "epsilon": 2.0}, FACTS) for name in ("dp-mlp", "dp-gnn")]
    said = [of(one.at(one.noise())) for one in plans]
    assert [tuple(row) for row in table[["sound ε", "ε as published"]].to_numpy()] == said
    assert drawn(app) == ["cost"]
    alike = opened("accounting", method="progap", unit="edge", **{"with": "gap"}, **SIZES)
    assert len(drawn(unfolded(alike, "budget.beside"))) == 3
    alike.button(key="swap").click().run()
    assert not alike.exception, alike.exception
    assert (alike.selectbox(key="method").value, alike.selectbox(key="with").value) == ("gap", "progap")
    other = opened("accounting", method="progap", unit="edge", **{"with": "dp-mlp"}, **SIZES)
    assert any(":orange-badge[two units" in one.value for one in other.markdown)
    assert len(opened("accounting", method="progap", **{"with": "progap"}, **SIZES).warning) == 1


def test_a_wanted_epsilon_gives_noise_and_the_noise_gives_it_back(opened: Open) -> None:
    app = opened("accounting", method="gap", unit="edge", epsilon="2", **SIZES)
    setting = method_costs.setting("gap", {"unit": "edge", "epsilon": 2.0}, FACTS)
    assert app.number_input(key="scale").value == pytest.approx(setting.noise(), rel=1e-5)
    app.number_input(key="scale").set_value(2 * setting.noise()).run()
    assert not app.exception, app.exception
    said = setting.at(float(app.number_input(key="scale").value or 0))
    assert epsilons(app) == of(said)
    assert app.number_input(key="epsilon").value == pytest.approx(float(stated("sound", said.epsilon)))
    assert app.query_params["scale"], "the address holds what was given"
    app.button(key="back").click().run()
    assert not app.exception, app.exception
    assert (app.number_input(key="epsilon").value, "scale" in app.query_params) == (2.0, False)
    app.number_input(key="scale").set_value(2 * setting.noise()).run()
    app.number_input(key="epsilon").set_value(2.0).run()
    assert "scale" not in app.query_params
    assert app.number_input(key="scale").value == pytest.approx(setting.noise(), rel=1e-5)


def test_the_address_alone_gives_the_noise_and_another_method_forgets_it(opened: Open) -> None:
    app = opened("accounting", method="gap", unit="edge", scale="7.5", **SIZES)
    assert epsilons(app) == of(method_costs.setting("gap", {"unit": "edge"}, FACTS).at(7.5))
    app.selectbox(key="method").set_value("pate").run()
    assert not app.exception, app.exception
    assert "scale" not in app.query_params
    assert not app.error, app.error


def test_a_wrong_number_leaves_the_numbers_of_before(opened: Open) -> None:
    app = opened("accounting", method="gap", unit="edge", epsilon="2", **SIZES)
    for wrong in (-1.0, 1e6):
        app.number_input(key="epsilon").set_value(wrong).run()
        assert not app.exception, app.exception
        assert len(app.error) == 1
        assert app.number_input(key="epsilon").value == 2
    app.text_input(key="delta").set_value("5").run()
    assert not app.exception, app.exception
    assert len(app.error) == 1


def test_so_little_noise_promises_nothing(opened: Open) -> None:
    assert epsilons(opened("accounting", method="dp-mlp", scale="0.02", **SIZES)) == (">100,000", ">100,000")
    app = opened("accounting", method="gap", unit="edge", scale="0.001", **SIZES)
    assert epsilons(app)[0] == "∞"
    assert any(":red-badge[no proof" in one.value for one in app.markdown)
    published = opened("accounting", method="privgnn", release="log-posterior", accounting="published", **SIZES)
    assert epsilons(published)[0] == "∞"
    assert any(":red-badge[no proof" in one.value for one in published.markdown)
    assert len(opened("accounting", method="privgnn", release="log-posterior", **SIZES).error) == 1


def test_the_line_on_the_curve_is_the_noise(opened: Open, handles: Dragged, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_border_of_the_budget_moves_the_gate(
    opened: Open, handles: Dragged, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = unfolded(opened("accounting", method="dp-gpl", gate_sigma="40", **SIZES), "budget")
    with monkeypatch.context() as patch:
        held: dict[str, str] = {}
        patch.setattr(st, "query_params", {"scale": "3"})
        patch.setattr(st, "session_state", held)
        handles["split"](split.HANDLE, 0.5)
        assert "scale" not in st.query_params, "the noise of both is planned again"
    app.session_state["gate_sigma"] = held["gate_sigma"]
    app.run()
    assert not app.exception, app.exception
    assert epsilons(app)[0] == "2", "the same epsilon"
    handles.clear()
    fixed = unfolded(opened("accounting", method="progap", unit="node", **SIZES), "budget")
    assert "split" not in handles
    assert drawn(fixed)[1:] == ["split", "entry_costs"]


def test_wrong_inputs_are_told(opened: Open) -> None:
    app = opened("accounting", method="gap", unit="edge", epsilon="-1", scale="no", **{**SIZES, "size__nodes": "many"})
    assert (len(app.warning), len(app.error)) == (3, 0)
    few = opened("accounting", method="gap", unit="edge", **{**SIZES, "size__train_nodes": "5000"})
    assert len(few.error) == 1
    assert len(opened("accounting", method="gnn", data="digitts").warning) == 2
    assert len(opened("accounting", method="edge-rand", scale="0.9999999", **SIZES).error) == 1
    foreign = opened("accounting", method="![x](http://evil.example)").warning[0].value
    assert "![x](http:" not in foreign


def test_the_settings_go_to_the_page_train(opened: Open) -> None:
    app = opened("accounting", data="digits", method="gap", unit="edge", epsilon="3", depth="4")
    link = next(one.proto for one in app.get("page_link") if "method=gap" in one.proto.query_string)
    query = dict(parse_qsl(link.query_string.removeprefix("?")))
    assert query.items() >= {"method": "gap", "data": "digits", "unit": "edge", "epsilon": "3", "depth": "4"}.items()
    train = opened("train", **query)
    assert not train.error, train.error
    assert train.number_input(key="depth").value == 4
    noise = app.number_input(key="scale").value
    assert next(one.value for one in train.metric if one.label == "Noise") == f"{noise:.3g}"


def test_every_figure_can_be_taken_away(opened: Open) -> None:
    app = unfolded(opened("accounting", method="gap", unit="edge", **SIZES), "budget")
    assert offered_files.labels(app).count("SVG") == offered_files.labels(app).count("CSV") == len(drawn(app)) == 3


def test_the_highest_precision_is_that_of_the_theorem(opened: Open) -> None:
    rows = {"method": "gap", "unit": "node", "own_rows": "true"}
    app = opened("accounting", **rows, precision__classes="5", precision__epsilon="1", **SIZES)
    app = unfolded(app, "precision")

    def highest() -> str:
        return next(one.value for one in app.metric if one.label == "Precision at most")

    assert highest() == percent(precision_bound(1.0, 1e-5, 5))
    app.slider(key="precision.share").set_value(0.6).run()
    assert not app.exception, app.exception
    assert highest() == percent(precision_bound(1.0, 1e-5, 5, 0.6))
    app.text_input(key="precision.delta").set_value("much").run()
    assert len(app.error) == 1


def test_only_what_can_be_trained_on_the_graph_is_offered(opened: Open) -> None:
    app = opened("accounting", data="products", method="progap", unit="node", batch_size="256", epsilon="3")
    assert len(app.warning) == 1
    assert {METHODS["relational"].title, METHODS["relation-rand"].title} == set(app.selectbox(key="method").options)
    assert not {"unit", "batch_size"} & set(app.query_params), "of another method"
    assert app.query_params["epsilon"] in ("3", ["3"])


def test_a_slow_page_draws_itself_again_until_all_is_there(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pricing, "BUDGET_SECONDS", 0.0)
    method_costs._at.cache_clear()
    app = opened("accounting", method="pate", **SIZES)
    assert not app.get("progress")
    found = method_costs.setting("pate", {}, FACTS)
    assert method_costs.along_noise(found, found.noise()).complete
