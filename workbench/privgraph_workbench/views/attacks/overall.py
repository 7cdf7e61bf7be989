"""What outsiders got out of a run: one verdict above all of its attacks, of which the strongest counts."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.views.attacks import verdict
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import lower, stated

TITLE = "What outsiders got out of this run"
LEARNT = tuple[float, float] | None


def strongest(attacks: Sequence[AttackRecord], severe: Sequence[int], unit: str) -> int:
    """The number, from 1, of the attack that counts and is shown first: one that refutes our proof, then what
    gives away most (`severe`, as `verdict.severity` has it), then what the run promises to hide (who was
    trained on, where it promises nothing), then the largest area; the newest of equals."""
    hidden = "edge" if unit == "edge" else "node"

    def order(number: int) -> tuple[bool, int, bool, float, int]:
        one = attacks[number - 1]
        return one.refutes_sound, severe[number - 1], sides(one.attack).unit == hidden, one.found[0], number

    return max(range(1, len(attacks) + 1), key=order)


def best(attacks: Sequence[AttackRecord], severe: Sequence[int], asks: str) -> int:
    """The place, from 0, of the attack that has found most of those that ask this."""
    places = [place for place, one in enumerate(attacks) if sides(one.attack).asks == asks]
    return max(places, key=lambda own: (severe[own], attacks[own].found[0]))


def told(
    attacks: Sequence[AttackRecord], severe: Sequence[int], unit: str, without: AttackRecord | None, learnt: LEARNT
) -> str:
    """The verdict as Markdown: what the strongest attack found, then the other questions that were asked.
    `without` is the strongest on a model that reads no edge."""
    counts = strongest(attacks, severe, unit) - 1
    first = attacks[counts]
    said = [f"**{TITLE}.** {verdict.lead(first, without, learnt)}"]
    if first.refutes_sound:
        said.append(
            f"It shows that ε is at least {lower(first.bound or 0.0)}, more than the {stated('sound', first.sound)} "
            "that we call sound: do not rely on this run, and tell us."
        )
    asked = sides(first.attack).asks
    for asks in dict.fromkeys(sides(one.attack).asks for one in attacks):
        if asks != asked:
            place = best(attacks, severe, asks)
            word = verdict.word(attacks[place], severe[place])
            said.append(f"{asks[:1].upper()}{asks[1:]}: {word}.")
    if len(attacks) > 1:
        said.append(f"The strongest of {len(attacks)} attacks counts (number {counts + 1}).")
    return " ".join(said)


def show(
    attacks: Sequence[AttackRecord], severe: Sequence[int], unit: str, without: AttackRecord | None, learnt: LEARNT
) -> None:
    """The verdict in a box whose colour says whether anything was given away."""
    counts = strongest(attacks, severe, unit) - 1
    said = told(attacks, severe, unit, without, learnt)
    if attacks[counts].refutes_sound:
        st.error(said, icon="🚨")
    elif severe[counts] >= verdict.SOMETHING:
        st.warning(said, icon="🕵️")
    else:
        st.info(said, icon="🕵️")


def questions(attacks: Sequence[AttackRecord], severe: Sequence[int], chosen: str) -> None:
    """Of several attacks, what was found at best of each question, in a line each, with the way to it."""
    for asks in dict.fromkeys(sides(one.attack).asks for one in attacks):
        place = best(attacks, severe, asks)
        value, low, high = attacks[place].found
        with st.container(horizontal=True, vertical_alignment="center", key=f"best-{place + 1}"):
            st.markdown(f"**{asks[:1].upper()}{asks[1:]}?**", width="content")
            st.badge(verdict.word(attacks[place], severe[place]), color=verdict.SEVERITIES[severe[place]][1])
            by = markup.literal(attack_words.short(attacks[place]))
            st.markdown(f"area {value:.3f} ({low:.3f} to {high:.3f}), by {by}", width="content")
            if str(place + 1) != chosen:
                st.button(
                    "Show it",
                    key=f"show_attack.{place + 1}",
                    type="tertiary",
                    icon=":material/visibility:",
                    on_click=st.session_state.update,
                    args=({"found": str(place + 1)},),
                )
