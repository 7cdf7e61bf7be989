"""Audits: attack a finished run with all help that its guarantee allows, and hold what is found against the
claims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.audits.options import Subject
from privgraph.audits.record import AuditRecord
from privgraph.options import OptionError, UnknownName
from privgraph.registry import AUDITS
from privgraph.runs import attacking, auditing
from privgraph.runs.records import RunQuery, RunRecord, StoreError, Unreadable
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts.attackable import attackable
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.attacks import at_hand, audited_runs, begun, bounds, new_audit
from privgraph_workbench.views.parts import choosing, layout, statement, states, under_way
from privgraph_workbench.words import markup, naming

MOST_RUNS = 200
SUGGESTED = 3
"""Runs that are named where the one that was asked for cannot be audited."""
POLL_SECONDS = 1.0
TITLES = {name: one.title for name, one in AUDITS.items()}
WORDS = """
A guarantee says that **no** attack finds out more than its ε allows. An audit is such an attack, made by
ourselves, with all the help that the guarantee grants an attacker. What it finds is a number that ε cannot be
below: a smaller claim is **refuted**. A larger one is not proved; another attack may find more.

- **Trial**: what the run releases is played, with one protected unit and without it.
- **Threshold**: counts how often one rule is right and wrong. It holds whatever the noise is, and few trials
  show little by it.
