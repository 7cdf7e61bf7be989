"""What the settings of a report guarantee and reached, in one table: a column for each setting."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from privgraph_workbench import attack_table, tables
from privgraph_workbench.blocks import Block, Table
from privgraph_workbench.words.naming import graph_of

ATTACK = attack_table.STRONGEST
"""What attacks found has a table of its own: in a column of this one it is a dozen lines."""
_NOTE = re.compile(r"\[(\d+)\]")
_NOTES = re.compile(r"(?: \[\d+\])+$")
"""The numbers of its footnotes, at the end of a cell."""
BESIDE = 4
"""Settings that stand side by side at most."""


def settings(lines: Sequence[tables.Line], notes: tables.Notes, names: Mapping[str, str]) -> list[Block]:
    """Whom each setting hides, its three epsilons, what it reached and what attacks found, a row each; then
    what the rows mean. `names`: what graphs are called, by `graph_of`."""
    if not lines:
        return []
    plain = [replace(one, heading="") for one in lines]
    promised, reached = _columns(tables.guarantees(plain, notes)), _columns(tables.measured(plain, notes))
    (first, said), (second, more) = promised, reached
    rows = [("Graph", *(names[graph_of(one.record)] for one in plain))] if any(one.heading for one in lines) else []
    rows += first[1:4]
    rows += [row for row in second[1:] if row[0] not in {ATTACK, *(one[0] for one in first)}]
    rows += first[4:]
    labels = [one.label for one in plain]
    told: list[Table] = []
    wide = math.ceil(len(labels) / math.ceil(len(labels) / BESIDE))  # of five settings three and two, not one alone
    for start in range(0, len(labels), wide):
        places = range(start, min(start + wide, len(labels)))
        head = ("", *(labels[at] for at in places))
        held = [(row[0], *(row[1 + at] for at in places)) for row in rows]
        told.append(Table(head, tuple(row for row in held if any(row[1:]))))  # δ of what has no noise is empty
    shown, below = _in_order(told, [*said, *more])
    return [*shown, *attack_table.table(lines, names), *below]


def _in_order(held: Sequence[Table], below: Sequence[Block]) -> tuple[list[Table], list[Block]]:
    """Tables whose footnotes are numbered as they are met, row by row, and what is said below them, with the
    footnotes last, in one paragraph."""
    cells = [cell for table in held for row in table.rows for cell in row]
    met = dict.fromkeys(found for cell in cells if (ends := _NOTES.search(cell)) for found in _NOTE.findall(ends[0]))
    number = {old: str(place) for place, old in enumerate(met, start=1)}

    def anew(text: str) -> str:
        return _NOTE.sub(lambda one: f"[{number.get(one[1], one[1])}]", text)

    def row_of(row: Sequence[str]) -> tuple[str, ...]:
        return tuple(_NOTES.sub(lambda ends: anew(ends[0]), cell) for cell in row)

    shown = [replace(table, rows=tuple(map(row_of, table.rows))) for table in held]
    notes = [one for one in below if isinstance(one, str) and _NOTE.match(one)]
    others = [one for one in below if one not in notes]
    told = [f"{anew(mark)} {text}" for mark, _, text in (one.partition(" ") for one in notes)]
    in_order = sorted(told, key=lambda one: int(one[1 : one.index("]")]))
    return shown, [*others, *[" ".join(in_order)] * bool(in_order)]


def _columns(blocks: Sequence[Block]) -> tuple[list[tuple[str, ...]], list[Block]]:
    """A table with its columns as rows, each behind its name, and what is said below it."""
    table, *below = blocks
    assert isinstance(table, Table)
    return [*zip(table.head, *table.rows, strict=False)], below
