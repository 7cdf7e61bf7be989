"""The Audit page: which run, which audit and at what cost; an audit under way; what audits have shown."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures import made_runs
from tests.figures.made_audits import audit as made_audit
from tests.pages import offered_files
from tests.pages.kept_runs import keep, spec

from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.audits.record import AuditRecord, Bound
from privgraph.privacy.kinds import Adversary, Route
from privgraph.privacy.statements import GAP_UNDIRECTED_EDGE
from privgraph.registry import AUDITS
from privgraph.runs import attacking, auditing, gallery
from privgraph.runs.attacking import Attacking
from privgraph.runs.auditing import Auditing
from privgraph.runs.records import StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import datasets, reach
from privgraph_workbench.jobs import downloads
from privgraph_workbench.views.attacks import audited_runs, outcome, worst_case
from privgraph_workbench.views.parts import statement as promised
from privgraph_workbench.words import audits
from privgraph_workbench.words import statements as statement_words
from privgraph_workbench.words.numbers import lower, stated, upper

Open = Callable[..., AppTest]
GAPS = (GAP_UNDIRECTED_EDGE,)


def _texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info)
    return "\n".join(element.value for kind in kinds for element in kind)


def _boxes(app: AppTest) -> list[str]:
    """The three numbers of the audit that is shown, in the order of their boxes: the first on the page."""
    return [text.value.removeprefix("#### ") for text in app.markdown if text.value.startswith("#### ")][:3]


def _drawn(app: AppTest) -> list[str]:
    """What each figure of the page says to somebody who cannot see it."""
    return [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]


@pytest.fixture
def run(store: RunStore) -> str:
    """A finished DP-MLP, which every audit can be made of."""
    return keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))


def test_without_a_private_run_it_says_what_there_will_be(opened: Open, store: RunStore) -> None:
    keep(store, spec("gnn", unit="none"))
    app = opened("audit")
    assert "No private run is finished here yet" in app.info[0].value
    assert "Train a private run" in app.get("page_link")[0].proto.label


@pytest.mark.long
def test_wrong_addresses_are_one_sentence(opened: Open, store: RunStore, run: str) -> None:
    store.add_audit(run, made_audit(run))
    app = opened("audit", run="gap-karate-000000000000", audit="grey-box", shown="7", audit__confidence="2")
    said = "\n".join(text.value for text in app.warning)
    assert "There is no finished run gap-karate-000000000000 that protects anything" in said
    assert "there is no audit grey-box" in said
    assert "there is no audit number 7" in "\n".join(text.value for text in opened("audit", run=run, shown="7").warning)
    assert [text.value for text in app.error] == ["Confidence must be at most 0.9999 (got 2)."]


def test_a_run_that_protects_nothing_is_not_offered(opened: Open, store: RunStore, run: str) -> None:
    bare = keep(store, spec("gnn", unit="none"))
    app = opened("audit", run=bare)
    assert app.info[0].value.startswith("**Nothing to audit.**")
    assert app.query_params["run"] in (bare, [bare]), "no other run takes its place"
    assert len(app.selectbox(key="run").options) == 2, "another one can be chosen"
    ways = {one.proto.label: one.proto.query_string for one in app.get("page_link")}
    assert any(bare in query for label, query in ways.items() if label.startswith("Attack this run"))
    assert any(run in query for label, query in ways.items() if label.startswith("Audit instead: "))
    nobody = opened("audit", run="nobody")
    assert "There is no finished run nobody that protects anything" in nobody.warning[0].value


def test_from_a_run_that_cannot_be_audited_the_page_stays_on_its_graph(opened: Open, store: RunStore) -> None:
    there = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
    keep(store, replace(spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8), dataset="social"))
    bare = keep(store, spec("gnn", unit="none"))
    assert opened("audit").selectbox(key="run").value != there, "the newest is offered first"
    labels = [one.proto for one in opened("audit", run=bare).get("page_link")]
    first = next(one for one in labels if one.label.startswith("Audit instead: "))
    assert there in first.query_string


def test_runs_that_were_audited_are_marked_and_one_of_them_stands_first(
    opened: Open, store: RunStore, run: str
) -> None:
    other = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    assert opened("audit").selectbox(key="run").value == other, "the newest, as long as none was audited"
    statement = store.get(run).statement
    assert statement is not None
    store.add_audit(run, made_audit(run, delta=statement.delta))
    chosen = opened("audit").selectbox(key="run")
    assert chosen.value == run
    assert sorted(title.endswith(" · audited") for title in chosen.options) == [False, True]
    (marked,) = (title for title in chosen.options if title.endswith(" · audited"))
    assert "node ε 8," in marked


def test_the_page_of_a_run_leads_here_and_back(opened: Open, run: str) -> None:
    link = next(
        one.proto for one in opened("train", run=run).get("page_link") if one.proto.label == "**Audit this run**"
    )
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run, "who": "worst-case"}
    back = next(one.proto for one in opened("audit", run=run).get("page_link") if one.proto.label == "Open the run")
    assert dict(parse_qsl(back.query_string.removeprefix("?"))) == {"run": run}


def test_a_run_that_was_audited_leads_to_its_audits(opened: Open, store: RunStore, run: str) -> None:
    statement = store.get(run).statement
    assert statement is not None
    store.add_audit(run, made_audit(run, delta=statement.delta))
    bound = store.get(run).epsilon_audited
    assert bound is not None
    app = opened("train", run=run)
    links = {one.proto.label: one.proto for one in app.get("page_link")}
    assert "**Audit this run**" not in links, "that it was is said above"
    assert dict(parse_qsl(links["See the audit"].query_string.removeprefix("?"))) == {"run": run, "who": "worst-case"}
    told = f"Shown, by 1 audit: ε ≥ {stated('audited', bound)} of the whole run."
    assert told in [one.value for one in app.markdown], "one sentence; the rest is folded"
    (folded,) = [one.value for one in app.markdown if one.value.startswith("| who picks the right one of two |")]
    assert "| the worst case: the same noise, on data made for the attack | **at least " in folded
    assert any("not refuted, which is no proof" in one.value for one in app.markdown), "the answer, as a mark"
    assert "Nobody has attacked this run yet." in _texts(app)


def test_the_page_of_an_open_run_does_not(opened: Open, store: RunStore) -> None:
    bare = keep(store, spec("gnn", unit="none"))
    assert not [one for one in opened("train", run=bare).get("page_link") if one.proto.label == "**Audit this run**"]


def test_that_an_audit_could_not_have_refuted_the_claim_is_said_on_the_page_of_the_run(
    opened: Open, store: RunStore
) -> None:
    run = keep(store, spec("edge-rand", epsilon=8.0))
    statement = store.get(run).statement
    assert statement is not None
    made = made_audit(run, noise=0.8, claimed=statement.epsilon, published=statement.epsilon, delta=statement.delta)
    record = replace(made, bounds=made.bounds[:1])
    assert reach.too_few(record)
    assert not reach.too_few(made), "a trade-off is not limited by how much is counted"
    store.add_audit(run, record)
    most = f"{reach.most(record):.2f}, ε is {stated('sound', statement.epsilon)}"
    assert f"not refuted, nor could it be: this audit reaches {most}" in _texts(opened("train", run=run))
    store.add_audit(run, record)
    assert f"not refuted, nor could it be: these audits reach {most}" in _texts(opened("train", run=run))


@pytest.mark.parametrize("alone", [True, False])
def test_the_premise_of_a_refutation_stands_in_its_mark_with_what_stands_in_the_place_of_the_claim(
    opened: Open, store: RunStore, alone: bool
) -> None:
    run = keep(store, spec("progap", unit="edge", epsilon=8.0), public=True)
    said = store.get(run).statement
    assert said is not None
    published = said.epsilon_as_published
    assert published is not None
    made = made_audit(run, noise=0.8, claimed=said.epsilon, published=published, delta=said.delta)
    bounds = replace(made.bounds[0], epsilon=4.0 if alone else 6.5), replace(made.bounds[1], epsilon=7.5)
    assert 4.0 < published < 6.5
    store.add_audit(run, replace(made, turn=store.begin_audit(run), epsilon=7.5, bounds=bounds))
    text = _texts(opened("train", run=run))
    taken = ", if Gaussian" * alone
    assert f"the paper's {stated('published', published)} is refuted{taken}]" in text
    assert f". With secret noise, the sound {stated('sound', said.epsilon)} stands in its place." in text
    assert text.count("Its noise is public: as run, it protects nobody") == 1, "once, where it is told what it hides"


class TestANewAudit:
    def test_each_audit_is_offered_or_says_why_not(self, opened: Open, store: RunStore) -> None:
        edge = keep(store, spec("edge-rand", epsilon=8.0))
        subject = auditing.subject(store.get(edge))
        reason = AUDITS["white-box"].refuses(subject)
        assert reason is not None
        app = opened("audit", run=edge)
        said = _texts(app)
        assert f"Not offered: **{AUDITS['white-box'].title}**" in said
        assert reason[1:] in said

    def test_the_cost_stands_there_before_it_starts(self, opened: Open, store: RunStore, run: str) -> None:
        subject = auditing.subject(store.get(run))
        for name, option, value in (("mechanism", "trials", 1234), ("white-box", "canaries", 77)):
            if AUDITS[name].refuses(subject):
                continue
            app = opened("audit", run=run, audit=name, **{f"audit__{option}": str(value)})
            cost = AUDITS[name].cost(subject, AuditOptions(**{option: value}))
            assert f"{value:,}" in cost
            assert cost[1:] in _texts(app)
            keys = {field.key for field in app.number_input}
            assert f"audit.{option}" in keys
            assert len({"audit.trials", "audit.canaries"} & keys) == 1, "options that it does not read are not asked"

    def test_the_most_that_so_many_trials_can_show_stands_before_the_click(self, opened: Open, store: RunStore) -> None:
        """Trials that cannot reach the claim are not offered, and where none can that is said."""
        run = keep(store, spec("edge-rand", epsilon=8.0))
        statement = store.get(run).statement
        assert statement is not None
        made = made_audit(run, claimed=8.0, published=8.0, delta=statement.delta)
        record = replace(made, bounds=made.bounds[:1], turn=store.begin_audit(run))
        store.add_audit(run, record)
        app = opened("audit", run=run, audit="mechanism", audit__trials="16000")
        assert "16,000 trials can show 6.59 at most: they cannot refute the sound 8." in _texts(app)
        assert app.button(key="next.mechanism").label == "Audit again with 256,000 trials"
        assert any(
            one.value.startswith("256,000 trials can show 9.37 at most. 64,000 could not ") for one in app.caption
        )
        high = 10**7
        assert reach.enough(record, 2, 0.95, 4, high, reach.smallest_claim(record)) == 256_000
        assert reach.enough(record, 2, 0.95, 4, high, 40.0) is None
        assert reach.enough(made, 2, 0.95, 4, high, 8.0) == 16_000, "a trade-off may show more than is counted"
        far = keep(store, spec("edge-rand", epsilon=40.0))
        store.add_audit(far, replace(record, run=far, sound=40.0, published=40.0, turn=store.begin_audit(far)))
        app = opened("audit", run=far)
        assert "up to 10,000,000 trials, none could refute a claim" in _texts(app)
        assert "next.mechanism" not in {one.key for one in app.button}

    def test_it_starts_with_what_the_form_says(self, opened: Open, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[tuple[str, str, AuditOptions]] = []
        monkeypatch.setattr(auditing, "start", lambda store, run, name, options: asked.append((run, name, options)))
        app = opened(
            "audit", run=run, audit="white-box", audit__canaries="50", audit__confidence="0.9", audit__seed="3"
        )
        app.button(key="start_audit").click().run()
        assert not app.exception, app.exception
        assert asked == [(run, "white-box", AuditOptions(canaries=50, confidence=0.9, seed=3))]

    @pytest.mark.long
    def test_its_seed_is_one_that_no_audit_had(self, opened: Open, store: RunStore, run: str) -> None:
        assert "It takes turn 1, which is spent" in _texts(opened("audit", run=run))
        for seed in (0, 4):
            store.add_audit(run, replace(made_audit(run), seed=seed, turn=store.begin_audit(run)))
        app = opened("audit", run=run)
        assert app.number_input(key="audit.seed").value == 5
        assert (
            "Its own bound is judged at 99.5833%, so that all audits and attacks of this run together are right at 95%."
        ) in _texts(app)
        store.add_audit(run, replace(made_audit(run), seed=5, turn=store.begin_audit(run)))
        app.run()
        assert app.number_input(key="audit.seed").value == 6, "what nobody changed goes along"

    def test_an_audit_that_trains_waits_for_its_data_and_another_one_does_not(
        self, opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.add_audit(run, made_audit(run))
        monkeypatch.setattr(datasets, "unavailable", lambda _: "It is not at hand: put it there")
        monkeypatch.setattr(downloads, "possible", lambda _: True)
        over = Auditing(token="ab12", name="white-box", options=AuditOptions(), started=0.0, done=True, error="put it")
        monkeypatch.setattr(auditing, "states", lambda *_: [over])
        app = opened("audit", run=run, audit="white-box")
        said = "must be downloaded first: this audit trains on it."
        assert app.button(key="start_audit").disabled
        assert sum(said in one.value for one in app.caption) == 2, "in the form, and beside the next step"
        assert said in app.error[0].value
        assert "download.karate" in {str(one.key) for one in app.button}
        assert app.button(key="next.white-box").disabled
        app = opened("audit", run=run, audit="mechanism")
        assert not app.button(key="start_audit").disabled, "it plays the mechanisms alone"
        assert "download.karate" not in {str(one.key) for one in app.button}

    def test_what_the_start_refuses_is_one_sentence(
        self, opened: Open, run: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> str:
            raise StoreError("no audit could be started (no room)")

        monkeypatch.setattr(auditing, "start", refuse)
        app = opened("audit", run=run, audit="white-box")
        app.button(key="start_audit").click().run()
        assert [text.value for text in app.error] == ["No audit could be started (no room)."]

    def test_a_mistyped_number_is_one_sentence(self, opened: Open, run: str) -> None:
        app = opened("audit", run=run, audit="white-box")
        app.text_input(key="audit.confidence").set_value("sure").run()
        assert [text.value for text in app.error] == ["Confidence must be a number (got sure)."]
        assert any(text.value == "Correct Confidence in the form first." for text in app.info)
        assert "start_audit" not in {button.key for button in app.button}


class TestUnderWay:
    @pytest.fixture
    def going(self, monkeypatch: pytest.MonkeyPatch) -> list[Auditing]:
        """The audits that the page will find."""
        found: list[Auditing] = []
        monkeypatch.setattr(auditing, "states", lambda store, run: list(found))
        return found

    def test_progress_and_a_stop(
        self, opened: Open, run: str, going: list[Auditing], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stopped: list[tuple[str, str]] = []
        monkeypatch.setattr(auditing, "stop", lambda store, run, token: stopped.append((run, token)))
        going.append(
            Auditing(token="ab12", name="mechanism", options=AuditOptions(), started=0.0, progress=0.4, stage="trials")
        )
        app = opened("audit", run=run)
        (bar,) = app.get("progress")
        assert bar.proto.value == 40
        assert bar.proto.text.startswith(f"{AUDITS['mechanism'].title} · 40% · trials · about")
        assert "start_audit" not in {one.key for one in app.button}, "one at a time: its progress stands there instead"
        assert "The first audit of this run is under way" in _texts(app)
        assert worst_case.LOST in _texts(app), "what a stop costs stands before it"
        assert app.button(key="stop_audit.ab12").label == "Stop the audit for good"
        app.button(key="stop_audit.ab12").click().run()
        assert not app.exception, app.exception
        assert stopped == [(run, "ab12")]

    def test_beside_other_audits_its_progress_stands_once(
        self, opened: Open, store: RunStore, run: str, going: list[Auditing]
    ) -> None:
        store.add_audit(run, made_audit(run))
        going.append(Auditing(token="ab12", name="mechanism", options=AuditOptions(), started=0.0, progress=0.4))
        app = opened("audit", run=run, audit="mechanism")
        assert len(app.get("progress")) == 1
        assert "### A new audit" not in _texts(app), "another form would speak of what is not under way"
        assert not [one for one in app.button if str(one.key).startswith(("next.", "start_audit"))]

    @pytest.mark.parametrize(
        ("ended", "said"),
        [
            ({"error": "the audit's process ended"}, "The last audit failed: the audit's process ended."),
            (
                {"stopped": True, "progress": 0.08},
                "stopped at 8%. Nothing that it had found is kept. It has used up its",
            ),
        ],
    )
    def test_how_the_last_one_ended(
        self, opened: Open, run: str, going: list[Auditing], ended: dict[str, object], said: str
    ) -> None:
        going.append(
            Auditing(token="ab12", name="mechanism", options=AuditOptions(), started=0.0, done=True, **ended)  # type: ignore[arg-type]
        )
        app = opened("audit", run=run)
        assert said in _texts(app)
        assert not app.get("progress")
        assert not app.button(key="start_audit").disabled


def test_all_audited_runs_stand_in_one_table_that_opens_them(opened: Open, store: RunStore, run: str) -> None:
    other = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    said = store.get(run).statement
    assert said is not None
    store.add_audit(run, made_audit(run, noise=0.8, delta=said.delta))
    label = "Which claims are refuted?"
    assert label not in str([one.label for one in opened("audit", run=run).expander]), "of one there is nothing to rank"
    store.add_audit(other, made_audit(other, noise=0.4, delta=said.delta))
    app = opened("audit", run=run)
    app.session_state["fold.audited"] = True
    app.run()
    assert not app.exception
    table = next(one.value for one in app.dataframe if "refuted" in one.value.columns)
    assert list(table.columns) == [
        "ε audited",
        "taking nothing for granted",
        "ε as published",
        "sound ε",
        "refuted",
        "run",
    ]
    shown = store.audited_by(AUDITS)
    assert shown[other] > shown[run]
    assert list(table["ε audited"]) == [stated("audited", shown[one]) for one in (other, run)], "the most first"
    assert [one.startswith("▸ ") for one in table["run"]] == [False, True], "the one that is open is marked"
    said = replace(said, epsilon=8.0, epsilon_as_published=4.0)
    told = ("nothing", "the paper's formula", "our proof")
    assert tuple(audited_runs.refuted(said, one) for one in (4.0, 5.0, 9.0)) == told
    assert audited_runs.refuted(replace(said, epsilon_as_published=None), 5.0) == "nothing"
    assert audited_runs.refuted(said, 5.0, 4.5) == "the paper's formula", "without any premise, too"
    assert audited_runs.refuted(said, 5.0, 2.0) == f"the paper's formula, {audited_runs.PREMISE}"


class TestShown:
    def test_before_the_first_it_says_so(self, opened: Open, run: str) -> None:
        assert "has not been audited yet" in opened("audit", run=run).info[-1].value

    def test_three_numbers_figures_and_exports(self, opened: Open, store: RunStore, run: str) -> None:
        planned = store.get(run).statement
        assert planned is not None
        record = made_audit(run, noise=0.8, published=9.0, delta=planned.delta)
        store.add_audit(run, record)
        app = opened("audit", run=run)
        assert "is public" not in _texts(app), "the noise of this run is secret"
        sound, published, audited = _boxes(app)
        assert float(sound) >= record.sound
        assert published == "9"
        assert 0 < float(audited.removeprefix("≥ ")) <= record.epsilon
        assert "can show" not in _texts(app), "so many trials could have shown the claim"
        said = outcome.lead(replace(record, sound=9.5))
        assert "By counting alone, 4,000 trials can show " in said, "what was not shown may be out of reach"
        counted = outcome.lead(replace(record, sound=9.5, bounds=record.bounds[:1]))
        assert counted.startswith("**Inconclusive: this audit could not have refuted the sound 9.5.** 4,000 trials can")
        assert f"**Not refuted: the sound {upper(record.sound)}.**" in app.info[0].value
        assert "each ε is the curve of one mechanism" in _texts(app)
        store.add_audit(run, replace(record, bounds=record.bounds[:1]))
        alone = _texts(opened("audit", run=run, shown="2"))
        assert "draws a line that no attack can cross" in alone
        assert "curve of one mechanism" not in alone, "none is drawn where the noise is not Gaussian alone"
        assert "μ" not in alone
        assert not app.error
        drawn = "\n".join(_drawn(app))
        for words in ("The area under the attack's curve", "shown by a threshold (counts)", "have"):
            assert words in drawn
        (scale,) = [one for one in app.get("button_group") if one.key == "scale"]
        assert scale.value == "log", "where the claims lie apart"
        labels = offered_files.labels(app)
        assert labels.count("SVG") == labels.count("JSON") == 3
        statement = store.get(run).statement
        assert statement is not None
        assert statement.epsilon_audited == record.epsilon
        assert "### What the run claims" not in _texts(app), "one set of three numbers"
        assert len([text.value for text in app.markdown if text.value.startswith("#### ")]) == 4, "and one heading"
        assert record.notes[0] in _texts(app)

    def test_that_noise_is_public_is_one_line_with_what_it_means(self, opened: Open, store: RunStore) -> None:
        run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8), public=True)
        claims = _texts(opened("audit", run=run))
        assert promised.PUBLIC in claims, "of what the run claims"
        store.add_audit(run, made_audit(run, noise=0.8, published=9.0))
        app = opened("audit", run=run)
        assert app.info[0].value.startswith("**Not refuted"), "a verdict begins with what was asked"
        answer = app.info[0].value.split("\n\n")[1]
        assert answer.startswith("With secret noise, the sound ε of ")
        assert ":red-badge[:material/key_off: public noise: as run, protects nobody]" in _texts(app)
        assert statement_words.PUBLIC_NOISE in _texts(app)
        assert promised.PUBLIC in [one.value for one in app.markdown], "on its card, in the words of the run's page"
        (way,) = [one.proto for one in app.get("page_link") if one.proto.label == "Train it again with secret noise"]
        assert dict(parse_qsl(way.query_string.removeprefix("?")))["from"] == run
        store.add_audit(run, made_audit(run, noise=0.4, published=0.5))
        assert (
            opened("audit", run=run, shown="2").warning[0].value.startswith("**Refuted: the 0.5 that the paper claims.")
        )

    @pytest.mark.parametrize(
        ("claims", "red", "said"),
        [
            ({"published": 0.5}, [False, True, False], "**Refuted: the 0.5 that the paper claims. The sound "),
            ({"claimed": 0.5, "published": None}, [True, False, False], "One of our proofs, or the code, is wrong"),
        ],
    )
    def test_what_is_refuted_is_red_and_said(
        self, opened: Open, store: RunStore, run: str, claims: dict[str, float], red: list[bool], said: str
    ) -> None:
        store.add_audit(run, made_audit(run, noise=0.4, **claims))  # type: ignore[arg-type]
        app = opened("audit", run=run)
        assert [":red[" in box for box in _boxes(app)] == red
        # what we prove and an audit refutes is our error; what the paper alone promises is a warning
        shown, hidden = (app.error, app.warning) if red[0] else (app.warning, app.error)
        (complaint,) = shown
        assert said in complaint.value
        assert complaint.value.count(". ") <= 3, "what fell and what was found; the rest stands below"
        assert "The bound is right at 95% confidence" in _texts(app)
        assert not hidden

    @pytest.mark.parametrize(
        ("claims", "said"),
        [
            (
                {},
                "**Not refuted: the sound {}.** By counting alone, 4,000 trials can show 5.43 at most. The attack",
            ),
            ({"claimed": math.inf}, "**Nothing to refute: no ε is proved here.**"),
            (
                {"gaps": True},
                "The paper's 2.5 rests on an analysis with a known gap, which is proved on paper (the run's page",
            ),
        ],
    )
    def test_the_conclusion_is_for_people_and_comes_first(self, claims: dict[str, object], said: str) -> None:
        asked = {**claims, "published": 9.0}
        gaps = GAPS if asked.pop("gaps", None) else ()
        record = made_audit(noise=0.8, **{**asked, "published": 2.5} if gaps else asked)  # type: ignore[arg-type]
        statement = replace(made_runs.statement(made_runs.node_entries(2.0), unit="node"), gaps=gaps)
        found = f"{outcome.lead(record)} {outcome.weaker(record, statement)}"
        assert f"The attack shows that the ε is at least {lower(record.epsilon)}. " in found
        assert found.startswith("**")
        assert said.format(upper(record.sound)) in found

    @pytest.mark.parametrize(("published", "alone"), [(5.0, True), (0.1, False)])
    def test_a_bound_for_gaussian_noise_says_so_in_the_verdict_and_on_its_card(
        self, opened: Open, store: RunStore, run: str, published: float, alone: bool
    ) -> None:
        made = made_audit(run, noise=0.8, published=published)
        bare, route = made.epsilon, replace(made.bounds[1], epsilon=7.5)
        record = replace(made, epsilon=7.5, sound=9.0, bounds=(made.bounds[0], route))
        assert 0.1 < bare < 5.0
        turn, planned = store.begin_audit(run), store.get(run).statement
        assert planned is not None
        store.add_audit(run, replace(record, turn=turn, delta=planned.delta))
        text = _texts(opened("audit", run=run))
        premise = "if the noise is Gaussian, as the ledger says"
        shown = "On that premise, the attack shows that" if alone else "The attack shows that"
        assert f"{shown} the ε is at least 7.5{'' if alone else f' {premise}'}." in text
        app = opened("audit", run=run)
        assert app.selectbox(key="shown").options == [f"1: ε ≥ 7.5 if Gaussian, else {lower(bare)}, {record.title}"], (
            "its premise is read on a phone"
        )
        headline = f"**Refuted, {premise}: the 5 that the paper claims. The sound 9 stands.**"
        assert (headline in text) == alone
        table = next(one.value for one in app.dataframe if "covers" in one.value)
        assert table["taking nothing for granted"].tolist() == [lower(bare)]
        assert table["takes for granted"].tolist() == [premise]
        assert f"{premise}; ≥ {lower(bare)} without that premise" in text.replace(f"7.5 {premise}", "")
        bare_told = f"Without that premise, at least {lower(bare)} is shown, which does not refute it."
        assert (bare_told in text) == alone
        assert "who trusts the program may assume it" in text
        assert ("refuted, if Gaussian" in text) == alone, "in short where it stands beside it in full"
        assert "audits have shown that ε is at least" not in text, "the noise of this run is sampled, too"
        assert audits.without_premise(made) is None, "a threshold takes nothing for granted"

    def test_without_its_premise_what_the_run_claims_is_smaller(self, opened: Open, store: RunStore) -> None:
        run = keep(store, spec("progap", unit="edge", epsilon=8.0))
        made = made_audit(run, noise=0.8, delta=0.1, published=5.0)
        turn, route = store.begin_audit(run), replace(made.bounds[1], epsilon=7.5)
        store.add_audit(run, replace(made, turn=turn, epsilon=7.5, sound=9.0, bounds=(made.bounds[0], route)))
        text = _texts(opened("train", run=run))
        assert "confidence 95%, mechanisms played; if the noise is Gaussian, as the ledger says" in text
        assert f"≥ {lower(made.epsilon)} without that premise" in text
        app = opened("train", run=run)
        told = f"≥ 7.5 of the whole run if the noise is Gaussian, as the ledger says; ≥ {lower(made.epsilon)} without"
        assert told in _texts(app), "the way to its audits says both"
        assert f"≥ {lower(made.epsilon)} without that premise" in [one.value for one in app.caption], "and its card"

    def test_a_bound_of_canaries_names_all_that_it_takes_for_granted(
        self, opened: Open, store: RunStore, run: str
    ) -> None:
        made = made_audit(run, noise=0.8, published=5.0)
        shown = Bound(route=Route.GAUSSIAN, epsilon=7.5), Bound(route=Route.ONE_RUN, epsilon=0.4)
        canaries = replace(made, adversary=Adversary.CANARIES, audit="white-box", epsilon=7.5, bounds=shown, sound=9.0)
        premises = "if the noise is Gaussian, and the sampling and the number of steps are as the ledger says"
        assert outcome.lead(canaries).startswith(f"**Refuted, {premises}: the 5 that the paper claims.")
        assert "On these premises, the attack shows that the ε is at least 7.5." in outcome.lead(canaries)
        assert "Without these premises, at least 0.4 is shown, which does not refute it." in outcome.lead(canaries)
        store.add_audit(run, canaries)
        text = _texts(opened("audit", run=run))
        assert f"{premises}; ≥ 0.4 without these premises" in text
        assert "refuted, under premises" in text

    @pytest.mark.parametrize(("published", "said"), [(2.9, "2.91"), (2.9114, "2.912"), (9.0, "2.91")])
    def test_a_bound_that_refutes_is_seen_to_be_larger(self, published: float, said: str) -> None:
        assert outcome.least(replace(made_audit(published=published), epsilon=2.91239, sound=4.0)) == said

    def test_what_an_audit_refutes_is_explained_beside_it(self) -> None:
        """The paper and its claim, what fails, what holds; the relation and the bound's premise below."""
        statement = replace(made_runs.statement(made_runs.node_entries(2.0), unit="node"), gaps=GAPS)
        refuting = made_audit(noise=0.8, published=0.1)
        assert refuting.refutes_published
        assert outcome.why(refuting, statement) == (
            f"Why ({GAPS[0].source}): the paper counts that {GAPS[0].claim}. In fact, {GAPS[0].fails}. "
            f"What holds: {GAPS[0].holds}."
        )
        assert not outcome.why(refuting, replace(statement, gaps=()))
        assert not outcome.why(made_audit(noise=0.8, published=9.0), statement)

    @pytest.mark.long
    def test_the_next_step_is_one_click(
        self, opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[tuple[str, int, int]] = []
        monkeypatch.setattr(
            auditing, "start", lambda store, run, name, options: asked.append((name, options.trials, options.seed))
        )
        store.add_audit(run, made_audit(run))
        app = opened("audit", run=run)
        box = next(text.value for text in app.info if "**Not refuted" in text.value)
        assert "one threshold alone" not in box, "here the threshold is the bound that counts"
        assert "Why two bounds from the same trials?" in _texts(app)
        assert app.button(key="next.mechanism").label == "Audit again with 16,000 trials"
        spent = "It takes turn 1, which is spent even if it is stopped or fails once it has begun to play."
        assert sum(one.value.endswith(spent) for one in app.caption) == 2, "at each button that starts one"
        app.button(key="next.mechanism").click().run()
        app.button(key="next.white-box").click().run()
        assert asked == [("mechanism", 16_000, 1), ("white-box", 4000, 1)]

    def test_where_nothing_is_proved_nothing_is_refuted(self, opened: Open, store: RunStore, run: str) -> None:
        store.add_audit(run, made_audit(run, claimed=math.inf, published=None))
        app = opened("audit", run=run)
        assert _boxes(app)[:2] == ["∞, none proved", "no formula"]
        assert not app.error

    @pytest.mark.long
    def test_a_smaller_delta_says_nothing_of_the_runs_own(self, opened: Open, store: RunStore, run: str) -> None:
        statement = store.get(run).statement
        assert statement is not None
        cases = ((statement.delta / 2, True), (statement.delta, False), (2 * statement.delta, False))
        for place, (delta, said) in enumerate(cases, start=1):
            store.add_audit(run, made_audit(run, delta=delta))
            assert ("a smaller δ than the run's" in _texts(opened("audit", run=run, shown=str(place)))) == said

    def test_one_step_is_not_the_run(self, opened: Open, store: RunStore, run: str) -> None:
        store.add_audit(run, made_audit(run, covers="step"))
        assert "of one step alone: not the run" in _texts(opened("audit", run=run))

    @pytest.mark.long
    def test_the_strongest_that_counts_comes_first_and_the_address_names_another(
        self, opened: Open, store: RunStore, run: str
    ) -> None:
        statement = store.get(run).statement
        assert statement is not None
        delta = statement.delta
        first = made_audit(run, noise=0.8, seed=1, published=None, delta=delta)
        second = replace(made_audit(run, noise=3.0, seed=2, published=None, delta=delta), title="The second")
        store.add_audit(run, first)
        store.add_audit(run, second)
        app = opened("audit", run=run)
        assert app.selectbox(key="shown").value == "1"
        assert app.selectbox(key="shown").options[1].startswith("2: ε ≥ ")
        table = next(one.value for one in app.dataframe if "covers" in one.value)
        assert table["audit"].tolist() == [2, 1]
        assert table["seed"].tolist() == [2, 1]
        weaker = opened("audit", run=run, shown="2")
        assert f"Audit 1 of this run has shown more: ε at least {lower(first.epsilon)}." in _texts(weaker)
        assert "has shown more" not in _texts(app)
        assert float(_boxes(weaker)[2].removeprefix("≥ ")) < float(_boxes(app)[2].removeprefix("≥ "))
        weaker.button(key="show_stronger").click().run()
        assert weaker.selectbox(key="shown").value == "1"
        store.add_audit(run, made_audit(run, noise=0.4, published=None, covers="step", delta=delta))
        store.add_audit(run, made_audit(run, noise=0.4, published=None, delta=delta / 2))
        assert opened("audit", run=run).selectbox(key="shown").value == "1", "of one step, or at a smaller delta"

    def test_a_new_audit_comes_to_the_front(self, opened: Open, store: RunStore, run: str) -> None:
        store.add_audit(run, made_audit(run))
        app = opened("audit", run=run, shown="1")
        store.add_audit(run, made_audit(run, seed=1))
        app.run()
        assert not app.exception, app.exception
        assert app.selectbox(key="shown").value == "2"


def test_why_the_published_number_is_another_stands_beside_it(opened: Open, store: RunStore) -> None:
    """In the claims, and above what an audit has shown."""
    run = keep(store, spec("heter-poisson", unit="node", epsilon=8.0))
    statement = store.get(run).statement
    assert statement is not None
    assert statement.epsilon_as_published is not None
    why = statement_words.why_published(statement)
    assert why == "larger than the sound one: it promises less"
    assert why in _texts(opened("audit", run=run))
    store.add_audit(run, made_audit(run, noise=0.8, published=100.0, delta=statement.delta))
    assert _texts(opened("audit", run=run)).count(why) == 1, "one set of three numbers"
    smaller = replace(statement, epsilon_as_published=statement.epsilon / 2)
    assert statement_words.why_published(smaller).startswith("smaller than what is proved: do not rely on it")
    for same in (None, statement.epsilon * 1.01):
        assert not statement_words.why_published(replace(statement, epsilon_as_published=same))


@pytest.mark.long
def test_without_an_address_the_page_opens_where_an_audit_can_decide(opened: Open, store: RunStore) -> None:
    """Between the paper's claim and a larger proved one; and audited runs are offered first."""
    gallery.bring_in(store)
    app = opened("audit")
    said = store.get(str(app.selectbox(key="run").value)).statement
    assert said is not None
    assert said.epsilon_as_published is not None
    assert said.epsilon_as_published < said.epsilon < math.inf
    run = keep(store, spec("progap", unit="node", epsilon=1.0))
    keep(store, spec("progap", unit="node", epsilon=2.0))
    own = store.get(run).statement
    assert own is not None
    store.add_audit(run, made_audit(run, delta=own.delta))
    app = opened("audit")
    assert app.selectbox(key="run").value == run
    assert app.selectbox(key="run").options[0].endswith(" · audited")


def test_an_old_audit_is_found_behind_many_newer_runs(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gallery's audited runs are older than hundreds of others."""
    old = keep(store, spec(epsilon=2.0))
    statement = store.get(old).statement
    assert statement is not None
    store.add_audit(old, made_audit(old, delta=statement.delta))
    newer = [keep(store, spec(epsilon=2.0, seed=seed)) for seed in range(1, 4)]
    monkeypatch.setattr(worst_case, "MOST_RUNS", 2)
    app = opened("attacks", who="worst-case")
    assert app.selectbox(key="run").value == old
    assert app.selectbox(key="run").options[0].endswith(" · audited")
    assert newer


def test_the_form_of_a_new_audit_stays_open_when_the_default_is_chosen(opened: Open, store: RunStore, run: str) -> None:
    """The default leaves the address, which then asks for no audit."""
    store.add_audit(run, made_audit(run))

    def is_open(app: AppTest) -> bool:
        return next(one.proto.expanded for one in app.expander if one.label == "A new audit of this run")

    assert not is_open(opened("audit", run=run))
    app = opened("audit", run=run, audit="white-box")
    assert is_open(app)
    choose = next(one for one in app.get("button_group") if one.key == "audit")
    choose.set_value("mechanism").run()
    assert "audit" not in app.query_params
    assert not app.exception
    assert is_open(app)


def _outsider(run: str, epsilon: float, delta: float, turn: int = 0) -> AuditRecord:
    """A bound that came from an outsider's attack."""
    made = made_audit(run, delta=delta)
    route = replace(made.bounds[0], route=Route.ONE_RUN, epsilon=epsilon)
    return replace(
        made,
        audit="bavaria",
        title="BaVarIA",
        adversary=Adversary.OUTSIDER,
        epsilon=epsilon,
        bounds=(route,),
        turn=turn,
    )


def test_a_bound_of_an_outsider_is_marked_and_stands_behind_real_audits(
    opened: Open, store: RunStore, run: str
) -> None:
    weak, bound = (keep(store, spec("dp-mlp", unit="node", epsilon=one, batch_size=8)) for one in (4.0, 2.0))
    statement = store.get(run).statement
    assert statement is not None
    delta = statement.delta
    store.add_audit(run, made_audit(run, noise=0.8, published=None, delta=delta))
    store.add_audit(weak, made_audit(weak, noise=3.0, published=None, delta=delta))
    for one in (run, bound):
        store.add_audit(one, _outsider(one, 3.5, delta))
    app = opened("audit")
    assert app.selectbox(key="run").value == weak, "the newest that was audited; an attack is no audit"
    app = opened("audit", run=run)
    marks = [one.split(" · ")[-1] for one in app.selectbox(key="run").options]
    assert marks == ["audited", "audited", "bound of an outsider's attack"]
    assert app.selectbox(key="shown").value == "1", "the audit, though the attack has shown more"
    assert app.selectbox(key="shown").options[1] == "2: ε ≥ 3.5, BaVarIA, an outsider"
    assert store.audited_by(["mechanism"]).keys() == {run, weak}


def test_while_an_attack_runs_it_is_not_said_that_nothing_is_under_way(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = Attacking(token="ab12", name="lira", options=AttackOptions(), started=0.0, progress=0.4)
    monkeypatch.setattr(attacking, "states", lambda *_: [going])
    app = opened("audit", run=run)
    assert "No audit of this run is under way" not in _texts(app)
    link = next(one.proto for one in app.get("page_link") if "An outsider's attack on this run" in one.proto.label)
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run, "who": "outsider"}


def test_why_the_first_audit_had_the_second_turn(opened: Open, store: RunStore, run: str) -> None:
    for turn in (1, 2):
        assert store.begin_audit(run) == turn
    store.add_audit(run, replace(made_audit(run), turn=2))
    app = opened("audit", run=run)
    assert "Listed as 1, it had turn 2." in _texts(app)
    table = next(one.value for one in app.dataframe if "covers" in one.value)
    assert table["turn"].tolist() == [2]
    assert "it had turn" not in _texts(opened("audit", run=_run_with_the_first_turn(store)))


def _run_with_the_first_turn(store: RunStore) -> str:
    """A run whose only audit took the first turn."""
    first = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    store.add_audit(first, replace(made_audit(first), turn=store.begin_audit(first)))
    return first
