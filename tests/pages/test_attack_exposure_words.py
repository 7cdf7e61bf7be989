"""Whom an attack exposes, in words: what exposure measures, what chance explains, and which attacks agree."""

from __future__ import annotations

from dataclasses import replace

from tests.figures.made_attacks import attack as made_attack
from tests.pages.attack_pages import ahead

from privgraph.attacks.outcome import Rate
from privgraph.attacks.record import RARE, AttackRecord, Group
from privgraph_workbench.views.attacks import exposure


def told(*classes: tuple[str, int, float], memory: float = 0.0, degrees: tuple[Group, ...] = ()) -> str:
    held = tuple(Group(name=name, nodes=nodes, exposure=mean) for name, nodes, mean in classes)
    return exposure.groups(replace(made_attack(memory=memory), by_degree=degrees, by_class=held))


def found(first: int, nearly: int) -> AttackRecord:
    """An attack on 400 nodes that trained and 200 others: how many before all, and before 99% of them."""
    made = made_attack(memory=3.0)
    rates = tuple(
        Rate(false=false, true=count / 400, low=0.0, high=1.0)
        for false, count in ((0.001, first), (RARE, nearly), (0.05, nearly))
    )
    return replace(made, outcome=replace(made.outcome, members=400, others=200, rates=rates))


def test_exposure_is_the_share_of_others_with_a_lower_score() -> None:
    assert exposure.measures(made_attack()) == (
        "Exposure of one node trained on: the share of nodes not trained on to which the attack gives a lower score. "
        "0.5 is chance; 1 is found before all of them."
    )
    link = exposure.measures(replace(made_attack(), attack="link"))
    assert link.startswith("Exposure of one edge: the share of pairs without an edge to which the attack gives a lower")


def test_the_average_is_over_nodes_and_not_over_groups() -> None:
    said = told(("a", 900, 0.5), ("b", 100, 0.9))
    assert said.startswith("**One group stands out: class b (0.9)**.")
    assert said.endswith("exposure is 0.54 on average.")


def test_all_are_called_exposed_where_the_average_is_far_from_a_guess() -> None:
    near = told(("a", 500, 0.6), ("b", 500, 0.6), memory=3.0)
    assert near.startswith("**Nobody in particular: "), "better than a guess, and given away no more than a little"


def test_groups_are_held_against_each_other_where_they_are_large_enough() -> None:
    said = told(("a", 900, 0.5), ("b", 900, 0.52), ("c", 49, 0.6))
    assert "The largest difference, between class b (0.52) and class a (0.5), may be chance." in said
    assert said.endswith(" Too small to say: class c.")


def test_they_are_clearly_apart_where_their_intervals_do_not_overlap() -> None:
    """Of 60 nodes the interval is wide, and reaches into that of 5,000 whose mean it leaves out."""
    said = told(("a", 60, 0.40), ("b", 5000, 0.51))
    assert "The largest difference, between class b (0.51) and class a (0.4), may be chance." in said
    assert " Clearly apart: class b (0.51) and class a (0.2)." in told(("a", 60, 0.2), ("b", 5000, 0.51))


def test_who_is_nearly_in_front_is_told_where_that_is_beyond_chance() -> None:
    beyond = found(3, 20)
    assert exposure.nobody(beyond) == (
        "Some nodes are exposed, but none can be named: of the run's own training nodes, 20 of 400 are found before "
        "99% of the others, about 6 would be by chance, and which of them are exposed cannot be told."
    )
    assert exposure.nobody(found(3, 7)).startswith(
        "No single node can be named: of the run's own training nodes, 3 of 400 stand before all 200 others, about 2 "
    ), "7 of 400 are no more than chance would find there"


def test_attacks_agree_that_ask_the_same_and_find_more_than_chance() -> None:
    own = ahead(made_attack(memory=3.0), 40)
    same = replace(own, attack="lira", exposed=own.exposed[:7])
    link = replace(own, attack="link")
    chance = ahead(replace(own, attack="rmia"), 1)
    assert own.exposed
    assert exposure.comparable(own, [own, same, link, chance]) == [same]
    assert exposure.agreed(own, [link, chance]) == ""
    assert exposure.agreed(own, [same, link, chance]).startswith(f"Of the {len(own.exposed)} listed here, 7 are listed")
