"""The Trade-offs page: the figure beside advice on more than it draws, of two units, and of a graph that is
far from one's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.tradeoff_pages import OF_5000, advice_of, own_sweep

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advised
from privgraph_workbench.parts import cart
from privgraph_workbench.views.tradeoffs import like_own

Open = Callable[..., AppTest]


def _plots(app: AppTest) -> list[dict[str, Any]]:
    held = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    return [one for one in held if one["name"].startswith("tradeoff.")]


def _legend(app: AppTest) -> set[str]:
    return {trace["name"] for one in _plots(app) for trace in one["figure"]["data"] if trace["showlegend"]}


@pytest.fixture
def compared(store: RunStore) -> None:
    for name in ("progap", "gap"):
        for epsilon in (1.0, 4.0):
            keep(store, spec(name, epsilon=epsilon), accuracy=0.7)
    for name, accuracy in (("gnn", 0.9), ("mlp", 0.6)):
        keep(store, make_spec(name, "karate", {"unit": "none"}), accuracy=accuracy)


@pytest.mark.usefixtures("compared")
def test_a_figure_of_some_methods_says_so_beside_advice_on_all_and_keeps_its_levels(opened: Open) -> None:
    app = opened("tradeoffs", data="karate", fold="")
    every = _legend(app)
    assert {"ProGAP", "GAP"} < every
    assert "The advice compares all methods" not in advice_of(app)
    app = opened("tradeoffs", data="karate", curve="progap", fold="")
    assert "**The advice compares all methods; the figure shows 1 of 2.**" in advice_of(app)
    assert _legend(app) == every - {"GAP"}, "the graph network and the MLP stay"
    app.button(key="every_method").click().run()
    assert not app.exception, app.exception
    assert _legend(app) == every
    assert "The advice compares all methods" not in advice_of(app)
    assert not app.query_params.get("curve")


@pytest.mark.usefixtures("compared")
def test_methods_without_runs_here_leave_the_levels_and_say_that_none_is_shown(opened: Open) -> None:
    app = opened("tradeoffs", data="karate", curve="dp-gnn", fold="")
    assert "the figure shows 0 of 2." in advice_of(app)
    assert not app.exception


@pytest.mark.usefixtures("compared")
def test_each_unit_has_a_plot_of_its_own_and_the_files_have_both(opened: Open, store: RunStore) -> None:
    for epsilon in (2.0, 8.0):
        keep(store, spec(unit="node", epsilon=epsilon, batch_size=8), accuracy=0.6)
    app = opened("tradeoffs", data="karate", protects="both", fold="")
    titles = [
        [axis["title"]["text"].partition(" (")[0] for name, axis in one["figure"]["layout"].items() if "xaxis" in name]
        for one in _plots(app)
    ]
    assert titles == [["ε per edge"], ["ε per person"]]
    order = [one.key if one.type == "button" else one.type for one in app.main]
    first, *_, last = (place for place, what in enumerate(order) if what == "bidi_component")
    assert first < order.index("collect.tradeoff.karate") < last, "beside the first figure"
    next(one for one in app.button if str(one.key).startswith("collect.tradeoff")).click().run()
    (kept,) = cart.entries()
    assert {row["unit"] for row in kept.rows} == {"edge", "node", "none"}
    assert len([one for one in app.toggle if one.key == "tradeoff_front"]) == 1, "one switch for both"


def test_of_both_units_words_are_explained_below_the_first_table_and_both_are_compared(
    opened: Open, store: RunStore
) -> None:
    for unit, method in (("edge", "gap"), ("edge", "progap"), ("node", "gap"), ("node", "dp-mlp"), ("node", "progap")):
        for seed in range(3):
            accuracy = 0.9 if method == "gap" else 0.6
            keep(store, spec(method, unit=unit, epsilon=1.0, seed=seed), accuracy=accuracy)
    app = opened("tradeoffs", data="karate", protects="both", fold="")
    small = [one.value for one in app.caption if "Protection: how often" in one.value]
    assert [advised.VERDICTS["clear"] in one for one in small] == [True, False]
    assert [advised.STRENGTHS in one for one in small] == [True, False]
    app.session_state["fold.compare"] = True
    app.run()
    assert not app.exception, app.exception
    assert {"compare_go.edge", "compare_go.node"} <= {str(one.key) for one in app.button}, "without another switch"


@pytest.fixture
def own(opened: Open, store: RunStore) -> AppTest:
    own_sweep(store)
    return opened("tradeoffs", data=OF_5000, own="true", fold="")


def _type(app: AppTest, **values: float) -> str:
    for key, value in values.items():
        app.number_input(key=f"like_{key}").set_value(value).run()
    assert not app.exception, app.exception
    return advice_of(app)


def _headed(app: AppTest) -> bool:
    return any("o hide edges" in one.value and "nearest" not in one.value for one in app.markdown)


def test_before_anything_is_typed_of_ones_own_graph_nothing_is_advised(own: AppTest) -> None:
    assert any(one.value.startswith("Type the nodes and the mean degree of your graph first") for one in own.info)
    assert not _headed(own)
    assert not _plots(own)
    assert not own.expander, "nor compared or swept"
    _type(own, nodes=4000)
    assert _headed(own)
    assert _plots(own)
    own.toggle(key="own").set_value(False).run()
    assert _headed(own)


def test_advice_that_does_not_carry_over_is_folded_and_the_way_to_runs_leads(own: AppTest) -> None:
    said = _type(own, nodes=4000, degree=16.0, homophily=0.85)
    assert _headed(own)
    assert "No run here answers for your graph" not in said
    said = _type(own, nodes=400_000)
    assert not _headed(own)
    (fold,) = (one for one in own.expander if one.label == "Advice for the nearest graph, which is not near")
    assert not fold.proto.expanded
    assert "- Nodes 5,000, yours 400,000 (factor 80.0): **too far**" in said
    assert ": near enough" in said, "each measure has its distance"
    assert said.index("No run here answers for your graph") < said.index("What follows is about")
    assert [one.proto.label for one in own.get("page_link")].count(
        "Bring your graph, then Compare what fits on it"
    ) == 1
    own.session_state["fold.far"] = True
    own.run()
    assert _headed(own)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("homophily", 1.4, "Its homophily: between 0 and 1, and 1.4 is not."),
        ("mlp", 0.5, "MLP accuracy, %: between 1 and 100, and 0.5 is not."),
        ("nodes", 0, "Nodes of your graph: 1 at least, and 0 is not."),
        ("degree", -3.0, "Its mean degree: 0.1 at least, and -3 is not."),
    ],
)
def test_what_cannot_be_drops_the_answer_to_what_was_typed_before(
    own: AppTest, field: str, value: float, told: str
) -> None:
    said = _type(own, nodes=4000, degree=16.0, homophily=0.85)
    assert "The nearest measured graph" in said
    said = _type(own, **{field: value})
    assert [one.value for one in own.error] == [f"{told} Nothing is compared."]
    assert "The nearest measured graph" not in said
    assert "first guess" not in said


def test_every_field_has_bounds() -> None:
    assert set(like_own.BOUNDS) == set(like_own.FIELDS)
