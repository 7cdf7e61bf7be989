"""Privacy statements below a picture: for each the unit, the three epsilons and delta."""

from collections.abc import Mapping, Sequence

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.markup import wrapped
from privgraph_workbench.words.numbers import rounded_delta, stated

MOST = 8
"""Lines below a picture; all statements are in its metadata, and in the txt file."""


def block(statements: Mapping[str, PrivacyStatement], most: int | None = MOST) -> list[str]:
    """The statements as lines of a table in letters of one width, private ones first, equal ones as one, and
    at most so many of them (None: all); one sentence where there is none. `statements`: by label."""
    said = texts("figures")["statements"]
    if not statements:
        return [said["none"]]
    held: dict[tuple[str, ...], list[str]] = {}
    for label, one in sorted(statements.items(), key=lambda pair: pair[1].unit == "none"):
        # one number in the same digits: rounded up here and rounded off there, it would look like two
        published = one.epsilon_as_published
        as_published = stated("sound" if published == one.epsilon else "published", published)
        audited = "none yet" if one.epsilon_audited is None else f"≥ {stated('audited', one.epsilon_audited)}"
        unit, sound = "nothing" if one.unit == "none" else one.unit, stated("sound", one.epsilon)
        held.setdefault((unit, sound, as_published, audited, rounded_delta(one.delta)), []).append(label)
    rows: list[Sequence[str]] = [("", said["unit"], *(mark.title for mark in EPSILONS.values()), "δ")]
    for values, labels in list(held.items())[:most]:
        first, *rest = wrapped(f"{labels[0]}{f' +{len(labels) - 1}' * (len(labels) > 1)}", 46) or [""]
        rows += [(first, *values), *((f"  {line}", *[""] * len(values)) for line in rest)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    left = 0 if most is None else len(held) - most
    return [*lines, fill(said["more"], count=left)] if left > 0 else lines
