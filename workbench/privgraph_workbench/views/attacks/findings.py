"""What an attack found, for somebody who has read no paper."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

import streamlit as st

from privgraph.attacks.record import FEW, RARE, AttackRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import ATTACKS, sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.attacks.limits import no_line
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.attacks import columns
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import markup, rates, verdicts
from privgraph_workbench.words.numbers import duration, exact_percent, lower, number, percent, stated

FEW_NODES = 30
"""Of fewer members, a bound on epsilon is 0 nearly whatever is found."""


def exposure(attack: AttackRecord) -> str:
    """What the figure of exposure measures."""
    apart = sides(attack.attack)
    return (
        f"Exposure of {apart.member}: the share of {apart.others} to which the attack gives a lower score. 0.5 is "
        "chance; 1 is found before all of them."
    )


def numbers(
    attack: AttackRecord,
    statement: PrivacyStatement,
    without: AttackRecord | None = None,
    bare: tuple[RunRecord, AttackRecord] | None = None,
) -> None:
    """Area, rates, bound and accuracy, each with its interval, beside those of the `bare` run, the method
    without privacy; `without`: the same attack on a model that reads no edge."""
    st.markdown("##### In numbers", help=_about(attack))
    st.markdown(_table(attack, statement, without, None if bare is None else bare[1]))
    if bare is not None:
        run, other = bare
        place = queue.store().attacks(run.id).index(other) + 1
        st.page_link(
            shell.page("attacks"), label="Open the run without privacy", icon=":material/arrow_forward:",
            query_params={"who": "outsider", "run": run.id, "found": str(place)},
        )  # fmt: skip
    found, apart = attack.outcome, sides(attack.attack)
    st.caption(
        f"**{attack_words.models_apart(attack)}.** {found.members:,} {apart.members}, {found.others:,} {apart.others}. "
        f"{accuracy(attack)} Balanced accuracy of the attack at its best threshold, chosen in hindsight: "
        f"{percent(found.balanced_accuracy)}. It took {duration(attack.seconds)}, seed {attack.options.seed}."
    )


def _table(
    attack: AttackRecord, statement: PrivacyStatement, without: AttackRecord | None, bare: AttackRecord | None
) -> str:
    """The numbers as a table in Markdown, a column for each run."""
    lines = [
        (f"right one of two picked ({verdicts.yardstick(attack, without)})", *(_area(one) for one in (attack, bare)))
    ]
    lines += [
        (f"found at {exact_percent(rate.false)} false alarms", *(_rate(one, place) for one in (attack, bare)))
        for place, rate in enumerate(attack.outcome.rates)
        if attack.outcome.measurable(rate) or rate.false == RARE  # of a rarer one there is nothing to say
    ]
    # Where no bound follows of this run, that of the other would be read as if it were compared.
    if attack.bound is not None and any(one is not None and one.bound for one in (attack, bare)):
        own = f"**{bound(attack)}**" + f" :gray[{_beside_bound(attack, statement)}]" * bool(attack.bound)
        lines.append(("ε at least", own, "" if bare is None else f"**{bound(bare)}**"))
    if attack.said is not None:
        lines.append(
            ("test accuracy of one run", *("" if one is None else f"**{percent(one.said)}**" for one in (attack, bare)))
        )
    head = ("", "this run", "without privacy")
    width = 2 if bare is None else 3
    rows = [head, ("---",) * 3, *lines]
    return "\n".join(f"| {' | '.join(cells[:width])} |" for cells in rows)


def _area(attack: AttackRecord | None) -> str:
    if attack is None:
        return ""
    value, low, high = map(percent, attack.found)
    return f"**{value}** :gray[{low} to {high}]"


def _rate(attack: AttackRecord | None, place: int) -> str:
    if attack is None:
        return ""
    return f"**{rates.found(attack, place)}** :gray[{rates.interval(attack, place)}]"


def _about(attack: AttackRecord) -> str:
    """What the numbers mean, in Markdown."""
    apart, found = sides(attack.attack), attack.outcome
    which = "Numbers are of one model."
    if len(attack.areas) >= FEW:
        own = f"{percent(found.area)} ({percent(found.area_low)} to {percent(found.area_high)})"
        which = (
            f"Numbers are means of {len(attack.areas)} models, with Student's interval: it says how models differ that "
            f"are trained on other draws. On {apart.again}: right {own}, by DeLong's interval."
        )
    said = [
        f"Intervals are at {exact_percent(attack.confidence)} confidence. {which}",
        f"**Right one of two picked**: how often {apart.member} has a higher score than {apart.other}, the area under "
        "the curve (AUC).",
        f"**Found at so many false alarms**: the share of {apart.members} rightly named by an attacker who wrongly "
        f"names at most so many of the {apart.others} (TPR at that FPR).",
    ]
    said += [
        f"At {exact_percent(rate.false)}: {alone}"
        for place, rate in enumerate(found.rates)
        if (alone := rates.alone(attack, place))
    ]
    if attack.bound:
        counted = " It counts among the run's audits." if attack.turn else ""
        said.append(
            "**ε at least**: if the run's ε were smaller, an attack would do as well as this one with a chance of "
            f"{exact_percent(1 - attack.confidence)} at most. It follows only where our own random split chose who "
            f"trained.{counted}"
        )
    return "\n".join(f"- {one}" for one in said)


def accuracy(attack: AttackRecord) -> str:
    """Test accuracy of the model that was attacked in the run's place."""
    noise = ", with noise of its own" if math.isfinite(attack.sound) else ""
    return (
        f"The attacked model, trained again on {sides(attack.attack).again}{noise}, has a test accuracy of "
        f"{percent(attack.accuracy)}."
    )


