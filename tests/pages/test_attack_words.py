"""What is said of an attack: verdicts, bounds and times, in words. No page is drawn."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord, Rival
from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary
from privgraph.runs.attacking import Attacking
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.attacks import attack_roc, limits
from privgraph_workbench.figures.export import export
from privgraph_workbench.views.attacks import exposure as exposed
from privgraph_workbench.views.attacks import findings, verdict
from privgraph_workbench.views.parts import under_way
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import audits as audit_words
from privgraph_workbench.words import rates, relying, verdicts
from privgraph_workbench.words.numbers import percent


@pytest.fixture
def run(store: RunStore) -> str:
    return keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))


def test_the_time_that_is_left_counts_down_between_two_reports() -> None:
    going = Attacking(
        token="a", name="lira", options=AttackOptions(), started=1000.0, reported=1040.0, progress=0.4, stage="models"
    )
    assert [under_way.seconds_left(going, now) for now in (1040.0, 1050.0, 1200.0)] == [60, 50, 0]
    assert "about 50 s left" in under_way.told(going, "LiRA", 1050.0)
    assert "nearly done" in under_way.told(going, "LiRA", 1200.0)
    early = replace(going, progress=0.01)
    assert under_way.seconds_left(early, 1050.0) is None
    assert under_way.told(early, "LiRA", 1050.0).endswith(" · 50 s"), "until then, how long it has been under way"
    assert under_way.told(replace(early, progress=0.0), "LiRA", 1050.0) == "LiRA · starting · 50 s", "and no share"
    slow = replace(going, reported=1800.0)
    assert under_way.told(slow, "LiRA", 1800.0).endswith("about 20 min left"), "no seconds of what is guessed"


def test_members_that_differ_and_a_run_without_memory_leave_it_undecided() -> None:
    """Where one coin drew both sides, or the run knows its training nodes better, it is a leak."""
    apart = replace(made_attack(memory=3.0), drawn=False)
    for attack, learnt, severe in (
        (apart, (0.81, 0.80), verdicts.UNDECIDED),
        (apart, (0.95, 0.80), verdicts.GIVEN_AWAY),
        (apart, None, verdicts.GIVEN_AWAY),
        (replace(apart, drawn=True), (0.81, 0.80), verdicts.GIVEN_AWAY),
    ):
        assert verdicts.severity(attack, None, learnt) == severe
        assert verdict.lead(attack, None, learnt).startswith("**Undecided: memory, or a difference") == (
            severe == verdicts.UNDECIDED
        )
    assert verdicts.word(apart, verdicts.UNDECIDED) == "undecided: memory, or a difference from before", "no similarity"
    assert verdicts.severity(replace(made_attack(memory=0.0, seed=5), drawn=False), None, (0.8, 0.8)) == 0


def test_a_verdict_is_two_sentences_and_the_rest_a_few_lines() -> None:
    for memory in (0.0, 0.3, 3.0):
        said = verdict.lead(made_attack(memory=memory, targets=4, seed=5), None)
        assert len(re.findall(r"[.?][*]*( |$)", said)) == 2, said
        assert 1 <= len(verdict.details(made_attack(memory=memory, targets=4, seed=5), "node", None)) <= 3


@pytest.mark.parametrize(
    ("memory", "said"),
    [(0.0, "No better than guessing"), (3.0, "gives away who it was trained on")],
)
def test_conclusions(memory: float, said: str) -> None:
    assert said in verdict.conclusion(made_attack(memory=memory, seed=5))


def test_whether_it_is_guessing_is_for_the_interval_to_say_and_not_for_the_area() -> None:
    found = made_attack(memory=0.0, seed=5)
    alone = replace(found, areas=(0.58,), true_rates=found.true_rates[:1], bound=None)
    for low, guesses in ((0.49, True), (0.51, False)):
        seen = replace(found.outcome, area=0.58, area_low=low, area_high=0.66)
        said = verdict.conclusion(replace(alone, outcome=seen))
        assert said.startswith("**No better than guessing.**") == guesses
        assert not verdicts.guessing(replace(alone, outcome=seen, bound=0.1)), "a bound above 0 is no guess"


def _rarely(true: float, low: float) -> AttackRecord:
    """An attack on 1,000 nodes with 400 others whose area is a guess, and that finds so many at 5% false
    alarms: so on each of the four models, whose mean's interval begins at `low`."""
    made = made_attack(memory=0.0, targets=4, seed=5)
    places = [replace(one, true=true if one.false == 0.05 else one.false) for one in made.outcome.rates]
    outcome = replace(made.outcome, members=1000, others=400, area=0.5, area_low=0.48, area_high=0.52)
    spread = (true - low) / 3.182446 * 2  # of four, by Student's t
    seen = (true - spread * 0.75**0.5, true + spread * 0.75**0.5)
    rows = tuple((0.001, 0.01, one) for one in (*seen, *seen))
    return replace(
        made, areas=(0.49, 0.5, 0.51, 0.5), true_rates=rows, bound=None, outcome=replace(outcome, rates=tuple(places))
    )


