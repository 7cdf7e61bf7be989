"""All attacked runs side by side: which of them gives away most, and the way to each."""

from __future__ import annotations

import math
from collections.abc import Mapping

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.jobs import queue
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.attacks import verdict
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.words import rates
from privgraph_workbench.words.numbers import lower, stated

MOST = 500
KEY = "overview"


def show(chosen: RunRecord) -> None:
    """A table of the newest attack on each run, those that find most first; a row that is chosen opens its
    run."""
    newest = {one.run: one for one in queue.store().newest_attacks(MOST)}
    if len(newest) < 2:
        return
    runs = states.readable(queue.store().find(RunQuery(ids=tuple(newest), limit=MOST)))
    runs.sort(key=lambda one: (sides(newest[one.id].attack).asks, -verdict.area(newest[one.id])[0], one.id))
    titles = choosing.runs(runs)
    with st.expander(f"All {len(runs)} attacked runs", icon=":material/table_rows:"):
        st.caption("The newest attack on each run, by what it asks; choose a row to open that run.")
        picked = st.dataframe(
            [_line(titles[one.id], one, newest) for one in runs],
            hide_index=True,
            alt="The newest attack on each attacked run",
            on_select="rerun",
            selection_mode="single-row",
            key=f"{KEY}.{chosen.id}",
        )
        rows = picked["selection"]["rows"]
        if rows and rows[0] < len(runs) and runs[rows[0]].id != chosen.id:
            st.session_state.pop("attacked", None)
            for gone in ("found", "over", "attack"):
                st.query_params.pop(gone, None)
                st.session_state.pop(gone, None)
            st.query_params["run"] = runs[rows[0]].id
            st.rerun()


def _line(title: str, run: RunRecord, newest: Mapping[str, AttackRecord]) -> dict[str, str]:
    attack = newest[run.id]
    value, low, high = verdict.area(attack)
    return {
        "run": title,
        EPSILONS["sound"].title: "∞" if math.isinf(attack.sound) else stated("sound", attack.sound),
        "attack": attack.title,
        "asks": sides(attack.attack).asks,
        "area": f"{value:.3f} ({low:.3f} to {high:.3f})",
        "found where false alarms are rare": rates.rare(attack),
        "ε at least": "none" if not attack.bound else lower(attack.bound),
    }
