"""The attack on edges on the page Attacks and in a shell: nothing there speaks of nodes that trained."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.pages.kept_runs import keep, spec

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.attack import describe
from privgraph_workbench.figures.attacks import attack_exposure, attack_roc, attack_scores
from privgraph_workbench.views.attacks import findings

Open = Callable[..., AppTest]


def made(run: str = "gnn-social-000000000000", memory: float = 2.0) -> AttackRecord:
    """An attack on edges with scores that are made up."""
    record = made_attack(run, name="link", memory=memory, targets=3, how=AttackOptions(targets=3))
    return replace(record, exposed=(), bound=None, steps=None, drawn=False, models=3)


def test_the_page_asks_for_what_the_attack_reads(opened: Open, store: RunStore) -> None:
    run = keep(store, spec("gnn", unit="none"))
    app = opened("attacks", run=run, attack="link")
    kinds = ("number_input", "slider", "selectbox", "toggle", "checkbox", "text_input", "button_group")
    keys = {str(one.key).removeprefix("attack.") for kind in kinds for one in app.get(kind)}
    assert {"by", "distance", "pairs", "unlinked", "targets"} <= keys
    assert not keys & {"shadows", "query", "online", "setting"}
    influence = opened("attacks", run=run, attack="link", attack__by="influence")
    assert "attack.distance" not in {str(one.key) for kind in kinds for one in influence.get(kind)}
    assert any("each model is asked once for every node" in one.value for one in influence.markdown)


def test_influence_is_refused_in_words_where_a_model_cannot_be_asked_again(opened: Open, store: RunStore) -> None:
    run = keep(store, spec("gap", unit="edge"))
    app = opened("attacks", run=run, attack="link", attack__by="influence")
    assert any("which gap does not answer" in one.value for one in app.info)
    assert not [one for one in app.button if one.key == "start_attack"]
    assert [one for one in opened("attacks", run=run, attack="link").button if one.key == "start_attack"]


def test_what_it_found_is_told_of_edges(opened: Open, store: RunStore) -> None:
    run = keep(store, spec("gnn", unit="none"))
    record = made(run)
    store.add_attack(run, record)
    app = opened("attacks", run=run, attack="link")
    text = "\n".join(one.value for kind in (app.markdown, app.caption, app.warning, app.info) for one in kind)
    assert findings.conclusion(record) in text
    assert f"{record.outcome.members:,} edges, {record.outcome.others:,} pairs without an edge" in text
    assert "most exposed nodes" not in text
    drawn = [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]
    assert len(drawn) == 3
    assert "pairs without an edge" in drawn[1]


def test_conclusions_name_both_sides_and_what_similarity_explains() -> None:
    strong, none = findings.conclusion(made(memory=3.0)), findings.conclusion(made(memory=0.0))
    assert strong.startswith("**The attack tells who is connected to whom better than guessing.** Shown one edge and")
    assert "a model that never saw an edge tells some of them, too. So this alone is no leak." in strong
    assert "never saw" not in none
    assert "Another attack may find more" in none
    assert "train" not in strong + none
    said = describe(made())
    assert "edges, " in said
    assert "that trained" not in said


def test_figures_name_both_sides_and_mixed_ones_neither() -> None:
    record, other = made(), made_attack()
    alone = attack_roc.chart(attack_roc.data([record]))
    assert alone.title == "Who is connected to whom? What attacks find"
    assert alone.panels[0].x.title == "false positives (share of pairs without an edge)"
    assert alone.panels[0].y.title == "true positives (share of edges)"
    assert attack_roc.chart(attack_roc.data([other])).title == "Who trained? What attacks find"
    mixed = attack_roc.chart(attack_roc.data([record, other]))
    assert mixed.title == "What attacks find"
    assert mixed.panels[0].x.title == "false positives (share of the others)"
    scores = attack_scores.chart(attack_scores.data(record))
    assert {series.name for series in scores.series} == {"edges", "pairs without an edge"}
    exposed = attack_exposure.chart(attack_exposure.data(record))
    assert exposed.summary.startswith("Mean exposure of edges by degree")
    assert exposed.badges == ("the evaluator's view: nobody outside knows who is connected to whom",)


def test_what_edges_give_away_is_told_beside_a_model_that_read_none() -> None:
    strong, likeness = made(memory=3.0), made(memory=3.0, run="mlp-run")
    beside = findings.conclusion(strong, "none", likeness)
    assert "A perceptron on the same graph, which never read an edge, gives" in beside
    assert "no more than likeness is seen here" in beside
    weak = replace(likeness, outcome=replace(likeness.outcome, area=0.6, area_low=0.55, area_high=0.65))
    more = 100 * (strong.outcome.area - 0.6)
    assert f"{more:.1f} points more come from the edges that this model has read" in findings.conclusion(
        strong, "none", weak
    )
    assert "none of it a leak" in findings.conclusion(strong, "none", strong)


def test_the_perceptron_is_looked_for_on_the_same_graph_and_offered_where_there_is_none(
    opened: Open, store: RunStore
) -> None:
    run, flat = keep(store, spec("gnn", unit="none")), keep(store, spec("mlp", unit="none"))
    store.add_attack(run, made(run, memory=3.0))
    app = opened("attacks", run=run)
    assert any("likeness alone" in one.value for one in app.caption)
    assert any("So this alone is no leak" in one.value for one in app.warning)
    other = made(flat, memory=3.0)
    store.add_attack(flat, replace(other, options=replace(other.options, distance="cosine")))
    assert any("So this alone is no leak" in one.value for one in opened("attacks", run=run).warning), "other distance"
    store.add_attack(flat, other)
    told = opened("attacks", run=run)
    assert any("A perceptron on the same graph" in one.value for one in told.warning)
    assert not any("likeness alone" in one.value for one in told.caption)
    alone = opened("attacks", run=flat)
    assert any("none of it a leak" in one.value for one in alone.info)
