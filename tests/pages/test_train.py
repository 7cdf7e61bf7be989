"""The page Train: the form, what it says ahead, and the runs that it sends."""

from typing import Any

import pytest
from tests.pages.kept_runs import KARATE, keep, spec
from tests.pages.reading import Open, figures, numbers

from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.forms import beginnings
from privgraph_workbench.text import texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import stated


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
        assert "expected" in figures(app)
    other = opened("train", method="progap", data="karate", epsilon="4", hidden="32")
    assert numbers(other)["Expected accuracy"] == "unknown", "those runs have other options"
    assert any("badge[other options" in one.value for one in other.markdown)
    assert "7 runs" in next(one for one in app.selectbox(key="data").options if one.startswith("Karate"))


@pytest.mark.parametrize(
    ("kept", "method", "epsilon", "kind"),
    [
        ((), "dp-mlp", "0.01", "swamped"),
        ((), "progap", "0.01", "edges"),
        (((0.01, 0.58), (0.01, 0.60), (0.01, 0.62)), "dp-mlp", "0.01", ""),
        ((), "progap", "8", ""),
    ],
)
def test_noise_that_swamps_edges_is_told_below_the_bar(
    opened: Open, store: RunStore, kept: Any, method: str, epsilon: str, kind: str
) -> None:
    for seed, (at, accuracy) in enumerate(kept):
        keep(store, spec(method, epsilon=at, seed=seed), accuracy=accuracy)
    app = opened("train", method=method, data="karate", epsilon=epsilon)
    text = texts("train")["doubts"].get(kind, "")[-20:]
    assert [one.value.endswith(text) for one in app.warning] == [True] * bool(kind)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_fresh_form_begins_with_a_large_budget(method: str) -> None:
    form = {one.name: one for one in beginnings.of_method(method)}
    assert float(form["epsilon"].default) <= beginnings.EPSILON
