"""What is said of one budget: how sure it must be, and what smaller budgets gave."""

from __future__ import annotations

from dataclasses import replace

import pytest

from privgraph_workbench.facts import advised, one_sentence
from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.facts.judging import Judged, Kind, Seen, judged, kept
from privgraph_workbench.facts.row_words import plus
from privgraph_workbench.facts.seedwise import Seedwise, together
from privgraph_workbench.facts.stretches import stretch
from privgraph_workbench.figures.chart import Row

LEADS, TRAILS = (0.60, 0.62, 0.64), (0.55, 0.555, 0.60)
"""Seed by seed clear at 95%, and not at the level of ten."""
POOR = (0.20, 0.21, 0.22)
MANY = 10
values: dict[str, tuple[int, float, float | None]] = {}


def row(name: str, reached: tuple[float, ...], asked: float = 1.0, delta: float = 1e-5, wide: float = 0.02) -> Row:
    runs = [f"{name}-{asked:g}-{seed}" for seed in range(len(reached))]
    values.update({run: (seed, value, 0.1) for seed, (run, value) in enumerate(zip(runs, reached, strict=True))})
    mean = sum(reached) / len(reached)
    return {
        **{"title": name, "variant": "", "unit": "edge", "neighbours": "undirected edge"},
        **{"method": name, "asked": asked, "epsilon": asked, "delta": delta, "runs": " ".join(runs), "mean": mean},
        **{"low": mean - wide / 2, "high": mean + wide / 2, "seeds": len(reached), "test_nodes": 10_000, "guess": 0.1},
    }


def seen(free: Row | None = None) -> Seen:
    return Seen(seeds=Seedwise(values=values), unit="edge", blind=free, bare=None, guess=0.1)


def poor(count: int, asked: float = 1.0) -> list[Row]:
    return [row(f"poor{place}", POOR, asked) for place in range(count)]


def test_the_more_methods_are_tried_the_clearer_one_must_be_above_what_needs_no_noise() -> None:
    free, best = row("free", TRAILS), row("best", LEADS)
    assert seen().seeds.clear(best, free, together(1)) > seen().seeds.clear(best, free, together(MANY))
    assert judged([best], seen(free)).kind == "one"
    assert judged([best, *poor(MANY - 1)], seen(free)).kind == "blind"


def test_the_more_methods_are_tried_the_clearer_the_best_must_be() -> None:
    free, best, second = row("free", (0.1, 0.11, 0.12)), row("best", LEADS), row("second", TRAILS)
    assert judged([best, second], seen(free)).kind == "one"
    many = judged([best, second, *poor(MANY - 2)], seen(free))
    assert (many.kind, [one["method"] for one in many.alike]) == ("several", ["second"])


@pytest.mark.parametrize(("wide", "kind"), [(0.29, "one"), (0.31, "unsure")])
def test_an_interval_of_more_than_three_tenths_says_too_little(wide: float, kind: Kind) -> None:
    assert judged([row("best", LEADS, wide=wide)], seen(row("free", POOR))).kind == kind


def won(name: str, reached: tuple[float, ...], asked: float, delta: float = 1e-5) -> Judged:
    best = row(name, reached, asked, delta)
    return Judged(rows=[best], kind="one", best=best)


def test_what_is_no_better_than_the_best_of_all_smaller_budgets_is_not_taken() -> None:
    small, best = won("small", (0.40, 0.41, 0.42), 0.5), won("best", LEADS, 1.0)
    now = won("now", (0.58, 0.60, 0.62), 2.0)
    for smaller in ([small, best], [best, small]):
        found = kept(now, smaller, seen())
        assert found.kind == "before"
        assert found.before is best.best, "of several the one that reached most"
    assert now.best["mean"] > best.best["mean"] - 0.03
    assert kept(now, [small], seen()) is now
    wide = replace(best, best={**best.best, "low": 0.3})
    assert kept(now, [wide], seen()).kind == "before", "by its mean, however low its interval reaches"


def test_a_smaller_budget_of_a_larger_delta_promises_no_more() -> None:
    now = won("now", TRAILS, 2.0, delta=1e-6)
    assert kept(now, [won("before", LEADS, 1.0, delta=1e-6)], seen()).kind == "before"
    assert kept(now, [won("before", LEADS, 1.0, delta=1e-3)], seen()) is now


def test_to_exceed_a_smaller_budget_asks_more_of_many_methods() -> None:
    before, best = won("before", TRAILS, 1.0), row("best", LEADS, 2.0)
    for count, kind in ((1, "nothing"), (MANY, "before")):
        rows = [best, *poor(count - 1, 2.0)]
        assert kept(Judged(rows=rows, kind="nothing", best=best), [before], seen()).kind == kind


