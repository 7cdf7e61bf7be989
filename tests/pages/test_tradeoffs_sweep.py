"""The Trade-offs page: the form of a sweep, what it sends, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest
from tests import full_gallery
from tests.figures import made_runs
from tests.pages.kept_runs import KARATE, keep, spec
from tests.pages.tradeoff_pages import (
    advice_of,
    choose_unit,
    said_of_the_sweep,
    unfolding,
)

from privgraph.privacy.ledger import Ledger
from privgraph.privacy.statements import tuning_price
from privgraph.registry import METHODS
from privgraph.runs import gallery
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.start.page import demo_spec
from privgraph_workbench.words.numbers import upper


@pytest.fixture
def opened(opened: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Opens a page; of this one, after somebody has opened the form of the sweep."""
    return unfolding(opened)


def _progap(app: AppTest) -> AppTest:
    """The form as it begins on a graph without runs."""
    app.multiselect(key="sweep_methods").set_value(["progap"]).run()
    return app.text_input(key="sweep_epsilons").set_value("0.5, 1, 2, 4").run()


def test_runs_that_are_there_already_are_counted_and_take_no_time(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    app = opened("tradeoffs", data="karate")
    before = next(text.value for text in app.markdown if "What it takes" in text.value)
    assert "already" not in before
    app.button(key="sweep_go").click().run()
    ids = app.session_state["sweep"]
    assert len(ids) == 21
    for run in ids[:4]:
        keep(store, store.get(run).spec)
    again = _progap(opened("tradeoffs", data="karate"))
    (told,) = (text.value for text in again.markdown if "What it takes" in text.value)
    assert "21 runs (4 of them are there already), about" in told
    assert again.button(key="sweep_go").proto.type == "primary"
    for run in ids[4:]:
        keep(store, store.get(run).spec)
    full = _progap(opened("tradeoffs", data="karate"))
    assert full.button(key="sweep_go").proto.type == "secondary", "there is nothing left to train"
    assert (full.button(key="sweep_go").label, full.button(key="sweep_go").disabled) == ("All 21 runs are there", True)


@pytest.mark.long
def test_runs_of_the_gallery_are_trained_again_and_that_is_said(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    full_gallery.fill(store)
    app = _progap(opened("tradeoffs", data="social", fold="sweep"))
    (told,) = (text.value for text in app.markdown if "What it takes" in text.value)
    assert "already" not in told
    assert "21 runs, about" in told, "none of them is saved"
    (said,) = (text.value for text in app.caption if "in the figure already, from the gallery" in text.value)
    assert "Each stays there until your own, trained with secret noise, is done and replaces it." in said
    before = app.selectbox(key="point").options
    app.button(key="sweep_go").click().run()
    assert not app.exception, app.exception
    assert set(before) <= set(app.selectbox(key="point").options), "no point leaves the figure"


def test_the_price_of_the_whole_sweep_is_shown(opened: Callable[..., AppTest]) -> None:
    app = opened("tradeoffs", data="karate")
    plans = [spec(epsilon=epsilon).config().plan(KARATE) for epsilon in (0.5, 1.0, 2.0, 4.0)]
    ledger = Ledger([entry for plan in plans for entry in plan.statement.ledger])
    price = tuning_price(ledger.event(), plans[0].statement.delta, 3)
    assert price > 4
    assert any(
        f"of this sweep, or picks the best of them, has been shown ε = {upper(price)}" in one.value
        for one in app.warning
    )


def test_a_sweep_is_one_batch(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("tradeoffs", data="karate")
    app.text_input(key="sweep_epsilons").set_value("1 8").run()
    app.number_input(key="sweep_seeds").set_value(2).run()
    app.button(key="sweep_go").click().run()
    assert not app.exception, app.exception
    runs = store.find(RunQuery())
    asked = sorted((run.spec.options["unit"], run.spec.options["epsilon"], run.spec.seed) for run in runs)
    assert asked == [
        ("edge", 1.0, 0),
        ("edge", 1.0, 1),
        ("edge", 8.0, 0),
        ("edge", 8.0, 1),
        *[("none", 1.0, 0)] * 3,
        *[("none", 1.0, 1)] * 3,
    ]
    queued = [run.spec.method for run in reversed(runs)]
    assert queued == ["mlp"] * 2 + ["gnn"] * 2 + ["progap"] * 6, "what all are judged by is trained first"
    assert len({run.batch for run in runs}) == 1
    assert all(run.tags == ("sweep",) for run in runs)
    under_way, nothing = (info.value for info in app.info)
    assert under_way == "10 runs are under way; the figure grows as they end."
    assert "No finished run" in nothing
    assert said_of_the_sweep(app) == "**Sent from here:** 0 of 10 runs finished; the figure below grows as they end."
    order = [one.type for one in app.main]
    assert order.index("progress") < order.index("expander"), "in sight, whatever is long below"
    assert app.button(key="sweep_go").disabled, "the same sweep is under way"
    app.number_input(key="sweep_seeds").set_value(3).run()
    assert not app.button(key="sweep_go").disabled, "this one is another"
    app.button(key="sweep_stop").click().run()
    assert not app.exception, app.exception
    assert all(run.state in ("stopping", "stopped") for run in store.find(RunQuery()))


def test_an_engine_is_asked_for_where_there_is_another(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert "Train on" not in [box.label for box in opened("tradeoffs", data="karate").selectbox]
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(queue, "send", lambda _store, engine, asked: sent.append((engine, asked.workers)))
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:6379")
    app = opened("tradeoffs", data="karate")
    app.selectbox(key="sweep_engine").set_value("ray").run()
    app.button(key="sweep_go").click().run()
    assert not app.exception, app.exception
    assert sent == [("ray", 3)], "one worker for each ten of the 21 runs"
    assert len(store.given_to("ray")) == store.count(RunQuery(states=("queued",))) == 21


def test_a_sweep_that_is_over_says_so_and_leads_to_the_figure(opened: Callable[..., AppTest], store: RunStore) -> None:
    ids = tuple(keep(store, spec(epsilon=epsilon)) for epsilon in (0.5, 1.0))
    app = opened("tradeoffs", data="karate")
    assert not app.success
    app.session_state["sweep"] = ids
    app.run()
    (said,) = app.success
    assert said.value == "**Sent from here:** 2 of 2 runs finished, and stand in the figure below."
    (link,) = (one for one in app.get("page_link") if "These runs" in one.proto.label)
    assert ",".join(ids) in link.proto.query_string.replace("%2C", ",")
    app.session_state["fold.numbers"] = True
    app.run()
    plans = [spec(epsilon=epsilon).config().plan(KARATE).statement for epsilon in (0.5, 1.0)]
    both = Ledger([entry for plan in plans for entry in plan.ledger])
    price = upper(tuning_price(both.event(), plans[0].delta, 1))
    assert any(f"2 private runs have shown ε = {price} at δ" in text.value for text in app.caption)


def test_a_sweep_on_another_graph_stands_in_no_figure_here(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("tradeoffs", data="social", fold="")
    app.session_state["sweep"] = (keep(store, spec(epsilon=1.0)),)
    app.run()
    (said,) = app.success
    assert said.value == "**Sent from here, on Karate club:** 1 of 1 runs finished."


def test_how_far_a_sweep_is_stands_on_top_of_the_page(opened: Callable[..., AppTest]) -> None:
    app = opened("tradeoffs", data="karate")
    app.button(key="sweep_go").click().run()
    drawn = [one.key if one.type == "button" else one.type for one in app.main]
    assert drawn.index("sweep_stop") < drawn.index("progress") < drawn.index("expander") < drawn.index("sweep_go")


def test_methods_are_chosen_by_their_titles(opened: Callable[..., AppTest]) -> None:
    app = opened("tradeoffs", data="karate", curve="progap")
    titles = app.multiselect(key="curve").options
    assert "ProGAP" in titles
    assert "progap" not in titles
    assert app.query_params["curve"] in ("progap", ["progap"])


@pytest.mark.parametrize(("before", "after"), [("edge", "node"), ("both", "both")])
def test_the_filter_follows_a_sweep(opened: Callable[..., AppTest], store: RunStore, before: str, after: str) -> None:
    """A sweep for another unit, by another method than those that are shown, is seen from its first run
    on."""
    app = opened("tradeoffs", data="karate", protects=before, curve="mlp")
    choose_unit(app, "node")
    app.multiselect(key="sweep_methods").set_value(["gap"]).run()
    app.button(key="sweep_go").click().run()
    assert not app.exception, app.exception
    assert store.count() == 21
    assert app.query_params["protects"] == after
    assert app.multiselect(key="curve").value == ["mlp", "gnn", "gap"]
    assert "0 of 21 runs finished" in said_of_the_sweep(app)


def test_a_number_of_seeds_out_of_bounds_is_one_sentence(opened: Callable[..., AppTest]) -> None:
    app = opened("tradeoffs", data="karate")
    app.number_input(key="sweep_seeds").set_value(99).run()
    assert [text.value for text in app.error] == ["Seeds must be at most 10 (got 99)."]
    assert app.button(key="sweep_go").disabled


def test_a_sweep_takes_any_epsilon_that_is_typed(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("tradeoffs", data="karate")
    app.toggle(key="sweep_bare").set_value(False).run()
    app.text_input(key="sweep_epsilons").set_value("4, 0.2;1.7 4.0").run()
    assert not app.error
    app.number_input(key="sweep_seeds").set_value(1).run()
    app.button(key="sweep_go").click().run()
    assert sorted(run.spec.options["epsilon"] for run in store.find(RunQuery())) == [0.2, 1.7, 4.0]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("little", "Epsilon must be a number (got little)."),
        ("-1", "Epsilon must be at least 0.01 (got -1)."),
        ("x, -2", "Epsilon must be a number (got x). Epsilon must be at least 0.01 (got -2)."),
    ],
)
def test_a_wrong_epsilon_of_a_sweep_is_one_sentence(opened: Callable[..., AppTest], typed: str, said: str) -> None:
    app = opened("tradeoffs", data="karate")
    app.text_input(key="sweep_epsilons").set_value(f"4, {typed}").run()
    assert [text.value for text in app.error] == [said]
    assert app.button(key="sweep_go").disabled
    assert app.text_input(key="sweep_epsilons").value == f"4, {typed}"


def test_a_decimal_comma_is_pointed_to(opened: Callable[..., AppTest]) -> None:
    app = opened("tradeoffs", data="karate")
    assert not any("Read as" in text.value for text in app.caption)
    app.text_input(key="sweep_epsilons").set_value("1,5").run()
    assert any(text.value == "Read as ε = 1, 5. A decimal has a point, as in 0.35." for text in app.caption)
    app.text_input(key="sweep_epsilons").set_value(" ").run()
    assert any(text.value == "Give at least one ε." for text in app.info)
    assert app.button(key="sweep_go").disabled


@pytest.mark.parametrize(
    ("method", "unit", "stand_in"),
    [
        ("progap", "edge", "progap"),
        ("dp-mlp", "node", "mlp"),
        ("edge-rand", "edge", "gnn"),
        ("dp-gpl", "node", "prompt"),
    ],
)
def test_the_switch_for_comparison_does_something_for_every_method(
    opened: Callable[..., AppTest], store: RunStore, method: str, unit: str, stand_in: str
) -> None:
    app = opened("tradeoffs", data="karate", protects=unit)
    app.multiselect(key="sweep_methods").set_value([method]).run()
    assert METHODS[stand_in].title in app.toggle(key="sweep_bare").help
    app.button(key="sweep_go").click().run()
    assert not app.exception, app.exception
    bare = [run.spec for run in store.find(RunQuery()) if run.spec.unit == "none"]
    counted = set() if METHODS[method].own_parts else {"gnn"}  # from it costs are counted, on the same test nodes
    assert {one.method for one in bare} == {stand_in, "mlp", *counted}
    asked = [one["run"]["spec"] for one in gallery.content()["social"]]
    came = {one["options"]["conv"] for one in asked if one["method"] == "gnn"}
    kinds = {str(one.options["conv"]) for one in bare if one.method == "gnn"}
    assert not kinds or kinds == came, "one level with the network of the gallery, and no second one"
    assert sorted({one.seed for one in bare}) == [0, 1, 2]


def test_the_form_stands_there_again_after_another_page(opened: Callable[..., AppTest]) -> None:
    app = opened("tradeoffs", data="karate", protects="node")
    app.multiselect(key="sweep_methods").set_value(["dp-mlp", "gap"]).run()
    app.text_input(key="sweep_epsilons").set_value("0.3 1.7").run()
    app.number_input(key="sweep_seeds").set_value(2).run()
    app.toggle(key="sweep_bare").set_value(False).run()
    app.switch_page(str(shell.folder() / "runs.py")).run()
    app.switch_page(str(shell.folder() / "tradeoffs.py"))
    app.query_params["data"] = "karate"
    app.run()
    assert not app.exception, app.exception
    assert app.multiselect(key="sweep_methods").value == ["dp-mlp", "gap"]
    assert app.text_input(key="sweep_epsilons").value == "0.3 1.7"
    assert app.number_input(key="sweep_seeds").value == 2
    assert app.toggle(key="sweep_bare").value is False
    assert app.button(key="sweep_go").label == "Run the sweep (8 runs)"


def test_a_sweep_begins_with_the_unit_of_the_figure(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("tradeoffs", data="karate", protects="node")
    app.button(key="sweep_go").click().run()
    assert {run.spec.unit for run in store.find(RunQuery())} == {"node", "none"}
    assert app.query_params["protects"] in ("node", ["node"]), "the filter need not move"


def test_a_sweep_says_what_it_trains_on_and_begins_like_the_train_page(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    app = opened("tradeoffs", data="social")
    assert any("Trains on **Made-up social network**: 600 nodes, 4,800 edges" in text.value for text in app.caption)
    train = opened("train", data="social")
    assert app.number_input(key="data.nodes").value == train.number_input(key="data.nodes").value
    app.number_input(key="data.nodes").set_value(800).run()
    assert any("800 nodes" in text.value for text in app.caption)
    app.button(key="sweep_go").click().run()
    assert {run.spec.data_options["nodes"] for run in store.find(RunQuery())} == {800}


@pytest.mark.long
def test_a_sweep_begins_with_the_graph_that_the_figure_shows(opened: Callable[..., AppTest], store: RunStore) -> None:
    demo = demo_spec()
    made_runs.finish(store, demo, 0.7, made_runs.statement(made_runs.edge_entries(9)))
    app = opened("tradeoffs", data="social")
    said = "This is the graph of the figure above: Made-up social network (nodes 600, classes 3"
    assert any(said in text.value for text in app.caption)
    assert any("Trains on **Made-up social network**: 600 nodes, 4,800 edges" in text.value for text in app.caption)
    app.number_input(key="data.nodes").set_value(900).run()
    assert any("900 nodes" in text.value for text in app.caption), "the hand that changes it has the last word"
    assert not any(said in text.value for text in app.caption)
    app.number_input(key="data.nodes").set_value(600).run()
    app.button(key="sweep_go").click().run()
    assert {GraphId.of(run.spec) for run in store.find(RunQuery())} == {GraphId.of(demo)}, "one panel"
    asked = opened("tradeoffs", data="social", data__nodes="700")
    assert asked.number_input(key="data.nodes").value == 700, "the address has the last word, too"


def test_a_sweep_too_large_for_the_machine_is_refused_as_on_the_train_page(
    opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privgraph.runs.memory.psutil.virtual_memory", lambda: SimpleNamespace(total=2**20))
    app = opened("tradeoffs", data="karate")
    (said,) = (text.value for text in app.error)
    assert app.button(key="sweep_go").disabled
    assert said in {text.value for text in opened("train", data="karate").error}
    assert "this machine has 1 MB" in said


@pytest.mark.long
def test_seeds_that_would_tell_methods_apart_are_trained_by_a_button(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    """Those that are there already are not trained again; the network behind costs gets as many."""
    for seed, off in enumerate((-0.04, 0.0, 0.04)):
        keep(store, make_spec("gnn", "karate", {"unit": "none"}, seed=seed), accuracy=0.9)
        for epsilon in (1.0, 4.0):
            keep(store, spec(epsilon=epsilon, seed=seed), accuracy=0.7 + off)
            keep(store, spec("gap", epsilon=epsilon, seed=seed), accuracy=0.76 - off)
    app = opened("tradeoffs", data="karate", fold="compare")
    assert "|4|GAP|76.0% (66.1% to 85.9%)|3|14 (4 to 24)|too few seeds|weak: ≤ 98.3%|" in advice_of(app)
    assert "|Too few seeds:| about 10 of each may tell it from ProGAP (70.0%)|" in advice_of(app), "below its row"
    app.button(key="settle.edge").click().run()
    assert not app.exception, app.exception
    sent = [one.spec for one in store.find(RunQuery(states=("queued",)))]
    seeds = {one.seed for one in sent}
    assert min(seeds) == 3
    assert len(sent) == (2 * 2 + 1) * len(seeds)
    assert sum(one.method == "gnn" for one in sent) == len(seeds)
    assert max(seeds) == 9, "as many as the verdict says"
    assert not any(one.key == "settle.edge" for one in app.button), "they are under way"
    assert f"0 of {len(sent)} runs finished" in said_of_the_sweep(app)
    assert "runs that you added" not in advice_of(app)
    for one in store.find(RunQuery(states=("queued",))):
        store.request_stop(one.id)
    app.run()
    assert f"**None of the {len(sent)} runs that you added got to its end:** nothing has changed." in advice_of(app)


@pytest.mark.long
def test_a_sweep_takes_several_methods_and_any_option(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("tradeoffs", data="karate")
    app.multiselect(key="sweep_methods").set_value(["progap", "gap"]).run()
    app.text_input(key="sweep_epsilons").set_value("1 4").run()
    app.number_input(key="sweep_seeds").set_value(1).run()
    app.selectbox(key="sweep_option").set_value("depth").run()
    assert any(text.value == "Give at least one value." for text in app.info)
    assert app.button(key="sweep_go").disabled
    app.text_input(key="sweep_values").set_value("1 many").run()
    assert [text.value for text in app.error] == ["Depth must be a number (got many)."]
    app.text_input(key="sweep_values").set_value("1 3").run()
    app.toggle(key="sweep_bare").set_value(False).run()
    app.button(key="sweep_go").click().run()
    assert not app.exception, app.exception
    asked = [run.spec for run in store.find(RunQuery())]
    assert sorted((one.method, one.options["epsilon"], one.options["depth"]) for one in asked) == [
        (method, epsilon, depth) for method in ("gap", "progap") for epsilon in (1.0, 4.0) for depth in (1, 3)
    ]
