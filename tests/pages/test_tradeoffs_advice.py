"""The Trade-offs page: what is compared by one button, and what is said to take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest
from tests import full_gallery
from tests.pages.kept_runs import KARATE, keep, spec
from tests.pages.tradeoff_pages import (
    advice_of,
    captions_of,
    unfolding,
)

from privgraph.privacy.ledger import Ledger
from privgraph.privacy.statements import tuning_price
from privgraph.registry import METHODS
from privgraph.runs import gallery
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advised, comparing
from privgraph_workbench.words.numbers import upper


@pytest.fixture
def opened(opened: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Opens a page; of this one, after somebody has opened the form of the sweep."""
    return unfolding(opened)


def test_the_price_of_a_comparison_is_shown_or_why_there_is_none(opened: Callable[..., AppTest]) -> None:
    """Edges of all that fits are hidden in one sense; people by some methods in another."""
    (said,) = (one.value for one in opened("tradeoffs", data="karate", fold="").warning)
    plans = [one.config().plan(KARATE).statement for one in comparing.specs("karate", "edge", seeds=1)]
    private = [one for one in plans if one.unit == "edge"]
    ledger = Ledger([entry for plan in private for entry in plan.ledger])
    assert (
        f"sees all 36 private runs of this comparison, or picks the best of them, has been shown ε = "
        f"{upper(tuning_price(ledger.event(), private[0].delta, 3))}" in said
    )
    assert "None of the papers reproduced here counts this." in said, "others do"
    (said,) = (one.value for one in opened("tradeoffs", data="karate", protects="node", fold="").warning)
    assert "sees all 60 private runs of this comparison, or picks the best of them, has been shown more" in said
    assert said.count("Their neighbouring datasets differ") == 1


