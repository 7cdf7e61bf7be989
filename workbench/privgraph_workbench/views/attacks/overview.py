"""All attacked runs side by side: which of them gives away most, and the way to each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.registry import ATTACKS, sides
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.jobs import queue
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.attacks import comparing, findings
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.words import rates
from privgraph_workbench.words.numbers import lower, percent, stated

KEY, QUESTION, TURN = "overview", "overview_question", "overview.turn"
PROTECTS = {"none": "nothing", "edge": "edges", "node": "nodes"}
ROW_PIXELS, MOST_PIXELS = 35, 700
"""Of a table that shows its rows without being scrolled, as long as they are not many."""


def show() -> None:
    """A table of the strongest attack on each run, for each question, those that find most first; a row that
    is chosen opens it."""
    strongest = comparing.strongest(queue.store().all_attacks())
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
    counts = Counter(sides(one.attack).asks for one in rows)
    with st.expander(f"Which run gives away most? All {len(runs)} attacked runs", icon=":material/table_rows:"):
        asks = next(iter(counts))
        if len(counts) > 1:
            asks = str(
                st.segmented_control(
                    "Question",
                    list(counts),
                    default=asks,
                    required=True,
                    format_func=lambda one: f"{one[:1].upper()}{one[1:]}? {counts[one]} runs",
                    key=QUESTION,
                )
            )
        rows = [one for one in rows if sides(one.attack).asks == asks]
        st.caption(_about(rows))
        turn = st.session_state.setdefault(TURN, 0)
        picked = st.dataframe(
            [_line(titles[one.run], one, runs[one.run]) for one in rows],
            hide_index=True,
            alt="The strongest attack on each attacked run",
            on_select="rerun",
            selection_mode="single-row",
            key=f"{KEY}.{asks}.{turn}",
            height=min(MOST_PIXELS, ROW_PIXELS * (len(rows) + 1) + 3),
        )
        places = picked["selection"]["rows"]
        if places and places[0] < len(rows):
            _open(rows[places[0]])


def _open(attack: AttackRecord) -> None:
    """Show that attack on its run. The table begins anew, without a tick: what is shown may be changed
    elsewhere."""
    of_run = queue.store().attacks(attack.run)
    for gone in ("run", "found", "over", "attack"):
        choosing.forget(gone)
    st.query_params["run"] = attack.run
    if attack in of_run:
        st.query_params["found"] = str(of_run.index(attack) + 1)
    st.session_state[TURN] += 1
    st.rerun()


def _about(rows: Sequence[AttackRecord]) -> str:
    """How to read the table of one question."""
    said = "The strongest attack on each run, what is found most first; choose a row to open that attack."
    if any(one.by_classes is not None for one in rows):
        return (
            f"{said} What the true classes of both ends tell by themselves stands beside each area: areas up to there "
            "need no leak. No ε at least follows, for we did not draw the edges."
        )
    return (
        f"{said} ε at least: no ε below it can be claimed for such a model. Of a run that protects nothing this says "
        "how large a claim would have to be; the ε of a run that protects edges says nothing of who trained, and the "
        "column is empty."
    )


def _line(title: str, attack: AttackRecord, run: RunRecord) -> dict[str, str]:
    value, low, high = attack.found
    unit = str(run.spec.options.get("unit", "none"))
    edges = {} if attack.by_classes is None else {"classes alone": f"{attack.by_classes:.3f}"}
    return {
        "run": title,
        "protects": PROTECTS.get(unit, unit),
        EPSILONS["sound"].title: "∞" if math.isinf(attack.sound) else stated("sound", attack.sound),
        "area": f"{value:.3f} ({low:.3f} to {high:.3f})",
        **edges,
        "ε at least": rates.NONE if attack.bound is None else lower(attack.bound),
        "test accuracy of the run": percent(run.metrics.get("test_accuracy")),
        "found where false alarms are rare": rates.rare(attack),
        "attack": findings.short(attack),
    }
