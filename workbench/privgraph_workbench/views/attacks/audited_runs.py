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
from privgraph_workbench.words.audits import shown_bare
from privgraph_workbench.words.numbers import lower, stated

KEY, TURN = "audited", "audited.turn"
ROW_PIXELS, MOST_PIXELS = 35, 700
WIDTHS = {"run": 330, "refuted": 270}
PREMISE = "if the premise holds"
NOTHING = "nothing"


def show(run: str) -> None:
    """A table of all runs that an audit was made of, those with a claim that fell first, then by what was
    shown; a row that is chosen opens it, and that of the `run` which the page shows is marked."""
    shown = queue.store().audited_by(AUDITS)
    if len(shown) < 2:
        return
    with layout.fold(
        f"Which claims are refuted? All {len(shown)} audited runs", KEY, icon=":material/table_rows:"
    ) as part:
        if part.open:
            found = states.readable(queue.store().find(RunQuery(ids=tuple(shown), limit=len(shown))))
            _table([one for one in found if one.statement is not None], shown, run)


def refuted(said: PrivacyStatement, audited: float, bare: float | None = None) -> str:
    """Which of the run's claims its audits exceed; `bare` is what they show without any premise."""
    claims = {"our proof": said.epsilon, "the paper's formula": said.epsilon_as_published}
    for name, claim in claims.items():
        if claim is not None and audited > claim:
            return name if bare is None or bare > claim else f"{name}, {PREMISE}"
    return NOTHING


def _table(runs: Sequence[RunRecord], shown: Mapping[str, float], run: str) -> None:
    titles = choosing.runs(runs, short=True)
    lines = {
        one.id: _line(
            columns.marked(titles[one.id], one.id == run),
            one.statement,
            shown[one.id],
            shown_bare(queue.store().audits(one.id), one.statement),
        )
        for one in runs
        if one.statement is not None
    }
    order = sorted(lines, key=lambda one: (lines[one]["refuted"] == NOTHING, -shown[one], one))
    st.caption(
        "What audits of each run have shown, refuted claims first. Choose a row to open its audits; "
        f"{columns.POINT}. The premise: the noise is Gaussian, as the run's ledger says."
    )
    turn = st.session_state.setdefault(TURN, 0)
    picked = st.dataframe(
        [lines[one] for one in order],
        hide_index=True,
        alt="What audits have shown of each audited run",
        on_select="rerun",
        selection_mode="single-row",
        key=f"{KEY}.{turn}",
        column_config=columns.config(
            dict.fromkeys(name for line in lines.values() for name in line),
            WIDTHS,
            run="The audited run; choose a row to open it",
        ),
        height=min(MOST_PIXELS, ROW_PIXELS * (len(lines) + 1) + 3),
    )
    places = picked["selection"]["rows"]
    if places and places[0] < len(order):
        choosing.open_run(order[places[0]], ("shown",))
        st.session_state[TURN] += 1  # begins anew, without a tick: the run may be changed elsewhere
        st.rerun()


def _line(title: str, said: PrivacyStatement, audited: float, bare: float | None) -> dict[str, str]:
    published = said.epsilon_as_published
    return {
        EPSILONS["audited"].title: stated("audited", audited),
        columns.WITHOUT: lower(audited if bare is None else bare),
        EPSILONS["published"].title: rates.NONE if published is None else stated("published", published),
        EPSILONS["sound"].title: "∞" if math.isinf(said.epsilon) else stated("sound", said.epsilon),
        "refuted": refuted(said, audited, bare),
        "run": title,
    }
