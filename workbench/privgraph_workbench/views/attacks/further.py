"""What was not tried yet: other attacks that ask the same, and more attacked models, each one click away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.outcome import mean_interval
from privgraph.attacks.record import FEW, AttackRecord
from privgraph.options import parameters
from privgraph.registry import ATTACKS, sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import tried as already
from privgraph_workbench.views.attacks import at_hand, new_attack
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import verdicts
from privgraph_workbench.words.numbers import percent

MORE = 4
"""How many times as many models are attacked where an interval is too wide: it is about halved by that."""
FAMILY = {"who was trained on": "membership attacks"}
"""What attacks that ask the same are called, where they have a name."""


def show(
    record: RunRecord,
    subject: Attacked,
    attack: AttackRecord,
    attacks: Sequence[AttackRecord],
    severe: int,
    *,
    busy: bool,
) -> None:
    """How many attacks that ask the same were tried, what other scores found, and the next step, where one
    can be taken now and none is under way (`busy`)."""
    said = [found_alike(attack), tried(subject, attack, attacks)]
    steps = _steps(subject, attack, attacks)
    if verdicts.wide(attack, severe):
        said.append(
            f"The interval is wide, from {percent(attack.found[1])} to {percent(attack.found[2])}: it is of "
            f"{attack_words.attacked(attack)}. More of them make it narrower, and may change the verdict."
        )
        steps = {**more_models(attack), **steps}
    if any(said):
        st.caption(" ".join(filter(None, said)))
    if any(said) and not busy and not at_hand.away(record):
        with st.container(horizontal=True, vertical_alignment="center"):
            for label, (name, options) in steps.items():
                new_attack.button(record, subject, label, name, options)


def tried(subject: Attacked, attack: AttackRecord, attacks: Sequence[AttackRecord]) -> str:
    """How many of the attacks that ask the same were tried; "" where there is but one."""
    offered, held = already.possible(subject, attack), already.made(attack, attacks)
    if len(offered) < 2:
        return ""
    family = FAMILY.get(sides(attack.attack).asks, "attacks that ask this")
    left = [attack_words.called(name) for name in offered if name not in held]
    count = len(offered) - len(left)
    if not left:
        return f"All {count} {family} offered here were tried; that is no proof that none is stronger."
    which = f"{', '.join(left[:-1])} and {left[-1]}" if len(left) > 1 else left[0]
    return (
        f"**{count} of {len(offered)} {family} {'was' if count == 1 else 'were'} tried**; {which} "
        f"{'was' if len(left) == 1 else 'were'} not. A stronger one may exist."
    )


def found_alike(attack: AttackRecord) -> str:
    """What each score finds from the answers of the same models, the most first; "" where one alone was
    told."""
    if not attack.rivals:
        return ""
    found = [(attack.attack, attack.areas), *((one.attack, one.areas) for one in attack.rivals)]
    found.sort(key=lambda one: -sum(one[1]) / len(one[1]))
    told = ", ".join(f"{attack_words.called(name)} {_area(areas, attack.confidence)}" for name, areas in found)
    of = f"mean area over {len(attack.areas)} attacked models" if len(attack.areas) > 1 else "area"
    return f"From the answers of the same models ({of}): {told}."


def _area(areas: Sequence[float], confidence: float) -> str:
    mean = sum(areas) / len(areas)
    if len(areas) < FEW:
        return f"{mean:.3f}"
    _, low, high = mean_interval(areas, confidence)
    return f"{mean:.3f} ({low:.3f} to {high:.3f})"


def more_models(attack: AttackRecord) -> dict[str, tuple[str, AttackOptions]]:
    """The same attack on more models, as far as the option goes."""
    high = next(int(one.option.high or 0) for one in parameters(AttackOptions) if one.name == "targets")
    targets = min(MORE * attack.options.targets, high)
    if targets <= attack.options.targets:
        return {}
    return {f"Attack {targets} models": (attack.attack, replace(attack.options, targets=targets))}


def _steps(
    subject: Attacked, attack: AttackRecord, attacks: Sequence[AttackRecord]
) -> dict[str, tuple[str, AttackOptions]]:
    """The first attack that was not tried; and the one whose score found more than any whose curve is
    there."""
    own = {one.attack for one in attacks}
    steps: dict[str, tuple[str, AttackOptions]] = {}
    better = [one for one in attack.rivals if one.attack not in own and sum(one.areas) > sum(attack.areas)]
    for one in sorted(better, key=lambda one: -sum(one.areas))[:1]:
        steps[f"Attack with {attack_words.called(one.attack)}, too: it found more"] = (one.attack, attack.options)
    left = [name for name in already.possible(subject, attack) if name not in already.made(attack, attacks)]
    left.sort(key=lambda name: not ATTACKS[name].shadows)  # one that reads shadow models tells all others, too
    for name in left[:1]:
        others = len(left) > 1 and ATTACKS[name].shadows
        label = f"Try the other {len(left)}" if others else f"Try {attack_words.called(name)}"
        steps[label] = (name, attack.options)
    return steps
