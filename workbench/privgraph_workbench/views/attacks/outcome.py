"""What an audit says, for somebody who has read no paper: what follows, what does not, what to do next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord
from privgraph.options import parameters
from privgraph.privacy.kinds import Adversary, Route
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import AUDITS
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import reach
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.attacks import at_hand, begun, columns
from privgraph_workbench.views.parts import layout, right_how_often
from privgraph_workbench.words import markup, relying
from privgraph_workbench.words import statements as statement_words
from privgraph_workbench.words.audits import alone, bare_words, premise_of, taken, without_premise
from privgraph_workbench.words.numbers import exact_percent, lower, stated, upper

LAST_SEED = 2**31 - 1
MORE = 4
"""How many times as many trials the next audit has: the bound's distance to the truth is about halved."""


def show(record: RunRecord, audit: AuditRecord, subject: Subject, audits: Sequence[AuditRecord]) -> None:
    """Whether a claim fell, what was shown, and whether one may rely on the guarantee, in a box whose colour
    says the first; below it why, and how that stands beside outsiders."""
    said = subject.statement
    answer = relying.answer(said, queue.store().attacks(record.id), audits, fallen_told=audit.refutes_published)
    told = "\n\n".join(filter(None, (lead(audit), answer)))
    if audit.refutes_sound:
        st.error(told, icon="🚨")
    elif audit.refutes_published:
        st.warning(told, icon="⚖️")  # amber: the number that the run relies on stands
    else:
        st.info(told, icon=":material/balance:")
    layout.details((why(audit, said), weaker(audit, said)), right_how_often.of(record))


def lead(audit: AuditRecord) -> str:
    """Whether a claim fell, in bold, then what was shown, and what that takes for granted, said once."""
    of = "" if audit.covers == "run" else " of one step"
    taken_for_granted = "" if without_premise(audit) is None else f" {taken(audit)}"
    shown = f"The attack shows that the ε{of} is at least {least(audit)}{taken_for_granted}."
    if audit.epsilon == 0:
        shown = "The attack has found nothing."
    if audit.refutes_sound:
        verdict = f"Refuted: the {upper(audit.sound)} that we call sound."
        shown += " One of our proofs, or the code, is wrong: please tell us."
    elif audit.refutes_published and audit.published is not None:
        if_ = f", {taken(audit)}" if alone(audit, audit.published) else ""
        verdict = f"Refuted{if_}: the {stated('published', audit.published)} that the paper claims."
        if if_:
            shown = f"On {bare_words(audit.adversary)}, the attack shows that the ε{of} is at least {least(audit)}."
        verdict += f" The sound {upper(audit.sound)} stands." * math.isfinite(audit.sound)
    elif math.isinf(audit.sound):
        verdict = "Nothing to refute: no ε is proved here."
    elif reach.too_few(audit):
        verdict = f"Inconclusive: this audit could not have refuted the sound {upper(audit.sound)}."
        shown = f"{_short(audit)}{shown}"
    else:
        verdict = f"Not refuted: the sound {upper(audit.sound)}."
        shown = f"{_short(audit)}{shown}"
    return " ".join(filter(None, (f"**{verdict}**", shown, premise_of(audit))))


def least(audit: AuditRecord) -> str:
    """The bound in three digits, or in as many as tell it from the claims that it exceeds."""
    claims = [one for one in (audit.sound, audit.published) if one is not None and audit.epsilon > one]
    told = (lower(audit.epsilon, digits) for digits in range(3, 7))
    return next((text for text in told if all(float(text) > one for one in claims)), lower(audit.epsilon, 7))


def spends(turn: int) -> str:
    """That an audit which began now would take that turn."""
    return f"It takes turn {turn}, which is spent even if it is stopped or fails once it has begun to play."


def next_seed(audits: Sequence[AuditRecord]) -> int:
    """The seed after all that audits of a run had. The turn alone gives an audit trials of its own."""
    return min(1 + max((one.seed for one in audits), default=-1), LAST_SEED)


def why(audit: AuditRecord, statement: PrivacyStatement) -> str:
    """What the paper's formula takes for granted and does not hold, where an audit refutes it."""
    gap = statement_words.first_gap(statement)
    if not audit.refutes_published or audit.refutes_sound or gap is None:
        return ""
    return markup.literal(
        f"Why ({gap.source}): the paper counts that {gap.claim}. In fact, {gap.fails}. What holds: {gap.holds}."
    )


