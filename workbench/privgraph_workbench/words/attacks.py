"""Attacks by name: what each was, how it asked, how many models it took, and what it found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from privgraph.attacks.outcome import mean_interval
from privgraph.attacks.record import FEW, AttackRecord
from privgraph.privacy.kinds import Adversary
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import ATTACKS, sides
from privgraph_workbench.words.numbers import exact_percent, lower, number, percent

_KNOWN_AS = re.compile(r"\((\w+)\)$")


def kind(attack: AttackRecord, *, brief: bool = False) -> str:
    """What it was, and how it asked; `brief`: by the name that it is known by, where it has one."""
    name = ATTACKS[attack.attack].title if attack.attack in ATTACKS else attack.title
    known = _KNOWN_AS.search(name)
    asked = {"alone": "asked alone", "both": "asked both ways"}.get(attack.options.query, "")
    pairs = {"alike": "against pairs alike"}.get(attack.options.unlinked, "")
    by = {"influence": "by influence"}.get(attack.options.by, "")
    if not by and not brief and attack.attack in ATTACKS and "distance" in ATTACKS[attack.attack].reads:
        by = f"by {attack.options.distance} distance"
    offline = "" if attack.options.online else "offline"
    return ", ".join(filter(None, (known[1] if brief and known else name, by, pairs, asked, offline)))


def called(name: str) -> str:
    """An attack by the name that it is known by: `LiRA`, or its title.

    >>> called("lira"), called("threshold")
    ('LiRA', 'confidence alone')
    """
    title = ATTACKS[name].title if name in ATTACKS else name
    known = _KNOWN_AS.search(title)
    return known[1] if known else f"{title[:1].lower()}{title[1:]}"


def by_name(attack: AttackRecord) -> str:
    """The name that it is known by; "" where it has none."""
    title = ATTACKS[attack.attack].title if attack.attack in ATTACKS else attack.title
    known = _KNOWN_AS.search(title)
    return known[1] if known else ""


def area_of(areas: Sequence[float]) -> float:
    """The area of a score on several models: their mean, or the run's own where they are too few."""
    return sum(areas) / len(areas) if len(areas) >= FEW else areas[0]


def by_rivals(attack: AttackRecord) -> dict[str, tuple[float, float, float]]:
    """Of each other score of the same answers, by the name of its attack, the mean area and an interval that
    holds for all scores together: each fails with its share of what the confidence leaves. None of so few
    models that there is no mean."""
    if len(attack.areas) < FEW:
        return {}
    each = 1 - (1 - attack.confidence) / (1 + len(attack.rivals))
    return {one.attack: mean_interval(one.areas, each) for one in attack.rivals}


def best_rival(attack: AttackRecord) -> tuple[str, float, float, float] | None:
    """The other score that finds most, with its mean and interval, where that is more than the attack finds
    and better than a guess, though it was chosen among several; None where there is none."""
    found = [(name, *one) for name, one in by_rivals(attack).items()]
    clear = [one for one in found if one[1] > attack.found[0] and round(one[2], 3) > 0.5]
    return max(clear, key=lambda one: one[1], default=None)


def most(attack: AttackRecord) -> tuple[float, float, float]:
    """What the strongest of all scores of these answers finds, with its interval."""
    rival = best_rival(attack)
    return attack.found if rival is None else rival[1:]


def at_most_found(attack: AttackRecord) -> float:
    """The upper end of what any of the scores finds."""
    return max([attack.found[2], *(high for _, _, high in by_rivals(attack).values())])


def chosen_how(attack: AttackRecord, attacks: Sequence[AttackRecord], *, names: bool = True) -> str:
    """How the attack that is told came to be the one, and what the best score found from the same answers, in
    sentences; "" where nothing else was tried. `attacks` are all on the run; `names`: of scores, too."""
    same = sum(sides(one.attack).asks == sides(attack.attack).asks for one in attacks)
    said = ["The attack was chosen in advance, before its answers were scored."]
    if same > 1:
        said = [f"The attack is the strongest of {same} attacks made here, so chance favours it."]
    elif not attack.rivals:
        return ""
    if attack.rivals:
        best, tried = max(attack.rivals, key=lambda one: area_of(one.areas)), 1 + len(attack.rivals)
        if area_of(best.areas) <= area_of(attack.areas):
            said.append(f"None of the {tried} ways to score the same answers found more.")
        else:
            name = f", {called(best.attack)}," * names
            said.append(
                f"The best of {tried} ways to score the same answers{name} reached {percent(area_of(best.areas))}, "
                + (
                    "which is no verdict: chance favours the best of several."
                    if best_rival(attack) is None
                    else "better than a guess also after correction for the choice."
                )
            )
    return " ".join(said)


def attacked(attack: AttackRecord) -> str:
    """How many models were attacked, in words."""
    return f"{len(attack.areas):,} attacked model{'s' * (len(attack.areas) != 1)}"


def models_of(attack: AttackRecord) -> str:
    """How many models were trained for it, in words."""
    return f"{attack.models:,} {'model' if attack.models == 1 else 'models'}"


def short(attack: AttackRecord) -> str:
    """What it was, how it asked, and how many models it took."""
    return f"{kind(attack)}, {models_of(attack)}"


def title(attack: AttackRecord, place: int) -> str:
    """Its number, what it was and how it asked, to tell attacks on one run apart."""
    return f"{place}: {short(attack)}"


def models_apart(attack: AttackRecord) -> str:
    """How many models were trained for it: those that were attacked, and shadow models beside them."""
    attacked, shadows = len(attack.areas), attack.models - len(attack.areas)
    if shadows <= 0:
        return models_of(attack) if attacked == 1 else f"{models_of(attack)}, all attacked"
    return f"{models_of(attack)} ({shadows:,} shadow, {attacked:,} attacked)"


def told(attack: AttackRecord) -> str:
    """The attack with what it found, in one line: its models, the area with its interval, and the bound."""
    value, low, high = (number(one) for one in attack.found)
    mean = ", the mean of the attacked models" if len(attack.areas) >= FEW else ""
    bound = "" if attack.bound is None else f"; ε at least {lower(attack.bound)}"
    sure = exact_percent(attack.confidence)
    return f"{kind(attack)}, {models_apart(attack)}: area {value} ({low} to {high} at {sure} confidence){mean}{bound}"


def with_bounds(statement: PrivacyStatement, attacks: Sequence[AttackRecord]) -> PrivacyStatement:
    """The statement of a run with the largest bound that these attacks on it have shown, where it has no
    audited epsilon: a run that promises nothing has no audits. Of several bounds, no confidence is said."""
    shown = [one for one in attacks if one.bound is not None and one.delta >= statement.delta]
    if not shown or statement.epsilon_audited is not None:
        return statement
    most = max(shown, key=lambda one: one.bound or 0.0)
    return replace(
        statement,
        epsilon_audited=most.bound,
        audit_confidence=most.confidence if len(shown) == 1 else None,
        audited_by=most.attack,
        adversary=Adversary.OUTSIDER,
    )
