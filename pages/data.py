"""What is in this graph, and how do I bring mine? The catalogue, an upload, facts and a drawing."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from privgraph.data.files import absent, missing
from privgraph.data.spec import DatasetSpec
from privgraph.data.uploads import delete_upload, node_ids
from privgraph.registry import METHODS
from privgraph_workbench.facts import datasets
from privgraph_workbench.facts.datasets import Description, describe
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.graphs import classes, neighbourhood
from privgraph_workbench.forms import beginnings, data_options, widgets
from privgraph_workbench.jobs import downloads
from privgraph_workbench.parts import choosing, layout, upload
from privgraph_workbench.parts.links import drawn_figure
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import percent

POLL_SECONDS = 1.0
PIXELS, ROW = 214, 35
TABLE = "catalogue"
words = texts("data")
ids_of = st.cache_data(max_entries=4, show_spinner=False)(node_ids)


def begin_anew() -> None:
    st.session_state.pop("node", None)


# The catalogue


def choose() -> DatasetSpec:
    known = {spec.name: spec for spec in datasets.choices()}
    titles = choosing.graphs(known.values())
    return known[choosing.one("Graph", titles, "data", refused=datasets.complaint, moved=begin_anew)]


def catalogue(chosen: DatasetSpec, *, opened: bool) -> None:
    """All graphs in one table, the chosen one first; a click on a row chooses it."""
    every = sorted(datasets.choices(), key=lambda spec: spec != chosen)
    titles = choosing.graphs(every)

    def take() -> None:
        picked = st.session_state[TABLE]["selection"]
        if rows := [*picked["rows"], *(row for row, _ in picked["cells"])]:
            choosing.put("data", every[rows[0]].name)
            st.session_state["fold.catalogue"] = False
            begin_anew()

    rows = [
        {
            "chosen": "●" * (spec == chosen),
            "graph": titles[spec.name],
            "here": f"{missing} files to get" if (missing := len(absent(spec))) else "yes",
            **data_options.sizes(spec, data_options.first(spec)),
            "predicts": "relations" if spec.domains else "classes of nodes",
            "kind": datasets.KINDS[spec.kind],
        }
        for spec in every
    ]
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn(format="localized")
    with layout.fold(f"The whole catalogue ({len(every)})", "catalogue", icon=":material/list:", opened=opened):
        st.dataframe(
            rows,
            hide_index=True,
            key=TABLE,
            height=min(PIXELS, ROW * (len(every) + 1) + 3),
            on_select=take,
            selection_mode=["single-row", "single-cell"],
            alt="All graphs",
            placeholder="your choice",
            column_config={"chosen": text("", width=24), "graph": text(width=190)}
            | dict.fromkeys(("nodes", "edges", "features", "classes"), number),
        )


def fetch(spec: DatasetSpec, reason: str) -> None:
    """Why a graph cannot be loaded, with the button that fetches it, how far that is, and why it failed."""
    st.info(markup.sentence(reason), icon="📁")
    if not downloads.possible(spec):
        return
    current = downloads.state(spec)
    going = current is not None and not current.over
    if not going and st.button("Download it now", key=f"download.{spec.name}", icon=":material/download:"):
        current, going = downloads.start(spec), True
    if going:
        st.fragment(downloading, run_every=POLL_SECONDS)(current)
    elif current is not None and current.error:
        title = markup.literal(spec.title)
        failed, unheard = f"**The download of {title} failed.**", f"**No connection to the server of {title}.**"
        st.error(failed if current.connected else unheard, icon=":material/cloud_off:")
        st.caption(markup.sentence(current.error))


def downloading(current: downloads.Download) -> None:
    if current.over:
        st.rerun()
    at = current.progress
    told = f"{markup.literal(at.stage)}: {at.step / 1e6:,.1f} of {at.total / 1e6:,.1f} MB"
    st.progress(min(1.0, at.step / max(1, at.total)), text=told)


# Facts and figures


def described(spec: DatasetSpec, filled: widgets.Filled, found: Description) -> None:
    facts(found)
    if found.domains:
        domains(found)
    left, right = layout.columns("figures", 2)
    with left:
        show("degrees", found.degrees, spec)
    with right:
        show("classes", classes.data(found.classes), spec)
    if asked:  # else the catalogue stands open, and nobody has chosen this graph
        with layout.refusals():
            surroundings(spec, filled, found)


def show(figure: str, rows: Sequence[Row], spec: DatasetSpec, drawn: Sequence[Row] = ()) -> None:
    """A figure with its files, which name the graph: its title is words of people."""
    plot = figure_of(figure).plot(drawn or rows, layout.theme())
    drawn_figure(figure, [{**row, "graph": spec.name} for row in rows], spec.name.replace(":", "-"), plot=plot)


def facts(found: Description) -> None:
    if found.domains:
        inside, count = (sum(one[name] for one in found.domains) for name in ("relations", "texts"))
        held = [
            ("Texts", f"{count:,}", fill(words["unlabelled"], count=f"{found.unlabelled:,}")),
            ("Relations", f"{inside:,}", fill(words["relations"], apart=f"{found.facts.edges - inside:,}")),
            ("Domains", f"{len(found.domains)}", ""),
            ("Classes", f"{found.facts.classes}", ""),
        ]
    else:
        homophily = "none" if found.homophily is None else f"{found.homophily:.0%}"
        chance = fill(words["homophily"], chance=f"{found.homophily_by_chance:.0%}")
        held = [
            ("Nodes", f"{found.facts.nodes:,}", ""),
            ("Edges" if found.facts.undirected else "Directed edges", f"{found.facts.edges:,}", ""),
            ("Features", f"{found.facts.features:,}", ""),
            ("Classes", f"{found.facts.classes}", ""),
            ("Largest class", percent(found.largest_class), words["guess"]),
            ("Homophily", homophily, chance),
            ("Neighbours' vote", percent(found.vote), words["vote"]),
        ]
    layout.numbers(held)


def domains(found: Description) -> None:
    """A row a domain, and a few related texts; as plain text, whatever is written in them."""
    columns = ("name", "texts", "relations", "words", "most_words")
    every = pd.DataFrame(found.domains).round({"words": 1})
    layout.table(every, words["domains"], {}, {}, column_order=columns, alt="Domains of the texts")
    pairs = [{"domain": one["name"], "a text": a, "related": b} for one in found.domains for a, b in one["samples"]]
    with st.expander("A few related texts", key="fold.related_texts"):
        st.dataframe(pairs, hide_index=True, alt="A few related texts of each domain")


def surroundings(spec: DatasetSpec, filled: widgets.Filled, found: Description) -> None:
    """A node and those around it, drawn; of one's own graph found by its name, too."""
    last, ids = found.facts.nodes - 1, ids_of(spec.name) if spec.kind == "upload" else ()
    if not 0 <= st.session_state.get("node", 0) <= last:
        del st.session_state["node"]  # of another graph

    def find() -> None:
        wanted = st.session_state["node_id"].strip()
        if wanted in ids:  # an unknown name stays to be corrected
            st.session_state.update({"node": ids.index(wanted), "node_id": ""})

    with st.container(horizontal=True):
        shared = {"key": "node", "bind": "query-params", "width": 220}
        node = int(st.number_input(f"Node (0 to {last:,})", 0, last, found.centre, **shared))
        if ids:
            st.text_input("Name in your file", key="node_id", width=220, placeholder=ids[node], on_change=find)
    if lost := st.session_state.get("node_id"):
        st.warning(fill(words["no_node"], name=markup.literal(lost), first=markup.literal(ids[0])))
    around = found
    if node != found.centre and not (around := layout.awaited(describe, spec.name, filled.values, "random", node)):
        return
    rows = neighbourhood.data(around.edges, around.labels, centre=node, class_names=[*found.classes])
    named = [{**row, "called": ids[row["node"]]} if ids and row["kind"] == "node" else row for row in rows]
    if hidden := around.within - len(around.labels):
        st.caption(fill(words["not_drawn"], count=f"{hidden:,}"))
    show("neighbourhood", rows, spec, named)