def test_a_verdict_over_several_rates_asks_more_of_each() -> None:
    """An interval above a guess at one of several rates is not yet a finding, and that is said; what chance
    does not explain, though all rates were looked at, is one."""
    little, much = _rarely(0.07, 0.055), _rarely(0.3, 0.25)
    assert little.rates_found[2].low == pytest.approx(0.055, abs=1e-4)
    (seen,) = (one for rate, one in little.ahead_at.items() if rate.false == 0.05)
    assert verdicts.strictly(little) == pytest.approx(0.05 / 3), "the area, and the rates that 400 others can tell"
    assert seen.p > verdicts.strictly(little)
    assert verdicts.guessing(little)
    assert not verdicts.guessing(much)
    assert verdict.lead(much, None).startswith("**Better than guessing where false alarms are rare;")
    assert verdicts.severity(much, None) > verdicts.severity(little, None) == 0
    told = verdict.rare(replace(little, outcome=replace(little.outcome, rates=tuple(
        replace(one, low=0.0) if one.false == 0.01 else one for one in little.outcome.rates
    ))))  # fmt: skip
    assert f"as many as by chance alone in {percent(seen.p)} of cases; the verdict asks for at most 1.7%" in told
    assert "does not decide" not in verdict.rare(much)


@pytest.mark.parametrize(
    ("unit", "said"),
    [("none", "The run promises nothing."), ("edge", "promises to hide edges, not who was trained on"), ("node", "")],
)
def test_the_verdict_says_what_the_run_promises(unit: str, said: str) -> None:
    assert said in verdict.conclusion(made_attack(memory=3.0), unit)
    assert ("promises" in verdict.conclusion(made_attack(memory=3.0), unit)) == bool(said)


def test_why_no_limit_is_drawn_stands_on_the_figure_and_in_its_files() -> None:
    limited = replace(made_attack(), sound=2.0, steps=2, drawn=True)

    def told(names: list[str], records: list[AttackRecord], units: list[str]) -> list[str]:
        rows = attack_roc.data(records, "log", names, units)
        said = [one for one in attack_roc.chart(rows).notes if one.startswith("No line of a sound ε")]
        assert all(one in export("attack_roc", rows, {}, "txt").decode() for one in said)
        return said

    assert told(["a"], [limited], ["node"]) == []
    bare, none = replace(limited, sound=math.inf), replace(limited, steps=None)
    (first, second) = told(["a", "b", "c"], [bare, none, bare], ["none", "node", "none"])
    assert first == "No line of a sound ε for a; c: nothing is promised."
    assert second.startswith("No line of a sound ε for b: that ε is for a node that leaves")
    (edges,) = told(["d"], [none], ["edge"])
    assert edges == "No line of a sound ε for d: that ε hides edges, and limits nothing of who was trained on."
    link = replace(bare, attack="link", bound=None)
    for of, unit in ((link, "none"), (replace(link, sound=2.0), "edge")):
        assert findings.no_bound(of, unit) == "which pairs are connected was not drawn by us"
    apart = replace(bare, drawn=False, bound=None)
    assert findings.no_bound(apart, "none") == "who trains was not drawn by our own split"


