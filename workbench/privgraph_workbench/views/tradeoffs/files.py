"""Graphs whose runs are here and whose files are not: their runs can be read, and no more of them be made."""

from __future__ import annotations

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.runs.records import RunQuery
from privgraph_workbench.facts import datasets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.words import markup

MOST_READ = 5000


def absent(spec: DatasetSpec) -> bool:
    """Whether nothing can be trained on it here."""
    return datasets.unavailable(spec) is not None


def choices() -> dict[str, DatasetSpec]:
    """The graphs of which there is something to see, or that can be trained on: those with finished runs
    first."""
    every = datasets.choices()
    ran = {row["dataset"] for row in queue.store().find_rows(RunQuery(states=("done",), limit=MOST_READ))}
    found = [one for one in every if one.name in ran or not absent(one)]
    return {one.name: one for one in sorted(found, key=lambda one: one.name not in ran)}


def needed(spec: DatasetSpec, key: str) -> None:
    """What training needs, and the way to it."""
    with st.container(key=f"files-{key}"):
        st.info(
            f"Training on {markup.literal(spec.title)} needs its files, which are not on this machine. What is drawn "
            "and said above comes from finished runs, and needs none.",
            icon=":material/folder_off:",
        )
        st.page_link(
            shell.page("data"),
            label=f"Get {markup.literal(spec.title)} on the page Data",
            icon=":material/download:",
            query_params={"data": spec.name},
        )
