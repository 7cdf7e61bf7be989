"""The Data page: all graphs by search, the upload of one's own, and what the chosen one is like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec
from privgraph.data.upload import delete_upload
from privgraph.data.uploads import node_ids
from privgraph.options import Option, OptionError, Parameter
from privgraph_workbench import live_plot
from privgraph_workbench.facts import datasets, describing
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.graphs import classes, degrees, neighbourhood
from privgraph_workbench.forms import data_options, widgets
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.views.data import catalogue, domains, kept, question, upload
from privgraph_workbench.views.parts import choosing, fetching, layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import markup, naming

POLL_SECONDS = 1.0
MANY = 6
"""So many classes of one size are a sentence, and no figure."""
_OF = "node.of"
"""Of which graph the node in the middle was chosen: its name and its last node."""


def page() -> None:
    """Choose a graph, or bring your own; and look at it."""
    st.title("Data", anchor="data")
    st.markdown(
        "Choose a graph to learn from, or bring your own; see what is in it, and what its connections give away."
    )
    asked = "data" in st.query_params
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        spec = _choose()
    with right:
        upload.button()
    catalogue.show(spec, _begin_anew, opened=not asked)
    with st.container():  # always there: what is below it keeps its place
        kept.show(spec)
    unkept = upload.form(_begin_anew)
    on = st.container()
    _told(spec)
    filled = data_options.options_form(spec)
    reason = datasets.unavailable(spec)
    if reason is not None:
        fetching.show(spec, reason)
    elif not filled.errors:
        # Beside files that are not kept, "this graph" would be taken for theirs.
        with on, st.container(key=f"{styles.BOXED}-other" if unkept else styles.GO_ON, width="content"):
            st.page_link(
                shell.page("train"),
                label=f"Train on {markup.literal(spec.title)}" if unkept else "Train on this graph",
                icon=":material/model_training:",
                query_params={**_address(spec, filled), **domains.method(spec)},
            )
        if spec.kind == "upload":
            st.button(
                "Delete this upload",
                icon=":material/delete:",
                key="delete_upload",
                on_click=st.session_state.update,
                args=({"deleting_upload": spec.name},),
            )
        if st.session_state.get("deleting_upload") == spec.name:
            _confirm_delete(spec)
        _describe(spec, filled)


def _address(spec: DatasetSpec, filled: widgets.Filled) -> dict[str, str]:
    """The query parameters that choose this graph on another page."""
    return {"data": spec.name, **widgets.address(filled.values, prefix="data.")}


def _choose() -> DatasetSpec:
    known = {spec.name: spec for spec in datasets.choices()}
    asked = st.query_params.get("data")
    if asked is not None and asked not in known:
        st.warning(f"In this page's address, {datasets.complaint(asked)}; social is shown instead.")
    return known[
        choosing.one(
            f"Data set: type to search {choosing.counted(known.values())}",
            choosing.graphs(known.values()),
            "data",
            moved=_begin_anew,
        )
    ]


def _told(spec: DatasetSpec) -> None:
    """What the chosen graph is, and whose."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge(datasets.KINDS[spec.kind], color="blue")
        st.markdown(naming.about(spec), width="stretch")
    if spec.caution:
        st.caption(f"Caution: {markup.literal(spec.caution)}")
    st.caption(f"Source: {markup.literal(spec.source)}. Licence: {markup.literal(spec.licence)}.")


def _describe(spec: DatasetSpec, filled: widgets.Filled) -> None:
    """Facts and figures; while another process makes them, a word about that."""
    try:
        described = describing.describe(spec.name, filled.values)
    except (DataError, OptionError) as error:
        st.error(markup.sentence(error))
        return
    st.fragment(_described, run_every=POLL_SECONDS if described is None else None)(spec, filled, described is None)


