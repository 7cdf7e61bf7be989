"""The page Attacks, outsiders: which run, which attack and at what cost; what it found; the old address."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.pages import offered_files
from tests.pages.kept_runs import keep, spec

from privgraph.attacks.options import AttackOptions
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import ATTACKS
from privgraph.runs import attacking
from privgraph.runs.attacking import Attacking
from privgraph.runs.store import RunStore
from privgraph_workbench.views.attacks import findings, outsider
from privgraph_workbench.words.numbers import percent

Open = Callable[..., AppTest]


def _texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info)
    return "\n".join(element.value for kind in kinds for element in kind)


def _drawn(app: AppTest) -> list[str]:
    return [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]


@pytest.fixture
def run(store: RunStore) -> str:
    return keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))


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
    assert app.selectbox(key="attacked").value == run


def test_runs_without_protection_can_be_attacked_and_not_audited(opened: Open, store: RunStore) -> None:
    bare = keep(store, spec("gnn", unit="none"))
    app = opened("attacks", run=bare)
    assert app.selectbox(key="attacked").value == bare
    assert [one.options for one in app.get("button_group") if one.key == "attack.query"]
    link = next(
        one.proto for one in opened("train", run=bare).get("page_link") if one.proto.label == "Attack it as an outsider"
    )
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": bare}


def test_the_old_address_is_that_of_the_worst_case(opened: Open, run: str) -> None:
    old, new = opened("audit", run=run), opened("attacks", run=run, who="worst-case")
    for app in (old, new):
        assert [title.value for title in app.title] == ["Attacks"]
        assert app.selectbox(key="audited").value == run
        assert any(button.label == "Start the audit" for button in app.button)
    outsiders = opened("attacks", run=run)
    assert any(button.label == "Start the attack" for button in outsiders.button)


@pytest.mark.parametrize("name", ATTACKS)
def test_each_attack_asks_for_what_it_reads_and_says_what_it_takes(
    opened: Open, store: RunStore, run: str, name: str
) -> None:
    own = {"shadow": ("privgnn", "node"), "prompts": ("prompt", "none")}
    of = keep(store, spec(own[name][0], unit=own[name][1])) if name in own else run
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
    assert takes in _texts(app).split("**What it takes.**")[1]


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
    assert app.button(key="start_attack").disabled
    app.button(key="stop_attack.ab12").click().run()
    assert stopped == ["ab12"]


@pytest.mark.parametrize(("ended", "said"), [({"error": "there was not enough memory"}, "not enough memory"),
                                             ({"stopped": True}, "was stopped")])  # fmt: skip
def test_an_attack_that_came_to_nothing_is_told(
    opened: Open, run: str, monkeypatch: pytest.MonkeyPatch, ended: dict[str, object], said: str
) -> None:
    over = Attacking(token="ab12", name="lira", options=AttackOptions(), started=0.0, done=True, **ended)  # type: ignore[arg-type]
    monkeypatch.setattr(attacking, "states", lambda *_: [over])
    assert said in _texts(opened("attacks", run=run))


def test_what_an_attack_found_with_figures_and_files(opened: Open, store: RunStore, run: str) -> None:
    first, second = made_attack(run, name="lira", memory=1.5), made_attack(run, memory=2.0, seed=1)
    for one in (first, second):
        store.add_attack(run, one)
    app = opened("attacks", run=run)
    assert app.selectbox(key="found").value == "2", "the newest"
    text = _texts(app)
    assert findings.conclusion(second) in text
    assert app.metric[0].value == f"{second.outcome.area:.3f}"
    assert "Black box" in text
    assert _drawn(app)[0].startswith("2: Likelihood ratio with a prior")
    assert len(_drawn(app)) == 4
    offered = app.multiselect(key=f"over.{run}").options
    assert len(offered) == 1, "an attack is not laid over itself"
    assert offered[0].startswith("1: Likelihood ratio")
    app.multiselect(key=f"over.{run}").select("1").run()
    assert not app.exception
    assert _drawn(app)[0].count("area") >= 3, "both, and chance"
    elsewhere = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    store.add_attack(elsewhere, made_attack(elsewhere, memory=0.2))
    app = opened("attacks", run=run)
    app.multiselect(key=f"over.{run}").select(elsewhere).run()
    assert not app.exception
    assert "node ε 2" in _drawn(app)[0], "an attack on another run, by its name"
    other = opened("attacks", run=run, found="1")
    assert findings.conclusion(first) in _texts(other)
    assert {"SVG", "CSV", "JSON"} <= set(offered_files.labels(app))


def test_a_curve_leaves_with_the_statement_of_every_run_that_is_laid_over_it(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    for one in (run, elsewhere):
        store.add_attack(one, made_attack(one))
    left: dict[str, list[float]] = {}

    def exports(figure: str, _rows: object, statements: Mapping[str, PrivacyStatement], **_: object) -> None:
        left[figure] = sorted(statement.epsilon for statement in statements.values())

    monkeypatch.setattr(outsider, "figure_exports", exports)
    app = opened("attacks", run=run)
    own, other = (store.get(one).statement for one in (run, elsewhere))
    assert own is not None
    assert other is not None
    assert left["attack_roc"] == [own.epsilon]
    app.multiselect(key=f"over.{run}").select(elsewhere).run()
    assert left["attack_roc"] == sorted([own.epsilon, other.epsilon])


@pytest.mark.parametrize(
    ("memory", "said"),
    [(0.0, "cannot be told from guessing"), (3.0, "gives away who trained it")],
)
def test_conclusions(memory: float, said: str) -> None:
    assert said in findings.conclusion(made_attack(memory=memory, seed=5))


def test_whether_it_is_guessing_is_for_the_interval_to_say_and_not_for_the_area() -> None:
    found = made_attack()
    for low, guesses in ((0.49, True), (0.51, False)):
        seen = replace(found.outcome, area=0.58, area_low=low, area_high=0.66)
        said = findings.conclusion(replace(found, outcome=seen))
        assert ("cannot be told from guessing" in said) == guesses


def test_each_number_stands_with_its_interval_and_each_attack_with_its_shadow_models(
    opened: Open, store: RunStore, run: str
) -> None:
    found = replace(made_attack(run, memory=1.5), bound=1.23987)
    store.add_attack(run, found)
    app = opened("attacks", run=run)
    assert app.metric[-1].value == "≥ 1.239", "a lower bound is not rounded up"
    below = [one.value for one in app.caption]
    for rate in found.outcome.rates:
        assert rate.low < rate.high
        assert f"{percent(rate.low)} to {percent(rate.high)}" in below
    (line,) = next(one.value for one in app.dataframe if "shadow models" in one.value.columns).to_dict("records")
    assert (line["shadow models"], line["attack"], line["asked"]) == (24, 1, "linked")
    assert line[f"found at {percent(0.01)} false"] == percent(found.rare.true)


def test_a_bound_above_the_sound_epsilon_is_an_alarm(opened: Open, store: RunStore, run: str) -> None:
    shown = made_attack(run, memory=4.0)
    assert shown.bound is not None
    assert 0 < shown.bound < shown.sound
    store.add_attack(run, replace(shown, sound=shown.bound / 2))
    app = opened("attacks", run=run)
    assert "do not rely on this run" in app.error[0].value
    assert math.isfinite(shown.bound)
