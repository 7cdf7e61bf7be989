"""What an attack has found, in few words, and what it is compared with: the same on every page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from privgraph.attacks.outcome import difference
from privgraph.attacks.record import FEW, AttackRecord
from privgraph.privacy.statements import trains_in_public
from privgraph.registry import sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.words.attacks import at_most_found, best_rival, called, most
from privgraph_workbench.words.numbers import between, percent, signed

CLOSE = 0.55
"""An area below this is called close to chance, where its interval does not hold 0.5."""
FAR = 0.65
"""Given away: all of the interval of the area lies from here on."""
NO_MEMORY = 0.02
"""A training accuracy that exceeds the test accuracy by less says that a run remembers nobody."""
LITTLE = 0.1
"""Of edges, an area that exceeds that of similarity by less is a little more than similarity."""
RULES = (
    "**No better than guessing**: the interval of the area holds 50%, and at few false alarms no more is found than "
    "chance explains. For that each share of false alarms is held against the exact law of chance, on the run's own "
    "training nodes, as strictly as for all numbers looked at together.",
    f"**Given away**: all of the interval lies from {FAR:.0%} on.",
    f"**Better than guessing**: all else; **a little**, where the area is below {CLOSE:.0%}. So a larger area with a "
    "wide interval can have the weaker verdict.",
    "**Better on its own nodes**, **better at few false alarms**: by the area alone, over all attacked models, it "
    "could not be told. **Better by another score**: the attack that was chosen in advance finds nothing, another "
    "score of the same answers does, by an interval corrected for how many scores there are.",
    f"**Kept**: no better than guessing, and all of the interval lies below {CLOSE:.0%}; of edges told by distance, "
    "no more than similarity. As far as this attack tells: that is no proof. Each interval holds at 95% by itself: of "
    f"runs of which {CLOSE:.0%} and more can be told, up to 2.5% would be called kept.",
    "**Similarity** (edges told by distance): people who are alike are often connected. What that alone tells is what "
    "a model finds that reads no edge, or what the true classes tell, whichever is more.",
    "**No more than similarity**: all of the interval lies up to there. **Perhaps similarity alone**: the interval "
    f"holds it. **A little more than similarity**: it begins less than {100 * LITTLE:.0f} points above. **Undecided**: "
    "no model that reads no edge was attacked for comparison.",
    "**Undecided** (who was trained on): training nodes were not drawn at random, and the run is about as right of "
    "test nodes as of its training nodes.",
)
"""How the words of a verdict follow from the area and its interval, in Markdown."""


BY_HEART = 0.15
"""A training accuracy that exceeds the test accuracy by more says that nodes were learnt by heart."""


def learnt(record: RunRecord) -> tuple[float, float] | None:
    """How much of its training nodes and of the test nodes the run is right about, where it says both."""
    both = (record.metrics.get("train_accuracy"), record.metrics.get("test_accuracy"))
    return None if both[0] is None or both[1] is None else (both[0], both[1])


def caution(attack: AttackRecord) -> str:
    """Why what is found need not be a leak, where the attack goes by similarity; "" where it does not: what
    moves one end when the other is changed is read through an edge."""
    return sides(attack.attack).caution if attack.options.by == "distance" else ""


def on_own(attack: AttackRecord) -> bool:
    """Whether the model on the run's own draw is told better than by a guess: by its interval, in the digits
    that are shown, or by a bound on epsilon above 0."""
    return round(attack.outcome.area_low, 3) > 0.5 or bool(attack.bound)


def on_average(attack: AttackRecord) -> bool:
    """Whether the attacked models are told better than by a guess."""
    return round(attack.found[1], 3) > 0.5


def kept(attack: AttackRecord, severe: int) -> bool:
    """Whether the attack finds nothing, nor does another score of its answers, and their intervals leave no
    room for more; of edges, no more than similarity."""
    return severe <= 1 and (bool(caution(attack)) or (severe == 0 and at_most_found(attack) < CLOSE))


def on_average_alone(attack: AttackRecord) -> bool:
    """Whether that is so on average only, and not certain of the run's own draw."""
    return on_average(attack) and not on_own(attack)


def strictly(attack: AttackRecord) -> float:
    """How small the chance of what is found at few false alarms must be: what the confidence leaves, shared
    by all the numbers that are looked at, the area and each rate."""
    return (1 - attack.confidence) / (1 + len(attack.ahead_at))


