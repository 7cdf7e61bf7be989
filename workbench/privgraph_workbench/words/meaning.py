"""What a guarantee means, in words for somebody who has not read a paper."""

from __future__ import annotations

import math
from statistics import NormalDist

from privgraph.privacy.composition import gaussian_epsilon, gaussian_mu
from privgraph.privacy.events import Gaussian, Nothing
from privgraph.privacy.kinds import MechanismKind, Neighbours
from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.words.glossary import ADDED
from privgraph_workbench.words.numbers import at_most, option, rounded_delta, upper

UNITS = {
    "edge": "one connection (edge)",
    "node": "one person (node) with everything about them",
    "none": "nothing",
}
WHO = {"none": "nobody", "edge": "connections (edge)", "node": "people (node)"}
"""Who is protected, as a choice."""
_OPT_OUT = (Neighbours.FROZEN_ROSTER, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES)
OPTS_OUT = "one person (node) with everything about them, who takes part or opts out while what was drawn stays"


def protected(unit: str, neighbours: Neighbours) -> str:
    """What one guarantee protects, by unit and kind of neighbouring relation.

    >>> protected("node", Neighbours.NODE), protected("edge", Neighbours.DIRECTED_EDGE)
    ('one person (node) with everything about them', 'one connection (edge)')
    """
    return OPTS_OUT if unit == "node" and neighbours in _OPT_OUT else UNITS[unit]


WAGERS = {
    **dict.fromkeys(
        (Neighbours.NODE_RECORD, Neighbours.NODE, Neighbours.ASSIGNED_NODE), "whether a certain person's data was used"
    ),
    **dict.fromkeys(
        (Neighbours.UNDIRECTED_EDGE, Neighbours.DIRECTED_EDGE), "whether a certain connection is in the graph"
    ),
    **dict.fromkeys(_OPT_OUT, "whether a certain person took part or opted out"),
    Neighbours.REPLACED_RECORD: "which of two records a certain person gave",
}
"""What is guessed, by kind of neighbouring relation."""
ANY_WAGER = "which of two datasets it was, which differ as the statement says,"
NOT_COVERED = " (not covered: a person who was never in the graph)"
WHY_NOT_COVERED = {
    Neighbours.FROZEN_ROSTER: "Opting out comes after roles were drawn with them; had they never been there, "
    "others would have other roles.",
    Neighbours.FROZEN_SAMPLE: "Opting out comes after a sample of edges was drawn with them; had they never "
    "been there, other edges would have been drawn.",
    Neighbours.FROZEN_DEGREES: "Opting out comes after degrees were counted with them; had they never been "
    "there, degrees would be others, and so would the samples.",
    Neighbours.REPLACED_RECORD: "The sample of other people's edges is the same for both records; had they "
    "never been there, other edges would have been drawn.",
}
"""Relations whose wager says in its own sentence who is not covered, and directly after it why."""


THIS_NOISE = "this noise"
"""Before how often a guess is right at most against the noise itself."""
ALWAYS = "100%"
"""Of guesses that are right, where nothing holds somebody back."""
LEFT_OUT = {
    "edge": "several connections at once; features and labels",
    "node": "several people at once",
    "none": "everything",
}
"""What a guarantee for one unit says nothing of."""


def left_out(unit: str, neighbours: Neighbours) -> str:
    """What one guarantee does not cover.

    >>> left_out("node", Neighbours.NODE), left_out("node", Neighbours.FROZEN_SAMPLE)
    ('several people at once', 'several people at once; a person who was never in the graph')
    """
    never = NOT_COVERED.removeprefix(" (not covered: ").removesuffix(")")
    return "; ".join([LEFT_OUT[unit], *([never] if neighbours in WHY_NOT_COVERED else [])])


def guess(epsilon: float, delta: float) -> float:
    """The best chance, in [0.5, 1], of guessing between two equally likely neighbouring graphs.

    For every (epsilon, delta)-private release: (e^epsilon + delta) / (1 + e^epsilon) (Kairouz, Oh and
    Viswanath, The Composition Theorem for Differential Privacy, 2015).

    >>> round(guess(1.0, 0.0), 3), guess(float("inf"), 0.0)
    (0.731, 1.0)
    """
    if epsilon > 700:
        return 1.0
    odds = math.exp(epsilon)
    return min(1.0, (odds + delta) / (1 + odds))


