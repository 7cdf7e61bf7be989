"""Which methods keep what an attack asks for, up to which budget: one answer, and a figure of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from privgraph.attacks.record import RARE, AttackRecord
from privgraph.registry import OF_RELATIONS, sides
from privgraph.runs.final_statement import has_public_noise
from privgraph_workbench.figures.attacks import attack_kept
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.views.attacks import ranking
from privgraph_workbench.words import markup, naming, verdicts
from privgraph_workbench.words.numbers import percent

SIMILAR = 1
"""Of `verdicts.SEVERITIES`, the last that says that nothing was found, of edges nothing beyond similarity."""
NAMED = 6
"""Methods that the answer names, the most accurate first."""


def measure(rows: Sequence[ranking.Place]) -> str:
    """Of what the accuracy is: relations have none of nodes."""
    return "PREC@1" if sides(rows[0].attack.attack) == OF_RELATIONS else "test accuracy"


def lines(rows: Sequence[ranking.Place]) -> list[str]:
    """The line of each run in words: its method, what it protects, and options in which runs of that method
    differ; the graph, where there are several."""
    runs = [one.run for one in rows]
    apart, graphs = naming.variants(runs), {one.spec.dataset for one in runs}
    return [
        ", ".join(
            filter(
                None,
                (
                    naming.method_title(one.run.spec.method),
                    ""
                    if f"({naming.privacy(one.run)})" in naming.method_title(one.run.spec.method)
                    else one.unit
                    if one.private
                    else naming.privacy(one.run),
                    apart[naming.setting(one.run)],
                    naming.data_title(one.run.spec.dataset) if len(graphs) > 1 else "",
                ),
            )
        )
        for one in rows
    ]


def up_to(rows: Sequence[ranking.Place]) -> dict[str, ranking.Place | None]:
    """For each line of private runs the run with the largest epsilon that keeps it, before the first of which
    something is found; None where that is the smallest. A smaller epsilon whose interval is too wide to tell
    is passed over. Without runs of which nothing is found without privacy either."""
    held: dict[str, list[ranking.Place]] = {}
    for name, one in zip(lines(rows), rows, strict=True):
        if one.private and one.ranked and not one.nothing_to_keep:
            held.setdefault(name, []).append(one)
    found: dict[str, ranking.Place | None] = {}
    for name, members in held.items():
        found[name] = None
        for one in sorted(members, key=lambda one: one.attack.sound):
            if one.severe > SIMILAR:
                break
            found[name] = one if one.kept else found[name]
    return found


def show(rows: Sequence[ranking.Place], open_: Callable[[AttackRecord], None]) -> None:
    """The answer, with the way to each run that it names; nothing where no private run was attacked."""
    found = up_to(rows)
    if not found and not any(one.private for one in rows):
        return
    asks = sides(rows[0].attack.attack).asks
    what = f"{asks[:1].upper()}{asks[1:]}"
    kept = sorted(((name, one) for name, one in found.items() if one is not None), key=lambda held: -held[1].accuracy)
    if kept:
        st.markdown(f"**{what} is kept, as far as these attacks tell, up to:**")
        with st.container(horizontal=True, key="kept-up-to"):
            for name, one in kept[:NAMED]:
                label = f"{name}, {naming.budget(one.run)} · {percent(one.accuracy)}"
                low, high = map(percent, one.attack.found[1:])
                if st.button(
                    markup.literal(label), key=f"kept.{one.run.id}",
                    help=f"{percent(one.attack.found[0])} right of two ({low} to {high}; a coin: 50%). Open this run",
                ):  # fmt: skip
                    open_(one.attack)
    elif found:
        st.markdown(f"**{what}: none of these private runs keeps it.**")
    st.caption(" ".join(_beside(rows, found, len(kept))))


def _beside(rows: Sequence[ranking.Place], found: dict[str, ranking.Place | None], kept: int) -> list[str]:
    """What the answer means and leaves out, in sentences."""
    said = [f"%: {measure(rows)}."] if kept else []
    never = [name for name, one in found.items() if one is None]
    if kept and never:
        said.append(f"At no ε tried: {'; '.join(map(markup.literal, never))}.")
    if kept > NAMED:
        said.append(f"{kept - NAMED} more in the comparison.")
    idle = [name for name, one in zip(lines(rows), rows, strict=True) if one.private and one.nothing_to_keep]
    if idle:
        names = "; ".join(map(markup.literal, dict.fromkeys(idle)))
        said.append(f"Of {names}, nothing is found without privacy either: that says nothing of ε.")
    private, undecided = sum(one.private for one in rows), sum(not one.ranked for one in rows)
    counted = f"{len(rows)} runs were attacked, {private} of them private"
    return [*said, f"{counted}{f', and of {undecided} it is undecided' * bool(undecided)}."]


def data(rows: Sequence[ranking.Place]) -> list[Row]:
    """The rows of the figure, a line for each method and what it protects, private ones first."""
    names = lines(rows)
    order = sorted(range(len(rows)), key=lambda place: (not rows[place].private, names[place]))
    return attack_kept.data(
        [rows[place].attack for place in order],
        [names[place] for place in order],
        [rows[place].kept for place in order],
        measure(rows),
        [_more(rows[place]) for place in order],
    )


def _more(row: ranking.Place) -> Row:
    """What a CSV says of the run besides."""
    rates = row.attack.outcome.rates
    place = next((at for at, one in enumerate(rates) if one.false == RARE and row.attack.outcome.measurable(one)), None)
    statement = row.run.statement
    return {
        "protects": row.unit,
        "verdict": verdicts.word(row.attack, row.severe),
        "area_not_private": None if row.bare is None else row.bare.found[0],
        "found_at_1_percent": None if place is None else row.attack.rates_found[place].true,
        "public_noise": statement is not None and has_public_noise(statement),
    }
