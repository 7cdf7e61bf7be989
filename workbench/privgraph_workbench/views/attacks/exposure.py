"""Whom an attack exposes, for somebody who has read no paper: groups of nodes, then single ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.record import RARE, AttackRecord, Group
from privgraph.audits.bounds import mean_of_shares
from privgraph.registry import sides
from privgraph_workbench.facts.references import LEVEL
from privgraph_workbench.figures.attacks.attack_exposure import KINDS
from privgraph_workbench.views.attacks import columns
from privgraph_workbench.words import markup, verdicts
from privgraph_workbench.words.numbers import exact_percent, number

FEW = 50
"""A group of fewer nodes has an interval from which nothing can be told."""


def measures(attack: AttackRecord) -> str:
    """What the figure of exposure measures."""
    apart = sides(attack.attack)
    return (
        f"Exposure of {apart.member}: the share of {apart.others} to which the attack gives a lower score. 0.5 is "
        "chance; 1 is found before all of them."
    )


def groups(attack: AttackRecord) -> str:
    """Which groups are exposed more than all are on average, as Markdown.

    A group stands out where its interval, widened for as many groups as there are, lies above that average:
    each end fails with chance (1 - `LEVEL`) / 2, shared by all groups.
    """
    held = [(kind, one) for kind, every in (("degree", attack.by_degree), ("class", attack.by_class)) for one in every]
    judged = [(kind, one) for kind, one in held if one.nodes]
    if not judged:
        return ""
    every = attack.by_degree or attack.by_class  # each of them holds all nodes once
    average = sum(one.exposure * one.nodes for one in every) / max(1, sum(one.nodes for one in every))
    level = (1 - LEVEL) / 2 / len(judged)
    beyond = [(kind, one) for kind, one in judged if mean_of_shares(one.exposure, one.nodes, level)[0] > average]
    if not beyond:
        if verdicts.on_average(attack) and average >= verdicts.FAR:
            lead = f"All groups are exposed: {number(average)} on average, where a guess has 0.5."
        else:
            lead = "Nobody in particular: no group by degree or by class stands out."
        small = [name for name, one in _named(judged) if one.nodes < FEW]
        few = f" Too small to say: {', '.join(small)}." if small else ""
        return (
            f"**{lead}**{_apart(judged, level)} {_over(attack, every)} exposure is {number(average)} on average.{few}"
        )
    beyond.sort(key=lambda one: -one[1].exposure)
    told = [f"{name} ({number(one.exposure)})" for name, one in _named(beyond)]
    many = f"{len(told)} groups stand out" if len(told) > 1 else "One group stands out"
    return f"**{many}: {', '.join(told)}**. {_over(attack, every)} exposure is {number(average)} on average."


def _apart(judged: Sequence[tuple[str, Group]], level: float) -> str:
    """The largest difference between two groups of one kind that are large enough to say anything, and
    whether it is clear: their intervals, of which each end fails with chance `level`, do not overlap. ""
    where there are no two."""
    found = []
    for kind in KINDS:
        held = sorted((one for name, one in judged if name == kind and one.nodes >= FEW), key=lambda one: one.exposure)
        if len(held) > 1:
            found.append((held[-1].exposure - held[0].exposure, kind, held[-1], held[0]))
    if not found:
        return ""
    _, kind, high, low = max(found, key=lambda one: one[0])
    (most, above), (least, below) = _named([(kind, high), (kind, low)])
    ends = [mean_of_shares(one.exposure, one.nodes, level) for one in (above, below)]
    which = f"{most} ({number(above.exposure)}) and {least} ({number(below.exposure)})"
    clear = ends[0][0] > ends[1][1]
    return f" Clearly apart: {which}." if clear else f" The largest difference, between {which}, may be chance."


def _named(held: Sequence[tuple[str, Group]]) -> list[tuple[str, Group]]:
    return [(f"{KINDS[kind].removeprefix('by ')} {markup.literal(one.name)}", one) for kind, one in held]


def _over(attack: AttackRecord, every: Sequence[Group]) -> str:
    """Over which nodes groups are counted: each attacked model has training nodes of its own."""
    of = f" in any of {len(attack.areas)} attacked models" if len(attack.areas) > 1 else ""
    return f"Over the {sum(one.nodes for one in every):,} {sides(attack.attack).members}{of},"


def single(attack: AttackRecord, others: Sequence[AttackRecord] = ()) -> None:
    """The training nodes that the attack finds most easily, how many would by chance, and what `others` on
    the run say of them."""
    st.markdown(
        "#### The most exposed nodes",
        help=f"{measures(attack)} Where several have the same, the higher score comes first. The evaluator's view: "
        "it takes knowing who trained, and is not for release",
    )
    st.badge("evaluator's view", color="gray", icon=":material/visibility:")
    count, listing = attack.outcome.others, listed_too(attack, others)
    st.warning(f"{ahead(attack)} Which of them are there by chance cannot be told. {agreed(attack, others)}".strip())
    lines = [
        {
            "node": one.node,
            "class": one.label,
            "degree": one.degree,
            f"found before, of {count:,} {sides(attack.attack).others}": before(one.exposure, count),
            **({"other attacks that list it": listing[one.node]} if comparable(attack, others) else {}),
        }
        for one in attack.exposed
    ]
    st.dataframe(
        lines,
        hide_index=True,
        column_config=columns.config(lines[0]),
        alt="The training nodes that the attack finds most easily, the worst first",
    )


def ahead(attack: AttackRecord) -> str:
    """How many are found before all others, and how many by chance alone, in one sentence."""
    seen = attack.ahead
    found = f"{seen.found:,} {'does' if seen.found == 1 else 'do'}" if seen.found else "none does"
    return (
        f"Of {seen.members:,} {sides(attack.attack).members}, about {number(seen.by_chance, 2)} would stand before all "
        f"{seen.others:,} others by chance; {found}."
    )


def nobody(attack: AttackRecord) -> str:
    """Why nobody is listed as exposed, the answer first; "" where more are than chance explains."""
    seen, nearly, own = attack.ahead, attack.nearly_ahead, sides(attack.attack).again
    if verdicts.guessing(attack):
        return "No single node can be named: the attack is no better than guessing."
    if seen.beyond_chance:
        return ""
    if nearly is not None and nearly.beyond_chance:
        return (
            f"Some nodes are exposed, but none can be named: of {own}, {nearly.found:,} of {nearly.members:,} are "
            f"found before {exact_percent(1 - RARE)} of the others, about "
            f"{nearly.by_chance:.0f} would be by chance, and which of them are exposed cannot be told."
        )
    return f"No single node can be named: of {own}, {_by_chance_too(attack)}"


def _by_chance_too(attack: AttackRecord) -> str:
    """That those in front may be there by chance alone, as the end of a sentence."""
    seen = attack.ahead
    if not seen.found:
        return f"none of {seen.members:,} stands before all {seen.others:,} others."
    return (
        f"{seen.found:,} of {seen.members:,} stand{'s' * (seen.found == 1)} before all {seen.others:,} others, about "
        f"{number(seen.by_chance, 2)} would by chance, where so many or more do in {exact_percent(seen.p, 2)} of "
        "cases."
    )


def comparable(attack: AttackRecord, others: Sequence[AttackRecord]) -> list[AttackRecord]:
    """Other attacks on the run that ask the same and list more nodes than chance explains."""
    asks = sides(attack.attack).asks
    return [
        one
        for one in others
        if one is not attack and sides(one.attack).asks == asks and one.exposed and not nobody(one)
    ]


def listed_too(attack: AttackRecord, others: Sequence[AttackRecord]) -> Counter[int]:
    """By node, how many of the comparable attacks list it."""
    return Counter(held.node for one in comparable(attack, others) for held in one.exposed)


def agreed(attack: AttackRecord, others: Sequence[AttackRecord]) -> str:
    """How many of the listed nodes other attacks on the run list, too; "" where there is no such attack."""
    beside, listing = comparable(attack, others), listed_too(attack, others)
    if not beside:
        return ""
    both = sum(bool(listing[one.node]) for one in attack.exposed)
    who = "another attack on this run" if len(beside) == 1 else f"{len(beside)} other attacks on this run"
    return f"Of the {len(attack.exposed)} listed here, {both} are listed by {who}, too."


def before(exposure: float, others: int) -> str:
    """Before how many of the others an exposed node is found: a share of 1 for many would tell nothing."""
    count = exposure * others
    return f"all {others:,}" if count == others else f"{count:,.1f}".removesuffix(".0")