- **Gaussian trade-off**: measures how far apart the two heaps of scores lie. It shows more, and holds if the
  noise is Gaussian, as the **ledger** (the run's list of noisy steps) says: that is its **premise**.
- **Turn**: each audit and attack of a run takes one, and is judged more strictly than those before it, so that
  all of them together are right at the stated confidence.
- **Covers**: the whole run, or one step alone.
"""
LOST = (
    "Nothing that it has found is kept. Once it has begun to play, its turn is spent: the next is judged more strictly."
)
"""What a stop costs."""


def body(place: DeltaGenerator) -> None:
    """Choose a run at the `place`; start an audit and watch it; read what the audits have shown."""
    with place:
        record = _choose_run()
    if record is None:
        return
    try:
        subject = auditing.subject(record)
    except (StoreError, OptionError, UnknownName) as error:
        st.error(markup.sentence(error))
        return
    try:
        audits = queue.store().audits(record.id)
    except Unreadable as error:
        st.error(markup.sentence(error))
        return
    begun.tell()
    going = tuple(one.token for one in auditing.states(queue.store(), record.id) if not one.done)

    def watch() -> None:
        shell.fragment(_watch, run_every=POLL_SECONDS)(record.id, going)

    progress = watch if going else None  # stands in place of all that starts an audit: one at a time
    shell.fragment(_outsiders, run_every=POLL_SECONDS if (attacked := _attacked(record.id)) else None)(
        record.id, attacked
    )
    form, asked = f"new-audit.{record.id}", _asked_for()
    if not audits:
        layout.fold_when_done(form, asked=asked, done=0)
        _ended(record)
        _new_and_claims(record, subject, audits, progress)
        if going:
            st.info("The first audit of this run is under way; what it shows will stand here.", icon="🔎")
        else:
            st.info("This run has not been audited yet. Start an audit; what it shows will stand here.", icon="🔎")
    else:
        _ended(record)
        place = st.container()
        shown = st.container()  # stands above the form, which first takes out of the address what is its default
        if progress is not None:  # where its start was pressed: in the form, or in a step beside the verdict
            with st.container(border=True) if begun.in_form(going) else place:
                progress()
        else:  # an address that asks for an audit finds its form open, until its result is there
            with layout.form("A new audit of this run", form, icon="🔎", asked=asked, done=len(audits)):
                _new_and_claims(record, subject, audits, progress)
        with shown:
            bounds.show(record, subject, audits, busy=progress is not None)
    audited_runs.show(record.id)


def _asked_for() -> bool:
    """Whether the address speaks of an audit that is to be made."""
    return any(name == "audit" or name.startswith(new_audit.PREFIX) for name in st.query_params)


def _new_and_claims(
    record: RunRecord, subject: Subject, audits: Sequence[AuditRecord], progress: under_way.Drawn
) -> None:
    """The form, beside what the run claims as long as no audit shows that below."""
    if audits:
        new_audit.show(record, subject, audits)
        return
    left, right = layout.columns("audit-form", 2)
    with left:
        if progress is None:
            new_audit.show(record, subject, audits)
        else:
            progress()
    with right:
        st.markdown("### What the run claims")
        statement.numbers(subject.statement)


def _choose_run() -> RunRecord | None:
    """The run that the address names, or one whose published claim an audit refutes, or the newest that was
    audited (a bound of an outsider's attack is no audit), or one whose
    claims differ so that an audit can decide, or the newest that protects something; an invitation where
    there is none. Those that were audited are offered first, however old."""
    store, asked = queue.store(), st.query_params.get("run")
    query = RunQuery(units=("edge", "node"), states=("done",), limit=MOST_RUNS)
    named = store.find(replace(query, ids=(asked,))) if asked else []
    found = states.readable([*store.find(query), *store.find(replace(query, order="audited_epsilon")), *named])
    records = {record.id: record for record in found}
    asked = st.query_params.get("run")
    there: list[RunRecord] = []
    if asked is not None and asked not in records:
        there = states.readable(store.find(RunQuery(ids=(asked,))))
        if not there:
            st.warning(
                f"There is no finished run {markup.literal(asked[:80])} that protects anything: only a run that "
                "protects something can be audited. Another one is shown."
            )
    if not records:
        st.info("No private run is finished here yet. Train one, and this page attacks it.", icon="🔎")
        st.page_link(shell.page("train"), label="**Train a private run**", icon=":material/model_training:")
        return None
    shown = store.audited_by(AUDITS)
    counted = [run for run, one in records.items() if one.epsilon_audited is not None]
    audited = [run for run in counted if run in shown]
    telling = [run for run, one in records.items() if _telling(one)]
    records = {run: records[run] for run in sorted(records, key=lambda run: (run not in audited, run not in counted))}
    own = [run for run, one in records.items() if not one.example]
    audited.sort(key=lambda run: records[run].created, reverse=True)
    audited.sort(key=lambda run: not _refuting(records[run]))
    offered = [*audited, *own, *telling, *records]
    records |= {one.id: one for one in there}  # stays among them, with the way to those like it
    choosing.begin("run", records, offered[0])
    marks = {run: " · audited" if run in audited else " · bound of an outsider's attack" for run in counted}
    marks |= {one.id: " · promises nothing" for one in there}
    titles = {run: f"{title}{marks.get(run, '')}" for run, title in choosing.runs(records.values(), short=True).items()}
    chosen = choosing.one(
        "Run",
        titles,
        "run",
        moved=_forget,
        help="Finished runs that protect something, those that were audited first, then the newest",
    )
    st.query_params["run"] = chosen  # even where it is the newest: tomorrow another one will be
    record = records[chosen]
    if record in there:  # the same method, or else the same graph
        offered.sort(key=lambda run: _apart(records[run].spec, record.spec))
        _nothing(record, [records[run] for run in dict.fromkeys(offered)][:SUGGESTED])
        return None
    with st.container(horizontal=True, vertical_alignment="center"):
        states.badge(record)
        st.page_link(
            shell.page("train"), label="Open the run", icon=":material/open_in_new:", query_params={"run": record.id}
        )
        with st.popover("How it works", icon=":material/help:", type="tertiary"):
            st.markdown(WORDS)
    return record


def _nothing(bare: RunRecord, others: Sequence[RunRecord]) -> None:
    """That a run promises nothing that an audit could refute, with what can be looked at instead."""
    st.info(
        f"**Nothing to audit.** {naming.name(bare)} promises nothing, so there is no ε that an audit could refute. "
        "What outsiders find out about it can be measured, and private runs like it can be audited.",
        icon=":material/balance:",
    )
    query = {"who": "outsider", "run": bare.id}
    if attackable(bare):
        st.page_link(
            shell.page("attacks"), label="Attack this run as an outsider", icon=":material/person_search:",
            query_params=query,
        )  # fmt: skip
    for one, title in choosing.runs(others, short=True).items():
        st.page_link(
            shell.page("attacks"), label=f"Audit instead: {markup.literal(title)}", icon=":material/gavel:",
            query_params={"who": "worst-case", "run": one},
        )  # fmt: skip


def _apart(one: RunSpec, asked: RunSpec) -> int:
    """0 for runs of one method on one graph, 1 for those on one graph, 2 for others."""
    graph = (one.dataset, one.data_options) == (asked.dataset, asked.data_options)
    return 2 if not graph else int(one.method != asked.method)


def _refuting(record: RunRecord) -> bool:
    """Whether an audit has shown more than the paper's formula says."""
    said, shown = record.statement, record.epsilon_audited
    return said is not None and shown is not None and shown > (said.epsilon_as_published or math.inf)


def _telling(record: RunRecord) -> bool:
    """Whether the paper claims less than is proved, so that an audit may show which of the two holds."""
    said = record.statement
    if said is None or said.epsilon_as_published is None or math.isinf(said.epsilon):
        return False
    return said.epsilon_as_published < said.epsilon


def _forget() -> None:
    """What the address says of audits was said of the run before."""
    st.query_params.pop("shown", None)
    st.session_state.pop("shown", None)


# Under way


def _watch(run: str, were_going: tuple[str, ...]) -> None:
    """The audits that are under way, each with its button to stop it; the whole page is drawn anew when one
    ends."""
    going = [one for one in auditing.states(queue.store(), run) if not one.done]
    if {one.token for one in going} != set(were_going):
        st.rerun()
    for one in going:
        stop = partial(auditing.stop, queue.store(), run, one.token)
        under_way.show(one, TITLES, "audit", stop, lost=LOST)
    st.caption("The audit is a process of its own: it goes on when this page is closed, and is found here again.")


def _ended(record: RunRecord) -> None:
    """That the last audit came to nothing."""
    audits = auditing.states(queue.store(), record.id)
    last = audits[-1] if audits else None
    if last is not None and last.done and last.error:
        spec = AUDITS.get(last.name)
        why = at_hand.away(record, at_hand.AUDIT) if spec is not None and spec.trains else ""
        st.error(markup.sentence(f"The last audit failed: {why or last.error}"))
    elif last is not None and last.done and last.stopped:
        st.info(under_way.stopped(last, "audit", queue.store().next_turn(record.id)), icon=":material/stop:")


def _outsiders(run: str, were_going: tuple[str, ...]) -> None:
    """That an outsider's attack is under way; the whole page is drawn anew when it ends."""
    attacked = _attacked(run)
    if set(attacked) != set(were_going):
        st.rerun()
    if attacked:
        st.page_link(
            shell.page("attacks"),
            label="An outsider's attack on this run is under way; a bound that it shows will stand here",
            icon=":material/hourglass_top:",
            query_params={"run": run, "who": "outsider"},
        )


def _attacked(run: str) -> tuple[str, ...]:
    """The outsiders' attacks on the run that are under way."""
    return tuple(one.token for one in attacking.states(queue.store(), run) if not one.done)
