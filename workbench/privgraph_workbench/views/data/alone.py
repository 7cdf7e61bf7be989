"""Edges without nodes on the Data page: what they tell by themselves, and what a graph to learn from still
needs."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from privgraph.data.upload_categories import ignored
from privgraph.data.upload_checks import dropped_words
from privgraph.data.upload_lines import EdgeList, edge_list, nodes_to_fill_in
from privgraph_workbench import live_plot
from privgraph_workbench.figures.graphs import degrees
from privgraph_workbench.parts.links import offer
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.views.parts import layout
from privgraph_workbench.words import markup

_FOUND = "upload_alone"


def found(file: UploadedFile) -> EdgeList | None:
    """The edges in a file, counted once; None where it holds something else."""
    kept = st.session_state.get(_FOUND)
    if kept is None or kept[0] != file.file_id:
        kept = st.session_state[_FOUND] = (file.file_id, edge_list(file.getvalue()))
    return kept[1]


def show(edges: EdgeList) -> None:
    """Sizes and degrees, what is missing, and a file to fill in."""
    nodes = len(edges.degrees)
    mean, most = 2 * edges.pairs / nodes, max(edges.degrees.values())
    with st.container(border=True):
        st.markdown(
            f"**These are edges alone: {edges.pairs:,} between {nodes:,} nodes**, {mean:.1f} neighbours a node on "
            f"average, at most {most:,}."
        )
        dropped = [*dropped_words(edges.listed, edges.loops, edges.repeated), *ignored(edges=edges.ignored)]
        dropped += [f"{edges.comments}."] if edges.comments else []
        st.caption(" ".join(markup.sentence(note) for note in dropped))
        live_plot.show(degrees.plot(degrees.data([*edges.degrees.values()]), layout.theme()), key="degrees.alone")
        st.markdown(
            "They can be looked at here, and are not kept: to learn from them, something must be known of each node. "
            "Add a second file with the header `id,label` and a column a feature. `label` is the class to be "
            "predicted. Here is one with a row for each node of yours, to be filled in:"
        )
        offer(
            {
                "Nodes to fill in (CSV)": File(
                    name="nodes.csv", mime="text/csv", make=lambda: nodes_to_fill_in([*edges.degrees])
                )
            }
        )
