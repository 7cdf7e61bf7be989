"""What attacks on a run have found, a line for each question with its verdict: the same on the run's own page
as on the page Attacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import without_edges, without_privacy
from privgraph_workbench.jobs import queue
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import verdicts


def best(attacks: Sequence[AttackRecord], severe: Sequence[int]) -> list[int]:
    """The places, from 0, of the attacks that have found most: one of each question, what gives away most
    first; the newest of equals."""
    questions = dict.fromkeys(sides(one.attack).asks for one in attacks)
    places = [
        max(
            (place for place, one in enumerate(attacks) if sides(one.attack).asks == asks),
            key=lambda place: (severe[place], attacks[place].found[0], place),
        )
        for asks in questions
    ]
    return sorted(places, key=lambda place: -severe[place])


def show(
    record: RunRecord,
    attacks: Sequence[AttackRecord],
    severe: Sequence[int],
    beside: Callable[[int], None] = lambda _: None,
    *,
    said: int | None = None,
) -> None:
    """The verdict on each question that was asked, and below it what was found, but for the attack at the
    place that was `said`; `beside` draws what else stands in the line of the attack at that place."""
    for place in best(attacks, severe):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"found-out-{place + 1}"):
            st.markdown(f"**{verdicts.asks(attacks[place])}**", width="content")
            st.badge(verdicts.word(attacks[place], severe[place]), color=verdicts.colour(attacks[place], severe[place]))
            beside(place)
        if place != said:
            st.markdown(told(record, attacks[place]))


def told(record: RunRecord, attack: AttackRecord) -> str:
    """What was found, whether that is certain of the run's own draw, and where the run's promise does not
    limit it that it does not."""
    found = verdicts.area(attack, without_edges.beside(queue.store(), record, attack))
    if verdicts.on_average_alone(attack):
        found += f" On {sides(attack.attack).again} alone that is not certain."
    unit = "none" if record.statement is None else record.statement.unit
    return (
        f"{found} **Its ε hides edges, not this.**" if unit == "edge" and not verdicts.covered(attack, unit) else found
    )


def details(record: RunRecord, attacks: Sequence[AttackRecord], severe: Sequence[int]) -> list[str]:
    """Of each question what its verdict has to be compared with and what it leaves open, in sentences of
    Markdown."""
    lines, statement = [], record.statement
    for place in best(attacks, severe):
        attack = attacks[place]
        bare = without_privacy.beside(queue.store(), record, attack)
        said = [attack_words.chosen_how(attack, attacks, names=False)]
        said += [] if bare is None else [verdicts.privacy_tells(attack, bare[1])]
        said += [] if statement is None else [verdicts.apart(attack, statement.unit, statement.public)]
        if told := " ".join(filter(None, said)):
            lines.append(f"**{verdicts.asks(attack)}** {told}")
    return lines