def at_few_alarms(attack: AttackRecord) -> bool:
    """Whether more of the run's own training nodes are found at few false alarms than chance explains."""
    return any(one.p <= strictly(attack) for one in attack.ahead_at.values())


def guessing(attack: AttackRecord) -> bool:
    """Whether nothing says that the attack is better than a guess."""
    return not (on_own(attack) or on_average(attack) or at_few_alarms(attack))


def beyond(attack: AttackRecord, without: AttackRecord) -> tuple[float, float, float]:
    """By how much the area exceeds that of a model that never read an edge, with its interval."""
    return difference(attack.found, without.found)


def more_than_similarity(attack: AttackRecord, without: AttackRecord | None) -> bool:
    """Whether more is found than a perceptron finds, and than the true classes tell by themselves: a model
    that knows classes better than a perceptron finds more edges without having read any."""
    if without is None or without.run == attack.run or beyond(attack, without)[1] <= 0:
        return False
    return attack.by_classes is None or attack.found[1] > attack.by_classes


def perhaps_more(attack: AttackRecord, without: AttackRecord | None) -> bool:
    """Whether the intervals reach above what similarity tells, so that there may be more, or not."""
    if without is None or without.run == attack.run or beyond(attack, without)[2] <= 0:
        return False
    return attack.by_classes is None or attack.found[2] > attack.by_classes


def similarity(attack: AttackRecord, without: AttackRecord) -> tuple[float, str]:
    """The area that similarity alone has, and what has it: a perceptron, or the true classes where they have
    more."""
    if attack.by_classes is not None and attack.by_classes > without.found[0]:
        return attack.by_classes, "the true classes alone"
    return without.found[0], "a perceptron"


def little(attack: AttackRecord, without: AttackRecord) -> bool:
    """Whether what exceeds similarity is little, at the lower end of its interval."""
    lows = [beyond(attack, without)[1]]
    if attack.by_classes is not None:
        lows.append(attack.found[1] - attack.by_classes)
    return min(lows) < LITTLE


