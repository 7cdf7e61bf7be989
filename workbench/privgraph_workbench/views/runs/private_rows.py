"""How well anybody can tell a class from a row that a run released for every node: Theorem 3 of HeterPoisson,
on a run's page."""

from __future__ import annotations

import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.options import OptionError, UnknownName
from privgraph.privacy.kinds import Neighbours
from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.facts import datasets
from privgraph_workbench.figures.noise import precision
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words.naming import statements_of


def releases_private_rows(record: RunRecord) -> bool:
    """Whether the run's guarantee covers each node's own row: only then does the theorem say anything of
    it."""
    return record.statement is not None and record.statement.neighbours is Neighbours.REPLACED_RECORD


def show(record: RunRecord) -> None:
    """The bound at both epsilons of the run; nothing for other runs, or while its graph is being counted."""
    said = record.statement
    if said is None or record.state != "done" or not releases_private_rows(record):
        return
    try:
        facts = datasets.public_facts(dataset(record.spec.dataset), record.spec.data_options, record.spec.split)
    except (DataError, OptionError, UnknownName):
        return
    if facts is None or facts.classes < 2:
        return
    with st.expander("How well can a class be told from one private row?", icon=":material/visibility_off:"):
        st.caption(
            "This run releases a noisy row for every node, and its guarantee covers the node's own row too. "
            "No classifier that reads the row alone can then be right more often than this, of the nodes to "
            "which it gives a class. Predictions of this run also read the node's own features, without "
            "noise, and may be better: their precision on test nodes is drawn beside the bound."
        )
        marks: dict[str, float] = {"sound": said.epsilon}
        if said.epsilon_as_published is not None:
            marks["published"] = said.epsilon_as_published
        reached = record.metrics.get("test_precision")
        measured = {} if reached is None else {"this run's predictions, mean over classes": (said.epsilon, reached)}
        rows = precision.data(facts.classes, said.delta, marks, measured=measured)
        live_plot.show(precision.plot(rows, layout.theme()), key=f"precision.{record.id}")
        figure_exports("precision", rows, statements_of([record]), name=record.id, runs=[record])
