"""What to take, in one short sentence and in what holds at the other budgets."""

from __future__ import annotations

from typing import Any

import pytest

from privgraph_workbench.facts.advising import PREC, Verdict
from privgraph_workbench.facts.candidates import Candidate
from privgraph_workbench.facts.one_sentence import further, told
from privgraph_workbench.facts.settling import Needed
from privgraph_workbench.facts.stretches import Stretch

COSTS = "70.0% accuracy, 22 points below a graph network without privacy"
FEW: dict[str, Any] = {"wide": True, "needed": (Needed(method="progap", epsilon=1.0, seeds=7),)}


def _stretch(kind: Any, *epsilons: float, title: str = "ProGAP", **more: Any) -> Stretch:
    first = Candidate(title=title, mean=0.7, reached="70.0%", cost=more.pop("cost", "22"), between=more.pop("far", ""))
    return Stretch(epsilons=epsilons, kind=kind, takes=("progap",), told="", why="", candidates=(first,), **more)


MLP = "MLP (ignores edges)"


@pytest.mark.parametrize(
    ("stretches", "said", "more"),
    [
        (
            [_stretch("one", 1.0), _stretch("one", 2.0, title="GAP")],
            f"At ε 1: ProGAP, {COSTS}, clearly the best.",
            ["GAP at ε 2, clearly the best."],
        ),
        (
            [_stretch("several", 1.0, tied=2, against=("GAP (69.0%)",)), _stretch("one", 4.0)],
            f"At ε 4: ProGAP, {COSTS}, clearly the best.",
            ["ProGAP at ε 1, in a tie."],
        ),
        (
            [_stretch("blind", 0.25, 0.5, title=MLP, tied=4, wide=True), _stretch("one", 2.0)],
            f"At ε 2: ProGAP, {COSTS}, clearly the best; at ε 0.25 to 0.5 leave the edges out (MLP).",
            [],
        ),
        (
            [_stretch("blind", 0.25, 8.0, title=MLP, tied=4)],
            "Leave the edges out: an MLP has 70.0% accuracy and hides every edge without noise, and at no ε compared "
            "is anything clearly better.",
            [],
        ),
        (
            [_stretch("several", 4.0, tied=2, against=("GAP (69.0%, 3 seeds)",)), _stretch("several", 8.0, tied=2)],
            f"At ε 4: ProGAP, {COSTS}, in a tie with GAP.",
            ["ProGAP at ε 8, in a tie."],
        ),
        (
            [_stretch("several", 1.0, wide=True, tied=2, against=("GAP (69.0%)",)), _stretch("several", 4.0, **FEW)],
            f"At ε 1: ProGAP, {COSTS}, not told apart from GAP.",
            ["Perhaps ProGAP at ε 4 (too few seeds)."],
        ),
        (
            [_stretch("several", 1.0, tied=5, against=("A (4%)", "B (3%)", "C (2%)", "D (1%)"), wide=True)],
            f"At ε 1: ProGAP, {COSTS}, not told apart from A, B, C and others.",
            [],
        ),
        (
            [_stretch("one", 1.0, aside="GAP is not told apart", **FEW)],
            f"At ε 1: perhaps ProGAP, {COSTS}, on too few seeds to be sure.",
            [],
        ),
        (
            [_stretch("one", 1.0), _stretch("before", 2.0, before=1.0), _stretch("before", 4.0, before=1.0)],
            f"At ε 1: ProGAP, {COSTS}, clearly the best.",
            ["No more at ε 2 and 4 than at ε 1."],
        ),
        ([_stretch("nothing", 1.0)], "Nothing is shown to beat a guess at ε 1.", []),
        ([_stretch("nothing", 1.0, wide=True)], "Nothing is shown to beat a guess at ε 1.", []),
        ([_stretch("nothing", 1.0, **FEW)], "Too few seeds to say at ε 1.", []),
        (
            [_stretch("nothing", 1.0), _stretch("nothing", 2.0, title="GAP"), _stretch("one", 4.0)],
            f"At ε 4: ProGAP, {COSTS}, clearly the best.",
            ["Nothing is shown to beat a guess at ε 1 and 2."],
        ),
        (
            [_stretch("one", 1.0, cost="1", far="−1 to 3")],
            "At ε 1: ProGAP, 70.0% accuracy, not clearly below a graph network without privacy, clearly the best.",
            [],
        ),
        ([_stretch("one", 1.0, cost="")], "At ε 1: ProGAP, 70.0% accuracy, clearly the best.", []),
        ([_stretch("unsure", 1.0)], "Too few seeds to say at ε 1.", []),
        ([], "", []),
    ],
)
def test_the_surest_budget_is_told_first_and_every_other_one_after_it(
    stretches: list[Stretch], said: str, more: list[str]
) -> None:
    verdict = Verdict(unit="edge", stretches=tuple(stretches), methods=3)
    assert told(verdict) == said
    assert further(verdict) == more


def test_what_holds_everywhere_follows_and_nothing_is_said_too_early() -> None:
    one = (_stretch("one", 1.0, cost=""),)
    assert further(Verdict(unit="node", stretches=one, lead=" at no ε.")) == ["At no ε."]
    nothing = (_stretch("nothing", 1.0),)
    dont = Verdict(unit="node", stretches=nothing, lead=" don't: none helps.")
    assert (told(dont), further(dont)) == ("Don't: none helps.", [])
    thin = Verdict(unit="edge", stretches=one, thin="GAP has not run")
    assert (told(thin), further(thin)) == ("", [])


def test_another_measure_is_named() -> None:
    said = told(Verdict(unit="edge", stretches=(_stretch("one", 1.0, cost=""),), score=PREC))
    assert said == "At ε 1: ProGAP, 70.0% PREC@1 of relations, clearly the best."
