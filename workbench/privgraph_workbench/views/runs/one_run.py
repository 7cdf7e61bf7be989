"""One run on a page: live while it trains, and what it came to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.spec import PublicFacts
from privgraph.methods.teachers.answers import NAME as ANSWERS
from privgraph.options import OptionError, UnknownName, parameters
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.serialisation import entry_from_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery, RunRecord, StoredEvent, StoreError, UnknownRun
from privgraph_workbench import live_plot
from privgraph_workbench.facts import datasets, method_costs, plans
from privgraph_workbench.facts.attackable import attackable
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue, watching
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import beginning, layout, statement, states
from privgraph_workbench.views.parts.file_links import run_exports
from privgraph_workbench.views.runs import comparison, private_rows
from privgraph_workbench.words import markup, meaning, naming, settings
from privgraph_workbench.words.numbers import duration, number, percent, stated

CHANGED = "from"
"""In an address of the form: the run whose settings it begins with."""
RELATIONS = "relation prediction"
"""The task of methods whose encoders the Relations page asks."""
POLL_SECONDS = 1.0
LOG_LINES = 200


def show(run: str) -> None:
    """The run of that id; raises `UnknownRun` where there is none."""
    record = watching.watch(queue.store(), run, fresh=True).record
    if record.unreadable:
        st.title("A run that cannot be read")
        states.badge(record)
        states.unreadable(record)
        return
    st.title(markup.literal(METHODS[record.spec.method].title if record.spec.method in METHODS else record.spec.method))
    live = record.pending or comparison.waiting(record)
    shell.fragment(_live, run_every=POLL_SECONDS if live else None)(run, live)


def _live(run: str, was_live: bool) -> None:
    """Everything of the run; redrawn every second while it, or the run without privacy beside it, may still
    change, and once as a whole when that is over."""
    queue.tick()
    try:
        watched = watching.watch(queue.store(), run)
    except UnknownRun:
        st.info("This run was deleted.")
        return
    record, events = watched.record, watched.events
    if record.unreadable or (was_live and not record.pending and not comparison.waiting(record)):
        st.rerun()
    _head(record)
    beginning.earlier(record)
    if record.error:
        (st.error if record.state in ("failed", "lost") else st.info)(markup.sentence(record.error))
    left, right = st.columns(2, gap="large")
    with left:
        comparison.show(record)
        drawing = watched.drawing(layout.theme())
        if record.pending and not drawing.figure["data"]:
            beginning.show(record, _facts(record))
        else:
            live_plot.grow(drawing.base, drawing.figure, drawing.tail, key=f"curves.{run}")
        _siblings(record)
        _log(events, record)
    with right:
        st.markdown("##### What is promised")
        _privacy(record, events)
    if not record.pending:
        _teachers(record, events)
        _relations(record)
        _attacks(record)
        private_rows.show(record)
        run_exports(record, events)
        _details(record)


def _head(record: RunRecord) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        states.badge(record)
        st.markdown(f"**{naming.name(record)}**", width="content")
        for tag in record.tags:
            st.markdown(f":gray-badge[{markup.literal(tag)}]", width="content")  # st.badge has escapes of its own
    if record.pending:
        st.progress(record.progress, text=_progress_text(record))
    _buttons(record)


def _progress_text(record: RunRecord) -> str:
    if record.state == "queued":
        return "waiting for a free worker"
    stage = markup.literal(record.stage or "starting")
    eta = record.eta_seconds
    left = "" if eta is None else f" · {'about ' * (eta >= 1)}{duration(eta)} left"
    return f"{record.progress:.0%} · {stage}{left}"


def _buttons(record: RunRecord) -> None:
    with st.container(horizontal=True):
        if record.pending:
            stopping = record.state == "stopping"
            if st.button(
                "Stopping…" if stopping else "Stop the run", key="stop", disabled=stopping, icon=":material/stop:"
            ):
                queue.store().request_stop(record.id)
                st.rerun()
        if record.state in ("stopped", "failed", "lost") and st.button(
            "Try again", key="retry", icon=":material/replay:", help="The same run once more, as its next attempt"
        ):
            try:
                queue.retry(record.id)
            except StoreError as error:
                st.error(markup.sentence(error))
            else:
                st.rerun()
        if st.button(
            "Change and run again",
            key="change",
            icon=":material/edit:",
            help="The form, filled with this run's settings",
        ):
            st.switch_page(shell.page("train"), query_params=form_address(record))
        with st.popover("Copy link", icon=":material/link:"):
            st.caption("This address shows the run to everybody who can reach this app.")
            st.code(layout.link("train", run=record.id), language=None, wrap_lines=True)
        with st.popover("Copy command", icon=":material/terminal:"):
            st.caption("This command makes the same run in a terminal.")
            st.code(plans.command_line(record.spec), language="shell", wrap_lines=True)


def form_address(record: RunRecord) -> dict[str, str]:
    """The query parameters that fill the form with the run's settings, and say whose they are."""
    spec = record.spec
    known = parameters(METHODS[spec.method].load_config()) if spec.method in METHODS else ()
    return {
        "method": spec.method,
        "data": spec.dataset,
        "split": spec.split,
        "seed": str(spec.seed),
        "device": spec.device,
        **widgets.address(spec.options, known=known),
        **widgets.address(spec.data_options, prefix="data."),
        CHANGED: record.id,
    }


