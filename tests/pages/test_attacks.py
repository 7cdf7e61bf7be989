"""The page Attacks, outsiders: which run, which attack and at what cost; what it found; the old address."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.pages import offered_files
from tests.pages.attack_pages import box, cells, drawn, texts, unfold
from tests.pages.kept_runs import keep, spec

from privgraph.attacks import planning
from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import RARE, Rival
from privgraph.audits.roc import least_area
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import ATTACKS
from privgraph.runs import attacking, gallery
from privgraph.runs.attacking import Attacking
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.testing.methods import TEXT_FACTS
from privgraph_workbench.facts import datasets
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.export import export
from privgraph_workbench.serving import shell
from privgraph_workbench.views.attacks import (
    findings,
    outsider,
    overall,
    overview,
    ranking,
    shown,
    verdict,
)
from privgraph_workbench.views.parts import right_how_often
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import meaning, rates, statements, verdicts
from privgraph_workbench.words.numbers import at_least, at_most, exact_percent, percent

Open = Callable[..., AppTest]


@pytest.mark.long
def test_without_a_run_it_says_what_there_will_be(opened: Open, store: RunStore) -> None:
    keep(store, spec("pate", unit="node"))
    app = opened("attacks")
    assert [title.value for title in app.title] == ["Attacks"]
    assert "No run that can be attacked is finished here yet" in app.info[0].value
    assert not app.button


def test_a_wrong_address_gets_a_sentence_and_the_page_goes_on(opened: Open, run: str) -> None:
    app = opened("attacks", run="gap-karate-000000000000", attack="guess", found="7", attack__shadows="2")
    said = "\n".join(one.value for one in app.warning)
    assert "There is no finished run gap" in said
    assert "there is no attack guess" in said
    assert not [one for one in app.button if one.key == "start_attack"], "2 shadow models are no number of them"
    assert app.selectbox(key="run").value == run


def test_runs_without_protection_can_be_attacked_and_not_audited(opened: Open, store: RunStore) -> None:
    bare = keep(store, spec("gnn", unit="none"))
    app = opened("attacks", run=bare)
    assert app.selectbox(key="run").value == bare
    assert [one.options for one in app.get("button_group") if one.key == "attack.query"]
    link = next(
        one.proto for one in opened("train", run=bare).get("page_link") if one.proto.label == "**Attack this run**"
    )
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": bare}


def test_the_page_of_a_run_says_what_its_attacks_found_and_what_another_one_opens(
    opened: Open, store: RunStore
) -> None:
    run = keep(store, spec("gap", unit="edge"))
    told = [one.value for one in opened("train", run=run).caption]
    assert any(one.startswith("An outsider asks its model, and tells who is connected to whom: ") for one in told)
    weak, strong = made_attack(run, memory=0.0), made_attack(run, memory=3.0)
    link = replace(weak, attack="link", options=AttackOptions(by="distance"), bound=None, by_classes=0.769)
    for one in (weak, strong, link):
        store.add_attack(run, one)
    app = opened("train", run=run)
    assert [one.proto.label for one in app.get("page_link")].count("See the attacks") == 1, "one way to all"
    assert "**Attack this run**" not in {one.proto.label for one in app.get("page_link")}, "one way, not two"
    lines = [one.value for one in app.markdown if one.value.startswith("Shown ")]
    assert len(lines) == 2, "a line for each question, the strongest attack"
    task = (
        f"Shown one node trained on and one not trained on, an attacker picks the right one {percent(strong.found[0])}"
    )
    assert lines[0].startswith(f"{task} of the time, of {len(strong.areas)} models trained like this run (")
    assert "; a coin: 50%)" in lines[0]
    assert "**Its ε hides edges, not this.**" in lines[0], "the leak stands beside the promise that does not cover it"
    assert "; the true classes alone: 76.9%)" in lines[1]
    assert "hides edges" not in lines[1]
    assert len(lines[1].split(". ")) == 1, "one sentence of answer; the rest is folded"
    (folded,) = [one.value for one in app.markdown if one.value.startswith("- **Who was trained on?**")]
    assert "The attack is the strongest of 2 attacks made here, so chance favours it." in folded
    assert "Without privacy" not in folded
    bare = keep(store, spec("gap", unit="none"))
    store.add_attack(bare, made_attack(bare, memory=4.0))
    (line,) = [one.value for one in opened("train", run=run).markdown if "Without privacy: " in one.value]
    assert line.startswith("- **Who was trained on?** ")
    badges = [one.value for one in app.markdown if one.value.startswith(":")]
    assert any("given away" in one for one in badges)


def test_the_old_address_is_that_of_the_worst_case(opened: Open, run: str) -> None:
    old, new = opened("audit", run=run), opened("attacks", run=run, who="worst-case")
    for app in (old, new):
        assert [title.value for title in app.title] == ["Attacks"]
        assert app.selectbox(key="run").value == run
        assert any(button.label == "Start the audit" for button in app.button)
    outsiders = opened("attacks", run=run)
    assert any(button.label == "Start the attack" for button in outsiders.button)


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


@pytest.mark.long
def test_without_an_address_the_page_opens_on_what_a_promise_keeps_and_attacked_runs_come_first(
    opened: Open, store: RunStore
) -> None:
    gallery.bring_in(store)
    app = opened("attacks")
    first = store.get(str(app.selectbox(key="run").value))
    assert first.spec.unit == "node"
    (named,) = [one.key for one in app.button if str(one.key).startswith("kept.") and first.id in str(one.key)]
    assert named == f"kept.{first.id}", "the page's answer names it"
    (more,) = map(float, re.findall(r"clearly more \(([\d.]+) points", texts(app)))
    assert more > 20
    assert "not private" in drawn(app)[0], "the curve without privacy is laid over, unasked"
    counted = {one.run for one in store.all_attacks()}
    options = app.selectbox(key="run").options
    assert ["attacked" in one for one in options] == [True] * len(counted), "those that were attacked, at first"
    app.toggle(key="every_run").set_value(True).run()
    options = app.selectbox(key="run").options
    assert ["attacked" in one for one in options[: len(counted) + 1]] == [True] * len(counted) + [False]
    assert max(len(one) for one in options) <= 100, "an entry says no more than tells it apart"
    own = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
    store.add_attack(own, made_attack(own))
    assert opened("attacks").selectbox(key="run").value == own


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


def test_that_noise_is_public_and_answers_are_no_part_of_the_release_is_said_unasked(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8), public=True)
    subject = attacking.subject(store.get(run))
    (beyond,) = planning.uncovered(replace(subject, method="heter-poisson"))
    monkeypatch.setattr(shown, "uncovered", lambda _: (beyond,))
    made = made_attack(run, memory=3.0)
    store.add_attack(run, replace(made, knows=(*made.knows, beyond), bound=0.5, sound=2.0))
    app = opened("attacks", run=run)
    assert box(app).startswith(verdict.lead(made, None)), "first what was asked"
    answer = box(app).split("\n\n")[1]
    assert answer.startswith("With secret noise, the sound ε of "), "one answer, as of any other run"
    assert answer.endswith(" holds; so large an ε excludes little.")
    assert ":red-badge[:material/key_off: public noise: as run, protects nobody]" in texts(app)
    assert "rely" not in answer
    (details,) = [one.value for one in app.markdown if statements.PUBLIC_NOISE in one.value]
    assert details.startswith("- "), "what it means stands in the details"
    assert "Train it again with secret noise" in {one.proto.label for one in app.get("page_link")}
    assert cells(app)["ε at least"][0] == "**0.5** :gray[sound ε: 2]"
    (follows,) = [one.value for one in app.markdown if "- More than the run releases" in one.value]
    assert "It asks" not in follows, "said where it is read, and not below what is folded away"
    assert texts(app).count("More than the run releases") == 1


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


@pytest.mark.long
def test_what_an_attack_found_with_figures_and_files(opened: Open, store: RunStore, run: str) -> None:
    first, second = made_attack(run, name="lira", memory=1.5), made_attack(run, memory=2.0, seed=1)
    for one in (first, second):
        store.add_attack(run, one)
    app = opened("attacks", run=run)
    assert app.selectbox(key="found").value == "2", "the strongest"
    text = texts(app)
    assert verdict.pair(second, None) in text
    for one in verdict.details(second, "node", None):
        assert f"- {one}" in text
    assert not [one for one in app.expander if "What follows" in one.label], "it stands open"
    assert cells(app)["right one of two picked (a coin: 50%)"][0].startswith(f"**{percent(second.found[0])}** ")
    assert "Black box" in text
    assert "node ε 8" in drawn(app)[0].split(": area")[0], "the run's own curve has the run's name"
    assert len(drawn(app)) == 1, "the curve; what is secondary is folded"
    unfold(app)
    assert len(drawn(app)) == 4
    offered = app.multiselect(key="over").options
    assert len(offered) == 1, "an attack is not laid over itself"
    assert offered[0].startswith("this run, 1: Likelihood ratio")
    app.multiselect(key="over").select("1").run()
    assert not app.exception
    assert app.query_params["over"] in ("1", ["1"]), "the address keeps what is compared"
    assert "BaVarIA" in drawn(app)[0], "the attacks' names, where several are drawn"
    assert drawn(app)[0].count("area") >= 3, "both, and chance"
    elsewhere = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    store.add_attack(elsewhere, made_attack(elsewhere, memory=0.2))
    app = opened("attacks", run=run)
    app.multiselect(key="over").select(elsewhere).run()
    assert not app.exception
    assert "node ε 2" in drawn(app)[0], "an attack on another run, by its name"
    again = opened("attacks", run=run, over=elsewhere)
    assert "node ε 2" in drawn(again)[0], "and a link to it shows the same"
    other = opened("attacks", run=run, found="1")
    assert verdict.lead(first, None) in texts(other)
    assert {"SVG", "CSV", "JSON"} <= set(offered_files.labels(app))


def test_a_file_of_an_attack_says_what_the_attack_has_shown(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a run that promises nothing, too: it has no audits, and its page says how large a claim must be."""
    left: dict[str, str] = {}

    def exports(figure: str, rows: list[Row], statements: Mapping[str, PrivacyStatement], **_: object) -> None:
        left[figure] = export(figure, rows, statements, "txt").decode()

    monkeypatch.setattr(shown, "figure_exports", exports)
    bare = keep(store, spec("gnn", unit="none"))
    store.add_attack(bare, replace(made_attack(bare, memory=3.0), bound=0.5333))
    unfold(opened("attacks", run=bare))
    for text in (left["attack_roc"], left["attack_scores"], left["attack_exposure"]):
        assert "at least 0.533" in text
        assert "none yet" not in text
        assert "no attack or audit" not in text
    kept = store.get(bare).statement
    assert kept is not None
    assert attack_words.with_bounds(kept, []) == kept
    smaller = replace(made_attack(bare), bound=0.5, delta=kept.delta / 2)
    assert attack_words.with_bounds(replace(kept, delta=0.1), [smaller]).epsilon_audited is None, "at another δ"


