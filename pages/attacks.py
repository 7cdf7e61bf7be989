"""Can an outsider tell who, or which edge? Attacks and audits as curves and tables, and new ones."""

import time
from collections.abc import Collection
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.audits.options import AuditOptions
from privgraph.options import Parameter, build, parameters
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import ATTACKS, AUDITS, METHODS, sides
from privgraph.runs import attacking, auditing
from privgraph.runs.examining import Examination
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.marks import distinct
from privgraph_workbench.forms import beginnings, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.leaks import Claim, with_bounds
from privgraph_workbench.parts import choosing, evidence, layout, states
from privgraph_workbench.parts.cached import kept
from privgraph_workbench.parts.links import drawn_figure
from privgraph_workbench.serving import shell
from privgraph_workbench.text import texts
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import duration, stated

WORST = "worst-case"
ASKS = {  # `Sides.asks` by its name in the address
    "members": "who was trained on",
    "edges": "who is connected to whom",
    "relations": "which relations were learnt from",
}
MOST_RUNS = 200
MOST_FOLDERS = 20  # that changed last, in which jobs under way are looked for
OF_ALL = ("targets", "confidence", "seed")  # options that every attack reads
UNREAD = {"mechanism": ("canaries",), "white-box": ("trials",)}  # of audits


@kept
def runs(ids: tuple[str, ...]) -> list[RunRecord]:
    return queue.store().find(RunQuery(ids=ids)) if ids else []


def records(frame: pd.DataFrame) -> list[RunRecord]:
    return runs(tuple(dict.fromkeys(frame.run)))


def question(frame: pd.DataFrame, run: str) -> str | None:
    """What the attack of the address asks, or attacks on its run, or the first attack that fits the run (of
    what it protects, if any does); or else what any attack asked."""
    attack = st.query_params.get("attack")
    asked = [sides(attack).asks] if attack in ATTACKS else [*frame[frame.run == run].asks]
    for one in queue.own().find(RunQuery(ids=(run,), states=("done",))) if run and not asked else ():
        subject = attacking.subject(one)
        specs = [spec for spec in ATTACKS.values() if spec.refuses(subject) is None]
        specs.sort(key=lambda spec: (spec.sides.unit == "edge") != (subject.statement.unit == "edge"))
        asked = [spec.sides.asks for spec in specs]
    return next((name for name, asks in ASKS.items() if asks in (asked[:1] or [*frame.asks])), None)


def first_rows(frame: pd.DataFrame, run: str) -> list[int]:
    """The attacks on the run of the address, or the one that finds most; and what is found with and without
    privacy of the same graph."""
    own = frame[frame.run == run]
    own = own if len(own) else frame.nlargest(1, "area")
    one = own.iloc[0]
    private = (frame.unit == "none") == (one.unit != "none")
    other = frame[(frame.graph == one.graph) & (frame.attack == one.attack) & private].nlargest(1, "area")
    return [*own.index, *other.index]


def labels(frame: pd.DataFrame) -> tuple[str, ...]:
    """Short names of attacks: the method with its epsilon, and the graph or the attack where these differ.

    Those of several seeds are counted: a report shows these names, and tells no seed.
    """
    more = [name for name in ("graph", "attack", "variant") if frame[name].nunique() > 1]
    found = []
    for row in frame.itertuples():
        epsilon = f"ε {stated('sound', row.epsilon)}" if row.unit != "none" else ""
        found.append(", ".join(filter(None, (row.method, epsilon, *(str(getattr(row, name)) for name in more)))))
    return tuple(distinct(found))


@kept
def made(found: tuple[tuple[str, int], ...], figure: str, theme: str, **options: Any) -> tuple[list[Row], go.Figure]:
    frame = evidence.frame("audits" if figure.startswith("audit") else "attacks")
    known = dict(zip(zip(frame.run, frame.number, strict=True), frame.record, strict=True))
    of = [known[one] for one in found]
    rows = figure_of(figure).data(of if figure == "attack_roc" else of[0], **options)
    return rows, figure_of(figure).plot(rows, theme)


