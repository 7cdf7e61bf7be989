"""What stands behind a run, in tabs: its promise, seeds, predictions, settings, files, log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.methods import predictions
from privgraph.methods.predictions import Predictions
from privgraph.options import OptionError, Parameter, UnknownName, parameters
from privgraph.privacy.kinds import Neighbours
from privgraph.registry import METHODS
from privgraph.runs.leases import LOG_NAME
from privgraph.runs.records import RunRecord, StoredEvent, StoreError
from privgraph_workbench import live_plot
from privgraph_workbench.facts import datasets, describing
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.costs import ledger
from privgraph_workbench.figures.graphs import predicted
from privgraph_workbench.figures.noise import precision
from privgraph_workbench.figures.runs import curves
from privgraph_workbench.forms import fields
from privgraph_workbench.jobs import queue
from privgraph_workbench.jobs.watching import Watched
from privgraph_workbench.parts import layout, statement, states
from privgraph_workbench.parts.file_links import figure_exports
from privgraph_workbench.parts.links import offer
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.text import texts
from privgraph_workbench.words import markup, naming, settings
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import option

LOG_LINES = 200
MOST_SEEDS = 50
"""Seeds whose curves are laid over each other at most."""
MOST_BARS = 12
"""Mechanisms that are drawn as bars at most."""
POLL_SECONDS = 1.0
WRITTEN = {LOG_NAME: "output of the worker", predictions.NAME: "predicted class of each node"}
"""What files hold of which no event tells."""
LAID = ("val_accuracy", "train_loss")
"""What is laid over each other: the first of these that was measured."""


def show(watched: Watched, same: Sequence[RunRecord]) -> None:
    """Show the tabs of a run; the content of a tab is made when it is opened."""
    record, events = watched.record, watched.events
    drawn: dict[str, Callable[[], None]] = {}
    if record.state == "done":
        drawn["Promise"] = partial(_promise, record)
        drawn["Curves"] = partial(_curves, watched, same)
    if record.state == "done" and (queue.store().folders / record.id / predictions.NAME).exists():
        drawn["On the graph"] = partial(_on_graph, record)
    drawn["Settings"] = partial(_settings, record)
    if not record.pending:
        drawn["Files"] = partial(_files, record, events)
    drawn["Log"] = partial(_log, events)
    tabs = st.tabs(list(drawn), key=f"tabs.{record.id}", on_change="rerun")
    for tab, draw in zip(tabs, drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def budget(record: RunRecord) -> None:
    """Where the budget went, where that can be drawn."""
    said = record.statement
    if said is not None and said.unit != "none" and 1 < len(said.ledger) <= MOST_BARS:
        rows = ledger.data(said.ledger, said.delta)
        live_plot.show(figure_of("ledger").plot(rows, layout.theme()), key=f"ledger.{record.id}")
        figure_exports("ledger", rows, statements_of([record]), name=record.id, runs=[record])


def _promise(record: RunRecord) -> None:
    said = record.statement
    if said is None:
        return
    statement.ledger(said.ledger)
    statement.promise(said)
    if said.neighbours is Neighbours.REPLACED_RECORD:
        _private_rows(record)


def _private_rows(record: RunRecord) -> None:
    """How well a class can be told from one released row, at both epsilons of the run."""
    said = record.statement
    assert said is not None  # whoever calls has one
    try:
        facts = datasets.public_facts(dataset(record.spec.dataset), record.spec.data_options, record.spec.split)
    except (DataError, OptionError, UnknownName):
        return
    if facts is None or facts.classes < 2:
        return
    st.caption(texts("runs")["rows"])
    marks = {"sound": said.epsilon}
    if said.epsilon_as_published is not None:
        marks["published"] = said.epsilon_as_published
    reached = record.metrics.get("test_precision")
    measured = {} if reached is None else {"this run's predictions, mean over classes": (said.epsilon, reached)}
    rows = precision.data(facts.classes, said.delta, marks, measured=measured)
    live_plot.show(figure_of("precision").plot(rows, layout.theme()), key=f"precision.{record.id}")
    figure_exports("precision", rows, statements_of([record]), name=record.id, runs=[record])


def export_curves(watched: Watched) -> None:
    """The files of the run's curves."""
    record = watched.record
    if rows := curves.data(watched.events, record=record):
        figure_exports("curves", rows, statements_of([record]), name=record.id, runs=[record])


