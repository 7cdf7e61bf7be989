"""What an attack on a run says, in a few sentences for somebody who has read no paper."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.exchange import group_delta
from privgraph.attacks.record import FEW, AttackRecord
from privgraph.registry import sides
from privgraph_workbench.words import caveats, markup, meaning, verdicts
from privgraph_workbench.words.attacks import best_rival, by_name, called
from privgraph_workbench.words.numbers import at_most, between, exact_percent, percent, signed, stated

EVERYTHING = 0.99
"""A promise that lets somebody be right more often than this excludes hardly any attack."""


def conclusion(
    attack: AttackRecord,
    unit: str = "none",
    without: AttackRecord | None = None,
    learnt: tuple[float, float] | None = None,
    public: Sequence[str] = (),
) -> str:
    """What the area says, in plain sentences of Markdown: what was found, and what follows.

    `unit` is what the run protects; `without` the same attack on a model that reads no edge, where the attack
    asks for edges and there is one; `learnt` the run's accuracies on its training nodes and on test nodes;
    `public` what its statement takes to be public.
    """
    return " ".join([lead(attack, without, learnt), *details(attack, unit, without, learnt, public)])


def lead(attack: AttackRecord, without: AttackRecord | None, learnt: tuple[float, float] | None = None) -> str:
    """What was found, in two sentences."""
    return f"**{headline(attack, without, learnt)}** {pair(attack, without)}{_rival(attack)}"


def _rival(attack: AttackRecord) -> str:
    """That another score of the same answers finds more; "" where none does, or of edges, where it has to be
    compared with similarity."""
    rival = None if verdicts.caution(attack) else best_rival(attack)
    if rival is None:
        return ""
    name, mean, low, high = rival
    return (
        f" {called(name)}, on the same answers, finds more: {percent(mean)} ({between(low, high)}, corrected for the "
        f"choice among {1 + len(attack.rivals)} scores)."
    )


def details(
    attack: AttackRecord,
    unit: str,
    without: AttackRecord | None,
    learnt: tuple[float, float] | None = None,
    public: Sequence[str] = (),
) -> list[str]:
    """What is found where false alarms are rare, what it has to be compared with, and what the run
    promises."""
    tail = _another(attack) if verdicts.guessing(attack) else _caution(attack, without)
    if not verdicts.caution(attack) and verdicts.undecided(attack, without, learnt):
        tail = (
            "Training nodes were not drawn at random, so they may differ from others by themselves; the run is about "
            "as right of test nodes as of its training nodes, so it remembers nobody that could be told from that. "
            "The same attack on a run with a random split decides."
        )
    return [one for one in (alone(attack), rare(attack), tail, _promised(attack, unit, learnt, public)) if one]


def headline(attack: AttackRecord, without: AttackRecord | None, learnt: tuple[float, float] | None = None) -> str:
    apart, found = sides(attack.attack), attack.found[0]
    if verdicts.guessing(attack):
        return "No better than guessing." if best_rival(attack) is None else "Another score is better than guessing."
    if verdicts.undecided(attack, without, learnt):
        two = "similarity or leak" if verdicts.caution(attack) else "memory, or a difference from before"
        return f"Undecided: {two}. This attack alone does not say."
    if not verdicts.on_average(attack) and not verdicts.on_own(attack):
        return "Better than guessing where false alarms are rare; by the area alone that could not be told."
    if not verdicts.on_average(attack):
        return f"Better than guessing on {apart.again}; over all attacked models that is not certain."
    if not verdicts.on_own(attack):
        return (
            "A little better than guessing, on average."
            if found < verdicts.CLOSE
            else "Better than guessing on average."
        )
    if verdicts.caution(attack) and without is not None:
        if without.run == attack.run:
            return "What is found here is similarity: this model has never read an edge."
        if not verdicts.more_than_similarity(attack, without):
            if verdicts.perhaps_more(attack, without):
                return "What is found cannot be told from similarity."
            return "No more is found than similarity tells."
        much = "a little more" if verdicts.little(attack, without) else "more"
        return f"The model gives away {much} of {apart.gives_away} than similarity tells."
    if found < verdicts.CLOSE:
        return "The attack does a little better than guessing."
    if attack.found[1] < verdicts.FAR:  # by the lower end: models that differ much may give away little
        return f"The attack tells {apart.asks} better than guessing."
    return f"The model gives away {apart.gives_away}."


def pair(attack: AttackRecord, without: AttackRecord | None) -> str:
    """How often the right one of two is picked; of edges, first by how much more often than by similarity."""
    apart, (found, low, high) = sides(attack.attack), attack.found
    who = by_name(attack) or "the attack"
    said = f"Shown {apart.member} and {apart.other}, {who} picks the right one {percent(found)} of the time"
    beside = verdicts.yardstick(attack, without)
    sure = f"({between(low, high)} at {exact_percent(attack.confidence)} confidence; {beside})"
    if verdicts.caution(attack) and without is not None and without.run != attack.run:
        alike, reader = verdicts.similarity(attack, without)
        more = round(100 * found, 1) - round(100 * alike, 1)  # as whoever subtracts what is shown
        than = f"{abs(more):.1f} points {'more' if more >= 0 else 'less'} often than {reader} ({percent(alike)})"
        said = f"The attack is right {than}: {said[:1].lower()}{said[1:].replace(who, 'it', 1)}"
    if len(attack.areas) >= FEW:
        return f"{said} on average over {len(attack.areas)} models trained like this run {sure}."
    return f"{said}, of a model trained like this run {sure}."


def alone(attack: AttackRecord) -> str:
    """That what is found on average is not certain of the run's own training nodes; "" where it is."""
    if not verdicts.on_average_alone(attack):
        return ""
    own, apart = attack.outcome, sides(attack.attack)
    interval = f"{percent(own.area)}, {percent(own.area_low)} to {percent(own.area_high)}"
    return f"On {apart.again} alone it is not certain that it does better than a guess ({interval})."


