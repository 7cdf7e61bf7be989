"""Settings that are many, each in one line of numbers, and the attacks on those that were attacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph_workbench import attack_table, tables
from privgraph_workbench.blocks import Block, Remark, Table
from privgraph_workbench.facts.row_words import both, counted
from privgraph_workbench.table_lines import Line
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import statements as words
from privgraph_workbench.words.markup import capital, literal
from privgraph_workbench.words.numbers import in_short

IN_NAME = "Whom a setting protects stands in its name."
INTERVAL = "{} (95% interval; seeds)"
"""The head of what was reached, with its units: they stand in no cell."""
NO_BOUND = f"No audit or attack has shown an ε of these settings yet ({EPSILONS['audited'].title})."
EMPTY_BOUND = f"{EPSILONS['audited'].title} is empty where no audit or attack has shown any yet."
UNATTACKED = "No attack was made on {}."
CLASSES, NOT_ASKED = "true classes alone", "not measured"
_, _, *_FOUND = attack_table.ATTACKS
_ATTACKS = (attack_table.ATTACKS[0], *_FOUND[:2], capital(CLASSES), *_FOUND[2:])
"""The columns of attacks of one question."""
_ALONE = 3
"""Where among them stands what the true classes alone tell: it is said once where it is the same of all."""
_NOTHING = ("", "—", "–", words.audited_bound(None))


def told(lines: Sequence[Line], graphs: Mapping[str, str]) -> list[Block]:
    """All that is to be known of each setting: its three epsilons and what it reached, without columns that
    would be empty; then the strongest attacks. `graphs`: what these are called, by `graph_of`."""
    notes: tables.Notes = {}
    found: list[Block] = []
    audited = tables.HEAD.index(EPSILONS["audited"].title)
    bounds: list[str] = []
    for heading, held in tables.by_graph(lines):
        whole = tables.in_words(held, notes, warned=True)
        rows = [
            [row[0], *("" if cell in _NOTHING else cell for cell in row[2:-1]), tables.accuracy(one, in_short)]
            for one, row in zip(held, whole.rows, strict=True)
        ]
        bounds += [row[audited - 1] for row in rows]
        head = [whole.head[0], *whole.head[2:-1], INTERVAL.format(whole.head[-1])]
        kept = [at for at in range(len(head)) if any(row[at] for row in rows)]
        cells = tuple(tuple(row[at] for at in kept) for row in rows)
        found += [*tables.headed(heading, short=True), Table(tuple(head[at] for at in kept), cells)]
    said = [IN_NAME, *([] if all(bounds) else [EMPTY_BOUND if any(bounds) else NO_BOUND])]
    about = " ".join([*said, tables.about(lines), tables.ALONE])
    return [*found, about, *_attacks(lines, graphs), *[" ".join(tables.below(notes))] * bool(notes)]


def _attacks(lines: Sequence[Line], graphs: Mapping[str, str]) -> list[Block]:
    """The attacks on those settings that were attacked, a table for each question, and of how many nothing is
    known."""
    tried = [one for one in lines if attack_table.made(one)]
    left = len(lines) - len(tried)
    if not tried:
        return [UNATTACKED.format("any of these settings")]
    held: dict[str, list[list[str]]] = {}
    for label, asks, *cells in (row for one in attack_table.table(tried, graphs) for row in _rows(one)):
        area, _, classes = cells[1].partition(f"; {CLASSES} ")
        held.setdefault(asks, []).append([label, cells[0], area, classes, *cells[2:]])
    found: list[Block] = []
    untold = held.pop(words.LEFT_OUT, [])
    for asks, rows in held.items():
        alike = {row[_ALONE] for row in rows}
        alone = f" ({CLASSES}: AUC {rows[0][_ALONE]})" if len(alike) == 1 and "" not in alike else ""
        kept = [at for at in range(len(rows[0])) if any(row[at] for row in rows) and not (alone and at == _ALONE)]
        told = [[row[at] or NOT_ASKED * (at == _ALONE) for at in kept] for row in rows]
        table = Table(tuple(_ATTACKS[at] for at in kept), tuple(map(tuple, told)))
        found += [Remark(f"**Attacks: {literal(asks + alone)}**"), table]
    others = f"the other {counted(left, 'setting')}" if left > 1 else "the other setting"
    said = [attack_table.ATTACKED, *[UNATTACKED.format(others)] * bool(left)]
    if untold:
        said.append(f"Attacks on {both([row[0] for row in untold])}: {words.LEFT_OUT}.")
    return [*found, " ".join(said)]


def _rows(block: Block) -> Sequence[Sequence[str]]:
    return block.rows if isinstance(block, Table) else ()