def _curves(watched: Watched, same: Sequence[RunRecord]) -> None:
    """The curves of the run, and those of all seeds of its setting."""
    record, drawing = watched.record, watched.drawing(layout.theme())
    live_plot.grow(drawing.base, drawing.figure, drawing.tail, key=f"curves.{record.id}")
    export_curves(watched)
    if len(same) > 1:
        _seeds(record, same)


def _seeds(record: RunRecord, same: Sequence[RunRecord]) -> None:
    """The curves of all seeds of the setting, laid over each other; this run stands out."""
    shown = sorted(same, key=lambda one: one.id != record.id)[:MOST_SEEDS]
    events = [(one, queue.store().events(one.id, kinds=("metric",))) for one in shown]
    every = [
        point
        for one, found in events
        for point in curves.data(found, run=f"seed {one.spec.seed}", limit=300, record=one)
    ]
    metric = next((name for name in LAID if any(point["metric"] == name for point in every)), "")
    points = [point for point in every if point["metric"] == metric]
    if points:
        live_plot.show(figure_of("curves").plot(points, layout.theme()), key=f"seeds.{record.id}")
        figure_exports("curves", points, statements_of(shown), name=f"{record.id}-seeds", runs=shown)


# Predictions on the graph


def _on_graph(record: RunRecord) -> None:
    """A node and those around it, in the colours of their predicted classes."""
    try:
        found = predictions.read(queue.store().folder(record.id))
    except (ValueError, OSError):
        st.error(texts("runs")["not_read"])
        return
    if found is None or not found.classes.size:
        st.caption(texts("runs")["no_predictions"])
        return
    key = f"on_graph.{record.id}"
    st.session_state.setdefault(key, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.number_input("Node", min_value=0, step=1, value=None, key=key, placeholder="any", width=200)
        st.button("Another node", key=f"another_node.{record.id}", on_click=_another, args=(key, found))
        states.badges(evaluator=True)
    node = None if chosen is None else int(chosen)
    st.fragment(_piece, run_every=POLL_SECONDS if _described(record, node) is None else None)(record, found, node)


def _another(key: str, found: Predictions) -> None:
    at = int(np.random.default_rng().integers(found.classes.size))
    st.session_state[key] = at if found.nodes is None else int(found.nodes[at])


def _described(record: RunRecord, node: int | None) -> describing.Description | str | None:
    """The surroundings of a node; None while they are read; an error as a sentence."""
    try:
        return describing.describe(record.spec.dataset, record.spec.data_options, record.spec.split, node)
    except (DataError, OptionError, UnknownName) as error:
        return markup.sentence(error)


def _piece(record: RunRecord, found: Predictions, node: int | None) -> None:
    described = _described(record, node)
    if described is None:
        st.caption(texts("runs")["reading"])
    elif isinstance(described, str):
        st.error(described)
    else:
        piece = described.piece
        said = {at: label for at in piece.labels if (label := found.of(at)) is not None}
        names = described.class_names
        rows = predicted.data(piece.edges, piece.labels, said, centre=piece.centre, class_names=names)
        live_plot.show(figure_of("predicted").plot(rows, layout.theme()), key=f"predicted.{record.id}")
        right = sum(piece.labels[at] == label for at, label in said.items())
        centre = [named(piece.labels[piece.centre], names), "—"]
        if piece.centre in said:
            centre[1] = named(said[piece.centre], names)
        with st.container(horizontal=True):
            st.metric("Right predictions", f"{right} of {len(said)}", width="content")
            st.metric(f"Class of node {piece.centre:,}", centre[0], width="content")
            st.metric("Predicted", centre[1], width="content")
        figure_exports("predicted", rows, statements_of([record]), name=f"{record.id}-{piece.centre}", runs=[record])


def named(label: int, names: Sequence[str]) -> str:
    """A class by its name."""
    return markup.literal(names[label]) if label < len(names) else f"class {label}"


# Settings, files and the log


def _settings(record: RunRecord) -> None:
    """All options of the run, group by group, beside its tags and its note."""
    left, right = st.columns([2, 1], gap="large")
    with left:
        for group, rows in _groups(record).items():
            st.markdown(f"##### {group}")
            st.table(rows)
        st.caption(f"{texts('runs')['default']} {record.id}, attempt {record.attempt}.")
    with right:
        if not record.example:
            _tags_and_note(record)


def _groups(record: RunRecord) -> dict[str, list[dict[str, str]]]:
    """Option and value, by the groups of the form."""
    spec = record.spec
    known: dict[str, Parameter] = {}
    if spec.method in METHODS:
        known = {one.name: one for one in parameters(METHODS[spec.method].load_config())}
    said, read = settings.shown(record), naming.options_read(record)
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
            groups.setdefault("Other", []).append(_row(name.replace("_", " ").capitalize(), shown))
            continue
        row = _row(one.label, f"{shown} {fields.unit(one)}".rstrip(), chosen=value != one.default)
        groups.setdefault(one.option.group, []).append(row)
    return groups


def _row(label: str, value: str, *, chosen: bool = False) -> dict[str, str]:
    said = markup.literal(value)
    return {"Option": markup.literal(label), "Value": f"**{said}**" if chosen else said}


def _tags_and_note(record: RunRecord) -> None:
    def put(action: Callable[..., object], *arguments: str) -> None:
        try:
            action(record.id, *arguments)
        except StoreError as error:
            st.session_state["complaint"] = markup.sentence(error)

    def add() -> None:
        text = st.session_state.pop(f"new_tag.{record.id}", "")
        if text.strip():
            put(queue.own().tag, text)

    st.text_input("Add a tag", key=f"new_tag.{record.id}", on_change=add, placeholder="baseline")
    for tag in record.tags:
        st.button(f"Remove tag {markup.literal(tag)}", key=f"untag.{tag}", on_click=put, args=(queue.own().untag, tag))
    note = st.text_area("Note", value=record.note, key=f"note.{record.id}")
    if note != record.note and st.button("Save the note", key=f"save_note.{record.id}"):
        put(queue.own().note, note)
        st.rerun()
    if complaint := st.session_state.pop("complaint", ""):
        st.error(complaint)


def _files(record: RunRecord, events: Sequence[StoredEvent]) -> None:
    """The files that the run has kept, with their sizes."""
    folder = queue.store().folders / record.id
    kept = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    told = texts("runs")
    if not kept:
        st.caption(told["no_files"])
        return
    titles = {one.payload["name"]: str(one.payload.get("title", "")) for one in events if one.kind == "artifact"}
    for path in kept:
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(width="content"):
                offer({path.name: _file(path)}, folder=f"{record.id}/kept/")
            what = titles.get(path.name, titles.get(path.stem, WRITTEN.get(path.name, "")))
            st.caption(" · ".join(filter(None, (size(path.stat().st_size), markup.literal(what)))), width="content")
    st.caption(told["files"])


def _file(path: Path) -> File:
    return File(name=path.name, mime="application/octet-stream", make=partial(path.read_bytes))


def size(count: int) -> str:
    """The size of a file for people.

    >>> size(512), size(20_480), size(3_500_000)
    ('512 B', '20 kB', '3.3 MB')
    """
    return f"{count} B" if count < 1024 else f"{count / 1024:.0f} kB" if count < 2**20 else f"{count / 2**20:.1f} MB"


def _log(events: Sequence[StoredEvent]) -> None:
    """The latest lines of the log."""
    lines = [event for event in events if event.kind == "log"]
    if not lines:
        st.caption(texts("runs")["no_log"])
        return
    marks = {True: "! ", False: ""}
    shown = (
        f"{event.time - events[0].time:8.1f} s  {marks[event.payload.get('level') == 'warning']}"
        f"{event.payload['message']}"
        for event in lines[-LOG_LINES:]
    )
    st.code("\n".join(shown), language=None, wrap_lines=True)
