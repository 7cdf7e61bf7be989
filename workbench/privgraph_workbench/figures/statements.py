"""Privacy statements below a picture: for each the unit, the three epsilons and delta."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.markup import wrapped
from privgraph_workbench.words.numbers import rounded_delta, stated

MOST = 8
"""Lines below a picture; all statements are in its metadata, and in the txt file."""
LABEL = 46
"""Letters of a line that say whose statement it is; a longer name goes on in the next line."""


def block(statements: Mapping[str, PrivacyStatement], most: int | None = MOST) -> list[str]:
    """The statements as lines of a table, private ones first; equal ones are one line.

    Args:
        statements: By label.
        most: Lines of the table; None: all.

    Returns:
        Lines for letters of one width; one sentence where there is no statement.
    """
    said = texts("figures")["statements"]
    if not statements:
        return [said["none"]]
    held: dict[tuple[str, ...], list[str]] = {}
    for label, one in sorted(statements.items(), key=lambda pair: pair[1].unit == "none"):
        held.setdefault(_cells(one), []).append(label)
    rows: list[Sequence[str]] = [("", said["unit"], *(mark.title for mark in EPSILONS.values()), "δ")]
    for values, labels in list(held.items())[:most]:
        first, *rest = wrapped(f"{labels[0]}{f' +{len(labels) - 1}' * (len(labels) > 1)}", LABEL) or [""]
        rows += [(first, *values), *((f"  {line}", *[""] * len(values)) for line in rest)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    left = 0 if most is None else len(held) - most
    return [*lines, fill(said["more"], count=left)] if left > 0 else lines


def _cells(said: PrivacyStatement) -> tuple[str, ...]:
    """Unit, the three epsilons and delta; bounds are rounded so that none says more than holds."""
    published, shown = said.epsilon_as_published, said.epsilon_audited
    # one number in the same digits: rounded up here and rounded off there, it would look like two
    as_published = stated("sound" if published == said.epsilon else "published", published)
    audited = "none yet" if shown is None else f"≥ {stated('audited', shown)}"
    unit = "nothing" if said.unit == "none" else said.unit
    return (unit, stated("sound", said.epsilon), as_published, audited, rounded_delta(said.delta))