def test_what_fits_is_compared_by_one_button(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("tradeoffs", data="karate", protects="node", fold="compare")
    told = "\n".join(one.value for one in (*app.caption, *app.markdown))
    assert "Fits: ProGAP, GAP, DP-MLP, DP-GNN, HeterPoisson. Each at ε 1, 2, 4, 8 with 3 seeds" in told
    assert "PrivGNN, PATE, Prompt by DP-SGD, DP-GPL would fit as well, in a setting of their own" in told
    assert "**What it takes.** 66 runs, about" in told
    few = "5 test nodes: differences below 36 points cannot be told here with 3 seeds of each, nor below 14 with 20."
    assert told.count(few) == 1, "before any runs are asked for"
    app.button(key="compare_go.node").click().run()
    assert store.count(RunQuery(tags=("compare",))) == 66
    sent = "**Sent from here:** 0 of 66 runs finished; the figure below grows as they end."
    assert [bar.proto.text for bar in app.get("progress")] == [sent], "one bar, on top of the page"
    assert not any(one.key == "compare_stop.node" for one in app.button)
    app.button(key="sweep_stop").click().run()
    assert store.count(RunQuery(states=("queued",))) == 0


def test_what_is_missing_is_followed_like_a_sweep(opened: Callable[..., AppTest], store: RunStore) -> None:
    """The network that costs are counted from has run at other options: a comparison that never has all its
    runs."""
    for seed in range(3):
        keep(store, make_spec("gnn", "karate", {"unit": "none", "conv": "gcn"}, seed=seed))
    keep(store, make_spec("gap", "karate", {"unit": "edge", "epsilon": 8.0}))
    app = opened("tradeoffs", data="karate", fold="compare")
    asked = len(comparing.specs("karate", "edge")) - 3
    app.button(key="compare_go.edge").click().run()
    assert store.count(RunQuery(tags=("compare",))) == asked
    (bar,) = app.get("progress")
    assert bar.proto.text.startswith(f"**Sent from here:** 0 of {asked} runs finished")
    app.button(key="sweep_stop").click().run()
    assert store.count(RunQuery(states=("stopped",))) == asked
    app.button(key="compare_go.edge").click().run()
    assert store.count(RunQuery(states=("queued",))) == asked, "what was stopped can be asked for again"
    app.button(key="sweep_stop").click().run()
    for one in store.find(RunQuery(tags=("compare",))):
        store.delete(one.id)
        keep(store, one.spec)
    app.run()
    (said,) = app.success
    assert said.value.startswith(f"**Sent from here:** {asked} of {asked} runs finished, and stand in the figure")


def test_what_was_lost_is_trained_again_and_what_failed_is_not(opened: Callable[..., AppTest], store: RunStore) -> None:
    """A comparison asks for runs that are there and did not get to their end."""
    lost, failed, *_ = (one for one in comparing.specs("karate", "edge") if one.unit == "edge")
    ids = {state: keep(store, one, state) for state, one in (("lost", lost), ("failed", failed))}
    app = opened("tradeoffs", data="karate", fold="compare")
    app.button(key="compare_go.edge").click().run()
    assert store.get(ids["lost"]).state == "queued"
    assert store.get(ids["failed"]).state == "failed"


def test_a_comparison_that_is_done_says_what_to_take(opened: Callable[..., AppTest], store: RunStore) -> None:
    for one in comparing.specs("karate", "edge"):
        keep(store, one, accuracy=0.9 if one.method == "gap" else 0.7 if one.unit == "edge" else 0.5)
    app = opened("tradeoffs", data="karate", fold="compare")
    app.session_state["fold.why.edge"] = True
    app.run()
    said = advice_of(app)
    right = "an attacker is right at most 62.3% of the time"
    facts = f"(90.0% accuracy, 40 points above a graph network without privacy; strong protection: {right})"
    assert f"**To hide edges:** at ε 0.5 take GAP {facts}, clearly the best.\n" in said, "one short sentence"
    assert "- ε" not in said, "the table tells the other budgets"
    assert (
        "▸ marks what is told above: the smallest ε within 5 points of the most accurate clear choice of at least "
        "moderate protection." in captions_of(app)
    )
    assert "Cost: points below a graph network without privacy (GCN), 50.0% (" in captions_of(app)
    right = "is right about whether an edge is there, where both were equally likely before (a coin: 50%)."
    assert f"somebody who knows all else {right}" in captions_of(app)
    assert advised.VERDICTS["clear"] in captions_of(app)
    assert not any(one in captions_of(app) for word, one in advised.VERDICTS.items() if word != "clear"), "no other is"
    assert (
        "|4|GAP|90.0% (same in all 3 seeds; 200 test nodes alone leave 85.0% to 93.8%)|3|−40 (−48 to −32)|clear|"
        "weak: ≤ 98.3%|" in said
    )
    assert "- **ε 4.** Clearly above " in said
    assert not [*app.success, *app.warning], "no colour for what is said every day"
    assert not any("95% over seeds" in one.value.columns for one in app.dataframe), "the numbers are told once"
    app.session_state["fold.numbers"] = True
    app.run()
    (table,) = (one.value for one in app.dataframe if "95% over seeds" in one.value.columns)
    assert len(table) == 3 * 4 + 2
    assert "differs in" not in table.columns, "nothing does"
    assert sorted(one for one in table["advice"] if one) == ["costs are counted from it", *["take: clear"] * 4]
    assert "**GAP** hides one connection" in "\n".join(one.value for one in app.caption), "what the choice promises"
    assert any(
        one.proto.label.startswith("The promise of GAP in full, of a run at ε ")
        and "run=gap-" in one.proto.query_string
        for one in app.get("page_link")
    )
    assert not any(one.key == "compare_go.edge" for one in app.button)


def test_a_model_that_reads_no_edge_has_its_advice_in_the_table(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    for one in comparing.specs("karate", "edge"):
        keep(store, one, accuracy=0.9 if one.method == "mlp" else 0.5)
    app = opened("tradeoffs", data="karate", curve="mlp", fold="compare")
    table = next(one.value for one in app.dataframe if "advice" in one.value.columns)
    assert (table["method"][0], table["advice"][0]) == (METHODS["mlp"].title, "take at ε 0.5 to 4 (clear)")
    assert (table["protects"][0], table["sound ε"][0]) == ("edge", "0, reads none"), "it hides all of them"
    assert [one for one in table["advice"][1:] if one] == ["costs are counted from it"]
    said = advice_of(app)
    assert "|every edge (ε 0), no person|" in said


@pytest.mark.long
def test_what_is_said_of_people_names_no_model_that_protects_nobody_and_what_is_left_out(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    for one in comparing.specs("karate", "node"):
        keep(store, one, accuracy={"none": 0.75}.get(one.unit, 0.7 if one.method == "dp-mlp" else 0.5))
    public = [keep(store, spec("privgnn", seed=seed, unit="node", epsilon=8.0), accuracy=0.8) for seed in range(3)]
    app = opened("tradeoffs", data="karate", protects="node", fold="")
    said = advice_of(app)
    assert "|8|DP-MLP (reads no edge)|70.0% (same in all 3 seeds; " in said
    assert "is a method clearly better than a model that reads no edge and protects nobody (75.0%)." in said
    assert "where some nodes are public\n\nThe highest means:\n\n- PrivGNN: 80.0% (same in all " in said
    assert "Where some nodes are public: [PrivGNN, 80.0% at ε " in said, "named at the top, too"
    assert "](#to-hide-people-where-some-nodes-are-public) (another setting and other test nodes, not comp" in said
    (link,) = (one for one in app.get("page_link") if one.proto.label.startswith("The runs of PrivGNN at ε 8"))
    assert set(parse_qs(link.proto.query_string)["chosen"][0].split(",")) == set(public), "that one opens"


def test_what_is_known_is_recommended_at_once_and_refined(opened: Callable[..., AppTest], store: RunStore) -> None:
    """From whatever runs there are, at other budgets too: with how many, and what is missing."""
    for seed in (0, 1, 2):
        for epsilon in (1.0, 8.0):
            keep(store, spec(epsilon=epsilon, seed=seed), accuracy=0.7)
            keep(store, spec("gap", epsilon=epsilon, seed=seed), accuracy=0.8)
    keep(store, spec(epsilon=1.0, depth=7), accuracy=0.99)  # no default: tells nothing of the comparison
    app = opened("tradeoffs", data="karate", fold="compare")
    assert advice_of(app).count("|8|GAP|80.0% (same in all 3 seeds") == 1, "said once"
    app.session_state["fold.why.edge"] = True
    app.run()
    assert "**ε 8.** Clearly above ProGAP, the next best, by +10.0 points (" in advice_of(app)
    captions = [one.value for one in app.caption]
    right = "an attacker is right at most 73.2% of the time"
    first = f"at ε 1 take GAP (80.0% accuracy; strong protection: {right}), clearly the best."
    assert f"**To hide edges:** {first}" in advice_of(app)
    assert "- ε 8: GAP" not in advice_of(app)
    assert app.button(key="absent.edge").label == "EdgeRand has not run here: train it"
    missing = "From 12 finished runs at default options; 1 more, at others or without noise, is drawn."
    assert any(one.startswith(missing) for one in captions)
    (words,) = (one for one in captions if "Of the full comparison 36 are missing: " in one)
    assert "ProGAP (9 of 12 runs)" in words
    assert "EdgeRand (12 runs)" in words
    assert app.button(key="compare_go.edge").label == "Train what is missing (36 runs)"
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        for seed in (0, 1, 2):
            keep(store, spec("edge-rand", epsilon=epsilon, seed=seed), accuracy=0.9)
    later = advice_of(opened("tradeoffs", data="karate", fold=""))
    assert "|1|EdgeRand|90.0%" in later
    assert "nothing is clearly better: at best GAP, 80.0%" in later, "it has not run at ε 8"
    nothing = advice_of(opened("tradeoffs", data="karate", protects="node", fold=""))
    assert "To hide" not in nothing, "nothing is known of people"


def test_a_run_that_takes_the_place_of_one_of_the_gallery_is_told_and_drawn(
    opened: Callable[..., AppTest], store: RunStore, tmp_path: Path
) -> None:
    """Both have the same id: nothing may be remembered by it alone."""
    asked = [spec(name, seed=seed, epsilon=1.0) for name in ("progap", "gap") for seed in range(3)]
    shipped = RunStore.open(f"sqlite:///{tmp_path / 'shipped.sqlite'}")
    for one in asked:
        keep(shipped, one, accuracy=0.7 if one.method == "gap" else 0.6)
    gallery.write(shipped, {"karate": asked}, tmp_path / "shipped.json.xz")
    gallery.bring_in(store, tmp_path / "shipped.json.xz")
    app = opened("tradeoffs", data="karate", fold="")
    assert "|1|GAP|70.0%" in advice_of(app)
    for one in asked:
        keep(store, one, accuracy=0.5 if one.method == "gap" else 0.9)
    app.run()
    assert "|1|ProGAP|90.0%" in advice_of(app)
    assert [point.rpartition(": ")[2] for point in app.selectbox(key="point").options] == [
        "50.0%, 3 seeds",
        "90.0%, 3 seeds",
    ]


@pytest.mark.long
def test_a_graph_with_runs_can_be_chosen_without_its_files_and_has_its_advice(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A fresh machine has the gallery and no real graph: only training needs the files."""
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    full_gallery.fill(store)
    app = opened("tradeoffs", data="cora", fold="compare")
    assert app.selectbox(key="data").value == "cora"
    assert not app.warning
    assert "|0.25 to 4|MLP (ignores edges)|74.6%" in advice_of(app)
    assert "**To hide edges:** leave them out: an MLP has 74.6% accuracy, 13 points below a graph network" in advice_of(
        app
    )
    assert "|8|EdgeRand|83.0% " in advice_of(app), "which protects next to nothing: not the first"
    assert "- ε" not in advice_of(app), "the table says it, and nothing says it twice"
    assert "EdgeRand" not in captions_of(app).partition("Each mark")[0], "a line beneath the table, and reasons in Why"
    app.session_state["fold.why.edge"] = True
    app.run()
    assert "clearly better: the best, EdgeRand, has 75.8% (74.4% to 77.1%) at ε 1." in advice_of(app)
    assert any("Training on Cora needs its files" in one.value for one in app.info)
    assert not any(one.key in ("compare_go.edge", "sweep_go") for one in app.button)
    (link,) = (one for one in app.get("page_link") if "Get Cora" in one.proto.label)
    assert "data=cora" in link.proto.query_string
    app.session_state["fold.sweep"] = True
    app.run()
    assert not app.exception, app.exception


@pytest.mark.long
def test_where_nothing_is_clear_the_way_leads_to_a_graph_where_it_is(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    full_gallery.fill(store)
    for seed in range(3):
        for method in ("gap", "progap"):
            options = {"epsilon": 4.0, "unit": "node"}
            keep(store, make_spec(method, "karate", options, seed=seed), accuracy=0.3 + seed / 10)
    app = opened("tradeoffs", data="karate", protects="node", fold="")
    (link,) = (one for one in app.get("page_link") if one.proto.label.startswith("More is known on"))
    assert link.proto.label == "More is known on Cora (5 methods)"
    assert {"data=cora", "protects=node"} <= set(link.proto.query_string.split("&"))
    relations = advice_of(opened("tradeoffs", data="products", fold=""))
    assert "|PvGaLM|" in relations, "compared at the domains that the runs have"
