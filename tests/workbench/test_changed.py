"""What new runs have changed in what was known of a graph, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.runs.store import RunStore
from privgraph_workbench.facts import one_sentence
from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.facts.changed import Level, Seen, seen, words
from privgraph_workbench.facts.stretches import Candidate, Stretch


def _level(name: str, mean: float, *runs: str, gallery: bool = False) -> Level:
    return Level(words=name, mean=mean, gallery=gallery, runs=frozenset(runs))


BEFORE = Seen(
    levels={
        "a": _level("GAP at ε 1", 0.5, "a0", gallery=True),
        "b": _level("ProGAP at ε 1", 0.6, "b0"),
        "c": _level("MLP", 0.4, "c0"),
    },
    takes={1.0: "ProGAP"},
)


def test_new_settings_and_means_that_moved_are_named_and_others_counted() -> None:
    levels = {
        **BEFORE.levels,
        "a": _level("GAP at ε 1", 0.55, "a1"),
        "c": _level("MLP", 0.4004, "c0", "c1"),
        "d": _level("GAP at ε 2", 0.7, "d1"),
    }
    after = Seen(levels=levels, takes=BEFORE.takes)
    assert words(BEFORE, after, {"a1", "c1", "d1"}) == (
        "**Changed:** GAP at ε 1 50.0% (gallery) → 55.0%; GAP at ε 2 is new, 70.0%; 1 setting is as before; "
        "what to take is the same at every ε."
    )
    assert words(BEFORE, after, {"d1"}).startswith("**Changed:** GAP at ε 2 is new, 70.0%; what"), "only theirs"
    assert words(BEFORE, after, {"elsewhere"}) == ""


def test_what_moved_most_is_named_first_and_of_many_it_is_said_how_many() -> None:
    before = Seen(levels={str(at): _level(f"at {at}", 0.5, f"old{at}") for at in range(6)})
    after = Seen(levels={str(at): _level(f"at {at}", 0.5 + at / 100, f"new{at}") for at in range(6)})
    said = words(before, after, [f"new{at}" for at in range(6)])
    assert said == (
        "**Changed:** at 5 50.0% → 55.0%; at 4 50.0% → 54.0%; at 3 50.0% → 53.0%; "
        "2 more settings changed or are new; 1 setting is as before."
    )


@pytest.mark.parametrize(
    ("takes", "said"),
    [
        ({1.0: "GAP"}, "- ε 1: ProGAP → GAP"),
        ({1.0: "ProGAP", 2.0: "GAP"}, "- ε 2: nothing was said → GAP"),
        (
            {1.0: "too few seeds to say", 2.0: "GAP"},
            "- ε 1: ProGAP → too few seeds to say\n- ε 2: nothing was said → GAP",
        ),
        (
            {1.0: "GAP", **dict.fromkeys((2.0, 4.0, 8.0, 16.0), "GAP")},
            "- ε 4: nothing was said → GAP\n- and at 2 more ε",
        ),
    ],
)
def test_what_is_to_be_taken_instead_has_a_line_for_each_epsilon(takes: dict[float, str], said: str) -> None:
    after = Seen(levels={**BEFORE.levels, "d": _level("GAP at ε 2", 0.7, "d1")}, takes=takes)
    told = words(BEFORE, after, {"d1"})
    first, list_ = told.split("\n\n", 1)
    assert first == "**Changed:** GAP at ε 2 is new, 70.0%."
    assert list_.startswith("**What to take**, before → now:\n\n- ε ")
    assert list_.endswith(said)


def test_another_choice_that_is_told_first_is_said() -> None:
    def after(first: str) -> str:
        there = Seen(levels={"d": _level("GAP at ε 2", 0.7, "d1")}, takes={2.0: "GAP"}, first=first)
        return words(replace(there, levels={}, first="at ε 2 take GAP (clear)"), there, {"d1"})

    told = " **Told first:** at ε 2 take GAP (clear) → no good choice."
    assert (
        after("no good choice") == f"**Changed:** GAP at ε 2 is new, 70.0%; what to take is the same at every ε.{told}"
    )
    assert "Told first" not in after("at ε 2 take GAP (clear)")
    nothing = replace(BEFORE, first="")
    after_it = Seen(levels={**BEFORE.levels, "d": _level("GAP at ε 2", 0.7, "d1")}, takes={2.0: "GAP"}, first="at ε 2")
    assert "Told first" not in words(nothing, after_it, {"d1"}), "nothing was told first before"


def test_what_is_told_first_is_that_of_the_verdict() -> None:
    one = Candidate(title="GAP", mean=0.7, reached="70.0%", seeds="3")
    taken = Stretch(epsilons=(2.0,), kind="one", takes=("gap",), told="", why="", candidates=(one,))
    verdict = Verdict(unit="edge", stretches=(taken,), methods=2)
    assert seen([], verdict).first == one_sentence.first(verdict) == "at ε 2 take GAP (clear)"
    assert seen([], None).first == ""


def test_that_something_became_open_is_not_called_the_same() -> None:
    after = Seen(
        levels={**BEFORE.levels, "d": _level("GAP at ε 2", 0.7, "d1")},
        takes=BEFORE.takes,
        open={1.0: "tie of 2"},
    )
    said = words(BEFORE, after, {"d1"})
    assert "what to take is the same at every ε" not in said
    assert said.endswith("\n- ε 1: ProGAP → ProGAP (tie of 2)")


def test_the_largest_change_is_named_first_whichever_way_it_goes() -> None:
    before = Seen(levels={name: _level(name, 0.6, f"{name}0") for name in ("rose", "fell")})
    after = Seen(levels={"rose": _level("rose", 0.7, "rose1"), "fell": _level("fell", 0.2, "fell1")})
    assert words(before, after, {"rose1", "fell1"}) == "**Changed:** fell 60.0% → 20.0%; rose 60.0% → 70.0%."


def test_a_mean_is_of_the_gallery_where_all_of_its_runs_are() -> None:
    store = RunStore.open()
    said = made_runs.statement(made_runs.edge_entries(9))
    runs = [made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said) for seed in range(2)]
    store.close()
    for shipped, gallery in ((2, True), (1, False), (0, False)):
        (level,) = seen([replace(one, gallery=place < shipped) for place, one in enumerate(runs)], None).levels.values()
        assert level.gallery is gallery, shipped


def test_what_to_take_is_told_with_how_sure_that_is_unless_too_little_has_run() -> None:
    first = Candidate(title="GAP", mean=0.7, reached="70.0%", rivals=("DP-MLP",))
    second = Candidate(title="ProGAP", mean=0.6, reached="60.0%")
    told = Stretch(
        epsilons=(1.0, 2.0),
        kind="several",
        takes=("gap", "progap"),
        told="",
        why="",
        candidates=(first, second),
        tied=2,
    )
    found = seen([], Verdict(unit="edge", stretches=(told,)))
    assert found.takes == {1.0: "GAP", 2.0: "GAP"}, "the first alone"
    assert found.open == {1.0: "tie of 2", 2.0: "tie of 2"}
    thin = seen([], Verdict(unit="edge", stretches=(told,), thin="too few methods"))
    assert (thin.takes, thin.open) == ({}, {})
    few = replace(told, kind="nothing", takes=(), wide=True)
    assert seen([], Verdict(unit="edge", stretches=(few,))).open[1.0] == "", "that nothing is taken says why"
