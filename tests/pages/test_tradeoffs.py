"""The Trade-offs page: the curve, the table of advice, and a sweep that adds to both."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs
from privgraph_workbench.advice import Verdict
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import cart
from privgraph_workbench.words.markup import literal

Open = Callable[..., AppTest]


def drawn(app: AppTest) -> list[dict[str, Any]]:
    """The figures on the page."""
    told = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    return [one["figure"] for one in told if "figure" in one]


def traces(app: AppTest) -> set[str]:
    return {trace["name"] for figure in drawn(app) for trace in figure["data"] if trace.get("name")}


def compared(store: RunStore) -> list[str]:
    """Three seeds of a model that reads no edge, of a network, and of two private methods at two epsilons."""
    made = [keep(store, spec("mlp", seed, unit="none"), accuracy=0.5 + seed / 100) for seed in range(3)]
    made += [keep(store, spec("gnn", seed, conv="gcn"), accuracy=0.9 + seed / 100) for seed in range(3)]
    for epsilon in (1.0, 4.0):
        for method, reached in (("gap", 0.6), ("progap", 0.7)):
            for seed in range(3):
                one = spec(method, seed, unit="edge", epsilon=epsilon)
                made.append(keep(store, one, accuracy=reached + epsilon / 50 + seed / 100))
    return made


def test_a_store_with_nothing_shows_a_form_alone(opened: Open, store: RunStore) -> None:
    app = opened("tradeoffs", data="karate", store="mine")
    assert not drawn(app)
    assert not app.dataframe
    assert not app.button(key="sweep_go.karate.edge").disabled


def test_the_table_has_a_row_for_each_method_at_each_epsilon(opened: Open, store: RunStore) -> None:
    compared(store)
    app = opened("tradeoffs", data="karate")
    (table,) = (one.value for one in app.dataframe)
    assert list(table.columns) == [
        *(
            "epsilon",
            "method",
            "accuracy",
            "low",
            "high",
            "seeds",
            "cost",
            "cost_low",
            "cost_high",
            "verdict",
            "promise",
        )
    ]
    assert [*zip(table.epsilon, table.method, strict=True)] == [
        *((epsilon, method) for epsilon in (1.0, 4.0) for method in ("ProGAP", "GAP"))
    ]
    assert set(table.verdict) <= set(map(str, Verdict))
    assert list(table.seeds) == [3] * 4
    assert table.cost[0] == pytest.approx(100 * (0.91 - 0.73))
    assert {"ProGAP", "GAP"} <= traces(app)
    assert [one.value for one in app.select_slider] == [1.0]
    app.toggle(key="tradeoff_front").set_value(True).run()
    assert "Pareto front" in traces(app)


def test_examples_are_shown_where_nothing_of_ones_own_has_run(opened: Open, store: RunStore) -> None:
    app = opened("tradeoffs", data="social", protects="both", store="")
    assert len(app.dataframe) == 2
    assert set(app.dataframe[0].value.seeds) == {10}
    assert len(drawn(app)[0]["layout"]) > 2


def test_every_method_of_the_tables_is_drawn(opened: Open, store: RunStore) -> None:
    app = opened("tradeoffs", data="cora", protects="both", store="examples")
    assert "MLP (ignores edges)" in traces(app)
    for table in app.dataframe:
        assert set(table.value.method) <= traces(app)


def test_examples_beside_are_curves_of_their_own_and_change_no_number(opened: Open, store: RunStore) -> None:
    for method in ("gap", "progap"):
        query = RunQuery(methods=(method,), datasets=("social",), units=("edge",), limit=1)
        (one,) = queue.examples().find(query)
        for seed in range(3):
            keep(store, replace(one.spec, seed=40 + seed), accuracy=0.6 + seed / 100)
    app = opened("tradeoffs", data="social")
    before = app.dataframe[0].value
    assert not any("example" in name for name in traces(app))
    app.toggle(key="tradeoff_examples").set_value(True).run()
    assert any("example" in name for name in traces(app))
    assert app.dataframe[0].value.equals(before)


def test_a_sweep_is_sent_to_ones_own_store(opened: Open, store: RunStore) -> None:
    other = keep(store, spec("mlp", seed=9, unit="none"), state="queued")
    app = opened("tradeoffs", data="karate", store="mine")
    app.multiselect(key="sweep_methods.karate.edge").set_value(["gap"]).run()
    app.text_input(key="sweep_epsilons.karate.edge").set_value("1, 2").run()
    app.number_input(key="sweep_seeds.karate.edge").set_value(2).run()
    app.button(key="sweep_go.karate.edge").click().run()
    assert not app.exception, app.exception
    sent = store.find(RunQuery(tags=("sweep",)))
    assert Counter((one.spec.method, one.spec.unit) for one in sent) == {
        ("gap", "edge"): 4,
        ("mlp", "none"): 2,
        ("gnn", "none"): 2,
    }
    assert {one.spec.asked_epsilon for one in sent} == {None, 1.0, 2.0}
    app.button(key="sweep_stop").click().run()
    assert {one.state for one in store.find(RunQuery(tags=("sweep",)))} == {"stopped"}
    assert store.get(other).state == "queued", "nobody asked to stop what was not sent from here"


@pytest.mark.parametrize("typed", ["two", "0", "-1", "1e99"])
def test_a_wrong_epsilon_sends_nothing(opened: Open, store: RunStore, typed: str) -> None:
    app = opened("tradeoffs", data="karate", store="mine")
    app.text_input(key="sweep_epsilons.karate.edge").set_value(typed).run()
    assert app.error
    assert app.button(key="sweep_go.karate.edge").disabled


def test_a_point_opens_its_runs(opened: Open, store: RunStore) -> None:
    made = compared(store)
    app = opened("tradeoffs", data="karate")
    app.session_state["tradeoffs.opened"] = " ".join(made[-3:])
    app.run()
    assert not app.exception, app.exception
    assert app.query_params["chosen"] == ",".join(made[-3:])


def test_an_unknown_graph_in_the_address_is_said(opened: Open, store: RunStore) -> None:
    for foreign in ("<b>nowhere</b>" * 40, "**a** [b](http://evil.example) $c$ :red[d]"):
        app = opened("tradeoffs", data=foreign)
        assert app.warning
        assert literal(foreign[:80]) in app.warning[0].value
        assert len(app.warning[0].value) < 400


def test_where_nothing_is_drawn_no_file_speaks_for_other_runs(opened: Open, store: RunStore) -> None:
    keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
    app = opened("tradeoffs", data="karate", protects="edge")
    assert not [one for one in app.button if (one.key or "").startswith("collect.")]
    app = opened("tradeoffs", data="karate", protects="node")
    (key,) = [one.key for one in app.button if (one.key or "").startswith("collect.")]
    app.button(key=key).click().run()
    assert [one.runs for one in cart.entries()] == [tuple(one.id for one in store.find())]


def test_a_method_that_is_not_here_does_not_take_the_page_down(opened: Open, store: RunStore) -> None:
    compared(store)
    with store.database.write() as connection:
        spoilt = sa.func.replace(runs.c.spec, '"progap"', '"newgap"')
        connection.execute(runs.update().where(runs.c.method == "progap").values(method="newgap", spec=spoilt))
    app = opened("tradeoffs", data="karate")
    assert set(app.dataframe[0].value.method) == {"GAP", "newgap"}
    assert any("newgap" in one.value for one in app.markdown)


@pytest.mark.long
def test_a_redraw_takes_few_calls(opened: Open, store: RunStore) -> None:
    """Of functions of ours, once everything has been read."""
    app = opened("tradeoffs", data="social", store="examples")
    app.run()
    called: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and "/privgraph" in frame.f_code.co_filename:
            called[f"{frame.f_code.co_filename.rpartition(chr(47))[2]} {frame.f_code.co_qualname}"] += 1

    threading.setprofile(count)
    sys.setprofile(count)
    try:
        app.run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert not app.exception
    assert sum(called.values()) < 500, called.most_common(20)


def test_a_wished_accuracy_is_answered_by_the_smallest_epsilon_that_reaches_it(opened: Open, store: RunStore) -> None:
    compared(store)
    for wished, first in (("65", ["1"]), ("75", ["4"]), ("99", [])):
        app = opened("tradeoffs", data="karate", wished=wished)
        answers = [one.value for one in app.markdown if "`privgraph tune`" in one.value]
        assert [one.split("ε ")[1].split()[0] for one in answers if "**ProGAP**" in one] == first
        assert len(answers) == len(first)
        assert "wished" in traces(app)
    assert "wished" not in traces(opened("tradeoffs", data="karate"))