def test_the_verdict_is_of_the_run_s_own_draw_and_of_all_attacked_models() -> None:
    found = replace(made_attack(memory=1.0, targets=4), bound=0.0)
    clear, unsure = (0.8, 0.82, 0.81, 0.79), (0.78, 0.4, 0.45, 0.5)
    chance = tuple(replace(one, true=one.false) for one in found.outcome.rates)
    sure, guess = found.outcome, replace(found.outcome, area_low=0.45, rates=chance)
    assert sure.area_low > 0.5
    for areas, own, said in (
        (clear, sure, "**The model gives away who it was trained on.**"),
        (unsure, sure, "**Better than guessing on the run's own training nodes; over all"),
        (clear, guess, "**Better than guessing on average.**"),
        (unsure, guess, "**No better than guessing.**"),
        (unsure[:2], sure, "**The model gives away who it was trained on.**"),
    ):
        seen = replace(found, areas=areas, true_rates=found.true_rates[: len(areas)], outcome=own)
        assert verdict.conclusion(seen).startswith(said)
        assert verdicts.guessing(seen) == ("No better" in said)
        assert ("training nodes alone it is not certain" in verdict.conclusion(seen)) == ("on average.**" in said)
    seen = replace(found, areas=clear)
    mean = float(np.mean(clear))
    assert f"{percent(mean)} of the time on average over 4 models trained like this run (" in verdict.conclusion(seen)


def test_what_was_learnt_by_heart_is_said_where_noise_on_edges_made_it_so() -> None:
    record = replace(made_attack(memory=3.0), bound=None)
    told = verdict.conclusion(record, "edge", None, (0.98, 0.66))
    assert "it is right about 98.0% of its training nodes and 66.0% of the test nodes" in told
    assert "by heart" not in verdict.conclusion(record, "edge", None, (0.70, 0.66))
    assert "by heart" not in verdict.conclusion(record, "node", None, (0.98, 0.66))


def test_what_the_promise_allows_stands_beside_what_was_found() -> None:
    record = replace(made_attack(memory=1.0), sound=1.0, delta=0.0, steps=2, drawn=True, bound=0.1)
    allowed = verdict.conclusion(record, "node")
    assert "The run's ε of 1 allows an outsider to be right at most 88.1% of the time" in allowed, "e²/(1 + e²)"
    apart = verdict.conclusion(replace(record, steps=None, bound=None), "node")
    assert "tests no ε: it asks who was trained on, and ε is about who is in the graph" in apart
    much = verdict.conclusion(replace(record, sound=4.0), "node")
    assert "allows nearly everything that can be found so: to be right at most 99.97% of the time." in much
    nothing = verdict.conclusion(replace(record, sound=40.0, steps=None, bound=None), "node")
    assert "The run's ε of 40 excludes next to nothing about a node." in nothing
    link = replace(record, attack="link", steps=None, bound=None)
    assert "What many pairs have in common is no part of that promise" in verdict.conclusion(link, "edge")


def test_rare_false_alarms_are_told_of_all_attacked_models_like_areas() -> None:
    record = made_attack(targets=4)
    assert record.rare is not None
    place = [one.false for one in record.outcome.rates].index(record.rare.false)
    seen = [each[place] for each in record.true_rates]
    found = record.rare_found
    assert found is not None
    assert found.true == pytest.approx(np.mean(seen))
    assert found.low < np.mean(seen) < found.high
    assert percent(found.true) in rates.rare(record)
    assert made_attack(targets=1).rare_found == made_attack(targets=1).rare


def test_models_that_differ_much_are_not_said_to_give_people_away() -> None:
    sure = replace(made_attack(memory=2.0), areas=(0.80, 0.81, 0.82))
    torn = replace(sure, areas=(0.66, 0.72, 0.70))
    assert "The model gives away" in verdict.conclusion(sure)
    assert "better than guessing" in verdict.conclusion(torn)
    assert "The model gives away" not in verdict.conclusion(torn)