def show(figure: str, frame: pd.DataFrame, name: str, **options: Any) -> None:
    """A figure of these rows; its files state what these attacks have shown of each run."""
    rows, drawn = made(tuple(zip(frame.run, map(int, frame.number), strict=True)), figure, layout.theme(), **options)
    attacked = [one for one in frame.record if isinstance(one, AttackRecord)]

    def bounded(run: RunRecord, said: PrivacyStatement) -> PrivacyStatement:
        return with_bounds(said, [one for one in attacked if one.run == run.id])

    drawn_figure(figure, rows, name, records(frame), statements_of(records(frame), bounded), drawn)


def exposure(frame: pd.DataFrame) -> None:
    names = labels(frame)
    at = st.selectbox("Attack", range(len(frame)), format_func=names.__getitem__) if len(frame) > 1 else 0
    one = frame.iloc[[at]]
    for figure in ("attack_exposure", "attack_map", "attack_scores"):
        if figure != "attack_map" or one.record.iloc[0].map_nodes:
            show(figure, one, f"{one.run.iloc[0]}-attack-{one.number.iloc[0]}")


def bounds(frame: pd.DataFrame) -> None:
    name = f"{frame.run.iloc[0]}-audit-{frame.number.iloc[0]}"
    scale = choosing.one("Axes", ["log", "linear"], "scale", row=True)
    left, right = layout.columns("bounds", 2)
    with left:
        show("audit_bounds", frame, name)
        show("audit_scores", frame, name)
    with right:
        show("audit_roc", frame, name, scale=scale)


# A new attack or audit of one's own run


def going() -> list[tuple[str, Examination[Any]]]:
    own = queue.own()
    folders = sorted(own.folders.glob(f"*/{kind}s"), key=lambda one: -one.stat().st_mtime)[:MOST_FOLDERS]
    known = own.states([one.parent.name for one in folders]) if folders else {}
    return [(run, one) for run in known for one in jobs.states(own, run) if not one.done]


def progress(before: Collection[str]) -> None:
    """The jobs under way, with the time that is left by their pace; the page is drawn again as one ends."""
    found = going()
    if {one.token for _, one in found} != before:
        st.rerun()
    for run, one in found:
        label = "Stopping…" if one.stopping else f"Stop the {kind}"
        if st.button(label, key=f"stop_{kind}.{one.token}", icon=":material/stop:", disabled=one.stopping):
            with layout.refusals():
                jobs.stop(queue.own(), run, one.token)
        title = specs[one.name].title if one.name in specs else one.name
        told = [title, f"{one.progress:.0%}", one.stage or "starting"]
        if one.progress > 0.05 and not one.stopping:
            reported = time.time() if one.reported is None else one.reported
            left = (reported - one.started) * (1 - one.progress) / one.progress - (time.time() - reported)
            told.append(f"{duration(max(1.0, left))} left")
        st.progress(min(1.0, max(0.0, one.progress)), text=f"{run}: {' · '.join(map(markup.literal, told))}")
    if found:
        st.caption(words["goes_on"])


@kept
def finished(kind: str, asked: str) -> dict[str, str]:
    """The titles of one's newest finished runs by id, and of the one that the address names."""
    query = {"units": ("edge", "node") if kind == "audit" else (), "states": ("done",)}
    found = queue.own().find(RunQuery(limit=MOST_RUNS, **query))
    found += queue.own().find(RunQuery(ids=(asked,), **query)) if asked else []
    return choosing.runs({one.id: one for one in found if not one.unreadable}.values())


def reads(spec: Any, record: RunRecord, parameter: Parameter) -> bool:
    """Whether a form asks for the option: one that is read, and has more than one answer."""
    name = parameter.name
    if kind == "audit":
        return name not in UNREAD.get(spec.name, ())
    if name == "query" and (record.spec.method not in METHODS or len(METHODS[record.spec.method].asked) < 2):
        return False
    return name in (*spec.reads, *OF_ALL) or (name == "shadows" and bool(spec.shadows))


