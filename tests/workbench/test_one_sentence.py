"""What to take, in one short sentence and in what holds at the other budgets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from privgraph_workbench.facts.advising import PREC, Verdict
from privgraph_workbench.facts.candidates import Candidate
from privgraph_workbench.facts.one_sentence import NONE_SETTLED, Marked, first, general, marked, told
from privgraph_workbench.facts.settling import Needed
from privgraph_workbench.facts.stretches import Stretch

NETWORK = "a graph network without privacy"
COSTS = f"70.0% accuracy, 22 points below {NETWORK}"
STRONG, MODERATE = (
    f"; {word} protection: an attacker is right at most {most} of the time"
    for word, most in (("strong", "73.2%"), ("moderate", "88.1%"))
)
WEAK = "; an attacker is right at most 98.3% of the time"
FEW: dict[str, Any] = {"wide": True, "needed": (Needed(method="progap", epsilon=1.0, seeds=7),)}


def _stretch(kind: Any, *epsilons: float, title: str = "ProGAP", mean: float = 0.7, **more: Any) -> Stretch:
    costs = {"cost": more.pop("cost", "22"), "between": more.pop("between", ""), "unclear": more.pop("unclear", False)}
    first = Candidate(title=title, mean=mean, reached=f"{mean:.1%}", seeds="3", **costs)
    return Stretch(epsilons=epsilons, kind=kind, takes=("progap",), told="", why="", candidates=(first,), **more)


MLP = "MLP (ignores edges)"
OUT = f"leave them out: an MLP has 70.0% accuracy, 22 points below {NETWORK}, and hides every edge without noise"


@pytest.mark.parametrize(
    ("stretches", "said"),
    [
        (  # the most accurate of those that protect at least moderately
            [_stretch("one", 1.0), _stretch("one", 2.0, title="GAP", mean=0.76), _stretch("one", 4.0, mean=0.9)],
            f"at ε 2 take GAP (76.0% accuracy, 22 points below {NETWORK}{MODERATE}), clearly the best.",
        ),
        (  # twice the ε for 4 points more is not taken
            [_stretch("one", 1.0), _stretch("one", 2.0, title="GAP", mean=0.74), _stretch("one", 4.0, mean=0.9)],
            f"at ε 1 take ProGAP (70.0% accuracy, 22 points below {NETWORK}{STRONG}), clearly the best.",
        ),
        (  # a smaller ε that reaches more
            [_stretch("one", 1.0, mean=0.8), _stretch("one", 2.0)],
            f"at ε 1 take ProGAP (80.0% accuracy, 22 points below {NETWORK}{STRONG}), clearly the best.",
        ),
        (  # a tie that protects before what is clear and hardly protects
            [_stretch("several", 1.0, tied=2, against=("GAP (69.0%)",)), _stretch("one", 4.0)],
            f"at ε 1 take ProGAP ({COSTS}{STRONG}), in a tie with GAP.",
        ),
        (  # else the smallest weak one, said to be weak
            [
                _stretch("several", 2.0, wide=True, tied=2, against=("GAP (69.0%)",)),
                _stretch("one", 4.0),
                _stretch("one", 4.5, mean=0.9),
            ],
            f"no good choice. Of weak protection, at ε 4: ProGAP ({COSTS}{WEAK}), clearly the best.",
        ),
        (  # next to none is never told first
            [_stretch("blind", 0.25, 4.0, title=MLP, tied=2, against=("GAP (69.0% at ε 1)",)), _stretch("one", 8.0)],
            f"{OUT}. Up to ε 4 no method is clearly better; at ε 8 ProGAP is (70.0%), with next to no protection.",
        ),
        (  # nor is weak protection, where edges may as well be left out
            [_stretch("blind", 0.25, 2.0, title=MLP), _stretch("one", 4.0, mean=0.9)],
            f"{OUT}. Up to ε 2 no method is clearly better; at ε 4 ProGAP is (90.0%), with weak protection.",
        ),
        (  # what more seeds may tell is said at its budget alone
            [
                _stretch("blind", 0.5, 1.0, title=MLP, wide=True, tied=2),
                _stretch("blind", 2.0, title=MLP, tied=2, against=("ProGAP (78.9%)",), **FEW),
            ],
            f"{OUT}. At no ε compared is a method clearly better; at ε 2 ProGAP (78.9%) may be (about 7 seeds may "
            "tell).",
        ),
        (
            [_stretch("one", 1.0), _stretch("blind", 2.0, title=MLP), _stretch("blind", 4.0, title=MLP, wide=True)],
            f"at ε 1 take ProGAP ({COSTS}{STRONG}), clearly the best.",
        ),
        (
            [_stretch("one", 8.0), _stretch("one", 16.0)],
            "no good choice: no ε compared protects by more than next to nothing (8 and 16).",
        ),
        (
            [_stretch("blind", 0.25, 0.5, title=MLP, tied=4, wide=True), _stretch("one", 2.0)],
            f"at ε 2 take ProGAP ({COSTS}{MODERATE}), clearly the best.",
        ),
        (
            [_stretch("blind", 0.25, 8.0, title=MLP, tied=4)],
            f"{OUT}. At no ε compared is a method clearly better.",
        ),
        (
            [_stretch("several", 1.0, wide=True, tied=2, against=("GAP (69.0%)",)), _stretch("several", 2.0, **FEW)],
            f"no clear choice. At ε 1 perhaps ProGAP ({COSTS}{STRONG}), not told apart from GAP.",
        ),
        (
            [_stretch("several", 1.0, tied=5, against=("A (4%)", "B (3%)", "C (2%)", "D (1%)"), wide=True)],
            f"no clear choice. At ε 1 perhaps ProGAP ({COSTS}{STRONG}), not told apart from A, B, C and others.",
        ),
        (
            [_stretch("one", 1.0, aside="GAP is not told apart", **FEW)],
            f"no clear choice. At ε 1 perhaps ProGAP ({COSTS}{STRONG}), on too few seeds to be sure.",
        ),
        (
            [_stretch("one", 1.0), _stretch("before", 2.0, before=1.0), _stretch("before", 4.0, before=1.0)],
            f"at ε 1 take ProGAP ({COSTS}{STRONG}), clearly the best.",
        ),
        ([_stretch("nothing", 1.0)], "nothing is shown to beat a guess at ε 1."),
        ([_stretch("nothing", 1.0, wide=True)], "nothing is shown to beat a guess at ε 1."),
        ([_stretch("nothing", 1.0, **FEW)], "too few seeds to say at ε 1."),
        (
            [_stretch("nothing", 1.0), _stretch("nothing", 2.0, title="GAP"), _stretch("one", 8.0)],
            "nothing is shown to beat a guess at ε 1 and 2.",
        ),
        (
            [_stretch("one", 1.0, cost="8", between="−5 to 21", unclear=True)],  # few seeds tell no loss, nor none
            f"at ε 1 take ProGAP (70.0% accuracy, 8 points (−5 to 21; 3 seeds) below {NETWORK}{STRONG}), clearly the "
            "best.",
        ),
        (
            [_stretch("several", 1.0, tied=2, against=("GAP (71.0%)",), stronger="taken for its stronger promise")],
            f"at ε 1 take ProGAP ({COSTS}{STRONG}), in a tie with GAP, taken for its stronger promise.",
        ),
        ([_stretch("one", 1.0, cost="")], f"at ε 1 take ProGAP (70.0% accuracy{STRONG}), clearly the best."),
        ([_stretch("unsure", 1.0)], "too few seeds to say at ε 1."),
        ([], ""),
    ],
)
def test_the_surest_budget_that_protects_is_told_first(stretches: list[Stretch], said: str) -> None:
    assert told(Verdict(unit="edge", stretches=tuple(stretches), methods=3)) == said


def test_a_large_delta_makes_the_protection_weaker() -> None:
    """By ε alone it would be strong (73.2%)."""
    assert "; moderate protection: an attacker is right at most 79.9% of the time)" in told(
        Verdict(unit="node", stretches=(_stretch("one", 1.0, delta=0.25),), methods=2)
    )


def test_what_holds_everywhere_follows_and_nothing_is_said_too_early() -> None:
    one = (_stretch("one", 1.0, cost=""),)
    assert general(Verdict(unit="node", stretches=one, lead=" at no ε.")) == "At no ε."
    assert general(Verdict(unit="node", stretches=one)) == ""
    nothing = (_stretch("nothing", 1.0),)
    dont = Verdict(unit="node", stretches=nothing, lead=" don't: none helps.")
    assert (told(dont), general(dont), marked(dont)) == ("don't: none helps.", "", Marked())
    thin = Verdict(unit="edge", stretches=one, thin="GAP has not run")
    assert (told(thin), general(thin), marked(thin)) == ("", "", Marked())


def test_another_measure_is_named() -> None:
    said = told(Verdict(unit="edge", stretches=(_stretch("one", 1.0, cost=""),), score=PREC))
    assert said == f"at ε 1 take ProGAP (70.0% PREC@1 of relations{STRONG}), clearly the best."


def test_what_is_near_is_so_by_the_margin_of_the_score() -> None:
    two = (_stretch("one", 1.0, mean=0.17), _stretch("one", 2.0, mean=0.20))
    accuracy, prec = (Verdict(unit="edge", stretches=two, methods=2, margin=margin) for margin in (0.05, 0.0105))
    assert [marked(one).places for one in (accuracy, prec)] == [(0,), (1,)]
    assert [marked(one).why.partition(" points")[0] for one in (accuracy, prec)] == [
        "the smallest ε within 5",
        "the smallest ε within 1.1",
    ]


OPEN: dict[str, Any] = {"wide": True, "tied": 2, "against": ("GAP (69.0%)",)}


@pytest.mark.parametrize(
    ("stretches", "places", "why"),
    [
        (
            [_stretch("one", 1.0), _stretch("one", 2.0, mean=0.76), _stretch("one", 4.0, mean=0.9)],
            (1,),
            "the smallest ε within 5 points of the most accurate clear choice of at least moderate protection",
        ),
        (
            [_stretch("several", 1.0, tied=2, against=("GAP (69.0%)",)), _stretch("one", 4.0)],
            (0,),
            "no choice of at least moderate protection is clear: "
            "the smallest ε within 5 points of the most accurate that ties",
        ),
        (
            [_stretch("several", 2.0, **OPEN), _stretch("one", 4.0), _stretch("one", 4.5, mean=0.9)],
            (1,),
            "no choice of at least moderate protection is clear or a tie: the smallest ε of a clear one of weak "
            "protection",
        ),
        (
            [_stretch("several", 2.0, **OPEN), _stretch("several", 4.0, tied=2, against=("GAP (69.0%)",))],
            (1,),
            "no choice of at least weak protection is clear, nor one of moderate a tie: the smallest ε of a tie",
        ),
        (
            [_stretch("several", 1.0, **FEW), _stretch("several", 2.0, **OPEN)],
            (1,),
            "no choice of at least weak protection is clear or a tie: the smallest ε of at least moderate "
            "protection with the verdict “not told apart”",
        ),
        (
            [_stretch("blind", 0.25, 4.0, title=MLP), _stretch("one", 8.0), _stretch("blind", 16.0, title=MLP)],
            (0, 2),
            NONE_SETTLED,
        ),
        ([_stretch("one", 8.0), _stretch("nothing", 16.0)], (), ""),
    ],
)
def test_the_row_that_is_told_first_is_marked_with_the_rule_by_which_it_is(
    stretches: list[Stretch], places: tuple[int, ...], why: str
) -> None:
    assert marked(Verdict(unit="edge", stretches=tuple(stretches), methods=3)) == Marked(places, why)


def test_what_a_promise_leaves_out_is_told_first_too() -> None:
    one = _stretch("one", 1.0)
    less = replace(one, candidates=(replace(one.candidates[0], promise="hides opt-out"),))
    assert "of the time; hides opt-out), clearly" in told(Verdict(unit="node", stretches=(less,), methods=2))


@pytest.mark.parametrize(("epsilon", "mean", "named"), [(1.0, 0.66, True), (1.0, 0.6, False), (4.0, 0.6, True)])
def test_an_mlp_that_is_hardly_worse_or_the_only_strong_one_is_named_beside(
    epsilon: float, mean: float, named: bool
) -> None:
    one = _stretch("one", epsilon, mean=0.7)
    said = told(Verdict(unit="edge", stretches=(one,), methods=2, blind={"mean": mean}))
    beside = f"; or leave them out: an MLP has {mean:.1%} accuracy and hides every edge without noise."
    assert said.endswith(f", clearly the best{beside}") is named
    assert ("leave" in said) is named


def _said(*stretches: Stretch, **more: Any) -> str:
    return told(Verdict(unit="edge", stretches=stretches, methods=3, **more))


def test_the_best_of_the_sure_choices_counts_not_the_last() -> None:
    assert _said(_stretch("one", 0.5), _stretch("one", 1.0, mean=0.8), _stretch("one", 2.0, mean=0.74)).startswith(
        "at ε 1 take ProGAP (80.0% accuracy"
    ), "70% is further than 5 points from it"


def test_a_row_of_several_budgets_protects_as_its_largest() -> None:
    assert _said(_stretch("one", 1.0, 4.0)).startswith("no good choice. Of ")
    assert marked(Verdict(unit="edge", stretches=(_stretch("one", 1.0, 4.0), _stretch("one", 2.0)))).places == (1,)


@pytest.mark.parametrize(
    ("stretches", "where"),
    [
        ([_stretch("nothing", 0.25), _stretch("blind", 0.5, 1.0, title=MLP)], "at ε 0.5 to 1"),
        (
            [_stretch("blind", 0.5, 1.0, title=MLP), _stretch("one", 8.0), _stretch("blind", 9.0, title=MLP)],
            "at ε 0.5 to 1 and 9",
        ),
        ([_stretch("blind", 0.5, title=MLP), _stretch("one", 8.0)], "at ε 0.5"),
    ],
)
def test_up_to_an_epsilon_is_from_the_smallest_one_on(stretches: list[Stretch], where: str) -> None:
    said = _said(*stretches)
    assert f". {where[:1].upper()}{where[1:]} no method is clearly better" in said, said


def test_of_an_mlp_it_is_said_by_which_measure() -> None:
    said = _said(_stretch("blind", 1.0, title=MLP), score=PREC)
    assert said.startswith(OUT.replace("accuracy", PREC) + ". "), said


def test_no_others_are_told_of_where_all_rivals_are_named() -> None:
    said = _said(_stretch("several", 1.0, tied=4, against=("A (4%)", "B (3%)", "C (2%)"), wide=True))
    assert said.endswith("not told apart from A, B and C.")


def test_budgets_that_give_no_more_than_another_each_name_theirs() -> None:
    said = _said(_stretch("one", 8.0), _stretch("before", 16.0, before=8.0), _stretch("before", 32.0, before=16.0))
    assert said == "no more at ε 16 than at ε 8; no more at ε 32 than at ε 16."


@pytest.mark.parametrize(
    ("stretches", "said"),
    [
        ([_stretch("one", 1.0)], "at ε 1 take ProGAP (clear)"),
        ([_stretch("one", 4.0)], "no good choice, at ε 4 take ProGAP (clear)"),
        ([_stretch("several", 1.0, wide=True, tied=2)], "at ε 1 perhaps ProGAP (not told apart)"),
        ([_stretch("blind", 1.0, title=MLP), _stretch("one", 4.0)], "leave edges out"),
        ([_stretch("one", 8.0)], "no good choice"),
        ([], ""),
    ],
)
def test_what_is_told_first_is_called_in_a_few_words(stretches: list[Stretch], said: str) -> None:
    assert first(Verdict(unit="edge", methods=2, stretches=tuple(stretches))) == said


@pytest.mark.parametrize(
    ("stretches", "said"),
    [
        (  # a tie of two that are both above it is better as well
            [_stretch("blind", 0.25, 2.0, title=MLP), _stretch("several", 4.0, title="GAP", tied=2)],
            "Up to ε 2 no method is clearly better; at ε 4 GAP is (70.0%), with weak protection.",
        ),
        (  # the smallest budget at which one is, not the last
            [_stretch("blind", 2.0, title=MLP), _stretch("one", 4.0, mean=0.8), _stretch("one", 8.0, title="GAP")],
            "At ε 2 no method is clearly better; at ε 4 ProGAP is (80.0%), with weak protection.",
        ),
        (  # of several budgets the weakest protection is told, too
            [_stretch("blind", 2.0, title=MLP), _stretch("one", 4.0, 8.0)],
            "At ε 2 no method is clearly better; at ε 4 to 8 ProGAP is (70.0%), with weak protection to next to none.",
        ),
        (  # up to the last of several rows
            [
                _stretch("blind", 0.5, 1.0, title=MLP),
                _stretch("blind", 2.0, title=MLP, tied=2, against=("GAP (78.9%)",), **FEW),
                _stretch("one", 8.0),
            ],
            "Up to ε 2 no method is clearly better; at ε 2 GAP (78.9%) may be (about 7 seeds may tell); "
            "at ε 8 ProGAP is (70.0%), with next to no protection.",
        ),
    ],
)
def test_where_edges_are_left_out_it_is_said_up_to_where_and_what_is_better_next(
    stretches: list[Stretch], said: str
) -> None:
    assert _said(*stretches) == f"{OUT}. {said}"


def test_what_is_told_first_is_not_said_too_early() -> None:
    assert first(Verdict(unit="edge", stretches=(_stretch("one", 1.0),), thin="GAP has not run")) == ""
