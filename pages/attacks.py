"""Can an outsider tell who, or which edge? Attacks and audits as curves and tables, and new ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import ATTACKS, AUDITS, sides
from privgraph.runs import attacking
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row, distinct
from privgraph_workbench.forms import again
from privgraph_workbench.jobs import queue
from privgraph_workbench.leaks import Claim, with_bounds
from privgraph_workbench.parts import choosing, evidence, examinations, layout, states
from privgraph_workbench.parts.file_links import figure_exports
from privgraph_workbench.serving import shell
from privgraph_workbench.text import page, texts
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import stated

Made = tuple[list[Row], go.Figure]
WORST = "worst-case"
ASKS = {  # `Sides.asks` by its name in the address
    "members": "who was trained on",
    "edges": "who is connected to whom",
    "relations": "which relations were learnt from",
}


@st.cache_resource(max_entries=32)
def runs(ids: tuple[str, ...], url: str, mark: object) -> list[RunRecord]:
    """The runs of those ids."""
    return queue.store().find(RunQuery(ids=ids)) if ids else []


def records(frame: pd.DataFrame) -> list[RunRecord]:
    """The runs of these rows."""
    store = queue.store()
    return runs(tuple(dict.fromkeys(frame.run)), store.url, store.done_mark())


def statements(frame: pd.DataFrame) -> dict[str, PrivacyStatement]:
    """The statements of the runs of these rows, each with what these attacks on it have shown."""
    shown = [one for one in frame.record if isinstance(one, AttackRecord)]
    return statements_of(
        records(frame), lambda run, said: with_bounds(said, [one for one in shown if one.run == run.id])
    )


def question(frame: pd.DataFrame, run: str) -> str:
    """The question of the address: of its attack, of attacks on its run, or of one that fits the run; or else
    the first that was asked."""
    attack, asked = st.query_params.get("attack"), next(iter(frame[frame.run == run].asks), None)
    asked = sides(attack).asks if attack in ATTACKS else asked or fitting(run)
    held = [name for name, asks in ASKS.items() if (asks == asked if asked else (frame.asks == asks).any())]
    return held[0] if held else next(iter(ASKS))


def fitting(run: str) -> str | None:
    """What the first attack asks that fits a run; first of what it protects."""
    found = queue.own().find(RunQuery(ids=(run,), states=("done",))) if run else []
    for one in found:
        subject = attacking.subject(one)
        specs = [spec for spec in ATTACKS.values() if spec.refuses(subject) is None]
        specs.sort(key=lambda spec: (spec.sides.unit == "edge") != (subject.statement.unit == "edge"))
        return next((spec.sides.asks for spec in specs), None)
    return None


def first_rows(frame: pd.DataFrame, run: str) -> list[int]:
    """The attacks on the run of the address, or the one that finds most; and what is found with and without
    privacy of the same graph."""
    own = frame[frame.run == run]
    own = own if len(own) else frame.nlargest(1, "area")
    if own.empty:
        return []
    one = own.iloc[0]
    private = (frame.unit == "none") == (one.unit != "none")
    other = frame[(frame.graph == one.graph) & (frame.attack == one.attack) & private].nlargest(1, "area")
    return [*own.index, *other.index]


def labels(frame: pd.DataFrame) -> list[str]:
    """Short names of attacks: the method with its epsilon, and the graph or the attack where these differ.

    Those of several seeds are counted: a report shows these names, and tells no seed.
    """
    more = [name for name in ("graph", "attack", "variant") if frame[name].nunique() > 1]
    return list(
        distinct(
            ", ".join(
                [str(row.method), *([f"ε {stated('sound', row.epsilon)}"] if row.unit != "none" else [])]
                + [str(getattr(row, name)) for name in more if getattr(row, name) != ""]
            )
            for row in frame.itertuples()
        )
    )


@st.cache_resource(max_entries=64)
def made(figure: str, of: tuple[object, ...], theme: str, options: dict[str, Any], _of: Sequence[Any]) -> Made:
    """The rows of a figure and its drawing; `of` says of which attacks or audits."""
    rows = figure_of(figure).data(_of if figure == "attack_roc" else _of[0], **options)
    return rows, figure_of(figure).plot(rows, theme)


def show(figure: str, frame: pd.DataFrame, name: str, **options: Any) -> None:
    """A figure of these rows with its files."""
    store = queue.store()
    of = (store.url, store.evidence_mark(), *zip(frame.run, frame.number, strict=True))
    rows, drawn = made(figure, of, layout.theme(), options, list(frame.record))
    live_plot.show(drawn, key=f"{figure}.{name}")
    figure_exports(figure, rows, statements(frame), name=name, runs=records(frame))


def axes(key: str) -> str:
    """Logarithmic or linear axes."""
    chosen = st.segmented_control("Axes", ["log", "linear"], default="log", required=True, key=key, bind="query-params")
    return str(chosen)


def curves(frame: pd.DataFrame) -> None:
    """The ROC curves of these attacks."""
    few = len(frame) < 3
    name = f"{frame.run.iloc[0]}-attacks"
    options = {"names": labels(frame), "graphs": list(frame.graph), "banded": few}
    show("attack_roc", frame, name, scale=axes("roc_scale"), **options)


def exposure(frame: pd.DataFrame) -> None:
    """Whom one of these attacks exposes, and the scores behind its curve."""
    names = labels(frame)
    at = st.selectbox("Attack", range(len(frame)), format_func=names.__getitem__) if len(frame) > 1 else 0
    one = frame.iloc[[at]]
    name = f"{one.run.iloc[0]}-attack-{one.number.iloc[0]}"
    for figure in ("attack_exposure", "attack_map", "attack_scores"):
        if figure != "attack_map" or one.record.iloc[0].map_nodes:
            show(figure, one, name)


def bounds(frame: pd.DataFrame) -> None:
    """The figures of an audit."""
    name = f"{frame.run.iloc[0]}-audit-{frame.number.iloc[0]}"
    scale = axes("scale")
    left, right = layout.columns("bounds", 2)
    with left:
        show("audit_bounds", frame, name)
        show("audit_scores", frame, name)
    with right:
        show("audit_roc", frame, name, scale=scale)


top, reading = page("attacks")
words = texts("attacks")
st.title("Attacks")
st.markdown(top)
queue.tick()
run = st.query_params.get("run", "")
store, attacks = queue.store(), evidence.attacks()
if st.query_params.get("who") not in words["questions"]:
    choosing.begin("who", words["questions"], question(attacks, run))
who = choosing.one("Question", words["questions"], "who", row=True)
with st.container(horizontal=True, vertical_alignment="center"):
    with st.popover("How to read this", icon=":material/help:"):
        st.markdown(reading)
    states.badges(evaluator=True)
    if shell.examples_shown():
        st.badge("example", color="violet", help=texts("labels")["example"])
    if lost := evidence.unreadable():
        st.badge(f"{lost} unreadable", color="orange", help=words["unreadable"])
if run and not len(runs((run,), store.url, store.done_mark())):
    st.warning(words["unknown"])
kind = examinations.AUDIT if who == WORST else examinations.ATTACK
busy = not shell.examples_shown() and examinations.progress(kind)
place = st.container()
if who == WORST:
    frame = evidence.audits().reset_index(drop=True)
    asked = frame.index[frame.run == run]
    begin = [*asked, *frame.index[frame.published_claim == Claim.REFUTED], *frame.index][:1]
    chosen = evidence.choose(frame, "audits", f"audits.{run}.{len(frame)}", begin, several=False) if len(frame) else []
else:
    frame = attacks[attacks.asks == ASKS[who]].reset_index(drop=True)
    begin = first_rows(frame, run)
    chosen = evidence.choose(frame, "attacks", f"attacks.{who}.{run}.{len(frame)}", begin) if len(frame) else []
with place:
    if not chosen:
        st.info(words["unaudited" if who == WORST else "empty"], icon="🕵️")
    elif who == WORST:
        bounds(frame.loc[chosen])
    else:
        curves(frame.loc[chosen])
if chosen and who != WORST:
    with layout.fold("Who is exposed", "exposed", icon=":material/visibility:") as part:
        if part.open:
            exposure(frame.loc[chosen])
if shell.examples_shown():
    if chosen and st.button("Train a run with these settings", key="again", icon=":material/model_training:"):
        address = again.address(records(frame.loc[chosen])[0])
        st.switch_page(shell.page("train"), query_params={**address, "store": shell.MINE})
    st.page_link(shell.page("train"), label="Train", icon=":material/model_training:")
elif not busy:
    asked = run != "" and not (frame.run == run).any()
    label, icon = f"New {kind.noun}", ":material/play_arrow:"
    with layout.fold(label, f"new.{kind.noun}", icon=icon, opened=asked or not chosen) as part:
        if part.open:
            names = AUDITS if who == WORST else [name for name in ATTACKS if sides(name).asks == ASKS[who]]
            examinations.form(kind, list(names))