def form(names: Collection[str]) -> None:
    own = queue.own()
    titles = finished(kind, st.query_params.get("run", ""))
    if not titles:
        st.info(words["unrun"], icon=":material/model_training:")
        layout.link("train", "Train", "model_training")
        return
    record = own.get(choosing.one("Run", titles, "run", refused=lambda _: words["unknown"]))
    last = jobs.state(own, record.id)
    if last is not None and last.error:
        st.error(markup.sentence(last.error))
    elif last is not None and last.stopped:
        st.info(words["stopped"], icon=":material/stop:")
    with layout.refusals():
        subject = jobs.subject(record)
        refused = {name: specs[name].refuses(subject) for name in names}
        offered = {name: specs[name].title for name, refusal in refused.items() if refusal is None}
        if not offered:
            st.info(words["none_offered"])
            for refusal in dict.fromkeys(refused.values()):
                st.caption(markup.sentence(refusal))
            return
        spec = specs[choosing.one(kind.capitalize(), offered, kind)]
        options_class = AuditOptions if worst else AttackOptions
        known = [one for one in parameters(options_class) if reads(spec, record, one)]
        filled = widgets.options_form(known, prefix=f"{kind}.", heading=False)
        if filled.errors:
            widgets.correct(filled.errors)
            return
        options = build(options_class, filled.values)
        refusal = None if worst else spec.unanswered(subject, options)
        st.caption(markup.sentence(refusal or spec.cost(subject, options)))
        off = bool(refusal) or ((not worst or spec.trains) and choosing.here(record.spec.dataset) is None)
        label, icon = f"Start the {kind}", ":material/play_arrow:"
        if st.button(label, type="primary", key=f"start_{kind}", disabled=off, icon=icon):
            jobs.start(own, record.id, spec.name, options)
            st.rerun()


words = texts("attacks")
layout.head("attacks")
run = st.query_params.get("run", "")
frame = evidence.frame("attacks")
first = None if "who" in st.query_params else question(frame, run)
who = choosing.one("Question", words["questions"], "who", first=first, row=True)
worst = who == WORST
kind, jobs, specs = ("audit", auditing, AUDITS) if worst else ("attack", attacking, ATTACKS)
with st.container(horizontal=True, vertical_alignment="center"):
    layout.reading("attacks")
    states.badges(evaluator=True, example=shell.examples_shown())
    if lost := evidence.unreadable():
        st.badge(f"{lost} unreadable", color="orange", help=words["unreadable"])
if run and not runs((run,)):
    widgets.leave_out("run", run, words["unknown"])
tokens = set() if shell.examples_shown() else {one.token for _, one in going()}
if not shell.examples_shown():
    shell.fragment(progress, run_every=1.0 if tokens else None)(tokens)
place = st.container()
frame = (evidence.frame("audits") if worst else frame[frame.asks == ASKS[who]]).reset_index(drop=True)
chosen: list[int] = []
if len(frame):
    if worst:
        asked = frame.index[frame.run == run]
        begin = [*asked, *frame.index[frame.published_claim == Claim.REFUTED], *frame.index][:1]
    else:
        begin = first_rows(frame, run)
    event = evidence.table(
        frame,
        "audits" if worst else "attacks",
        leave_out=("run", "number"),
        key=f"{who}.{run}.{len(frame)}",
        on_select="rerun",
        selection_mode="single-row" if worst else "multi-row",
        selection_default={"selection": {"rows": begin, "columns": [], "cells": []}},
    )
    chosen = [row for row in event.selection.rows if row < len(frame)] or begin
picked = frame.loc[chosen]
with place:
    if not chosen:
        st.info(words["unaudited" if worst else "empty"], icon="🕵️")
    elif worst:
        bounds(picked)
    else:
        scale = choosing.one("Axes", ["log", "linear"], "roc_scale", row=True)
        options = {"names": labels(picked), "graphs": list(picked.graph), "banded": len(picked) < 3, "scale": scale}
        show("attack_roc", picked, f"{picked.run.iloc[0]}-attacks", **options)
if chosen and not worst:
    layout.folded("Who is exposed", "exposed", partial(exposure, picked), icon="visibility")
if shell.examples_shown():
    if chosen and st.button("Train a run with these settings", key="again", icon=":material/model_training:"):
        address = beginnings.again(records(picked)[0])
        st.switch_page(shell.page("train"), query_params={**address, "store": shell.MINE})
    layout.link("train", "Train", "model_training")
elif not tokens:
    opened = not chosen or (run != "" and not (frame.run == run).any())
    names = AUDITS if worst else [name for name in ATTACKS if sides(name).asks == ASKS[who]]
    layout.folded(f"New {kind}", f"new.{kind}", partial(form, names), icon="play_arrow", opened=opened)
