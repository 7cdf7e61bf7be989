"""What to take, in one short sentence and in what holds at the other budgets."""

from __future__ import annotations

from typing import Any

import pytest

from privgraph_workbench.facts.advising import PREC, Verdict
from privgraph_workbench.facts.candidates import Candidate
from privgraph_workbench.facts.one_sentence import further, told
from privgraph_workbench.facts.settling import Needed
from privgraph_workbench.facts.stretches import Stretch

NETWORK = "a graph network without privacy"
COSTS = f"70.0% accuracy, 22 points below {NETWORK}"
STRONG, MODERATE, WEAK = (
    f"; {word} protection: ≤ {most}" for word, most in (("strong", "73.2%"), ("moderate", "88.1%"), ("weak", "98.3%"))
)
FEW: dict[str, Any] = {"wide": True, "needed": (Needed(method="progap", epsilon=1.0, seeds=7),)}


def _stretch(kind: Any, *epsilons: float, title: str = "ProGAP", mean: float = 0.7, **more: Any) -> Stretch:
    cost, unclear = more.pop("cost", "22"), more.pop("unclear", False)
    first = Candidate(title=title, mean=mean, reached=f"{mean:.1%}", cost=cost, unclear=unclear)
    return Stretch(epsilons=epsilons, kind=kind, takes=("progap",), told="", why="", candidates=(first,), **more)


MLP = "MLP (ignores edges)"


