"""What is said of budgets: the seeds that would settle it, how far methods are apart, and at which level."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.workbench.test_judging import LEADS, MANY, TRAILS, poor, row, seen

from privgraph_workbench.facts import advising
from privgraph_workbench.facts.judging import Judged, level_of
from privgraph_workbench.facts.row_words import plus
from privgraph_workbench.facts.seedwise import together
from privgraph_workbench.facts.settling import Needed
from privgraph_workbench.facts.stretches import Candidate, Stretch, stretch
from privgraph_workbench.figures.chart import Row


def several(best: Row, *alike: Row, more: int = 0) -> Judged:
    return Judged(rows=[best, *alike, *poor(more)], kind="several", best=best, alike=alike)


def test_the_best_needs_the_seeds_of_its_hardest_comparison() -> None:
    best = row("gap", (0.60, 0.64, 0.62))
    hard, easy = row("progap", (0.58, 0.60, 0.62)), row("dp-mlp", (0.54, 0.58, 0.58))
    level = level_of([best, hard, easy])
    count = {one["method"]: seen().seeds.to_tell(best, one, level) for one in (hard, easy)}
    assert (count["progap"] or 0) > (count["dp-mlp"] or 0) > 0
    for alike in ((hard, easy), (easy, hard)):
        open_ = replace(several(best, *alike), wide=True)
        needed = {one.method: one.seeds for one in stretch([open_], seen()).needed}
        assert needed == {**count, "gap": count["progap"]}


def test_no_seeds_are_offered_for_a_tie() -> None:
    """Seeds would tell these two apart, but in a tie it makes no difference which is taken."""
    best, rival = row("gap", (0.60, 0.64, 0.62)), row("progap", (0.58, 0.60, 0.62))
    tie = stretch([several(best, rival)], seen())
    assert (tie.word, tie.needed) == ("tie", ())
    assert tie.alike.startswith("+2.0 points ("), "by how much is said all the same"
    open_ = stretch([replace(several(best, rival), wide=True)], seen())
    assert (open_.word, open_.alike) == ("too few seeds", "")
    assert open_.needed


def test_of_several_budgets_each_rival_is_named_with_the_one_of_its_best() -> None:
    free = row("mlp", (0.60, 0.61, 0.62))
    there = replace(seen(), unit="edge", blind=free)
    low, high = row("gap", (0.59, 0.60, 0.61)), row("gap", (0.60, 0.60, 0.63), 2.0)
    blind = [Judged(rows=[one], kind="blind", best=one) for one in (low, high)]
    both = stretch(blind, there)
    assert both.budgets == "1 to 2"
    assert both.against == ("GAP (61.0% at ε 2)",)
    assert stretch(blind[1:], there).against == ("GAP (61.0%)",), "of one budget it is the row's own"


def test_how_far_apart_two_are_is_told_at_the_level_of_all_that_ran() -> None:
    best, rival = row("gap", (0.60, 0.70, 0.62)), row("progap", (0.62, 0.60, 0.64))
    judged = several(best, rival, more=MANY - 2)
    mean, low, high = seen().seeds.difference(best, rival, level_of(judged.rows)) or (0.0, 0.0, 0.0)
    told = stretch([judged], seen())
    assert not told.needed, "no number of seeds will do"
    assert told.alike == f"{plus(mean)} points ({plus(low)} to {plus(high)})"
    assert told.alike in told.why


def test_a_difference_is_told_with_the_fewer_seeds_of_both() -> None:
    best, rival = row("gap", (*LEADS, 0.61, 0.60)), row("progap", TRAILS)
    told = stretch([several(best, rival)], seen())
    assert ", 3 seeds." in told.why


def test_what_reads_no_edge_is_taken_and_a_higher_mean_beside_it_is_named() -> None:
    free = row("mlp", (0.55, 0.60, 0.65))
    for mean, higher in ((0.63, True), (0.50, False)):
        best = row("gap", (mean - 0.02, mean, mean + 0.02))
        told = stretch([Judged(rows=[best], kind="blind", best=best)], seen(free))
        assert told.takes == ("mlp",)
        assert told.aside.endswith("which is not clearly better.") == higher
        assert bool(told.aside) == higher


def test_of_further_methods_the_best_is_named_first() -> None:
    best, rival = row("gap", LEADS), row("progap", (0.59, 0.60, 0.64))
    third, fourth = row("dp-mlp", (0.57, 0.58, 0.60)), row("edge-rand", (0.56, 0.57, 0.58))
    for alike in ((rival, third, fourth), (fourth, third, rival)):
        told = stretch([several(best, *alike)], seen())
        assert [one.title for one in told.candidates] == ["GAP", "ProGAP", "DP-MLP (reads no edge) and EdgeRand"]
        assert told.candidates[2].reached == "means 57.0% to 58.3%"


def test_a_cost_that_is_not_clear_has_its_interval_in_a_table() -> None:
    clear = Candidate(title="GAP", mean=0.6, reached="60.0%", cost="3", seeds="3")
    unclear = Candidate(title="ProGAP", mean=0.6, reached="60.0%", cost="2", between="−1 to 5", seeds="5")
    unknown = Candidate(title="DP-MLP", mean=0.6, reached="60.0%", seeds="3")
    for one, line in (
        (clear, ("GAP", "60.0%", "3", "3")),
        (unclear, ("ProGAP", "60.0%", "5", "2 (−1 to 5)")),
        (unknown, ("DP-MLP", "60.0%", "3", "–")),
    ):
        assert Stretch(epsilons=(1.0,), kind="one", takes=(), told="", why="", candidates=(one,)).lines == [line]
    several = Stretch(epsilons=(1.0,), kind="several", takes=(), told="", why="", candidates=(clear, unclear))
    assert several.lines == [("GAP", "60.0%", "3", "3")], "the verdict names what it ties with"


@pytest.mark.parametrize(
    ("against", "named"),
    [
        (("A (9%)",), "A (9%)"),
        (("A (9%)", "B (8%)", "C (7%)"), "A (9%), B (8%) and C (7%)"),
        (("A (9%)", "B (8%)", "C (7%)", "D (6%)"), "A (9%), B (8%), C (7%) and 1 more"),
        (("A (9%)", "B (8%)", "C (7%)", "D (6%)", "E (5%)"), "A (9%), B (8%), C (7%) and 2 more"),
    ],
)
def test_a_verdict_names_three_at_most_and_counts_the_others(against: tuple[str, ...], named: str) -> None:
    first = Candidate(title="GAP", mean=0.9, reached="90.0%")
    tie = Stretch(
        **{"epsilons": (1.0,), "kind": "several", "takes": ("gap",), "told": "", "why": ""},
        **{"candidates": (first,), "tied": 1 + len(against), "against": against},
    )
    assert tie.sure == f"tie with {named}"
    assert tie.short == f"GAP 90.0% (tie with {named})"
    assert replace(tie, wide=True).sure == f"not told apart from {named}", "no number of seeds will do"
    needed = tuple(Needed(method=name, epsilon=1.0, seeds=seeds) for name, seeds in (("gap", 4), ("progap", 7)))
    few = replace(tie, wide=True, needed=needed)
    assert few.sure == f"too few seeds: about 7 of each may tell it from {named}"
    assert few.cell == ("too few seeds", f"about 7 of each may tell it from {named}")
    assert tie.cell == ("tie", f"with {named}")
    alone = replace(tie, kind="one", tied=1)
    assert alone.sure == "clear"
    assert alone.short == "GAP 90.0%"


@pytest.mark.parametrize("wide", [False, True])
def test_a_verdict_that_nothing_stands_against_is_told_alone(wide: bool) -> None:
    told = Stretch(epsilons=(1.0,), kind="nothing", takes=(), told="", why="", tied=2, wide=wide)
    assert told.sure == told.verdict == ("not told apart" if wide else "tie of 2")
    assert told.cell == (told.verdict.removesuffix(" of 2"), "")


def test_of_many_the_highest_means_are_named_whichever_way_they_stand() -> None:
    best = row("gap", LEADS)
    others = [row(name, tuple(one - off for one in LEADS)) for name, off in (("progap", 0.002), ("dp-mlp", 0.001))]
    for alike in (others, others[::-1]):
        assert stretch([several(best, *alike)], seen()).against == ("DP-MLP (61.9%)", "ProGAP (61.8%)")


NOISY, LOW = (0.60, 0.78, 0.66), (0.54, 0.66, 0.48)
"""Around 61%: above it and below it by far, and not told from it by three seeds."""
NEAR = (0.60, 0.61, 0.615)


def _before(*rows: Row, wide: bool = True) -> Judged:
    return Judged(rows=[*rows], kind="before", best=rows[0], before=row("edge-rand", (0.60, 0.61, 0.62)), wide=wide)


def test_where_none_may_be_better_seeds_are_those_that_tell_one_from_what_may_be_far_below() -> None:
    free, low = row("mlp", (0.60, 0.61, 0.62)), row("gap", LOW)
    told = stretch([Judged(rows=[low], kind="blind", best=low, wide=True)], seen(free))
    count = seen().seeds.to_tell(free, low, together(1))
    assert count
    assert {one.method: one.seeds for one in told.needed} == {"mlp": count, "gap": count}


def test_seeds_beside_a_smaller_budget_are_of_what_may_be_better_and_it_alone_is_named() -> None:
    high, low = row("gap", NOISY, 2.0), row("progap", LOW, 2.0)
    told = stretch([_before(high, low)], seen())
    assert {one.method for one in told.needed} == {"edge-rand", "gap"}
    assert told.against == ("GAP (68.0%)",)


def test_a_budget_at_which_seeds_may_tell_is_not_told_with_one_at_which_they_do_not() -> None:
    """Of both a smaller one gave as much, and intervals are wide."""
    may, may_not = _before(row("gap", NOISY, 2.0)), _before(row("gap", NEAR, 4.0))
    assert [bool(stretch([one], seen()).needed) for one in (may, may_not)] == [True, False]
    assert advising._alike(may, seen()) != advising._alike(may_not, seen())
