"""A privacy statement in short words: the three numbers, what refutes them, known faults."""

from __future__ import annotations

from privgraph.privacy.kinds import Adversary
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import premise
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import audits as audit_words
from privgraph_workbench.words.numbers import exact_percent, lower, number, rounded_delta, stated, upper

CLAIMS = "The sound ε relies on none of these claims of the paper; the ε as published may."
"""What the gaps of a statement have to do with its epsilons."""
NEAR = 0.05
"""Epsilons that differ by a smaller share are called near."""
EVERY_EDGE = ("every edge, no person", "edges 0, people ∞")
"""What a model protects that reads no edge and has no guarantee, and at which sound epsilon."""
ATTACKED = {
    Adversary.WORST_CASE: ", mechanisms played",
    Adversary.CANARIES: ", trained again with canaries",
    Adversary.OUTSIDER: ", trained again and asked from outside",
    Adversary.UNKNOWN: "",
}
"""What an audit attacked, in a few words."""


def three_numbers(statement: PrivacyStatement, *, no_edge: bool = False) -> tuple[tuple[str, str], ...]:
    """The three epsilons with their labels, always in this order and never mixed up.

    `none` means that there is no such number: no paper has a formula, or no audit was made. `no_edge`:
    nothing is guaranteed, but no edge is read.
    """
    audited = of_people(audited_of(statement)) if no_edge else audited_of(statement)
    if how := audited_how(statement):
        audited += f" ({how})"
    sound, published = statement.epsilon, statement.epsilon_as_published
    values = (
        EVERY_EDGE[1] if no_edge else stated("sound", sound),
        # one number in the same digits: rounded up here and rounded off there, it would look like two
        stated("sound" if published == sound else "published", published),
        audited,
    )
    return tuple((mark.title, value) for mark, value in zip(EPSILONS.values(), values, strict=True))


def audited_bound(bound: float | None, seed: str = "") -> str:
    """An audited epsilon in words, and of which of several seeds it is. Zero is one, too: it was looked for,
    and nothing was found.

    >>> audited_bound(None), audited_bound(0.0), audited_bound(0.25)
    ('none yet', 'at least 0', 'at least 0.25')
    >>> audited_bound(0.25, "seed 4")
    'at least 0.25, of seed 4'
    """
    return "none yet" if bound is None else f"at least {lower(bound)}" + (f", of {seed}" if seed else "")


def audited_of(statement: PrivacyStatement, seed: str = "") -> str:
    """The same of a statement."""
    return audited_bound(statement.epsilon_audited, seed)


def of_people(audited: str) -> str:
    """An audited epsilon of a model that reads no edge: it says nothing of edges, which are hidden.

    >>> of_people(audited_bound(1.47)), of_people(audited_bound(None))
    ('people: at least 1.47', 'none yet')
    """
    return f"people: {audited}" if audited.startswith("at least") else audited


_OF_NO_EDGE = {
    "Protected: nothing.": "Protected: every edge, for none is read; no person.",
    "Sound epsilon: infinite. Nothing is guaranteed.": "Sound epsilon: 0 for edges, for none is read; infinite for "
    "people, to whom nothing is guaranteed.",
    "Epsilon audited: an attack": "Epsilon audited, for people: an attack",
}
"""What a statement says of nothing, and what that means of a model that reads no edge."""


def without_edges(line: str) -> str:
    """A line of the statement of a model that reads no edge: it hides every one, and no person.

    >>> without_edges("Protected: nothing."), without_edges("Released: weights.")
    ('Protected: every edge, for none is read; no person.', 'Released: weights.')
    """
    for said, told in _OF_NO_EDGE.items():
        line = line.replace(said, told)
    return line


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


def refuted_in_short(statement: PrivacyStatement) -> str:
    """Which claim an audit has refuted, in a few words; "" where none is."""
    shown, published = statement.epsilon_audited, statement.epsilon_as_published
    if shown is None:
        return ""
    taken = f", {told}" if (told := premise(statement)) else ""
    if shown > statement.epsilon:
        return f"an audit refutes the sound ε{taken}: do not rely on it"
    if published is not None and shown > published:
        return (
            f"an attack refutes the published ε{taken}: at least {lower(shown)} was shown, {number(published, 4)} "
            "published; the sound ε stands"
        )
    return ""


def faults(statement: PrivacyStatement) -> str:
    """What is known to be wrong with the program that made the run, as a list; "" where nothing is."""
    found = statement.known_faults
    if not found:
        return ""
    said = "a known fault" if len(found) == 1 else f"{len(found)} known faults"
    points = "\n".join(f"- {sentence[:1].upper()}{sentence[1:]}" for sentence in found)
    return f"This run has {said}, which no ε here counts:\n{points}"


def cells(statement: PrivacyStatement, *, no_edge: bool = False) -> tuple[str, ...]:
    """One statement as the cells of a line: what it protects, the three epsilons, and delta. What no column
    has room for is told by `remarks`. `no_edge`: nothing is guaranteed, but no edge is read."""
    unit = EVERY_EDGE[0] if no_edge else "nothing" if statement.unit == "none" else statement.unit
    sound, published, _ = (value for _, value in three_numbers(statement, no_edge=no_edge))
    audited = of_people(audited_of(statement)) if no_edge else audited_of(statement)
    return (unit, sound, published, audited, rounded_delta(statement.delta))


def remarks(statement: PrivacyStatement) -> list[str]:
    """How the audited number was found, and what else must be known beside the numbers."""
    how = audited_how(statement)
    return [*([f"the audited ε is shown at {how}"] if how else []), *_also(statement)]


def _also(statement: PrivacyStatement) -> list[str]:
    said = ["its ε depends on the data"] if statement.data_dependent else []
    said += [refuted] if (refuted := refuted_in_short(statement)) else []
    return said + ([f"known faults: {len(statement.known_faults)}"] if statement.known_faults else [])


def line(label: str, statement: PrivacyStatement, *, no_edge: bool = False) -> str:
    """One statement on one line: whose it is, the unit, the three numbers, delta. `no_edge` as in `cells`."""
    numbers = " · ".join(f"{name}: {value}" for name, value in three_numbers(statement, no_edge=no_edge))
    unit = "protects nothing" if statement.unit == "none" else f"unit: {statement.unit}"
    unit = f"protects {EVERY_EDGE[0]}" if no_edge else unit
    badge = "".join(f" · {said}" for said in _also(statement))
    return f"{label + ': ' if label else ''}{unit} · {numbers} · δ: {rounded_delta(statement.delta)}{badge}"
