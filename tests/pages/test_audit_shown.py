"""What audits have shown, on the page Attacks and on the page of a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures import made_runs
from tests.figures.made_audits import audit as made_audit
from tests.pages import offered_files
from tests.pages.attack_pages import boxes
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import summaries, texts

from privgraph.audits.record import AuditRecord, Bound
from privgraph.privacy.kinds import Adversary, Route
from privgraph.privacy.statements import GAP_UNDIRECTED_EDGE
from privgraph.runs import auditing
from privgraph.runs.store import RunStore
from privgraph_workbench.views.attacks import outcome
from privgraph_workbench.views.parts import statement as promised
from privgraph_workbench.words import audits
from privgraph_workbench.words import statements as statement_words
from privgraph_workbench.words.numbers import lower, upper

Open = Callable[..., AppTest]
GAPS = (GAP_UNDIRECTED_EDGE,)


class TestShown:
    def test_before_the_first_it_says_so(self, opened: Open, run: str) -> None:
        assert "has not been audited yet" in opened("audit", run=run).info[-1].value

    def test_three_numbers_figures_and_exports(self, opened: Open, store: RunStore, run: str) -> None:
        planned = store.get(run).statement
        assert planned is not None
        record = made_audit(run, noise=0.8, published=9.0, delta=planned.delta)
        store.add_audit(run, record)
        app = opened("audit", run=run)
        assert "is public" not in texts(app), "the noise of this run is secret"
        sound, published, audited = boxes(app)
        assert float(sound) >= record.sound
        assert published == "9"
        assert 0 < float(audited.removeprefix("≥ ")) <= record.epsilon
        assert "can show" not in texts(app), "so many trials could have shown the claim"
        said = outcome.lead(replace(record, sound=9.5))
        assert "By counting alone, 4,000 trials can show " in said, "what was not shown may be out of reach"
        counted = outcome.lead(replace(record, sound=9.5, bounds=record.bounds[:1]))
        assert counted.startswith("**Inconclusive: this audit could not have refuted the sound 9.5.** 4,000 trials can")
        assert f"**Not refuted: the sound {upper(record.sound)}.**" in app.info[0].value
        assert "each ε is the curve of one mechanism" in texts(app)
        store.add_audit(run, replace(record, bounds=record.bounds[:1]))
        alone = texts(opened("audit", run=run, shown="2"))
        assert "draws a line that no attack can cross" in alone
        assert "curve of one mechanism" not in alone, "none is drawn where the noise is not Gaussian alone"
        assert "μ" not in alone
        assert not app.error
        figures = "\n".join(summaries(app))
        for words in ("The area under the attack's curve", "shown by a threshold (counts)", "have"):
            assert words in figures
        (scale,) = [one for one in app.get("button_group") if one.key == "scale"]
        assert scale.value == "log", "where the claims lie apart"
        labels = offered_files.labels(app)
        assert labels.count("SVG") == labels.count("JSON") == 3
        statement = store.get(run).statement
        assert statement is not None
        assert statement.epsilon_audited == record.epsilon
        assert "### What the run claims" not in texts(app), "one set of three numbers"
        assert len([text.value for text in app.markdown if text.value.startswith("#### ")]) == 4, "and one heading"
        assert record.notes[0] in texts(app)

    @pytest.mark.long
    def test_that_noise_is_public_is_one_line_with_what_it_means(self, opened: Open, store: RunStore) -> None:
        run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8), public=True)
        claims = texts(opened("audit", run=run))
        assert promised.PUBLIC in claims, "of what the run claims"
        store.add_audit(run, made_audit(run, noise=0.8, published=9.0))
        app = opened("audit", run=run)
        assert app.info[0].value.startswith("**Not refuted"), "a verdict begins with what was asked"
        answer = app.info[0].value.split("\n\n")[1]
        assert answer.startswith("This run's noise is public; with secret noise, the sound ε of ")
        assert ":red-badge[:material/key_off: public noise: as run, protects nobody]" in texts(app)
        assert statement_words.PUBLIC_NOISE in texts(app)
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
        assert [":red[" in box for box in boxes(app)] == red
        # what we prove and an audit refutes is our error; what the paper alone promises is a warning
        shown, hidden = (app.error, app.warning) if red[0] else (app.warning, app.error)
        (complaint,) = shown
        assert said in complaint.value
        assert complaint.value.count(". ") <= 3, "what fell and what was found; the rest stands below"
        assert "The bound is right at 95% confidence" in texts(app)
        assert not hidden

    @pytest.mark.long
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

    @pytest.mark.long
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
        text = texts(opened("audit", run=run))
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

    @pytest.mark.long
    def test_without_its_premise_what_the_run_claims_is_smaller(self, opened: Open, store: RunStore) -> None:
        run = keep(store, spec("progap", unit="edge", epsilon=8.0))
        made = made_audit(run, noise=0.8, delta=0.1, published=5.0)
        turn, route = store.begin_audit(run), replace(made.bounds[1], epsilon=7.5)
        store.add_audit(run, replace(made, turn=turn, epsilon=7.5, sound=9.0, bounds=(made.bounds[0], route)))
        text = texts(opened("train", run=run))
        assert "confidence 95%, mechanisms played; if the noise is Gaussian, as the ledger says" in text
        assert f"≥ {lower(made.epsilon)} without that premise" in text
        app = opened("train", run=run)
        told = f"≥ 7.5 of the whole run if the noise is Gaussian, as the ledger says; ≥ {lower(made.epsilon)} without"
        assert told in texts(app), "the way to its audits says both"
        assert f"≥ {lower(made.epsilon)} without that premise" in [one.value for one in app.caption], "and its card"

    @pytest.mark.long
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
        text = texts(opened("audit", run=run))
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
        assert "Why two bounds from the same trials?" in texts(app)
        assert app.button(key="next.mechanism").label == "Audit again with 16,000 trials"
        spent = "It takes turn 1, which is spent even if it is stopped or fails once it has begun to play."
        assert sum(one.value.endswith(spent) for one in app.caption) == 2, "at each button that starts one"
        app.button(key="next.mechanism").click().run()
        app.button(key="next.white-box").click().run()
        assert asked == [("mechanism", 16_000, 1), ("white-box", 4000, 1)]

    def test_where_nothing_is_proved_nothing_is_refuted(self, opened: Open, store: RunStore, run: str) -> None:
        store.add_audit(run, made_audit(run, claimed=math.inf, published=None))
        app = opened("audit", run=run)
        assert boxes(app)[:2] == ["∞, none proved", "no formula"]
        assert not app.error

    @pytest.mark.long
    def test_a_smaller_delta_says_nothing_of_the_runs_own(self, opened: Open, store: RunStore, run: str) -> None:
        statement = store.get(run).statement
        assert statement is not None
        cases = ((statement.delta / 2, True), (statement.delta, False), (2 * statement.delta, False))
        for place, (delta, said) in enumerate(cases, start=1):
            store.add_audit(run, made_audit(run, delta=delta))
            assert ("a smaller δ than the run's" in texts(opened("audit", run=run, shown=str(place)))) == said

    @pytest.mark.long
    def test_one_step_is_not_the_run(self, opened: Open, store: RunStore, run: str) -> None:
        store.add_audit(run, made_audit(run, covers="step"))
        assert "of one step alone: not the run" in texts(opened("audit", run=run))

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
        assert f"Audit 1 of this run has shown more: ε at least {lower(first.epsilon)}." in texts(weaker)
        assert "has shown more" not in texts(app)
        assert float(boxes(weaker)[2].removeprefix("≥ ")) < float(boxes(app)[2].removeprefix("≥ "))
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


@pytest.mark.long
def test_why_the_published_number_is_another_stands_beside_it(opened: Open, store: RunStore) -> None:
    """In the claims, and above what an audit has shown."""
    run = keep(store, spec("heter-poisson", unit="node", epsilon=8.0))
    statement = store.get(run).statement
    assert statement is not None
    assert statement.epsilon_as_published is not None
    why = statement_words.why_published(statement)
    assert why == "larger than the sound one: it promises less"
    assert why in texts(opened("audit", run=run))
    store.add_audit(run, made_audit(run, noise=0.8, published=100.0, delta=statement.delta))
    assert texts(opened("audit", run=run)).count(why) == 1, "one set of three numbers"
    smaller = replace(statement, epsilon_as_published=statement.epsilon / 2)
    assert statement_words.why_published(smaller).startswith("smaller than what is proved: do not rely on it")
    for same in (None, statement.epsilon * 1.01):
        assert not statement_words.why_published(replace(statement, epsilon_as_published=same))


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
