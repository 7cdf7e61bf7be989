"""A privacy statement on a page: three numbers side by side, what they mean, the ledger, the gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from privgraph.privacy.events import (
    Atoms,
    BoundedRange,
    Composed,
    Gaussian,
    Laplace,
    NonPrivate,
    Nothing,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    Repeated,
    RevealedMixture,
    SampledOnce,
    SampledSubgraphs,
    SampledTerms,
    Single,
)
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import attacked, tuning_price
from privgraph_workbench.facts import composition, method_costs
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import audits as audit_words
from privgraph_workbench.words import markup, meaning
from privgraph_workbench.words import statements as statement_words
from privgraph_workbench.words.numbers import exact_percent, kept_budget, rounded_delta, stated, upper


def show(
    statement: PrivacyStatement,
    *,
    planned: bool = False,
    compact: bool = False,
    whole: bool = True,
    asked: float | None = None,
) -> None:
    """The whole statement; `planned` says that nothing has run yet, `compact` leaves room for a form beside
    it.

    Not `whole`: the run ended on its way, and the epsilons are those of its whole plan.
    `asked`: the budget that the noise was chosen by.
    """
    short(statement, planned=planned, whole=whole, asked=asked)
    ledger(statement.ledger, planned=planned, whole=whole)
    with st.expander("What exactly is promised, and on which assumptions", expanded=not (planned or compact)):
        promise(statement)


def short(
    statement: PrivacyStatement,
    *,
    planned: bool = False,
    whole: bool = True,
    asked: float | None = None,
    bare: float | None = None,
    gaps_too: bool = True,
) -> None:
    """The three numbers, what they mean, and what must be known of them; see `show` and `numbers`. The gaps
    may stand elsewhere (not `gaps_too`): they are long."""
    numbers(statement, planned=planned, whole=whole, asked=asked if planned else None, bare=bare)
    if why := meaning.comes_to(asked, statement.epsilon):
        st.caption(why)
    if statement.known_faults:
        st.markdown(meaning.BUT_FOR_FAULTS)
    st.markdown(meaning.wager(statement))
    if statement.unit != "none":
        for reason in method_costs.unprotected(statement.ledger):
            st.warning(f"No ε can be proved: {markup.literal(reason)}.")
        st.caption(f"{meaning.delta(statement.delta, statement.epsilon)} Rule: {markup.literal(statement.delta_rule)}.")
    if statement.data_dependent:
        st.warning("This epsilon was computed from the private data and is itself not private.")
    if gaps_too:
        gaps(statement)


def numbers(
    statement: PrivacyStatement,
    *,
    planned: bool = False,
    whole: bool = True,
    asked: float | None = None,
    bare: float | None = None,
) -> None:
    """Sound, as published and audited epsilon, each with its label and what it is; the sound one as the
    budget that was `asked` for, where that is kept. `bare`: what audits have shown without any premise."""
    will = "will guarantee" if planned else "guarantees"
    published = (
        f" Computed by: {markup.literal(statement.accountant_as_published)}."
        if statement.accountant_as_published
        else ""
    )
    shown = statement.epsilon_audited or 0.0
    boxes = (
        (
            EPSILONS["sound"].label,
            _refuted(
                stated("sound", kept_budget(asked, statement.epsilon) or statement.epsilon), shown > statement.epsilon
            ),
            f"What this noise {will}, by a proof that we stand for. Computed by: "
            f"{markup.literal(statement.accountant or 'no need')}.",
        ),
        (
            EPSILONS["published"].label,
            "no formula"
            if statement.epsilon_as_published is None
            else _refuted(stated("published", statement.epsilon_as_published), shown > statement.epsilon_as_published),
            f"What the paper's own formula says of the same noise: to reproduce its tables, not a promise.{published}",
        ),
        (
            EPSILONS["audited"].label,
            audited(statement),
            _attacked(statement),
        ),
    )
    cards = [column.container(border=True, height="stretch") for column in st.columns(3)]
    for card, (label, value, help_) in zip(cards, boxes, strict=True):
        card.markdown(label, help=help_)
        card.markdown(f"#### {value}")
    with cards[1]:
        under_published(statement, statement_words.published_fell(statement, bare))
    with cards[0]:
        if planned or not whole:
            st.caption("as planned" if planned else "of the whole plan")
        under_sound(statement)
    with cards[-1]:
        _under_audited(statement, bare)
    if shown > statement.epsilon:  # that a formula of a paper fell is told on its card
        st.error(statement_words.refutations(statement, bare)[0])
    if statement.known_faults:
        st.error(statement_words.faults(statement))
    st.caption(meaning.THREE_NUMBERS)


def under_sound(statement: PrivacyStatement, fell: str = "") -> None:
    """That the sound epsilon `fell` to an audit, as a mark: the same on every card of the run."""
    _fell(fell)


def under_published(statement: PrivacyStatement, fell: str) -> None:
    """That the published epsilon `fell` to an audit, as a mark, and why it is not the sound one: the same on
    every card of the run."""
    _fell(fell)
    if why := statement_words.why_published(statement):
        st.caption(markup.literal(why))


def _fell(mark: str) -> None:
    if mark:
        st.badge(mark, color="red", icon=":material/gavel:")


def looking(statements: Sequence[PrivacyStatement], seeds: int, runs: str) -> None:
    """What all `runs` would cost together, each statement with so many seeds, if all of them were shown to
    somebody; where their relations of neighbouring datasets differ, that there is no one number."""
    delta = max(one.delta for one in statements)
    largest = max(one.epsilon for one in statements)
    if len(composition.relations(statements)) > 1:
        shown = "more. Their neighbouring datasets differ, so that no one ε says how much"
    else:
        event = Ledger([entry for one in statements for entry in one.ledger]).event()
        shown = f"ε = {upper(tuning_price(event, delta, seeds))} (δ = {rounded_delta(delta)})"
    st.warning(
        f"The price of looking: each run alone is sound at its own ε (the largest: {upper(largest)}), but "
        f"whoever sees all {len(statements) * seeds} {runs}, or picks the best of them, has been shown {shown}. "
        "None of the papers reproduced here counts this. Run several on data that are public or yours to see."
    )


def _attacked(statement: PrivacyStatement) -> str:
    """What the audited number says, and of what."""
    if statement.epsilon_audited is None:
        return "An empirical lower bound, shown by an attack. Above a claimed number it refutes the claim."
    sure = f" at {exact_percent(statement.audit_confidence)} confidence" if statement.audit_confidence else ""
    return (
        f"An empirical lower bound{sure}, from all attacks together. Attacked: "
        f"{markup.literal(attacked(statement.adversary))}. Above a claimed number it refutes the claim."
    )


def _refuted(value: str, refuted: bool) -> str:
    """A claim, in red where an attack has shown more."""
    return f":red[{value}]" if refuted else value


def audited(statement: PrivacyStatement) -> str:
    """The audited number alone."""
    if statement.epsilon_audited is None:
        return "nothing to audit" if statement.unit == "none" else "not audited"
    return f"≥ {stated('audited', statement.epsilon_audited)}" if statement.epsilon_audited else "no bound shown"


def _under_audited(statement: PrivacyStatement, bare: float | None) -> None:
    """How sure the audited number is, what was attacked, and what it takes for granted."""
    if statement.epsilon_audited is None:
        return
    st.caption(markup.literal(statement_words.audited_how(statement)))
    if bare is not None:
        st.caption(audit_words.without(bare, statement))


def gaps(statement: PrivacyStatement) -> None:
    """Where the paper's analysis promises more than holds, in plain words with its size."""
    if not statement.gaps:
        return
    title = f"{len(statement.gaps)} gaps" if len(statement.gaps) > 1 else "A gap"
    with st.expander(
        f"{title} between what the paper claims and what holds: the sound ε relies on no such claim",
        icon=":material/rule:",
    ):
        st.caption(statement_words.CLAIMS)
        for gap in statement.gaps:
            st.markdown(f"**{markup.literal(gap.title)}** ({markup.literal(gap.evidence)})")
            st.markdown(
                f"- The paper says: {markup.literal(gap.claim)}\n"
                f"- Where it fails: {markup.literal(gap.fails)}\n"
                f"- What holds: {markup.literal(gap.holds)}\n"
                f"- Size: {markup.literal(gap.size)}\n"
                f"- Source: {markup.literal(gap.source)}"
            )