def test_what_several_budgets_promise_is_told_at_the_largest_delta() -> None:
    two = [row("gap", POOR, 0.5, delta=1e-2), row("gap", POOR, 1.0, delta=1e-5)]
    for held in (two, two[::-1]):
        same = [Judged(rows=[one], kind="unsure", best=one) for one in held]
        assert stretch(same, seen()).delta == 1e-2


def test_what_a_smaller_budget_gave_promises_what_it_promised_there() -> None:
    before = {**row("gap", LEADS, 1.0, delta=1e-3), "title": "GAP", "neighbours": "node"}
    best = row("progap", TRAILS, 2.0, delta=1e-5)
    told = stretch([Judged(rows=[best], kind="before", best=best, before=before)], seen())
    assert (told.delta, told.promised, told.before) == (1e-3, (("GAP", "node"),), 1.0)


def test_what_is_not_told_apart_and_nothing_to_take_needs_more_seeds_as_well() -> None:
    best, aside = row("gap", (0.60, 0.64, 0.62)), row("progap", (0.59, 0.59, 0.61))
    told = stretch([Judged(rows=[best, aside], kind="one", best=best, beside=(aside,))], seen())
    (count,) = {one.seeds for one in told.needed}
    assert {one.method for one in told.needed} == {"gap", "progap"}
    assert count > len(LEADS)


def test_the_interval_that_is_told_is_the_one_that_was_judged_by() -> None:
    best, second = row("gap", LEADS), row("progap", (0.40, 0.405, 0.45))
    rows = [best, second, *poor(MANY - 2)]
    _, low, high = seen().seeds.difference(best, second, together(MANY - 1)) or (0.0, 0.0, 0.0)
    told = stretch([Judged(rows=rows, kind="one", best=best)], seen())
    assert f"({plus(low)} to {plus(high)})" in told.why


def test_what_is_not_told_apart_is_so_with_the_fewer_seeds_of_both() -> None:
    best, aside = row("gap", (*LEADS, 0.61)), row("progap", TRAILS)
    told = stretch([Judged(rows=[best, aside], kind="one", best=best, beside=(aside,))], seen())
    assert told.aside.endswith(": 3 seeds.")


STEADY, SWING = (-0.01, 0.01) * 3, (-0.04, 0.04) * 3
"""By how much six seeds move: differences known within 2 points, and within 7."""
FLAT = (0.60,) * 6


def moved(above: float, moves: tuple[float, ...]) -> tuple[float, ...]:
    """What a method reaches that is so far above `FLAT`."""
    return tuple(value + above + move for value, move in zip(FLAT, moves, strict=True))


@pytest.mark.parametrize(
    ("above", "moves", "wide"),
    [
        *((0.005, STEADY, False), (-0.005, STEADY, False)),
        *((0.005, SWING, True), (-0.005, SWING, True)),
        (0.045, SWING, True),  # up to 5 points better, and hardly worse
        (-0.045, SWING, True),
    ],
)
class TestATie:
    """At most five points apart either way, by the interval; more is open, or needs more seeds."""

    poor = staticmethod(lambda: row("edge-rand", (0.10, 0.11) * 3))

    def test_of_methods(self, above: float, moves: tuple[float, ...], wide: bool) -> None:
        rows = sorted([row("gap", FLAT), row("progap", moved(above, moves))], key=lambda one: -float(one["mean"]))
        found = judged(rows, seen(self.poor()))
        assert (found.kind, found.wide) == ("several", wide)
        told = stretch([found], seen(self.poor()))
        assert told.verdict == (("too few seeds" if told.needed else "not told apart") if wide else "tie of 2")
        (other,) = told.against
        name = "ProGAP" if above < 0 else "GAP"
        assert other == f"{name} ({100 * float(rows[1]['mean']):.1f}%)"
        open_ = f"too few seeds: about {told.seeds} of each may tell it from" if told.needed else "not told apart from"
        assert told.sure.startswith(f"{open_ if wide else 'tie with'} {other}")
        assert [line[0] for line in told.lines] == ["GAP" if above < 0 else "ProGAP"]

    def test_with_what_needs_no_noise(self, above: float, moves: tuple[float, ...], wide: bool) -> None:
        free, method = row("mlp", FLAT), row("progap", moved(above, moves))
        found = judged([method, self.poor()], seen(free))
        assert (found.kind, found.wide) == ("blind", wide), "what is clearly worse leaves nothing open"
        told = stretch([found], seen(free))
        assert told.verdict == (("too few seeds" if told.needed else "not told apart") if wide else "tie of 2")
        assert told.against == (f"ProGAP ({100 * float(method['mean']):.1f}%)",)

    def test_with_what_a_smaller_budget_gave(self, above: float, moves: tuple[float, ...], wide: bool) -> None:
        before, method = won("gap", FLAT, 0.5), row("progap", moved(above, moves))
        found = kept(Judged(rows=[method, self.poor()], kind="nothing", best=method), [before], seen())
        assert (found.kind, found.wide) == ("before", wide)
        told = stretch([found], seen())
        assert told.verdict == (("too few seeds" if told.needed else "not told apart") if wide else "tie of 2")
        assert told.against == (f"ProGAP ({100 * float(method['mean']):.1f}%)",)