def _privacy(record: RunRecord, events: Sequence[StoredEvent]) -> None:
    if record.statement is not None:
        done = record.state == "done"
        if not done:
            _so_far(record.statement, record.statement.ledger)
        statement.show(
            record.statement, compact=True, whole=done, run=record.id if done else "", asked=record.spec.asked_epsilon
        )
        return
    planned = _planned(record)
    if planned is not None:
        statement.numbers(planned, planned=True)
        st.markdown(meaning.risk(planned.unit, planned.epsilon, planned.delta, planned.neighbours))
    st.caption(
        "The statement stands when the run is done. What has been spent so far is below: whatever a stopped "
        "or lost run has shown to somebody is spent."
    )
    spent = Ledger(entry_from_json(event.payload["entry"]) for event in events if event.kind == "spent")
    if planned is not None and not record.pending:
        _so_far(planned, spent.entries)
    statement.ledger(spent.entries, whole=record.pending, pending=record.pending)


def _so_far(whole: PrivacyStatement, done: Sequence[LedgerEntry]) -> None:
    """What a run that did not finish had spent: the price of its ledger, below that of the whole plan."""
    if whole.unit == "none":
        return
    recorded = (
        (
            "The mechanisms that it had recorded as finished cost ε = "
            f"{stated('sound', method_costs.cost(tuple(done), whole.delta))} at δ = {number(whole.delta)}. "
        )
        if done
        else "It had recorded no mechanism as finished. "
    )
    st.info(
        f"**Spent so far.** The run did not finish. {recorded}One mechanism may have been under way that is "
        "not counted in this, so what is guaranteed is the ε of the whole plan: at most "
        f"{stated('sound', whole.epsilon)}.",
        icon=":material/hourglass_disabled:",
    )


def _planned(record: RunRecord) -> PrivacyStatement | None:
    """What the run will promise, if the sizes of its graph are known by now."""
    facts = _facts(record)
    try:
        return None if facts is None else plans.plan(record.spec.method, record.spec.options, facts).statement
    except OptionError:
        return None


def _facts(record: RunRecord) -> PublicFacts | None:
    """The sizes of the run's graph, if they are known by now and the graph is still here."""
    spec = record.spec
    try:
        return datasets.public_facts(dataset(spec.dataset), spec.data_options, spec.split)
    except (DataError, OptionError, UnknownName):
        return None


def _siblings(record: RunRecord) -> None:
    """Other runs that were submitted together with this one: the same settings with other seeds, or a
    sweep."""
    if not record.batch:
        return
    others = [
        other
        for other in queue.store().find(RunQuery(batch=record.batch, order="seed", descending=False, limit=50))
        if not other.unreadable and {**other.spec.to_json(), "seed": 0} == {**record.spec.to_json(), "seed": 0}
    ]
    if len(others) < 2:
        return
    found = [other.metrics["test_accuracy"] for other in others if "test_accuracy" in other.metrics]
    summary = f"{len(found)} of {len(others)} seeds are done"
    if len(found) > 1:
        summary += f": test accuracy {percent(fmean(found))} ± {100 * stdev(found):.1f} (mean and standard deviation)"
    st.markdown("##### All seeds")
    st.caption(summary + ".")
    with st.container(horizontal=True):
        for other in others:
            mark = percent(other.metrics.get("test_accuracy")) if other.metrics else states.state_word(other.state)
            label = f"seed {other.spec.seed}: {mark}"
            if st.button(label, key=f"sibling.{other.id}", disabled=other.id == record.id):
                st.switch_page(shell.page("train"), query_params={"run": other.id})