def test_each_number_stands_with_its_interval_and_each_attack_with_its_shadow_models(
    opened: Open, store: RunStore, run: str
) -> None:
    found = replace(made_attack(run, memory=1.5), bound=1.23987)
    store.add_attack(run, found)
    app = opened("attacks", run=run)
    unfold(app)
    shown = cells(app)
    assert shown["ε at least"][0].startswith("**1.23** "), "a lower bound is not rounded up"
    (about,) = [one.proto.help for one in app.markdown if one.value == "##### In numbers"]
    for own, mean in zip(found.outcome.rates, found.rates_found, strict=True):
        assert own.low < own.high
        assert mean.low < mean.high
        seen = found.outcome.measurable(own)
        name = f"found at {exact_percent(own.false)} false alarms"
        told = f"The mean of 3 models; on the run's own training nodes {percent(own.true)} ("
        assert (told in about) == seen, "the rest is in the help"
        # one value for one quantity: here and in the tables
        number = f"**{percent(mean.true)}** :gray[{percent(mean.low)} to {percent(mean.high)}]"
        assert (shown.get(name) == [number]) == seen, "one number, one interval"
        assert (name in shown) == (seen or own.false == RARE)
    (line,) = next(one.value for one in app.dataframe if "kind" in one.value.columns).to_dict("records")
    assert list(line)[:2] == ["area", "ε at least"], "a phone shows the first columns"
    assert (line["attack"], line["kind"]) == (1, "Likelihood ratio with a prior (BaVarIA)")
    assert line["models"] == "27 models (24 shadow, 3 attacked)"
    for place, rate in enumerate(found.rates_found):
        assert line[f"found at {exact_percent(rate.false)} false alarms"] == rates.found(found, place)
    assert {rates.found(found, place) for place in range(3)} > {"–"}, "too few others for the rarest"
    assert rates.found(found, 2) == percent(found.rates_found[2].true) != percent(found.outcome.rates[2].true)


