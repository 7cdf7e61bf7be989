"""The tab Who pays where all private nodes pay the same: what they pay, why alike, and how it was spent."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import queries_asked
from privgraph_workbench.figures.teachers import budget
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.teachers import by_weight, other_noise
from privgraph_workbench.views.teachers.run_price import readable
from privgraph_workbench.views.teachers.tabs import PRICE
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import number, percent, proved_epsilon

SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
"""Of the run's queries, after which it is said what was paid."""
WHY = {
    "pate": "The same {teachers} teachers answer every query. Each private node belongs to one of them, and every vote "
    "weighs 1: a node moves one vote of each query, and pays for all queries.",
    "table": "No teacher votes here. One noisy table went out, and every private node is in it with a vector of length "
    "1 at most. It was paid for once: queries that are answered from it cost nothing more.",
    "votes": "Private nodes vote themselves, and {drawn}. A vote weighs 1 at most, whoever casts it: that differs "
    "from query to query, and what is guaranteed counts the largest that may be.",
    "posterior": "Each query has a teacher of its own, of nodes that are near it, and {drawn}. One node may change a "
    "teacher's whole answer, so that it makes no difference how near it is.",
    "log-posterior": "Each query has a teacher of its own, of nodes that are near it, and {drawn}. Noise on logarithms "
    "guarantees nothing to any of them.",
    "ensemble": "Each query has {teachers} teachers of its own, on random parts of a random sample, and {drawn}. Every "
    "vote weighs 1, and a node moves one at most.",
}
DRAWN = {
    "query": "each is drawn for a query with a chance of {rate}. That chance is what counts, not whether one was drawn",
    "once": "each was drawn with a chance of {rate} into one sample that answers all queries",
}


def show(record: RunRecord) -> None:
    """What each private node pays, why all the same, and after how many queries."""
    said, options = record.statement, record.spec.options
    asked = record.spec.asked_epsilon
    paid = "what its statement says" if said is None else f"{EPSILONS['sound'].title} {proved_epsilon(said.epsilon)}"
    within = f", within the ε {number(asked, 4)} that was asked for" if said is not None and asked is not None else ""
    st.markdown(f"In this run **all private nodes pay the same**: {paid}{within}.")
    st.markdown(why(record))
    found, wanted = other_noise.asked(record), int(record.spec.options.get("queries", 0))
    if found is not None and options.get("release") != "table" and (fewer := queries_asked.fewer(wanted, found)):
        st.caption(fewer)
    if said is None or options.get("release") == "table":
        return
    if len(points := spent(record)) > 1:
        left, right = layout.columns("alike", [3, 2])
        with left:
            drawn_figure("budget", budget.alike(points, said.delta), statements_of([record]), record, "-alike")
        with right:
            told = lines(record, points)
            st.table(told, hide_index=True, alt="What each private node had paid after so many queries")
            st.caption(by_weight.GUESSES + by_weight.GUESSES_EXACTLY * any(by_weight.EXACT in one for one in told))
    st.page_link(
        shell.page("teachers"),
        label="**What other noise would cost**",
        icon=":material/sell:",
        query_params={"run": record.id, "tab": PRICE},
    )


def lines(record: RunRecord, points: Sequence[tuple[int, float]]) -> list[dict[str, str]]:
    """A line for each number of queries: what had been paid after them, and how often a guess from these
    answers alone is right at most."""
    assert record.statement is not None
    moved = [other_noise.moved(record, count) for count, _ in points]
    moved = [None] * len(moved) if None in moved else moved  # one column, or two in every line
    return [
        {
            "queries": f"{count:,}",
            EPSILONS["sound"].title: readable("sound", paid),
            **by_weight.guesses(paid, record.statement.delta, mu),
        }
        for (count, paid), mu in zip(points, moved, strict=True)
    ]


def why(record: RunRecord) -> str:
    """Why no private node of the run pays more than another."""
    options = record.spec.options
    kind = "pate" if record.spec.method == "pate" else str(options.get("release", "pate"))
    if kind not in WHY:
        return ""
    drawn = DRAWN["once" if options.get("sampling") == "once" else "query"]
    rate = percent(float(options.get("rate", 1.0)))
    return WHY[kind].format(teachers=options.get("teachers", ""), drawn=drawn.format(rate=rate))


def spent(record: RunRecord) -> list[tuple[int, float]]:
    """Sound epsilon after the first query, and after a part of the queries; nothing where it is not to be
    had."""
    whole = other_noise.asked(record)
    if whole is None:
        return []
    counts = sorted({1, *(max(1, round(share * whole)) for share in SHARES)})
    found = [(count, other_noise.epsilon(record, queries=None if count == whole else count)) for count in counts]
    return [(count, paid) for count, paid in found if paid is not None]
