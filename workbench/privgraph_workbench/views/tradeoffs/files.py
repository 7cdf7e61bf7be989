"""Graphs whose runs are here and whose files are not: their runs can be read, and no more of them be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.runs.records import PENDING, RunQuery
from privgraph_workbench.facts import datasets, finished
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import choosing
from privgraph_workbench.views.tradeoffs import one_graph
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph
from privgraph_workbench.words import markup


def absent(spec: DatasetSpec) -> bool:
    """Whether nothing can be trained on it here."""
    return datasets.unavailable(spec) is not None


def choices(asked: str = "") -> dict[str, OneGraph]:
    """The graphs of which there is something to see, or that can be trained on, and the one that is `asked`
    for by its address: those with finished runs first. Of each data set the one with most runs has the
    set's own name, the others their addresses."""
    rows = finished.rows(queue.store(), RunQuery())
    counts = Counter(row["people"] for row in rows)
    ran = {name for name, _ in counts}
    specs = [one for one in datasets.choices() if one.name in ran or not absent(one)]
    wanted = one_graph.read(asked) if one_graph.MARK in asked else None
    found: dict[str, OneGraph] = {}
    for one in one_graph.listed(specs, counts, wanted):
        found[one.address if one.spec.name in found else one.spec.name] = one
    return found


def titles(found: Mapping[str, OneGraph]) -> dict[str, str]:
    """What these graphs are called in a list, each with how many of its runs are done, or that some are under
    way."""
    named = choosing.titles({key: one.title for key, one in found.items()})
    rows = queue.store().find_rows(RunQuery(states=PENDING), graphs=True)
    going = {row["people"] for row in rows}  # the list is drawn anew only once these have ended
    return {
        key: f"{title} · {'runs under way' if found[key].people in going else _runs(found[key].runs)}"
        for key, title in named.items()
    }


def _runs(count: int) -> str:
    """
    >>> _runs(0), _runs(1), _runs(1252)
    ('no runs yet', '1 run', '1,252 runs')
    """
    return f"{count:,} run{'s' * (count != 1)}" if count else "no runs yet"


def key_of(address: str, found: Mapping[str, OneGraph]) -> str:
    """Under which of these names the graph of that address stands; the address itself where it does not."""
    wanted = one_graph.read(address) if one_graph.MARK in address else None
    if wanted is None:
        return address
    return next((key for key, one in found.items() if one.people == wanted.people), address)


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