def too_few(attack: AttackRecord) -> bool:
    """Whether a bound of 0 is for want of nodes, though the attack finds them."""
    return attack.bound == 0 and attack.outcome.members < FEW_NODES and not verdicts.guessing(attack)


def bound(attack: AttackRecord) -> str:
    """The bound in a cell of a table; 0 always holds, and says nothing."""
    if too_few(attack):
        return "too few nodes"
    if not attack.bound:
        return rates.NONE if attack.bound is None else "nothing shown"
    return lower(attack.bound)


def _beside_bound(attack: AttackRecord, statement: PrivacyStatement) -> str:
    """What a bound has to be compared with."""
    if statement.unit == "none":
        return "nothing is promised here; a smaller claim would be refuted"
    return f"{EPSILONS['sound'].title}: {'∞' if math.isinf(attack.sound) else stated('sound', attack.sound)}"


def no_bound(attack: AttackRecord, unit: str) -> str:
    """Why no bound on epsilon follows from what was found: also where nothing is promised, coins might show
    one."""
    if math.isinf(attack.sound) and not sides(attack.attack).caution and not attack.drawn:
        return "who trains was not drawn by our own split"
    return no_line(attack, unit) or "the run promises something else"


def attacker(attack: AttackRecord, told: Collection[str] = ()) -> None:
    """What the attacker knows and how it scores, but for what was `told` elsewhere; apart from that, what
    whoever evaluates should know, why no bound on epsilon follows among it."""
    about = ATTACKS[attack.attack].about if attack.attack in ATTACKS else ""
    bound = f"No bound on ε was shown{': too few nodes were trained on' * too_few(attack)}." * (attack.bound == 0)
    knows = (*(one for one in attack.knows if one not in told), about)
    for title, lines in (("What the attacker knows", knows), ("Notes on the result", (*attack.notes, bound))):
        if listed := [f"- {markup.sentence(line)}" for line in lines if line]:
            with st.expander(title):
                st.markdown("\n".join(listed))


def exposed(attack: AttackRecord, others: Sequence[AttackRecord] = ()) -> None:
    """The training nodes that the attack finds most easily, how many would by chance, and what `others` on
    the run say of them."""
    st.markdown(
        "#### The most exposed nodes",
        help=f"{exposure(attack)} Where several have the same, the higher score comes first. The evaluator's view: "
        "it takes knowing who trained, and is not for release",
    )
    st.badge("evaluator's view", color="gray", icon=":material/visibility:")
    count, listing = attack.outcome.others, listed_too(attack, others)
    st.warning(f"{ahead(attack)} Which of them are there by chance cannot be told. {agreed(attack, others)}".strip())
    lines = [
        {
            "node": one.node,
            "class": one.label,
            "degree": one.degree,
            f"found before, of {count:,} {sides(attack.attack).others}": before(one.exposure, count),
            **({"other attacks that list it": listing[one.node]} if comparable(attack, others) else {}),
        }
        for one in attack.exposed
    ]
    st.dataframe(
        lines,
        hide_index=True,
        column_config=columns.config(lines[0]),
        alt="The training nodes that the attack finds most easily, the worst first",
    )


