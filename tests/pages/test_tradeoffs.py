"""The Trade-offs page: the curve, the table of advice, and a sweep that adds to both."""

from itertools import product

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import Open, drawn

from privgraph.runs.store import RunStore
from privgraph_workbench.advice import Verdict


def traces(app: AppTest) -> set[str]:
    return {trace["name"] for one in drawn(app) for trace in one["figure"]["data"] if trace.get("name")}


def compared(store: RunStore) -> None:
    """Three seeds of a model that reads no edge, of a network, and of two private methods at two epsilons."""
    for seed in range(3):
        keep(store, spec("mlp", seed, unit="none"), accuracy=0.5 + seed / 100)
        keep(store, spec("gnn", seed, conv="gcn"), accuracy=0.9 + seed / 100)
        for epsilon, (method, reached) in product((1.0, 4.0), (("gap", 0.6), ("progap", 0.7))):
            one = spec(method, seed, unit="edge", epsilon=epsilon)
            keep(store, one, accuracy=reached + epsilon / 50 + seed / 100)


def test_the_table_has_a_row_for_each_method_at_each_epsilon(opened: Open, store: RunStore) -> None:
    compared(store)
    app = opened("tradeoffs", data="karate")
    (table,) = (one.value for one in app.dataframe)
    wanted = "epsilon method accuracy low high seeds cost cost_low cost_high verdict promise"
    assert list(table.columns) == wanted.split()
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


def test_a_wished_accuracy_is_answered_by_the_smallest_epsilon_that_reaches_it(opened: Open, store: RunStore) -> None:
    compared(store)
    for wished, first in (("65", ["1"]), ("75", ["4"]), ("99", [])):
        app = opened("tradeoffs", data="karate", wished=wished)
        answers = [one.value for one in app.markdown if "`privgraph tune`" in one.value]
        assert [one.split("ε ")[1].split()[0] for one in answers if "**ProGAP**" in one] == first
        assert len(answers) == len(first)
        assert "wished" in traces(app)
    assert "wished" not in traces(opened("tradeoffs", data="karate"))
