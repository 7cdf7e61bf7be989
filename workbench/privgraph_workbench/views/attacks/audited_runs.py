"""All audited runs side by side: what audits have shown beside what is claimed, and the way to each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import AUDITS
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.jobs import queue
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.attacks import columns
from privgraph_workbench.views.parts import choosing, layout, states
from privgraph_workbench.words import rates
from privgraph_workbench.words.numbers import stated

KEY, TURN = "audited", "audited.turn"
ROW_PIXELS, MOST_PIXELS = 35, 700
WIDTHS = {"run": 330, "refuted": 170}


def show() -> None:
    """A table of all runs that an audit was made of, the strongest first; a row that is chosen opens it."""
    shown = queue.store().audited_by(AUDITS)
    if len(shown) < 2:
        return
    with layout.fold(f"Which claims hold? All {len(shown)} audited runs", KEY, icon=":material/table_rows:") as part:
        if part.open:
            found = states.readable(queue.store().find(RunQuery(ids=tuple(shown), limit=len(shown))))
            _table([one for one in found if one.statement is not None], shown)


def refuted(said: PrivacyStatement, audited: float) -> str:
    """Which of the run's claims its audits exceed."""
    if audited > said.epsilon:
        return "our proof"
    if said.epsilon_as_published is not None and audited > said.epsilon_as_published:
        return "the paper's formula"
    return "nothing"


def _table(runs: Sequence[RunRecord], shown: Mapping[str, float]) -> None:
    order = sorted(runs, key=lambda one: (-shown[one.id], one.id))
    titles = choosing.runs(order, short=True)
    st.caption("What audits of each run have shown, the most first; choose a row to open its audits.")
    turn = st.session_state.setdefault(TURN, 0)
    lines = [_line(titles[one.id], one.statement, shown[one.id]) for one in order if one.statement is not None]
    picked = st.dataframe(
        lines,
        hide_index=True,
        alt="What audits have shown of each audited run",
        on_select="rerun",
        selection_mode="single-row",
        key=f"{KEY}.{turn}",
        column_config=columns.config(
            dict.fromkeys(name for line in lines for name in line),
            WIDTHS,
            run="The audited run; choose a row to open it",
        ),
        height=min(MOST_PIXELS, ROW_PIXELS * (len(lines) + 1) + 3),
    )
    places = picked["selection"]["rows"]
    if places and places[0] < len(order):
        for gone in ("run", "shown"):
            choosing.forget(gone)
        st.query_params["run"] = order[places[0]].id
        st.session_state[TURN] += 1  # begins anew, without a tick: the run may be changed elsewhere
        st.rerun()


def _line(title: str, said: PrivacyStatement, audited: float) -> dict[str, str]:
    published = said.epsilon_as_published
    return {
        EPSILONS["audited"].title: stated("audited", audited),
        EPSILONS["published"].title: rates.NONE if published is None else stated("published", published),
        EPSILONS["sound"].title: "∞" if math.isinf(said.epsilon) else stated("sound", said.epsilon),
        "refuted": refuted(said, audited),
        "run": title,
    }
