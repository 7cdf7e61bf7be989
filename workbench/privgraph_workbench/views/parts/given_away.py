"""What attacks on a run have found, a line for each question with its verdict: the same on the run's own page
as on the page Attacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import tried, without_edges, without_privacy
from privgraph_workbench.jobs import queue
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
) -> None:
    """A line for each question that was asked; `beside` draws what else stands in the line of the attack at
    that place."""
    for place in best(attacks, severe):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"found-out-{place + 1}"):
            st.markdown(f"**{verdicts.asks(attacks[place])}**", width="content")
            word, colour = verdicts.word(attacks[place], severe[place]), verdicts.SEVERITIES[severe[place]][1]
            st.badge(word, color=colour)
            st.markdown(told(record, attacks[place], attacks), width="content")
            beside(place)


def told(record: RunRecord, attack: AttackRecord, attacks: Sequence[AttackRecord]) -> str:
    """What was found, what that is to be compared with, how much was tried, and whether the run's promise
    limits it."""
    unit = "none" if record.statement is None else record.statement.unit
    bare = without_privacy.beside(queue.store(), record, attack)
    said = [verdicts.evidence(attack, without_edges.beside(queue.store(), record, attack))]
    said += [] if bare is None else [verdicts.privacy_tells(attack, bare[1]).rstrip(".")]
    said += ["not certain of its own training nodes alone"] * verdicts.on_average_alone(attack)
    said += [few] if (few := tried.in_short(record, attack, attacks)) else []
    if unit == "edge" and not verdicts.covered(attack, unit):
        said.append("**its ε hides edges, not this**")
    return " · ".join(said)
