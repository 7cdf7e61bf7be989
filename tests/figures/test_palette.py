"""Each method keeps its colour, mark and dash, and no family takes those of another."""

from __future__ import annotations

import itertools

import pytest

from privgraph.registry import METHODS
from privgraph_workbench.figures.palette import COLOURS, EVERY, SLOTS, slots
from privgraph_workbench.theme import DASHES, LIGHT, MARKERS, NEUTRAL

PROMPTS = ("prompt", "fine-tune", "prompt-dpsgd", "dp-gpl")
RELATIONS = ("relational", "relation-rand")
LEVELS = ("gnn", "mlp")
"""What is a grey level wherever it stands beside private methods."""


def test_the_table_is_that_of_the_methods() -> None:
    assert list(SLOTS) == list(METHODS)


def test_no_two_methods_look_alike_without_colour_or_with_it() -> None:
    looks = {name: (slot % COLOURS, slot % len(MARKERS)) for name, slot in SLOTS.items()}
    assert len(set(looks.values())) == len(SLOTS)
    assert all(0 <= slot < EVERY and slot % COLOURS != NEUTRAL for slot in SLOTS.values())


def test_the_two_methods_of_relations_differ_in_colour_and_from_all_that_hides_edges() -> None:
    """They stand in one panel, and beside panels of graphs."""
    own = {SLOTS[name] % COLOURS for name in RELATIONS}
    assert len(own) == len(RELATIONS)
    assert not own & {SLOTS[name] % COLOURS for name in ("progap", "gap", "edge-rand")}


def test_what_stands_alone_beside_each_other_differs_in_mark_and_in_dash() -> None:
    """The two methods of relations share a panel, and are told apart without colours, too."""
    one, other = (SLOTS[name] for name in RELATIONS)
    assert one % len(MARKERS) != other % len(MARKERS)
    assert DASHES[one % len(DASHES)] == "solid" != DASHES[other % len(DASHES)]


def test_private_methods_of_one_axis_have_a_colour_each() -> None:
    single = [name for name in METHODS if name not in (*PROMPTS, *RELATIONS, *LEVELS, "edge-rand")]
    colours = [SLOTS[name] % COLOURS for name in single]
    assert len(set(colours)) == len(colours)
    with_edges = {SLOTS[name] % COLOURS for name in (*PROMPTS, "edge-rand")}
    assert not with_edges & {SLOTS[name] % COLOURS for name in single if name != "dp-mlp"}


@pytest.mark.parametrize("family", [PROMPTS, RELATIONS, ("progap", "gap"), ("privgnn", "pate", "dp-gpl")])
def test_within_a_family_marks_differ_too(family: tuple[str, ...]) -> None:
    """Whoever sees no colour reads the mark, or the dash."""
    for one, other in itertools.combinations([SLOTS[name] for name in family], 2):
        assert one % len(MARKERS) != other % len(MARKERS) or one % len(DASHES) != other % len(DASHES)


def test_elsewhere_further_curves_have_colours_that_are_not_drawn() -> None:
    found = slots({f"GAP, {place}": "gap" for place in range(COLOURS - 1)})
    assert len({slot % COLOURS for slot in found.values()}) == COLOURS - 1
    assert len(LIGHT.lines) == COLOURS
    assert not {*found.values()} & {slot for name, slot in SLOTS.items() if name != "gap"}, "no other method's look"