def weaker(audit: AuditRecord, statement: PrivacyStatement) -> str:
    """That the paper's smaller number has a gap which this audit was too weak to show; "" elsewhere."""
    if audit.refutes_sound or audit.refutes_published or audit.published is None or not statement.gaps:
        return ""
    if audit.published >= audit.sound:
        return ""
    proved = any(gap.evidence == "proved" for gap in statement.gaps)
    return (
        f"The paper's {stated('published', audit.published)} rests on an analysis with a known "
        f"gap{', which is proved on paper' if proved else ''} "
        "(the run's page tells of it). This audit was not strong enough to show it; one with more trials may."
    )


def _short(audit: AuditRecord) -> str:
    """That so many trials could not have shown the sound epsilon, or not by counting, and the most that they
    could, even where an attack is never wrong; "" where none was counted, or where they were enough."""
    shown = {one.route: most for one in audit.bounds if (most := reach.most_shown(audit, one.route)) is not None}
    if not shown or max(shown.values()) >= audit.sound:
        return ""
    units = {Adversary.CANARIES: "canaries", Adversary.OUTSIDER: "pairs"}.get(audit.adversary, "trials")
    told = can_show(audit.trials, units, max(shown.values()))
    if len(shown) < len({one.route for one in audit.bounds}):  # a trade-off may show more than can be counted
        return f"By counting alone, {told}. "
    return f"{told}. "


def can_show(trials: int, units: str, most: float) -> str:
    """The most that so many can show."""
    return f"{trials:,} {units} can show {most:.2f} at most"


def next_can_show(audit: AuditRecord, turn: int, asked: AuditOptions) -> str:
    """The most that an audit of the same kind at the same delta can show as it is `asked` for now, and
    whether that could refute the sound epsilon; "" where that is not told by counting alone."""
    following = _following(audit, turn, asked)
    most = reach.most(following)
    if math.isinf(most):
        return ""
    claims = [f"the sound {upper(audit.sound)}"] * reach.too_few(following)
    if audit.published is not None and most <= audit.published < audit.sound:
        claims.insert(0, f"the paper's {stated('published', audit.published)}")
    refute = f": they cannot refute {', nor '.join(claims)}" if claims else ""
    return f"{can_show(following.trials, counted(audit), most)}{refute}."


def counted(audit: AuditRecord) -> str:
    """Which option says how often an audit of that kind plays."""
    return "canaries" if audit.adversary is Adversary.CANARIES else "trials"


def highest(units: str) -> int:
    """The most that a form takes of them."""
    return int(next(one.option.high or 0 for one in parameters(AuditOptions) if one.name == units))


def _count(audit: AuditRecord, asked: AuditOptions) -> int:
    """How often the next audit of that kind plays, as it is `asked` for."""
    return asked.canaries if audit.adversary is Adversary.CANARIES else asked.trials


def _following(audit: AuditRecord, turn: int, asked: AuditOptions) -> AuditRecord:
    """The audit as the next one of its kind would be judged, as it is `asked` for now."""
    return replace(audit, trials=_count(audit, asked), turn=turn, confidence=asked.confidence)


def refuting(audit: AuditRecord, turn: int, asked: AuditOptions) -> int | None:
    """How many trials could refute the smallest claim that stands, where as many as are `asked` for cannot;
    None where they can, or where no number can."""
    claim = reach.smallest_claim(audit)
    if reach.most(_following(audit, turn, asked)) > claim:
        return None
    return reach.enough(audit, turn, asked.confidence, MORE, highest(counted(audit)), claim)


def showing_more(audit: AuditRecord, turn: int) -> int:
    """How many trials the form proposes after that audit: so many that they could show more than it has."""
    default = AuditOptions()
    least = reach.enough(audit, turn, default.confidence, MORE, highest(counted(audit)), audit.epsilon)
    return max(_count(audit, default), least or audit.trials)


