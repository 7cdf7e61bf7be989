"""What to take at every budget, in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.facts.candidates import Candidate
from privgraph_workbench.facts.one_sentence import told
from privgraph_workbench.facts.stretches import Stretch


def _stretch(kind: Any, *epsilons: float, title: str = "ProGAP", **more: Any) -> Stretch:
    first = Candidate(title=title, mean=0.7, reached="70.0%")
    return Stretch(epsilons=epsilons, kind=kind, takes=("progap",), told="", why="", candidates=(first,), **more)


MLP = "MLP (ignores edges)"
NO_NOISE = "an MLP, which reads no edge and needs no noise"


@pytest.mark.parametrize(
    ("stretches", "said"),
    [
        (
            [_stretch("one", 1.0), _stretch("one", 2.0, title="GAP")],
            "ProGAP at ε 1, clearly the best; GAP at ε 2, clearly the best",
        ),
        ([_stretch("one", 1.0), _stretch("one", 4.0)], "ProGAP at ε 1 and 4, clearly the best"),
        (
            [_stretch("one", 1.0), _stretch("several", 2.0, tied=2), _stretch("one", 4.0)],
            "ProGAP at ε 1, clearly the best; ProGAP at ε 2, in a tie; ProGAP at ε 4, clearly the best",
        ),
        (
            [_stretch("blind", 0.25, 0.5, title=MLP, tied=4), _stretch("one", 2.0)],
            f"{NO_NOISE}, at ε 0.25 to 0.5; ProGAP at ε 2, clearly the best",
        ),
        (
            [_stretch("blind", 0.25, 8.0, title=MLP, tied=4)],
            f"take {NO_NOISE}: at no ε compared is anything clearly better",
        ),
        ([_stretch("several", 4.0, tied=3), _stretch("several", 8.0, tied=2)], "ProGAP at ε 4 and 8, in a tie"),
        (
            [_stretch("several", 4.0, tied=3), _stretch("several", 8.0, title="GAP", tied=2)],
            "ProGAP at ε 4, in a tie; GAP at ε 8, in a tie",
        ),
        (
            [_stretch("one", 1.0), _stretch("before", 2.0, before=1.0)],
            "ProGAP at ε 1, clearly the best; no more at ε 2 than at ε 1",
        ),
        (
            [_stretch("before", 2.0, before=1.0), _stretch("before", 4.0, title="GAP", before=1.0, wide=True)],
            "no more at ε 2 and 4 than at ε 1",
        ),
        (
            [_stretch("before", 4.0, before=1.0), _stretch("before", 8.0, before=2.0)],
            "no more at ε 4 than at ε 1; no more at ε 8 than at ε 2",
        ),
        ([_stretch("nothing", 1.0)], "nothing is shown to beat a guess at ε 1"),
        ([_stretch("nothing", 1.0, wide=True)], "too few seeds to say at ε 1"),
        (
            [_stretch("nothing", 1.0), _stretch("nothing", 2.0, title="GAP"), _stretch("one", 4.0)],
            "nothing is shown to beat a guess at ε 1 and 2; ProGAP at ε 4, clearly the best",
        ),
        ([_stretch("one", 1.0, aside="GAP is not told apart")], "perhaps ProGAP at ε 1 (too few seeds)"),
        ([_stretch("several", 1.0, tied=2, wide=True)], "perhaps ProGAP at ε 1 (too few seeds)"),
        ([_stretch("unsure", 1.0)], "too few seeds to say at ε 1"),
        ([], ""),
    ],
)
def test_budgets_are_told_from_small_ones_on_and_every_one_is_named(stretches: list[Stretch], said: str) -> None:
    assert told(Verdict(unit="edge", stretches=tuple(stretches), methods=3)) == said


def test_what_holds_everywhere_follows_and_nothing_is_said_too_early() -> None:
    one = (_stretch("one", 1.0),)
    assert told(Verdict(unit="node", stretches=one, lead=" at no ε.")) == "ProGAP at ε 1, clearly the best. At no ε."
    nothing = (_stretch("nothing", 1.0),)
    assert told(Verdict(unit="node", stretches=nothing, lead=" don't: none helps.")) == "don't: none helps."
    assert told(Verdict(unit="edge", stretches=one, thin="GAP has not run")) == ""