def test_a_bound_above_the_sound_epsilon_is_an_alarm(opened: Open, store: RunStore, run: str) -> None:
    shown = made_attack(run, memory=4.0)
    assert shown.bound is not None
    assert 0 < shown.bound < shown.sound
    store.add_attack(run, replace(shown, sound=shown.bound / 2))
    app = opened("attacks", run=run)
    assert "Do not rely on this guarantee" in app.error[0].value
    assert math.isfinite(shown.bound)


def test_another_run_leaves_nothing_of_the_one_before_in_the_address(opened: Open, store: RunStore, run: str) -> None:
    elsewhere = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    for seed in (0, 1):
        store.add_attack(run, made_attack(run, seed=seed))
    store.add_attack(elsewhere, made_attack(elsewhere))
    app = opened("attacks", run=run, found="2", over=elsewhere)
    app.selectbox(key="run").select(elsewhere).run()
    assert not app.exception
    assert "In this page's address" not in texts(app)
    assert app.query_params["found"] in ("1", ["1"])
    assert "found" not in [one.key for one in app.selectbox], "of one attack there is nothing to choose"
    assert "over" not in app.query_params
    over = app.multiselect(key="over")
    assert (over.value, over.proto.set_value) == ([], True), "the browser is told that none is laid over"
    assert any("attacked" in one for one in app.selectbox(key="run").options)


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