@pytest.mark.parametrize(("exposure", "said"), [(1.0, "all 406"), (405.5 / 406, "405.5"), (400 / 406, "400")])
def test_an_exposed_node_says_before_how_many_it_is_found(exposure: float, said: str) -> None:
    assert exposed.before(exposure, 406) == said


def test_the_attack_of_the_headline_is_named_and_the_best_of_those_tried_stands_beside_it() -> None:
    """The best of several, told as if it had been chosen before, would be too strong by chance alone."""
    made = made_attack(memory=1.0)
    assert attack_words.chosen_how(made, [made]) == "", "nothing else was tried"
    more, less = (tuple(one + by for one in made.areas) for by in (0.02, -0.02))
    rivals = Rival(attack="lira", areas=less), Rival(attack="rmia", areas=more)
    several = replace(made, rivals=rivals)
    found = percent(sum(more) / len(more))
    assert verdict.pair(several, None).startswith("Shown one node trained on and one not trained on, BaVarIA picks")
    assert percent(made.found[0]) in verdict.pair(several, None), "the headline stays that of the chosen one"
    assert attack_words.chosen_how(several, [several]) == (
        "The attack was chosen in advance, before its answers were scored. The best of 3 ways to score the same "
        f"answers, RMIA, reached {found}, better than a guess also after correction for the choice."
    )
    torn = replace(made, rivals=(Rival(attack="rmia", areas=(0.3, 1.0, 1.0)),))
    assert attack_words.chosen_how(torn, [torn]).endswith(", which is no verdict: chance favours the best of several.")
    first = replace(made, rivals=rivals[:1])
    assert attack_words.chosen_how(first, [first]).endswith(" None of the 2 ways to score the same answers found more.")
    assert attack_words.chosen_how(made, [made, made]) == (
        "The attack is the strongest of 2 attacks made here, so chance favours it."
    )


def test_another_score_that_finds_more_counts_after_correction_for_the_choice() -> None:
    """Else a run would be called kept though a score that is known finds something in the same answers."""
    flat = (0.50, 0.51, 0.49, 0.50)
    made = replace(made_attack(memory=0.0, targets=4), areas=flat, bound=None)
    clear, near = Rival(attack="rmia", areas=(0.54, 0.55, 0.56, 0.55)), Rival(attack="lira", areas=flat)
    assert verdicts.kept(made, 0)
    level = stats.t.isf(0.05 / 3 / 2, 3) * np.std(clear.areas, ddof=1) / 2  # of three scores
    both = replace(made, rivals=(near, clear))
    name, mean, low, high = attack_words.best_rival(both) or ("", 0.0, 0.0, 0.0)
    assert (name, mean) == ("rmia", pytest.approx(0.55))
    assert (low, high) == (pytest.approx(0.55 - level), pytest.approx(0.55 + level))
    assert attack_words.most(both) == (mean, low, high)
    severe = verdicts.severity(both, None)
    assert not verdicts.kept(both, severe)
    assert verdicts.word(both, severe) == "better by another score"
    said = verdict.lead(both, None)
    assert said.startswith("**Another score is better than guessing.**")
    assert said.endswith("corrected for the choice among 3 scores).")
    assert verdict.lead(replace(made, rivals=(near,)), None).startswith("**No better than guessing.**")
    # it cannot be told of a guess, and yet leaves room for more
    wide = replace(made, rivals=(Rival(attack="rmia", areas=(0.40, 0.60, 0.50, 0.52)),))
    assert attack_words.best_rival(wide) is None
    assert not verdicts.kept(wide, verdicts.severity(wide, None))
    pair = {"areas": flat[:2], "true_rates": both.true_rates[:2]}
    few = replace(both, **pair, rivals=(replace(clear, areas=clear.areas[:2]),))
    assert attack_words.best_rival(few) is None, "of two models there is no mean"


