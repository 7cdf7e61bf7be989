"""One run on a page: live while it trains, and what it came to."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.spec import PublicFacts
from privgraph.options import OptionError, UnknownName
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.serialisation import entry_from_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunQuery, RunRecord, StoredEvent, StoreError, UnknownRun
from privgraph_workbench import live_plot
from privgraph_workbench.facts import datasets, method_costs, plans
from privgraph_workbench.forms import again, beginnings
from privgraph_workbench.jobs import queue, watching
from privgraph_workbench.parts import cart
from privgraph_workbench.report.asked import Entry
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import beginning, layout, statement, states
from privgraph_workbench.views.runs import comparison, story, tabs
from privgraph_workbench.words import markup, meaning, naming
from privgraph_workbench.words.numbers import duration, kept_budget, percent, rounded_delta, stated

POLL_SECONDS = 1.0
MOST_OF_BATCH = 60
MOST_SEEDS = 10
"""Runs of one setting that a run's page names."""


def show(run: str) -> None:
    """The run of that id; raises `UnknownRun` where there is none."""
    record = watching.watch(queue.store(), run, fresh=True).record
    if record.unreadable:
        st.title("A run that cannot be read")
        states.badge(record)
        states.unreadable(record)
        return
    title = f"{beginnings.called(record.spec)} on {naming.graph_short(record)}"
    st.set_page_config(page_title=f"{title} · privgraph")
    st.title(markup.literal(title))
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
    record = watched.record
    if record.unreadable or (was_live and not record.pending and not comparison.waiting(record)):
        st.rerun()
    told, same = story.outlook(record)
    story.tell(record, _facts(record), told, same)
    if record.state == "done":
        story.found_out(record)
    _head(record)
    _seeds(record, same)
    beginning.earlier(record)
    if record.error:
        (st.error if record.state in ("failed", "lost") else st.info)(markup.sentence(record.error))
    if record.state == "done":
        story.show(record, watched.events, told, same)
    else:
        _unfinished(record, watched)
    _batch(record)
    if not record.pending:
        tabs.show(watched, same)


def _unfinished(record: RunRecord, watched: watching.Watched) -> None:
    """A run that has not come to its end: its curves so far beside what it will have spent."""
    comparison.changes(record)
    left, right = layout.columns(f"live-{record.id}", 2)
    with left:
        drawing = watched.drawing(layout.theme())
        if drawing.figure["data"]:
            live_plot.grow(drawing.base, drawing.figure, drawing.tail, key=f"curves.{record.id}")
        elif record.pending:
            beginning.show(record, _facts(record))
        else:
            st.caption("It had measured nothing when it ended.")
    with right:
        st.markdown("##### What is promised")
        _privacy(record, watched.events)
    if record.pending:
        lines = sum(event.kind == "log" for event in watched.events)
        with st.expander(f"Log ({lines:,} line{'s' * (lines != 1)})", key=f"log.{record.id}"):
            tabs.log(watched.events)


def _head(record: RunRecord) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        states.badge(record)
        st.markdown(f"{markup.literal(_budget(record))} · seed {record.spec.seed}", width="content")
        if record.state == "done":
            st.caption(comparison.rest(record), width="content")
        for tag in record.tags:
            st.markdown(f":gray-badge[{markup.literal(tag)}]", width="content")  # st.badge has escapes of its own
    if record.pending:
        st.progress(record.progress, text=_progress_text(record))
    _buttons(record)


def _seeds(record: RunRecord, same: Sequence[RunRecord]) -> None:
    """The way to the list, and to the other runs of this setting."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(shell.page("runs"), label="All runs", icon=":material/arrow_back:")
        if len(same) < 2:
            return
        mean = fmean(one.metrics["test_accuracy"] for one in same)
        st.caption(f"This setting has {len(same)} runs, {percent(mean)} on average:", width="content")
        for one in same[:MOST_SEEDS]:
            label = f"seed {one.spec.seed}: {percent(one.metrics['test_accuracy'])}"
            if one.id == record.id:
                st.markdown(f"**{label}**", width="content")
            else:
                st.page_link(shell.page("train"), label=label, icon=":material/tag:", query_params={"run": one.id})


def _budget(record: RunRecord) -> str:
    """Unit and epsilon in the digits of the numbers below, which say once what was asked for."""
    said = record.statement
    if said is None or kept_budget(record.spec.asked_epsilon, said.epsilon) is None:
        return naming.privacy(record)
    return f"{naming.UNIT_WORDS[said.unit]} ε {stated('sound', said.epsilon)}"


def _progress_text(record: RunRecord) -> str:
    if record.state == "queued":
        return f"waiting for a free worker{f' · {markup.literal(record.stage)}' if record.stage else ''}"
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
            st.switch_page(shell.page("train"), query_params=again.address(record))
        if record.state == "done":
            alone = Entry(runs=(record.id,))
            cart.button(f"collect.{record.id}", alone.mark, lambda: alone)
        with st.popover("Copy link", icon=":material/link:"):
            st.caption("This address shows the run to everybody who can reach this app.")
            st.code(layout.link("train", run=record.id), language=None, wrap_lines=True)
        with st.popover("Copy command", icon=":material/terminal:"):
            st.code(plans.command_line(record.spec), language="shell", wrap_lines=True)


def _privacy(record: RunRecord, events: Sequence[StoredEvent]) -> None:
    if record.statement is not None:
        _so_far(record.statement, record.statement.ledger)
        statement.short(record.statement, whole=False, asked=record.spec.asked_epsilon)
        statement.ledger(record.statement.ledger, whole=False)
        return
    planned = _planned(record)
    if planned is not None:
        statement.numbers(planned, planned=True)
        st.markdown(meaning.wager(planned))
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
            f"{stated('sound', method_costs.cost(tuple(done), whole.delta))} at δ = {rounded_delta(whole.delta)}. "
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


def _batch(record: RunRecord) -> None:
    """Other runs that were submitted together with this one: other seeds, other budgets."""
    if not record.batch:
        return
    query = RunQuery(batch=record.batch, order="seed", descending=False, limit=MOST_OF_BATCH)
    others = [other for other in queue.store().find(query) if not other.unreadable]
    if len(others) < 2:
        return
    done = [other for other in others if "test_accuracy" in other.metrics]
    several = len({naming.setting(other) for other in others}) > 1
    what = "runs" if several else "seeds"
    summary = f"{len(done)} of {len(others)} {what} are done"
    if len(done) > 1 and not several:
        found = [other.metrics["test_accuracy"] for other in done]
        summary += f": test accuracy {percent(fmean(found))} ± {100 * stdev(found):.1f} (mean and standard deviation)"
    st.markdown("##### Sent together")
    st.caption(f"{summary}.")
    others.sort(key=lambda other: (other.spec.asked_epsilon or 0.0, other.spec.seed))
    with st.container(horizontal=True):
        for other in others:
            mark = percent(other.metrics.get("test_accuracy")) if other.metrics else states.state_word(other.state)
            budget = f"{naming.asked(other)}, " if several else ""
            label = f"{budget}seed {other.spec.seed}: {mark}"
            if st.button(label, key=f"sibling.{other.id}", disabled=other.id == record.id):
                st.switch_page(shell.page("train"), query_params={"run": other.id})


def known(run: str) -> bool:
    """Whether there is a run of that id."""
    try:
        queue.store().get(run)
    except (UnknownRun, OptionError):
        return False
    return True