@pytest.mark.parametrize(
    ("stretches", "said", "more"),
    [
        (  # the most accurate of those that protect at least moderately
            [_stretch("one", 1.0), _stretch("one", 2.0, title="GAP", mean=0.75), _stretch("one", 4.0, mean=0.9)],
            f"at ε 2 take GAP (75.0% accuracy, 22 points below {NETWORK}{MODERATE}), clearly the best.",
            [
                "ε 1: ProGAP, 70.0%, 22 points below, strong protection; clearly the best.",
                "ε 4: ProGAP, 90.0%, 22 points below, weak protection; clearly the best.",
            ],
        ),
        (  # a smaller ε that reaches more
            [_stretch("one", 1.0, mean=0.8), _stretch("one", 2.0)],
            f"at ε 1 take ProGAP (80.0% accuracy, 22 points below {NETWORK}{STRONG}), clearly the best.",
            ["ε 2: ProGAP, 70.0%, 22 points below, moderate protection; clearly the best."],
        ),
        (  # a tie that protects before what is clear and hardly protects
            [_stretch("several", 1.0, tied=2, against=("GAP (69.0%)",)), _stretch("one", 4.0)],
            f"at ε 1 take ProGAP ({COSTS}{STRONG}), in a tie with GAP.",
            ["ε 4: ProGAP, 70.0%, 22 points below, weak protection; clearly the best."],
        ),
        (  # else the smallest weak one, said to be weak
            [
                _stretch("several", 2.0, wide=True, tied=2, against=("GAP (69.0%)",)),
                _stretch("one", 4.0),
                _stretch("one", 4.5, mean=0.9),
            ],
            f"at ε 4 take ProGAP ({COSTS}{WEAK}), clearly the best.",
            [
                "ε 2: ProGAP, 70.0%, 22 points below, moderate protection; not told apart from GAP.",
                "ε 4.5: ProGAP, 90.0%, 22 points below, weak protection; clearly the best.",
            ],
        ),
        (  # next to none is never told first
            [_stretch("blind", 0.25, 4.0, title=MLP, tied=2, against=("GAP (69.0% at ε 1)",)), _stretch("one", 8.0)],
            "up to ε 4 no method clearly beats leaving them out (MLP, 70.0% accuracy), which hides every edge without "
            "noise.",
            [f"ε 8: ProGAP, 70.0%, 22 points below {NETWORK}, next to no protection; clearly the best."],
        ),
        (
            [_stretch("one", 1.0), _stretch("blind", 2.0, title=MLP), _stretch("blind", 4.0, title=MLP, wide=True)],
            f"at ε 1 take ProGAP ({COSTS}{STRONG}), clearly the best.",
            [
                "ε 2: leave the edges out (MLP, 70.0%); clearly the best.",
                "ε 4: leave the edges out (MLP, 70.0%); not told apart from others.",
            ],
        ),
        (
            [_stretch("one", 8.0), _stretch("one", 16.0)],
            "no ε compared protects by more than next to nothing (8 and 16).",
            [
                f"ε 8: ProGAP, 70.0%, 22 points below {NETWORK}, next to no protection; clearly the best.",
                "ε 16: ProGAP, 70.0%, 22 points below, next to no protection; clearly the best.",
            ],
        ),
        (
            [_stretch("blind", 0.25, 0.5, title=MLP, tied=4, wide=True), _stretch("one", 2.0)],
            f"at ε 2 take ProGAP ({COSTS}{MODERATE}), clearly the best.",
            ["ε 0.25 to 0.5: leave the edges out (MLP, 70.0%); not told apart from others."],
        ),
        (
            [_stretch("blind", 0.25, 8.0, title=MLP, tied=4)],
            "leave them out. An MLP has 70.0% accuracy and hides every edge without noise; at no ε compared is "
            "anything clearly better.",
            [],
        ),
        (
            [_stretch("several", 1.0, wide=True, tied=2, against=("GAP (69.0%)",)), _stretch("several", 2.0, **FEW)],
            f"at ε 1 take ProGAP ({COSTS}{STRONG}), not told apart from GAP.",
            ["ε 2: perhaps ProGAP, 70.0%, 22 points below, moderate protection; too few seeds to be sure."],
        ),
        (
            [_stretch("several", 1.0, tied=5, against=("A (4%)", "B (3%)", "C (2%)", "D (1%)"), wide=True)],
            f"at ε 1 take ProGAP ({COSTS}{STRONG}), not told apart from A, B, C and others.",
            [],
        ),
        (
            [_stretch("one", 1.0, aside="GAP is not told apart", **FEW)],
            f"at ε 1 perhaps ProGAP ({COSTS}{STRONG}), on too few seeds to be sure.",
            [],
        ),
        (
            [_stretch("one", 1.0), _stretch("before", 2.0, before=1.0), _stretch("before", 4.0, before=1.0)],
            f"at ε 1 take ProGAP ({COSTS}{STRONG}), clearly the best.",
            ["ε 2 and 4: no more than at ε 1."],
        ),
        ([_stretch("nothing", 1.0)], "nothing is shown to beat a guess at ε 1.", []),
        ([_stretch("nothing", 1.0, wide=True)], "nothing is shown to beat a guess at ε 1.", []),
        ([_stretch("nothing", 1.0, **FEW)], "too few seeds to say at ε 1.", []),
        (
            [_stretch("nothing", 1.0), _stretch("nothing", 2.0, title="GAP"), _stretch("one", 8.0)],
            "nothing is shown to beat a guess at ε 1 and 2.",
            [f"ε 8: ProGAP, 70.0%, 22 points below {NETWORK}, next to no protection; clearly the best."],
        ),
        (
            [_stretch("one", 1.0, cost="1", unclear=True)],
            f"at ε 1 take ProGAP (70.0% accuracy, not clearly below {NETWORK}{STRONG}), clearly the best.",
            [],
        ),
        ([_stretch("one", 1.0, cost="")], f"at ε 1 take ProGAP (70.0% accuracy{STRONG}), clearly the best.", []),
        ([_stretch("unsure", 1.0)], "too few seeds to say at ε 1.", []),
        ([], "", []),
    ],
)
def test_the_surest_budget_that_protects_is_told_first_and_every_other_one_after_it(
    stretches: list[Stretch], said: str, more: list[str]
) -> None:
    verdict = Verdict(unit="edge", stretches=tuple(stretches), methods=3)
    assert told(verdict) == said
    assert further(verdict) == more


def test_a_large_delta_makes_the_protection_weaker() -> None:
    """By ε alone it would be strong (73.2%)."""
    assert "; moderate protection: ≤ 79.9%)" in told(
        Verdict(unit="node", stretches=(_stretch("one", 1.0, delta=0.25),), methods=2)
    )


def test_what_holds_everywhere_follows_and_nothing_is_said_too_early() -> None:
    one = (_stretch("one", 1.0, cost=""),)
    assert further(Verdict(unit="node", stretches=one, lead=" at no ε.")) == ["At no ε."]
    nothing = (_stretch("nothing", 1.0),)
    dont = Verdict(unit="node", stretches=nothing, lead=" don't: none helps.")
    assert (told(dont), further(dont)) == ("don't: none helps.", [])
    thin = Verdict(unit="edge", stretches=one, thin="GAP has not run")
    assert (told(thin), further(thin)) == ("", [])


def test_another_measure_is_named() -> None:
    said = told(Verdict(unit="edge", stretches=(_stretch("one", 1.0, cost=""),), score=PREC))
    assert said == f"at ε 1 take ProGAP (70.0% PREC@1 of relations{STRONG}), clearly the best."