def test_whether_one_may_rely_on_the_guarantee_is_one_sentence(store: RunStore, run: str) -> None:
    said = store.get(run).statement
    assert said is not None
    small = replace(said, epsilon=1.0, epsilon_as_published=0.5)
    assert relying.answer(small, [], []) == (
        "You may rely on the sound ε of 1: it is proved, and nothing tried here contradicts it."
    )
    assert relying.answer(replace(small, epsilon=8.0), [], []).endswith("; so large an ε excludes little.")
    assert " for edges, and for nothing else:" in relying.answer(replace(small, unit="edge"), [], [])
    audit = made_audit(run, published=0.1)
    assert audit.refutes_published
    assert relying.answer(small, [], [audit]) == "Rely on the sound ε of 1, not the paper's 0.5, which is refuted."
    gauss = replace(audit, epsilon=7.5, sound=9.0, bounds=(audit.bounds[0], replace(audit.bounds[1], epsilon=7.5)))
    gauss = replace(gauss, published=5.0)
    assert relying.answer(replace(small, epsilon=9.0, epsilon_as_published=5.0), [], [gauss]).startswith(
        "Rely on the sound ε of 9, not the paper's 5, which is refuted, if the noise is Gaussian, as the ledger says"
    )
    faulty = relying.answer(replace(small, known_faults=("its noise was too small",)), [], [])
    assert faulty.startswith("Do not rely on this guarantee: the program that made this run had a fault")
    step = replace(audit, covers="step")
    assert relying.answer(small, [], [step]).startswith("You may rely"), "what one step claims is another number"
    assert relying.answer(small, [], [replace(audit, sound=0.2)]).startswith("Do not rely on this guarantee: more was")
    assert relying.answer(replace(said, unit="none", ledger=()), [], []) == "There is no guarantee here to rely on."


def test_what_is_shown_without_a_premise_counts_what_the_audited_number_counts(store: RunStore, run: str) -> None:
    """Audits of the whole run, at no smaller delta, and of those without a turn the first alone."""
    said = store.get(run).statement
    assert said is not None
    wholly = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=10**6))
    plain = store.get(wholly).statement
    assert plain is not None
    claimed = replace(plain, epsilon_audited=7.0, audited_by="mechanism", adversary=Adversary.WORST_CASE, delta=1e-5)
    made = made_audit(run)

    def of(epsilon: float, **change: Any) -> AuditRecord:
        """With a Gaussian bound of 7, and this one without the premise."""
        bounds = (replace(made.bounds[0], epsilon=epsilon), replace(made.bounds[1], epsilon=7.0))
        return replace(made, epsilon=7.0, bounds=bounds, **change)

    first = of(1.0, turn=1)
    assert audit_words.shown_bare([first, of(2.0, turn=2)], claimed) == 2.0
    assert audit_words.shown_bare([first, of(3.0, turn=2, covers="step")], claimed) == 1.0
    assert audit_words.shown_bare([first, of(3.0, turn=2, delta=1e-6)], claimed) == 1.0
    assert audit_words.shown_bare([of(3.0), first], claimed) == 1.0, "one without a turn counts beside none with one"
    assert audit_words.shown_bare([of(1.0), of(3.0)], claimed) == 1.0


def test_an_attack_that_refutes_the_proof_is_as_severe_as_any() -> None:
    little = replace(made_attack(memory=1.0), areas=(0.56, 0.57, 0.58), sound=1.0)
    assert verdicts.severity(replace(little, bound=0.5), None) < verdicts.GIVEN_AWAY
    assert verdicts.severity(replace(little, bound=1.5), None) == verdicts.GIVEN_AWAY


def test_that_an_attack_tests_no_epsilon_is_said_of_who_was_trained_on_alone() -> None:
    outside = replace(made_attack(memory=0.0), steps=None, bound=None)
    assert verdicts.apart(outside, "node").startswith("This attack tests no ε")
    assert not verdicts.apart(replace(outside, bound=outside.sound + 1), "node"), "it has shown more than ε"
    edges = replace(outside, attack="link", options=AttackOptions(by="influence"))
    assert not verdicts.apart(edges, "node"), "it asks who is connected to whom"


def test_no_line_where_nobody_drew_who_trains() -> None:
    limited = replace(made_attack(), sound=2.0, steps=2, drawn=True)
    assert limits.no_line(limited, "node") == ""
    assert limits.no_line(replace(limited, drawn=False), "node") == "who trains was not drawn by our own split"
