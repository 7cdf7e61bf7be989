"""Statements of one setting: the same in one, and others by what differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from privgraph.privacy.kinds import NEIGHBOURS
from privgraph.privacy.statement import NOT_AUDITED, PrivacyStatement
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import rounded_delta, stated

_SAID: Sequence[Callable[[PrivacyStatement], str]] = (
    lambda said: f"{EPSILONS['sound'].title} {stated('sound', said.epsilon)}",
    lambda said: f"{EPSILONS['published'].title} {stated('published', said.epsilon_as_published)}",
    lambda said: f"δ {rounded_delta(said.delta)}",
    lambda said: NEIGHBOURS[said.neighbours],
    lambda said: f"released: {said.released}",
)
"""What may differ between statements of one setting, in words, the plainest first."""


def unaudited(statement: PrivacyStatement) -> PrivacyStatement:
    """The statement without what attacks on its run have shown: runs of one setting have it in common."""
    return replace(statement, **NOT_AUDITED)


def merged(statements: Sequence[PrivacyStatement]) -> dict[str, PrivacyStatement]:
    """Those that say the same as one, that of which attacks have shown most; each by what it differs in
    from the others, "" where there is one."""
    held: dict[PrivacyStatement, PrivacyStatement] = {}
    for one in statements:
        known = held.setdefault(unaudited(one), one)
        if (one.epsilon_audited or 0.0) > (known.epsilon_audited or 0.0):
            held[unaudited(one)] = one
    names = _apart(list(held))
    return dict(zip(names, held.values(), strict=True))


def _apart(statements: Sequence[PrivacyStatement]) -> list[str]:
    """The first words by which all are told apart, else all that differ, else their numbers."""
    if len(statements) < 2:
        return [""] * len(statements)
    told = [[say(one) for one in statements] for say in _SAID]
    differing = [words for words in told if len(set(words)) > 1]
    for words in differing:
        if len(set(words)) == len(statements):
            return words
    together = [", ".join(words) for words in zip(*differing, strict=True)] or [""] * len(statements)
    if len(set(together)) == len(statements):
        return together
    return [", ".join(filter(None, (words, f"statement {place}"))) for place, words in enumerate(together, start=1)]
