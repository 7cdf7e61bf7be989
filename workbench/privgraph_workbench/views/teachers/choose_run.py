"""Which run the Teachers page is about: first its method, then the run, by what tells it from the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.words import naming

METHOD = "run.method"
LEADS = {"privgnn": ("release", "queries"), "pate": ("teacher", "noise"), "dp-gpl": ("preset", "weighting", "backbone")}
"""Options that a name begins with, where runs of the method differ in them."""
USUAL = 10.0
"""Epsilon up to which a run of the gallery may stand first."""


def show(records: Mapping[str, RunRecord]) -> RunRecord:
    """The run that was chosen here or on the page before; else one's own newest, or a usual one of the
    gallery."""
    groups = grouped(records.values())
    held = (st.query_params.get("run"), st.session_state.get("run"), st.session_state.get("before.run"))
    chosen = next((str(one) for one in held if one in records), None)
    newest = next((one for one in records.values() if not one.gallery), next(iter(records.values())))
    method = (newest if chosen is None else records[chosen]).spec.method
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(groups) > 1:
            st.session_state[METHOD] = method
            st.segmented_control(
                "Method",
                list(groups),
                required=True,
                key=METHOD,
                format_func=naming.method_title,
                on_change=_switch,
                args=({name: members[0].id for name, members in groups.items()},),
                width="content",
            )
        with st.container(width=640):
            name = choosing.one(
                "Run", titles(groups[method]), "run", help="Finished runs whose teachers' answers were kept"
            )
        record = records[name]
        st.page_link(
            shell.page("train"), label="Open the run", icon=":material/open_in_new:", query_params={"run": record.id}
        )
        states.badge(record)
    return record


def _switch(first: Mapping[str, str]) -> None:
    """The first run of the method that was chosen."""
    choosing.put("run", first[st.session_state[METHOD]])


def grouped(records: Iterable[RunRecord]) -> dict[str, list[RunRecord]]:
    """The runs by method: one's own as they come, newest first; then the gallery's by what they release and
    by epsilon. Where none is one's own, the most accurate of usual epsilon stands first."""
    groups: dict[str, list[RunRecord]] = {name: [] for name in LEADS}
    for one in records:
        groups[one.spec.method].append(one)
    return {name: _ordered(members) for name, members in groups.items() if members}


def _ordered(members: Sequence[RunRecord]) -> list[RunRecord]:
    own = [one for one in members if not one.gallery]
    rest = sorted(
        (one for one in members if one.gallery),
        key=lambda one: ([str(one.spec.options.get(key)) for key in LEADS[one.spec.method]], -_epsilon(one)),
    )
    usual = [one for one in rest if _epsilon(one) <= USUAL]
    if own or not usual:
        return own + rest
    first = max(usual, key=lambda one: one.metrics.get("test_accuracy", 0.0))
    return [first, *(one for one in rest if one is not first)]


def _epsilon(record: RunRecord) -> float:
    return float("inf") if record.statement is None else record.statement.epsilon


def titles(members: Sequence[RunRecord]) -> dict[str, str]:
    """What runs of one method are called, by id: first the options in which they differ, then epsilon, graph
    and seed."""
    names = naming.led_by_options(members, LEADS[members[0].spec.method])
    return {one.id: names[one.id] + (choosing.OF_GALLERY_SHORT if one.gallery else "") for one in members}
