"""One run on a page: live while it trains; its result and promise, what stands behind it, and the ways on."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import numpy as np
import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.methods import predictions
from privgraph.methods.teachers.answers import NAME as ANSWERS
from privgraph.options import OptionError, UnknownName, parameters
from privgraph.registry import METHODS
from privgraph.runs.leases import LOG_NAME
from privgraph.runs.records import UNDONE, RunQuery, RunRecord, StoredEvent, StoreError, UnknownRun
from privgraph_workbench.components import live_plot
from privgraph_workbench.facts import datasets, expecting, plans
from privgraph_workbench.facts.expecting import METRIC, Outlook
from privgraph_workbench.facts.references import interval, without_privacy
from privgraph_workbench.figures.costs import ledger
from privgraph_workbench.figures.graphs import predicted
from privgraph_workbench.figures.runs import curves, standing
from privgraph_workbench.forms import beginnings
from privgraph_workbench.jobs import queue, watching
from privgraph_workbench.parts import cart, evidence, layout, sending, statement, states
from privgraph_workbench.parts.links import drawn_figure, figure_exports, offer
from privgraph_workbench.report.asked import Entry
from privgraph_workbench.serving import shell
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup, naming, settings
from privgraph_workbench.words.naming import RELATIONS, statements_of
from privgraph_workbench.words.numbers import duration, option, percent
from privgraph_workbench.words.statements import shown_bare

POLL_SECONDS = 1.0
MOST_BESIDE = 20
"""Runs that are led to together."""
MOST_BARS = 12
"""Mechanisms that are drawn as bars."""
LOG_LINES = 200
WRITTEN = {LOG_NAME: "output of the worker", predictions.NAME: "predicted class of each node"}
"""What files hold of which no event tells."""
words = texts("runs")


def shown() -> bool:
    """Show the run of the address; False where it names none."""
    try:
        record = watching.watch(queue.store(), st.query_params["run"], fresh=True).record
    except (KeyError, UnknownRun, OptionError):
        return False
    if record.unreadable:
        st.title("Unreadable run")
        states.badge(record)
        states.unreadable(record)
        return True
    title = f"{naming.method_title(record.spec.method)} on {naming.graph_short(record)}"
    st.set_page_config(page_title=f"{title} · privgraph")
    st.title(markup.literal(title))
    shell.fragment(_draw, run_every=POLL_SECONDS if record.pending else None)(record.id, record.pending)
    return True


def _draw(run: str, was_live: bool) -> None:
    """Draw all of the run; every second while it may change, and once as a whole when it is over."""
    queue.tick()
    try:
        watched = watching.watch(queue.store(), run)
    except UnknownRun:
        st.info(words["deleted"])
        return
    record = watched.record
    if record.unreadable or (was_live and not record.pending):
        st.rerun()
    told, same = outlook(record)
    _head(record)
    _buttons(record)
    sending.earlier(record)
    if record.error:
        (st.error if record.state in ("failed", "lost") else st.info)(markup.sentence(record.error))
    if record.state == "done":
        _result(record, told, same)
        _ways(record, watched.events)
    else:
        _so_far(watched)
    _beside(record, same)
    _tabs(watched)


def outlook(record: RunRecord) -> tuple[Outlook, list[RunRecord]]:
    """What finished runs say beside this one, and the runs of its setting, itself among them."""
    if record.spec.method not in METHODS or METRIC not in record.metrics:
        return Outlook(), [record]
    others, rows = expecting.beside(queue.store(), record.spec)
    alone = record.tuning is not None
    setting = naming.setting(record.spec)
    same = [one for one in others if not (alone or one.tuning) and naming.setting(one.spec) == setting]
    ordered = sorted({one.id: one for one in (record, *same)}.values(), key=lambda one: (one.spec.seed, one.id))
    return expecting.outlook(rows, record.spec), ordered


def _head(record: RunRecord) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        states.badge(record)
        st.markdown(f"{markup.literal(naming.privacy(record))} · seed {record.spec.seed}", width="content")
        if record.state == "done":
            cost = (duration(record.seconds), f"{record.peak_memory_mb or 0:.0f} MB", record.device or "—")
            st.caption(markup.literal(" · ".join((*cost, f"privgraph {record.version}"))), width="content")
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
        ended = record.state in UNDONE
        if ended and st.button("Try again", key="retry", icon=":material/replay:", help=words["retry"]):
            with layout.refusals():
                queue.retry(record.id)
                st.rerun()
        if st.button("Change and run again", key="change", icon=":material/edit:"):
            st.switch_page(shell.page("train"), query_params=beginnings.again(record))
        if record.state == "done":
            alone = Entry(runs=(record.id,))
            cart.button(f"collect.{record.id}", alone.mark, lambda: alone)
        with st.popover("Copy", icon=":material/content_copy:"):
            layout.address("train", run=record.id)
            st.code(plans.command_line(record.spec), language="shell", wrap_lines=True)
        layout.reading("run")
        layout.link("runs", "All runs", "arrow_back")


def _result(record: RunRecord, told: Outlook, same: Sequence[RunRecord]) -> None:
    said = record.statement
    left, right = layout.columns(f"numbers-{record.id}", (1, 4))
    with left:
        _accuracy(record)
    if said is not None:
        with right:
            statement.numbers(said, bare=shown_bare(queue.store().audits(record.id), said))
    left, right = layout.columns(f"run-{record.id}", 2)
    with left:
        if rows := standing.data(record, same, told):
            drawn_figure("standing", rows, record.id, same, statements_of([record]))
            _without_privacy(record, told.bare is not None)
    with right:
        if said is not None and said.unit != "none" and 1 < len(said.ledger) <= MOST_BARS:
            drawn_figure("ledger", ledger.data(said.ledger, said.delta), record.id, [record])
    for kind in evidence.KINDS:
        found = evidence.frame(kind)
        if (found.run == record.id).any():
            evidence.table(found[found.run == record.id], kind, leave_out=evidence.OF_RUN)


def _accuracy(record: RunRecord) -> None:
    if (reached := record.metrics.get(METRIC)) is None:
        return
    ends, relations = interval(record.metrics), RELATIONS in getattr(METHODS.get(record.spec.method), "tasks", ())
    label, hint = ("Test PREC@1", words["prec"]) if relations else ("Test accuracy", words["accuracy"])
    hint = fill(hint, nodes=f"{record.metrics['test_nodes']:,.0f}" if ends else "—")
    below = f"{percent(ends[0])} to {percent(ends[1])}" if ends else None
    with st.container(width="content"):
        st.metric(label, percent(reached), below, delta_color="off", delta_arrow="off", help=hint)
        majority = record.metrics.get("majority_class_accuracy")
        if ends and majority is not None and ends[0] <= majority:
            hint = fill(words["chance"], majority=percent(majority))
            st.badge("no better than guessing", color="orange", help=hint)
    for name, label in (("test_macro_f1", "Macro F1"), ("test_auc", "AUC of classes")):
        if name in record.metrics:
            with st.container(width="content"):
                st.metric(label, f"{record.metrics[name]:.3f}", help=words[name])


def _without_privacy(record: RunRecord, told: bool) -> None:
    """The way to the run without privacy beside this one; to train it where none tells."""
    try:
        wanted = without_privacy(record.spec)
    except (OptionError, UnknownName):  # a run of an earlier version, with options that are admitted no more
        return
    if wanted is None:
        return
    if queue.store().count(RunQuery(ids=(wanted.id,))):
        layout.link("train", "The run without privacy", "arrow_forward", run=wanted.id)
    elif not (told or record.example) and st.button("Train it without privacy", icon=":material/play_arrow:"):
        sending.send([wanted], tags=["reference"])


def _so_far(watched: watching.Watched) -> None:
    """Of a run that did not end: the epsilons and the ledger of its plan, its curves."""
    record, said = watched.record, watched.record.statement
    plan, spec = said, record.spec
    with suppress(DataError, OptionError, UnknownName):
        facts = datasets.public_facts(dataset(spec.dataset), spec.data_options, spec.split)
        plan = said if facts is None else plans.plan(spec.method, spec.options, facts).statement
    st.caption(words["no_statement"])
    if plan is not None:
        statement.numbers(said or plan)
        statement.ledger(plan.ledger)
    if watched.figure(layout.theme())["data"]:
        _curves(watched)


def _ways(record: RunRecord, events: Sequence[StoredEvent]) -> None:
    query, private = {"run": record.id}, record.statement is not None and record.statement.unit != "none"
    with st.container(horizontal=True):
        layout.link("attacks", "Attack", "person_search", **query)
        if private:
            layout.link("attacks", "Audit", "gavel", who="worst-case", **query)
        if any(one.kind == "artifact" and one.payload["name"] == ANSWERS for one in events):
            layout.link("teachers", "Answers of its teachers", "school", **query)
        if RELATIONS in getattr(METHODS.get(record.spec.method), "tasks", ()):
            place = {"private" if private else "bare": record.id}
            layout.link("relations", "Ask its encoder", "compare_arrows", **place)


def _beside(record: RunRecord, same: Sequence[RunRecord]) -> None:
    """The way to its other seeds and its batch, side by side."""
    batch = queue.store().find(RunQuery(batch=record.batch, limit=MOST_BESIDE)) if record.batch else []
    beside = dict.fromkeys((record.id, *(one.id for one in (*same, *batch))))
    if len(beside) > 1:
        chosen = ",".join([*beside][:MOST_BESIDE])
        layout.link("runs", f"Side by side with {len(beside) - 1}", "compare", chosen=chosen)


# What stands behind it


def _tabs(watched: watching.Watched) -> None:
    """The content of a tab is made when it is opened."""
    record, done = watched.record, watched.record.state == "done"
    drawn: dict[str, Callable[[], None]] = {}
    if done and (said := record.statement) is not None:
        drawn["Promise"] = partial(statement.whole, said)
    if done:
        drawn["Curves"] = partial(_curves, watched)
    if done and (queue.store().folders / record.id / predictions.NAME).exists():
        drawn["On the graph"] = partial(_on_graph, record)
    drawn["Settings"] = partial(_settings, record)
    if not record.pending:
        drawn["Files"] = partial(_files, record, watched.events)
    drawn["Log"] = partial(_log, watched.events)
    for tab, draw in zip(st.tabs(list(drawn), key=f"tabs.{record.id}", on_change="rerun"), drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def _curves(watched: watching.Watched) -> None:
    record = watched.record
    live_plot.show(watched.figure(layout.theme()), key=f"curves.{record.id}")
    if not record.pending and (rows := curves.data(watched.events, record=record)):
        figure_exports("curves", rows, record.id, [record])


def _on_graph(record: RunRecord) -> None:
    """A node and those around it, in the colours of their predicted classes."""
    try:
        found = predictions.read(queue.store().folder(record.id))
    except (ValueError, OSError):
        st.error(words["not_read"])
        return
    if found is None or not found.classes.size:
        st.caption(words["no_predictions"])
        return
    key = f"on_graph.{record.id}"

    def another() -> None:
        at = int(np.random.default_rng().integers(found.classes.size))
        st.session_state[key] = at if found.nodes is None else int(found.nodes[at])

    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.number_input("Node", min_value=0, step=1, value=None, key=key, placeholder="any", width=200)
        st.button("Another node", key=f"another_node.{record.id}", on_click=another)
        states.badges(evaluator=True)
    spec, node = record.spec, None if chosen is None else int(chosen)
    around = layout.awaited(datasets.describe, spec.dataset, spec.data_options, spec.split, node)
    if around is None:
        return
    names = [*around.classes]
    titles = dict(enumerate(names))
    said = {at: label for at in around.labels if (label := found.of(at)) is not None}
    right = sum(around.labels[at] == label for at, label in said.items())
    own = (f"Class of node {around.centre:,}", around.labels.get(around.centre)), ("Predicted", said.get(around.centre))
    classes = [
        (label, "—" if one is None else markup.literal(titles.get(one, f"class {one}")), None) for label, one in own
    ]
    layout.numbers([("Right predictions", f"{right} of {len(said)}", None), *classes])
    rows = predicted.data(around.edges, around.labels, said, centre=around.centre, class_names=names)
    drawn_figure("predicted", rows, f"{record.id}-{around.centre}", [record])


def _settings(record: RunRecord) -> None:
    spec, said, read = record.spec, settings.shown(record), naming.options_read(record.spec)
    known = parameters(METHODS[spec.method].load_config()) if spec.method in METHODS else ()
    defaults = {one.name: one.default for one in known}
    rows = [("Method", naming.method_title(spec.method), False), ("Graph", naming.data_title(spec.dataset), False)]
    rows += [(f"Graph: {name.replace('_', ' ')}", option(value), False) for name, value in spec.data_options.items()]
    rows += [("Split", spec.split, spec.split != "random"), ("Seed", str(spec.seed), False)]
    rows.append(("Device", spec.device, spec.device != "auto"))
    for name, value in read.items():
        label = settings.title(name, (spec.method,))
        rows.append((label, option(said.get(name, value)), value != defaults.get(name, value)))
    left, right = st.columns([2, 1], gap="large")
    with left:
        cells = [(markup.literal(label), markup.literal(value), moved) for label, value, moved in rows]
        st.table([{"Option": a, "Value": f"**{b}**" if moved else b} for a, b, moved in cells], hide_index=True)
        st.caption(f"{words['default']} {record.id}, attempt {record.attempt}.")
    if not record.example:
        with right:
            _tags_and_note(record)


def _tags_and_note(record: RunRecord) -> None:
    store, tags, note = queue.own(), f"tags.{record.id}", f"note.{record.id}"

    def keep() -> None:
        try:
            for tag in {*st.session_state[tags]} - {*record.tags}:
                store.tag(record.id, tag)
            for tag in {*record.tags} - {*st.session_state[tags]}:
                store.untag(record.id, tag)
            if st.session_state[note] != record.note:
                store.note(record.id, st.session_state[note])
        except StoreError as error:
            st.session_state["complaint"] = markup.sentence(error)

    st.session_state[tags] = list(record.tags)
    st.multiselect("Tags", store.tags(), key=tags, accept_new_options=True, on_change=keep, placeholder="baseline")
    st.text_area("Note", value=record.note, key=note, on_change=keep)
    if complaint := st.session_state.pop("complaint", ""):
        st.error(complaint)


def _files(record: RunRecord, events: Sequence[StoredEvent]) -> None:
    folder = queue.store().folders / record.id
    kept = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    titles = {one.payload["name"]: str(one.payload.get("title", "")) for one in events if one.kind == "artifact"}
    for path in kept:
        what = titles.get(path.name, titles.get(path.stem, WRITTEN.get(path.name, "")))
        label = " · ".join(filter(None, (path.name, f"{path.stat().st_size / 1e3:,.1f} kB", what)))
        file = File(name=path.name, mime="application/octet-stream", make=partial(path.read_bytes))
        offer({label: file}, folder=f"{record.id}/kept/")
    st.caption(words["files" if kept else "no_files"])


def _log(events: Sequence[StoredEvent]) -> None:
    lines = [
        f"{event.time - events[0].time:8.1f} s  {'! ' * (event.payload.get('level') == 'warning')}"
        f"{event.payload['message']}"
        for event in events
        if event.kind == "log"
    ]
    if lines:
        st.code("\n".join(lines[-LOG_LINES:]), language=None, wrap_lines=True)
    else:
        st.caption(words["no_log"])
