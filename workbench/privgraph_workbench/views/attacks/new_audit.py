"""The form of a new audit: which one, how much of it, what that takes and could show, and the button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import streamlit as st

from privgraph.audits.bounds import shared_confidence
from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord
from privgraph.options import build, parameters
from privgraph.registry import AUDITS, AuditSpec
from privgraph.runs.records import RunRecord
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.attacks import at_hand, begun, columns, outcome
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import exact_percent

PREFIX = "audit."
UNREAD: Mapping[str, tuple[str, ...]] = {"mechanism": ("canaries",), "white-box": ("trials",)}
"""Options that an audit does not read, and that its form leaves out."""


def show(record: RunRecord, subject: Subject, audits: Sequence[AuditRecord]) -> None:
    """Which audit, how much of it, what that takes, and the button."""
    st.markdown("### A new audit")
    spec = _choose(subject)
    if spec is None:
        return
    st.caption(f"**{spec.title}**: {spec.about} ({spec.paper})")
    known = [one for one in parameters(AuditOptions) if one.name not in UNREAD.get(spec.name, ())]
    turn = queue.store().next_turn(record.id)
    proposed = {"seed": outcome.next_seed(audits)}
    last = next((one for one in reversed(audits) if one.audit == spec.name), None)
    if last is not None:
        proposed[outcome.counted(last)] = outcome.showing_more(last, turn)
    for name, value in proposed.items():
        _propose(record.id, name, value)
    known = [replace(one, default=proposed.get(one.name, one.default)) for one in known]
    for complaint in widgets.complaints(known, prefix=PREFIX):
        st.warning(complaint)
    filled = widgets.options_form(known, prefix=PREFIX, heading=False)
    if filled.errors:
        st.info(widgets.pointer(filled.errors), icon=":material/edit:")
        return
    options = build(AuditOptions, filled.values)
    delta = options.at(subject.statement)
    alike = next((one for one in reversed(audits) if (one.audit, one.delta) == (spec.name, delta)), None)
    reached = "" if alike is None else outcome.next_can_show(alike, turn, options)
    st.markdown(f"**What it takes.** {markup.sentence(spec.cost(subject, options))} {reached}".strip())
    st.caption(_judged(turn, options.confidence), help=columns.HELP["turn"])
    missing = spec.trains and at_hand.fetch(record, at_hand.AUDIT)
    useful = None if alike is None else outcome.refuting(alike, turn, options)
    if alike is not None and useful is not None:
        units = outcome.counted(alike)
        time = spec.time(subject, replace(options, **{units: useful}))
        st.button(
            f"Take {useful:,} {units}{f' (about {time})' if time else ''}, which could refute it",
            type="primary",
            key="take_more",
            icon=":material/trending_up:",
            on_click=_fill,
            args=(units, useful),
        )
    label = "Start the audit" if useful is None else "Start all the same"
    kind: Literal["primary", "secondary"] = "primary" if useful is None else "secondary"
    if st.button(label, type=kind, key="start_audit", icon=":material/play_arrow:", disabled=missing):
        begun.begin(record.id, spec.name, options, in_form=True)


def _fill(name: str, value: int) -> None:
    st.session_state[f"{PREFIX}{name}"] = value


def _propose(run: str, name: str, value: int) -> None:
    """What a field of the run's form begins with; a field that nobody has changed goes along with it."""
    key, held = f"{PREFIX}{name}", f"proposed.{PREFIX}{name}"
    was = st.session_state.get(held)
    if key in st.session_state and was not in (None, (run, value)) and st.session_state[key] == was[1]:
        st.session_state[key] = value
    st.session_state[held] = (run, value)


def _judged(turn: int, confidence: float) -> str:
    """Which turn an audit would take that began now, and how strictly it is judged for that."""
    judged = exact_percent(shared_confidence(confidence, turn))
    return (
        f"{outcome.spends(turn)} Its own bound is judged at {judged}, so that all audits and attacks of this run "
        f"together are right at {exact_percent(confidence)}."
    )


def _choose(subject: Subject) -> AuditSpec | None:
    """One of the audits that can be made of this run; why the others cannot."""
    refused = {name: reason for name, spec in AUDITS.items() if (reason := spec.refuses(subject))}
    offered = [name for name in AUDITS if name not in refused]
    asked = st.query_params.get("audit")
    if asked is not None and asked not in AUDITS:
        st.warning(
            f"In this page's address, there is no audit {markup.literal(asked[:80])}; audits are {', '.join(AUDITS)}."
        )
    elif asked in refused:
        st.warning(f"In this page's address, the audit {asked} is not offered for this run.")
    chosen = None
    if offered:
        chosen = AUDITS[
            st.segmented_control(
                "Audit",
                offered,
                default=offered[0],
                required=True,
                key="audit",
                bind="query-params",
                width="stretch",
            )
        ]
    else:
        st.info("No audit can be made of this run.", icon=":material/info:")
    for name, reason in refused.items():
        st.caption(f"Not offered: **{AUDITS[name].title}**. {markup.sentence(reason)}")
    return chosen
