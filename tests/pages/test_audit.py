"""The Audit page: which run, which audit and at what cost; an audit under way; what audits have shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import texts

from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.privacy.statements import GAP_UNDIRECTED_EDGE
from privgraph.registry import AUDITS
from privgraph.runs import attacking, auditing
from privgraph.runs.attacking import Attacking
from privgraph.runs.auditing import Auditing
from privgraph.runs.records import StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import datasets, reach
from privgraph_workbench.jobs import downloads
from privgraph_workbench.views.attacks import worst_case
from privgraph_workbench.words.numbers import stated

Open = Callable[..., AppTest]
GAPS = (GAP_UNDIRECTED_EDGE,)


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
    assert "Nobody has attacked this run yet." in texts(app)


def test_the_page_of_an_open_run_does_not(opened: Open, store: RunStore) -> None:
    bare = keep(store, spec("gnn", unit="none"))
    assert not [one for one in opened("train", run=bare).get("page_link") if one.proto.label == "**Audit this run**"]


class TestANewAudit:
    def test_each_audit_is_offered_or_says_why_not(self, opened: Open, store: RunStore) -> None:
        edge = keep(store, spec("edge-rand", epsilon=8.0))
        subject = auditing.subject(store.get(edge))
        reason = AUDITS["white-box"].refuses(subject)
        assert reason is not None
        app = opened("audit", run=edge)
        said = texts(app)
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
            assert cost[1:] in texts(app)
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
        assert "16,000 trials can show 6.59 at most: they cannot refute the sound 8." in texts(app)
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
        assert "up to 10,000,000 trials, none could refute a claim" in texts(app)
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
        assert "It takes turn 1, which is spent" in texts(opened("audit", run=run))
        for seed in (0, 4):
            store.add_audit(run, replace(made_audit(run), seed=seed, turn=store.begin_audit(run)))
        app = opened("audit", run=run)
        assert app.number_input(key="audit.seed").value == 5
        assert (
            "Its own bound is judged at 99.5833%, so that all audits and attacks of this run together are right at 95%."
        ) in texts(app)
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
        assert "The first audit of this run is under way" in texts(app)
        assert worst_case.LOST in texts(app), "what a stop costs stands before it"
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
        assert "### A new audit" not in texts(app), "another form would speak of what is not under way"
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
        assert said in texts(app)
        assert not app.get("progress")
        assert not app.button(key="start_audit").disabled


@pytest.mark.long
def test_without_an_address_the_page_opens_where_an_audit_can_decide(opened: Open, store: RunStore) -> None:
    """Between the paper's claim and a larger proved one; and audited runs are offered first."""
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


def test_while_an_attack_runs_it_is_not_said_that_nothing_is_under_way(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = Attacking(token="ab12", name="lira", options=AttackOptions(), started=0.0, progress=0.4)
    monkeypatch.setattr(attacking, "states", lambda *_: [going])
    app = opened("audit", run=run)
    assert "No audit of this run is under way" not in texts(app)
    link = next(one.proto for one in app.get("page_link") if "An outsider's attack on this run" in one.proto.label)
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run, "who": "outsider"}


def test_why_the_first_audit_had_the_second_turn(opened: Open, store: RunStore, run: str) -> None:
    for turn in (1, 2):
        assert store.begin_audit(run) == turn
    store.add_audit(run, replace(made_audit(run), turn=2))
    app = opened("audit", run=run)
    assert "Listed as 1, it had turn 2." in texts(app)
    table = next(one.value for one in app.dataframe if "covers" in one.value)
    assert table["turn"].tolist() == [2]
    assert "it had turn" not in texts(opened("audit", run=_run_with_the_first_turn(store)))


def _run_with_the_first_turn(store: RunStore) -> str:
    """A run whose only audit took the first turn."""
    first = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    store.add_audit(first, replace(made_audit(first), turn=store.begin_audit(first)))
    return first
