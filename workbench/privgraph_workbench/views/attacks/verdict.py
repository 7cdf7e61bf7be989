"""What an attack on a run says, in a few sentences for somebody who has read no paper."""

from __future__ import annotations

import streamlit as st

from privgraph.attacks.outcome import difference
from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.words.numbers import exact_percent, lower, percent, stated

CLOSE = 0.55
"""An area below this is called close to chance, where its interval does not hold 0.5."""
FAR = 0.65
FEW = 3
"""Attacked models from which conclusions are drawn from their mean: of two, an interval says nothing."""
APART = 0.05
"""Test accuracies of the attacked model and the run that differ by more are pointed out."""


def area(attack: AttackRecord) -> tuple[float, float, float]:
    """The area that conclusions are drawn from, with its interval: the mean of the attacked models where they
    are at least `FEW`, since they differ by more than whom the attack was judged on; else that of the one."""
    if attack.mean_area is not None and len(attack.areas) >= FEW:
        return attack.mean_area
    return attack.outcome.area, attack.outcome.area_low, attack.outcome.area_high


def caution(attack: AttackRecord) -> str:
    """Why what is found need not be a leak, where the attack goes by likeness; "" where it does not: what
    moves one end when the other is changed is read through an edge."""
    return sides(attack.attack).caution if attack.options.by == "distance" else ""


def guessing(attack: AttackRecord) -> bool:
    """Whether an interval holds 0.5, in the digits that are shown: that of the model on the run's own draw,
    or that of all models."""
    return round(min(area(attack)[1], attack.outcome.area_low), 3) <= 0.5


def beyond(attack: AttackRecord, without: AttackRecord) -> tuple[float, float, float]:
    """By how much the area exceeds that of a model that never read an edge, with its interval."""
    return difference(area(attack), area(without))


def conclusion(attack: AttackRecord, unit: str = "none", without: AttackRecord | None = None) -> str:
    """What the area says, in plain sentences of Markdown.

    `unit` is what the run protects; `without` the same attack on a model that reads no edge, where the attack
    asks for edges and there is one.
    """
    more = ", or more shadow models," if attack.models > len(attack.areas) else ""
    tail = f"Another attack{more} may find more: this is no proof." if guessing(attack) else _caution(attack, without)
    parts = (f"**{_headline(attack, without)}**", _pair(attack), _rare(attack), tail, _promised(attack, unit))
    return " ".join(filter(None, parts))


def _headline(attack: AttackRecord, without: AttackRecord | None) -> str:
    apart, found = sides(attack.attack), area(attack)[0]
    if guessing(attack):
        return "The attack cannot be told from guessing."
    if caution(attack):
        if without is None:
            return "Likeness or leak? This attack alone does not say."
        if without.run == attack.run:
            return "What is found here is likeness: this model has never read an edge."
        if beyond(attack, without)[1] <= 0:
            return "No more is found than likeness tells."
        return f"The model gives away more of {apart.gives_away} than likeness tells."
    if found < CLOSE:
        return "The attack does a little better than guessing."
    if found < FAR:
        return f"The attack tells {apart.asks} better than guessing."
    return f"The model gives away {apart.gives_away}."


def _pair(attack: AttackRecord) -> str:
    apart, (found, low, high) = sides(attack.attack), area(attack)
    said = f"Shown {apart.member} and {apart.other}, it picks the right one {percent(found)} of the time"
    between = f"({percent(low)} to {percent(high)} at {exact_percent(attack.confidence)} confidence; a coin: 50%)"
    if len(attack.areas) >= FEW:
        own = percent(attack.outcome.area)
        return f"{said} on average over {len(attack.areas)} models {between}; of the model on {apart.again}: {own}."
    return f"{said} {between}."


def _rare(attack: AttackRecord) -> str:
    """What is found where false alarms are rare; nothing where too few others were judged."""
    rate, apart = attack.rare, sides(attack.attack)
    if rate is None:
        return ""
    return (
        f"Where it wrongly names {exact_percent(rate.false)} of the {apart.others}, it rightly names "
        f"{percent(rate.true)} of the {apart.members} ({percent(rate.low)} to {percent(rate.high)})."
    )


def _caution(attack: AttackRecord, without: AttackRecord | None) -> str:
    """What an area says of edges beside a model that never saw one."""
    if not caution(attack):
        return ""
    if without is None:
        return f"{caution(attack)} The same attack on a perceptron says how much likeness alone gives."
    if without.run == attack.run:
        return ""
    more, low, high = (100 * one for one in beyond(attack, without))
    return (
        f"A perceptron on the same graph, which never read an edge, gives {percent(area(without)[0])}: "
        f"a difference of {more:.1f} points ({low:.1f} to {high:.1f})."
    )


def _promised(attack: AttackRecord, unit: str) -> str:
    """What the run promises of what the attack asks."""
    edges = sides(attack.attack).unit == "edge"
    if unit == "none":
        return "The run promises nothing."
    if unit == "edge" and not edges:
        return (
            "The run promises to hide edges, not who trained: nothing here contradicts its ε. Noise on edges may even "
            "leave a network to learn its training nodes by heart."
        )
    if unit == "node" and edges:
        return "The run promises to hide people; its ε for them covers each of their edges, too."
    return ""


def show(attack: AttackRecord, unit: str = "none", without: AttackRecord | None = None) -> None:
    """The conclusion in a box whose colour says whether anything was found."""
    said = conclusion(attack, unit, without)
    if attack.refutes_sound:
        st.error(
            f"{said} It shows that ε is at least {lower(attack.bound or 0.0)}, more than the "
            f"{stated('sound', attack.sound)} that we call sound: do not rely on this run, and tell us.",
            icon="🚨",
        )
    elif _leaks(attack, without):
        st.warning(said, icon="🕵️")
    else:
        st.info(said, icon="🕵️")
    if attack.said is not None and abs(attack.accuracy - attack.said) > APART:
        st.caption(
            f":material/warning: The attacked model is right about {percent(attack.accuracy)} of the test nodes, the "
            f"run about {percent(attack.said)}. Models that differ so much may give away more or less than the run."
        )


def _leaks(attack: AttackRecord, without: AttackRecord | None) -> bool:
    """Whether something was found that likeness does not explain."""
    if guessing(attack):
        return False
    if not caution(attack):
        return True
    return without is not None and without.run != attack.run and beyond(attack, without)[1] > 0