def ahead(attack: AttackRecord) -> str:
    """How many are found before all others, and how many by chance alone, in one sentence."""
    seen = attack.ahead
    found = f"{seen.found:,} {'does' if seen.found == 1 else 'do'}" if seen.found else "none does"
    return (
        f"Of {seen.members:,} {sides(attack.attack).members}, about {number(seen.by_chance, 2)} would stand before all "
        f"{seen.others:,} others by chance; {found}."
    )


def nobody(attack: AttackRecord) -> str:
    """Why nobody is listed as exposed; "" where more are than chance explains."""
    if verdicts.guessing(attack):
        return (
            "Single nodes are not listed: the attack is no better than guessing, and a guess, too, puts some nodes "
            "before all others."
        )
    seen, nearly = attack.ahead, attack.nearly_ahead
    if seen.beyond_chance:
        return ""
    said = f"Single nodes are not listed: chance alone may have put those in front there. {ahead(attack)}"
    if seen.found:
        said += (
            f" So many or more do with chance {exact_percent(seen.p, 2)} where nobody is exposed: they get ahead "
            "together, wherever the highest score of the others happens to be low."
        )
    if nearly is None or not nearly.beyond_chance:
        return said
    return (
        f"{said} Of all together it can be told that they are exposed ({nearly.found:,} are found before "
        f"{exact_percent(1 - RARE)} of the others, where chance has about {nearly.by_chance:.0f}), but not of single "
        "ones."
    )


def comparable(attack: AttackRecord, others: Sequence[AttackRecord]) -> list[AttackRecord]:
    """Other attacks on the run that ask the same and list more nodes than chance explains."""
    asks = sides(attack.attack).asks
    return [
        one
        for one in others
        if one is not attack and sides(one.attack).asks == asks and one.exposed and not nobody(one)
    ]


def listed_too(attack: AttackRecord, others: Sequence[AttackRecord]) -> Counter[int]:
    """By node, how many of the comparable attacks list it."""
    return Counter(held.node for one in comparable(attack, others) for held in one.exposed)


def agreed(attack: AttackRecord, others: Sequence[AttackRecord]) -> str:
    """How many of the listed nodes other attacks on the run list, too; "" where there is no such attack."""
    beside, listing = comparable(attack, others), listed_too(attack, others)
    if not beside:
        return ""
    both = sum(bool(listing[one.node]) for one in attack.exposed)
    who = "another attack on this run" if len(beside) == 1 else f"{len(beside)} other attacks on this run"
    return f"Of the {len(attack.exposed)} listed here, {both} are listed by {who}, too."


def before(exposure: float, others: int) -> str:
    """Before how many of the others an exposed node is found: a share of 1 for many would tell nothing."""
    count = exposure * others
    return f"all {others:,}" if count == others else f"{count:,.1f}".removesuffix(".0")


def history(attacks: Sequence[AttackRecord]) -> None:
    """All attacks on the run, the newest first."""
    st.dataframe(
        [_line(place, one) for place, one in reversed(list(enumerate(attacks, start=1)))],
        hide_index=True,
        alt="Attacks on this run, the newest first",
        column_config=columns.config(_line(1, attacks[0])),
    )


def _line(place: int, attack: AttackRecord) -> dict[str, object]:
    """Area and epsilon first: on a phone no more is seen."""
    value, low, high = attack.found
    return {
        "area": f"{value:.3f} ({low:.3f} to {high:.3f})",
        "ε at least": bound(attack),
        "attack": place,
        "kind": attack_words.kind(attack),
        **{
            f"found at {exact_percent(rate.false)} false alarms": rates.found(attack, place)
            for place, rate in enumerate(attack.outcome.rates)
        },
        "models": attack_words.models_apart(attack),
        "seconds": round(attack.seconds, 1),
        "seed": attack.options.seed,
    }