def rare(attack: AttackRecord) -> str:
    """Why an interval above a guess at few false alarms does not change the verdict; "" where none lies so,
    or where it does."""
    rate = attack.rare_found
    if rate is None or rate.low <= rate.false or not verdicts.guessing(attack):
        return ""
    own, seen = next((own, seen) for own, seen in attack.ahead_at.items() if own.false == rate.false)
    return (
        f"What is found at {exact_percent(rate.false)} false alarms ({percent(rate.low)} to {percent(rate.high)}) lies "
        f"above a guess, and yet does not decide: it is one of {1 + len(attack.ahead_at)} numbers looked at. On "
        f"{sides(attack.attack).again}, {percent(own.true)} are found, as many as by chance alone in "
        f"{percent(seen.p)} of cases; the verdict asks for at most {percent(verdicts.strictly(attack))}."
    )


def _another(attack: AttackRecord) -> str:
    """That nothing found is no proof."""
    if sides(attack.attack).caution and attack.options.by == "influence":
        return "Told by distance, the same model may say more: that is an attack of its own."
    more = ", or more shadow models," if attack.models > len(attack.areas) else ""
    return f"Another attack{more} may find more: this is no proof."


def _caution(attack: AttackRecord, without: AttackRecord | None) -> str:
    """What an area says of edges beside what is told without reading one."""
    if not verdicts.caution(attack):
        return ""
    classes = (
        ""
        if attack.by_classes is None
        else f"Who knows the true classes and no edge is right {percent(attack.by_classes)} of the time."
    )
    if classes and without is not None and verdicts.similarity(attack, without)[1] != "a perceptron":
        classes += " That is what to compare with: the perceptron knows the classes less well."
    if without is None:
        return " ".join(filter(None, (verdicts.caution(attack), classes)))
    if without.run == attack.run:
        return classes
    low, high = (signed(100 * one) for one in verdicts.beyond(attack, without)[1:])
    more = signed(round(100 * attack.found[0], 1) - round(100 * without.found[0], 1))  # as shown, subtracted
    perceptron = (
        f"A perceptron on the same graph, which never read an edge, gives {percent(without.found[0])}: a difference of "
        f"{more} points ({low} to {high}); it is right about {percent(without.accuracy)} of the test nodes, this model "
        f"about {percent(attack.accuracy)}."
    )
    return " ".join(filter(None, (perceptron, classes)))


def _promised(
    attack: AttackRecord, unit: str, learnt: tuple[float, float] | None = None, public: Sequence[str] = ()
) -> str:
    """What the run promises of what the attack asks, beside what was found."""
    edges = sides(attack.attack).unit == "edge"
    if unit == "none":
        return "The run promises nothing."
    if unit == "edge" and not edges:
        said = "The run promises to hide edges, not who was trained on: nothing here contradicts its ε."
        if learnt is None or learnt[0] - learnt[1] < verdicts.BY_HEART or verdicts.guessing(attack):
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
            most = at_most(meaning.guess(epsilon, delta))
            right = "" if most == at_most(1.0) else f": to be right {most} of the time"
            return (
                f"The run's ε of {stated('sound', attack.sound)} allows nearly everything that can be found so{right}."
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
            f"The run promises to hide {whose} from somebody who knows all the rest. What many pairs have in common is "
            "no part of that promise: nothing here contradicts it."
        )
    return (
        verdicts.apart(attack, unit, public)
        or "Who trains was not drawn by our own split: that speaks neither for nor against ε."
    )


def show(
    attack: AttackRecord,
    unit: str = "none",
    without: AttackRecord | None = None,
    learnt: tuple[float, float] | None = None,
    beyond: Sequence[str] = (),
    public: Sequence[str] = (),
    *,
    led: bool = False,
) -> None:
    """What was found and what follows; not the former where the verdict of the run above has said it
    (`led`). `beyond`: that the answers asked for are more than the run releases, where they are; `public`:
    what its statement takes to be public."""
    if not led:
        st.markdown(lead(attack, without, learnt))
    before = (alone(attack), verdicts.apart(attack, unit, public)) if led else ()
    said = [one for one in details(attack, unit, without, learnt, public) if one not in before]
    if told := [*said, *map(markup.sentence, beyond)]:
        st.markdown("\n".join(f"- {one}" for one in told))
    if not led and (warned := caveats.stand_in(attack)):
        st.caption(f":material/warning: {warned}")
