"""Which runs an attack refuses, and what it costs, told before it starts. No torch."""

from __future__ import annotations

from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.audits.planning import in_words

ASKED = {
    "linked": "with its edges in the graph",
    "alone": "with its features and no edge",
}


def refuses(subject: Attacked, asked: tuple[str, ...]) -> str | None:
    """Why no membership attack can be made on the run, in one sentence, or None; `asked` are the ways in
    which its method answers."""
    if not asked:
        return f"{subject.method} does not tell an attack what its model says of every node"
    return None


def unanswered(options: AttackOptions, asked: tuple[str, ...]) -> str | None:
    """Why these options do not do for a method that answers in the ways `asked`, in one sentence, or None."""
    missing = [way for way in options.ways if way not in asked]
    if not missing:
        return None
    return f"this method cannot be asked about a node {ASKED[missing[0]]}: choose {' or '.join(asked)}"


def cost(subject: Attacked, options: AttackOptions, shadows: bool) -> str:
    """In trainings, and in seconds where the run's own are known; `shadows`: it reads shadow models."""
    models = options.shadows * shadows + options.targets
    took = "" if subject.seconds is None else f", at most about {in_words(models * subject.seconds)}"
    return (
        f"{models:,} trainings like the run's own{took}; they are kept, so that the next attack with as many "
        "models and the same seed takes seconds"
    )


def knows(subject: Attacked, options: AttackOptions, shadows: bool) -> tuple[str, ...]:
    """What the attacker knows and sees, in sentences."""
    lines = [
        "black box: it asks the trained model for the probabilities of classes, and sees nothing else of it",
        f"it knows each node's features and true class, and asks about a node "
        f"{' and '.join(ASKED[way] for way in options.ways)}",
    ]
    if shadows:
        lines.append(
            f"it knows the graph, the method and its options, and has trained {options.shadows:,} shadow models "
            "on other training nodes of the same graph, as many as the run's"
        )
    return tuple(lines)
