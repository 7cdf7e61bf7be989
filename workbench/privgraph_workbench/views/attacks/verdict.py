"""What an attack on a run says, in a few sentences for somebody who has read no paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import streamlit as st

from privgraph.attacks.exchange import group_delta
from privgraph.attacks.outcome import difference
from privgraph.attacks.record import FEW, AttackRecord
from privgraph.registry import sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import at_most, exact_percent, percent, signed, stated

CLOSE = 0.55
"""An area below this is called close to chance, where its interval does not hold 0.5."""
FAR = 0.65
EVERYTHING = 0.99
"""A promise that lets somebody be right more often than this excludes hardly any attack."""
NO_MEMORY = 0.02
"""A training accuracy that exceeds the test accuracy by less says that a run remembers nobody."""
BY_HEART = 0.15
"""A training accuracy that exceeds the test accuracy by more says that nodes were learnt by heart."""
APART = 0.05
"""Test accuracies of the attacked model and the run that differ by more are pointed out."""
LITTLE = 0.1
"""Of edges, an area that exceeds likeness by less is a little more than likeness."""
WORDS = (
    f"In words: no better than guessing where the interval holds 50%; given away where all of it lies from {FAR:.0%} "
    "on; better than guessing between them. Of edges told by distance, likeness is what a model that never read one "
    "finds, or the true classes tell, whichever is more: no more than likeness where all of the interval lies up to "
    "there, not told from likeness where the interval holds it, a little more where the interval begins less than "
    f"{100 * LITTLE:.0f} points above it, and undecided where there is no such model to compare with. "
    "Of who was trained on, undecided where the two sides were not drawn by one coin and the run remembers nobody."
)


def learnt(record: RunRecord) -> tuple[float, float] | None:
    """How much of its training nodes and of the test nodes the run is right about, where it says both."""
    both = (record.metrics.get("train_accuracy"), record.metrics.get("test_accuracy"))
    return None if both[0] is None or both[1] is None else (both[0], both[1])


def caution(attack: AttackRecord) -> str:
    """Why what is found need not be a leak, where the attack goes by likeness; "" where it does not: what
    moves one end when the other is changed is read through an edge."""
    return sides(attack.attack).caution if attack.options.by == "distance" else ""


def on_own(attack: AttackRecord) -> bool:
    """Whether the model on the run's own draw is told better than by a guess: by its interval, in the digits
    that are shown, or by a bound on epsilon above 0."""
    return round(attack.outcome.area_low, 3) > 0.5 or bool(attack.bound)


def on_average(attack: AttackRecord) -> bool:
    """Whether the attacked models are told better than by a guess."""
    return round(attack.found[1], 3) > 0.5


def guessing(attack: AttackRecord) -> bool:
    """Whether nothing says that the attack is better than a guess."""
    return not on_own(attack) and not on_average(attack)


def beyond(attack: AttackRecord, without: AttackRecord) -> tuple[float, float, float]:
    """By how much the area exceeds that of a model that never read an edge, with its interval."""
    return difference(attack.found, without.found)


def more_than_likeness(attack: AttackRecord, without: AttackRecord | None) -> bool:
    """Whether more is found than a perceptron finds, and than the true classes tell by themselves: a model
    that knows classes better than a perceptron finds more edges without having read any."""
    if without is None or without.run == attack.run or beyond(attack, without)[1] <= 0:
        return False
    return attack.by_classes is None or attack.found[1] > attack.by_classes


def perhaps_more(attack: AttackRecord, without: AttackRecord | None) -> bool:
    """Whether the intervals reach above what likeness tells, so that there may be more, or not."""
    if without is None or without.run == attack.run or beyond(attack, without)[2] <= 0:
        return False
    return attack.by_classes is None or attack.found[2] > attack.by_classes


def likeness(attack: AttackRecord, without: AttackRecord) -> tuple[float, str]:
    """The area that likeness alone has, and what has it: a perceptron, or the true classes where they have
    more."""
    if attack.by_classes is not None and attack.by_classes > without.found[0]:
        return attack.by_classes, "the true classes alone"
    return without.found[0], "a perceptron"


def little(attack: AttackRecord, without: AttackRecord) -> bool:
    """Whether what exceeds likeness is little, at the lower end of its interval."""
    lows = [beyond(attack, without)[1]]
    if attack.by_classes is not None:
        lows.append(attack.found[1] - attack.by_classes)
    return min(lows) < LITTLE


def undecided(attack: AttackRecord, without: AttackRecord | None, learnt: tuple[float, float] | None = None) -> bool:
    """Whether what is found may be mere likeness, and nothing says that it is a leak.

    So it is of edges, which join nodes alike, where no model that never read an edge stands beside
    (`without`); and of who trained, where members and others were not drawn by one coin and may differ by
    themselves, and the run remembers nobody: it is about as right of test nodes as of its training nodes
    (`learnt`).
    """
    if guessing(attack):
        return False
    if caution(attack):
        return without is None
    apart = sides(attack.attack)
    return not attack.drawn and apart.unit == "node" and learnt is not None and learnt[0] - learnt[1] < NO_MEMORY


SEVERITIES: Sequence[tuple[str, Literal["gray", "blue", "orange", "red"]]] = (
    ("no better than guessing", "gray"),
    ("no more than likeness", "gray"),
    ("not told from likeness", "gray"),
    ("undecided: likeness or leak", "blue"),
    ("a little more than likeness", "orange"),
    ("better than guessing", "orange"),
    ("given away", "red"),
)
"""How much an attack has found, from nothing to most, with the colour of its mark."""


def severity(attack: AttackRecord, without: AttackRecord | None, learnt: tuple[float, float] | None = None) -> int:
    """The place in `SEVERITIES` of what an attack has found."""
    if guessing(attack):
        return 0
    if undecided(attack, without, learnt):
        return UNDECIDED
    if caution(attack) and not more_than_likeness(attack, without):
        return 2 if perhaps_more(attack, without) else 1
    if attack.refutes_sound:
        return GIVEN_AWAY
    if caution(attack) and without is not None and little(attack, without):
        return SOMETHING
    return GIVEN_AWAY if on_own(attack) and attack.found[1] >= FAR else SOMETHING + 1


GIVEN_AWAY = len(SEVERITIES) - 1
UNDECIDED = 3
SOMETHING = 4
"""The first of `SEVERITIES` that says that something was given away."""


def word(attack: AttackRecord, severe: int) -> str:
    """What has been found, in few words: likeness is a matter of edges."""
    said = SEVERITIES[severe][0]
    return said if caution(attack) else said.replace("likeness or leak", "memory, or a difference from before")


def conclusion(
    attack: AttackRecord,
    unit: str = "none",
    without: AttackRecord | None = None,
    learnt: tuple[float, float] | None = None,
) -> str:
    """What the area says, in plain sentences of Markdown: what was found, and what follows.

    `unit` is what the run protects; `without` the same attack on a model that reads no edge, where the attack
    asks for edges and there is one; `learnt` the run's accuracies on its training nodes and on test nodes.
    """
    return " ".join([lead(attack, without, learnt), *details(attack, unit, without, learnt)])


def lead(attack: AttackRecord, without: AttackRecord | None, learnt: tuple[float, float] | None = None) -> str:
    """What was found, in two sentences."""
    return f"**{_headline(attack, without, learnt)}** {_pair(attack, without)}"


def details(
    attack: AttackRecord,
    unit: str,
    without: AttackRecord | None,
    learnt: tuple[float, float] | None = None,
) -> list[str]:
    """What is found where false alarms are rare, what it has to be compared with, and what the run
    promises."""
    tail = _another(attack) if guessing(attack) else _caution(attack, without)
    if not caution(attack) and undecided(attack, without, learnt):
        tail = (
            "Members and others were not drawn by one coin, so they may differ by themselves; and the run is about as "
            "right of test nodes as of its training nodes, so it remembers nobody that could be told from that. The "
            "same attack on a run with a random split decides."
        )
    return [one for one in (_rare(attack), tail, _promised(attack, unit, learnt)) if one]


def _headline(attack: AttackRecord, without: AttackRecord | None, learnt: tuple[float, float] | None = None) -> str:
    apart, found = sides(attack.attack), attack.found[0]
    if guessing(attack):
        return "The attack cannot be told from guessing."
    if not on_average(attack):
        return f"Better than guessing on {apart.again}; over all attacked models that is not certain."
    if not on_own(attack):
        return f"Better than guessing on average; on {apart.again} alone that is not certain."
    if undecided(attack, without, learnt):
        two = "likeness or leak" if caution(attack) else "memory, or a difference from before"
        return f"Undecided: {two}. This attack alone does not say."
    if caution(attack) and without is not None:
        if without.run == attack.run:
            return "What is found here is likeness: this model has never read an edge."
        if not more_than_likeness(attack, without):
            if perhaps_more(attack, without):
                return "What is found cannot be told from likeness."
            return "No more is found than likeness tells."
        much = "a little more" if little(attack, without) else "more"
        return f"The model gives away {much} of {apart.gives_away} than likeness tells."
    if found < CLOSE:
        return "The attack does a little better than guessing."
    if attack.found[1] < FAR:  # by the lower end: models that differ much may give away little
        return f"The attack tells {apart.asks} better than guessing."
    return f"The model gives away {apart.gives_away}."


def _pair(attack: AttackRecord, without: AttackRecord | None) -> str:
    """How often the right one of two is picked; of edges, first by how much more often than by likeness."""
    apart, (found, low, high) = sides(attack.attack), attack.found
    said = f"Shown {apart.member} and {apart.other}, it picks the right one {percent(found)} of the time"
    between = f"({percent(low)} to {percent(high)} at {exact_percent(attack.confidence)} confidence; a coin: 50%)"
    if caution(attack) and without is not None and without.run != attack.run:
        alike, who = likeness(attack, without)
        more = 100 * (found - alike)
        than = f"{abs(more):.1f} points {'more' if more >= 0 else 'less'} often than {who} ({percent(alike)})"
        said = f"It is right {than}: {said[:1].lower()}{said[1:]}"
    if len(attack.areas) >= FEW:
        return f"{said} on average over {len(attack.areas)} models {between}."
    return f"{said} {between}."


def _rare(attack: AttackRecord) -> str:
    """What is found where false alarms are rare; nothing where too few others were judged."""
    rate, apart = attack.rare_found, sides(attack.attack)
    if rate is None:
        return ""
    return (
        f"Where it wrongly names {exact_percent(rate.false)} of the {apart.others}, it rightly names "
        f"{percent(rate.true)} of the {apart.members} ({percent(rate.low)} to {percent(rate.high)}; a guess: "
        f"{exact_percent(rate.false)})."
    )


def _another(attack: AttackRecord) -> str:
    """That nothing found is no proof."""
    if sides(attack.attack).caution and attack.options.by == "influence":
        return "Told by distance, the same model may say more: that is an attack of its own."
    more = ", or more shadow models," if attack.models > len(attack.areas) else ""
    return f"Another attack{more} may find more: this is no proof."


def _caution(attack: AttackRecord, without: AttackRecord | None) -> str:
    """What an area says of edges beside what is told without reading one."""
    if not caution(attack):
        return ""
    classes = (
        ""
        if attack.by_classes is None
        else f"Who knows the true classes and no edge is right {percent(attack.by_classes)} of the time."
    )
    if classes and without is not None and likeness(attack, without)[1] != "a perceptron":
        classes += " That is what to compare with: the perceptron knows the classes less well."
    if without is None:
        return " ".join(filter(None, (caution(attack), classes)))
    if without.run == attack.run:
        return classes
    more, low, high = (signed(100 * one) for one in beyond(attack, without))
    perceptron = (
        f"A perceptron on the same graph, which never read an edge, gives {percent(without.found[0])}: a difference of "
        f"{more} points ({low} to {high}); it is right about {percent(without.accuracy)} of the test nodes, this model "
        f"about {percent(attack.accuracy)}."
    )
    return " ".join(filter(None, (perceptron, classes)))


def _promised(attack: AttackRecord, unit: str, learnt: tuple[float, float] | None = None) -> str:
    """What the run promises of what the attack asks, beside what was found."""
    edges = sides(attack.attack).unit == "edge"
    if unit == "none":
        return "The run promises nothing."
    if unit == "edge" and not edges:
        said = "The run promises to hide edges, not who was trained on: nothing here contradicts its ε."
        if learnt is None or learnt[0] - learnt[1] < BY_HEART or guessing(attack):
            return said
        return (
            f"{said} Noise on edges leaves the network little to learn from neighbours: it is right about "
            f"{percent(learnt[0])} of its training nodes and {percent(learnt[1])} of the test nodes, so it has learnt "
            "the former by heart. That is what the attack finds, and less noise, which leaves more to learn, may give "
            "away less."
        )
    if math.isinf(attack.sound) or attack.refutes_sound:
        return ""
    if attack.steps is not None and attack.drawn:
        epsilon, delta = attack.steps * attack.sound, group_delta(attack.sound, attack.delta, attack.steps)
        if meaning.guess(epsilon, delta) > EVERYTHING:
            return (
                f"The run's ε of {stated('sound', attack.sound)} allows nearly everything that can be found so: to be "
                f"right {at_most(meaning.guess(epsilon, delta))} of the time."
            )
        return (
            f"The run's ε of {stated('sound', attack.sound)} allows an outsider to be right "
            f"{at_most(meaning.guess(epsilon, delta))} of the time: nothing here contradicts it."
        )
    if at_most(meaning.guess(attack.sound, attack.delta)) == at_most(1.0):
        what = "a pair" if edges else "a node"
        return f"The run's ε of {stated('sound', attack.sound)} excludes next to nothing about {what}."
    if edges:
        whose = "an edge" if unit == "edge" else "a person, and each of their edges,"
        return (
            f"The run promises to hide {whose} from somebody who knows all the rest: about one pair, such a person is "
            f"right {at_most(meaning.guess(attack.sound, attack.delta))} of the time. What many pairs have in common "
            "is no part of that promise: nothing here contradicts it."
        )
    return (
        "The run promises to hide a node from somebody who knows all the rest: about one node, such a person is right "
        f"{at_most(meaning.guess(attack.sound, attack.delta))} of the time. That is for another change of the data "
        "than this attack asks about: nothing here contradicts it."
    )


def show(
    attack: AttackRecord,
    unit: str = "none",
    without: AttackRecord | None = None,
    learnt: tuple[float, float] | None = None,
    *,
    led: bool = False,
) -> None:
    """What was found and what follows; not the former where the verdict of the run above has said it
    (`led`)."""
    if not led:
        st.markdown(lead(attack, without, learnt))
    if told := details(attack, unit, without, learnt):
        st.markdown("\n".join(f"- {one}" for one in told))
    if attack.said is not None and abs(attack.accuracy - attack.said) > APART:
        st.caption(
            f":material/warning: The attacked model is right about {percent(attack.accuracy)} of the test nodes, the "
            f"run about {percent(attack.said)}. Models that differ so much may give away more or less than the run."
        )
