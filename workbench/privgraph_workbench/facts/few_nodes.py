"""What test nodes leave open, however many runs there are, in words. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.data.sizes import TEST
from privgraph.data.spec import PublicFacts
from privgraph_workbench.facts.row_words import counted
from privgraph_workbench.facts.seedwise import MOST_SEEDS, untold
from privgraph_workbench.facts.stretches import FEW_NODES
from privgraph_workbench.figures.chart import Row

EVEN = 0.5
"""The accuracy at which test nodes tell least, where none is known yet."""


def warned(rows: Sequence[Row], facts: PublicFacts | None, seeds: int) -> str:
    """Below which differences of accuracies nothing is told on a graph of few test nodes, with so many seeds
    and with most of them; "" where test nodes are not few, or not known. rows: what has run there; before
    that, the test nodes of a random split of its sizes.

    >>> small = PublicFacts(nodes=34, edges=78, entries=156, features=34, classes=4, train_nodes=26)
    >>> warned([], small, 20)
    '5 test nodes: differences below 14 points cannot be told here with 20 seeds of each.'
    >>> warned([], None, 3)
    ''
    """
    ran = [row for row in rows if row["asked"] is not None and row["test_nodes"] is not None]
    known = next((int(row["test_nodes"]) for row in ran), None if facts is None else round(facts.nodes * TEST))
    if not known or known >= FEW_NODES:
        return ""
    best = max((float(row["mean"]) for row in ran), default=EVEN)
    few, most = (100 * untold(best if 0 < best < 1 else EVEN, known, count) for count in (seeds, MOST_SEEDS))
    told = f"{counted(known, 'test node')}: differences below {few:.0f} points cannot be told here"
    more = f", nor below {most:.0f} with {MOST_SEEDS}" if seeds < MOST_SEEDS else ""
    return f"{told} with {counted(seeds, 'seed')} of each{more}."
