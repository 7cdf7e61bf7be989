"""What audits have shown of a privacy statement, and which of its claims they refute."""

from __future__ import annotations

from privgraph.privacy.kinds import Adversary
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import premise
from privgraph_workbench.words import audits as audit_words
from privgraph_workbench.words.numbers import exact_percent, lower, number, upper

ATTACKED = {
    Adversary.WORST_CASE: ", mechanisms played",
    Adversary.CANARIES: ", trained again with canaries",
    Adversary.OUTSIDER: ", trained again and asked from outside",
    Adversary.UNKNOWN: "",
}
"""What an audit attacked, in a few words."""


def audited_how(statement: PrivacyStatement) -> str:
    """How sure the audited number is, what was attacked, and what it takes for granted; "" where there is
    none."""
    if statement.epsilon_audited is None:
        return ""
    sure = ""
    if statement.audit_confidence is not None:
        attacked = ATTACKED[statement.adversary or Adversary.UNKNOWN]
        sure = f"confidence {exact_percent(statement.audit_confidence)}{attacked}"
    return "; ".join(filter(None, (sure, premise(statement))))


def refutations(statement: PrivacyStatement, bare: float | None = None) -> list[str]:
    """What an audit has refuted, a sentence each: the claims that lie below the lower bound that an attack
    has shown; `bare` is what was shown without any premise, where that is known."""
    shown = statement.epsilon_audited
    if shown is None:
        return []
    said = " ".join(filter(None, ("the lower bound that an attack has shown,", lower(shown), premise(statement))))
    sentences = []
    if shown > statement.epsilon:
        sentences.append(
            f"The sound ε {upper(statement.epsilon)} is refuted by {said}: something in this program is wrong."
        )
    if statement.epsilon_as_published is not None and shown > statement.epsilon_as_published:
        published = number(statement.epsilon_as_published, 4)
        sentence = f"The published ε {published} is refuted by {said}: the paper's formula promises too much."
        if bare is not None and bare <= statement.epsilon_as_published:
            alone = audit_words.without(bare, statement).removeprefix("≥ ")
            sentence += f" Shown is at least {alone}, which does not refute it."
        sentences.append(sentence)
    return sentences


def published_fell(statement: PrivacyStatement, bare: float | None = None) -> str:
    """The mark of the published epsilon where audits have shown more; "" where they have not. `bare` as in
    `refutations`."""
    shown, published = statement.epsilon_audited, statement.epsilon_as_published
    if shown is None or published is None or shown <= published:
        return ""
    alone = bool(premise(statement)) and (bare is None or bare <= published)
    return audit_words.refuted(statement.adversary, alone=alone)