def test_a_bound_of_nothing_refutes_nothing_and_the_rule_of_the_words_stands_beside_the_mark(
    opened: Open, store: RunStore
) -> None:
    bare = keep(store, spec("gnn", unit="none"))
    for bound in (0.0, 0.5):
        store.add_attack(bare, replace(made_attack(bare, memory=3.0), bound=bound))
        app = opened("attacks", run=bare, found=str(1 + (bound > 0)))
        assert ("- No bound on ε was shown." in texts(app)) == (bound == 0)
        assert ("a smaller claim would be refuted" in cells(app).get("ε at least", [""])[0]) == (bound > 0)
        assert all(rule in texts(app) for rule in verdicts.RULES), "the rule of the words is one click away"


def test_a_bound_of_0_beside_few_nodes_that_are_found_says_why(opened: Open, store: RunStore) -> None:
    bare, made = keep(store, spec("gnn", unit="none")), made_attack(memory=3.0)
    few = replace(made, run=bare, bound=0.0, outcome=replace(made.outcome, members=7))
    assert findings.too_few(few)
    assert not findings.too_few(replace(few, outcome=made.outcome))
    store.add_attack(bare, few)
    assert "- No bound on ε was shown: too few nodes were trained on." in texts(opened("attacks", run=bare))
    row = ranking.Place(run=store.get(bare), attack=few, alike=None, severe=0)
    assert "hardly any attack bounds ε" in " ".join(overview._about([row]))
    assert findings.bound(few) == "too few", "and no 0 that reads as no leak"
    assert findings.bound(replace(few, outcome=made.outcome)) == "nothing shown"


def test_on_a_narrow_page_the_numbers_stand_above_the_curve(opened: Open, store: RunStore, run: str) -> None:
    store.add_attack(run, made_attack(run))
    opened("attacks", run=run)
    assert f"[class*=st-key-{shell.STACK}-{shell.SECOND_FIRST}]" in shell._NARROW
    assert "column-reverse" in shell._NARROW


def test_one_comes_back_to_the_half_that_one_left(opened: Open, run: str) -> None:
    app = opened("attacks", run=run, who="worst-case")
    for page in ("runs", "attacks"):
        app.query_params.clear()
        app.switch_page(str(shell.folder() / f"{page}.py")).run()
    assert not app.exception, app.exception
    assert "An audit is such an attack" in texts(app)


def test_the_strongest_attack_on_what_is_hidden_is_shown_first(opened: Open, store: RunStore, run: str) -> None:
    records = [made_attack(run, memory=one, seed=place) for place, one in enumerate((0.1, 2.0, 0.5))]
    link = replace(made_attack(run, memory=3.0), attack="link", bound=None, steps=None)
    for one in (*records, link):
        store.add_attack(run, one)
    app = opened("attacks", run=run)
    assert app.selectbox(key="found").value == "2", "the run hides nodes"
    text = texts(app)
    assert "**Who was trained on?**" in text
    assert "**Who is connected to whom?**" in text
    (other,) = [one for one in app.button if one.label == "Show it"]
    other.click().run()
    assert app.selectbox(key="found").value == "4", "the way from the summary to the attack that it tells of"
    assert app.query_params["found"] in ("4", ["4"])
    assert overall.strongest([*records, link], [2, 2, 2, 2], "edge") == 4
    assert overall.strongest([*records, link], [2, 3, 2, 1], "edge") == 2, "what gives away most comes first"
    refuting = replace(records[0], sound=0.1, bound=0.2)
    assert overall.strongest([*records, refuting], [2, 4, 2, 4], "node") == 4, "what refutes our proof, before all"


