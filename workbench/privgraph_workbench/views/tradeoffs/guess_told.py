"""What the level of a guess in the figure is, and over how many seeds. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from privgraph_workbench.facts.finished import Finished
from privgraph_workbench.facts.row_words import counted
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import guesses, tradeoff_axes, tradeoff_marks, tradeoff_shown
from privgraph_workbench.jobs import queue
from privgraph_workbench.words.numbers import percent


def told(rows: Sequence[Row], done: Finished) -> str:
    """What the level of a guess is and over how many seeds, panel by panel: other seeds have other test
    nodes."""
    by_seed, each = _guesses(done), list[str]()
    places, _ = tradeoff_axes.places(rows)
    several = len({row["graph"] for row in rows}) > 1
    mixed = len({row["unit"] for row in rows if not row["reference"]}) > 1
    for held in tradeoff_shown.panels_of(rows):
        if not any(one.name == tradeoff_marks.GUESS for one in tradeoff_marks.guess(held, 0, (1.0, 2.0))):
            continue
        private = [row for row in held if not row["reference"] and row.get("guess") is not None]
        for row in tradeoff_shown.same_nodes(private, private)[:1] if private else ():
            nodes = row["test_nodes"]
            seeds = by_seed.get((row["graph"], row["unit"], None if nodes is None else float(nodes)), {})
            where = f" on {places[row['graph']]}" * several
            where += f", {tradeoff_marks.UNITS.get(row['unit'], 'nothing')} protected" * mixed
            each.append(f"{percent(row['guess'])} over {counted(len(seeds), 'seed')}{where}")
    if not each:
        return ""
    levels = "" if len(set(each)) > tradeoff_shown.PANELS else f": {', '.join(dict.fromkeys(each))}"
    return (
        f"A guess names the largest class (of relations: any partner) of the test nodes, which differ by seed{levels}. "
    )


@lru_cache(maxsize=16)
def _guesses(done: Finished) -> dict[guesses.Measured, dict[int, float]]:
    return guesses.by_seed(done.readable(queue.store()))
