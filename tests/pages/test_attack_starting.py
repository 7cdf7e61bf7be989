"""A new attack from the page: its form, how far it is, how it ends, and where it cannot be made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import texts

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import Rival
from privgraph.registry import ATTACKS
from privgraph.runs import attacking
from privgraph.runs.attacking import Attacking
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.testing.methods import TEXT_FACTS
from privgraph_workbench.facts import datasets
from privgraph_workbench.views.attacks import (
    outsider,
)
from privgraph_workbench.words import verdicts

Open = Callable[..., AppTest]


@pytest.mark.parametrize("name", ATTACKS)
def test_each_attack_asks_for_what_it_reads_and_says_what_it_takes(
    opened: Open, store: RunStore, run: str, name: str
) -> None:
    own = {
        "shadow": spec("privgnn", unit="node"),
        "prompts": spec("prompt", unit="none"),
    }
    of = keep(store, own[name]) if name in own else run
    if name.startswith("relations"):
        relational = make_spec("relational", "products", {"encoder": "tiny"})
        of = keep(store, relational, facts=TEXT_FACTS)
    app = opened("attacks", run=of, attack=name)
    kinds = ("number_input", "slider", "selectbox", "toggle", "checkbox", "text_input", "button_group")
    held = [str(one.key) for kind in kinds for one in app.get(kind)]
    keys = {key.removeprefix("attack.") for key in held if key.startswith("attack.")}
    reads = set(ATTACKS[name].reads)
    assert reads - {"query"} <= keys
    assert ("shadows" in keys) == ATTACKS[name].shadows
    assert "query" not in keys, "a method that reads no edge has one answer"
    assert not keys & ({"online", "variance", "setting", "ordered", "shots"} - reads)
    models = 28 if ATTACKS[name].shadows else 4
    takes = (
        "each candidate to be a shot of 24 of them" if name == "prompts" else f"{models} trainings like the run's own"
    )
    assert takes in texts(app).split("**What it takes.**")[1]


def test_starting_an_attack_hands_over_what_the_form_says(
    opened: Open, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, str, AttackOptions]] = []
    monkeypatch.setattr(attacking, "start", lambda _store, *asked: started.append(asked))
    app = opened("attacks", run=run, attack="lira", attack__shadows="32", attack__variance="each", attack__seed="3")
    app.button(key="start_attack").click().run()
    assert started == [(run, "lira", AttackOptions(shadows=32, variance="each", seed=3))]


def test_an_attack_under_way_is_shown_and_can_be_stopped(
    opened: Open, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = Attacking(
        token="ab12", name="lira", options=AttackOptions(), started=0.0, progress=0.4, stage="models 1 to 16 of 28"
    )
    stopped: list[str] = []
    monkeypatch.setattr(attacking, "states", lambda *_: [going])
    monkeypatch.setattr(attacking, "stop", lambda _store, _run, token: stopped.append(token))
    app = opened("attacks", run=run)
    assert "The first attack on this run is under way" in texts(app)
    assert "What it takes" not in texts(app), "what was expected is no news beside what is left"
    assert "start_attack" not in {one.key for one in app.button}, "one at a time: its progress stands there instead"
    assert not [one for one in app.markdown if one.value == outsider.LOST], "whole stacks of its models are kept"
    app.button(key="stop_attack.ab12").click().run()
    assert stopped == ["ab12"]
    monkeypatch.setattr(attacking, "states", lambda *_: [replace(going, name="threshold")])
    app.run()
    assert [one for one in app.markdown if one.value == outsider.LOST], "nothing is: it asks once more"
    assert app.button(key="stop_attack.ab12").label == "Stop the attack for good"
    monkeypatch.setattr(attacking, "states", lambda *_: [replace(going, stopping=True)])
    app.run()
    button = app.button(key="stop_attack.ab12")
    assert (button.label, button.disabled) == ("Stopping…", True)
    assert "stopping at its next step" in app.get("progress")[0].proto.text


def test_what_is_kept_of_a_stopped_attack_is_said(opened: Open, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    over = Attacking(token="ab12", name="lira", options=AttackOptions(), started=0.0, done=True, stopped=True)
    for name, progress, said in (
        ("lira", 0.58, "stopped at 58%. Its first 16 models are kept for the same attack."),
        ("lira", 0.5, "stopped at 50%. Nothing that it had found is kept."),
        ("threshold", 0.9, "stopped at 90%. Nothing that it had found is kept."),
    ):
        ended = replace(over, name=name, progress=progress)
        monkeypatch.setattr(attacking, "states", lambda *_, one=ended: [one])
        assert said in texts(opened("attacks", run=run))


@pytest.mark.parametrize(("ended", "said"), [({"error": "there was not enough memory"}, "not enough memory"),
                                             ({"stopped": True}, "was stopped")])  # fmt: skip
def test_an_attack_that_came_to_nothing_is_told(
    opened: Open, run: str, monkeypatch: pytest.MonkeyPatch, ended: dict[str, object], said: str
) -> None:
    over = Attacking(token="ab12", name="lira", options=AttackOptions(), started=0.0, done=True, **ended)  # type: ignore[arg-type]
    monkeypatch.setattr(attacking, "states", lambda *_: [over])
    assert said in texts(opened("attacks", run=run))


def test_a_failed_attack_is_told_in_short_and_can_be_tried_again_or_put_away(
    opened: Open, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = Attacking(
        token="ab12", name="lira", options=AttackOptions(targets=7), started=0.0, done=True, error="it had no memory"
    )
    started: list[tuple[str, AttackOptions]] = []
    monkeypatch.setattr(attacking, "states", lambda *_: [over])
    monkeypatch.setattr(attacking, "start", lambda _, of, name, options: started.append((name, options)))
    app = opened("attacks", run=run)
    assert app.error[0].value == "**The last attack failed** (Likelihood ratio (LiRA))."
    assert "It had no memory." in [one.value for one in app.caption], "its own words are folded away"
    app.button(key="try_again").click().run()
    assert started == [("lira", over.options)]
    app.button(key="dismiss").click().run()
    assert not app.error


def test_where_the_graph_is_not_here_a_run_whose_graph_is_leads_on(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = keep(store, replace(spec("gnn"), dataset="cora"))
    here = [keep(store, spec("gnn", unit="none")), keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))]
    unavailable = datasets.unavailable
    monkeypatch.setattr(
        datasets, "unavailable", lambda one: "It is not at hand." if one.name == "cora" else unavailable(one)
    )
    app = opened("attacks", run=away)
    (link,) = [one.proto for one in app.get("page_link") if "needs no download" in one.proto.label]
    assert here[0] in link.query_string, "it protects the same"


def test_where_the_graph_is_not_here_no_attack_is_offered(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_attack(run, made_attack(run, memory=3.0))
    over = Attacking(token="ab12", name="lira", options=AttackOptions(), started=0.0, done=True, error="put it there")
    monkeypatch.setattr(attacking, "states", lambda *_: [over])
    monkeypatch.setattr(datasets, "unavailable", lambda _: "It is not at hand: put it there")
    app = opened("attacks", run=run, attack="lira")
    said = "must be put on this computer first: an attack trains models like this run on it."
    assert app.button(key="start_attack").disabled
    assert sum(said in one.value for one in app.caption) == 1, "in the form"
    assert said in app.error[0].value
    assert [one.proto.label for one in app.get("page_link") if "on the Data page" in one.proto.label]
    assert "try_again" not in {one.key for one in app.button}
    assert not [one for one in app.button if str(one.key).startswith("further.")], "no step that cannot be taken"


def test_of_attacks_that_ask_the_same_it_is_said_how_many_were_tried(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, AttackOptions]] = []
    monkeypatch.setattr(attacking, "start", lambda _, of, name, options: started.append((name, options)))
    weak = made_attack(run, memory=1.0)
    store.add_attack(run, weak)
    app = opened("attacks", run=run)
    assert "**1 of 4 membership attacks was tried**; LiRA, RMIA and confidence alone were not." in texts(app)
    (other,) = [one for one in app.button if one.label == "Try the other 3"]
    other.click().run()
    assert started == [("lira", weak.options)], "one that reads shadow models tells all others, too"
    more = (min(1.0, weak.areas[0] + 0.1),) * len(weak.areas)
    rivals = tuple(Rival(attack=name, areas=weak.areas) for name in ("bavaria", "threshold"))
    store.add_attack(run, replace(made_attack(run, name="lira"), rivals=(*rivals, Rival(attack="rmia", areas=more))))
    app = opened("attacks", run=run, found="2")
    assert "All 4 membership attacks offered here were tried; that is no proof" in texts(app)
    assert "From the answers of the same models" in texts(app)
    assert [one for one in app.button if one.label == "Attack with RMIA, too: it found more"]


def test_a_wide_interval_is_said_to_keep_the_verdict_low_and_more_models_are_one_click(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[AttackOptions] = []
    monkeypatch.setattr(attacking, "start", lambda _, of, name, options: started.append(options))
    areas = (0.6, 0.7, 0.75, 0.85)
    made = made_attack(run, memory=2.0)
    apart = replace(made, areas=areas, true_rates=made.true_rates[:1] * 4, options=AttackOptions(targets=4))
    severe = verdicts.severity(apart, None)
    assert verdicts.wide(apart, severe)
    assert not verdicts.wide(replace(apart, areas=(0.55, 0.56, 0.57, 0.56)), severe)
    store.add_attack(run, apart)
    app = opened("attacks", run=run)
    assert "The interval is wide" in texts(app)
    next(one for one in app.button if one.label == "Attack 16 models").click().run()
    assert [one.targets for one in started] == [16]


def test_the_form_begins_with_what_the_chosen_run_promises_to_hide(opened: Open, store: RunStore, run: str) -> None:
    edges = keep(store, spec("gap", unit="edge", epsilon=2.0))
    app = opened("attacks", run=run)
    first = app.selectbox(key="attack").value
    assert ATTACKS[first].sides.unit == "node"
    chosen = next(one for one in ATTACKS if one != first and ATTACKS[one].sides.unit == "node")
    app.selectbox(key="attack").select(chosen).run()
    app.selectbox(key="run").select(edges).run()
    assert app.selectbox(key="attack").value == "link"
    assert app.selectbox(key="attack").proto.set_value, "the browser is told, which holds what was chosen before"
    app.selectbox(key="attack").select(chosen).run()
    assert app.selectbox(key="attack").value == chosen, "a choice for the same run stays"
    app.selectbox(key="run").select(run).run()
    assert app.selectbox(key="attack").value == first
    assert not app.exception


@pytest.mark.parametrize(("shadows", "starts"), [(12, False), (13, True)])
def test_too_few_shadow_models_are_told_before_the_start(
    opened: Open, store: RunStore, shadows: int, starts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of Karate club's 34 people 26 train, 5 test: of 31, each is left out of two of 13."""
    run = keep(store, spec("dp-mlp", unit="node"))
    app = opened("attacks", run=run, attack="lira", attack__shadows=str(shadows))
    start = app.button(key="start_attack")
    assert start.disabled != starts, "it stays, and says why it cannot be pressed"
    assert ("needs at least 13 shadow models" in start.help) != starts
    assert "This run needs at least 13" in app.number_input(key="attack.shadows").proto.help
    assert ("this run needs at least 13 shadow models (got 12)" in texts(app).casefold()) != starts


