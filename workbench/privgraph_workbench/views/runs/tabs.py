"""All that stands behind a run's story, in tabs: curves, the promise in full, settings, files, the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from privgraph.methods import predictions
from privgraph.options import Parameter, parameters
from privgraph.registry import METHODS
from privgraph.runs.leases import LOG_NAME
from privgraph.runs.records import RunRecord, StoredEvent, StoreError
from privgraph_workbench import live_plot
from privgraph_workbench.figures.costs import ledger
from privgraph_workbench.figures.runs import curves
from privgraph_workbench.forms import fields
from privgraph_workbench.jobs import queue
from privgraph_workbench.jobs.watching import Watched
from privgraph_workbench.parts.links import offer
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.views.parts import layout, statement
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.views.runs import on_graph, private_rows
from privgraph_workbench.words import markup, naming, settings
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import option

LOG_LINES = 200
MOST_SEEDS = 50
"""Seeds whose curves are laid over each other at most."""
WRITTEN = {LOG_NAME: "What the worker printed", predictions.NAME: "The predicted class of each node"}
"""What files hold of which no event tells."""
OPENED, PROMISE = "tab", "The promise"
"""What an address calls the tab that is opened first, and one of them."""
LAID = ("val_accuracy", "train_loss")
"""What is laid over each other: the first of these that was measured."""


def show(watched: Watched, same: Sequence[RunRecord]) -> None:
    """The tabs of a run that is over; what another one holds is made when it is opened."""
    record, events = watched.record, watched.events
    drawn: dict[str, Callable[[], None]] = {
        "Learning curves": partial(_curves, watched, same),
        PROMISE: partial(_promise, record),
        **({"On the graph": partial(on_graph.show, record)} if on_graph.has_predictions(record) else {}),
        "Settings": partial(_settings, record),
        "Files": partial(_files, record, events),
        **({"Log": partial(log, events)} if any(event.kind == "log" for event in events) else {}),
    }
    if record.state != "done":  # its curves stand above already
        del drawn["Learning curves"], drawn[PROMISE]
    first = st.query_params.get(OPENED)
    tabs = st.tabs(list(drawn), key=f"tabs.{record.id}", default=first if first in drawn else None, on_change="rerun")
    for tab, draw in zip(tabs, drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def _curves(watched: Watched, same: Sequence[RunRecord]) -> None:
    record = watched.record
    drawing = watched.drawing(layout.theme())
    live_plot.grow(drawing.base, drawing.figure, drawing.tail, key=f"curves.{record.id}")
    rows = curves.data(watched.events, record=record)
    figure_exports("curves", rows, statements_of([record]), name=record.id, runs=[record])
    if len(same) < 2:
        return
    shown = sorted(same, key=lambda one: one.id != record.id)[:MOST_SEEDS]  # this run first: it stands out
    every = [
        point
        for one in shown
        for point in curves.data(
            queue.store().events(one.id, kinds=("metric",)), run=f"seed {one.spec.seed}", limit=300, record=one
        )
    ]
    metric = next((name for name in LAID if any(point["metric"] == name for point in every)), "")
    points = [point for point in every if point["metric"] == metric]
    if points:
        many = f"All {len(same)}" if len(shown) == len(same) else f"{len(shown)} of {len(same)}"
        st.markdown(f"##### {many} seeds, laid over each other")
        live_plot.show(curves.plot(points, layout.theme()), key=f"seeds.{record.id}")
        figure_exports(
            "curves", points, statements_of(shown), name=f"{record.id}-seeds", label="Export the seeds", runs=shown
        )


def _promise(record: RunRecord) -> None:
    if record.statement is None:
        st.caption("This run has no statement.")
        return
    statement.promise(record.statement)
    statement.ledger(record.statement.ledger)
    private_rows.show(record)


# Settings


def _settings(record: RunRecord) -> None:
    """Everything that was asked of the run, group by group; bold where it is not the default."""
    left, right = st.columns([2, 1], gap="large")
    with left:
        for group, rows in _groups(record).items():
            st.markdown(f"##### {group}")
            st.table(rows)
        st.caption(f"Bold: not the default. Run {record.id}, attempt {record.attempt}.")
    with right:
        _tags_and_note(record)


def _groups(record: RunRecord) -> dict[str, list[dict[str, str]]]:
    """Option and value of each, by the groups of the form, what was run first."""
    spec = record.spec
    known: dict[str, Parameter] = {}
    if spec.method in METHODS:
        known = {one.name: one for one in parameters(METHODS[spec.method].load_config())}
    said = settings.shown(record)
    read = naming.options_read(record)
    groups = {
        "Run": [
            _row("Method", naming.method_title(spec.method)),
            _row("Graph", naming.data_title(spec.dataset)),
            *(_row(f"Graph: {name.replace('_', ' ')}", option(value)) for name, value in spec.data_options.items()),
            _row("Split", spec.split, chosen=spec.split != "random"),
            _row("Seed", str(spec.seed)),
            _row("Device", spec.device, chosen=spec.device != "auto"),
        ]
    }
    for name in [*(one for one in known if one in read), *(one for one in read if one not in known)]:
        one, value = known.get(name), spec.options[name]
        shown = option(said.get(name, value))
        if one is None:
            groups.setdefault("Other", []).append(_row(_label(name), shown))
            continue
        row = _row(one.label, f"{shown} {fields.unit(one)}".rstrip(), chosen=value != one.default)
        groups.setdefault(one.option.group, []).append(row)
    return groups


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _row(label: str, value: str, *, chosen: bool = False) -> dict[str, str]:
    said = markup.literal(value)
    return {"Option": markup.literal(label), "Value": f"**{said}**" if chosen else said}


def _tags_and_note(record: RunRecord) -> None:
    def put(action: object, *arguments: str) -> None:
        try:
            action(record.id, *arguments)  # type: ignore[operator]
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


# Files and the log


def _files(record: RunRecord, events: Sequence[StoredEvent]) -> None:
    """What the run has kept, by name and size; and what leaves as a figure or a report."""
    st.markdown("##### Figures")
    statements = statements_of([record])
    figures = {"curves": ("Learning curves", curves.data(events, record=record))}
    if record.statement is not None and record.statement.ledger:
        figures["ledger"] = (ledger.TITLE, ledger.data(record.statement.ledger, record.statement.delta))
    with st.container(horizontal=True):
        for figure, (label, rows) in figures.items():
            if rows:
                figure_exports(figure, rows, statements, name=record.id, label=label, runs=[record])
    kept = _kept(record)
    st.markdown("##### Kept on this computer")
    if not kept:
        st.caption("This run has kept no files: its numbers are in the store.")
        return
    titles = {one.payload["name"]: str(one.payload.get("title", "")) for one in events if one.kind == "artifact"}
    for path in kept:
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(width="content"):
                offer({path.name: _file(path)}, folder=f"{record.id}/kept/")
            what = titles.get(path.name, titles.get(path.stem, WRITTEN.get(path.name, "")))
            st.caption(" · ".join(filter(None, (size(path.stat().st_size), markup.literal(what)))), width="content")
    st.caption("What a run has kept may tell of private data: it is for this computer, and no ε covers it.")


def _kept(record: RunRecord) -> list[Path]:
    folder = queue.store().folders / record.id
    return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []


def _file(path: Path) -> File:
    return File(name=path.name, mime="application/octet-stream", make=partial(path.read_bytes))


def size(count: int) -> str:
    """The size of a file for people.

    >>> size(512), size(20_480), size(3_500_000)
    ('512 B', '20 kB', '3.3 MB')
    """
    return f"{count} B" if count < 1024 else f"{count / 1024:.0f} kB" if count < 2**20 else f"{count / 2**20:.1f} MB"


def log(events: Sequence[StoredEvent]) -> None:
    """The latest lines that the run said."""
    lines = [event for event in events if event.kind == "log"]
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