def test_how_severe_a_finding_is_stands_in_words_and_colour(opened: Open, store: RunStore, run: str) -> None:
    for memory, severe in ((0.0, 0), (3.0, verdicts.GIVEN_AWAY)):
        assert verdicts.severity(made_attack(run, memory=memory, seed=5), None) == severe
    link = replace(made_attack(run, memory=3.0), attack="link", options=AttackOptions(by="distance"))
    assert verdicts.severity(link, None) == verdicts.UNDECIDED, "similarity alone may explain it"
    assert verdicts.severity(link, link) == 1, "a model that read no edge gives as much"
    store.add_attack(run, made_attack(run, memory=3.0))
    store.add_attack(run, made_attack(run, memory=0.1))
    app = opened("attacks", run=run)
    assert ":red-badge[given away]" in texts(app)


def test_outsider_worst_case_and_promise_are_told_by_one_measure(opened: Open, store: RunStore, run: str) -> None:
    found, audit = made_attack(run, memory=1.0), made_audit(run)
    store.add_attack(run, found)
    store.add_audit(run, audit)
    least, said = least_area(audit), store.get(run).statement
    assert least is not None
    assert said is not None
    scale = (
        "| a coin | 50% |\n"
        f"| an outsider, of models like this run | **{percent(found.found[0])}** |\n"
        "| the worst case: the same noise, on data made for the attack | "
        f"**{at_least(least)}** :gray[95% confidence] |\n"
        f"| what the sound ε allows the worst case | **{at_most(meaning.ranked(said.epsilon, said.delta))}** |"
    )
    for page, who in (("attacks", "outsider"), ("attacks", "worst-case"), ("train", "")):
        app = opened(page, run=run, **({"who": who} if who else {}))
        assert [one.value for one in app.markdown if one.value.endswith(scale)], (page, who)
    edges = keep(store, spec("gap", unit="edge"))
    told = right_how_often.told(store.get(edges), [made_attack(edges)], [])
    assert told == "", "who was trained on is not what it promises to hide"
    linked = replace(made_attack(edges), attack="link")
    assert right_how_often.told(store.get(edges), [linked], []) == "", "similar people are no neighbouring graphs"
    linked = replace(linked, options=replace(linked.options, by="influence"))
    assert "an outsider, of models like this" in right_how_often.told(store.get(edges), [linked], [])


def test_an_attacked_model_that_is_no_stand_in_for_the_run_is_pointed_out(
    opened: Open, store: RunStore, run: str
) -> None:
    for accuracy, said in ((0.70, True), (0.63, False)):
        store.add_attack(run, replace(made_attack(run), accuracy=accuracy, said=0.62))
        assert ("Models that differ so much" in texts(opened("attacks", run=run))) == said


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


def test_one_comes_back_to_the_run_that_one_left(opened: Open, store: RunStore) -> None:
    first, second = (keep(store, spec("dp-mlp", unit="node", epsilon=one, batch_size=8)) for one in (8.0, 4.0))
    app = opened("attacks", run=first)
    for page in ("runs", "attacks"):
        app.query_params.clear()
        app.switch_page(str(shell.folder() / f"{page}.py")).run()
    assert app.selectbox(key="run").value == first != second


def test_a_run_that_was_never_attacked_stays_offered_where_the_address_names_it(
    opened: Open, store: RunStore, run: str
) -> None:
    other = keep(store, spec("gnn", unit="none"))
    store.add_attack(run, made_attack(run))
    app = opened("attacks", run=other)
    assert app.selectbox(key="run").value == other
    assert app.selectbox(key="run").options.count(app.selectbox(key="run").options[0]) == 1
    assert opened("attacks").selectbox(key="run").value == run


def test_one_verdict_of_the_run_stands_above_its_attacks_and_the_strongest_counts(
    opened: Open, store: RunStore, run: str
) -> None:
    weak, strong = made_attack(run, memory=0.0, seed=5), made_attack(run, memory=3.0)
    link = replace(made_attack(run, memory=3.0), attack="link", options=AttackOptions(by="distance"), bound=None)
    for one in (weak, strong, link):
        store.add_attack(run, one)
    app = opened("attacks", run=run, found="1")
    assert verdict.pair(strong, None) in box(app), "whichever attack is shown"
    (line,) = [one.value for one in app.markdown if "an attacker picks the right one" in one.value]
    assert line.startswith(verdicts.area(link, None)), "what the box has told is not told again"
    assert verdict.lead(weak, None) in [one.value for one in app.markdown], "the one that is shown speaks for itself"
    again = opened("attacks", run=run, found="2")
    assert sum(verdict.pair(strong, None) in one.value for one in (*again.markdown, *again.error)) == 1, "said once"