def test_of_those_that_are_not_told_apart_only_what_may_lie_far_needs_more_seeds() -> None:
    best, near, far = row("gap", FLAT), row("progap", moved(-0.004, STEADY)), row("dp-mlp", moved(-0.03, SWING))
    free = row("mlp", (0.10, 0.11) * 3)
    told = stretch([judged([best, near, far], seen(free))], seen(free))
    assert told.tied == 3
    assert told.against == ("DP-MLP (57.0%)",)
    assert told.sure == "not told apart from DP-MLP (57.0%)", "half a point from another, it never is"


def test_what_has_too_few_seeds_to_be_held_against_is_no_tie() -> None:
    free, few = row("mlp", FLAT), row("progap", (0.60, 0.61))
    found = judged([row("gap", moved(-0.005, STEADY)), few], seen(free))
    assert (found.kind, found.wide) == ("blind", True)
    assert stretch([found], seen(free)).against == ("ProGAP (60.5%, 2 seeds)",)


def _guessed(one: Row, guess: float, nodes: int) -> Row:
    for run in str(one["runs"]).split():
        values[run] = (*values[run][:2], guess)
    return {**one, "guess": guess, "test_nodes": nodes}


def test_what_reads_no_edge_is_not_taken_where_it_is_no_better_than_a_guess() -> None:
    """Five test nodes: an interval of anything from a tenth to all."""
    free = _guessed(row("mlp", (0.4, 0.6, 0.8)), 0.6, 5)
    there = replace(seen(free), guess=0.6)
    found = judged([_guessed(row("gap", (0.6, 0.6, 0.6)), 0.6, 5)], there)
    assert found.kind == "nothing"
    told = stretch([found], there)
    assert (told.takes, told.lines[0][0]) == ((), "don't: not shown to beat a guess")
    assert told.idle.endswith("is not told from a guess (60.0%); 5 test nodes are too few to advise")
    verdict = Verdict(unit="edge", stretches=(told, replace(told, epsilons=(4.0,))), methods=1)
    assert one_sentence.told(verdict) == "nothing is shown to beat a guess at ε 1 and 4."
    for words in ("\n".join(advised.beneath(verdict)), verdict.text, advised.lines(verdict)):
        assert words.count("test nodes are too few to advise") == 1, "a cause of all budgets is said once"
    assert not any("too few to advise" in cell for group in advised.table(verdict) for row in group for cell in row)


def test_where_something_beats_the_guess_it_is_said_that_what_reads_no_edge_does_not() -> None:
    free = _guessed(row("mlp", (0.3, 0.6, 0.9)), 0.5, 1000)
    there = replace(seen(free), guess=0.5)
    found = judged([_guessed(row("gap", (0.59, 0.60, 0.61)), 0.5, 1000)], there)
    assert (found.kind, found.beside) == ("one", (free,)), "not clearly above it, and yet above the guess"
    told = stretch([found], there)
    assert (told.takes, told.word) == (("gap",), "not told apart")
    assert told.cell[1].startswith("from MLP (ignores edges) (60.0%)")
    assert told.why == "MLP (ignores edges) (60.0%) is not told apart from GAP, nor from a guess (50.0%): 3 seeds."
    assert told.idle.endswith("is not told from a guess (50.0%)"), "test nodes are enough"
    above = _guessed(row("mlp", (0.59, 0.60, 0.61)), 0.5, 1000)
    assert not stretch([judged([found.best], seen(above))], seen(above)).idle


def test_of_few_seeds_it_is_not_said_that_what_reads_no_edge_is_no_better() -> None:
    free = _guessed(row("mlp", (0.6,)), 0.6, 5)
    assert judged([_guessed(row("gap", (0.6, 0.6, 0.6)), 0.6, 5)], seen(free)).kind == "blind"