def _log(events: Sequence[StoredEvent], record: RunRecord) -> None:
    lines = [event for event in events if event.kind == "log"]
    with st.expander(f"Log ({len(lines):,} line{'s' * (len(lines) != 1)})", key=f"log.{record.id}"):
        if not lines:
            st.caption("The run has said nothing so far.")
            return
        start = events[0].time
        shown = (
            (
                f"{event.time - start:8.1f} s  "
                f"{'! ' if event.payload.get('level') == 'warning' else ''}{event.payload['message']}"
            )
            for event in lines[-LOG_LINES:]
        )
        st.code("\n".join(shown), language=None, wrap_lines=True)


def _teachers(record: RunRecord, events: Sequence[StoredEvent]) -> None:
    """The way to what this run's teachers said, where that was kept."""
    if record.state == "done" and any(one.kind == "artifact" and one.payload["name"] == ANSWERS for one in events):
        st.page_link(
            shell.page("teachers"),
            label="What its teachers said",
            icon=":material/school:",
            query_params={"run": record.id},
        )


def _relations(record: RunRecord) -> None:
    """The way to what this run's encoder finds near a text, where it has learnt relations."""
    known = METHODS.get(record.spec.method)
    if record.state == "done" and known is not None and RELATIONS in known.tasks:
        st.page_link(
            shell.page("relations"),
            label="Ask its encoder",
            icon=":material/compare_arrows:",
            query_params={"bare" if record.spec.unit == "none" else "private": record.id},
        )


def _attacks(record: RunRecord) -> None:
    """The ways to the attacks on this run: audits where it protects something, outsiders where its model can
    be asked."""
    if record.state != "done" or record.statement is None:
        return
    with st.container(horizontal=True):
        if record.statement.unit != "none":
            st.page_link(
                shell.page("attacks"),
                label="Audit this run",
                icon=":material/gavel:",
                query_params={"who": "worst-case", "run": record.id},
            )
        if attackable(record):
            found = len(queue.store().attacks(record.id))
            st.page_link(
                shell.page("attacks"),
                label=f"What attacks have found ({found})" if found else "Attack it as an outsider",
                icon=":material/person_search:",
                query_params={"run": record.id},
            )


def _details(record: RunRecord) -> None:
    with st.expander("All settings, tags and note", key=f"details.{record.id}"):
        left, right = st.columns(2)
        with left:
            st.code(json.dumps(settings.spec(record), indent=1), language=None)
            st.caption(f"Run {record.id}, attempt {record.attempt}, made by {markup.literal(naming.made_by(record))}.")
        with right:
            _tags_and_note(record)


def _tags_and_note(record: RunRecord) -> None:
    def put(action: Any, *arguments: str) -> None:
        try:
            action(record.id, *arguments)
        except StoreError as error:
            st.session_state["complaint"] = markup.sentence(error)

    def add() -> None:
        text = st.session_state.pop(f"new_tag.{record.id}", "")
        if text.strip():
            put(queue.store().tag, text)

    st.text_input("Add a tag", key=f"new_tag.{record.id}", on_change=add, placeholder="baseline")
    for tag in record.tags:
        st.button(
            f"Remove tag {markup.literal(tag)}", key=f"untag.{tag}", on_click=put, args=(queue.store().untag, tag)
        )
    note = st.text_area("Note", value=record.note, key=f"note.{record.id}", placeholder="What this run was for")
    if note != record.note and st.button("Save the note"):
        put(queue.store().note, note)
        st.rerun()
    complaint = st.session_state.pop("complaint", "")
    if complaint:
        st.error(complaint)


def known(run: str) -> bool:
    """Whether there is a run of that id."""
    try:
        queue.store().get(run)
    except (UnknownRun, OptionError):
        return False
    return True
