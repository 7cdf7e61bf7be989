"""The page Attacks, outsiders: which run, which attack and at what cost; what it found; the old address."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.pages import offered_files
from tests.pages.attack_pages import box, cells, unfold
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import summaries, texts

from privgraph.attacks import planning
from privgraph.attacks.exchange import group_delta
from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import RARE
from privgraph.audits.roc import least_area
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs import attacking
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.export import export
from privgraph_workbench.serving import styles
from privgraph_workbench.views.attacks import (
    findings,
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
    assert answer.startswith("This run's noise is public; with secret noise, the sound ε of "), (
        "one answer, as of any other run"
    )
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
    assert f"Its ε covers {subject.statement.released}." in follows


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
    assert "node ε 8" in summaries(app)[0].split(": area")[0], "the run's own curve has the run's name"
    assert len(summaries(app)) == 1, "the curve; what is secondary is folded"
    unfold(app)
    assert len(summaries(app)) == 4
    offered = app.multiselect(key="over").options
    assert len(offered) == 1, "an attack is not laid over itself"
    assert offered[0].startswith("this run, 1: Likelihood ratio")
    app.multiselect(key="over").select("1").run()
    assert not app.exception
    assert app.query_params["over"] in ("1", ["1"]), "the address keeps what is compared"
    assert "BaVarIA" in summaries(app)[0], "the attacks' names, where several are drawn"
    assert summaries(app)[0].count("area") >= 3, "both, and chance"
    elsewhere = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    store.add_attack(elsewhere, made_attack(elsewhere, memory=0.2))
    app = opened("attacks", run=run)
    app.multiselect(key="over").select(elsewhere).run()
    assert not app.exception
    assert "node ε 2" in summaries(app)[0], "an attack on another run, by its name"
    again = opened("attacks", run=run, over=elsewhere)
    assert "node ε 2" in summaries(again)[0], "and a link to it shows the same"
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
        number = f"**{percent(mean.true)}** :gray[({percent(mean.low)} to {percent(mean.high)})]"
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
    assert f"[class*=st-key-{styles.STACK}-{styles.SECOND_FIRST}]" in styles._NARROW
    assert "column-reverse" in styles._NARROW


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
    found, audit = replace(made_attack(run, memory=1.0), sound=0.5, bound=None), made_audit(run)
    store.add_attack(run, found)
    store.add_audit(run, audit)
    least, said = least_area(audit), store.get(run).statement
    assert least is not None
    assert said is not None
    twice = group_delta(found.sound, found.delta, 2)
    scale = (
        "| a coin | 50% |\n"
        f"| an outsider, of models like this run | **{percent(found.found[0])}** |\n"
        f"| what the sound ε allows that outsider | **{at_most(meaning.guess(2 * found.sound, twice))}** "
        ":gray[2 records change: 2 times ε] |\n"
        "| the worst case: the same noise, on data made for the attack | "
        f"**{at_least(least)}** :gray[95% confidence] |\n"
        f"| what the sound ε allows the worst case | **{at_most(meaning.ranked(said.epsilon, said.delta))}** |"
    )
    for page, who in (("attacks", "outsider"), ("attacks", "worst-case"), ("train", "")):
        app = opened(page, run=run, **({"who": who} if who else {}))
        assert [one.value for one in app.markdown if one.value.endswith(scale)], (page, who)
    other = right_how_often.told(store.get(run), [replace(found, steps=None)], [])
    assert "| what the sound ε allows that outsider | no limit: it plays another game, and tests no ε |" in other
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