def undecided(attack: AttackRecord, without: AttackRecord | None, learnt: tuple[float, float] | None = None) -> bool:
    """Whether what is found may be mere similarity, and nothing says that it is a leak.

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


APART = 0.05
"""Test accuracies of the attacked model and the run that differ by more are pointed out."""
SEVERITIES: Sequence[tuple[str, Literal["gray", "blue", "orange", "red"]]] = (
    ("no better than guessing", "gray"),
    ("no more than similarity", "gray"),
    ("perhaps similarity alone", "gray"),
    ("undecided: similarity or leak", "blue"),
    ("a little more than similarity", "orange"),
    ("better than guessing", "orange"),
    ("given away", "red"),
)
"""How much an attack has found, from nothing to most, with the colour of its mark."""


def severity(attack: AttackRecord, without: AttackRecord | None, learnt: tuple[float, float] | None = None) -> int:
    """The place in `SEVERITIES` of what an attack has found."""
    if guessing(attack):
        return 0 if caution(attack) or best_rival(attack) is None else SOMETHING + 1
    if undecided(attack, without, learnt):
        return UNDECIDED
    if caution(attack) and not more_than_similarity(attack, without):
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


Colour = Literal["gray", "blue", "yellow", "orange", "red"]


def a_little(attack: AttackRecord, severe: int) -> bool:
    """Whether who was trained on is told but little better than by a guess."""
    return severe == SOMETHING + 1 and most(attack)[0] < CLOSE and not caution(attack)


def colour(attack: AttackRecord, severe: int) -> Colour:
    """The colour of its mark: what is little is paler than what is more."""
    return "yellow" if a_little(attack, severe) or severe == SOMETHING else SEVERITIES[severe][1]


def word(attack: AttackRecord, severe: int) -> str:
    """What has been found, in few words: similarity is a matter of edges."""
    said = SEVERITIES[severe][0]
    if severe == SOMETHING + 1 and not caution(attack) and not on_average(attack):
        if guessing(attack):
            return "better by another score"
        return "better on its own nodes" if on_own(attack) else "better at few false alarms"
    if a_little(attack, severe):
        said = f"a little {said}"
    return said if caution(attack) else said.replace("similarity or leak", "memory, or a difference from before")


def asks(attack: AttackRecord) -> str:
    """The question of an attack, as the beginning of a line."""
    asked = sides(attack.attack).asks
    return f"{asked[:1].upper()}{asked[1:]}?"


def yardstick(attack: AttackRecord, without: AttackRecord | None) -> str:
    """What the area is to be compared with: of edges what is told without reading one, the most first, else a
    coin.
    `without` is the same attack on a model that reads no edge, where there is one."""
    if caution(attack) and without is not None and without.run != attack.run:
        told = {"a perceptron": without.found[0]}
        told |= {} if attack.by_classes is None else {"the true classes": attack.by_classes}
        most = sorted(told.items(), key=lambda one: -one[1])  # both: a report tells the classes without the other
        return f"similarity alone, {', '.join(f'by {reader}: {percent(found)}' for reader, found in most)}"
    if attack.by_classes is not None:
        return f"the true classes alone: {percent(attack.by_classes)}"
    return "a coin: 50%"


def privacy_tells(attack: AttackRecord, bare: AttackRecord) -> str:
    """How much more is found without privacy, and whether that is clear, in one sentence: by the
    interval of the difference."""
    if bare.attack != attack.attack:  # points between two attacks would be of the attacks, too
        own, other = attack.outcome.members, bare.outcome.members
        of = "" if own == other else f", of {other:,} {sides(bare.attack).members} and not {own:,}"
        return (
            f"Not to be compared: without privacy another attack ({called(bare.attack)}) is right "
            f"{percent(bare.found[0])} of the time{of}."
        )
    more, low, high = (100 * one for one in difference(bare.found, attack.found))
    apart = f"{signed(more)} points, {signed(low)} to {signed(high)}"
    said = "the two cannot be told apart" if low <= 0 <= high else "clearly more" if low > 0 else "clearly less"
    return f"Without privacy: {percent(bare.found[0])}, {said} ({apart})."


def more_with_privacy(attack: AttackRecord, bare: AttackRecord, accuracies: tuple[float, float] | None) -> str:
    """That clearly more is found than of the same without privacy, and what may be behind it; "" where it is
    not. `accuracies`: the run's on its training nodes and on test nodes."""
    if difference(bare.found, attack.found)[2] >= 0:
        return ""
    said = f"That is more than without privacy ({percent(bare.found[0])})"
    if accuracies is None or accuracies[0] - accuracies[1] < BY_HEART:
        return f"{said}."
    return (
        f"{said}: noise leaves a network little to learn from neighbours, and it has learnt its training nodes by "
        f"heart (right about {percent(accuracies[0])} of them, and {percent(accuracies[1])} of the test nodes)."
    )


def area(attack: AttackRecord, without: AttackRecord | None) -> str:
    """Of which two the right one is picked, how often and of how many models, with the interval, and what
    that is to be compared with."""
    two, (value, low, high) = sides(attack.attack), attack.found
    models = f"{len(attack.areas)} models" if len(attack.areas) >= FEW else "a model"
    return (
        f"Shown {two.member} and {two.other}, an attacker picks the right one {percent(value)} of the time, of "
        f"{models} trained like this run ({between(low, high)}; {yardstick(attack, without)})."
    )


def covered(attack: AttackRecord, unit: str) -> bool:
    """Whether an epsilon for this unit limits what the attack asks about: one that hides edges alone says
    nothing of who was trained on."""
    return unit == "node" or (unit == "edge" and sides(attack.attack).unit == "edge")


def apart(attack: AttackRecord, unit: str, public: Sequence[str] = ()) -> str:
    """That what is found says nothing of the epsilon of a node, in one sentence; "" where it may, or where
    the run does not promise to hide one. `public`: what the run's statement takes to be public."""
    other = unit != "node" or sides(attack.attack).unit == "edge" or attack.steps is not None
    if other or math.isinf(attack.sound) or attack.refutes_sound:
        return ""
    if trains_in_public(public):
        return (
            "This attack tests no ε: it asks who was trained on, which this run's contract takes to be public. ε hides "
            "a person's features, label and edges, not that they train."
        )
    return "This attack tests no ε: it asks who was trained on, and ε is about who is in the graph at all."


def wide(attack: AttackRecord, severe: int) -> bool:
    """Whether it is only the width of the interval that keeps the verdict below `GIVEN_AWAY`."""
    return severe == GIVEN_AWAY - 1 and not caution(attack) and attack.found[0] >= FAR
