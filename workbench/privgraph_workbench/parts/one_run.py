"""One run on a page: live while it trains, and its result, its promise and the ways on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.methods.teachers.answers import NAME as ANSWERS
from privgraph.options import OptionError, UnknownName
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.serialisation import entry_from_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery, RunRecord, StoredEvent, StoreError, UnknownRun
from privgraph.runs.spec import RunSpec
from privgraph_workbench import live_plot
from privgraph_workbench.advice import BASELINE
from privgraph_workbench.facts import datasets, expecting, method_costs, plans
from privgraph_workbench.facts.expecting import METRIC, Outlook
from privgraph_workbench.facts.references import chance, without_privacy
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.runs import standing
from privgraph_workbench.forms import again, beginnings
from privgraph_workbench.jobs import queue, watching
from privgraph_workbench.parts import beginning, cart, evidence, layout, run_tabs, statement, states
from privgraph_workbench.parts.file_links import figure_exports
from privgraph_workbench.report.asked import Entry
from privgraph_workbench.serving import shell
from privgraph_workbench.text import fill, page, texts
from privgraph_workbench.words import markup, naming, settings
from privgraph_workbench.words.audits import shown_bare
from privgraph_workbench.words.measures import RELATIONS
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import between, duration, percent, stated

POLL_SECONDS = 1.0
MOST_BESIDE = 8
"""Runs of the same setting or batch that are linked."""


def known(run: str) -> bool:
    """Whether there is a run of that id."""
    try:
        queue.store().get(run)
    except (UnknownRun, OptionError):
        return False
    return True


def show(run: str) -> None:
    """Show the run of that id. Raises `UnknownRun`."""
    record = watching.watch(queue.store(), run, fresh=True).record
    if record.unreadable:
        st.title("Unreadable run")
        states.badge(record)
        states.unreadable(record)
        return
    title = f"{beginnings.called(record.spec)} on {naming.graph_short(record)}"
    st.set_page_config(page_title=f"{title} · privgraph")
    st.title(markup.literal(title))
    live = record.pending or _waits(record)
    shell.fragment(_draw, run_every=POLL_SECONDS if live else None)(run, live)


def _draw(run: str, was_live: bool) -> None:
    """Draw all of the run; every second while it may change, and once as a whole when it is over."""
    queue.tick()
    try:
        watched = watching.watch(queue.store(), run)
    except UnknownRun:
        st.info(texts("runs")["deleted"])
        return
    record = watched.record
    if record.unreadable or (was_live and not record.pending and not _waits(record)):
        st.rerun()
    told, same = outlook(record)
    _head(record)
    _buttons(record)
    beginning.earlier(record)
    if record.error:
        (st.error if record.state in ("failed", "lost") else st.info)(markup.sentence(record.error))
    _changes(record)
    _numbers(record, watched.events)
    _figures(watched, told, same)
    if record.state == "done":
        _found(record)
        _ways(record, watched.events)
    _beside(record, same)
    run_tabs.show(watched, same)


def outlook(record: RunRecord) -> tuple[Outlook, list[RunRecord]]:
    """What finished runs say beside this one, and the runs of its setting, itself among them."""
    method, store = METHODS.get(record.spec.method), queue.store()
    if method is None or METRIC not in record.metrics:
        return Outlook(), [record]
    names = tuple(dict.fromkeys((record.spec.method, method.without_privacy, BASELINE)))
    told = expecting.outlook(expecting.known_rows(store, names, record.spec.dataset), record.spec)
    others = expecting.finished(store, names, record.spec.dataset) if record.tuning is None else ()
    same = [one for one in others if one.tuning is None and naming.setting(one) == naming.setting(record)]
    return told, sorted({one.id: one for one in (record, *same)}.values(), key=lambda one: (one.spec.seed, one.id))


def _head(record: RunRecord) -> None:
    """State, unit and target, tags, cost; how far it is."""
    with st.container(horizontal=True, vertical_alignment="center"):
        states.badge(record)
        st.markdown(f"{markup.literal(naming.privacy(record))} · seed {record.spec.seed}", width="content")
        if record.state == "done":
            cost = (duration(record.seconds), f"{record.peak_memory_mb or 0:.0f} MB", record.device or "—")
            st.caption(markup.literal(" · ".join((*cost, naming.made_by(record)))), width="content")
        for tag in record.tags:
            st.markdown(f":gray-badge[{markup.literal(tag)}]", width="content")  # st.badge has escapes of its own
    if record.pending:
        left = "" if record.eta_seconds is None else f" · {duration(record.eta_seconds)} left"
        stage = markup.literal(record.stage or states.state_word(record.state))
        st.progress(record.progress, text=f"{record.progress:.0%} · {stage}{left}")


def _buttons(record: RunRecord) -> None:
    with st.container(horizontal=True):
        if record.pending:
            stopping = record.state == "stopping"
            label = "Stopping…" if stopping else "Stop the run"
            if st.button(label, key="stop", disabled=stopping, icon=":material/stop:"):
                queue.own().request_stop(record.id)
                st.rerun()
        if record.state in ("stopped", "failed", "lost"):
            hint = texts("runs")["retry"]
            if st.button("Try again", key="retry", icon=":material/replay:", help=hint):
                _try(partial(queue.retry, record.id))
        if st.button("Change and run again", key="change", icon=":material/edit:"):
            st.switch_page(shell.page("train"), query_params=again.address(record))
        if record.state == "done":
            alone = Entry(runs=(record.id,))
            cart.button(f"collect.{record.id}", alone.mark, lambda: alone)
        with st.popover("Copy", icon=":material/content_copy:"):
            st.code(layout.link("train", run=record.id), language=None, wrap_lines=True)
            st.code(plans.command_line(record.spec), language="shell", wrap_lines=True)
        with st.popover("How to read this", icon=":material/help:"):
            st.markdown(page("run")[1])
        st.page_link(shell.page("runs"), label="All runs", icon=":material/arrow_back:")


def _try(action: Callable[[], object]) -> None:
    try:
        action()
    except (StoreError, OptionError, OSError) as error:
        st.error(markup.sentence(error))
    else:
        st.rerun()


def _changes(record: RunRecord) -> None:
    """In what this run differs from the one whose settings were changed to its own."""
    before = st.session_state.get("changed", {}).get(record.id, "")
    held = queue.store().find(RunQuery(ids=(before,))) if before and before != record.id else ()
    for old in (one for one in held if not one.unreadable):
        reached = [("test accuracy", *(percent(one.metrics.get(METRIC)) for one in (old, record)))]
        rows = [*settings.changes(old, record), *(reached if record.metrics else ())]
        st.dataframe(
            [{"changed": name, "before": was, "now": now} for name, was, now in rows], hide_index=True, key="changes"
        )
        st.page_link(shell.page("train"), label="The run before", icon=":material/undo:", query_params={"run": old.id})


def _numbers(record: RunRecord, events: Sequence[StoredEvent]) -> None:
    """Accuracy and the three epsilons; of a run that did not end those of its plan, and what it has spent."""
    said = record.statement
    if record.state == "done":
        left, right = layout.columns(f"numbers-{record.id}", (1, 4))
        with left:
            _accuracy(record)
        with right:
            if said is not None:
                statement.numbers(said, bare=shown_bare(queue.store().audits(record.id), said))
        return
    whole = said or _planned(record)
    st.caption(texts("runs")["no_statement"])
    if whole is not None:
        statement.numbers(whole)
    spent = Ledger(entry_from_json(event.payload["entry"]) for event in events if event.kind == "spent")
    done = said.ledger if said is not None else spent.entries
    if whole is not None and whole.unit != "none" and not record.pending:
        cost = stated("sound", method_costs.cost(tuple(done), whole.delta) if done else 0.0)
        st.info(fill(texts("statement")["rest"], epsilon=cost), icon=":material/hourglass_disabled:")
    statement.ledger(done)


def _accuracy(record: RunRecord) -> None:
    """The accuracy with the interval of its test nodes."""
    reached = record.metrics.get(METRIC)
    if reached is None:
        return
    told, nodes = texts("runs"), chance(record.metrics)
    relations = RELATIONS in getattr(METHODS.get(record.spec.method), "tasks", ())
    label, hint = ("Test PREC@1", told["prec"]) if relations else ("Test accuracy", told["accuracy"])
    below = between(nodes.low, nodes.high) if nodes else None
    hint = fill(hint, nodes=f"{nodes.nodes:,}" if nodes else "—")
    with st.container(width="content"):
        st.metric(label, percent(reached), below, delta_color="off", delta_arrow="off", help=hint)
        if nodes is not None and nodes.no_better:
            hint = fill(told["chance"], majority=percent(nodes.majority))
            st.badge("no better than guessing", color="orange", help=hint)


def _planned(record: RunRecord) -> PrivacyStatement | None:
    """What the run will promise, if the sizes of its graph are known by now."""
    spec = record.spec
    try:
        facts = datasets.public_facts(dataset(spec.dataset), spec.data_options, spec.split)
        return None if facts is None else plans.plan(spec.method, spec.options, facts).statement
    except (DataError, OptionError, UnknownName):
        return None


def _figures(watched: watching.Watched, told: Outlook, same: Sequence[RunRecord]) -> None:
    """Of a finished run where its accuracy stands, and where the budget went; else its curves so far."""
    record = watched.record
    if record.state != "done":
        drawing = watched.drawing(layout.theme())
        if drawing.figure["data"]:
            live_plot.grow(drawing.base, drawing.figure, drawing.tail, key=f"curves.{record.id}")
            if not record.pending:
                run_tabs.export_curves(watched)
        return
    left, right = layout.columns(f"run-{record.id}", 2)
    with left:
        if rows := standing.data(record, same, told):
            live_plot.show(figure_of("standing").plot(rows, layout.theme()), key=f"standing.{record.id}")
            figure_exports("standing", rows, statements_of([record]), name=record.id, runs=same)
            _without_privacy(record, told.bare is not None)
    with right:
        run_tabs.budget(record)


def _without_privacy(record: RunRecord, known: bool) -> None:
    """The way to the run without privacy beside this one; to train it where none is `known`."""
    wanted = _bare(record)
    if wanted is None:
        return
    found = _stored(wanted)
    if found is None:
        label, icon = "Train it without privacy", ":material/play_arrow:"
        if not known and not record.example and st.button(label, key="reference", icon=icon):
            _try(partial(queue.submit, [wanted], tags=["reference"]))
        return
    state = "" if found.state == "done" else f" ({states.state_word(found.state)} {found.progress:.0%})"
    label, icon = f"The run without privacy{state}", ":material/arrow_forward:"
    st.page_link(shell.page("train"), label=label, icon=icon, query_params={"run": found.id})


def _bare(record: RunRecord) -> RunSpec | None:
    try:
        return without_privacy(record.spec) if record.state == "done" else None
    except (OptionError, UnknownName):  # a run of an earlier version, with options that are admitted no more
        return None


def _stored(spec: RunSpec | None) -> RunRecord | None:
    held = queue.store().find(RunQuery(ids=(spec.id,))) if spec is not None else ()
    return next((one for one in held if not one.unreadable), None)


def _waits(record: RunRecord) -> bool:
    """Whether the run without privacy beside this one is under way."""
    found = _stored(_bare(record))
    return found is not None and found.pending


def _found(record: RunRecord) -> None:
    """What attacks and audits of the run have found."""
    for name, frame in (("attacks", evidence.attacks()), ("audits", evidence.audits())):
        own = frame[frame.run == record.id]
        if len(own):
            evidence.table(own, "attacks" if name == "attacks" else "audits", leave_out=evidence.OF_RUN)


def _ways(record: RunRecord, events: Sequence[StoredEvent]) -> None:
    """The ways on: attack, audit, its teachers' answers, its encoder, other noise."""
    query, private = {"run": record.id}, record.statement is not None and record.statement.unit != "none"
    links = [("attacks", "Attack", ":material/person_search:", query)]
    if private:
        links.append(("attacks", "Audit", ":material/gavel:", query | {"who": "worst-case"}))
    if any(one.kind == "artifact" and one.payload["name"] == ANSWERS for one in events):
        links.append(("teachers", "Answers of its teachers", ":material/school:", query))
    if RELATIONS in getattr(METHODS.get(record.spec.method), "tasks", ()):
        place = {"private" if private else "bare": record.id}
        links.append(("relations", "Ask its encoder", ":material/compare_arrows:", place))
    with st.container(horizontal=True):
        for name, label, icon, address in links:
            st.page_link(shell.page(name), label=label, icon=icon, query_params=address)


def _beside(record: RunRecord, same: Sequence[RunRecord]) -> None:
    """Links to other runs of the setting, and of the batch."""
    query = RunQuery(batch=record.batch, order="seed", descending=False, limit=MOST_BESIDE)
    batch = queue.store().find(query) if record.batch else []
    others = {one.id: one for one in (*same, *batch) if one.id != record.id and not one.unreadable}
    if not others:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        for one in list(others.values())[:MOST_BESIDE]:
            reached = percent(one.metrics[METRIC]) if METRIC in one.metrics else states.state_word(one.state)
            budget = "" if naming.asked(one) == naming.asked(record) else f"{naming.asked(one)}, "
            label = markup.literal(f"{budget}seed {one.spec.seed}: {reached}")
            st.page_link(shell.page("train"), label=label, icon=":material/tag:", query_params={"run": one.id})
