"""What an attack found, for somebody who has read no paper."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.planning import BEYOND
from privgraph.attacks.record import FEW, RARE, AttackRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import ATTACKS, OF_RELATIONS, sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.attacks.limits import no_line
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.attacks import columns
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import caveats, markup, rates, verdicts
from privgraph_workbench.words.numbers import between, duration, exact_percent, lower, percent, stated

KNOWS = "What the attacker knows"
FEW_NODES = 30
"""Of fewer members, a bound on epsilon is 0 nearly whatever is found."""


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
        f"{caveats.trained_again(attack)} Balanced accuracy of the attack at its best threshold, chosen in hindsight: "
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
    lines.append((f"{_measure(attack)} of the attacked model", *map(_accuracy, (attack, bare))))
    if bare is not None and (bare.attack, bare.outcome.members) != (attack.attack, attack.outcome.members):
        lines.append(("attack", *(attack_words.called(one.attack) for one in (attack, bare))))
        lines.append((sides(attack.attack).members, *(f"{one.outcome.members:,}" for one in (attack, bare))))
    head = ("", "this run", "without privacy")
    width = 2 if bare is None else 3
    rows = [head, ("---",) * 3, *lines]
    return "\n".join(f"| {' | '.join(cells[:width])} |" for cells in rows)


def _measure(attack: AttackRecord) -> str:
    """Of what its accuracy is: models of relations are judged by whose partner comes first."""
    return "PREC@1" if sides(attack.attack) == OF_RELATIONS else "test accuracy"


def _accuracy(attack: AttackRecord | None) -> str:
    """That of the attacked model, beside the run's own: it was trained again."""
    if attack is None:
        return ""
    own = "" if attack.said is None else f" :gray[the run itself: {percent(attack.said)}]"
    return f"**{percent(attack.accuracy)}**{own}"


def _area(attack: AttackRecord | None) -> str:
    if attack is None:
        return ""
    value, low, high = attack.found
    return f"**{percent(value)}** :gray[({between(low, high)})]"


def _rate(attack: AttackRecord | None, place: int) -> str:
    if attack is None:
        return ""
    return f"**{rates.found(attack, place)}** :gray[({rates.interval(attack, place)})]"


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


def too_few(attack: AttackRecord) -> bool:
    """Whether a bound of 0 is for want of nodes, though the attack finds them."""
    return attack.bound == 0 and attack.outcome.members < FEW_NODES and not verdicts.guessing(attack)


def bound(attack: AttackRecord) -> str:
    """The bound in a cell of a table; 0 always holds, and says nothing."""
    if too_few(attack):
        return "too few"
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


def attacker(attack: AttackRecord, *, uncovered: bool = True) -> None:
    """What the attacker knows and how it scores, where asked for with answers that no epsilon covers among
    it (`uncovered`); apart from that, what
    whoever evaluates should know, why no bound on epsilon follows among it."""
    about = ATTACKS[attack.attack].about if attack.attack in ATTACKS else ""
    bound = f"No bound on ε was shown{': too few nodes were trained on' * too_few(attack)}." * (attack.bound == 0)
    knows = (*(one for one in attack.knows if uncovered or not one.startswith(BEYOND)), about)
    for title, lines in ((KNOWS, knows), ("Notes on the result", (*attack.notes, bound))):
        if listed := [f"- {markup.sentence(line)}" for line in lines if line]:
            with st.expander(title, expanded=title == KNOWS):
                st.markdown("\n".join(listed))


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