def _described(spec: DatasetSpec, filled: widgets.Filled, was_waiting: bool) -> None:
    try:
        described = describing.describe(spec.name, filled.values)
    except (DataError, OptionError) as error:
        st.error(markup.sentence(error))
        return
    if described is None:
        st.info("The graph is being read and counted; that happens once.", icon="⏳")
        return
    if was_waiting:
        st.rerun()
    if described.domains:
        domains.metrics(described)
        domains.show(described)
    else:
        _facts(described)
        question.show(_address(spec, filled), described)
    left, right = layout.columns("figures", 2)
    with left:
        st.markdown("##### How many neighbours do nodes have?")
        live_plot.show(degrees.plot(described.degrees, layout.theme()), key=f"degrees.{spec.name}")
        st.caption(
            f"{described.mean_degree:.1f} on average, at most {described.largest_degree:,}. Nodes with many "
            "neighbours give a lot away about others, and are the hardest to hide."
        )
        figure_exports("degrees", _of(described.degrees, spec), {}, name=_file(spec))
    with right:
        st.markdown("##### Which classes are there?" if described.domains else "##### What is to be predicted?")
        rows = classes.data(described.classes)
        if alike := _alike(described.classes):
            st.markdown(alike)
        else:
            live_plot.show(classes.plot(rows, layout.theme()), key=f"classes.{spec.name}")
        st.caption(_class_words(described))
        figure_exports("classes", _of(rows, spec), {}, name=_file(spec))
    _neighbourhood(spec, filled, described)


def _of(rows: Sequence[Row], spec: DatasetSpec) -> list[Row]:
    """Rows of a file, which says of which graph they are: by its name, for titles are words of people."""
    return [{**row, "graph": spec.name} for row in rows]


def _file(spec: DatasetSpec) -> str:
    return spec.name.replace(":", "-")


def _alike(counts: Mapping[str, int]) -> str:
    """Many classes that are almost equally large, in a sentence in place of as many equal bars; "" for
    others."""
    sizes = [*counts.values()]
    if len(sizes) < MANY or max(sizes) > 1.1 * min(sizes):
        return ""
    names = ", ".join(map(markup.literal, counts))
    return f"**{len(sizes)} classes of about {sum(sizes) / len(sizes):,.0f} each**: {names}."


def _facts(described: describing.Description) -> None:
    facts = described.facts
    columns = st.container(key=f"{styles.CARDS}-sizes").columns(5)
    columns[0].metric("Nodes", f"{facts.nodes:,}", border=True, help="People, papers, pages: what is classified")
    columns[1].metric("Edges" if facts.undirected else "Directed edges", f"{facts.edges:,}", border=True)
    columns[2].metric("Features", f"{facts.features:,}", border=True, help="Numbers that are known of each node")
    columns[3].metric("Classes", f"{facts.classes}", border=True)
    columns[4].metric(
        "Homophily",
        "none" if described.homophily is None else f"{described.homophily:.0%}",
        border=True,
        help="Share of edges that join two nodes of the same class",
    )
    st.caption(_homophily_words(described))


def _class_words(described: describing.Description) -> str:
    """What classes are for."""
    if not described.domains:
        return (
            f"Always guessing the largest class is right for {described.largest_class:.1%} of all nodes. Of the test "
            "nodes of a run, which Train counts, the share is another."
        )
    none = f" {described.unlabelled:,} texts have none." if described.unlabelled else ""
    return f"Predicted from a few texts of each, by an encoder that learnt from relations.{none}"


def _homophily_words(described: describing.Description) -> str:
    """Homophily for somebody who never heard the word."""
    share, chance = described.homophily, described.homophily_by_chance
    if share is None:
        return "This graph has no edges: nothing can be learnt from neighbours."
    text = f"Homophily: {share:.0%} of the edges join nodes of the same class; by chance it would be {chance:.0%}. "
    if share > chance + 0.15:
        return text + ("Neighbours are alike: a graph network can learn much from them, and they betray each other.")
    if share < chance - 0.15:
        return text + "Neighbours are unlike: summing over them may hurt more than it helps."
    return text + "Neighbours are hardly more alike than strangers: edges help little here."


