"""What outsiders got out of a run: one verdict above all of its attacks, of which the strongest counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.attacks import verdict
from privgraph_workbench.views.parts import given_away, layout, right_how_often
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import caveats, relying, verdicts
from privgraph_workbench.words.numbers import lower


def strongest(attacks: Sequence[AttackRecord], severe: Sequence[int], unit: str) -> int:
    """The number, from 1, of the attack that counts and is shown first: one that refutes our proof, then what
    gives away most (`severe`, as `verdicts.severity` has it), then what the run promises to hide (who was
    trained on, where it promises nothing), then the largest area; the newest of equals."""
    hidden = "edge" if unit == "edge" else "node"

    def order(number: int) -> tuple[bool, int, bool, float, int]:
        one = attacks[number - 1]
        return one.refutes_sound, severe[number - 1], sides(one.attack).unit == hidden, one.found[0], number

    return max(range(1, len(attacks) + 1), key=order)


def counting(attacks: Sequence[AttackRecord], severe: Sequence[int], unit: str, chosen: int) -> int:
    """The number of the attack whose verdict stands above: the strongest of those that ask what the `chosen`
    one asks; but one that refutes our proof, whatever it asks."""
    asks = sides(attacks[chosen - 1].attack).asks
    held = [
        number for number, one in enumerate(attacks, start=1) if sides(one.attack).asks == asks or one.refutes_sound
    ]
    place = strongest([attacks[one - 1] for one in held], [severe[one - 1] for one in held], unit)
    return held[place - 1]


def told(
    record: RunRecord,
    attacks: Sequence[AttackRecord],
    place: int,
    without: AttackRecord | None,
    bare: AttackRecord | None = None,
) -> str:
    """As Markdown: what the attack at that place found, of whom that is not certain, and what is found
    without privacy, then whether one may rely on ε. `without` is the same on a model that reads no edge,
    `bare` on one without privacy."""
    attack = attacks[place]
    more = ""
    if bare is not None:
        more = verdicts.more_with_privacy(attack, bare, verdicts.learnt(record)) or verdicts.privacy_tells(attack, bare)
    found = " ".join(
        filter(
            None,
            (
                verdict.lead(attack, without, verdicts.learnt(record)),
                verdict.alone(attack),
                more,
                caveats.stand_in(attack),
            ),
        )
    )
    if attack.refutes_sound:
        found += (
            f" It shows that ε is at least {lower(attack.bound or 0.0)}: one of our proofs is wrong, please tell us."
        )
    if record.statement is None:
        return found
    rely = relying.answer(record.statement, attacks, queue.store().audits(record.id))
    apart = verdicts.apart(attack, record.statement.unit, record.statement.public)
    return f"{found}\n\n{' '.join(filter(None, (apart, rely)))}"


def details(record: RunRecord, attacks: Sequence[AttackRecord], place: int) -> None:
    """What the verdict rests on, and outsider, worst case and promise on one scale, folded."""
    layout.details((attack_words.chosen_how(attacks[place], attacks),), right_how_often.of(record))


def show(
    record: RunRecord,
    attacks: Sequence[AttackRecord],
    severe: Sequence[int],
    place: int,
    without: AttackRecord | None,
    bare: AttackRecord | None,
    chosen: str,
    about: Callable[[], None],
) -> None:
    """The verdict of the attack at that place, from 0, in a box whose colour says whether anything was given
    away, and what is to be known `about` the run and others; then, where there are several, a line for each
    question, with the way to its attack."""
    said = told(record, attacks, place, without, bare)
    if attacks[place].refutes_sound:
        st.error(said, icon="🚨")
    elif severe[place] == verdicts.GIVEN_AWAY:
        st.error(said, icon="🕵️")
    elif severe[place] >= verdicts.SOMETHING:
        st.warning(said, icon="🕵️")
    else:
        st.info(said, icon="🕵️")
    about()

    def way(other: int) -> None:
        if str(other + 1) != chosen:
            st.button(
                "Show it",
                key=f"show_attack.{other + 1}",
                type="tertiary",
                icon=":material/visibility:",
                on_click=st.session_state.update,
                args=({"found": str(other + 1)},),
            )
        else:
            st.markdown(":gray[:material/arrow_downward: shown below]", width="content")

    if len(attacks) > 1:
        given_away.show(record, attacks, severe, way, said=place)
