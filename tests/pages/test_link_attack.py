"""The attack on edges on the page Attacks and in a shell: nothing there speaks of nodes trained on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.pages.kept_runs import keep, spec

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.runs import attacking
from privgraph.runs.attacking import Attacking
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.attack import describe
from privgraph_workbench.facts import without_edges
from privgraph_workbench.figures.attacks import attack_exposure, attack_roc, attack_scores
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.attacks import verdict
from privgraph_workbench.words import verdicts
from privgraph_workbench.words.numbers import percent

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


def test_influence_is_refused_in_words_where_a_model_cannot_be_asked_again(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[AttackOptions] = []
    monkeypatch.setattr(attacking, "start", lambda _, __, ___, options: started.append(options))
    run = keep(store, spec("gap", unit="edge"))
    app = opened("attacks", run=run, attack="link", attack__by="influence")
    told = [one.value for kind in (app.info, app.caption, app.warning, app.markdown) for one in kind]
    assert any("which GAP does not answer" in one for one in told)
    app.button(key="start_attack").click().run()
    assert [one.by for one in started] == ["distance"], "what is not offered is not started"
    assert [one for one in opened("attacks", run=run, attack="link").button if one.key == "start_attack"]


def test_what_it_found_is_told_of_edges(opened: Open, store: RunStore) -> None:
    run = keep(store, spec("gnn", unit="none"))
    record = made(run)
    store.add_attack(run, record)
    app = opened("attacks", run=run, attack="link")
    for part in ("scores", "exposed"):
        app.session_state[f"fold.{part}"] = True
    app.run()
    text = "\n".join(one.value for kind in (app.markdown, app.caption, app.warning, app.info) for one in kind)
    assert verdict.pair(record, None) in text
    assert "Undecided: similarity or leak" in text, "no model that reads no edge stands beside it"
    assert f"{record.outcome.members:,} edges, {record.outcome.others:,} pairs without an edge" in text
    assert "most exposed nodes" not in text
    drawn = [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]
    assert len(drawn) == 3
    assert "pairs without an edge" in drawn[1]


def test_conclusions_name_both_sides_and_what_similarity_explains() -> None:
    strong, none = verdict.conclusion(made(memory=3.0)), verdict.conclusion(made(memory=0.0))
    assert strong.startswith("**Undecided: similarity or leak. This attack alone does not say.** Shown one edge and")
    assert "a model that never saw an edge tells some of them, too." in strong
    moved = replace(made(memory=3.0), options=AttackOptions(by="influence"))
    assert verdict.conclusion(moved).startswith("**The model gives away who is connected to whom.**"), "edges alone"
    assert "never saw" not in none
    assert "Another attack may find more" in none
    assert "trained on" not in strong + none
    said = describe(made())
    assert "edges, " in said
    assert "trained on" not in said


def test_figures_name_both_sides_and_mixed_ones_neither() -> None:
    record, other = made(), made_attack()
    alone = attack_roc.chart(attack_roc.data([record]))
    assert alone.title == "Who is connected to whom?"
    assert alone.panels[0].x.title == "false alarms: share of pairs without an edge (FPR)"
    assert alone.panels[0].y.title == "found: share of edges (TPR)"
    assert attack_roc.chart(attack_roc.data([other])).title == "Who was trained on?"
    mixed = attack_roc.chart(attack_roc.data([record, other]))
    assert mixed.title == "What attacks find"
    assert mixed.panels[0].x.title == "false alarms: share of the others (FPR)"
    scores = attack_scores.chart(attack_scores.data(record))
    assert {series.name for series in scores.series} == {"edges", "pairs without an edge"}
    exposed = attack_exposure.chart(attack_exposure.data(record))
    assert exposed.summary.startswith("Mean exposure of edges by degree")
    assert exposed.badges == ("the evaluator's view: nobody outside knows who is connected to whom",)


def test_what_edges_give_away_is_told_beside_a_model_that_read_none() -> None:
    strong, similarity = made(memory=3.0), made(memory=3.0, run="mlp-run")
    beside = verdict.conclusion(strong, "none", similarity)
    assert "A perceptron on the same graph, which never read an edge, gives" in beside
    assert beside.startswith("**What is found cannot be told from similarity.** The attack is right 0.0 points more")
    assert verdicts.severity(strong, similarity) == 2
    weak = replace(
        similarity,
        areas=(0.6,),
        true_rates=similarity.true_rates[:1],
        outcome=replace(similarity.outcome, area=0.6, area_low=0.55, area_high=0.65),
    )
    (more, low, high) = verdicts.beyond(strong, weak)
    assert more == pytest.approx(strong.found[0] - 0.6)
    assert low < more < high
    said = verdict.conclusion(strong, "none", weak)
    assert said.startswith("**The model gives away more of who is connected to whom than similarity tells.**")
    assert f"a difference of {100 * more:.1f} points ({100 * low:.1f} to {100 * high:.1f})" in said
    assert f"it is right about {percent(weak.accuracy)} of the test nodes" in said
    assert verdict.conclusion(strong, "none", strong).startswith("**What is found here is similarity")
    fair = replace(strong, by_classes=strong.found[0])
    assert verdict.conclusion(fair, "none", weak).startswith("**What is found cannot be told from similarity.**")
    above = replace(strong, by_classes=strong.found[2])
    assert verdict.conclusion(above, "none", weak).startswith("**No more is found than similarity tells.** The attack")
    assert verdicts.word(above, verdicts.severity(above, weak)) == "no more than similarity"
    held = verdicts.word(fair, verdicts.severity(fair, weak))
    assert held == "perhaps similarity alone", "its interval holds the area of the classes"
    both = f"by the true classes: {percent(strong.found[2])}, by a perceptron: {percent(weak.found[0])}"
    assert verdicts.yardstick(above, weak) == f"similarity alone, {both}", "a report tells the classes alone"
    assert verdicts.yardstick(above, None) == f"the true classes alone: {percent(strong.found[2])}", "and not a coin"
    assert "Who knows the true classes and no edge is right" in verdict.conclusion(fair, "none", weak)
    poor = replace(strong, by_classes=strong.found[1] - 0.01)
    assert verdicts.more_than_similarity(poor, weak)
    for found, severe, much in ((strong, verdicts.GIVEN_AWAY, "more"), (poor, verdicts.SOMETHING, "a little more")):
        assert verdicts.severity(found, weak) == severe
        told = verdict.lead(found, weak)
        assert told.startswith(f"**The model gives away {much} of who is connected to whom than similarity tells.**")
        alike, who = verdicts.similarity(found, weak)
        points = round(100 * found.found[0], 1) - round(100 * alike, 1)
        more = f"{points:.1f} points more often than {who} ({percent(alike)})"
        assert more in told, "before the share itself"
    assert verdicts.SEVERITIES[verdicts.SOMETHING] == ("a little more than similarity", "orange")
    assert verdicts.similarity(poor, weak) == (poor.by_classes, "the true classes alone")
    assert "the perceptron knows the classes less well" in verdict.conclusion(poor, "none", weak)


def test_more_than_the_classes_tell_is_for_the_interval_to_say_and_not_for_the_area() -> None:
    strong, weak = made(memory=3.0), made(memory=0.0, run="mlp-run")
    middle, low, _ = strong.found
    for classes, more in ((low - 0.01, True), ((low + middle) / 2, False)):
        assert verdicts.more_than_similarity(replace(strong, by_classes=classes), weak) == more


def test_what_may_be_more_than_similarity_is_not_called_kept() -> None:
    alike = made(memory=3.0)
    assert [verdicts.kept(alike, severe) for severe in range(len(verdicts.SEVERITIES))] == [True] * 2 + [False] * 5


def test_figures_say_what_an_attack_by_similarity_is_to_be_compared_with() -> None:
    """In files as on the page: an area of 0.8 is no leak where classes alone have it."""
    record, without = replace(made(memory=3.0), by_classes=0.8125), made(memory=0.5, run="mlp-run")
    (note,) = (one for one in attack_roc.chart(attack_roc.data([record])).notes if "true classes alone" in one)
    assert "not with 0.5 but with that of the true classes alone, 0.812," in note
    rows = attack_exposure.data(record, without)
    assert [row["without"] for row in rows] == [one.exposure for one in (*without.by_degree, *without.by_class)]
    chart = attack_exposure.chart(rows)
    hollow = [one for one in chart.series if one.hollow]
    assert [value for one in hollow for value in one.x] == [row["without"] for row in rows]
    named = [attack_exposure.INTERVAL, attack_exposure.WITHOUT, "mean exposure"]
    assert [one.name for one in chart.series if one.legend] == named
    assert "what a group's mark lies beyond its hollow one is more than similarity" in chart.notes[0]
    assert "The true classes alone have 0.812." in chart.notes[0]
    lone = attack_exposure.chart(attack_exposure.data(record))
    assert not [one for one in lone.series if one.hollow or one.name == attack_exposure.WITHOUT]
    assert "Attack a perceptron in the same way" in lone.notes[0]
    # what moves when a node is changed has been read through an edge
    moved = replace(record, options=AttackOptions(by="influence", targets=3))
    assert "similarity" not in " ".join(attack_exposure.chart(attack_exposure.data(moved)).notes)
    assert not any("classes" in one for one in attack_roc.chart(attack_roc.data([moved])).notes)
    assert "similarity" not in " ".join(attack_exposure.chart(attack_exposure.data(made_attack())).notes)


@pytest.mark.long
def test_the_perceptron_is_looked_for_on_the_same_graph_and_offered_where_there_is_none(
    opened: Open, store: RunStore
) -> None:
    run, flat = keep(store, spec("gnn", unit="none")), keep(store, spec("mlp", unit="none"))
    store.add_attack(run, made(run, memory=3.0))
    unsure = "Undecided: similarity or leak. This attack alone does not say."
    app = opened("attacks", run=run)
    assert any(unsure in one.value for one in app.info)
    assert app.button(key="perceptron").label == "Attack the perceptron in the same way", "there is one"
    other = made(flat, memory=1.0)
    store.add_attack(flat, replace(other, options=replace(other.options, distance="cosine")))
    assert any(unsure in one.value for one in opened("attacks", run=run).info), "other distance"
    store.add_attack(flat, other)
    told = opened("attacks", run=run)
    told.session_state["fold.exposed"] = True
    told.run()
    assert any("more of who is connected to whom than similarity tells" in one.value for one in told.warning)
    assert any("A perceptron on the same graph" in one.value for one in told.markdown)
    assert "perceptron" not in {one.key for one in told.button}
    drawn = [json.loads(one.proto.json)["summary"] for one in told.get("bidi_component")]
    (curves,) = (one for one in drawn if one.endswith("A guess by chance has an area of 0.5."))
    assert len(re.findall(r"area [\d.]+ \(", curves)) == 2, "laid over the curve without being asked for"
    assert any("The hollow marks are what the same attack finds on a perceptron" in one.value for one in told.caption)
    chosen = opened("attacks", run=run, over=flat)
    again = [json.loads(one.proto.json)["summary"] for one in chosen.get("bidi_component")]
    assert curves in again, "and once where it is asked for"
    alone = opened("attacks", run=flat)
    assert any("What is found here is similarity" in one.value for one in alone.info)


@pytest.mark.long
def test_the_perceptron_is_trained_on_the_runs_own_graph_split_and_seed_and_attacked_alike(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"nodes": 200, "degree": 4}
    asked = make_spec("gnn", "social", {"unit": "none"}, data_options=data, seed=3)
    run = keep(store, asked)
    record = made(run, memory=3.0)
    record = replace(record, options=replace(record.options, pairs=77, unlinked="alike"))
    store.add_attack(run, record)
    trained: list[RunSpec] = []
    monkeypatch.setattr(queue, "submit", lambda specs, tags=(): trained.extend(specs) or [run])
    monkeypatch.setattr(queue, "retry", lambda _: None)
    assert opened("attacks", run=run).button(key="perceptron").label == "Train and attack a perceptron"
    opened("attacks", run=run).button(key="perceptron").click().run()
    (flat,) = trained
    assert (flat.method, flat.dataset, flat.data_options) == ("mlp", "social", asked.data_options)
    assert (flat.split, flat.seed, flat.unit) == (asked.split, 3, "none")
    started: list[tuple[str, str, AttackOptions]] = []
    monkeypatch.setattr(attacking, "start", lambda _, run, name, options: started.append((run, name, options)))
    elsewhere = keep(store, make_spec("mlp", "social", {"unit": "none"}, data_options={**data, "degree": 6}))
    assert opened("attacks", run=run).button(key="perceptron").label.startswith("Train"), f"not {elsewhere}"
    kept = keep(store, flat)
    waiting = opened("attacks", run=run)
    assert not started, "nobody has asked for it here"
    waiting.session_state["perceptron.wanted"] = run
    waiting.run()
    assert started == [(kept, "link", record.options)], "as soon as it is trained"
    assert "perceptron.wanted" not in waiting.session_state
    opened("attacks", run=run).button(key="perceptron").click().run()
    assert started[1:] == started[:1]


def test_the_attack_on_the_perceptron_says_how_far_it_is_and_can_be_stopped(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, flat = keep(store, spec("gnn", unit="none")), keep(store, spec("mlp", unit="none"))
    store.add_attack(run, made(run, memory=3.0))
    going = Attacking(token="a1", name="link", options=AttackOptions(), started=0.0, progress=0.4, stage="asking")
    monkeypatch.setattr(attacking, "states", lambda _, asked: [going] if asked == flat else [])
    stopped: list[tuple[str, str]] = []
    monkeypatch.setattr(attacking, "stop", lambda _, of, token: stopped.append((of, token)))
    app = opened("attacks", run=run)
    (bar,) = app.get("progress")
    assert bar.proto.text.startswith("On the perceptron: Stolen edges · 40% · asking · about")
    app.button(key="stop_attack.a1").click().run()
    assert not app.exception, app.exception
    assert stopped == [(flat, "a1")]


def test_influence_is_pointed_out_where_it_can_be_asked_and_was_not(opened: Open, store: RunStore) -> None:
    run, gap = keep(store, spec("gnn", unit="none")), keep(store, spec("gap", unit="edge"))
    hint = "This model can be asked by influence, too"
    for one in (run, gap):
        store.add_attack(one, made(one, memory=3.0))
    said = {one: " ".join(text.value for text in opened("attacks", run=one).caption) for one in (run, gap)}
    assert hint in said[run]
    assert hint not in said[gap], "it cannot be asked"
    store.add_attack(run, replace(made(run, memory=3.0), options=AttackOptions(by="influence", targets=3)))
    assert hint not in " ".join(text.value for text in opened("attacks", run=run, found="1").caption)


def test_a_perceptron_stands_beside_an_attack_that_asked_the_same_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the same distance: the newest of these, and none of pairs of another kind."""
    run = SimpleNamespace(id="perceptron", state="done")
    record: Any = SimpleNamespace(spec=SimpleNamespace(method="gnn"))
    told = made()
    alike, by_another = (
        replace(told, options=replace(told.options, **{key: value}))
        for key, value in (("unlinked", "alike"), ("distance", "cosine"))
    )
    old, new = replace(told, seconds=1.0), replace(told, seconds=2.0)
    monkeypatch.setattr(without_edges, "perceptrons", lambda *_: [run])
    store: Any = SimpleNamespace(attacks=lambda _: [old, new, alike, by_another])
    found = [without_edges.beside(store, record, one) for one in (told, alike, by_another)]
    assert found == [new, alike, by_another]
    without: Any = SimpleNamespace(attacks=lambda _: [old])
    assert without_edges.beside(without, record, alike) is None
