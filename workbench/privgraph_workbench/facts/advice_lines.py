"""What finished runs say to take, as lines of a figure's files: a block for each protected unit, for an
epsilon of one promises nothing about the other. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privgraph_workbench.facts import advised
from privgraph_workbench.facts.advising import CHOOSING, HIDES, UNITS, Verdict, not_run
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.set_tables import APART


def blocks(said: Iterable[Verdict]) -> tuple[str, ...]:
    """What the page says of each unit of which a method has run: its table, a line for each of its rows, and
    how that is read; and what the choice itself reads. Nothing where nothing has run."""
    told = [line for one in said if one.methods for line in _block(one)]
    return (*told, advised.JUDGED, CHOOSING) if told else ()


def _block(said: Verdict) -> list[str]:
    """Every row of the page's table stands for itself: with its budgets, its verdict and its protection. It
    follows its heading directly, and how it is read follows it."""
    if not said.stretches:
        return [said.heading]
    thin = "; of what has run here" if said.thin else ""
    head = f"To hide {HIDES[said.unit]} (each ε protects {UNITS[said.unit]}; {said.score}{thin}):{said.lead}"
    absent = not_run(said.absent) if said.absent else ""
    rows = []
    for first, *others in advised.table(said):
        budgets, *cells = first
        shared = cells[len(advised.HEAD) - 3 :]  # verdict and protection, of all rows of the budgets
        rows += [APART.join((f"ε {budgets}", *row)) for row in (cells, *((*row, *shared) for row in others))]
    after = (said.closing, absent, *advised.beneath(said))
    return [head, APART.join(advised.head(said)), *rows, *filter(None, after)]


def of_row(row: Row, said: Sequence[Verdict]) -> str:
    """What the page's table says of a row. Where edges and people are told together, what protects neither is
    taken for one of them alone, which is said."""
    found = dict[str, None]()
    for one in (one for one in said if row["unit"] in ("none", one.unit)):
        words = advised.with_verdict(row, one)
        taken = row["unit"] == "none" and words.startswith("take") and len(said) > 1
        found[f"to hide {HIDES[one.unit]}: {words}" if taken else words] = None
    return "; ".join(filter(None, found))


def plain(said: Iterable[Verdict]) -> str:
    """The blocks as one text, which a row keeps (`tradeoff.shown`)."""
    return "\n".join(blocks(said))