def ledger(
    entries: tuple[LedgerEntry, ...], *, planned: bool = False, whole: bool = True, pending: bool = False
) -> None:
    """The mechanisms as a table: what was run, with which noise, how often. `pending`: the run goes on."""
    st.markdown("###### Privacy ledger: mechanisms that will be run" if planned else "###### Privacy ledger")
    if not entries:
        if planned:
            text = "No mechanism will read what is protected."
        elif pending:
            text = (
                "No mechanism is recorded as finished so far. One may be under way: it counts from the "
                "moment it begins, so that a "
                "run that is stopped now has the ε of the whole plan."
            )
        elif whole:
            text = "No mechanism has read what is protected."
        else:
            text = (
                "No mechanism had finished when the run ended. One may have been under way, and what it had "
                "read is not known: hence the ε of the whole plan, as an upper bound."
            )
        st.caption(text)
        return
    rows = [row(entry) for entry in entries]
    said = [column for column in rows[0] if any(line[column] not in (None, "") for line in rows)]
    st.dataframe(
        [{column: line[column] for column in said} for line in rows],
        hide_index=True,
        alt="Mechanisms with their stage, count, noise and sensitivity",
        placeholder="",
        column_config={
            "noise σ": st.column_config.NumberColumn(
                format="%.3g", help="Standard deviation of the noise, in the units of what is released"
            ),
            "sensitivity": st.column_config.NumberColumn(
                format="%.3g", help="How far one protected unit can move what is released"
            ),
            "times": st.column_config.NumberColumn(
                help="How often the mechanism is run; one on gradients once a step, of which an epoch has several"
            ),
            "sampling": st.column_config.NumberColumn(
                format="%.3g", help="Chance with which each unit takes part in one run of the mechanism"
            ),
        },
    )
    for text, stages in told(entries).items():
        st.caption(f"{', '.join(markup.literal(stage) for stage in stages)}: {markup.literal(text)}.")


