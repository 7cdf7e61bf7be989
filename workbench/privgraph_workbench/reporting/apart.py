"""Figures of one title, told apart by what they were drawn at: graph, what is hidden, method, epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from privgraph_workbench.facts.advising import HIDES
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.reporting.asked import Drawn
from privgraph_workbench.words.naming import data_title, graph_of, method_title, moved, unit_of

MOST_NAMED = 3
"""Methods or graphs that are named: of more, how many there are."""


def told_apart(figures: Sequence[Drawn]) -> list[Drawn]:
    """The same figures, in order. Those that share a title, which nobody gave them, have behind it what
    differs; where nothing does, their number among namesakes. Seeds tell nothing apart: a title leaves in a
    report for others."""
    names = [one.name for one in figures]
    found = list(figures)
    for name in dict.fromkeys(names):
        places = [place for place, one in enumerate(figures) if names[place] == name]
        if len(places) == 1:
            continue
        told = [_parts(figures[place]) for place in places]
        differs = [at for at, column in enumerate(zip(*told, strict=True)) if len(set(column)) > 1]
        ends = [", ".join(filter(None, (parts[at] for at in differs))) for parts in told]
        for nth, (place, end) in enumerate(zip(places, ends, strict=True), start=1):
            if figures[place].title:
                continue  # its author's own word
            if not end or ends.count(end) > 1:
                end = ", ".join(filter(None, (end, f"{nth} of {len(places)}")))
            joined = ", " if ":" in name else ": "
            found[place] = replace(figures[place], title=f"{name}{joined}{end}")
    return found


def _parts(one: Drawn) -> tuple[str, ...]:
    """Graph, what is hidden, methods, budgets and moved options of a figure; "" of what it has not."""
    rows = one.rows
    graphs = {str(row["graph"]) for row in rows if row.get("graph")} or {graph_of(run) for run in one.runs}
    graphs = graphs or {data_title(str(row["dataset"])) for row in rows if row.get("dataset")}
    units = {str(row["unit"]) for row in rows if row.get("unit")} or {unit_of(run) for run in one.runs}
    methods = {method_title(str(row["method"])) for row in rows if row.get("method")}
    methods = methods or {method_title(run.spec.method) for run in one.runs}
    asked = {float(row["asked"]) for row in rows if row.get("asked")}
    asked = asked or {run.spec.asked_epsilon for run in one.runs if run.spec.asked_epsilon is not None}
    ends = sorted({min(asked), max(asked)}) if asked else []
    options = {", ".join(moved(run)) for run in one.runs}
    return (
        _named("graphs", graphs),
        f"hiding {both([HIDES[unit] for unit in HIDES if unit in units])}" if units & set(HIDES) else "",
        _named("methods", methods),
        f"ε {' to '.join(f'{end:g}' for end in ends)}" if ends else "",
        options.pop() if len(options) == 1 else "",
    )


def _named(what: str, names: set[str]) -> str:
    return both(sorted(names)) if len(names) <= MOST_NAMED else f"{len(names)} {what}"
