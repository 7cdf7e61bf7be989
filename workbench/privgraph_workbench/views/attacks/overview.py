"""All attacked runs side by side: which of them gives away most, and the way to each."""

from __future__ import annotations

import math

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.registry import ATTACKS, sides
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.jobs import queue
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.attacks import findings
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.words import rates
from privgraph_workbench.words.numbers import lower, stated

KEY = "overview"
ROW_PIXELS, MOST_PIXELS = 35, 700
"""Of a table that shows its rows without being scrolled, as long as they are not many."""


def show(chosen: RunRecord) -> None:
    """A table of the strongest attack on each run, for each question, those that find most first; a row that
    is chosen opens its run."""
    strongest: dict[tuple[str, str], AttackRecord] = {}
    for one in queue.store().all_attacks():
        key = (one.run, sides(one.attack).asks)
        if key not in strongest or one.found[0] > strongest[key].found[0]:
            strongest[key] = one
    ids = tuple(dict.fromkeys(run for run, _ in strongest))
    if len(ids) < 2:
        return
    runs = {one.id: one for one in states.readable(queue.store().find(RunQuery(ids=ids, limit=len(ids))))}
    titles = choosing.runs(runs.values())
    questions = list(dict.fromkeys(sides(name).asks for name in ATTACKS))
    rows = sorted(
        (one for one in strongest.values() if one.run in runs),
        key=lambda one: (questions.index(sides(one.attack).asks), -one.found[0], one.run),
    )
    with st.expander(f"Which run gives away most? All {len(runs)} attacked runs", icon=":material/table_rows:"):
        st.caption(
            "The strongest attack on each run, for each question, what is found most first; choose a row to open its "
            "run. Of an attack on edges, what the true classes of both ends tell by themselves stands beside it: areas "
            "up to there need no leak."
        )
        picked = st.dataframe(
            [_line(titles[one.run], one) for one in rows],
            hide_index=True,
            alt="The strongest attack on each attacked run",
            on_select="rerun",
            selection_mode="single-row",
            key=f"{KEY}.{chosen.id}",
            height=min(MOST_PIXELS, ROW_PIXELS * (len(rows) + 1) + 3),
        )
        places = picked["selection"]["rows"]
        if places and places[0] < len(rows) and rows[places[0]].run != chosen.id:
            for gone in ("run", "found", "over", "attack"):
                choosing.forget(gone)
            st.query_params["run"] = rows[places[0]].run
            st.rerun()


def _line(title: str, attack: AttackRecord) -> dict[str, str]:
    value, low, high = attack.found
    return {
        "asks": sides(attack.attack).asks,
        "run": title,
        EPSILONS["sound"].title: "∞" if math.isinf(attack.sound) else stated("sound", attack.sound),
        "area": f"{value:.3f} ({low:.3f} to {high:.3f})",
        "classes alone": rates.NONE if attack.by_classes is None else f"{attack.by_classes:.3f}",
        "ε at least": rates.NONE if attack.bound is None else lower(attack.bound),
        "found where false alarms are rare": rates.rare(attack),
        "attack": findings.short(attack),
    }
