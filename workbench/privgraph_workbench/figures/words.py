"""The privacy statement in the short words that stand below a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.figures.chart import Row, lower, number, stated, upper
from privgraph_workbench.theme import EPSILONS

MOST_NOTES = 6
NO_STATEMENT = "No privacy guarantee: this figure is drawn from the data themselves, or from runs without a statement."
EVALUATOR = "Evaluator only: some numbers here are not part of what is released, and no guarantee covers them."
COMPOSED = (
    "Composition: {:,} runs of the same people stand in this figure. Each statement speaks of one run alone; who sees all of them has "
    "been shown more than any one ε says."
)
DATA_DEPENDENT = "Data-dependent: an ε here was computed from the private data, and is itself not private."


ATTACKED = {"mechanism": ", mechanisms played", "white-box": ", trained again with canaries"}
"""What an audit attacked, in a few words."""


def three_numbers(statement: PrivacyStatement) -> tuple[tuple[str, str], ...]:
    """The three epsilons with their labels, always in this order and never mixed up.

    `none` means that there is no such number: no paper has a formula, or no audit was made.
    """
    audited = "none yet" if statement.epsilon_audited is None else f"at least {lower(statement.epsilon_audited)}"
    if statement.epsilon_audited is not None and statement.audit_confidence is not None:
        audited += f" (confidence {100 * statement.audit_confidence:g}%{ATTACKED.get(statement.audited_by, '')})"
    values = (
        stated("sound", statement.epsilon),
        stated("published", statement.epsilon_as_published),
        audited,
    )
    return tuple((mark.title, value) for mark, value in zip(EPSILONS.values(), values, strict=True))


def refutations(statement: PrivacyStatement) -> list[str]:
    """What an audit has refuted, a sentence each: the claims that lie below the least that an attack has shown."""
    shown = statement.epsilon_audited
    if shown is None:
        return []
    said = f"the least that an attack has shown, {lower(shown)}"
    found = []
    if shown > statement.epsilon:
        found.append(
            f"The sound ε {upper(statement.epsilon)} is refuted by {said}: something in this program is wrong."
        )
    if statement.epsilon_as_published is not None and shown > statement.epsilon_as_published:
        published = number(statement.epsilon_as_published, 4)
        found.append(f"The published ε {published} is refuted by {said}: the paper's formula promises too much.")
    return found


def faults(statement: PrivacyStatement) -> str:
    """What is known to be wrong with the program that made the run, as a list; "" where nothing is."""
    found = statement.known_faults
    if not found:
        return ""
    said = "a known fault" if len(found) == 1 else f"{len(found)} known faults"
    points = "\n".join(f"- {sentence[:1].upper()}{sentence[1:]}" for sentence in found)
    return f"This run has {said}, which no ε here counts:\n{points}"


def line(label: str, statement: PrivacyStatement) -> str:
    """One statement on one line: whose it is, the unit, the three numbers, delta."""
    numbers = " · ".join(f"{name}: {value}" for name, value in three_numbers(statement))
    unit = "protects nothing" if statement.unit == "none" else f"unit: {statement.unit}"
    badge = " · ε depends on the data" if statement.data_dependent else ""
    badge += " · an audit refutes a claim" if refutations(statement) else ""
    badge += f" · known faults: {len(statement.known_faults)}" if statement.known_faults else ""
    return f"{label + ': ' if label else ''}{unit} · {numbers} · δ: {number(statement.delta)}{badge}"


def badges(rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """The warnings that rows and statements call for."""
    found = []
    if any(row.get("evaluator") for row in rows):
        found.append(EVALUATOR)
    if (most := max((row.get("composed") or 0 for row in rows), default=0)) > 1:
        found.append(COMPOSED.format(most))
    if any(row.get("data_dependent") for row in rows) or any(one.data_dependent for one in statements.values()):
        found.append(DATA_DEPENDENT)
    return found


def notes(rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """The lines below an exported figure: its badges, then one line a statement, equal ones said once."""
    held: dict[str, list[str]] = {}
    for label, statement in statements.items():
        held.setdefault(line("", statement), []).append(label)
    said = [f"{', '.join(filter(None, labels[:3]))}{_rest(labels)}: {text}" for text, labels in held.items()]
    said = [text.removeprefix(": ") for text in said]
    if len(said) > MOST_NOTES:
        left = len(said) - MOST_NOTES
        said = [*said[:MOST_NOTES], f"and {left} more statements, all of them in this file's metadata"]
    return [*badges(rows, statements), *(said or [NO_STATEMENT])]


def _rest(labels: Sequence[str]) -> str:
    return f" and {len(labels) - 3} more" if len(labels) > 3 else ""