def guess_at(mu: float) -> float:
    """The best chance, in [0.5, 1], of guessing between two equally likely neighbouring graphs, where all
    noise is Gaussian and one unit moves it by `mu` standard deviations in all: Phi(mu / 2), exactly (Dong,
    Roth and Su, Gaussian Differential Privacy, 2022).

    >>> guess_at(0.0), round(guess_at(2.0), 4), guess_at(float("inf"))
    (0.5, 0.8413, 1.0)
    """
    return NormalDist().cdf(mu / 2) if math.isfinite(mu) else 1.0


def guess_of(statement: PrivacyStatement) -> float | None:
    """`guess_at` the noise of a run; None where some of it is of another kind or drawn on a sample, where a
    gate chooses what is paid for, where its epsilon is not that of this noise, and where it has known
    faults."""
    events = [(entry.event, entry.count) for entry in statement.ledger if not isinstance(entry.event, Nothing)]
    noise = tuple((event, count) for event, count in events if isinstance(event, Gaussian))
    gated = any(entry.kind is MechanismKind.GATE or entry.worst.gate_std for entry in statement.ledger)
    if len(noise) < len(events) or not noise or gated or statement.known_faults or math.isinf(statement.epsilon):
        return None
    mu = gaussian_mu(noise)
    held = math.isclose(gaussian_epsilon(mu, statement.delta), statement.epsilon, rel_tol=1e-4)
    return guess_at(mu) if held else None


def ranked(epsilon: float, delta: float) -> float:
    """The largest chance, in [0.5, 1], of picking the right one of two results, one of each of two
    neighbouring graphs: the area under the curve of the most that any attack can find.

    That curve rises from (0, delta) by the slope e^epsilon to x = (1 - delta)/(1 + e^epsilon), y = 1 - x, and
    on to (1 - delta, 1) (Kairouz, Oh and Viswanath 2015); the area below it is
    1 - (1 - delta)^2/(1 + e^epsilon).

    >>> round(ranked(1.0, 0.0), 3), ranked(float("inf"), 0.0), ranked(0.0, 0.0), ranked(0.0, 1.0)
    (0.731, 1.0, 0.5, 1.0)
    """
    return 1 - (1 - delta) ** 2 / (1 + math.exp(min(epsilon, 700.0)))


def risk(unit: str, epsilon: float, delta: float, neighbours: Neighbours, exact: float | None = None) -> str:
    """The guarantee as a wager, in a few sentences; `neighbours` is the kind of the relation. The one word
    is that of epsilon and delta; `exact`: the best guess against the very noise, which is plain Gaussian, as
    a number after it (`guess_at`)."""
    if unit == "none" or math.isinf(epsilon):
        return (
            "Nothing is guaranteed: somebody who sees the result may learn everything about any one "
            "connection or person."
        )
    what = WAGERS.get(neighbours, ANY_WAGER)
    best = guess(epsilon, delta)
    chance = at_most(best)
    theirs = "they may be right every time" if chance == at_most(1.0) else f"they are right in {chance}"
    in_fact = "" if exact is None else f"; with this Gaussian noise in fact {at_most(exact)}"
    text = (
        f"Somebody who knows everything else guesses {what}: a coin is right in 50% of cases, "
        f"{theirs}{NOT_COVERED if neighbours in WHY_NOT_COVERED else ''}. That is {strength(epsilon, delta)} "
        f"protection{in_fact}."
    )
    return " ".join(filter(None, (text, WHY_NOT_COVERED.get(neighbours))))


def wager(statement: PrivacyStatement) -> str:
    """The guarantee of a run as a wager."""
    exact = guess_of(statement)
    return risk(statement.unit, statement.epsilon, statement.delta, statement.neighbours, exact)


