"""The Runs page: find, compare, tag, stop and delete runs, or change one and run it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from privgraph.options import Option, OptionError, Parameter
from privgraph.registry import METHODS
from privgraph.runs.records import PROTECTED, STATES, RunQuery
from privgraph_workbench import run_list
from privgraph_workbench.facts import datasets
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.views.runs import chosen, listed, one_run, side_by_side
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import method_title

PAGE_SIZE = 50
"""Settings on one page of the list, whose end is reached by scrolling."""
MOST_CHOSEN = 100
"""Runs that are chosen at once: their ids stand in the address, which has an end."""
_OVER, _ARRIVED = "runs.over", "runs.arrived"
"""How many ticks were beyond that; what was chosen when the page was opened, and how it was ordered then."""
UNITS = ("node", "edge", "none")
FILTERS = ("find", "of_method", "of_data", "of_state", "of_unit", "tagged")
REFUTED = "refuted"
"""Whether only such settings are listed of which an audit has refuted a claim."""
BOUND = ("find", "tagged")
"""Filters whose place in the address Streamlit keeps itself."""
ORDERS = {
    "newest": ("created", True),
    "oldest": ("created", False),
    "test accuracy": ("test_accuracy", True),
    "sound epsilon": ("sound_epsilon", False),
    "time": ("seconds", True),
    "method": ("method", False),
    "data": ("dataset", False),
}


WHAT = (
    "A row is a setting: a method with its options on one graph. Its runs differ in their random seed alone. A smaller "
    f"ε is more private: {EPSILONS['sound'].glyph} is proved, {EPSILONS['published'].glyph} what the paper's formula "
    f"says, {EPSILONS['audited'].glyph} what attacks have shown at least."
)
"""What the list shows, for somebody who sees it for the first time."""


def page() -> None:
    """Filters, the table, and what can be done with the chosen runs; or the run that the address names."""
    queue.tick()
    asked = st.query_params.get("run")
    if asked is not None and one_run.known(asked):  # as somebody would write the address of a run
        one_run.show(asked)
        return
    st.title("Runs")
    if asked is not None:
        st.warning(f"There is no run {markup.literal(asked[:80])}; it may have been deleted.")
    store = queue.store()
    if not store.count():
        st.info("Nothing has run here yet.", icon="🕸️")
        st.page_link(shell.page("start"), label="Start with the demo", icon=":material/play_arrow:")
        return
    st.caption(WHAT)
    query = _filters()
    found = store.find_rows(query, graphs=True)
    groups = listed.by_setting(store, found, query.order)
    if not groups:
        _nothing(query)
        return
    groups = _refuted(groups)
    ticked = [run for run in st.query_params.get("chosen", "").split(",") if run]
    groups = _arrived_first(groups, ticked, query.order)
    _summary(query, groups)
    if told := listed.in_part(store, groups, narrowed=bool(query.text or query.tags or query.states)):
        st.caption(told)
    table, below = st.container(), st.container()
    with below:
        start = _page_number(len(groups))
    with table:
        _table(groups[start : start + PAGE_SIZE], ticked)
    if not ticked:
        return
    records = {record.id: record for record in store.find(RunQuery(ids=tuple(ticked)))}
    there = [records[run] for run in ticked if run in records]
    chosen.bar(there, _choose_none)
    _missing([run for run in ticked if run not in records])
    side_by_side.show([record for record in there if not record.unreadable])


def _arrived_first(groups: list[list[listed.Light]], chosen: Sequence[str], order: str) -> list[list[listed.Light]]:
    """The settings that were chosen when the page was opened stand first, until another order is asked for.
    What is ticked here stays where it is."""
    visit, held = shell.visit(), st.session_state.get(_ARRIVED)
    if held is None or held[0] != visit:
        held = st.session_state[_ARRIVED] = (visit, order, frozenset(chosen))
    _, at_first, arrived = held
    return sorted(groups, key=lambda group: order != at_first or not any(one["id"] in arrived for one in group))


def _refuted(groups: list[list[listed.Light]]) -> list[list[listed.Light]]:
    """All settings, or those alone of which an audit has refuted a claim; nothing is asked where there are
    none."""
    found = [group for group in groups if listed.refuted(group)]
    if found and st.toggle(
        f"Only what an audit refuted ({_count(len(found), 'setting')})",
        key=REFUTED,
        bind="query-params",
        help="Settings of which an attack has shown a larger ε than was claimed",
    ):
        return found
    return groups


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def _summary(query: RunQuery, groups: Sequence[Sequence[listed.Light]]) -> None:
    """How many are listed, and what can be done there."""
    runs = sum(len(group) for group in groups)
    with st.container(horizontal=True, vertical_alignment="center", key=styles.LINE):
        st.markdown(f"**{_count(len(groups), 'setting')}**, {_count(runs, 'run')}", width="content")
        st.caption(
            "A click shows a setting's runs, or opens its only one. Ticks choose what to compare, report, tag, stop or "
            "delete: all runs of a setting, or single ones below it.",
            width="content",
        )
        if _filtered(query):
            st.button(
                "Clear filters", key="clear_filters", type="tertiary", icon=":material/filter_alt_off:", on_click=_clear
            )
    if over := st.session_state.get(_OVER):
        st.info(
            f"At most {MOST_CHOSEN} runs are chosen at once, since the page's address holds their ids: {over:,} more "
            "were ticked and are left out. A filter makes the list shorter.",
            icon=":material/checklist:",
        )
    if any(
        not one["version"] and one["unit"] != "none" and one["state"] == "done" for group in groups for one in group
    ):
        st.caption(
            "Among these are runs of versions before 0.5.0, which carry known faults that their epsilons do "
            "not count: open such a run to read which."
        )


def _choose_none() -> None:
    st.session_state.pop(_OVER, None)
    st.query_params.pop("chosen", None)


def _clear() -> None:
    st.session_state[REFUTED] = False
    for name in FILTERS:
        if name not in BOUND:
            st.query_params.pop(name, None)
        st.session_state[name] = "" if name == "find" else []


def _filtered(query: RunQuery) -> bool:
    return any((query.text, query.methods, query.datasets, query.states, query.units, query.tags))


def _nothing(query: RunQuery) -> None:
    """No run is found: what can be done about it."""
    filtered = query.methods or query.datasets or query.states or query.units or query.tags
    advice = ["Take a filter away."] if filtered else []
    if query.text:
        advice.append("Every word of a search must be found; an option is found as name=value, such as epochs=100.")
    st.info(" ".join(["No run is like that.", *advice]))
    st.button("Clear filters", key="clear_filters", icon=":material/filter_alt_off:", on_click=_clear)


def _filters() -> RunQuery:
    """The filters, all in the address; values there that mean nothing are named and left out."""
    known = {
        "of_method": list(METHODS),
        "of_data": [spec.name for spec in datasets.choices()],
        "of_state": list(STATES),
        "of_unit": list(UNITS),
        "tagged": queue.store().tags(),
    }
    for key, admitted in known.items():
        for value in st.query_params.get_all(key):
            if value not in admitted:
                st.warning(f"In this page's address, {key} has no value {markup.literal(value[:80])}; it is left out.")
    order_asked = st.query_params.get("order", "newest")
    if order_asked not in ORDERS:
        st.warning(
            f"In this page's address, runs cannot be ordered by {markup.literal(order_asked[:80])}; the "
            "newest come first."
        )
    shared: dict[str, Any] = {"bind": "query-params"}
    words_ = st.text_input(
        "Search",
        key="find",
        placeholder="Search: GAP Cora, epochs=100, a tag, a note",
        label_visibility="collapsed",
        live="300ms",
        type="search",
        **shared,
    )
    tags = known["tagged"]
    with st.container(key=styles.FILTERS):
        columns = st.columns(6 if tags else 5)
    methods = choosing.several(
        columns[0], "Method", {name: method_title(name) for name in METHODS}, "of_method", placeholder="any"
    )
    data = choosing.several(columns[1], "Graph", choosing.graphs(datasets.choices()), "of_data", placeholder="any")
    units = choosing.several(columns[2], "Protects", PROTECTED, "of_unit", placeholder="anything")
    in_states = choosing.several(
        columns[3], "State", {name: states.state_word(name) for name in STATES}, "of_state", placeholder="any"
    )
    tagged = columns[4].multiselect("Tags", tags, key="tagged", placeholder="any", **shared) if tags else []
    chosen_order = columns[-1].selectbox("Order", list(ORDERS), key="order", **shared)
    column, descending = ORDERS[chosen_order]
    return RunQuery(
        text=words_ or "",
        methods=tuple(methods),
        datasets=tuple(data),
        states=tuple(in_states),
        units=tuple(units),
        tags=tuple(tagged),
        order=column,
        descending=descending,
    )


def _page_number(total: int) -> int:
    """Where the shown part of the list starts."""
    pages = -(-total // PAGE_SIZE)
    if pages == 1:
        return 0
    number = Parameter("page", int, 1, Option("which part of the list", low=1, high=pages, label=f"Page of {pages}"))
    for complaint in widgets.complaints([number]):
        st.warning(complaint)
    try:
        with st.container(width=180):
            return (int(widgets.widget(number)) - 1) * PAGE_SIZE
    except OptionError as error:
        st.error(markup.sentence(error))
        return 0


def _table(groups: Sequence[Sequence[listed.Light]], chosen: Sequence[str]) -> None:
    """The table; the address holds the ids of the chosen runs."""
    firsts = tuple(str(group[0]["id"]) for group in groups)
    records = {record.id: record for record in queue.store().find(RunQuery(ids=firsts))}
    run_list.show(
        "runs.list",
        listed.rows(groups, records),
        chosen,
        st.session_state.get("order", "newest"),
        _choose,
        _order,
    )


def _choose(on: Sequence[str], off: Sequence[str]) -> None:
    """Runs were ticked, or unticked."""
    held = [run for run in st.query_params.get("chosen", "").split(",") if run and run not in off]
    now = [*held, *(run for run in on if run not in held)]
    st.session_state[_OVER] = max(0, len(now) - MOST_CHOSEN)
    if now := now[:MOST_CHOSEN]:
        st.query_params["chosen"] = ",".join(now)
    else:
        st.query_params.pop("chosen", None)


def _order(name: str) -> None:
    if name in ORDERS:
        st.session_state["order"] = name


def _missing(runs: Sequence[str]) -> None:
    if runs:
        st.warning(f"There is no run {', '.join(markup.literal(run[:80]) for run in runs)}; it may have been deleted.")
