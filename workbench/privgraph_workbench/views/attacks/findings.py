"""What an attack found, for somebody who has read no paper."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.outcome import Rate
from privgraph.attacks.record import AttackRecord
from privgraph.registry import ATTACKS, sides
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import duration, exact_percent, lower, number, percent, stated

CLOSE = 0.55
"""An area below this is called close to chance, where its interval does not hold 0.5."""
FAR = 0.65
EXPOSURE = (
    "Exposure of a node that trained: the share of nodes that did not train to which the attack gives a lower score. "
    "0.5 is chance; 1 is found before all of them."
)


def title(attack: AttackRecord, place: int) -> str:
    """Its number, what it was and how it asked, to tell attacks on one run apart."""
    return f"{place}: {short(attack)}"


def short(attack: AttackRecord) -> str:
    """What it was, and how it asked."""
    name = ATTACKS[attack.attack].title if attack.attack in ATTACKS else attack.title
    how = {"alone": ", asked alone", "both": ", asked both ways"}.get(attack.options.query, "")
    offline = "" if attack.options.online else ", offline"
    return f"{name}{how}{offline}, {attack.models} models"


def conclusion(attack: AttackRecord, unit: str = "none", without: AttackRecord | None = None) -> str:
    """What the area says, in plain sentences of Markdown.

    `unit` is what the run protects; `without` the same attack on a model that reads no edge, where the attack
    asks for edges and there is one.
    """
    found, sure, apart = attack.outcome, exact_percent(attack.confidence), sides(attack.attack)
    between = f"{percent(found.area_low)} to {percent(found.area_high)} at {sure} confidence"
    pair = (
        f"Shown {apart.member} and {apart.other}, it picks the right one {percent(found.area)} of the time "
        f"({between}; a coin: 50%)."
    )
    guessing = found.area_low <= 0.5
    if guessing:
        said = "**The attack cannot be told from guessing.**"
    elif apart.caution:
        said = f"**The attack tells {apart.asks} better than guessing.**"
    elif found.area < CLOSE:
        said = "**The attack does a little better than guessing.**"
    elif found.area < FAR:
        said = f"**The attack tells {apart.asks} better than guessing.**"
    else:
        said = f"**The model gives away {apart.gives_away}.**"
    rate = attack.rare
    rare = (
        f"Where it wrongly names 1% of the others, it rightly names {percent(rate.true)} of the {apart.members} "
        f"({percent(rate.low)} to {percent(rate.high)})."
    )
    more = ", or more shadow models," if attack.models > len(attack.areas) else ""
    tail = f"Another attack{more} may find more: this is no proof." if guessing else _caution(attack, without)
    return " ".join(filter(None, (said, pair, rare, _all_models(attack), tail, _promised(attack, unit))))


def _all_models(attack: AttackRecord) -> str:
    """How the other attacked models came out, which the interval does not cover."""
    if len(attack.areas) < 2:
        return ""
    low, high = percent(min(attack.areas)), percent(max(attack.areas))
    return f"All {len(attack.areas)} attacked models, which differ in their draws: {low} to {high}."


def _caution(attack: AttackRecord, without: AttackRecord | None) -> str:
    """What an area says of edges beside a model that never saw one."""
    apart = sides(attack.attack)
    if not apart.caution:
        return ""
    if without is None:
        return f"{apart.caution} So this alone is no leak."
    if without.run == attack.run:
        return "This model has never read an edge: all of it is likeness, and none of it a leak."
    more = attack.outcome.area - without.outcome.area
    beside = f"A perceptron on the same graph, which never read an edge, gives {percent(without.outcome.area)}"
    if attack.outcome.area_low <= without.outcome.area_high:
        return f"{beside}: no more than likeness is seen here."
    return f"{beside}: {100 * more:.1f} points more come from the edges that this model has read."


def _promised(attack: AttackRecord, unit: str) -> str:
    """What the run promises of what the attack asks."""
    edges = sides(attack.attack).unit == "edge"
    if unit == "none":
        return "The run promises nothing."
    if unit == "edge" and not edges:
        return "The run promises to hide edges, not who trained: nothing here contradicts its ε."
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
    elif attack.outcome.area_low > 0.5 and (without is None or without.run != attack.run):
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
            f"The chance that {apart.member} has a higher score than {apart.other}; 0.5 is guessing, 1 finds all. The "
            "interval (DeLong's) says how much hangs on which of them were judged, for this one model; other models "
            "stand beside it.",
        )
    ]
    boxes += [
        (
            f"Found at {percent(rate.false)} false alarms",
            percent(rate.true),
            _measured(rate, found.others),
            f"An attacker who wrongly names at most {percent(rate.false)} of the {apart.others} rightly names so many "
            f"of the {apart.members} (true positive rate at a false positive rate of {percent(rate.false)}). A guess "
            f"names {percent(rate.false)}.",
        )
        for rate in found.rates
    ]
    boxes.append(
        (
            "ε at least",
            "none" if not attack.bound else lower(attack.bound),
            f"{EPSILONS['sound'].title}: {'∞' if math.isinf(attack.sound) else stated('sound', attack.sound)}",
            "If the run's ε were smaller, an attack would do as well as this one with a chance of "
            f"{exact_percent(1 - attack.confidence)} at most. It follows only where our own random split chose who "
            "trained. Where the run promises to hide that, the bound counts among its audits.",
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
        f"{percent(found.balanced_accuracy)}. The attacked model was trained again on {apart.again}"
        f"{noise}: its test accuracy is {percent(attack.accuracy)}{accuracy}. {attack.models} models, "
        f"{duration(attack.seconds)}, seed {attack.options.seed}."
    )


def _measured(rate: Rate, others: int) -> str:
    """The interval of a rate, or why there is none worth reading."""
    if rate.false * others < 1:
        return f"not measurable: {percent(rate.false)} of {others:,} is less than one"
    return f"{percent(rate.low)} to {percent(rate.high)}"


def without_line(names: Sequence[str], attacks: Sequence[AttackRecord], units: Sequence[str]) -> list[str]:
    """Why an attack has no line that its sound epsilon draws, one sentence for each reason; `units`
    are what the attacked runs protect."""
    reasons: dict[str, list[str]] = {}
    for name, one, unit in zip(names, attacks, units, strict=True):
        if math.isinf(one.sound):
            reason = "it promises nothing"
        elif sides(one.attack).caution:
            reason = "no coin of ours drew who is connected"
        elif unit == "edge" and sides(one.attack).unit != "edge":
            reason = "its ε hides edges, and limits nothing of who trained"
        elif one.steps is None:
            reason = (
                "its ε is for a node that leaves the graph with its edges, and in the attack a node stays there and "
                "only stops training"
            )
        elif not one.drawn:
            reason = "who trains was not drawn by our own split"
        else:
            continue
        reasons.setdefault(reason, []).append(name)
    return [f"No line of a sound ε for {', '.join(held)}: {reason}." for reason, held in reasons.items()]


def attacker(attack: AttackRecord) -> None:
    """What the attacker knows, how it scores, and what follows."""
    about = ATTACKS[attack.attack].about if attack.attack in ATTACKS else ""
    st.markdown("\n".join(f"- {markup.sentence(line)}" for line in (*attack.knows, about, *attack.notes) if line))


def exposed(attack: AttackRecord) -> None:
    """The training nodes that the attack finds most easily."""
    st.markdown(
        "#### The most exposed nodes",
        help=f"{EXPOSURE} Where several have the same, the higher score comes first. The evaluator's view: it takes "
        "knowing who trained, and is not for release",
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
        **{f"found at {percent(rate.false)} false alarms": percent(rate.true) for rate in found.rates},
        "ε at least": "none" if not attack.bound else lower(attack.bound),
        "asked": attack.options.query,
        "models beside the attacked": attack.models - len(attack.areas),
        "seconds": attack.seconds,
        "seed": attack.options.seed,
    }