STRENGTHS = ((0.75, "strong"), (0.9, "moderate"), (0.99, "weak"), (1.0, "next to no"))
"""What protection is called up to a chance of a right guess, of which a coin has 0.5; conventions, not
theorems."""


def strength(epsilon: float, delta: float = 0.0) -> str:
    """A word for a guarantee, chosen by the number of its wager, beside which it stands.

    >>> strength(1.0), strength(2.0), strength(3.0), strength(8.0), strength(float("inf"))
    ('strong', 'moderate', 'weak', 'next to no', 'no')
    """
    return called(guess(epsilon, delta)) if math.isfinite(epsilon) else "no"


def called(best: float) -> str:
    """What protection is called against whose best guess is right with that chance, in [0.5, 1].

    >>> called(0.5), called(0.75), called(0.76), called(1.0)
    ('strong', 'strong', 'moderate', 'next to no')
    """
    return next(word for bound, word in STRENGTHS if best <= bound)


def in_short(statement: PrivacyStatement) -> tuple[str, str]:
    """The wager of a run in two cells of a table: how often the guess is right at most, by epsilon and delta
    and by the noise itself where that is known (`guess_of`), and what such protection is called."""
    epsilon, delta = statement.epsilon, statement.delta
    if statement.unit == "none" or math.isinf(epsilon):
        return ALWAYS, "none"
    called = strength(epsilon, delta)
    right, exact = at_most(guess(epsilon, delta)).removeprefix("at most "), guess_of(statement)
    right += "" if exact is None else f" ({THIS_NOISE}: {at_most(exact).removeprefix('at most ')})"
    told = right, called + "ne" * called.endswith("no")
    if statement.known_faults:
        told = told[0], f"{told[1]}, but for known faults"
    return told


def strengths(first: float, last: float, delta: float = 0.0) -> str:
    """What the protection of budgets from one epsilon to another is called, at that delta.

    >>> strengths(1.0, 1.0), strengths(1.0, 3.0), strengths(1.0, 8.0)
    ('strong protection', 'strong to weak protection', 'strong protection to next to none')
    >>> strengths(1.0985, 1.0985), strengths(1.0985, 1.0985, 0.001)
    ('strong protection', 'moderate protection')
    """
    words = tuple(dict.fromkeys((strength(first, delta), strength(last, delta))))
    if len(words) > 1 and words[-1] == STRENGTHS[-1][1]:
        return f"{words[0]} protection to next to none"
    return f"{' to '.join(words)} protection"


def delta(value: float, epsilon: float = 0.0) -> str:
    """What delta is, with its value; beside an infinite epsilon it says nothing."""
    if math.isinf(epsilon):
        return (
            f"δ = {rounded_delta(value)} says nothing here: with an infinite ε there is no guarantee that could hold "
            "or fail."
        )
    if value == 0:
        return "δ = 0: the guarantee never fails."
    text = f"δ = {rounded_delta(value)}: {ADDED}."
    return (
        text
        if value < 1e-3
        else f"{text} That is not small: a graph of so few units cannot do much better by this rule."
    )


def comes_to(asked: float | None, sound: float) -> str:
    """Why a guarantee is a little smaller than the budget that was asked for; "" where it is not.

    >>> comes_to(1.0, 0.99967)
    'The noise is chosen so that ε is at most 1; it comes to 0.9997.'
    >>> comes_to(1.0, 1.0), comes_to(None, 0.99967), comes_to(1.0, 0.2), comes_to(1.0, 1.4)
    ('', '', '', '')
    """
    if asked is None or not 0.9 * asked <= sound < asked or upper(sound) == upper(asked):
        return ""
    return f"The noise is chosen so that ε is at most {option(asked)}; it comes to {upper(sound)}."


def headline(statement: PrivacyStatement) -> str:
    """One line that may stand under a figure."""
    if statement.unit == "none":
        return "Not private: no guarantee."
    return (
        f"Protects {UNITS[statement.unit]}; sound ε = {upper(statement.epsilon)} at δ = "
        f"{rounded_delta(statement.delta)} ({statement.relation})."
    )
