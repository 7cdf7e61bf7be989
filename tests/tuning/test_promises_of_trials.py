"""What the statement of a trial says, by what became of it."""

import math
from dataclasses import replace

import pytest
from tests.pages.test_tuned_runs import TERMS as ONES
from tests.tuning.worker_made_here import SIZES, gap

from privgraph.privacy.statements import ASSUME_ONE_RUN, GAP_TUNING
from privgraph.runs.trials import ALL_ARE_PAID, NOT_RELEASED, ONLY_THE_CHOSEN, TRIED_AGAIN, Mark, Terms, Trial, priced

TERMS = replace(ONES, epsilon=4.0, delta=1e-5, law="the geometric law of mean 5", trial_epsilon=1.25, score_noise=10.0)
ALONE = replace(gap(epsilon=1.25).config().plan(SIZES).statement, per_holder=(("one", 1.0), ("other", 1.25)))


def said(trial: Trial, terms: Terms | None = TERMS) -> Mark:
    return Mark(tuning="tune-gap-0", trial=trial, terms=terms)


def test_the_chosen_one_promises_the_price_of_the_tuning() -> None:
    assert ASSUME_ONE_RUN in ALONE.assumptions
    assert GAP_TUNING.title in {gap.title for gap in ALONE.gaps}
    found = priced(ALONE, said(Trial.RELEASED))
    assert (found.epsilon, found.accountant, found.tuned, found.per_holder) == (4.0, TERMS.accountant, True, ())
    sentence, scope, again, *others = found.assumptions
    assert "a trial alone costs epsilon 1.25" in sentence
    assert "with noise of standard deviation 10 nodes" in sentence
    assert "how many, was drawn from the geometric law of mean 5 before the first, and is not told" in sentence
    assert (scope, again) == (ONLY_THE_CHOSEN, TRIED_AGAIN)
    assert others == [text for text in ALONE.assumptions if text != ASSUME_ONE_RUN]
    assert [gap.title for gap in found.gaps] == [gap.title for gap in ALONE.gaps if gap.title != GAP_TUNING.title]


def test_a_choice_costs_no_less_than_what_was_chosen() -> None:
    """A run that was interrupted may have spent more than its plan."""
    assert priced(replace(ALONE, epsilon=5.0), said(Trial.RELEASED)).epsilon == 5.0


@pytest.mark.parametrize("mark", [said(Trial.TRIED), said(Trial.GOING_ON), said(Trial.RELEASED, None)], ids=repr)
def test_all_others_promise_nothing(mark: Mark) -> None:
    found = priced(ALONE, mark)
    assert (found.epsilon, found.accountant, found.tuned, found.per_holder) == (math.inf, "none", True, ())
    why, *others = found.assumptions
    assert why.startswith(mark.trial.value)
    assert ASSUME_ONE_RUN not in others
    assert found.released == f"nothing: {mark.trial.value}"


@pytest.mark.parametrize("trial", list(Trial))
def test_where_all_are_paid_for_each_promises_the_price_of_all(trial: Trial) -> None:
    terms = replace(TERMS, composed=True, law="5 trials, all of them paid for", trial_epsilon=0.0, score_noise=0.0)
    found = priced(ALONE, said(trial, terms))
    assert (found.epsilon, found.tuned) == (4.0, True)
    sentence, scope, *_ = found.assumptions
    assert "(5 trials, all of them paid for; options by the sampler random)" in sentence
    assert "noise of standard deviation" not in sentence
    assert scope == ALL_ARE_PAID
    assert NOT_RELEASED not in " ".join(found.assumptions)


def test_terms_come_back_as_they_were() -> None:
    for terms in (TERMS, replace(TERMS, epsilon=math.inf)):
        assert Terms.from_json(terms.to_json()) == terms
