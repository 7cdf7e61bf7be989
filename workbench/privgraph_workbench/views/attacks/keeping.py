"""Which methods keep what an attack asks for: one sentence, and a figure of all."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.registry import OF_RELATIONS, sides
from privgraph_workbench.figures.attacks import attack_kept
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.views.attacks import columns, ranking
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.numbers import percent

NAMED = 3
"""Runs that the sentence names, the most accurate first."""


def measure(rows: Sequence[ranking.Place]) -> str:
    """Of what the accuracy is: relations have none of nodes."""
    return "PREC@1" if sides(rows[0].attack.attack) == OF_RELATIONS else "test accuracy"


def said(rows: Sequence[ranking.Place]) -> str:
    """Which private runs keep it, the most accurate first, and which promise does not, as Markdown; "" where
    none of the runs is private."""
    private = [one for one in rows if one.unit != "none" and not math.isinf(one.attack.sound)]
    if not private:
        return ""
    asks, titles = sides(rows[0].attack.attack).asks, ranking.names(rows)[0]
    kept = sorted((one for one in private if one.kept and not one.nothing_to_keep), key=lambda one: -one.accuracy)
    what = f"{asks[:1].upper()}{asks[1:]}"
    if kept:
        best = [f"{markup.literal(titles[one.run.id])} ({percent(one.accuracy)})" for one in kept[:NAMED]]
        more = f"; {len(kept) - NAMED} more" if len(kept) > NAMED else ""
        told = [
            f"**{what}: {len(kept)} of {len(private)} private runs keep it.** Most accurate: {', '.join(best)}{more}."
        ]
    else:
        told = [f"**{what}: none of {len(private)} private runs keeps it.**"]
    for unit in ("edge", "node"):
        own = [one for one in private if one.unit == unit]
        if kept and len(own) > 1 and not any(one.kept for one in own):
            told.append(f"None of {len(own)} runs that hide {columns.PROTECTS[unit]} does.")
    if idle := [one for one in private if one.kept and one.nothing_to_keep]:
        names = ", ".join(markup.literal(titles[one.run.id]) for one in idle[:NAMED])
        told.append(f"Without privacy, too, nothing is found of {names}: that says nothing of ε.")
    return " ".join(told)


def data(rows: Sequence[ranking.Place]) -> list[Row]:
    """The rows of the figure, a line for each method and what it protects; what leaks most without privacy
    first."""
    titles = ranking.names(rows)[0]
    names = []
    for one in rows:
        title, budget = titles[one.run.id], f" {naming.budget(one.run)}"
        names.append(title.replace(budget, "", 1) if one.unit != "none" else title)
    order = sorted(range(len(rows)), key=lambda place: (rows[place].unit != "none", names[place]))
    return attack_kept.data(
        [rows[place].attack for place in order],
        [names[place] for place in order],
        [rows[place].kept for place in order],
        measure(rows),
    )
