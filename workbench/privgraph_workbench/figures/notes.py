"""What a figure says of itself: badges, warnings, and the lines that stand below it."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.axes import placed
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.naming import UNIT_WORDS
from privgraph_workbench.words.statements import cells, line

MOST_NOTES = 6
NO_STATEMENT = "No privacy guarantee: this figure is drawn from the data themselves, or from runs without a statement."
EVALUATOR = "Evaluator only: some numbers here are not part of what is released, and no guarantee covers them."
COMPOSED = (
    "Composition: {:,} runs on the same data stand in this figure. Each statement speaks of one run "
    "alone; who sees all of them has been shown more than any one ε says."
)
DATA_DEPENDENT = "Data-dependent: an ε here was computed from the private data, and is itself not private."


def badges(rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """The warnings that rows and statements call for."""
    warnings = []
    if any(row.get("evaluator") for row in rows):
        warnings.append(EVALUATOR)
    if (most := max((row.get("composed") or 0 for row in rows), default=0)) > 1:
        warnings.append(COMPOSED.format(most))
    if any(row.get("data_dependent") for row in rows) or any(one.data_dependent for one in statements.values()):
        warnings.append(DATA_DEPENDENT)
    return warnings


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


COLUMNS = ("", "protects", *(EPSILONS[kind].title for kind in ("sound", "published", "audited")), "δ", "")
LABEL = 58
"""Letters of a line that say whose statement it is; a longer name goes on in the next line."""


def natural(text: str) -> list[tuple[int, float, str]]:
    """A key that sorts names as people do: by the numbers in them, and not by their digits.

    >>> sorted(["ε 10", "ε 2", "ε 0.5"], key=natural)
    ['ε 0.5', 'ε 2', 'ε 10']
    """
    parts = re.split(r"(\d+(?:\.\d+)?)", text)
    return [(1, float(part), "") if place % 2 else (0, 0.0, part) for place, part in enumerate(parts)]


def block(statements: Mapping[str, PrivacyStatement], most: int = MOST_NOTES) -> list[str]:
    """The statements as lines of a table with columns of equal width, sorted by their names; equal ones are
    said once, and beyond `most` they are counted. Where there is none it says so."""
    held: dict[tuple[str, ...], list[str]] = {}
    for label, statement in sorted(statements.items(), key=lambda one: natural(one[0])):
        held.setdefault(cells(statement), []).append(label)
    if not held:
        return [NO_STATEMENT]
    rows: list[Sequence[str]] = [COLUMNS]
    for said, labels in list(held.items())[:most]:
        name, *more = textwrap.wrap(f"{', '.join(labels[:3])}{_rest(labels)}", LABEL) or [""]
        rows.append((name, *said))
        rows += [(f"  {rest}", *("" for _ in said)) for rest in more]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    left = len(held) - most
    return lines if left <= 0 else [*lines, f"and {left} more statements, all of them in this file's metadata"]


def _rest(labels: Sequence[str]) -> str:
    return f" and {len(labels) - 3} more" if len(labels) > 3 else ""


EVALUATOR_BADGE = (
    "evaluator only: accuracies are measured on labels that an evaluator knows, and no guarantee covers them"
)
COMPOSED_BADGE = (
    "{:,} runs on the same data: each ε is that of one run alone, and who sees all of them has been shown more"
)


def place_words(rows: Sequence[Row]) -> str:
    """What rows of one graph were trained on, for the title of their panel: graph, its size, the networks.

    Columns graph, nodes and network.
    """
    graph, nodes = rows[0]["graph"], rows[0]["nodes"]
    networks = sorted({row["network"] for row in rows} - {""})
    return ", ".join(
        filter(
            None,
            (
                graph,
                "" if nodes is None or "nodes " in graph else f"{nodes:,} nodes",
                f"network{'s' if len(networks) > 1 else ''} {' and '.join(networks)}" if networks else "",
            ),
        )
    )


def composed(records: Iterable[RunRecord]) -> dict[str, int]:
    """For each run (by its id), how many of these runs read the same people: who sees them all sees a
    composition."""
    people = {record.id: GraphId.of(record.spec).people for record in records}
    together = Counter(people.values())
    return {run: together[read] for run, read in people.items()}


def badges_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """What a figure of rows says of itself: that numbers are an evaluator's (column `evaluator`), and that
    several runs of the same people stand in it (column `composed`)."""
    most = max((row.get("composed") or 0 for row in rows), default=0)
    return (
        *((EVALUATOR_BADGE,) if any(row.get("evaluator") for row in rows) else ()),
        *((COMPOSED_BADGE.format(most),) if most > 1 else ()),
    )


def mixed_units(rows: Iterable[Row]) -> str | None:
    """The warning for rows (unit, epsilon, epsilon_as_published) whose epsilons protect different units.

    What has no epsilon to compare, because nothing or everything is protected, can be mistaken for nothing.
    """
    found = (row["unit"] for row in rows if placed(row["epsilon"]) or placed(row["epsilon_as_published"]))
    units = sorted(set(found) - {"none"})
    if len(units) < 2:
        return None
    words = " and ".join(UNIT_WORDS[unit] for unit in units)
    return f"{words} runs stand together here: an ε for one unit says nothing about the other, so do not compare them"