def _neighbourhood(spec: DatasetSpec, filled: widgets.Filled, described: describing.Description) -> None:
    st.markdown("##### One node and those around it")
    last = described.facts.nodes - 1
    number = Parameter(
        "node",
        int,
        described.piece.centre,
        Option("which node is drawn in the middle", low=0, high=last, label=f"Node (0 to {last:,})"),
    )
    if st.session_state.get(_OF, (spec.name, last)) != (spec.name, last):
        widgets.put([number], {})  # another graph has other nodes
    st.session_state[_OF] = (spec.name, last)
    for complaint in widgets.complaints([number]):
        st.warning(complaint)
    ids = _ids(spec.name) if spec.kind == "upload" else ()
    try:
        with st.container(horizontal=True):
            with st.container(width=220):
                node = int(widgets.widget(number))
            if ids:
                st.text_input(
                    "As your file calls it",
                    key="node_id",
                    width=220,
                    placeholder=ids[node],
                    on_change=_find,
                    args=(number, ids),
                )
    except OptionError as error:
        st.error(markup.sentence(error))
        return
    if lost := st.session_state.get("node_id"):
        st.warning(f"No node is called {markup.literal(lost)}: the file calls the first one {markup.literal(ids[0])}.")
    waiting = node != described.piece.centre and not _is_read(spec, filled, node)
    st.fragment(_piece, run_every=POLL_SECONDS if waiting else None)(spec, filled, described, node, waiting)


@st.cache_data(max_entries=4, show_spinner=False)
def _ids(name: str) -> tuple[str, ...]:
    """What the file of an upload calls its nodes."""
    return node_ids(name)


def _find(number: Parameter, ids: Sequence[str]) -> None:
    """Put the node in the middle that is called so; what no node is called stays to be corrected."""
    wanted = st.session_state["node_id"].strip()
    if wanted in ids:
        widgets.put([number], {number.name: ids.index(wanted)})
        st.session_state["node_id"] = ""


def _is_read(spec: DatasetSpec, filled: widgets.Filled, node: int) -> bool:
    """Whether the surroundings of the node can be drawn, or cannot be had at all."""
    try:
        return describing.describe(spec.name, filled.values, node=node) is not None
    except (DataError, OptionError):
        return True


def _piece(
    spec: DatasetSpec, filled: widgets.Filled, described: describing.Description, node: int, was_waiting: bool
) -> None:
    piece = described.piece
    if node != piece.centre:
        try:
            surroundings = describing.describe(spec.name, filled.values, node=node)
        except (DataError, OptionError) as error:
            st.error(markup.sentence(error))
            return
        if surroundings is None:
            st.caption("The surroundings of this node are being read.")
            return
        if was_waiting:
            st.rerun()
        piece = surroundings.piece
    rows = neighbourhood.data(piece.edges, piece.labels, centre=node, class_names=described.class_names)
    ids = _ids(spec.name) if spec.kind == "upload" else ()
    drawn = [{**row, "called": ids[row["node"]]} if ids and row["kind"] == "node" else row for row in rows]
    live_plot.show(neighbourhood.plot(drawn, layout.theme()), key=f"piece.{spec.name}")
    hidden = piece.within - len(piece.labels)
    cut = f" {hidden:,} more node{'s are' if hidden > 1 else ' is'} within two steps, and not drawn." * (hidden > 0)
    called = f" In the middle stands {markup.literal(ids[node])}, node {node:,}." if ids else ""
    st.caption(
        f"Colour and shape are classes.{called}{cut} Edge-level privacy hides whether any one line is there; "
        "node-level privacy hides one mark with all its lines."
    )
    figure_exports("neighbourhood", _of(rows, spec), {}, name=_file(spec))


def _confirm_delete(spec: DatasetSpec) -> None:
    with st.container(border=True):
        st.markdown(
            f"**{markup.literal(spec.title)}** will be gone from this machine. Runs that used it stay, and "
            "cannot be repeated."
        )
        with st.container(horizontal=True):
            st.button("Delete for good", key="delete_upload_yes", on_click=_delete_upload, args=(spec.name,))
            st.button("Keep", key="delete_upload_no", on_click=st.session_state.pop, args=("deleting_upload", None))


def _delete_upload(name: str) -> None:
    delete_upload(name)
    del st.session_state["deleting_upload"]
    choosing.put("data", "social")


def _begin_anew() -> None:
    """Another graph has other nodes: the one in the middle is chosen anew."""
    st.session_state.pop("node", None)