def test_a_run_that_hides_edges_is_first_attacked_for_its_edges(opened: Open, store: RunStore, run: str) -> None:
    edges = keep(store, spec("gap", unit="edge"))
    assert opened("attacks", run=edges).selectbox(key="attack").value == "link"
    assert opened("attacks", run=run).selectbox(key="attack").value != "link"


def test_an_attack_on_another_run_is_one_click_away_and_opened_first(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = keep(store, spec("dp-mlp", unit="node", epsilon=4.0, batch_size=8))
    (store.folder(run) / "attacks").mkdir()
    going = Attacking(token="a", name="bavaria", options=AttackOptions(), started=0.0, progress=0.4, stage="shadow")
    monkeypatch.setattr(attacking, "states", lambda _, asked: [going] if asked == run else [])
    assert opened("attacks").selectbox(key="run").value == run, "though the other is newer"
    app = opened("attacks", run=other)
    link = next(one.proto for one in app.get("page_link") if "An attack is under way on" in one.proto.label)
    assert "(40%)" in link.label
    assert run in link.query_string
    assert [one for one in app.selectbox(key="run").options if "under attack" in one]


def test_the_attack_is_chosen_anew_for_another_run(opened: Open, store: RunStore, run: str) -> None:
    other = keep(store, spec("gap", unit="edge", epsilon=4.0))
    app = opened("attacks", run=run, attack="lira")
    assert app.selectbox(key="attack").value == "lira"
    app.selectbox(key="run").set_value(other).run()
    assert app.selectbox(key="attack").value == "link"
    assert "attack" not in app.query_params
    assert not app.warning