def sure(audit: AuditRecord) -> str:
    """How sure the bound is, and what it takes for granted."""
    text = f"The bound is right at {exact_percent(audit.confidence)} confidence"
    if without_premise(audit) is None:
        return f"{text}."
    if audit.adversary is Adversary.CANARIES:
        return (
            f"{text}, for Gaussian noise and for the sampling and the number of steps that the run's ledger lists: "
            "canaries show how much noise a step really has, and the rest is computed. Without these premises stands "
            "what the canaries of this one run show."
        )
    return f"{text}, for Gaussian noise; without that premise stands what one threshold alone shows."


def routes(audit: AuditRecord) -> str:
    """Why the bars of the figure differ, where they do; nothing where there is but one bound."""
    epsilons = {bound.route: bound.epsilon for bound in audit.bounds}
    if audit.adversary is Adversary.CANARIES:
        return _of_canaries(epsilons)
    if not {Route.THRESHOLD, Route.GAUSSIAN} <= set(epsilons):
        return ""
    return (
        f"Why two bounds from the same trials? The threshold ({lower(epsilons[Route.THRESHOLD])}) takes "
        "nothing for granted: it counts how often "
        "one rule was right and wrong. Its δ is small, so it must rest on very rare false alarms, and "
        "few trials show few "
        f"of these. The Gaussian trade-off ({lower(epsilons[Route.GAUSSIAN])}) uses that the noise is "
        "known to be Gaussian: where the two "
        "heaps of scores overlap tells how far apart they are, and thereby their tails too, which no "
        "trial has reached. It is "
        "larger for that reason, and worth nothing where the noise is of another kind."
    )


def _of_canaries(epsilons: Mapping[Route, float]) -> str:
    """Why several bounds follow from the canaries of one run."""
    told = {
        Route.GAUSSIAN: "The Gaussian trade-off ({}) measures the noise of single steps, and composes them by the "
        "ledger's sampling and number of steps: it would not see a ledger that lists too few steps.",
        Route.THRESHOLD: "The threshold ({}) takes each canary's whole run for a trial of its own, which holds where "
        "noise is drawn for every coordinate afresh.",
        Route.ONE_RUN: "The bound in one run ({}) takes nothing for granted but the coins that put canaries in, and "
        "is the smallest for that.",
    }
    said = [text.format(lower(epsilons[route])) for route, text in told.items() if route in epsilons]
    return " ".join(["Why several bounds from the same canaries?", *said]) if len(said) > 1 else ""


def more(record: RunRecord, audit: AuditRecord, subject: Subject, audits: Sequence[AuditRecord]) -> None:
    """One click to a stronger audit of the same kind, and one to the other kind, where they can be made, with
    what each costs; where the run's graph is not here, why not: the form of a new audit fetches it."""
    seed, turn = next_seed(audits), queue.store().next_turn(record.id)
    units = counted(audit)
    high = highest(units)
    more = reach.enough(audit, turn, AuditOptions().confidence, MORE, high, reach.smallest_claim(audit))
    offered = {name: spec for name, spec in AUDITS.items() if not spec.refuses(subject)}
    steps: list[tuple[str, str, AuditOptions]] = []
    if audit.audit in offered and more is None:
        st.caption(f"No larger audit of this kind is offered: up to {high:,} {units}, none could refute a claim.")
    elif audit.audit in offered and more is not None:
        asked = AuditOptions(delta=audit.delta, seed=seed, **{units: more})
        steps.append((f"Audit again with {more:,} {units}", audit.audit, asked))
    steps += [
        (f"Try another audit: {spec.title}", name, AuditOptions(delta=audit.delta, seed=seed))
        for name, spec in offered.items()
        if name != audit.audit
    ]
    for label, name, options in steps:
        away = at_hand.away(record, at_hand.AUDIT) if AUDITS[name].trains else ""
        with st.container(horizontal=True, vertical_alignment="center"):
            pressed = st.button(label, key=f"next.{name}", icon=":material/gavel:", disabled=bool(away))
            if away:
                st.caption(f"{markup.literal(away)} *A new audit of this run*, below, fetches it.", width="content")
                continue
            reached = next_can_show(audit, turn, options) if name == audit.audit else ""
            if reached and more is not None and more > MORE * audit.trials:
                reached += f" {more // MORE:,} could not refute a claim."
            told = (reached, markup.sentence(AUDITS[name].cost(subject, options)), spends(turn))
            st.caption(" ".join(filter(None, told)), width="content", help=columns.HELP["turn"])
        if pressed:
            begun.begin(audit.run, name, options)