layout.head("data")
asked = "data" in st.query_params
left, right = st.columns([3, 2], vertical_alignment="bottom")
with left:
    spec = choose()
with right, st.container(horizontal=True):
    st.button("Bring your own graph", key="bring", icon=":material/upload:", on_click=upload.open_fold)
    layout.reading("data")
catalogue(spec, opened=not asked)
with st.container():  # always there: what is below it keeps its place
    upload.notice(spec)
unkept = upload.form(begin_anew)
on = st.container(horizontal=True, vertical_alignment="center")
with st.container(horizontal=True, vertical_alignment="center"):
    st.badge(datasets.KINDS[spec.kind], color="blue")
    st.markdown(f"**{markup.literal(spec.title)}**: {markup.literal(spec.about)}", width="stretch")
if spec.caution:
    st.caption(markup.literal(spec.caution))
st.caption(fill(words["source"], source=markup.literal(spec.source), licence=markup.literal(spec.licence)))
filled = data_options.options_form(spec)
if reason := missing(spec):
    fetch(spec, reason)
elif not filled.errors:
    # beside files that are not kept, the button names the other graph
    with on, st.container(key="boxed-link-other" if unkept else "go-on", width="content"):
        address = {"data": spec.name, **beginnings.address(filled.values, prefix="data.")}
        if spec.domains:
            address["method"] = next(name for name, row in METHODS.items() if spec.task in row.tasks)
        layout.link("train", f"Train on {markup.literal(spec.title)}", "model_training", **address)
    if spec.kind == "upload":

        def delete() -> None:
            delete_upload(spec.name)
            choosing.put("data", "social")

        with on.popover("Delete this upload", icon=":material/delete:"):
            st.markdown(fill(words["delete"], title=f"**{markup.literal(spec.title)}**"))
            st.button("Delete for good", key="delete_upload", on_click=delete)
    if found := layout.awaited(describe, spec.name, filled.values):
        st.fragment(described)(spec, filled, found)