def told(entries: Sequence[LedgerEntry]) -> dict[str, list[str]]:
    """What entries were accounted as and their notes, which no column has room for, with the stages of
    each."""
    by_text: dict[str, list[str]] = {}
    for entry in entries:
        text = "; ".join(filter(None, (f"accounted as {event_words(entry.event)}", entry.note)))
        stages = by_text.setdefault(text, [])
        if entry.stage not in stages:
            stages.append(entry.stage)
    return by_text


def row(entry: LedgerEntry) -> dict[str, Any]:
    """The short facts of a ledger entry, for a table half a page wide."""
    return {
        "stage": entry.stage,
        "mechanism": entry.mechanism,
        "times": entry.count,
        "noise σ": entry.noise_std,
        "sensitivity": entry.sensitivity,
        "norm": entry.norm,
        "sampling": entry.sampling_rate,
    }


def event_words(event: Single) -> str:
    """A privacy event in a few words.

    >>> event_words(PoissonSampled(rate=0.1, event=Gaussian(noise_multiplier=2.0)))
    'Gaussian noise, 2 × sensitivity, on a 10% sample'
    >>> event_words(SampledOnce(rate=0.1, event=Repeated(event=Gaussian(noise_multiplier=2.0), count=1000)))
    'Gaussian noise, 2 × sensitivity, 1,000 times, all on one and the same 10% sample'
    >>> event_words(PureDP(epsilon=1.00049)), event_words(BoundedRange(epsilon=0.12341))
    ('pure ε = 1.001', 'privacy losses within a range of 0.1235')
    >>> drawn = SampledSubgraphs(
    ...     rate=0.2, neighbours=2, noise_multiplier=5.0, largest_degree=99, exclusive=False
    ... )
    >>> print(event_words(drawn).partition(": ")[2])
    each node in 0.4 others on average at most, central or not
    """
    match event:
        case Nothing():
            return "costs nothing"
        case NonPrivate():
            return f"no protection: {event.reason}"
        case Gaussian():
            return f"Gaussian noise, {event.noise_multiplier:.3g} × sensitivity"
        case Laplace():
            return f"Laplace noise, {event.noise_multiplier:.3g} × sensitivity"
        case PureDP():
            return f"pure ε = {upper(event.epsilon)}"
        case BoundedRange():
            return f"privacy losses within a range of {upper(event.epsilon)}"
        case RandomizedResponse():
            return (
                f"randomised response: 1 stays 1 with {event.one_to_one:.3g}, 0 becomes 1 with {event.zero_to_one:.3g}"
            )
        case PoissonSampled():
            return f"{event_words(event.event)}, on a {exact_percent(event.rate, 3)} sample"
        case SampledOnce():
            return f"{_together(event.event)}, all on one and the same {exact_percent(event.rate, 3)} sample"
        case SampledTerms():
            return (
                f"Gaussian noise, {event.noise_multiplier:.3g} × one clipped gradient, on a "
                f"{exact_percent(event.rate, 3)} sample. At most {event.present} gradients depend on one "
                f"node while it is there; {event.absent} of them, those of other nodes, are there without it "
                "too"
            )
        case SampledSubgraphs():
            rule = "none of them central" if event.exclusive else "central or not"
            return (
                f"Gaussian noise, {event.noise_multiplier:.3g} × one clipped gradient, on subgraphs of a "
                f"{exact_percent(event.rate, 3)} sample: each node in {event.rate * event.neighbours:.3g} "
                f"others on average at most, {rule}"
            )
        case Atoms():
            return f"exact law with {len(event.upper)} atoms"
        case RevealedMixture():
            return f"mixture of {len(event.weights)} Gaussian noises"


def _together(event: Repeated | Composed) -> str:
    parts = event.events if isinstance(event, Composed) else (event,)
    return ", and ".join(
        f"{event_words(part.event)}, {part.count:,} times" if isinstance(part, Repeated) else event_words(part)
        for part in parts
    )


def promise(statement: PrivacyStatement) -> None:
    """Unit, relation, what is released, what is public, and the assumptions."""
    lines = [
        f"**Protected unit:** {meaning.protected(statement.unit, statement.neighbours)}",
        f"**Compared graphs (neighbouring relation):** {markup.literal(statement.relation)}",
        f"**Released:** {markup.literal(statement.released)}",
        f"**Taken as public:** {markup.literal('; '.join(statement.public) or 'nothing')}",
        f"**Accountant:** {markup.literal(statement.accountant or 'none needed')}",
    ]
    st.markdown("\n".join(f"- {line}" for line in lines))
    if statement.assumptions:
        st.markdown("**Assumptions**\n" + "\n".join(f"- {markup.literal(text)}" for text in statement.assumptions))
    if statement.per_holder:
        st.dataframe([{"holder": name, "ε": value} for name, value in statement.per_holder], hide_index=True)
