"""The two first choices of the Train page, the graph and the method: a few as cards, all by search. What does
not fit is named with its reason, and cannot be chosen."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.runs.records import RunQuery
from privgraph_workbench.facts import datasets
from privgraph_workbench.forms import beginnings, data_options, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import styles
from privgraph_workbench.views.parts import choosing
from privgraph_workbench.words import markup

OPEN = 3
"""Methods that stand openly as cards; all are found by search."""
MOST_READ = 5000
START = " :green-badge[start here]"


def choose_data() -> DatasetSpec:
    """The graph: what can be loaded now, first what the examples are on."""
    every = datasets.choices()
    here = {spec.name: spec for spec in every if datasets.unavailable(spec) is None}
    asked = st.query_params.get("data")
    if asked is not None and asked not in here:
        st.warning(f"In this page's address, {datasets.complaint(asked)}.")
    rows = queue.store().find_rows(RunQuery(states=("done",), limit=MOST_READ))
    told, came = Counter(row["dataset"] for row in rows), {row["dataset"] for row in queue.examples().find_rows()}
    order = {"upload": 0, "embedded": 1, "real": 2}
    names = sorted(here, key=lambda name: (name not in came, order.get(here[name].kind, 3)))
    titles = {one: markup.literal(title) for one, title in choosing.graphs(here[name] for name in names).items()}
    away = [markup.literal(spec.title) for spec in every if spec.name not in here]
    fetched = f"Not on this machine yet; the Data page fetches them: {', '.join(away)}."
    st.markdown("##### 1 · Graph", help=fetched if away else None)
    shown = choosing.few(names, "data")
    facts = {one: _facts(here[one], told[one], chosen=one == st.query_params.get("data")) for one in names}
    with st.container(key=f"{styles.CHOICE}-data", gap="small"):
        found = {one: f"{here[one].title} · {text.replace('*', '')}" for one, text in facts.items()}
        choosing.search(f"Search {choosing.counted(every)}", found, "data")
        name = choosing.one(
            "Data",
            {one: titles[one] for one in shown},
            "data",
            captions={one: facts[one] for one in shown},
            label_visibility="collapsed",
            width="stretch",
        )
    spec = here[name]
    if spec.caution:
        st.caption(f"**{markup.literal(spec.title)}.** {markup.literal(spec.caution)}")
    return spec


def _facts(spec: DatasetSpec, told: int, *, chosen: bool = False) -> str:
    """A graph in a line of Markdown: its size, and how many finished runs tell what to expect. Of the chosen
    one, the size that its form holds."""
    known = data_options.held(spec) if chosen else {one.name: one.default for one in data_options.known(spec)}
    nodes, edges, _, classes = data_options.sizes(spec, known).values()
    texts = spec.task != "node classification"
    sizes = [
        f"{size:,} {word}"
        for size, word in ((nodes, "texts" if texts else "nodes"), (edges, "relations" if texts else "edges"))
        if size is not None
    ]
    if classes and not texts:
        sizes.append(f"{classes} classes")
    said = " · ".join(sizes)
    yours = " · yours" if spec.kind == "upload" else ""
    runs = f" · **{told:,} finished run{'s' * (told != 1)}**" if told else ""
    return f"{said}{yours}{runs}"


def choose_method(spec: DatasetSpec) -> beginnings.Choice:
    """The method: those that fit the graph; of the others it is said why not."""
    every = beginnings.choices()
    refused = {name: reason for name, one in every.items() if (reason := beginnings.unfit(one.method, spec))}
    titles = {name: markup.literal(one.title) for name, one in every.items() if name not in refused}
    asked = st.query_params.get("method")
    heading = st.container()
    if not titles:
        st.error(f"No method learns from {markup.literal(spec.title)}.")
        st.stop()
    if asked is not None and asked not in titles:
        first = next(iter(titles))
        if asked in refused:
            widgets.leave(asked)
            st.warning(f"{markup.sentence(refused[asked])} {titles[first]} is chosen instead.")
        else:
            said = f"there is no method {markup.literal(asked[:80])}"
            st.warning(f"In this page's address, {said}; it is left out.")
        choosing.forget("method")
    firsts = {one.first: f"Good to begin with: {one.why}." for one in beginnings.GROUPS.values() if one.first in titles}
    shown = choosing.few([*firsts, *(one for one in titles if one not in firsts)], "method", most=OPEN)
    with st.container(key=f"{styles.CHOICE}-method", gap="small"):
        found = {one: f"{every[one].title} · {beginnings.hides(every[one].method)}" for one in titles}
        choosing.search(f"Search all {len(titles)} methods that fit", found, "method", moved=widgets.turn)
        name = choosing.one(
            "Method",
            {one: f"{titles[one]}{START * (one == next(iter(firsts), None))}" for one in shown},
            "method",
            captions={one: _about(every[one]) for one in shown},
            moved=widgets.turn,
            label_visibility="collapsed",
            width="stretch",
        )
    chosen = every[name]
    widgets.turned(chosen.method, name)
    paper = f"{markup.literal(chosen.title)}: {markup.literal(chosen.method.paper)}"
    heading.markdown("##### 2 · Method", help=f"{paper} {firsts.get(name, '')}".strip())
    if refused:
        many = f"{len(refused)} method{'s do' if len(refused) != 1 else ' does'} not fit this graph"
        with st.expander(many, key="fold.unfit", icon=":material/block:"):
            st.caption("\n".join(f"- {markup.literal(reason)}" for reason in dict.fromkeys(refused.values())))
    return chosen


def _about(choice: beginnings.Choice) -> str:
    """A method in a line of Markdown: whom it can hide, and how."""
    return f"*{beginnings.hides(choice.method)}* · {markup.literal(choice.about)}"
