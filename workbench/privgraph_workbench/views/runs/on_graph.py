"""What a run predicts for a node and those around it, drawn on the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from privgraph.data.errors import DataError
from privgraph.methods import predictions
from privgraph.methods.predictions import Predictions
from privgraph.options import OptionError, UnknownName
from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.facts import describing
from privgraph_workbench.facts.describing import Piece
from privgraph_workbench.figures.graphs import predicted
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of

POLL_SECONDS = 1.0


def has_predictions(record: RunRecord) -> bool:
    """Whether the run keeps predictions of its nodes on this machine."""
    return record.state == "done" and (queue.store().folders / record.id / predictions.NAME).exists()


def show(record: RunRecord) -> None:
    """A node, its neighbours and theirs, in the colours of their predicted classes."""
    try:
        found = predictions.read(queue.store().folder(record.id))
    except (ValueError, OSError) as error:
        st.error(f"The kept predictions cannot be read: {markup.sentence(error)}")
        return
    if found is None or not found.classes.size:
        st.caption("This run has kept no predictions.")
        return
    key = f"on_graph.{record.id}"
    st.session_state.setdefault(key, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.number_input(
            "Node in the middle",
            min_value=0,
            step=1,
            value=None,
            key=key,
            placeholder="a node of ordinary degree",
            width=260,
            help="Its neighbours and theirs are drawn around it; nodes are numbered from 0",
        )
        st.button("Another node", on_click=_another, args=(key, found), help="One of those that have a prediction")
    node = None if chosen is None else int(chosen)
    st.fragment(_piece, run_every=POLL_SECONDS if _described(record, node) is None else None)(record, found, node)


def _another(key: str, found: Predictions) -> None:
    at = int(np.random.default_rng().integers(found.classes.size))
    st.session_state[key] = at if found.nodes is None else int(found.nodes[at])


def _described(record: RunRecord, node: int | None) -> describing.Description | str | None:
    """The surroundings of a node; None while they are read; a sentence where they cannot be."""
    try:
        return describing.describe(record.spec.dataset, record.spec.data_options, record.spec.split, node)
    except (DataError, OptionError, UnknownName) as error:
        return markup.sentence(error)


def _piece(record: RunRecord, found: Predictions, node: int | None) -> None:
    described = _described(record, node)
    if described is None:
        st.caption("The graph around this node is being read.", width="stretch")
        return
    if isinstance(described, str):
        st.error(described)
        return
    piece = described.piece
    said = {at: label for at in piece.labels if (label := found.of(at)) is not None}
    rows = predicted.data(piece.edges, piece.labels, said, centre=piece.centre, class_names=described.class_names)
    live_plot.show(predicted.plot(rows, layout.theme()), key=f"predicted.{record.id}")
    st.markdown(_centre(piece, said, described.class_names))
    right = sum(piece.labels[at] == label for at, label in said.items())
    cut = "" if piece.complete else " Only the nearest are drawn."
    without = "" if len(said) == len(piece.labels) else " Small marks are nodes for which this run has no prediction."
    st.caption(
        f"Node {piece.centre:,} and those around it: **{right} of {len(said)}** predictions are right. Colour and "
        f"shape are the predicted class; a hollow mark is wrong.{without}{cut} Only an evaluator sees this: true "
        "classes and edges are private, and predictions for training nodes may be no part of the release."
    )
    figure_exports("predicted", rows, statements_of([record]), name=f"{record.id}-{piece.centre}", runs=[record])


def _centre(piece: Piece, said: Mapping[int, int], names: Sequence[str]) -> str:
    """What is predicted of the node in the middle, and what it is."""

    def name(label: int) -> str:
        return markup.literal(names[label]) if label < len(names) else f"class {label}"

    node, truth = f"**Node {piece.centre:,}**, the large mark,", name(piece.labels[piece.centre])
    label = said.get(piece.centre)
    if label is None:
        return f"{node} is truly **{truth}**; this run has no prediction for it."
    if label == piece.labels[piece.centre]:
        return f"{node} is predicted **{name(label)}**: right."
    return f"{node} is predicted **{name(label)}**: wrong, it is truly **{truth}**."