def test_what_reads_no_edge_has_one_verdict_for_all_budgets() -> None:
    """Not told from a guess at ε 1, where nothing else is, it is not taken at 4, where something is."""
    free = _guessed(row("mlp", (0.5, 0.6, 0.7)), 0.5, 1000)
    there = replace(seen(free), guess=0.5)
    held = {
        1.0: [_guessed(row("gap", (0.49, 0.50, 0.51), 1.0), 0.5, 1000)],
        4.0: [_guessed(row("gap", (0.63, 0.64, 0.65), 4.0), 0.5, 1000)],
    }
    found = {asked: stretch([judged(rows, there)], there) for asked, rows in held.items()}
    assert [one.kind for one in found.values()] == ["nothing", "one"]
    assert not any("mlp" in one.takes for one in found.values())
    assert {one.idle for one in found.values()} == {found[1.0].idle}


def test_what_reads_no_edge_needs_seeds_where_it_keeps_a_budget_open() -> None:
    free = _guessed(row("mlp", (0.5, 0.6, 0.7)), 0.5, 1000)
    there = replace(seen(free), guess=0.5)
    above = stretch([judged([_guessed(row("gap", (0.71, 0.70, 0.72)), 0.5, 1000)], there)], there)
    none = stretch([judged([_guessed(row("gap", (0.5, 0.6, 0.71)), 0.5, 1000)], there)], there)
    for told in (above, none):
        assert told.word == "too few seeds"
        assert {one.method: one.seeds > 3 for one in told.needed} == {"gap": True, "mlp": True}


@pytest.mark.parametrize(("nodes", "few"), [(5, True), (1000, False)])
def test_no_seeds_are_offered_where_test_nodes_are_too_few_to_tell(nodes: int, few: bool) -> None:
    """Twenty seeds with five test nodes each leave 14 points open."""
    free = _guessed(row("mlp", (0.5, 0.6, 0.7)), 0.5, nodes)
    there = replace(seen(free), guess=0.5)
    told = stretch([judged([_guessed(row("gap", (0.5, 0.6, 0.71)), 0.5, nodes)], there)], there)
    assert (told.needed == ()) is few
    assert (told.word == "too few seeds") is not few
    best, other = (_guessed(row(name, reached), 0.1, nodes) for name, reached in (("gap", LEADS), ("progap", TRAILS)))
    assert (seen().seeds.to_tell(best, other) is None) is few


def people(name: str, reached: tuple[float, ...], relation: str, asked: float = 1.0) -> Row:
    return {**row(name, reached, asked), "unit": "node", "neighbours": relation, "release": "model"}


def test_of_what_is_not_told_apart_the_stronger_promise_is_taken_and_that_is_said() -> None:
    there = replace(seen(), unit="node")
    weaker, stronger = people("heter-poisson", (0.60, 0.62, 0.61), "frozen degrees"), people("dp-mlp", FLAT[:3], "node")
    found = judged([weaker, stronger], there)
    assert (found.kind, found.best, found.alike, found.wide) == ("several", stronger, (weaker,), False)
    told = stretch([found], there)
    assert (told.takes[0], told.word) == ("dp-mlp", "tie")
    assert told.cell[1] == f"with {told.against[0]}; taken for its stronger promise", "not that the other is higher"
    assert "weaker promise: opt-out" in told.against[0]
    assert told.alike.startswith("+1.0 points"), "of the higher above the lower"
    alike = judged([weaker, {**stronger, "neighbours": "frozen degrees"}], there)
    assert (alike.best, stretch([alike], there).stronger) == (weaker, ""), "of equal promises the higher mean"
    far = judged([weaker, people("dp-mlp", (0.40, 0.41, 0.39), "node")], there)
    assert far.best is weaker, "what is clearly worse is not taken for its promise"


def test_a_smaller_budget_does_not_take_the_place_of_a_stronger_promise() -> None:
    there = replace(seen(), unit="node")
    small = people("heter-poisson", (0.62, 0.63, 0.64), "frozen degrees", 0.5)
    now = people("dp-mlp", (0.60, 0.61, 0.62), "node")
    before = Judged(rows=[small], kind="one", best=small)
    one = Judged(rows=[now], kind="one", best=now)
    assert kept(one, [before], there) is one
    less = Judged(rows=[now], kind="one", best={**now, "neighbours": "frozen degrees"})
    assert kept(less, [before], there).kind == "before"


def test_where_a_score_ends_far_below_one_a_tie_is_as_much_narrower() -> None:
    """Four points of 20 are much, of 100 they are not."""
    free = row("mlp", (0.01, 0.012, 0.011))
    rows = [row("gap", (0.20, 0.21, 0.19)), row("progap", (0.19, 0.21, 0.18))]
    for scale, wide in ((1.0, False), (0.2, True)):
        there = replace(seen(free), scale=scale)
        found = judged(rows, there)
        assert (found.kind, found.wide) == ("several", wide)
        assert there.margin == pytest.approx(0.05 * scale)
    assert judged([row("gap", LEADS, wide=0.1)], replace(seen(free), scale=0.2)).kind == "unsure", "6 points are wide"
