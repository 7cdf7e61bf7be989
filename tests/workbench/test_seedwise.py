"""Settings held against each other seed by seed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from privgraph_workbench.facts.seedwise import MOST_SEEDS, WRONG, Seedwise, together
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.seeds import confidence, paired

NODES: Row = {"mean": 0.5, "guess": 0.4, "test_nodes": 100_000}
"""So many test nodes that seeds alone decide."""
ONE: Row = {"runs": "a0 a1 a2", **NODES}
OTHER: Row = {"runs": "b0 b1 b2", **NODES}


def seen(one: Mapping[int, float], other: Mapping[int, float], guess: float | None = None) -> Seedwise:
    values = {f"a{at}": (seed, value, guess) for at, (seed, value) in enumerate(one.items())}
    values |= {f"b{at}": (seed, value, guess) for at, (seed, value) in enumerate(other.items())}
    return Seedwise(values=values)


def test_what_every_split_has_in_common_hides_no_difference() -> None:
    """Easy and hard splits spread both means: their intervals meet, and yet one is better on every split."""
    one, other = {0: 0.60, 1: 0.70, 2: 0.80}, {0: 0.55, 1: 0.66, 2: 0.75}
    assert (confidence([*one.values()])[1] or 0) < (confidence([*other.values()])[2] or 0)
    assert seen(one, other).clear(ONE, OTHER)
    assert not seen(one, other).clear(OTHER, ONE)
    assert seen(one, other).difference(ONE, OTHER) == paired([*zip(one.values(), other.values(), strict=True)])


def test_where_few_seeds_are_shared_the_means_are_compared() -> None:
    one = dict(enumerate([0.70, 0.71, 0.72, 0.70, 0.71, 0.72, 0.70]))
    far, near = {0: 0.50, 1: 0.51, 2: 0.52}, {0: 0.70, 1: 0.71, 2: 0.72}
    row: Row = {"runs": " ".join(f"a{at}" for at in range(7)), **NODES}
    assert seen(one, far).clear(row, OTHER)
    assert not seen(one, near).clear(row, OTHER)
    assert seen(one, {0: 0.1, 1: 0.1}).difference(row, {"runs": "b0 b1", **NODES}) is None, "two tell no spread"


def test_of_many_comparisons_each_has_to_be_clearer() -> None:
    """One of ten alike is better by chance more often than one of one."""
    assert together(1) == together(2) == 0.95
    for count in (3, 5, 10):
        assert count * (1 - together(count)) / 2 == pytest.approx(WRONG)
    one, other = {0: 0.60, 1: 0.62, 2: 0.64}, {0: 0.55, 1: 0.555, 2: 0.60}
    assert seen(one, other).clear(ONE, OTHER)
    assert not seen(one, other).clear(ONE, OTHER, together(10))


def test_a_guess_is_on_the_same_test_nodes() -> None:
    one = {0: 0.50, 1: 0.52, 2: 0.54}
    assert seen(one, {}, 0.4).above_guess(ONE)
    assert not seen(one, {}, 0.5).above_guess(ONE)
    assert seen(one, {}).above_guess(ONE), "where no guess is known, nothing speaks against it"


def test_seeds_that_might_tell_are_more_than_there_are() -> None:
    one, other = {0: 0.60, 1: 0.64, 2: 0.62}, {0: 0.59, 1: 0.59, 2: 0.61}
    count = seen(one, other).to_tell(ONE, OTHER, together(4))
    assert count is not None
    assert 3 < count <= MOST_SEEDS
    assert seen(one, {0: 0.64, 1: 0.60, 2: 0.6199}).to_tell(ONE, OTHER) is None


@pytest.mark.parametrize("reached", [(48 / 90,) * 3, (48 / 90, 48 / 90, 49 / 90)])
def test_seeds_that_agree_say_no_more_than_the_test_nodes(reached: tuple[float, ...]) -> None:
    """Three times 48 of 90 right, and a guess has 39%: nodes leave 14 points open, though no seed does."""
    row: Row = {**ONE, "mean": sum(reached) / 3, "guess": 0.393, "test_nodes": 90}
    values = {f"a{at}": (at, one, guess) for at, (one, guess) in enumerate(zip(reached, (0.38, 0.4, 0.4), strict=True))}
    wide = Seedwise(values=values)
    assert wide.above_guess({**row, "test_nodes": 9000}, together(4))
    assert wide.above_guess(row, together(4)) == (len(set(reached)) > 1), "answers that are the same count once"
    assert not wide.above_guess({**row, "test_nodes": 20}, together(4)), "nor do 60 answers do"


def test_of_two_settings_the_wider_of_both_intervals_counts() -> None:
    one, other = {0: 0.60, 1: 0.61, 2: 0.62}, {0: 0.55, 1: 0.56, 2: 0.569}
    narrow = seen(one, other).difference(ONE, OTHER)
    wide = seen(one, other).difference({**ONE, "test_nodes": 100}, OTHER)
    assert narrow is not None
    assert wide is not None
    assert narrow[0] == wide[0]
    assert narrow[1] > 0 > wide[1]
    swing = {0: 0.40, 1: 0.61, 2: 0.82}
    assert seen(swing, other).difference({**ONE, "test_nodes": 100}, OTHER) == seen(swing, other).difference(ONE, OTHER)


def test_a_guess_is_told_from_by_more_seeds_or_by_no_affordable_number() -> None:
    row: Row = {**ONE, "mean": 0.5, "guess": 0.4}
    assert (count := seen({0: 0.4, 1: 0.5, 2: 0.6}, {}, 0.4).to_beat_guess(row)) is not None
    assert 3 < count <= MOST_SEEDS
    assert seen({0: 0.2, 1: 0.5, 2: 0.8}, {}, 0.4).to_beat_guess(row) is None, "they spread too far"
    assert seen({0: 0.3, 1: 0.35, 2: 0.4}, {}, 0.4).to_beat_guess(row) is None, "it is below"
    few = {**row, "test_nodes": 3}
    assert seen({0: 0.4, 1: 0.5, 2: 0.6}, {}, 0.4).to_beat_guess(few) is None, "nor do 60 answers do"
    assert seen({0: 0.5, 1: 0.5}, {}, 0.4).to_beat_guess({**row, "runs": "a0 a1"}) == 3


def test_an_interval_narrows_with_seeds() -> None:
    count = seen({0: 0.4, 1: 0.5, 2: 0.6}, {}).to_narrow(ONE, 0.3)
    assert count is not None
    assert 3 < count <= MOST_SEEDS
    assert seen({0: 0.1, 1: 0.5, 2: 0.9}, {}).to_narrow(ONE, 0.1) is None
    assert seen({0: 0.4}, {}).to_narrow({**ONE, "runs": "a0"}, 0.3) == 3
