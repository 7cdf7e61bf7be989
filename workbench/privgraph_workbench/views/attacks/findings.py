"""What an attack found, for somebody who has read no paper."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.registry import ATTACKS, sides
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import duration, exact_percent, lower, number, percent, stated

CLOSE = 0.55
"""An area below this is called close to chance, where its interval does not hold 0.5."""
FAR = 0.65


def title(attack: AttackRecord, place: int) -> str:
    """Its number, what it was and how it asked, to tell attacks on one run apart."""
    return f"{place}: {short(attack)}"


def short(attack: AttackRecord) -> str:
    """What it was, and how it asked."""
    name = ATTACKS[attack.attack].title if attack.attack in ATTACKS else attack.title
    how = {"alone": ", asked alone", "both": ", asked both ways"}.get(attack.options.query, "")
    offline = "" if attack.options.online else ", offline"
    return f"{name}{how}{offline}, {attack.models} models"


def conclusion(attack: AttackRecord) -> str:
    """What the area says, in plain sentences of Markdown."""
    found, sure, apart = attack.outcome, exact_percent(attack.confidence), sides(attack.attack)
    between = f"{percent(found.area_low)} to {percent(found.area_high)} at {sure} confidence"
    pair = (
        f"Shown {apart.member} and {apart.other}, it picks the right one {percent(found.area)} of the time "
        f"({between}; a coin: 50%)."
    )
    if found.area_low <= 0.5:
        said = "**The attack cannot be told from guessing.**"
        more = ", or more shadow models," if attack.models > len(attack.areas) else ""
        tail = f" Another attack{more} may find more: this is no proof."
    elif found.area < CLOSE:
        said, tail = "**The attack does a little better than guessing.**", ""
    elif found.area < FAR:
        said, tail = f"**The attack tells {apart.asks} better than guessing.**", ""
    else:
        said, tail = f"**The model gives away {apart.gives_away}.**", ""
    rate = attack.rare
    rare = (
        f" Where it wrongly names 1% of the others, it rightly names {percent(rate.true)} of the {apart.members} "
        f"({percent(rate.low)} to {percent(rate.high)})."
    )
    if apart.caution and found.area_low > 0.5:
        tail = f" {apart.caution}"
    return f"{said} {pair}{rare}{tail}"


def show(attack: AttackRecord) -> None:
    """The conclusion in a box whose colour says how bad it is."""
    said = conclusion(attack)
    if attack.refutes_sound:
        st.error(
            f"{said} It shows that ε is at least {lower(attack.bound or 0.0)}, more than the "
            f"{stated('sound', attack.sound)} that we call sound: do not rely on this run, and tell us.",
            icon="🚨",
        )
    elif attack.outcome.area_low > 0.5 and attack.outcome.area >= FAR:
        st.warning(said, icon="🕵️")
    else:
        st.info(said, icon="🕵️")


def numbers(attack: AttackRecord) -> None:
    """Area, rates and the bound, side by side, each with its interval."""
    found, apart = attack.outcome, sides(attack.attack)
    spread = (
        f"all {len(attack.areas)} attacked models: {min(attack.areas):.3f} to {max(attack.areas):.3f}"
        if len(attack.areas) > 1
        else "one attacked model"
    )
    boxes = [
        (
            "Area under the curve",
            f"{found.area:.3f}",
            f"{found.area_low:.3f} to {found.area_high:.3f}; {spread}",
            f"The chance that {apart.member} has a higher score than {apart.other}; 0.5 is guessing. The interval is "
            "DeLong's.",
        )
    ]
    boxes += [
        (
            f"Found at {percent(rate.false)} false",
            percent(rate.true),
            f"{percent(rate.low)} to {percent(rate.high)}",
            f"True positive rate at a false positive rate of {percent(rate.false)}. The interval allows for few "
            "members and few others alike: it begins at 0 where so rare an error cannot be seen.",
        )
        for rate in found.rates
    ]
    boxes.append(
        (
            "ε at least",
            "no bound" if attack.bound is None else f"≥ {lower(attack.bound)}",
            f"{EPSILONS['sound'].title}: {'∞' if math.isinf(attack.sound) else stated('sound', attack.sound)}",
            "What follows for ε from who trained, where that was drawn by a fair coin; see what the attacker knows.",
        )
    )
    for column, (label, value, below, help_) in zip(st.columns(len(boxes)), boxes, strict=True):
        with column.container(border=True, height="stretch"):
            st.metric(label, value, help=help_)  # no heading: two equal values would have one name
            st.caption(below)
    accuracy = "" if attack.said is None else f" (the run: {percent(attack.said)})"
    noise = ", with noise of its own" if math.isfinite(attack.sound) else ""
    st.caption(
        f"{found.members:,} {apart.members}, {found.others:,} {apart.others}; balanced accuracy of the best threshold "
        f"{percent(found.balanced_accuracy)}. The attacked model was trained again on the run's own training "
        f"nodes{noise}: its test accuracy is {percent(attack.accuracy)}{accuracy}. {attack.models} models, "
        f"{duration(attack.seconds)}, seed {attack.options.seed}."
    )


def attacker(attack: AttackRecord) -> None:
    """What the attacker knows, how it scores, and what follows."""
    about = ATTACKS[attack.attack].about if attack.attack in ATTACKS else ""
    st.markdown("\n".join(f"- {markup.sentence(line)}" for line in (*attack.knows, about, *attack.notes) if line))


def exposed(attack: AttackRecord) -> None:
    """The training nodes that the attack finds most easily."""
    st.markdown(
        "#### The most exposed nodes",
        help="The evaluator's view: it takes knowing who trained, and is not for release",
    )
    st.badge("evaluator's view", color="gray", icon=":material/visibility:")
    st.dataframe(
        [
            {"node": one.node, "class": one.label, "degree": one.degree, "exposure": one.exposure}
            for one in attack.exposed
        ],
        hide_index=True,
        alt="The training nodes that the attack finds most easily, the worst first",
        column_config={
            "exposure": st.column_config.ProgressColumn(
                help="Share of the nodes that did not train whose scores lie below its own",
                min_value=0.0,
                max_value=1.0,
                format="%.3f",
            )
        },
    )


def history(attacks: Sequence[AttackRecord]) -> None:
    """All attacks on the run, the newest first."""
    st.markdown("#### All attacks on this run")
    st.dataframe(
        [_line(place, one) for place, one in reversed(list(enumerate(attacks, start=1)))],
        hide_index=True,
        alt="Attacks on this run, the newest first",
        column_config={"seconds": st.column_config.NumberColumn(format="%.1f")},
    )


def _line(place: int, attack: AttackRecord) -> dict[str, object]:
    found = attack.outcome
    return {
        "attack": place,
        "kind": attack.title,
        "area": number(found.area),
        "interval": f"{found.area_low:.3f} to {found.area_high:.3f}",
        **{f"found at {percent(rate.false)} false": percent(rate.true) for rate in found.rates},
        "ε at least": "none" if attack.bound is None else lower(attack.bound),
        "asked": attack.options.query,
        "shadow models": attack.models - len(attack.areas),
        "seconds": attack.seconds,
        "seed": attack.options.seed,
    }
